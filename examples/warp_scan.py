"""A prefix sum of a block from warp shuffles and one exchange of the warps' sums in shared memory."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Slice, block, i32, kernel, launch_contract, shared, thread, unroll, warp

BLOCK = 256
WARPS = BLOCK // 32


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def prefix_sum(x: Slice[i32], y: DisjointSlice[i32]) -> None:
    sums = shared.array(i32, WARPS)
    idx = thread.index_1d()
    i = idx.get()
    v = x[i] if i < len(x) else i32(0)
    for step in unroll((1, 2, 4, 8, 16)):
        other = warp.shuffle_up(v, step)
        if warp.lane >= step:
            v += other
    if warp.lane == 31:
        sums[warp.id] = v
    block.sync()
    base = i32(0)
    for w in range(WARPS):
        if w < warp.id:
            base += sums[w]
    if idx in y:
        y[idx] = base + v


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    x_host = np.random.default_rng(2).integers(-50, 50, 250).astype(np.int32)
    y = ox.DeviceBuffer.zeros(stream, len(x_host), i32)
    prefix_sum.prepare(ctx, LaunchConfig1D(grid=1, block=BLOCK))(stream, ox.DeviceBuffer.from_host(stream, x_host), y)
    np.testing.assert_array_equal(y.to_host(stream), np.cumsum(x_host, dtype=np.int32))
    print("PASSED: prefix sums of 250 numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
