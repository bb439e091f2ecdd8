"""Interval arithmetic: each bound is rounded outwards (`math.mul_rd`, `math.add_ru`), so that the exact value is certainly between them."""

from __future__ import annotations

import sys
from fractions import Fraction

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, kernel, launch_contract, math, thread

COEFFICIENTS = (1.5, -2.25, 0.1, 3.0)  # of a polynomial, the highest power first


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def bounds(x: Slice[f32], low: DisjointSlice[f32], high: DisjointSlice[f32]) -> None:
    """Horner's rule for arguments from 0 on, on the lower and the upper bound of what has been added up."""
    idx = thread.index_1d()
    if idx in low and idx in high:
        below, above = f32(0), f32(0)
        for one in COEFFICIENTS:
            below = math.add_rd(math.mul_rd(below, x[idx]), one)
            above = math.add_ru(math.mul_ru(above, x[idx]), one)
        low[idx], high[idx] = below, above


def exact(x: float) -> Fraction:
    total = Fraction(0)
    for one in COEFFICIENTS:
        total = total * Fraction(x) + Fraction(float(np.float32(one)))
    return total


def main() -> int:
    stream = ox.Context().default_stream()
    x = np.linspace(0, 2, 1000).astype(np.float32)
    low, high = (ox.DeviceBuffer.zeros(stream, 1000, f32) for _ in range(2))
    bounds.launch(stream, ox.DeviceBuffer.from_host(stream, x), low, high)
    below, above = low.to_host(stream), high.to_host(stream)
    for place, (a, b) in enumerate(zip(below.tolist(), above.tolist(), strict=True)):
        assert a <= exact(float(x[place])) <= b, (x[place], a, b)
    assert (above - below).max() < 1e-5
    print(f"PASSED: 1000 exact values lie between their bounds, at most {(above - below).max():.1g} apart")
    return 0


if __name__ == "__main__":
    sys.exit(main())
