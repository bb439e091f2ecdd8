"""Floating point where NumPy's own operation is not yet the meaning: quotients, minima, 16-bit types, fused multiply-add."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oxidepy.ir.interpreter.rounding import fma_f32, fma_f64, fma_in_double, round_to_bf16
from oxidepy.ir.interpreter.values import Array
from oxidepy.ir.types import Scalar

_FMA: dict[str, Callable[[Array, Array, Array], Array]] = {
    "f16": lambda a, b, c: fma_in_double(a, b, c).astype(np.float16),
    "bf16": lambda a, b, c: round_to_bf16(fma_in_double(a, b, c)),
    "f32": fma_f32,
    "f64": fma_f64,
}


def fma(type_: Scalar) -> Callable[[Array, Array, Array], Array]:
    return _FMA[type_.name]


def rounded(type_: Scalar, operation: Callable[..., Array]) -> Callable[..., Array]:
    """An operation that NumPy rounds right in f32 and f64; the 16-bit types do it in float64, of more than twice their bits, and round."""
    if type_.name == "f16":
        return lambda *values: operation(*(one.astype(np.float64) for one in values)).astype(np.float16)
    if type_.name == "bf16":
        return lambda *values: round_to_bf16(operation(*(one.astype(np.float64) for one in values)))
    return operation


def mod(a: Array, b: Array) -> Array:
    """Python's float %: the exact remainder of truncated division, then the divisor added where the signs differ."""
    rest = np.fmod(a, b)
    other_sign = (rest != 0) & (np.signbit(rest) != np.signbit(b))
    return np.where(rest == 0, np.copysign(np.zeros_like(b), b), np.where(other_sign, rest + b, rest))


def floordiv(a: Array, b: Array) -> Array:
    """Python's float //, made exact wherever the quotient has no more bits than the type.

    With r = fmod(a, b): q = (a - r) / b, less 1 if r has not the divisor's sign, to the nearest integer (halves down),
    as Python does; then where |q| < 2**precision, the signs of fma(-q, b, a) and fma(-(q + 1), b, a) say whether q is one
    too high or too low.
    A zero has the sign of a / b; b = 0 gives a / b.
    """
    rest = np.fmod(a, b)
    quotient = (a - rest) / b
    one = b.dtype.type(1)
    quotient = np.where((rest != 0) & (np.signbit(rest) != np.signbit(b)), quotient - one, quotient)
    whole = np.floor(quotient)
    whole = np.where(quotient - whole > 0.5, whole + one, whole)
    fused, precision = (fma_f64, 53) if b.dtype == np.float64 else (fma_f32, 24)
    near = np.isfinite(b) & (abs(whole) < b.dtype.type(2.0**precision))
    rest = fused(-whole, b, a)
    high = near & (rest != 0) & (np.signbit(rest) != np.signbit(b))
    rest = fused(-(whole + one), b, a)
    low = near & ~high & ((rest == 0) | (np.signbit(rest) == np.signbit(b)))
    whole = np.where(high, whole - one, np.where(low, whole + one, whole))
    plain = a / b
    return np.where(b == 0, plain, np.where(whole == 0, np.copysign(np.zeros_like(whole), plain), whole))


def minimum(a: Array, b: Array) -> Array:
    """The smaller; NaN is ignored, -0 is below +0."""
    return np.where((a == b) & np.signbit(a), a, np.where((a == b), b, np.fmin(a, b)))


def maximum(a: Array, b: Array) -> Array:
    """The larger; NaN is ignored, -0 is below +0."""
    return np.where((a == b) & np.signbit(a), b, np.where((a == b), a, np.fmax(a, b)))
