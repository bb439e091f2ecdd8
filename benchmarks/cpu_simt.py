"""The CPU device on kernels with and without barriers, against parallel loops for Numba (NumPy where there is none), on one core and two.

The loops are what one writes for a CPU: no blocks, no shared memory where it does not help; tiles where they do.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from common import Figure, child, main

CODE = """
import json, sys, time
sys.path.insert(0, {folder!r})
import numpy as np, oxidepy as ox, kernels, simt_kernels as simt
from oxidepy import LaunchConfig1D, LaunchConfig2D
def best(work, runs):
    work(); work()
    times = []
    for _ in range(runs):
        start = time.perf_counter(); work(); times.append((time.perf_counter() - start) * 1e3)
    return sorted(times)[len(times) // 2]
ctx = ox.Context("cpu"); stream = ctx.default_stream(); out = {{}}
rng = np.random.default_rng(0)
buffer = lambda array: ox.DeviceBuffer.from_host(stream, array)
def measure(name, launch, loop, runs=9):
    def ours(): launch(); stream.synchronize()
    out[name] = [best(ours, runs), best(loop, runs)]
"""

PEERS = """
def peers(parallel):
    from numba import njit, prange
    jit = njit(parallel=True, fastmath=False)
    @jit
    def saxpy(a, x, y, z):
        for i in prange(len(x)):
            z[i] = a * x[i] + y[i]
    @jit
    def stencil(s, d):
        for i in prange(1, s.shape[0] - 1):
            for j in range(1, s.shape[1] - 1):
                d[i, j] = np.float32(0.2) * (s[i, j] + s[i, j - 1] + s[i, j + 1] + s[i - 1, j] + s[i + 1, j])
    @jit
    def transpose(s, d):
        h, w = s.shape
        for bi in prange((h + 31) // 32):
            for bj in range((w + 31) // 32):
                for j in range(bj * 32, min(w, bj * 32 + 32)):
                    for i in range(bi * 32, min(h, bi * 32 + 32)):
                        d[j, i] = s[i, j]
    @jit
    def block_sum(x, p):
        for b in prange(len(p)):
            acc = np.float32(0)
            for i in range(b * 256, min(len(x), b * 256 + 256)):
                acc += x[i]
            p[b] = acc
    @jit
    def histogram(x, parts, bins):
        chunk = (len(x) + len(parts) - 1) // len(parts)
        for c in prange(len(parts)):
            own = np.zeros(256, np.uint32)
            for i in range(c * chunk, min(len(x), (c + 1) * chunk)):
                own[x[i]] += 1
            parts[c] = own
        bins[:] = 0
        for c in range(len(parts)):
            bins += parts[c]
    @jit
    def matmul(a, b, c):
        m, k = a.shape
        n = b.shape[1]
        for bi in prange((m + 15) // 16):
            for bk in range(0, k, 64):
                for i in range(bi * 16, min(m, bi * 16 + 16)):
                    if bk == 0:
                        c[i] = 0
                    for q in range(bk, min(k, bk + 64)):
                        f = a[i, q]
                        for j in range(n):
                            c[i, j] += f * b[q, j]
    return saxpy, stencil, transpose, block_sum, histogram, matmul
"""

NUMPY = """
def peers(parallel):
    def saxpy(a, x, y, z): np.multiply(x, a, out=z); np.add(z, y, out=z)
    def stencil(s, d): d[1:-1, 1:-1] = np.float32(0.2) * (s[1:-1, 1:-1] + s[1:-1, :-2] + s[1:-1, 2:] + s[:-2, 1:-1] + s[2:, 1:-1])
    def transpose(s, d): d[:] = s.T
    def block_sum(x, p): p[:] = x.reshape(-1, 256).sum(axis=1)
    def histogram(x, parts, bins): bins[:] = np.bincount(x, minlength=256)
    def matmul(a, b, c): np.matmul(a, b, out=c)
    return saxpy, stencil, transpose, block_sum, histogram, matmul
"""

RUN = """
saxpy, stencil, transpose, block_sum, histogram, matmul = peers(True)
n = 1 << 24
x, y = rng.standard_normal(n, np.float32), rng.standard_normal(n, np.float32); z = np.empty_like(x)
dx, dy = buffer(x), buffer(y)
prepared = kernels.saxpy.prepare(ctx, n)
measure("element-wise", lambda: prepared(stream, 0.5, dx, dy), lambda: saxpy(np.float32(0.5), x, y, z))
side = 4096
s = x.reshape(side, side); d = np.zeros_like(s)
ds, dd = buffer(x), ox.DeviceBuffer.zeros(stream, n, ox.f32)
shape = LaunchConfig2D(grid=(ox.cdiv(side, 64), ox.cdiv(side, 4)), block=(64, 4))
p2 = simt.stencil.prepare(ctx, shape)
measure("stencil", lambda: p2(stream, ds, dd, side), lambda: stencil(s, d))
np.testing.assert_allclose(dd.to_host(stream).reshape(side, side), d, rtol=1e-4, atol=1e-5)
p3 = simt.transpose.prepare(ctx, LaunchConfig2D(grid=(side // 32, side // 32), block=(32, 8)))
measure("transpose through shared memory", lambda: p3(stream, ds, dd, side, side), lambda: transpose(s, d))
assert np.array_equal(dd.to_host(stream).reshape(side, side), d)
ones = np.ones(n, np.float32); do = buffer(ones); part = np.zeros(n // 256, np.float32)
dp = ox.DeviceBuffer.zeros(stream, n // 256, ox.f32)
p4 = simt.block_sum.prepare(ctx, LaunchConfig1D.for_num_elems(n, block=256))
measure("block reduction", lambda: p4(stream, do, dp), lambda: block_sum(ones, part))
assert np.array_equal(dp.to_host(stream), part)
bytes_ = rng.integers(0, 256, n).astype(np.uint8); db = buffer(bytes_)
bins, parts = np.zeros(256, np.uint32), np.zeros((8, 256), np.uint32)
dbins = ox.DeviceBuffer.zeros(stream, 256, ox.u32)
p5 = simt.histogram.prepare(ctx, LaunchConfig1D(grid=64, block=256))
measure("histogram", lambda: p5(stream, db, dbins), lambda: histogram(bytes_, parts, bins))
size = 512
a, b = rng.standard_normal((size, size), np.float32), rng.standard_normal((size, size), np.float32); c = np.zeros_like(a)
da, dbb, dc = buffer(a.ravel()), buffer(b.ravel()), ox.DeviceBuffer.zeros(stream, size * size, ox.f32)
p6 = simt.matmul.prepare(ctx, LaunchConfig2D(grid=(size // 16, size // 16), block=(16, 16)))
measure("tiled matrix product", lambda: p6(stream, da, dbb, dc, size, size, size), lambda: matmul(a, b, c))
np.testing.assert_allclose(dc.to_host(stream).reshape(size, size), c, rtol=1e-3, atol=1e-3)
print(json.dumps(out))
"""


def measure() -> list[Figure]:
    numba = find_spec("numba") is not None
    code = CODE.format(folder=str(Path(__file__).parent)) + (PEERS if numba else NUMPY) + RUN
    figures: list[Figure] = []
    for cores in (1, 2):
        got = child(code, cores=cores, env={"NUMBA_NUM_THREADS": str(cores), "PYTHONWARNINGS": "ignore"})
        for name, (ours, theirs) in got.items():
            peer, goal = ("a Numba loop", "<= 1.3x") if numba else ("NumPy", "")
            figures.append(Figure(f"{name}, {cores} core{'s' if cores > 1 else ''}", ours, "ms", goal, peer, ours / theirs))
    return figures


if __name__ == "__main__":
    main(measure, "CPU device: kernels against loops")
