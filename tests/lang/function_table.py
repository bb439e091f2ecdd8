"""The functions of the maths library: kernels that call them, arguments for them, and their exact values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ulp import EXACT, Function

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, kernel, thread

Ranges = tuple[tuple[float, float], ...]
ANYWHERE = (-np.inf, np.inf)
POSITIVE = (0.0, np.inf)


@dataclass(frozen=True)
class Row:
    """`domain`: the finite arguments whose result is a number; `ranges`: where to look closely (a second one for the second argument).

    `more`: how many further arguments are like the second. `bound`: the error that is promised, in ULP; of `size` where the value is less.
    """

    exact: Function
    domain: tuple[float, float]
    ranges: Ranges
    second: Ranges = ()
    more: int = 0
    bound: float = 2
    size: Function | None = None


def _rsqrt(x: Any) -> Any:
    return 1 / EXACT.sqrt(x)


def _power(x: Any, y: Any) -> Any:
    return EXACT.power(x, y)


def _gamma(x: Any) -> Any:
    """Far below 0 it is less than every number."""
    return EXACT.gamma(min(x, 400)) if x > -400 else EXACT.zero


def _lgamma(x: Any) -> Any:
    return EXACT.loggamma(x) if x > 0 else EXACT.log(EXACT.pi / abs(x * EXACT.sinpi(x))) - EXACT.loggamma(-x)


def _erfc(x: Any) -> Any:
    return EXACT.erfc(min(x, 100))


def _erfcx(x: Any) -> Any:
    """Far out by what remains of the asymptotic series, since the exponential is too large to say."""
    if x < -40:
        return EXACT.inf if x < -1000 else 2 * EXACT.exp(x * x)
    if x > 1e5:
        return (1 - 1 / (2 * x * x)) / (x * EXACT.sqrt(EXACT.pi))
    with EXACT.workprec(400 + int(3 * x * x) if x < 60 else 400):
        return EXACT.exp(x * x) * EXACT.erfc(x) if x < 60 else _erfcx_series(x)


def _erfcx_series(x: Any) -> Any:
    term, total = EXACT.mpf(1), EXACT.mpf(1)
    for n in range(1, 40):
        term *= -(2 * n - 1) / (2 * x * x)
        total += term
    return total / (x * EXACT.sqrt(EXACT.pi))


def _erfcinv(y: Any) -> Any:
    """By Newton's method on the logarithm, from the approximation of small arguments."""
    if y > 1:
        return -_erfcinv(2 - y)
    if y > 0.5:
        return EXACT.erfinv(1 - y)
    want = EXACT.log(y)
    x = EXACT.sqrt(-want)
    for _ in range(60):
        c = EXACT.erfc(x)
        step = (EXACT.log(c) - want) * c * EXACT.sqrt(EXACT.pi) / 2 * EXACT.exp(x * x)
        x += step
        if abs(step) < x * EXACT.mpf(2) ** -200:
            break
    return x


def _length(*x: Any) -> Any:
    return EXACT.sqrt(sum(one * one for one in x))


