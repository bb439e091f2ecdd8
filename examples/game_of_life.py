"""Slices of two axes: Conway's Game of Life, two grids that take turns."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, DisjointSlice, LaunchConfig2D, Runtime2D, Slice, i32, kernel, launch_contract, thread, u8


@kernel
@launch_contract(domain=2, block=(16, 8, 1))
def generation(now: Slice[u8, D2], then: DisjointSlice[u8, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(then)
    if idx not in then:
        return
    rows, cols = now.shape
    around = i32(0)
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            if dr != 0 or dc != 0:
                around += i32(now[(idx.row + dr) % rows, (idx.col + dc) % cols])
    alive = now[idx.row, idx.col] != 0
    then[idx] = u8(1) if around == 3 or (alive and around == 2) else u8(0)


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    glider = np.zeros((24, 40), np.uint8)
    glider[1, 2] = glider[2, 3] = glider[3, 1] = glider[3, 2] = glider[3, 3] = 1
    here = ox.DeviceBuffer.from_host(stream, glider)
    there = ox.DeviceBuffer.zeros(stream, glider.shape, u8)
    step = generation.prepare(ctx, LaunchConfig2D.for_shape(*glider.shape, block=(16, 8)))
    for _ in range(40):
        step(stream, here, there)
        here, there = there, here
    np.testing.assert_array_equal(here.to_host(stream), np.roll(glider, (10, 10), axis=(0, 1)))
    print("PASSED: a glider moved by 10 rows and columns in 40 generations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
