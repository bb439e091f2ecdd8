"""Long runs of the differential fuzzer: random kernels on a device against the interpreter.

python scripts/fuzz.py --device cuda:0 --modules 40            (a thousand kernels)
python scripts/fuzz.py --seconds 3600 --start 100000
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1] / "tests")  # not this folder: the package of the tests has the name of this file

from fuzz.differential import Mismatch, check  # noqa: E402


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--device", default="cpu")
    options.add_argument("--reference", default="interp")
    options.add_argument("--start", type=int, default=0, help="the first seed")
    options.add_argument("--modules", type=int, default=40)
    options.add_argument("--kernels", type=int, default=25, help="kernels of a module")
    options.add_argument("--seconds", type=float, help="run this long, whatever --modules says")
    options.add_argument("--keep-going", action="store_true", help="report every module that fails")
    given = options.parse_args()
    begin, done, failed, seed = time.monotonic(), 0, 0, given.start
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() - begin < given.seconds if given.seconds else seed < given.start + given.modules:
            try:
                done += check(random.Random(seed), Path(folder), f"fuzz_{seed}", given.kernels, given.device, given.reference)[0]
            except Mismatch as mismatch:
                failed += 1
                print(f"seed {seed}: {mismatch}\n", flush=True)
                if not given.keep_going:
                    break
            seed += 1
    print(f"{done} kernels agree between {given.reference} and {given.device}, {failed} modules failed, {time.monotonic() - begin:.1f} s")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
