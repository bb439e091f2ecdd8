"""Numbers taken apart and put together: against NumPy and Python, exactly, on both devices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, i32, kernel, thread

TYPES = {np.float32: f32, np.float64: f64}
DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]


def values(dtype: type) -> np.ndarray:
    info, rng = np.finfo(dtype), np.random.default_rng(1)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.75, info.tiny, info.max, -info.max, info.smallest_subnormal, math.inf, -math.inf, math.nan]
    sizes = rng.uniform(math.log2(info.smallest_subnormal), math.log2(info.max), 300)
    random = rng.choice([-1, 1], 300) * np.exp2(sizes)
    near = rng.uniform(-5, 5, 100)
    return np.concatenate([np.array(special, dtype), random.astype(dtype), near.astype(dtype)])


def kernels(T: Any) -> Any:
    @kernel
    def parts(x: Slice[T], n: Slice[i32], y: Slice[T], floats: DisjointSlice[T], which: i32, whole: DisjointSlice[i32]) -> None:
        idx = thread.index_1d()
        if idx in floats and idx in whole:
            a, b = x[idx], y[idx]
            mantissa, exponent = ox.math.frexp(a)
            fraction, rest = ox.math.modf(a)
            floats[idx] = mantissa
            if which == 1:
                floats[idx] = fraction
            elif which == 2:
                floats[idx] = rest
            elif which == 3:
                floats[idx] = ox.math.logb(a)
            elif which == 4:
                floats[idx] = ox.math.ldexp(a, n[idx])
            elif which == 5:
                floats[idx] = ox.math.nextafter(a, b)
            elif which == 6:
                floats[idx] = ox.math.fdim(a, b)
            elif which == 7:
                floats[idx] = ox.math.saturate(a)
            elif which == 8:
                floats[idx] = ox.math.nearbyint(a)
            elif which == 9:
                floats[idx] = np.maximum(a, b)
            elif which == 10:
                floats[idx] = ox.math.minimum(a, b)
            whole[idx] = exponent
            if which == 1:
                whole[idx] = ox.math.ilogb(a)
            elif which == 2:
                whole[idx] = 1 if ox.math.signbit(a) else 0

    return parts


_kernels = {dtype: kernels(T) for dtype, T in TYPES.items()}


def compute(device: str, which: int, x: np.ndarray, n: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    stream = ox.Context(device).default_stream()
    floats, whole = ox.DeviceBuffer.zeros(stream, len(x), x.dtype), ox.DeviceBuffer.zeros(stream, len(x), i32)
    given = [ox.DeviceBuffer.from_host(stream, one) for one in (x, n, y)]
    _kernels[x.dtype.type].launch(stream, *given, floats, which, whole)
    return floats.to_host(stream), whole.to_host(stream)


def same(got: np.ndarray, due: np.ndarray) -> bool:
    number = ~np.isnan(due)
    return (
        bool((np.isnan(got) == ~number).all())
        and np.array_equal(got[number], due[number])
        and np.array_equal(np.signbit(got)[number], np.signbit(due)[number])
    )


def _logb(x: float) -> float:
    return -math.inf if x == 0 else float(math.frexp(x)[1] - 1) if math.isfinite(x) else x * x


def _ilogb(x: float) -> int:
    return -(2**31) if x == 0 or math.isnan(x) else 2**31 - 1 if math.isinf(x) else math.frexp(x)[1] - 1


def _ldexp(x: float, n: int) -> float:
    try:
        return math.ldexp(x, n)
    except OverflowError:
        return math.copysign(math.inf, x)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
def test_against_python_and_numpy(dtype: type, device: str) -> None:
    x = values(dtype)
    rng = np.random.default_rng(2)
    y = rng.permutation(x)
    y[:40] = x[:40]
    n = rng.integers(-2300, 2300, len(x)).astype(np.int32) if dtype is np.float64 else rng.integers(-300, 300, len(x)).astype(np.int32)
    n[::7] = np.array([2**31 - 1, -(2**31), 0, 1, -1])[np.arange(len(n[::7])) % 5]
    # an exponent that leads down to the denormals, where the result is rounded
    down = math.log2(np.finfo(dtype).smallest_subnormal) + 5
    with np.errstate(all="ignore"):
        size = np.where(np.isfinite(x) & (x != 0), np.log2(abs(x.astype(np.float64))), 0)
        n[1::3] = (down - size[1::3]).astype(np.int32)
        mantissa, exponent = np.frexp(x)
        fraction, rest = np.modf(x)
        # of f32, f64 holds the exact result, which is then rounded once
        scaled = np.array([_ldexp(float(a), int(b)) for a, b in zip(x, n, strict=True)]).astype(dtype)
        due = [
            mantissa, fraction, rest, np.array([_logb(float(one)) for one in x], dtype), scaled, np.nextafter(x, y),
            np.where(np.isnan(x) | np.isnan(y), np.nan, np.where(x > y, x - y, 0)).astype(dtype),
            np.where(np.isnan(x) | (x <= 0), 0, np.minimum(x, 1)).astype(dtype), np.rint(x),
            np.where((x == 0) & (y == 0) & ~(np.signbit(x) & np.signbit(y)), dtype(0), np.maximum(x, y)),
            np.where((x == 0) & (y == 0) & (np.signbit(x) | np.signbit(y)), dtype("-0"), np.minimum(x, y)),
        ]  # fmt: skip
    exponent = np.where(np.isfinite(x), exponent, 0)
    whole = [exponent, np.array([_ilogb(float(one)) for one in x], np.int32), np.signbit(x).astype(np.int32)]
    numbers = ~np.isnan(x)  # the sign of a NaN is not specified
    for which, one in enumerate(due):
        got, integers = compute(device, which, x, n, y)
        assert same(got, one), (which, x[(got != one) & ~np.isnan(one)], n[(got != one) & ~np.isnan(one)])
        if which < len(whole):
            assert np.array_equal(integers[numbers], whole[which][numbers]), which


@pytest.mark.parametrize("device", DEVICES)
def test_literals_take_the_type_that_is_asked_for(device: str) -> None:
    @kernel
    def alone(out: DisjointSlice[f64]) -> None:
        idx = thread.index_1d()
        if idx in out:
            out[idx] = ox.math.nextafter(1.0, 2.0) + ox.math.ldexp(3.0, 2) + f64(ox.math.ilogb(8.0))

    stream = ox.Context(device).default_stream()
    out = ox.DeviceBuffer.zeros(stream, 1, f64)
    alone.launch(stream, out)
    assert out.to_host(stream).tolist() == [math.nextafter(1.0, 2.0) + 12.0 + 3.0]
