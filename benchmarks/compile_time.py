"""Vector add, from Python source to PTX, without a cache, after imports; the peers where they are installed."""

from __future__ import annotations

from importlib.util import find_spec

from common import Figure, child, main

OURS = """
import json, sys, time
sys.path.insert(0, {folder!r})
import kernels
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions
import oxidepy.backend.nvptx, numpy
from oxidepy.backend.llvm import engine
engine.prepare()
target = nvptx_target("sm_90a")
def once(kernel):
    start = time.perf_counter()
    compile_kernel(kernel.definition, Specialisation(), target, CodegenOptions())
    return (time.perf_counter() - start) * 1e3
first = once(kernels.vecadd)
second = once(kernels.saxpy)
again = sorted(once(kernels.vecadd) for _ in range(9))[4]
print(json.dumps({{"first": first, "second": second, "again": again}}))
"""

NUMBA = """
import json, time
from numba import cuda, float32
def vecadd(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]
start = time.perf_counter()
cuda.compile_ptx(vecadd, (float32[::1],) * 3, cc=(9, 0))
print(json.dumps({"first": (time.perf_counter() - start) * 1e3}))
"""


def measure() -> list[Figure]:
    from pathlib import Path

    code = OURS.format(folder=str(Path(__file__).parent))
    runs = [child(code) for _ in range(5)]
    first, second, again = (sorted(run[name] for run in runs)[2] for name in ("first", "second", "again"))
    figures = [
        Figure("vector add to PTX, first kernel of a process", first, "ms", "<= 10"),
        Figure("a second kernel", second, "ms"),
        Figure("vector add again, same process", again, "ms", "<= 10"),
    ]
    if find_spec("numba_cuda") is not None:
        try:
            peer = child(NUMBA)["first"]
        except RuntimeError as error:
            print(f"  numba-cuda did not run: {error}")
            return figures
        figures.append(Figure("numba-cuda, first kernel of a process", peer, "ms"))
        figures[0].peer, figures[0].ratio = "numba-cuda", first / peer
    return figures


if __name__ == "__main__":
    main(measure, "Compile time")
