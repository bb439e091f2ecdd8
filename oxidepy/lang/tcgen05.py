"""`tcgen05`: matrix products of tensor memory, on sm_100a and its family.

`tcgen05.mma_f16(at, a, b, how, accumulate=True)` and the like begin a product, `tcgen05.ld_32x32b_x8(at)` reads tensor memory, `alloc`,
`dealloc`, `cp_…`, `commit`, `fence_before`, `wait_ld` and the others are one instruction each. All stands under `unsafe`.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import u32, u64

    Swizzle = Literal[0, 32, 64, 128]

__oxidepy__ = "tcgen05"


@device("tcgen05.how")
def how(
    *,
    a: str,
    b: str,
    sums: str,
    m: int,
    n: int,
    trans_a: bool = False,
    trans_b: bool = False,
    negate_a: bool = False,
    negate_b: bool = False,
    sparse: bool = False,
    saturate: bool = False,
    selector: int = 0,
    max_shift: int = 0,
    scales: Literal["ue8m0", "ue4m3"] = ...,  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
    kind: Literal["mxf8f6f4", "mxf4", "mxf4nvf4"] = "mxf8f6f4",
    scale_a: int = 0,
    scale_b: int = 0,
) -> u32:
    """The word that tells a product the types of A, B and the sums ("f16", "bf16", "tf32", "e4m3", …), its rows m and its columns n.

    `selector`: of a sparse A, which metadata. `max_shift`: of B that is kept, 0, 8, 16 or 32 columns. With `scales` it is the word of a
    product whose operands carry scales; `scale_a` and `scale_b` say which bytes of their words in tensor memory are meant.
    """
    ...


@device("tcgen05.tile")
def tile(array: Any, place: tuple[Any, Any], rows: int, /, *, swizzle: Swizzle = 128, start: Any = 0, trans: bool = False) -> u64:
    """The descriptor of a matrix inside of a tile of shared memory, as `wgmma.tile`; `wgmma.index` says where the tile's elements lie."""
    ...


@device("tcgen05.descriptor")
def descriptor(address: u32, /, *, leading: Any, stride: Any, swizzle: Swizzle = 0) -> u64:
    """A descriptor of an address and the two distances that the hardware asks for, in bytes."""
    ...


if TYPE_CHECKING:
    from oxidepy.lang.table.tcgen05 import *  # noqa: F403
else:
    from oxidepy.lang.table import module as _module

    __getattr__, __dir__ = _module("tcgen05", globals(), layers=True)
