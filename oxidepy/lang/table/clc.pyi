# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any, TypeAlias

from oxidepy.lang.barrier import Barriers
from oxidepy.lang.index import ThreadIndex
from oxidepy.lang.scalars import u32
from oxidepy.lang.slices import AnyInt, SliceMut

__all__ = [
    "first_block_x",
    "first_block_y",
    "first_block_z",
    "is_canceled",
    "try_cancel",
    "try_cancel_multicast",
]
Index: TypeAlias = AnyInt | ThreadIndex[Any] | tuple[AnyInt, ...]

def first_block_x(response: SliceMut[Any, Any], index: Index, /) -> u32:
    """The coordinate along x of the first block of the canceled cluster."""
    ...
def first_block_y(response: SliceMut[Any, Any], index: Index, /) -> u32:
    """The coordinate along y of the first block of the canceled cluster."""
    ...
def first_block_z(response: SliceMut[Any, Any], index: Index, /) -> u32:
    """The coordinate along z of the first block of the canceled cluster."""
    ...
def is_canceled(response: SliceMut[Any, Any], index: Index, /) -> bool:
    """Whether an answer holds work: a cluster was canceled."""
    ...
def try_cancel(response: SliceMut[Any, Any], index: Index, barrier: Barriers, barrier_index: int, /) -> None:
    """Ask for the work of a cluster that has not begun; 16 bytes of answer come to a shared array, and the barrier counts them."""
    ...
def try_cancel_multicast(response: SliceMut[Any, Any], index: Index, barrier: Barriers, barrier_index: int, /) -> None:
    """The same, the answer to every block of the cluster."""
    ...
