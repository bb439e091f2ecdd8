"""Softmax of the rows of a matrix: a block for each row, `block.reduce_max` and `block.reduce_sum`."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, LaunchConfig1D, Slice, SliceMut, block, f32, kernel, launch_contract, math, require, thread

BLOCK = 64


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def softmax(x: Slice[f32, D2], y: SliceMut[f32, D2]) -> None:
    require(x.shape[0] == y.shape[0], x.shape[1] == y.shape[1])
    row = block.idx.x
    rows, cols = x.shape
    if row >= rows:  # the same in all threads of the block: none of them waits below
        return
    top = f32(-math.inf)
    for col in range(thread.idx.x, cols, BLOCK):
        top = max(top, x[row, col])
    top = block.reduce_max(top)
    total = f32(0)
    for col in range(thread.idx.x, cols, BLOCK):
        total += math.exp(x[row, col] - top)
    total = block.reduce_sum(total)
    for col in range(thread.idx.x, cols, BLOCK):
        y[row, col] = math.exp(x[row, col] - top) / total


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = (10 * np.random.default_rng(7).standard_normal((9, 150))).astype(np.float32)
    y = ox.DeviceBuffer.zeros(stream, host.shape, f32)
    softmax.prepare(ctx, LaunchConfig1D(grid=len(host), block=BLOCK))(stream, ox.DeviceBuffer.from_host(stream, host), y)
    powers = np.exp(host.astype(np.float64) - host.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y.to_host(stream), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-12)
    print("PASSED: 9 rows of 150 sum to one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
