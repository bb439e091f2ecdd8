"""Measures how far functions of the kernel language are from the exact value, over many arguments.

    python benchmarks/ulp.py [--count 200000] [--device interp] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import ulp
from lang.test_exp import KERNELS, exps, samples


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=200_000)
    options.add_argument("--device", default="interp")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    rows: list[dict[str, object]] = []
    for dtype in KERNELS:
        values = samples(dtype, given.count // 3)
        error, where = ulp.worst(ulp.exp, values, exps(given.device, values))
        rows.append({"function": "exp", "type": dtype.__name__, "arguments": len(values), "max_ulp": round(error, 4), "at": where})
        print(f"exp {dtype.__name__:8} {len(values):8} arguments: at most {error:.4f} ULP, at {where!r}")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0 if all(float(str(row["max_ulp"])) <= 2 for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
