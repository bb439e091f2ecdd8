"""Arithmetic of f32 and f64 with the rounding named: `_rn` to nearest, `_rz` towards zero, `_rd` down, `_ru` up.

The same bits on every device.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import f64

    G = TypeVar("G", float, f64)
else:
    G = TypeVar("G")

T = TypeVar("T")


@device("math.add_rn")
def add_rn(x: G, y: G, /) -> G:
    """x + y, rounded to nearest, ties to even; not fused with what is around it."""
    ...


@device("math.add_rz")
def add_rz(x: G, y: G, /) -> G:
    """x + y, rounded towards zero."""
    ...


@device("math.add_rd")
def add_rd(x: G, y: G, /) -> G:
    """x + y, rounded down, towards -inf."""
    ...


@device("math.add_ru")
def add_ru(x: G, y: G, /) -> G:
    """x + y, rounded up, towards +inf."""
    ...


@device("math.sub_rn")
def sub_rn(x: G, y: G, /) -> G:
    """x - y, rounded to nearest, ties to even; not fused with what is around it."""
    ...


@device("math.sub_rz")
def sub_rz(x: G, y: G, /) -> G:
    """x - y, rounded towards zero."""
    ...


@device("math.sub_rd")
def sub_rd(x: G, y: G, /) -> G:
    """x - y, rounded down, towards -inf."""
    ...


@device("math.sub_ru")
def sub_ru(x: G, y: G, /) -> G:
    """x - y, rounded up, towards +inf."""
    ...


@device("math.mul_rn")
def mul_rn(x: G, y: G, /) -> G:
    """x * y, rounded to nearest, ties to even; not fused with what is around it."""
    ...


@device("math.mul_rz")
def mul_rz(x: G, y: G, /) -> G:
    """x * y, rounded towards zero."""
    ...


@device("math.mul_rd")
def mul_rd(x: G, y: G, /) -> G:
    """x * y, rounded down, towards -inf."""
    ...


@device("math.mul_ru")
def mul_ru(x: G, y: G, /) -> G:
    """x * y, rounded up, towards +inf."""
    ...


@device("math.div_rn")
def div_rn(x: G, y: G, /) -> G:
    """x / y, rounded to nearest, ties to even; not fused with what is around it."""
    ...


@device("math.div_rz")
def div_rz(x: G, y: G, /) -> G:
    """x / y, rounded towards zero."""
    ...


@device("math.div_rd")
def div_rd(x: G, y: G, /) -> G:
    """x / y, rounded down, towards -inf."""
    ...


@device("math.div_ru")
def div_ru(x: G, y: G, /) -> G:
    """x / y, rounded up, towards +inf."""
    ...


@device("math.fma_rn")
def fma_rn(x: G, y: G, z: G, /) -> G:
    """x * y + z, rounded to nearest, ties to even."""
    ...


@device("math.fma_rz")
def fma_rz(x: G, y: G, z: G, /) -> G:
    """x * y + z, rounded towards zero."""
    ...


@device("math.fma_rd")
def fma_rd(x: G, y: G, z: G, /) -> G:
    """x * y + z, rounded down, towards -inf."""
    ...


@device("math.fma_ru")
def fma_ru(x: G, y: G, z: G, /) -> G:
    """x * y + z, rounded up, towards +inf."""
    ...


@device("math.rcp_rn")
def rcp_rn(x: G, /) -> G:
    """1 / x, rounded to nearest, ties to even."""
    ...


@device("math.rcp_rz")
def rcp_rz(x: G, /) -> G:
    """1 / x, rounded towards zero."""
    ...


@device("math.rcp_rd")
def rcp_rd(x: G, /) -> G:
    """1 / x, rounded down, towards -inf."""
    ...


@device("math.rcp_ru")
def rcp_ru(x: G, /) -> G:
    """1 / x, rounded up, towards +inf."""
    ...


@device("math.sqrt_rn")
def sqrt_rn(x: G, /) -> G:
    """The square root of x, rounded to nearest, ties to even."""
    ...


@device("math.sqrt_rz")
def sqrt_rz(x: G, /) -> G:
    """The square root of x, rounded towards zero."""
    ...


@device("math.sqrt_rd")
def sqrt_rd(x: G, /) -> G:
    """The square root of x, rounded down, towards -inf."""
    ...


@device("math.sqrt_ru")
def sqrt_ru(x: G, /) -> G:
    """The square root of x, rounded up, towards +inf."""
    ...


@device("math.cast_rn")
def cast_rn(dtype: type[T], x: Any, /) -> T:
    """x as a number of another type, rounded to nearest, ties to even: `math.cast_rn(f32, x)`; one of the two types is a float."""
    ...


@device("math.cast_rz")
def cast_rz(dtype: type[T], x: Any, /) -> T:
    """x as a number of another type, rounded towards zero: `math.cast_rz(f32, x)`; one of the two types is a float."""
    ...


@device("math.cast_rd")
def cast_rd(dtype: type[T], x: Any, /) -> T:
    """x as a number of another type, rounded down: `math.cast_rd(f32, x)`; one of the two types is a float."""
    ...


@device("math.cast_ru")
def cast_ru(dtype: type[T], x: Any, /) -> T:
    """x as a number of another type, rounded up: `math.cast_ru(f32, x)`; one of the two types is a float."""
    ...
