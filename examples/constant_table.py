"""A small table that all threads read, `ConstantSlice`: a polynomial, its coefficients changed between launches."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import ConstantSlice, DisjointSlice, Slice, f64, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def evaluate(c: ConstantSlice[f64], x: Slice[f64], y: DisjointSlice[f64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        total = f64(0)
        for k in range(len(c)):
            total = total * x[idx] + c[k]
        y[idx] = total


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.linspace(-1, 1, 100)
    x = ox.DeviceBuffer.from_host(stream, host)
    for coefficients in (np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.0, 0.0, 0.0, -1.0])):
        y = ox.DeviceBuffer.zeros(stream, len(host), f64)
        evaluate.launch(stream, ox.DeviceBuffer.from_host(stream, coefficients), x, y)
        np.testing.assert_allclose(y.to_host(stream), np.polyval(coefficients, host), rtol=1e-13, atol=1e-14)
    print("PASSED: polynomials of degree 2 and 4 at 100 places")
    return 0


if __name__ == "__main__":
    sys.exit(main())
