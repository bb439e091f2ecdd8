"""Functions that call themselves: adaptive integration, each thread as deep as its own interval needs, and Ackermann's function."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DevicePanic, DisjointSlice, f64, i32, kernel, launch_contract, thread


def bump(x: f64) -> f64:
    return 1.0 / ((x - 0.3) * (x - 0.3) + 0.001)


def simpson(low: f64, high: f64) -> f64:
    return (high - low) / 6.0 * (bump(low) + 4.0 * bump((low + high) / 2.0) + bump(high))


def integral(low: f64, high: f64, whole: f64, tolerance: f64) -> tuple[f64, i32]:
    """The integral and how many pieces it took: halves the interval until both halves agree with the whole."""
    middle = (low + high) / 2.0
    left, right = simpson(low, middle), simpson(middle, high)
    if abs(left + right - whole) < 15.0 * tolerance:
        return left + right, 1
    a, pieces_a = integral(low, middle, left, tolerance / 2.0)
    b, pieces_b = integral(middle, high, right, tolerance / 2.0)
    return a + b, pieces_a + pieces_b


def ackermann(m: i32, n: i32) -> i32:
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def integrate(y: DisjointSlice[f64], pieces: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in pieces:
        step = 1.0 / f64(len(y))
        low = f64(idx.get()) * step
        y[idx], pieces[idx] = integral(low, low + step, simpson(low, low + step), f64(1e-7))


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def table(y: DisjointSlice[i32], m: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = ackermann(m, idx.get())


def main() -> int:
    stream = ox.Context().default_stream()
    y, pieces = ox.DeviceBuffer.zeros(stream, 64, f64), ox.DeviceBuffer.zeros(stream, 64, i32)
    integrate.launch(stream, y, pieces)
    root = np.sqrt(0.001)
    exact = (np.arctan(0.7 / root) + np.arctan(0.3 / root)) / root
    np.testing.assert_allclose(y.to_host(stream).sum(), exact, rtol=1e-7)
    counts = pieces.to_host(stream)
    print(f"{counts.sum()} pieces, of which {counts.max()} in one interval and {counts.min()} in another")

    values = ox.DeviceBuffer.zeros(stream, 8, i32)
    table.launch(stream, values, 2)
    np.testing.assert_array_equal(values.to_host(stream), 2 * np.arange(8) + 3)
    table.launch(stream, values, 4)
    try:
        stream.synchronize()
    except DevicePanic as panic:
        assert panic.code == "OX7002" and panic.thread == (1, 0, 0), panic  # ackermann(4, 1) is 65533 calls deep
        print(panic)
    print("PASSED: an integral, a table, and a bound on the depth")
    return 0


if __name__ == "__main__":
    sys.exit(main())
