"""Measures how far the functions of the maths library are from the exact value, against mpmath, and that all devices give the same bits.

python benchmarks/ulp.py [--count 20000] [--device interp cpu …] [--function NAME …] [--json FILE] [--add FILE]

Measured on the first device; the others are compared with it to the bit. `docs/maths.md` shows benchmarks/results/ulp.json; `--add` notes
the devices of a run in such a file, where the arguments may be others.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
import ulp
from lang.function_table import FUNCTIONS, TYPES, arguments, compute


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--count", type=int, default=20_000)
    options.add_argument("--device", nargs="+", default=["interp", "cpu"])
    options.add_argument("--function", nargs="*", choices=FUNCTIONS, default=list(FUNCTIONS), metavar="NAME")
    options.add_argument("--json", type=Path)
    options.add_argument("--add", type=Path)
    given = options.parse_args()
    rows = [measure(name, dtype, given.count, given.device) for name in given.function for dtype in TYPES]
    if given.json:
        text = ",\n  ".join(json.dumps(one) for one in rows)
        given.json.write_text(f'{{"count": {given.count}, "rows": [\n  {text}\n]}}\n')
    if given.add:
        add(given.add, rows)
    return 0 if all(one["within"] and len(one["devices"]) == len(given.device) for one in rows) else 1


def measure(name: str, dtype: type, count: int, devices: list[str]) -> dict[str, Any]:
    values = arguments(name, dtype, count, seed=7)
    row, type_ = FUNCTIONS[name], TYPES[dtype].scalar.name
    results = {device: compute(device, name, *values) for device in devices}
    first = results[devices[0]]
    same = [device for device, one in results.items() if equal(one, first)]
    error, where = ulp.worst(row.exact, values, first, row.size)
    print(f"{name:13} {type_} {len(first):7} arguments: at most {error:.4f} ULP, at {where!r}; on {', '.join(same)} the same", flush=True)
    return {
        "function": name, "type": type_, "arguments": len(first), "max_ulp": round(error, 4), "at": where, "within": error <= row.bound,
        "wave": row.size is not None, "devices": same,
    }  # fmt: skip


def equal(a: np.ndarray, b: np.ndarray) -> bool:
    """To the bit; every NaN is as good as another."""
    numbers = ~(np.isnan(a) & np.isnan(b))
    return a[numbers].tobytes() == b[numbers].tobytes()


def add(path: Path, rows: list[dict[str, Any]]) -> None:
    """Note further devices that gave the same bits."""
    found: dict[str, Any] = json.loads(path.read_text())
    known = {(one["function"], one["type"]): one["devices"] for one in rows}
    for one in found["rows"]:
        one["devices"] = list(dict.fromkeys([*one["devices"], *known.get((one["function"], one["type"]), [])]))
    text = ",\n  ".join(json.dumps(one) for one in found["rows"])
    path.write_text(f'{{"count": {found["count"]}, "rows": [\n  {text}\n]}}\n')


if __name__ == "__main__":
    sys.exit(main())
