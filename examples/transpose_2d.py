"""Two dimensions with a width known at compile time: `Index2D` and its `Width`, and an input slice of two axes."""

from __future__ import annotations

import sys
from typing import Annotated

import numpy as np

import oxidepy as ox
from oxidepy import D2, DisjointSlice, Index2D, LaunchConfig2D, Slice, Width, f32, kernel, launch_contract, thread

WIDTH = 96


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def transpose(x: Slice[f32, D2], y: Annotated[DisjointSlice[f32, Index2D], Width(WIDTH)]) -> None:
    idx = thread.index_2d(WIDTH)
    if idx in y:
        y[idx] = x[idx.col, idx.row]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    x_host = np.random.default_rng(1).random((WIDTH, 70), dtype=np.float32)
    x = ox.DeviceBuffer.from_host(stream, x_host)
    y = ox.DeviceBuffer.zeros(stream, (70, WIDTH), f32)
    transpose.prepare(ctx, LaunchConfig2D.for_shape(70, WIDTH, block=(16, 16)))(stream, x, y)
    np.testing.assert_array_equal(y.to_host(stream), x_host.T)
    print("PASSED: 96 x 70 transposed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
