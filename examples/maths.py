"""The functions of `math`: distances on a sphere and the normal distribution, the same bits on every device."""

from __future__ import annotations

import math
import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, kernel, launch_contract, thread

RADIUS = 6371.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def distances(lat: Slice[f64], lon: Slice[f64], km: DisjointSlice[f64]) -> None:
    idx = thread.index_1d()
    if idx in km:
        a, b = math.sin(lat[idx] / 2), math.sin(lon[idx] / 2)
        h = a * a + math.cos(lat[idx]) * b * b
        km[idx] = 2 * RADIUS * math.atan2(math.sqrt(h), math.sqrt(1 - h))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def below(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 0.5 * math.erfc(-x[idx] * 0.70710678)


def main() -> int:
    stream = ox.Context().default_stream()
    lat, lon = np.linspace(-1.5, 1.5, 100), np.linspace(0, 3, 100)
    km = ox.DeviceBuffer.zeros(stream, 100, f64)
    distances.launch(stream, ox.DeviceBuffer.from_host(stream, lat), ox.DeviceBuffer.from_host(stream, lon), km)
    expected = RADIUS * np.arccos(np.cos(lat) * np.cos(lon))
    np.testing.assert_allclose(km.to_host(stream), expected, rtol=1e-9)
    host = np.linspace(-3, 3, 100).astype(np.float32)
    y = ox.DeviceBuffer.zeros(stream, 100, f32)
    below.launch(stream, ox.DeviceBuffer.from_host(stream, host), y)
    np.testing.assert_allclose(y.to_host(stream), [math.erfc(-v / 2**0.5) / 2 for v in host.tolist()], rtol=1e-5)
    print("PASSED: 100 distances, 100 probabilities")
    return 0


if __name__ == "__main__":
    sys.exit(main())
