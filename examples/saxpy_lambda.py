"""A kernel that takes a function: saxpy with a lambda whose captured number changes without a new compilation."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def zip_with(f: Callable[[f32, f32], f32], x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx], y[idx])


def saxpy(stream: ox.Stream, alpha: float, x: ox.DeviceBuffer[f32], y: ox.DeviceBuffer[f32]) -> None:
    zip_with.launch(stream, lambda a, b: alpha * a + b, x, y)


def main() -> int:
    stream = ox.Context().default_stream()
    x_host = np.linspace(-1, 1, 5000, dtype=np.float32)
    x = ox.DeviceBuffer.from_host(stream, x_host)
    for alpha in (0.5, 2.0, -4.0):  # one compilation: `alpha` is a parameter of the compiled kernel
        y = ox.DeviceBuffer.from_host(stream, np.ones_like(x_host))
        saxpy(stream, alpha, x, y)
        np.testing.assert_allclose(y.to_host(stream), np.float32(alpha) * x_host + 1, rtol=1e-6, atol=1e-6)
    print("PASSED: saxpy with three factors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
