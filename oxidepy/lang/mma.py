"""`mma`: matrix products of a warp on tensor cores, on fragments in registers.

`mma.m16n8k16.f32.f16(a, b, acc)` and the like are the products: shape, type of the sums, type of the elements (of A and B where they
differ); `mma.sparse.…` those whose A is half empty; `mma.ldmatrix_x4(s, (row, column))`, `stmatrix_x4`, `movmatrix_trans` move 8 × 8
matrices of halves. All of a warp's lanes come to them together. What these names mean follows from the table of instructions.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import i32

    Fragment = Any  # a tuple of registers

__oxidepy__ = "mma"


@device("mma.load_a")
def load_a(array: Any, corner: tuple[Any, Any], shape: str, /, *, trans: bool = False, bits: int = 0) -> Fragment:
    """The fragment of A of a product such as "m16n8k16", from row and column `corner` of an array of two axes.

    `trans`: the array has its axes the other way round. `bits`: of an element, in an array of `u32` whose second index counts words.
    """
    ...


@device("mma.load_b")
def load_b(array: Any, corner: tuple[Any, Any], shape: str, /, *, trans: bool = False, bits: int = 0) -> Fragment:
    """The fragment of B, likewise."""
    ...


@device("mma.zeros")
def zeros(shape: str, dtype: Any = ..., /) -> Fragment:
    """Sums of zero, in `f32` unless another type is named; those in `f16` come two in a `u32`."""
    ...


@device("mma.store")
def store(array: Any, corner: tuple[Any, Any], sums: Fragment, /) -> None:
    """Write the sums of a product to an array of two axes, from row and column `corner` on."""


@device("mma.row")
def row(number: int, /) -> i32:
    """In which row of the product the sum of that number lies."""
    ...


@device("mma.col")
def col(number: int, /) -> i32:
    """In which column of the product the sum of that number lies."""
    ...


if TYPE_CHECKING:
    from oxidepy.lang.table.mma import *  # noqa: F403
else:
    from oxidepy.lang.table import module as _module

    __getattr__, __dir__ = _module("mma", globals(), layers=True)
