"""Complex numbers as a `@struct` with operators of its own: a discrete Fourier transform."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f64, kernel, launch_contract, math, struct, thread


@struct
@dataclass(frozen=True)
class Complex:
    re: f64
    im: f64

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    @staticmethod
    def turned(angle: f64) -> Complex:
        """The number of length 1 at that angle."""
        return Complex(math.cos(angle), math.sin(angle))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def transform(x: Slice[Complex], y: DisjointSlice[Complex]) -> None:
    idx = thread.index_1d()
    if idx in y:
        total = Complex(f64(0), f64(0))
        for k in range(len(x)):
            turn = -math.tau * f64(k * idx.get() % len(x)) / f64(len(x))
            total += x[k] * Complex.turned(turn)
        y[idx] = total


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