FUNCTIONS: dict[str, Row] = {
    "exp": Row(EXACT.exp, ANYWHERE, ((-1, 1), (-104, 89), (-746, 710))),
    "exp2": Row(lambda x: EXACT.power(2, x), ANYWHERE, ((-1, 1), (-150, 128), (-1075, 1024))),
    "exp10": Row(lambda x: EXACT.power(10, x), ANYWHERE, ((-1, 1), (-46, 39), (-324, 309))),
    "expm1": Row(EXACT.expm1, ANYWHERE, ((-1, 1), (-30, 89), (-40, 710))),
    "log": Row(EXACT.log, POSITIVE, ((0.5, 2), (0, 100))),
    "log2": Row(lambda x: EXACT.log(x) / EXACT.ln2, POSITIVE, ((0.5, 2), (0, 100))),
    "log10": Row(lambda x: EXACT.log(x) / EXACT.ln10, POSITIVE, ((0.5, 2), (0, 1000))),
    "log1p": Row(EXACT.log1p, (-1.0, np.inf), ((-1, 1), (0, 10))),
    "pow": Row(_power, POSITIVE, ((0.5, 2), (0, 100)), ((-150, 127), (-8, 8), (-1000, 1000))),
    "sin": Row(EXACT.sin, ANYWHERE, ((-4, 4), (-1e4, 1e4), (-3e6, 3e6))),
    "cos": Row(EXACT.cos, ANYWHERE, ((-4, 4), (-1e4, 1e4), (-3e6, 3e6))),
    "tan": Row(EXACT.tan, ANYWHERE, ((-4, 4), (-1e4, 1e4), (-3e6, 3e6))),
    "sinpi": Row(EXACT.sinpi, ANYWHERE, ((-1, 1), (-1e4, 1e4))),
    "cospi": Row(EXACT.cospi, ANYWHERE, ((-1, 1), (-1e4, 1e4))),
    "sinh": Row(EXACT.sinh, ANYWHERE, ((-2, 2), (-89.4, 89.4), (-710.4, 710.4))),
    "cosh": Row(EXACT.cosh, ANYWHERE, ((-2, 2), (-89.4, 89.4), (-710.4, 710.4))),
    "tanh": Row(EXACT.tanh, ANYWHERE, ((-2, 2), (-20, 20))),
    "asin": Row(EXACT.asin, (-1.0, 1.0), ((-1, 1), (0.4, 0.6))),
    "acos": Row(EXACT.acos, (-1.0, 1.0), ((-1, 1), (0.4, 0.6))),
    "atan": Row(EXACT.atan, ANYWHERE, ((-1, 1), (-5, 5))),
    "atan2": Row(EXACT.atan2, ANYWHERE, ((-1, 1), (-5, 5)), ((-5, 5),)),
    "asinh": Row(EXACT.asinh, ANYWHERE, ((-2, 2), (-100, 100))),
    "acosh": Row(EXACT.acosh, (1.0, np.inf), ((1, 2), (1, 100))),
    "atanh": Row(EXACT.atanh, (-1.0, 1.0), ((-1, 1), (0.9, 1))),
    "erf": Row(EXACT.erf, ANYWHERE, ((-1, 1), (-6, 6))),
    "erfc": Row(lambda x: EXACT.erfc(min(x, 100)), ANYWHERE, ((-1, 2), (-6, 10.1), (8, 27.3))),
    "cbrt": Row(lambda x: EXACT.sign(x) * EXACT.cbrt(abs(x)), ANYWHERE, ((-10, 10),)),
    "hypot": Row(lambda x, y: EXACT.sqrt(x * x + y * y), ANYWHERE, ((-10, 10),), ((-10, 10),)),
    "rsqrt": Row(_rsqrt, POSITIVE, ((0, 10),)),
    "gamma": Row(_gamma, ANYWHERE, ((0, 5), (-36, 36), (-170, 172))),
    "lgamma": Row(_lgamma, ANYWHERE, ((0, 3), (-5, -2), (-20, 20))),
    "fmod": Row(lambda x, y: EXACT.mpf(math.fmod(x, y)), ANYWHERE, ((-10, 10),), ((-10, 10),)),
    "remainder": Row(lambda x, y: EXACT.mpf(math.remainder(x, y)), ANYWHERE, ((-10, 10),), ((-10, 10),)),
    "degrees": Row(EXACT.degrees, ANYWHERE, ((-4, 4),)),
    "radians": Row(EXACT.radians, ANYWHERE, ((-360, 360),)),
}


def _wave(x: Any) -> Any:
    """How far a Bessel function swings."""
    return min(1, EXACT.sqrt(2 / (EXACT.pi * abs(x)))) if x else 1


def _bessel(function: Function, order: int) -> Function:
    return lambda x: function(order, x)


BESSEL = {  # beside a zero the last place is that of the wave
    "j0": Row(_bessel(EXACT.besselj, 0), (-1e15, 1e15), ((-2, 2), (0, 9), (5, 50), (-1e4, 1e4)), size=_wave),
    "j1": Row(_bessel(EXACT.besselj, 1), (-1e15, 1e15), ((-2, 2), (0, 9), (5, 50), (-1e4, 1e4)), size=_wave),
    "y0": Row(_bessel(EXACT.bessely, 0), (1e-300, 1e15), ((0, 2), (1, 9), (5, 50), (0, 1e4)), size=_wave),
    "y1": Row(_bessel(EXACT.bessely, 1), (1e-30, 1e15), ((0, 2), (1, 9), (5, 50), (0, 1e4)), size=_wave),
}
FUNCTIONS |= BESSEL
FUNCTIONS |= {
    "cyl_bessel_i0": Row(_bessel(EXACT.besseli, 0), (-800, 800), ((-2, 9), (0, 91), (-713, 713))),
    "cyl_bessel_i1": Row(_bessel(EXACT.besseli, 1), (-800, 800), ((-2, 9), (0, 91), (-713, 713))),
    "erfcx": Row(_erfcx, ANYWHERE, ((-1, 2), (-27, 30), (0, 1000))),
    "erfinv": Row(EXACT.erfinv, (-1.0, 1.0), ((-1, 1), (0.99, 1), (-1e-3, 1e-3))),
    "erfcinv": Row(_erfcinv, (0.0, 2.0), ((0, 2), (0, 1e-3), (1.9, 2), (0.9, 1.1))),
    "normcdf": Row(lambda x: _erfc(-x / EXACT.sqrt(2)) / 2, ANYWHERE, ((-1, 1), (-10, 6), (-40, -5))),
    "normcdfinv": Row(lambda p: -EXACT.sqrt(2) * _erfcinv(2 * p), (0.0, 1.0), ((0, 1), (0, 1e-3), (0.99, 1), (0.49, 0.51))),
    "rcbrt": Row(lambda x: EXACT.sign(x) / EXACT.cbrt(abs(x)), ANYWHERE, ((-10, 10),)),
    "rhypot": Row(lambda *x: 1 / _length(*x), ANYWHERE, ((-10, 10),), ((-10, 10),)),
    "norm3d": Row(lambda *x: _length(*x), ANYWHERE, ((-10, 10),), ((-10, 10),), 1),
    "rnorm3d": Row(lambda *x: 1 / _length(*x), ANYWHERE, ((-10, 10),), ((-10, 10),), 1),
    "norm4d": Row(lambda *x: _length(*x), ANYWHERE, ((-10, 10),), ((-10, 10),), 2),
    "rnorm4d": Row(lambda *x: 1 / _length(*x), ANYWHERE, ((-10, 10),), ((-10, 10),), 2),
}
PAIRS = {name for name, row in FUNCTIONS.items() if row.second}
TYPES = {np.float32: f32, np.float64: f64}
_kernels: dict[tuple[str, type], Any] = {}


