"""Rounding once: to odd, to bf16, and the exact fused multiply-add."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Array = npt.NDArray[Any]

_SPLIT = 134217729.0  # 2**27 + 1


def two_sum(a: F64, b: F64) -> tuple[F64, F64]:
    """The rounded sum and its exact error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _split(a: F64) -> tuple[F64, F64]:
    scaled = _SPLIT * a
    high = scaled - (scaled - a)
    return high, a - high


def two_product(a: F64, b: F64) -> tuple[F64, F64]:
    """The rounded product and its exact error (Veltkamp, Dekker); the exponents must be moderate."""
    product = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


def sum_to_odd(a: F64, b: F64) -> F64:
    """a + b rounded to odd: the exact sum, or that of its two neighbours whose last bit is set.

    Rounding such a value to a type with at least two bits less is as good as rounding the exact sum.
    """
    total, error = two_sum(a, b)
    bits = total.view(np.int64)
    step = np.where((error > 0) == (total > 0), np.int64(1), np.int64(-1))
    inexact = (error != 0) & np.isfinite(error) & np.isfinite(total) & (bits & 1 == 0)
    return np.where(inexact, bits + step, bits).view(np.float64)


def round_to_bf16(values: Array) -> npt.NDArray[np.float32]:
    """float64 or float32 values, rounded once to bf16, held as float32."""
    wide = values.astype(np.float64)
    narrow = wide.astype(np.float32)
    # float64 to float32 towards odd first, so that the second rounding sees whether anything was lost
    error = wide - narrow.astype(np.float64)
    bits = narrow.view(np.int32)
    step = np.where((error > 0) == (wide > 0), np.int32(1), np.int32(-1))
    lost = (error != 0) & np.isfinite(narrow) & (bits & 1 == 0)
    bits = np.where(lost, bits + step, bits).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + (bits >> 16 & np.uint32(1))
    out = np.where(np.isnan(wide), np.uint32(0x7FC00000), rounded & np.uint32(0xFFFF0000))
    return out.astype(np.uint32).view(np.float32)


def fma_in_double(a: Array, b: Array, c: Array) -> F64:
    """a*b + c rounded to odd in float64, for types whose products float64 holds exactly (f32 and smaller)."""
    return sum_to_odd(a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64))


def fma_f32(a: Array, b: Array, c: Array) -> npt.NDArray[np.float32]:
    """a*b + c, rounded once to float32."""
    return fma_in_double(a, b, c).astype(np.float32)


def fma_f64(a: F64, b: F64, c: F64) -> F64:
    """a*b + c, rounded once to float64.

    Where exponents are moderate: Boldo and Melquiond's algorithm with error-free transformations; elsewhere exact
    integers, element by element.
    """
    product = a * b
    high, low = two_product(a, b)
    th, tl = two_sum(c, low)
    vh, vl = two_sum(high, th)
    result = vh + sum_to_odd(tl, vl)
    finite = np.isfinite(a) & np.isfinite(b)
    special = ~finite | ~np.isfinite(c) | (a == 0) | (b == 0)
    result = np.where(special, np.where(finite & np.isinf(c), c, product + c), result)
    with np.errstate(all="ignore"):
        exponent = np.frexp(a)[1] + np.frexp(b)[1]
    moderate = (exponent > -900) & (exponent < 1000) & (abs(a) < 2.0**990) & (abs(b) < 2.0**990) & (abs(c) < 2.0**1000)
    hard = ~special & ~moderate
    for at in np.flatnonzero(hard):
        result[at] = exact_fma(float(a[at]), float(b[at]), float(c[at]))
    return result


def exact_fma(a: float, b: float, c: float) -> float:
    """a*b + c for finite numbers, in integers, rounded once."""
    (an, ad), (bn, bd), (cn, cd) = a.as_integer_ratio(), b.as_integer_ratio(), c.as_integer_ratio()
    numerator, denominator = an * bn * cd + cn * ad * bd, ad * bd * cd
    if numerator == 0:
        return a * b + c  # exact, so only the sign of the zero is left to say
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf
