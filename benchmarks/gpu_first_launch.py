"""The first launch of a vector add in a process, without and with a cache; the peers where they are installed."""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

from common import Figure, child, main

OURS = """
import json, sys, time
sys.path.insert(0, {folder!r})
import numpy as np, oxidepy as ox, kernels
ctx = ox.Context("cuda:0"); stream = ctx.default_stream()
a = ox.DeviceBuffer.from_host(stream, np.arange(1024, dtype=np.float32)); c = ox.DeviceBuffer.zeros(stream, 1024, ox.f32)
stream.synchronize()
start = time.perf_counter()
kernels.vecadd.launch(stream, a, a, c); stream.synchronize()
first = (time.perf_counter() - start) * 1e3
start = time.perf_counter()
kernels.saxpy.launch(stream, 2.0, a, c); stream.synchronize()
print(json.dumps({{"first": first, "second": (time.perf_counter() - start) * 1e3}}))
"""
CUPY = """
import json, time
import cupy as cp
a = cp.arange(1024, dtype=cp.float32); c = cp.zeros(1024, cp.float32); cp.cuda.Device().synchronize()
start = time.perf_counter()
head = 'extern "C" __global__ void add(const float* a, const float* b, float* c, int n)'
k = cp.RawKernel(head + " { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }", "add")
k((4,), (256,), (a, a, c, 1024)); cp.cuda.Device().synchronize()
print(json.dumps({"first": (time.perf_counter() - start) * 1e3}))
"""
NUMBA = """
import json, time
import numpy as np
from numba import cuda
@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]
a = cuda.to_device(np.arange(1024, dtype=np.float32)); c = cuda.device_array_like(a); cuda.synchronize()
start = time.perf_counter()
add[4, 256](a, a, c); cuda.synchronize()
print(json.dumps({"first": (time.perf_counter() - start) * 1e3}))
"""


def measure() -> list[Figure]:
    code = OURS.format(folder=str(Path(__file__).parent))
    with tempfile.TemporaryDirectory() as folder:
        cold, cold_second = [], []
        for run in range(3):
            got = child(code, env={"OXIDEPY_CACHE_DIR": f"{folder}/{run}"})
            cold.append(got["first"])
            cold_second.append(got["second"])
        warm = [child(code, env={"OXIDEPY_CACHE_DIR": f"{folder}/0"})["first"] for _ in range(3)]
    figures = [
        Figure("first launch, nothing cached", sorted(cold)[1], "ms", "<= 33 (CuPy)"),
        Figure("next kernel, nothing cached", sorted(cold_second)[1], "ms"),
        Figure("first launch, from the cache", sorted(warm)[1], "ms"),
    ]
    for name, module, peer in (("CuPy RawKernel", "cupy", CUPY), ("numba-cuda", "numba", NUMBA)):
        if find_spec(module) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                values = [child(peer, env={"CUPY_CACHE_DIR": f"{folder}/{run}"})["first"] for run in range(3)]
            except RuntimeError as error:
                print(f"  {name} did not run: {error}")
                continue
        figures.append(Figure(f"{name}, first launch", sorted(values)[1], "ms"))
    return figures


if __name__ == "__main__":
    main(measure, "First launch in a process")
