"""A warp for each row of a matrix: lanes read neighbouring elements, `warp.reduce_sum` adds them up."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, LaunchConfig1D, Slice, SliceMut, block, f32, kernel, launch_contract, require, thread, warp

WARPS = 4


@kernel
@launch_contract(domain=1, block=(32 * WARPS, 1, 1))
def multiply(a: Slice[f32, D2], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(a.shape[0] == len(y), a.shape[1] == len(x))
    row = block.idx.x * WARPS + thread.idx.x // 32
    acc = f32(0)
    if row < len(y):
        for col in range(warp.lane, len(x), 32):
            acc += a[row, col] * x[col]
    acc = warp.reduce_sum(acc)
    if warp.lane == 0 and row < len(y):
        y[row] = acc


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(14)
    a_host = rng.integers(-4, 5, (30, 100)).astype(np.float32)
    x_host = rng.integers(-4, 5, 100).astype(np.float32)
    a, x = ox.DeviceBuffer.from_host(stream, a_host), ox.DeviceBuffer.from_host(stream, x_host)
    y = ox.DeviceBuffer.zeros(stream, len(a_host), f32)
    multiply.prepare(ctx, LaunchConfig1D(grid=ox.cdiv(30, WARPS), block=32 * WARPS))(stream, a, x, y)
    np.testing.assert_array_equal(y.to_host(stream), a_host @ x_host)
    print("PASSED: 30 x 100 times a vector")
    return 0


if __name__ == "__main__":
    sys.exit(main())
