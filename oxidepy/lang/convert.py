"""`convert`: numbers into formats of fewer bits with rounding, saturation and clamping named, and fp8 as packed bits.

The same bits on every device; a GPU that has the instruction does it in one. `rounding` is "rn" (to nearest, ties to even), "rz"
(towards zero) or, for tf32, "rna" (to nearest, ties away from zero). `relu`: what is negative becomes 0. `satfinite`: what is too large,
and infinity, becomes the largest finite number. NaN stays NaN.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.pairs import bf16x2, f16x2
    from oxidepy.lang.scalars import bf16, f16, u8, u16

__oxidepy__ = "convert"


@device("convert.to_f16")
def to_f16(x: float, /, *, rounding: Literal["rn", "rz"] = "rn", relu: bool = False, satfinite: bool = False) -> f16:
    """An f32 as f16."""
    ...


@device("convert.to_bf16")
def to_bf16(x: float, /, *, rounding: Literal["rn", "rz"] = "rn", relu: bool = False, satfinite: bool = False) -> bf16:
    """An f32 as bf16."""
    ...


@device("convert.to_f16x2")
def to_f16x2(x: float, y: float, /, *, rounding: Literal["rn", "rz"] = "rn", relu: bool = False, satfinite: bool = False) -> f16x2:
    """Two f32 as a pair of f16."""
    ...


@device("convert.to_bf16x2")
def to_bf16x2(x: float, y: float, /, *, rounding: Literal["rn", "rz"] = "rn", relu: bool = False, satfinite: bool = False) -> bf16x2:
    """Two f32 as a pair of bf16."""
    ...


@device("convert.to_tf32")
def to_tf32(x: float, /, *, rounding: Literal["rn", "rz", "rna"] = "rna", relu: bool = False, satfinite: bool = False) -> float:
    """An f32 rounded to the 11 significant bits of tf32."""
    ...


@device("convert.to_e4m3")
def to_e4m3(x: float, /, *, relu: bool = False) -> u8:
    """An f32 as the bits of an e4m3 (4 significant bits, up to 448), rounded to nearest, saturated; NaN is 0x7f."""
    ...


@device("convert.to_e5m2")
def to_e5m2(x: float, /, *, relu: bool = False) -> u8:
    """An f32 as the bits of an e5m2 (3 significant bits, up to 57344), rounded to nearest, saturated; NaN is 0x7f."""
    ...


@overload
def to_e4m3x2(x: float, y: float, /, *, relu: bool = False) -> u16: ...
@overload
def to_e4m3x2(x: f16x2, /, *, relu: bool = False) -> u16: ...
@device("convert.to_e4m3x2")
def to_e4m3x2(x: float | f16x2, y: float = 0.0, /, *, relu: bool = False) -> u16:
    """Two f32, or an `f16x2`, as two e4m3: `x` in the lower byte."""
    ...


@overload
def to_e5m2x2(x: float, y: float, /, *, relu: bool = False) -> u16: ...
@overload
def to_e5m2x2(x: f16x2, /, *, relu: bool = False) -> u16: ...
@device("convert.to_e5m2x2")
def to_e5m2x2(x: float | f16x2, y: float = 0.0, /, *, relu: bool = False) -> u16:
    """Two f32, or an `f16x2`, as two e5m2: `x` in the lower byte."""
    ...


@device("convert.from_e4m3")
def from_e4m3(code: u8 | int, /, *, relu: bool = False) -> f16:
    """The number that the bits of an e4m3 are: exact."""
    ...


@device("convert.from_e5m2")
def from_e5m2(code: u8 | int, /, *, relu: bool = False) -> f16:
    """The number that the bits of an e5m2 are: exact."""
    ...


@device("convert.from_e4m3x2")
def from_e4m3x2(codes: u16 | int, /, *, relu: bool = False) -> f16x2:
    """Two e4m3 as a pair of f16: exact."""
    ...


@device("convert.from_e5m2x2")
def from_e5m2x2(codes: u16 | int, /, *, relu: bool = False) -> f16x2:
    """Two e5m2 as a pair of f16: exact."""
    ...
