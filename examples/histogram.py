"""A histogram: atomics in shared memory, then one atomic in global memory for each bin of the block."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, atomic, block, grid, i32, kernel, launch_contract, shared, thread, u8, u32

BINS = 256


@kernel
@launch_contract(domain=1, block=(BINS, 1, 1))
def histogram(x: Slice[u8], bins: SliceMut[u32]) -> None:
    mine = shared.array(u32, BINS)
    t = thread.idx.x
    mine[t] = u32(0)
    block.sync()
    i = thread.index_1d().get()
    while i < len(x):
        atomic.add(mine, i32(x[i]), u32(1), scope="block")
        i += grid.dim.x * block.dim.x
    block.sync()
    if t < len(bins):
        atomic.add(bins, t, mine[t])


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    x_host = np.random.default_rng(3).integers(0, 256, 5003).astype(np.uint8)
    bins = ox.DeviceBuffer.zeros(stream, BINS, u32)
    histogram.prepare(ctx, LaunchConfig1D(grid=4, block=BINS))(stream, ox.DeviceBuffer.from_host(stream, x_host), bins)
    np.testing.assert_array_equal(bins.to_host(stream), np.bincount(x_host, minlength=BINS))
    print("PASSED: 5003 bytes counted in 256 bins")
    return 0


if __name__ == "__main__":
    sys.exit(main())
