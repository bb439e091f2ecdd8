"""Integer operations: everything wraps, nothing is undefined."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oxidepy.ir.interpreter.values import UNSIGNED, Array
from oxidepy.ir.types import Scalar

_BYTES = np.arange(256, dtype=np.uint8)
_POPCOUNT = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)
_REVERSED = np.array([int(f"{byte:08b}"[::-1], 2) for byte in range(256)], np.uint8)


def floordiv(type_: Scalar) -> Callable[[Array, Array], Array]:
    """Rounds down. MIN // -1 wraps to MIN. Where the divisor is 0 (a thread that is not there) the value is 0."""

    def divide(a: Array, b: Array) -> Array:
        divisor = np.where((b == 0) | (b == -1) if type_.signed else b == 0, b.dtype.type(1), b)
        quotient = np.floor_divide(a, divisor)
        quotient = np.where(b == 0, b.dtype.type(0), quotient)
        return np.where(b == -1, np.negative(a), quotient) if type_.signed else quotient

    return divide


def mod(type_: Scalar) -> Callable[[Array, Array], Array]:
    """The divisor's sign. Where the divisor is 0 the value is 0."""

    def remainder(a: Array, b: Array) -> Array:
        trivial = (b == 0) | (b == -1) if type_.signed else b == 0
        return np.where(trivial, b.dtype.type(0), np.remainder(a, np.where(trivial, b.dtype.type(1), b)))

    return remainder


def mulhi(type_: Scalar) -> Callable[[Array, Array], Array]:
    """The upper half of the exact product."""
    if type_.bits < 64:
        wide, shift = np.dtype(np.int64 if type_.signed else np.uint64), type_.bits
        return lambda a, b: (a.astype(wide) * b.astype(wide) >> wide.type(shift)).astype(a.dtype)
    return _mulhi_signed if type_.signed else _mulhi_unsigned


def _mulhi_unsigned(a: Array, b: Array) -> Array:
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    al, ah, bl, bh = a & low, a >> half, b & low, b >> half
    middle = ah * bl + (al * bl >> half)
    return ah * bh + (middle >> half) + ((middle & low) + al * bh >> half)


def _mulhi_signed(a: Array, b: Array) -> Array:
    high = _mulhi_unsigned(a.view(np.uint64), b.view(np.uint64)).view(np.int64)
    return high - np.where(a < 0, b, 0) - np.where(b < 0, a, 0)


def inbounds(index: Array, length: Array) -> Array:
    """0 <= index < length."""
    return np.logical_and(index >= 0, index < length)


def shl(type_: Scalar) -> Callable[[Array, Array], Array]:
    """Counts outside of 0 … width - 1 give 0."""

    def shift(a: Array, count: Array) -> Array:
        fine = (count >= 0) & (count < type_.bits)
        return np.where(fine, np.left_shift(a, np.where(fine, count, count.dtype.type(0))), a.dtype.type(0))

    return shift


def shr(type_: Scalar) -> Callable[[Array, Array], Array]:
    """Arithmetic for signed types. Counts outside of 0 … width - 1 give 0, or the sign in every bit."""

    def shift(a: Array, count: Array) -> Array:
        fine = (count >= 0) & (count < type_.bits)
        rest = np.right_shift(a, a.dtype.type(type_.bits - 1)) if type_.signed else a.dtype.type(0)
        return np.where(fine, np.right_shift(a, np.where(fine, count, count.dtype.type(0))), rest)

    return shift


def _bytes(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.uint8).reshape(len(values), values.dtype.itemsize)


def popcount(values: Array) -> Array:
    return _POPCOUNT[_bytes(values)].sum(axis=1).astype(values.dtype)


def brev(values: Array) -> Array:
    return np.ascontiguousarray(_REVERSED[_bytes(values)][:, ::-1]).view(values.dtype).reshape(len(values))


def clz(values: Array) -> Array:
    """Zero bits above the highest set one; the width for 0."""
    bits = values.dtype.itemsize * 8
    smeared = values.view(UNSIGNED[bits])
    distance = 1
    while distance < bits:
        smeared = smeared | smeared >> smeared.dtype.type(distance)
        distance *= 2
    return popcount(~smeared).astype(values.dtype)


def ctz(values: Array) -> Array:
    """Zero bits below the lowest set one; the width for 0."""
    raw = values.view(UNSIGNED[values.dtype.itemsize * 8])
    return popcount(~raw & raw - raw.dtype.type(1)).astype(values.dtype)
