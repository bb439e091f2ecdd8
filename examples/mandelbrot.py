"""The Mandelbrot set: a loop that ends at its own time in each thread, drawn in the terminal."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Runtime2D, f32, i32, kernel, launch_contract, thread

ROUNDS = 50


def escape(cr: f32, ci: f32) -> i32:
    zr, zi = f32(0), f32(0)
    for n in range(ROUNDS):
        if zr * zr + zi * zi > 4.0:
            return n
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
    return ROUNDS


@kernel
@launch_contract(domain=2, block=(32, 4, 1))
def mandelbrot(left: f32, top: f32, step: f32, rounds: DisjointSlice[i32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(rounds)
    if idx in rounds:
        rounds[idx] = escape(left + f32(idx.col) * step, top - 2.0 * f32(idx.row) * step)


def main() -> int:
    stream = ox.Context().default_stream()
    rounds = ox.DeviceBuffer.zeros(stream, (23, 72), i32)
    mandelbrot.launch(stream, -2.25, 1.1, 0.05, rounds)
    picture = rounds.to_host(stream)
    for row in picture:
        print("".join(" .:-=+*%@#"[min(int(one) * 10 // ROUNDS, 9)] for one in row).rstrip())
    assert picture[11, 45] == ROUNDS and picture[0, 0] < 3, "the origin belongs to the set, the corner does not"
    inside = int(np.count_nonzero(picture == ROUNDS))
    assert 250 < inside < 450, inside
    print(f"PASSED: {inside} points in the set")
    return 0


if __name__ == "__main__":
    sys.exit(main())
