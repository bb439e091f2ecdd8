"""Complex numbers as a `@struct`: a discrete Fourier transform, products and sums written out."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f64, kernel, launch_contract, struct, thread


@struct
@dataclass(frozen=True)
class Complex:
    re: f64
    im: f64


def multiplied(a: Complex, b: Complex) -> Complex:
    return Complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def transform(x: Slice[Complex], y: DisjointSlice[Complex]) -> None:
    idx = thread.index_1d()
    if idx in y:
        re, im = f64(0), f64(0)
        for k in range(len(x)):
            turn = -6.283185307179586 * f64(k * idx.get() % len(x)) / f64(len(x))
            term = multiplied(x[k], Complex(f64(math.cos(turn)), f64(math.sin(turn))))
            re += term.re
            im += term.im
        y[idx] = Complex(re, im)


def main() -> int:
    stream = ox.Context().default_stream()
    rng = np.random.default_rng(22)
    host = rng.standard_normal(100) + 1j * rng.standard_normal(100)
    x: ox.DeviceBuffer[Complex] = ox.DeviceBuffer.from_host(stream, host.view([("re", "f8"), ("im", "f8")]))
    y = ox.DeviceBuffer.zeros(stream, len(host), Complex)
    transform.launch(stream, x, y)
    result = y.to_host(stream)
    np.testing.assert_allclose(result["re"] + 1j * result["im"], np.fft.fft(host), rtol=1e-9, atol=1e-9)
    print("PASSED: a Fourier transform of 100 complex numbers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
