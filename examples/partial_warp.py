"""Some lanes of a warp only: `warp.active` names those that run the statement, wherever control flow has diverged."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, i32, kernel, launch_contract, thread, warp


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def even_and_odd(x: Slice[i32], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx not in y:
        return
    if x[idx] % 2 == 0:
        y[idx] = warp.active.reduce_sum(x[idx])
    else:
        y[idx] = warp.active.reduce_max(x[idx])


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(18).integers(0, 100, 90).astype(np.int32)  # the last warp has 26 lanes
    y = ox.DeviceBuffer.zeros(stream, len(host), i32)
    even_and_odd.launch(stream, ox.DeviceBuffer.from_host(stream, host), y)
    expected = np.empty_like(host)
    for start in range(0, 90, 32):
        one, result = host[start : start + 32], expected[start : start + 32]
        result[one % 2 == 0] = one[one % 2 == 0].sum()
        result[one % 2 == 1] = one[one % 2 == 1].max(initial=0)
    np.testing.assert_array_equal(y.to_host(stream), expected)
    print("PASSED: sums of the even, maxima of the odd elements in each warp")
    return 0


if __name__ == "__main__":
    sys.exit(main())
