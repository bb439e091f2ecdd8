"""A generic kernel and a generic helper: one source, compiled once for each element type that it meets."""

from __future__ import annotations

import sys
from typing import TypeVar

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, i32, i64, kernel, launch_contract, thread

T = TypeVar("T", f32, f64, i32, i64)


def clamp(x: T, low: T, high: T) -> T:
    return min(max(x, low), high)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def clamp_all(x: Slice[T], low: T, high: T, y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = clamp(x[idx], low, high)


def main() -> int:
    stream = ox.Context().default_stream()
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        x_host = np.arange(-500, 500).astype(dtype)
        x = ox.DeviceBuffer.from_host(stream, x_host)
        y = ox.DeviceBuffer.empty_like(stream, x)
        clamp_all.launch(stream, x, -100, 250, y)
        np.testing.assert_array_equal(y.to_host(stream), np.clip(x_host, -100, 250))
    print("PASSED: four element types")
    return 0


if __name__ == "__main__":
    sys.exit(main())
