"""Shared memory of a size that follows from a parameter at the launch: the windows of a moving sum."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, block, f32, i32, kernel, launch_contract, require, shared, thread

BLOCK = 64


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def moving_sum(x: Slice[f32], window: i32, y: DisjointSlice[f32]) -> None:
    require(window >= 1, window <= 1000)
    s = shared.dynamic(f32, count=BLOCK + window)
    idx = thread.index_1d()
    start = block.idx.x * BLOCK
    for k in range(thread.idx.x, BLOCK + window, BLOCK):
        s[k] = x[start + k] if start + k < len(x) else f32(0)
    block.sync()
    if idx in y:
        total = f32(0)
        for k in range(window):
            total += s[thread.idx.x + k]
        y[idx] = total


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(6).integers(0, 10, 500).astype(np.float32)
    x = ox.DeviceBuffer.from_host(stream, host)
    for window in (1, 7, 100):
        y = ox.DeviceBuffer.zeros(stream, len(host), f32)
        moving_sum.launch(stream, x, window, y)
        padded = np.concatenate([host, np.zeros(window - 1, np.float32)])
        np.testing.assert_array_equal(y.to_host(stream), np.lib.stride_tricks.sliding_window_view(padded, window).sum(axis=1))
    print("PASSED: windows of 1, 7 and 100 with one kernel")
    return 0


if __name__ == "__main__":
    sys.exit(main())
