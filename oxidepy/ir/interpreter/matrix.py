"""Matrix elements as tensor cores see them: packed into words, multiplied and summed.

Products are exact. Sums of integers wrap, or clamp where that is asked for. Sums of f64 are fused multiply-adds along k, from the
accumulator on; other floating-point sums are made in f64 along k, the accumulator last, and rounded once to the accumulator's type: the
hardware keeps fewer bits, in an order of its own.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from oxidepy.ir.interpreter.rounding import fma_f64
from oxidepy.ir.interpreter.values import Array


@cache
def _e4m3() -> Array:
    """All 256 values: 4 bits of exponent, 3 of fraction, no infinities."""
    code = np.arange(256)
    exponent, fraction = code >> 3 & 15, code & 7
    value = np.where(exponent == 0, fraction * 2.0**-9, (8 + fraction) * 2.0 ** (exponent - 10.0))
    value[code & 127 == 127] = np.nan
    return np.where(code >= 128, -value, value)


def _nibbles(words: Array) -> Array:
    shifts = np.arange(0, 32, 4, dtype=np.uint32)
    return ((words[..., None] >> shifts) & np.uint32(15)).reshape(*words.shape[:-1], -1)


def _bits(words: Array) -> Array:
    shifts = np.arange(32, dtype=np.uint32)
    return ((words[..., None] >> shifts) & np.uint32(1)).reshape(*words.shape[:-1], -1)


_ELEMENTS: dict[str, Callable[[Array], Array]] = {
    "f64": lambda words: words,
    "tf32": lambda words: (words & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64),
    "f16": lambda words: words.view(np.float16).astype(np.float64),
    "bf16": lambda words: (words.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64),
    "e4m3": lambda words: _e4m3()[words.view(np.uint8)],
    "e5m2": lambda words: (words.view(np.uint8).astype(np.uint16) << 8).view(np.float16).astype(np.float64),
    "i8": lambda words: words.view(np.int8).astype(np.int64),
    "u8": lambda words: words.view(np.uint8).astype(np.int64),
    "i4": lambda words: (_nibbles(words).astype(np.int64) ^ 8) - 8,
    "u4": lambda words: _nibbles(words).astype(np.int64),
    "b1": lambda words: _bits(words).astype(np.int64),
}


def elements(words: Array, type_: str) -> Array:
    """The elements of contiguous rows of words, the lowest bits first: f64 or i64 numbers."""
    return _ELEMENTS[type_](np.ascontiguousarray(words))


def product(a: Array, b: Array, c: Array, accumulator: str, how: str = "") -> Array:
    """a (m × k) · b (k × n) + c, in the accumulator's type. `how`: "sat", or for bits "xor", "and_"."""
    if accumulator == "f64":
        out = c.astype(np.float64)
        for k in range(a.shape[1]):
            row, column = np.broadcast_arrays(a[:, k, None], b[None, k, :])
            out = fma_f64(row.ravel(), column.ravel(), out.ravel()).reshape(out.shape)
        return out
    if accumulator == "i32":
        if how in ("xor", "and_"):
            pairs = (a[:, :, None] ^ b[None]) if how == "xor" else (a[:, :, None] & b[None])
            total = pairs.sum(axis=1)
        else:
            total = a @ b
        total = total + c.astype(np.int64)
        return (np.clip(total, -(2**31), 2**31 - 1) if how == "sat" else total).astype(np.int32)
    total = np.zeros(c.shape, np.float64)
    for k in range(a.shape[1]):
        total = total + a[:, k, None] * b[None, k, :]
    return (total + c.astype(np.float64)).astype(np.float16 if accumulator == "f16" else np.float32)
