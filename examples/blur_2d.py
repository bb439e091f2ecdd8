"""Two dimensions with a width known at the launch: `Runtime2D`, neighbours, and loops that are written out with `unroll`."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, DisjointSlice, Runtime2D, Slice, f32, i32, kernel, launch_contract, thread, unroll


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def blur(x: Slice[f32, D2], y: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(y)
    if idx not in y:
        return
    rows, cols = x.shape
    total = f32(0)
    count = i32(0)
    for down in unroll(range(-1, 2)):
        for right in unroll(range(-1, 2)):
            row, col = idx.row + down, idx.col + right
            if 0 <= row < rows and 0 <= col < cols:
                total += x[row, col]
                count += 1
    y[idx] = total / f32(count)


def expected(x: np.ndarray) -> np.ndarray:
    total, count = np.zeros(x.shape), np.zeros(x.shape)
    padded, ones = np.pad(x.astype(np.float64), 1), np.pad(np.ones(x.shape), 1)
    for down in range(3):
        for right in range(3):
            part = np.s_[down : down + x.shape[0], right : right + x.shape[1]]
            total += padded[part]
            count += ones[part]
    return total / count


def main() -> int:
    stream = ox.Context().default_stream()
    for shape in ((45, 130), (1, 7)):
        x_host = np.random.default_rng(2).random(shape, dtype=np.float32)
        x = ox.DeviceBuffer.from_host(stream, x_host)
        y = ox.DeviceBuffer.zeros(stream, shape, f32)
        blur.launch(stream, x, y)  # grid inferred from the shape of `y`
        np.testing.assert_allclose(y.to_host(stream), expected(x_host), rtol=1e-5)
    print("PASSED: two pictures blurred")
    return 0


if __name__ == "__main__":
    sys.exit(main())
