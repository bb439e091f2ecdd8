"""How scalars are held: one NumPy array over the threads for each value.

bf16 has no NumPy type; its values are held as float32 arrays that contain only what bf16 can say.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oxidepy.ir.interpreter.rounding import round_to_bf16
from oxidepy.ir.types import Scalar

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

_DTYPES: dict[str, type[np.generic]] = {
    "bool": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "f16": np.float16,
    "bf16": np.float32,
    "f32": np.float32,
    "f64": np.float64,
}
DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype(type_) for name, type_ in _DTYPES.items()}
UNSIGNED: dict[int, np.dtype[Any]] = {bits: np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)}


def dtype_of(type_: Scalar) -> np.dtype[Any]:
    """The NumPy type in which values of `type_` are held."""
    return DTYPES[type_.name]


def full(count: int, type_: Scalar, value: bool | int | float) -> Array:
    """`count` copies of a Python number; floats are rounded to the type."""
    if type_.name == "bf16":
        return round_to_bf16(np.full(count, value, np.float64))
    return np.full(count, value, dtype_of(type_))


def to_bits(type_: Scalar, values: Array) -> Array:
    """The bits of numbers as unsigned integers of their width."""
    if type_.name == "bf16":
        return (values.view(np.uint32) >> 16).astype(np.uint16)
    return values.view(UNSIGNED[type_.bits])


def from_bits(type_: Scalar, bits: Array) -> Array:
    """Numbers from their bits."""
    if type_.name == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32)
    return bits.view(dtype_of(type_))
