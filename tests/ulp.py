"""Distances from the exact value in units in the last place, measured with mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

_FORMATS = {"float32": (24, -126, 128), "float64": (53, -1022, 1024)}
EXACT = mpmath.MPContext()
EXACT.prec = 260

Function = Callable[..., Any]


def exp(value: float) -> Any:
    return EXACT.exp(value)


def worst(
    function: Function, inputs: np.ndarray | tuple[np.ndarray, ...], outputs: np.ndarray, size: Function | None = None
) -> tuple[float, Any]:
    """The largest distance in ULP over all inputs, and the input where it is (a tuple for several). Infinity where a finite result was due,
    or the reverse. `size` of the inputs: where the exact value is less, the last place is that of this."""
    precision, low, high = _FORMATS[outputs.dtype.name]
    columns = [one.astype(float).tolist() for one in (inputs if isinstance(inputs, tuple) else (inputs,))]
    largest, where = -1.0, (math.nan,)
    for *values, got in zip(*columns, outputs.astype(float).tolist(), strict=True):
        numbers = [EXACT.mpf(one) for one in values]
        distance = _distance(function(*numbers), got, precision, low, high, 0 if size is None else size(*numbers))
        if not distance <= largest:
            largest, where = distance, tuple(values)
    return largest, where if len(where) > 1 else where[0]


def _distance(exact: Any, got: float, precision: int, low: int, high: int, size: Any) -> float:
    limit = EXACT.ldexp(1, high) * (1 - EXACT.ldexp(1, -precision - 1))  # from here on the nearest is infinity
    if not math.isfinite(got):
        return 0.0 if math.isinf(got) and (got > 0) == (exact > 0) and abs(exact) >= limit else math.inf
    if exact == 0 and size == 0:
        return 0.0 if got == 0 else math.inf
    exponent = max(EXACT.frexp(max(abs(exact), size))[1] - 1, low)
    return float(abs(EXACT.mpf(got) - exact) / EXACT.ldexp(1, exponent - precision + 1))
