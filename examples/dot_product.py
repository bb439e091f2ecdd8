"""A dot product: each block adds with `block.reduce_sum`, and its first thread adds to the result with one atomic."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, atomic, block, f64, grid, kernel, launch_contract, require, thread


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def dot(a: Slice[f64], b: Slice[f64], result: SliceMut[f64]) -> None:
    require(len(a) == len(b), len(result) == 1)
    acc = f64(0)
    for i in range(thread.index_1d().get(), len(a), grid.size):
        acc += a[i] * b[i]
    acc = block.reduce_sum(acc)
    if thread.idx.x == 0:
        atomic.add(result, 0, acc)


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(9)
    a_host, b_host = (rng.integers(-9, 10, 3000).astype(np.float64) for _ in range(2))
    a, b = ox.DeviceBuffer.from_host(stream, a_host), ox.DeviceBuffer.from_host(stream, b_host)
    result = ox.DeviceBuffer.zeros(stream, 1, f64)
    dot.prepare(ctx, LaunchConfig1D(grid=4, block=128))(stream, a, b, result)
    assert result.to_host(stream)[0] == a_host @ b_host  # whole numbers: exact in any order of the atomics
    print("PASSED: dot product of 3000 pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
