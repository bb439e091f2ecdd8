"""Vector addition: a kernel, its buffers and its launch in one file."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Slice, f32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def vecadd(a: Slice[f32], b: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + b[idx]


def main() -> int:
    n = 10_000  # no multiple of the block: the guard `idx in c` keeps the last block inside
    ctx = ox.Context()
    stream = ctx.default_stream()
    a_host = np.arange(n, dtype=np.float32)
    b_host = 2 * a_host
    a = ox.DeviceBuffer.from_host(stream, a_host)
    b = ox.DeviceBuffer.from_host(stream, b_host)
    c = ox.DeviceBuffer.zeros(stream, n, f32)
    prepared = vecadd.prepare(ctx, LaunchConfig1D.for_num_elems(n, block=256))
    prepared(stream, a, b, c)
    np.testing.assert_array_equal(c.to_host(stream), a_host + b_host)
    print(f"PASSED: {n} sums on {ctx.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
