"""Reductions over a warp and over tiles of 8 lanes: sums, least and greatest values without shared memory."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, i32, kernel, launch_contract, thread, warp


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def reduce(x: Slice[i32], sums: DisjointSlice[i32], least: DisjointSlice[i32], in_tile: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    i = idx.get()
    v = x[i] if i < len(x) else i32(0)
    total = warp.reduce_sum(v)
    low = warp.reduce_min(v)
    high = warp.tiled_partition(8).reduce_max(v)
    if idx in sums:
        sums[idx] = total
    if idx in least:
        least[idx] = low
    if idx in in_tile:
        in_tile[idx] = high


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(4).integers(-1000, 1000, 256).astype(np.int32)
    x = ox.DeviceBuffer.from_host(stream, host)
    sums, least, in_tile = (ox.DeviceBuffer.zeros(stream, len(host), i32) for _ in range(3))
    reduce.launch(stream, x, sums, least, in_tile)
    np.testing.assert_array_equal(sums.to_host(stream), np.repeat(host.reshape(-1, 32).sum(axis=1), 32))
    np.testing.assert_array_equal(least.to_host(stream), np.repeat(host.reshape(-1, 32).min(axis=1), 32))
    np.testing.assert_array_equal(in_tile.to_host(stream), np.repeat(host.reshape(-1, 8).max(axis=1), 8))
    print("PASSED: 8 warps and 32 tiles reduced")
    return 0


if __name__ == "__main__":
    sys.exit(main())
