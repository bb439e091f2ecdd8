"""A bitonic sort in shared memory: pairs of elements exchanged between barriers."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, SliceMut, block, i32, kernel, launch_contract, shared, thread

N = 256


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def sort(x: SliceMut[i32]) -> None:
    s = shared.array(i32, N)
    t = thread.idx.x
    i = block.idx.x * N + t
    s[t] = x[i] if i < len(x) else i32(2**31 - 1)
    block.sync()
    size = 2
    while size <= N:
        step = size // 2
        while step > 0:
            mine = s[t]
            other = s[t ^ step]
            block.sync()
            upper = t & step != 0
            ascending = t & size == 0
            s[t] = max(mine, other) if upper == ascending else min(mine, other)
            block.sync()
            step //= 2
        size *= 2
    if i < len(x):
        x[i] = s[t]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.random.default_rng(8).integers(-(2**31), 2**31 - 1, 500).astype(np.int32)
    x = ox.DeviceBuffer.from_host(stream, host)
    sort.prepare(ctx, LaunchConfig1D.for_num_elems(len(host), block=N))(stream, x)
    expected = np.concatenate([np.sort(host[:N]), np.sort(host[N:])])
    np.testing.assert_array_equal(x.to_host(stream), expected)
    print("PASSED: two blocks of 256 and 244 numbers sorted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
