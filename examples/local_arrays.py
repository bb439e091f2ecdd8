"""Memory of the thread, `local.array`: each thread sorts five neighbours and keeps the one in the middle."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, kernel, launch_contract, local, thread, unroll


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def median(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx not in y:
        return
    window = local.array(f32, 5)
    for k in unroll(range(5)):
        at = min(max(idx.get() + k - 2, 0), len(x) - 1)
        window[k] = x[at]
    for i in range(1, 5):  # insertion sort
        v = window[i]
        j = i
        while j > 0 and window[j - 1] > v:
            window[j] = window[j - 1]
            j -= 1
        window[j] = v
    y[idx] = window[2]


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(16).random(200, dtype=np.float32)
    y = ox.DeviceBuffer.zeros(stream, len(host), f32)
    median.launch(stream, ox.DeviceBuffer.from_host(stream, host), y)
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(host, 2, mode="edge"), 5)
    np.testing.assert_array_equal(y.to_host(stream), np.median(windows, axis=1).astype(np.float32))
    print("PASSED: medians of 5 neighbours of 200 elements")
    return 0


if __name__ == "__main__":
    sys.exit(main())
