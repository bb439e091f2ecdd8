"""f16 and bf16 beside the compiler: NumPy's dtypes, all bit patterns, and the number nearest to an exact one."""

from __future__ import annotations

import math
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

ml_dtypes: Any = None
if find_spec("ml_dtypes") is not None:
    import ml_dtypes

DTYPES: dict[str, np.dtype[Any]] = {"f16": np.dtype(np.float16)}
if ml_dtypes is not None:
    DTYPES["bf16"] = np.dtype(ml_dtypes.bfloat16)
needs_bf16 = pytest.mark.skipif(ml_dtypes is None, reason="NumPy has no bf16, and ml_dtypes is not installed")
NAMES = ("f16", pytest.param("bf16", marks=needs_bf16))
PRECISION = {"f16": 11, "bf16": 8}  # significant bits
LEAST = {"f16": -24, "bf16": -133}  # exponent of the smallest denormal
LARGEST = {"f16": 16, "bf16": 128}  # the first power of two that is too large


def patterns(name: str) -> Any:
    """Every number of the type, once."""
    return np.arange(1 << 16, dtype=np.uint16).view(DTYPES[name])


def wide(values: Any) -> Any:
    with np.errstate(invalid="ignore"):  # a NaN
        return values.astype(np.float64)


def nearest(name: str, exact: Fraction) -> float:
    """The number of the type nearest to an exact one, ties to even."""
    if exact == 0:
        return 0.0
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent += (size >= Fraction(2) ** (exponent + 1)) - (size < Fraction(2) ** exponent)
    step = Fraction(2) ** max(exponent - PRECISION[name] + 1, LEAST[name])
    rounded = round(size / step) * step  # Python's round of a fraction takes ties to even
    return math.copysign(math.inf if rounded >= Fraction(2) ** LARGEST[name] else float(rounded), exact)


def sample(name: str, count: int, seed: int) -> Any:
    """Finite numbers drawn over all bit patterns, and over those near to one another so that sums and quotients cancel."""
    generator = np.random.default_rng(seed)
    bits = generator.integers(0, 1 << 16, count, np.uint16)
    near = (generator.integers(0, 1 << 11, count, np.uint16) + np.array(1.0, DTYPES[name]).view(np.uint16)).astype(np.uint16)
    values = np.where(generator.random(count) < 0.5, bits, near).view(DTYPES[name])
    return values[np.isfinite(wide(values))]


def differing(got: Any, wanted: Any) -> Any:
    """Where the bits differ; a NaN is as good as another."""
    assert got.dtype == wanted.dtype, (got.dtype, wanted.dtype)
    as_bits = f"u{got.dtype.itemsize}"
    nan = np.isnan(wide(got)) & np.isnan(wide(wanted)) if got.dtype.kind in "fV" else np.zeros(len(got), bool)
    return np.flatnonzero((got.view(as_bits) != wanted.view(as_bits)) & ~nan)
