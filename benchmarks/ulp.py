"""Measures how far the functions of the maths library are from the exact value, over many arguments, against mpmath.

python benchmarks/ulp.py [--count 20000] [--device cpu] [--function NAME …] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import ulp
from lang.function_table import FUNCTIONS, TYPES, arguments, compute


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=20_000)
    options.add_argument("--device", default="cpu")
    options.add_argument("--function", nargs="*", choices=FUNCTIONS, default=list(FUNCTIONS), metavar="NAME")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    rows: list[dict[str, object]] = []
    for name in given.function:
        for dtype in TYPES:
            values = arguments(name, dtype, given.count, seed=7)
            error, where = ulp.worst(FUNCTIONS[name].exact, values, compute(given.device, name, *values), FUNCTIONS[name].size)
            rows.append(
                {"function": name, "type": TYPES[dtype].scalar.name, "arguments": len(values[0]), "max_ulp": round(error, 4), "at": where}
            )
            print(f"{name:8} {TYPES[dtype].scalar.name} {len(values[0]):8} arguments: at most {error:.4f} ULP, at {where!r}", flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if all(float(str(row["max_ulp"])) <= 2 for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
