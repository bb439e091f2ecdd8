"""Distances from the exact value in units in the last place, measured with the decimals of the standard library."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from decimal import Decimal

import numpy as np

_FORMATS = {"float32": (24, -126, 128), "float64": (53, -1022, 1024)}
_EXACT = decimal.Context(prec=50, Emin=-(10**6), Emax=10**6)


def exp(value: float) -> Decimal:
    return _EXACT.exp(Decimal(value))


def worst(function: Callable[[float], Decimal], inputs: np.ndarray, outputs: np.ndarray) -> tuple[float, float]:
    """The largest distance in ULP over all inputs, and the input where it is. Infinity where a finite result was due, or the reverse."""
    precision, low, high = _FORMATS[outputs.dtype.name]
    largest, where = 0.0, math.nan
    for value, got in zip(inputs.astype(float).tolist(), outputs.astype(float).tolist(), strict=True):
        distance = _distance(function(value), got, precision, low, high)
        if not distance <= largest:
            largest, where = distance, value
    return largest, where


def _distance(exact: Decimal, got: float, precision: int, low: int, high: int) -> float:
    limit = Decimal(2) ** high * (1 - Decimal(2) ** (-precision - 1))  # from here on the nearest is infinity
    if not math.isfinite(got):
        return 0.0 if math.isinf(got) and (got > 0) == (exact > 0) and abs(exact) >= limit else math.inf
    if exact == 0:
        return 0.0 if got == 0 else math.inf
    exponent = max(_exponent(abs(exact)), low)
    unit = _EXACT.power(Decimal(2), exponent - precision + 1)
    return float(_EXACT.divide(_EXACT.subtract(Decimal(got), exact).copy_abs(), unit))


def _exponent(value: Decimal) -> int:
    """The e of 2**e <= value < 2**(e + 1); something lower for what is below every format's normal numbers."""
    near = float(value)
    guess = math.frexp(near)[1] - 1 if near else -1100
    return guess if Decimal(math.ldexp(1.0, guess)) <= value else guess - 1
