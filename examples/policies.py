"""Compile-time parameters: one kernel, compiled once for each `Const` value, its loop written out by `unroll`."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import Const, DisjointSlice, Slice, f32, kernel, launch_contract, static_assert, thread, unroll


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def powers(degree: Const[int], x: Slice[f32], y: DisjointSlice[f32]) -> None:
    static_assert(degree >= 1, "at least the first power")
    idx = thread.index_1d()
    if idx in y:
        v = x[idx]
        result = f32(1)
        for _ in unroll(range(degree)):
            result *= v
        y[idx] = result


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(17).integers(-3, 4, 100).astype(np.float32)
    x = ox.DeviceBuffer.from_host(stream, host)
    for degree in (1, 3, 8):
        y = ox.DeviceBuffer.zeros(stream, len(host), f32)
        powers.launch(stream, degree, x, y)
        np.testing.assert_array_equal(y.to_host(stream), host**degree)
    print("PASSED: powers 1, 3 and 8 of 100 numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
