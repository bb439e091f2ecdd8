"""Conversions between scalars: integers wrap, floats round once, float to integer saturates."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oxidepy.ir.interpreter.rounding import round_to_bf16
from oxidepy.ir.interpreter.values import Array, dtype_of, from_bits, to_bits
from oxidepy.ir.types import Scalar


def cast(source: Scalar, target: Scalar) -> Callable[[Array], Array]:
    """The conversion of the operation `cast`."""
    if source == target:
        return lambda values: values
    if target.kind == "bool":
        return lambda values: values != 0
    if source.is_float and target.is_int:
        return lambda values: _saturate(values.astype(np.float64), target)
    if target.name == "bf16":
        return round_to_bf16 if source.is_float else lambda values: round_to_bf16(_sticky(values))
    dtype = dtype_of(target)
    return lambda values: values.astype(dtype)


def bitcast(source: Scalar, target: Scalar) -> Callable[[Array], Array]:
    """The same bits under another type."""
    return lambda values: from_bits(target, to_bits(source, values))


def _saturate(values: Array, target: Scalar) -> Array:
    """Truncated; out of range: the nearest integer of the type; NaN: 0."""
    dtype = dtype_of(target)
    whole = np.trunc(values)
    low, beyond = float(target.min), float(target.max + 1)  # powers of two: exact
    inside = (whole >= low) & (whole < beyond)
    out = np.where(inside, whole, 0.0).astype(dtype)
    out = np.where(whole >= beyond, dtype.type(target.max), out)
    return np.where(whole < low, dtype.type(target.min), out)


def _sticky(values: Array) -> Array:
    """Integers as float64 such that a rounding to few bits is right: what float64 cannot hold is gathered in its last bit."""
    if values.dtype.itemsize < 8:
        return values.astype(np.float64)
    low = values.dtype.type(0xFFF)
    gathered: Array = (values & ~low) | np.where(values & low != 0, values.dtype.type(0x800), values.dtype.type(0))
    wide = (values > 2**53) | (values < -(2**53)) if values.dtype.kind == "i" else values > 2**53
    return np.where(wide, gathered, values).astype(np.float64)
