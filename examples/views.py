"""Views: rows, columns, tiles and parts of slices, gone through without an index; the matrix product checks its bounds once a thread."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, DisjointSlice, Runtime2D, Slice, f32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def product(a: Slice[f32, D2], b: Slice[f32, D2], c: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(c)
    if idx in c:
        total = f32(0)
        for x, y in zip(a.row(idx.row), b.col(idx.col), strict=True):  # equally long, or a panic; no check inside
            total += x * y
        c[idx] = total


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def pooled(image: Slice[f32, D2], y: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(y)
    if idx in y:
        tile = image.tile(idx.row, idx.col, (2, 3))  # smaller at the edges
        most = tile[0, 0]
        for row in range(tile.shape[0]):
            for value in tile.row(row):
                most = max(most, value)
        y[idx] = most


def mean(values: Slice[f32]) -> f32:
    total = f32(0)
    for value in values:
        total += value
    return total / f32(len(values))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def smoothed(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in x:
        i = idx.get()
        y[idx] = mean(x[max(i - 2, 0) : min(i + 3, len(x))])


def main() -> int:
    stream = ox.Context().default_stream()
    rng = np.random.default_rng(7)
    a, b = rng.random((33, 20), np.float32), rng.random((20, 50), np.float32)
    c = ox.DeviceBuffer.zeros(stream, (33, 50), f32)
    product.launch(stream, ox.DeviceBuffer.from_host(stream, a), ox.DeviceBuffer.from_host(stream, b), c)
    np.testing.assert_allclose(c.to_host(stream), a @ b, rtol=1e-5)

    y = ox.DeviceBuffer.zeros(stream, (17, 7), f32)
    pooled.launch(stream, ox.DeviceBuffer.from_host(stream, a), y)
    padded = np.full((34, 21), -np.inf, np.float32)
    padded[:33, :20] = a
    np.testing.assert_array_equal(y.to_host(stream), padded.reshape(17, 2, 7, 3).max(axis=(1, 3)))

    x = a.reshape(-1)
    z = ox.DeviceBuffer.zeros(stream, x.size, f32)
    smoothed.launch(stream, ox.DeviceBuffer.from_host(stream, x), z)
    wanted = [x[max(i - 2, 0) : i + 3].mean() for i in range(x.size)]
    np.testing.assert_allclose(z.to_host(stream), wanted, rtol=1e-5)
    print("PASSED: rows, columns, tiles and parts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