def _one(function: Callable[..., Any], T: Any) -> Any:
    @kernel
    def apply(x: Slice[T], y: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = function(x[idx])

    return apply


def _two(function: Callable[..., Any], T: Any) -> Any:
    @kernel
    def apply(x: Slice[T], z: Slice[T], y: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = function(x[idx], z[idx])

    return apply


def _three(function: Callable[..., Any], T: Any) -> Any:
    @kernel
    def apply(x: Slice[T], z: Slice[T], v: Slice[T], y: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = function(x[idx], z[idx], v[idx])

    return apply


def _four(function: Callable[..., Any], T: Any) -> Any:
    @kernel
    def apply(x: Slice[T], z: Slice[T], v: Slice[T], w: Slice[T], y: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = function(x[idx], z[idx], v[idx], w[idx])

    return apply


def applied(function: Callable[..., Any], T: Any, count: int) -> Any:
    """A kernel that calls a function of `count` arguments."""
    return (_one, _two, _three, _four)[count - 1](function, T)


def compute(device: str, name: str, *inputs: np.ndarray) -> np.ndarray:
    dtype = inputs[0].dtype.type
    if (name, dtype) not in _kernels:
        _kernels[name, dtype] = applied(getattr(ox.math, name), TYPES[dtype], len(inputs))
    stream = ox.Context(device).default_stream()
    given = [ox.DeviceBuffer.from_host(stream, one) for one in inputs]
    y = ox.DeviceBuffer.zeros(stream, len(inputs[0]), inputs[0].dtype)
    _kernels[name, dtype].launch(stream, *given, y)
    return y.to_host(stream)


def arguments(name: str, dtype: type, count: int, seed: int = 3) -> tuple[np.ndarray, ...]:
    """About `count` for every function: its ranges, all magnitudes, and beside the numbers where something changes. All finite and in the
    domain."""
    row = FUNCTIONS[name]
    rng = np.random.default_rng(seed)
    first = _column(rng, dtype, row.ranges, count)
    columns = (first,)
    if row.second:
        others = [rng.permutation(_column(rng, dtype, row.second, count)) for _ in range(1 + row.more)]
        size = min(len(first), *map(len, others))
        columns = (first[:size], *(one[:size] for one in others))
    low, high = row.domain
    inside = (columns[0] >= low) & (columns[0] <= high)
    for column in columns[: 1 if name == "pow" else 4]:
        inside &= ~np.isin(column, _POLES.get(name, ()))
    if name in ("gamma", "lgamma"):
        inside &= (columns[0] > 0) | (np.rint(columns[0]) != columns[0])
    return tuple(one[inside] for one in columns)


# where the value is infinite, or depends on the sign of 0: special values, not measured here
_POLES = {
    "log": (0,), "log2": (0,), "log10": (0,), "log1p": (-1,), "rsqrt": (0,), "pow": (0,), "atanh": (-1, 1), "atan2": (0,), "fmod": (0,),
    "remainder": (0,), "rcbrt": (0,), "erfinv": (-1, 1), "erfcinv": (0, 2), "normcdfinv": (0, 1), "rhypot": (0,), "rnorm3d": (0,),
    "rnorm4d": (0,),
}  # fmt: skip


def _column(rng: np.random.Generator, dtype: type, ranges: Ranges, count: int) -> np.ndarray:
    info = np.finfo(dtype)
    share = max(count // (len(ranges) + 2), 1)
    lowest = np.log2(float(info.smallest_subnormal))
    edges = np.array(
        [info.max, info.tiny, info.smallest_subnormal, info.eps, 0.25, 0.5, 1, 2, 3, 10, np.pi, np.pi / 2, np.pi / 4, np.e, 100, 1e5]
    )
    edges = edges.astype(dtype)
    beside = np.concatenate([edges, np.nextafter(edges, dtype(0)), np.nextafter(edges, dtype(1))])
    with np.errstate(over="ignore"):
        parts = [rng.uniform(low, high, share) for low, high in ranges]
        parts.append(rng.choice([-1, 1], share) * np.exp2(rng.uniform(lowest, np.log2(float(info.max)), share)))
        parts.append(1 + rng.choice([-1, 1], share) * np.exp2(rng.uniform(np.log2(float(info.eps)) - 1, 0, share)))
        return np.concatenate([*(one.astype(dtype) for one in parts), beside, -beside])
