"""`wgmma`: matrix products of a warpgroup on the tensor cores of sm_90a, of tiles in shared memory.

`wgmma.m64n128k16.f32.f16(a, b, acc, accumulate=True)` begins a product of the matrices that two descriptors name (see `tile`), with A in
registers under `….registers`; `wgmma.sparse.…` one whose A is half empty. Sums of integers are clamped under `….sat`. Between product and
`wait_group` the sums are under way: to read them is OX0381. All stands under `unsafe`.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import i32, u32, u64

    Sums = Any  # a tuple of registers
    Swizzle = Literal[0, 32, 64, 128]

__oxidepy__ = "wgmma"


@device("wgmma.index")
def index(array: Any, place: tuple[Any, Any], rows: int, /, *, swizzle: Swizzle = 128, start: Any = 0) -> i32:
    """Where element (row, column) of a tile of so many lines lies in its shared array of one axis, in which the tile begins at `start`."""
    ...


@device("wgmma.tile")
def tile(array: Any, place: tuple[Any, Any], rows: int, /, *, swizzle: Swizzle = 128, start: Any = 0, trans: bool = False) -> u64:
    """The descriptor of the matrix that begins at (row, column) of such a tile.

    Lines are contiguous along k; with `trans` (elements of 16 bits) they are contiguous along the rows of A or the columns of B.
    """
    ...


@device("wgmma.descriptor")
def descriptor(address: u32, /, *, leading: Any, stride: Any, swizzle: Swizzle = 0) -> u64:
    """A descriptor of an address (`shared.address`) and the two distances that the hardware asks for, in bytes."""
    ...


@device("wgmma.zeros")
def zeros(columns: int, dtype: Any = ..., /) -> Sums:
    """The sums of 64 rows and so many columns, zero; in `f32` unless another type is named."""
    ...


@device("wgmma.store")
def store(array: Any, corner: tuple[Any, Any], sums: Sums, /) -> None:
    """Write the sums of a warpgroup to an array of two axes, from row and column `corner` on."""


@device("wgmma.row")
def row(number: int, /) -> i32:
    """In which row of the product the sum of that number lies."""
    ...


@device("wgmma.col")
def col(number: int, /) -> i32:
    """In which column of the product the sum of that number lies."""
    ...


if TYPE_CHECKING:
    from oxidepy.lang.table.wgmma import *  # noqa: F403
else:
    from oxidepy.lang.table import module as _module

    __getattr__, __dir__ = _module("wgmma", globals(), layers=True)
