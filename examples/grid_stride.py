"""A grid of fixed size for any number of elements: `for idx in thread.grid_stride(y)`."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Slice, f32, kernel, launch_contract, math, require, thread


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def logistic(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    require(len(x) == len(y))  # the host checks this at every launch
    for idx in thread.grid_stride(y):
        y[idx] = 1.0 / (1.0 + math.exp(-x[idx]))


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    prepared = logistic.prepare(ctx, LaunchConfig1D(grid=4, block=128))  # 512 threads, whatever the length
    for n in (10, 512, 5001):
        x_host = np.linspace(-9, 9, n, dtype=np.float32)
        x = ox.DeviceBuffer.from_host(stream, x_host)
        y = ox.DeviceBuffer.zeros(stream, n, f32)
        prepared(stream, x, y)
        np.testing.assert_allclose(y.to_host(stream), 1 / (1 + np.exp(-x_host.astype(np.float64))), rtol=1e-6)
    print("PASSED: three lengths with one grid")
    return 0


if __name__ == "__main__":
    sys.exit(main())
