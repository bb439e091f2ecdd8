"""A barrier of the whole grid in a cooperative launch: a sum over all blocks and its use, in one kernel."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import (
    DisjointSlice,
    LaunchConfig1D,
    SliceMut,
    atomic,
    block,
    cooperative_launch,
    f32,
    grid,
    kernel,
    launch_contract,
    require,
    thread,
)


@kernel
@cooperative_launch
@launch_contract(domain=1, block=(64, 1, 1))
def normalise(x: DisjointSlice[f32], total: SliceMut[f32]) -> None:
    require(len(total) == 1)
    idx = thread.index_1d()
    mine = x[idx] if idx in x else f32(0)
    in_block = block.reduce_sum(mine)
    if thread.idx.x == 0:
        atomic.add(total, 0, in_block)
    grid.sync()  # all blocks have added
    if idx in x:
        x[idx] = mine / total[0]


def main() -> int:
    ctx = ox.Context()
    if ctx.name == "cpu":  # which runs one block after another: no barrier across them
        ctx = ox.Context("interp")
    stream = ctx.default_stream()
    host = np.random.default_rng(10).integers(0, 100, 256).astype(np.float32)
    x = ox.DeviceBuffer.from_host(stream, host)
    total = ox.DeviceBuffer.zeros(stream, 1, f32)
    normalise.prepare(ctx, LaunchConfig1D(grid=4, block=64))(stream, x, total)
    np.testing.assert_array_equal(x.to_host(stream), host / host.sum())
    print("PASSED: 256 elements in 4 blocks divided by their sum")
    return 0


if __name__ == "__main__":
    sys.exit(main())
