"""Bessel functions of any order: near the exact value, beside zeros near what the wave is; the same on both devices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ulp import EXACT

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, i32, kernel, thread

TYPES: dict[type, Any] = {np.float32: f32, np.float64: f64}
ORDERS = (0, 1, 2, 3, 7, 20, 45, 150, -1, -2, -7)
PLACES = (1e-12, 0.01, 0.5, 1.0, 1.9, 3.7, 7.5, 8.5, 21.3, 45.0, 100.0, 151.0, 1234.5)


def kernel_of(function: Any, T: Any) -> Any:
    @kernel
    def apply(n: Slice[i32], x: Slice[T], y: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = T(0) + function(n[idx], x[idx])

    return apply


KERNELS = {(name, dtype): kernel_of(getattr(ox.math, name), T) for name in ("jn", "yn") for dtype, T in TYPES.items()}


def compute(device: str, name: str, n: np.ndarray, x: np.ndarray) -> np.ndarray:
    stream = ox.Context(device).default_stream()
    y = ox.DeviceBuffer.zeros(stream, len(x), x.dtype)
    KERNELS[name, x.dtype.type].launch(stream, ox.DeviceBuffer.from_host(stream, n), ox.DeviceBuffer.from_host(stream, x), y)
    return y.to_host(stream)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("name", ["jn", "yn"])
def test_orders(name: str, dtype: type) -> None:
    n, x = (one.ravel() for one in np.meshgrid(np.array(ORDERS, np.int32), np.array(PLACES, dtype)))
    if name == "jn":
        n, x = np.concatenate([n, n]), np.concatenate([x, -x])
    got = compute("cpu", name, n, x)
    assert compute("interp", name, n, x).tobytes() == got.tobytes()
    info = np.finfo(dtype)
    for order, place, one in zip(n.tolist(), x.astype(float).tolist(), got.astype(float).tolist(), strict=True):
        function = EXACT.besselj if name == "jn" else EXACT.bessely
        exact = function(order, EXACT.mpf(place))
        if abs(exact) > float(info.max):
            assert one == (np.inf if exact > 0 else -np.inf), (order, place, one)
            continue
        size = abs(exact)
        if abs(place) > abs(order):
            size = EXACT.sqrt(EXACT.besselj(order, abs(place)) ** 2 + EXACT.bessely(order, abs(place)) ** 2)
        bound = (3 + abs(order)) * float(info.eps) * size + 2 * float(info.smallest_subnormal)
        assert abs(exact - one) <= bound, (order, place, one, float(exact))


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
def test_special_values_of_orders(dtype: type) -> None:
    inf, nan = np.inf, np.nan
    rows = [(2, 0.0), (3, -0.0), (2, inf), (-3, inf), (5, nan), (100000, 1.0), (2**31 - 1, 3.0), (-(2**31), 3.0)]
    n, x = np.array([one for one, _ in rows], np.int32), np.array([one for _, one in rows], dtype)
    j = compute("cpu", "jn", n, x)
    assert np.isnan(j[4]) and not j[[0, 1, 2, 3, 5, 6, 7]].any()
    y = compute("cpu", "yn", np.array([2, 3, 2, 5, 4, 100000], np.int32), np.array([0.0, -0.0, inf, nan, -1.0, 1.0], dtype))
    assert y[:2].tolist() == [-inf, -inf] and y[2] == 0 and np.isnan(y[3:5]).all() and y[5] == -inf
