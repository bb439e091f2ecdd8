"""Tensor cores of sm_90a: a warpgroup multiplies swizzled tiles of shared memory; elsewhere the interpreter does."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, LaunchConfig1D, Slice, SliceMut, barrier, bf16, block, f32, kernel, launch_contract, shared, thread, unsafe, wgmma

N, K = 64, 64


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def matmul(a: Slice[f32, D2], b: Slice[f32, D2], c: SliceMut[f32, D2]) -> None:
    row = block.idx.x * 64
    left = shared.array(bf16, 64 * K, align=1024)
    right = shared.array(bf16, N * K, align=1024)  # the columns of b as lines
    with unsafe("each thread writes its own elements of the tiles, the products begin behind the barrier, and each block has 64 rows"):
        for i in range(thread.idx.x, 64 * K, 128):
            left[wgmma.index(left, (i // K, i % K), 64)] = bf16(a[row + i // K, i % K])
            right[wgmma.index(right, (i // K, i % K), N)] = bf16(b[i % K, i // K])
        barrier.fence_proxy_async()
        block.sync()
        acc = wgmma.zeros(N)
        wgmma.fence()
        for k in range(0, K, 16):
            acc = wgmma.m64n64k16.f32.bf16(wgmma.tile(left, (0, k), 64), wgmma.tile(right, (0, k), N), acc)
        wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)
        wgmma.store(c, (row, 0), acc)


def main() -> int:
    ctx = ox.Context()
    if ctx.kind != "cuda" or ctx.compute_capability != (9, 0):
        ctx = ox.Context("interp")
    stream = ctx.default_stream()
    rng = np.random.default_rng(7)
    x, y = (rng.integers(-4, 5, (rows, 64)).astype(np.float32) for rows in (128, 64))
    a, b = ox.DeviceBuffer.from_host(stream, x), ox.DeviceBuffer.from_host(stream, y)
    c = ox.DeviceBuffer.zeros(stream, (128, N), f32)
    matmul.prepare(ctx, LaunchConfig1D(2, 128))(stream, a, b, c)
    np.testing.assert_array_equal(c.to_host(stream), x @ y)
    print("PASSED: 128 x 64 times 64 x 64 in bf16, summed in f32")
    return 0


if __name__ == "__main__":
    sys.exit(main())
