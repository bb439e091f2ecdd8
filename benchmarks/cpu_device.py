"""The CPU device against NumPy, on one core and on two: add and saxpy of 2^24 elements, a Mandelbrot set of 200 steps."""

from __future__ import annotations

import os
from pathlib import Path

from common import Figure, child, main

CODE = """
import json, sys, time
sys.path.insert(0, {folder!r})
import numpy as np, oxidepy as ox, kernels
def median(work, runs):
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter(); work(); times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[len(times) // 2]
ctx = ox.Context("cpu"); stream = ctx.default_stream(); out = {{}}
n = 1 << 24
rng = np.random.default_rng(0)
x, y = rng.standard_normal(n, np.float32), rng.standard_normal(n, np.float32); z = np.empty_like(x)
dx, dy, dz = (ox.DeviceBuffer.from_host(stream, one) for one in (x, y, z))
add = kernels.vecadd.prepare(ctx, n)
def ours(): add(stream, dx, dy, dz); stream.synchronize()
out["add ours"], out["add numpy"] = median(ours, 9), median(lambda: np.add(x, y, out=z), 9)
assert np.array_equal(dz.to_host(stream), z)
fma = kernels.saxpy.prepare(ctx, n)
def ours(): fma(stream, 0.5, dx, dy); stream.synchronize()
def theirs(): np.multiply(x, np.float32(0.5), out=z); np.add(z, y, out=z)
out["saxpy ours"], out["saxpy numpy"] = median(ours, 9), median(theirs, 9)
side = 512
re, im = (one.ravel().astype(np.float32) for one in np.meshgrid(np.linspace(-2, 0.6, side), np.linspace(-1.2, 1.2, side)))
dre, dim = (ox.DeviceBuffer.from_host(stream, one) for one in (re, im))
count = ox.DeviceBuffer.zeros(stream, side * side, ox.i32)
m = kernels.mandelbrot.prepare(ctx, side * side)
def ours(): m(stream, dre, dim, count); stream.synchronize()
def theirs():
    c = re + 1j * im; z = np.zeros_like(c); n = np.zeros(c.shape, np.int32); alive = np.arange(c.size)
    for _ in range(200):
        zz = z[alive]; inside = zz.real * zz.real + zz.imag * zz.imag <= 4; alive = alive[inside]; zz = zz[inside]
        z[alive] = zz * zz + c[alive]; n[alive] += 1
    return n
out["mandelbrot ours"], out["mandelbrot numpy"] = median(ours, 3), median(theirs, 3)
differ = np.count_nonzero(count.to_host(stream) != theirs())
assert differ < side * side * 0.01, differ
print(json.dumps(out))
"""


def measure() -> list[Figure]:
    figures: list[Figure] = []
    env = {name: "" for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ}
    for cores in (1, 2):
        got = child(CODE.format(folder=str(Path(__file__).parent)), cores=cores, env=env)
        for name in ("add", "saxpy", "mandelbrot"):
            ours, theirs = got[f"{name} ours"], got[f"{name} numpy"]
            figures.append(Figure(f"{name}, {cores} core{'s' if cores > 1 else ''}", ours, "ms", peer="NumPy's time", ratio=ours / theirs))
    return figures


if __name__ == "__main__":
    main(measure, "CPU device against NumPy")
