"""A product of f16 matrices on tensor cores: tiles in shared memory, four warps with a fragment each, proven free of races."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import (
    D2,
    LaunchConfig2D,
    Slice,
    SliceMut,
    block,
    f16,
    f32,
    kernel,
    launch_contract,
    mma,
    require,
    shared,
    thread,
    unroll,
    warp,
)

M, N, K = 32, 16, 32  # of a block's tile: 2 × 2 fragments of 16 × 8, two products along k each step
SHAPE = "m16n8k16"


@kernel
@launch_contract(domain=2, block=(32, 4, 1))
def matmul(a: Slice[f16, D2], b: Slice[f16, D2], c: SliceMut[f32, D2]) -> None:
    require(a.shape[1] == b.shape[0])
    tx, ty = thread.idx.x, thread.idx.y
    left = shared.array(f16, (M, K))
    right = shared.array(f16, (K, N))
    row, col = block.idx.y * M, block.idx.x * N
    own_row, own_col = warp.id // 2 * 16, warp.id % 2 * 8
    acc = mma.zeros(SHAPE)
    for step in range(0, a.shape[1], K):
        for r in unroll(range(0, M, 4)):
            i, k = row + ty + r, step + tx
            left[ty + r, tx] = a[i, k] if i < a.shape[0] and k < a.shape[1] else f16(0)
        for r in unroll(range(0, K, 8)):
            line = ty * 2 + tx // N + r
            k, j = step + line, col + tx % N
            right[line, tx % N] = b[k, j] if k < b.shape[0] and j < b.shape[1] else f16(0)
        block.sync()
        for k in range(0, K, 16):
            x = mma.load_a(left, (own_row, k), SHAPE)
            y = mma.load_b(right, (k, own_col), SHAPE)
            acc = mma.m16n8k16.f32.f16(x, y, acc)
        block.sync()
    mma.store(c, (row + own_row, col + own_col), acc)


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(7)
    x, y = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((64, 64), (64, 48)))
    a, b = ox.DeviceBuffer.from_host(stream, x), ox.DeviceBuffer.from_host(stream, y)
    c = ox.DeviceBuffer.zeros(stream, (64, 48), f32)
    matmul.prepare(ctx, LaunchConfig2D(grid=(48 // N, 64 // M), block=(32, 4)))(stream, a, b, c)
    np.testing.assert_array_equal(c.to_host(stream), x.astype(np.float32) @ y.astype(np.float32))
    print("PASSED: 64 x 64 times 64 x 48 in f16, summed in f32")
    return 0


if __name__ == "__main__":
    sys.exit(main())
