"""Prefix sums of any length in three launches: `block.scan_sum` of each block, of the blocks' sums, and their addition."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Slice, SliceMut, block, i32, kernel, launch_contract, thread

BLOCK = 128


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def scan_blocks(x: Slice[i32], y: DisjointSlice[i32], sums: SliceMut[i32]) -> None:
    idx = thread.index_1d()
    i = idx.get()
    v = x[i] if i < len(x) else i32(0)
    before = block.scan_sum(v)
    if idx in y:
        y[idx] = before
    if thread.idx.x == BLOCK - 1 and block.idx.x < len(sums):
        sums[block.idx.x] = before


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def scan_sums(sums: Slice[i32], starts: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    i = idx.get()
    start = block.scan_sum(sums[i] if i < len(sums) else i32(0), exclusive=True)
    if idx in starts:
        starts[idx] = start


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def add_starts(starts: Slice[i32], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] += starts[block.idx.x]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    x_host = np.random.default_rng(2).integers(-50, 50, 3000).astype(np.int32)
    x = ox.DeviceBuffer.from_host(stream, x_host)
    y = ox.DeviceBuffer.zeros(stream, len(x_host), i32)
    config = LaunchConfig1D.for_num_elems(len(x_host), block=BLOCK)
    sums = ox.DeviceBuffer.zeros(stream, config.grid, i32)
    starts = ox.DeviceBuffer.zeros(stream, config.grid, i32)
    scan_blocks.prepare(ctx, config)(stream, x, y, sums)
    scan_sums.prepare(ctx, LaunchConfig1D(grid=1, block=BLOCK))(stream, sums, starts)
    add_starts.prepare(ctx, config)(stream, starts, y)
    np.testing.assert_array_equal(y.to_host(stream), np.cumsum(x_host, dtype=np.int32))
    print("PASSED: prefix sums of 3000 numbers over 24 blocks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
