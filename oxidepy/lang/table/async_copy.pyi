# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from typing import Any, Literal, TypeAlias, TypeVar

from oxidepy.lang.barrier import Barriers
from oxidepy.lang.index import ThreadIndex
from oxidepy.lang.slices import AnyInt, Slice, SliceMut

__all__ = [
    "arrive",
    "arrive_noinc",
    "commit",
    "copy",
    "wait",
    "wait_all",
]
T = TypeVar("T")
Index: TypeAlias = AnyInt | ThreadIndex[Any] | tuple[AnyInt, ...]

def arrive(bars: Barriers, index: int, /) -> None:
    """An arrival at a barrier once this thread's copies are done, beside those that `barrier.init` counted."""
    ...
def arrive_noinc(bars: Barriers, index: int, /) -> None:
    """An arrival at a barrier once this thread's copies are done, one of those that `barrier.init` counted."""
    ...
def commit() -> None:
    """Make a group of the copies that this thread has begun since the last one."""
    ...
def copy(
    to: SliceMut[T, Any],
    index: Index,
    source: Slice[T, Any] | SliceMut[T, Any],
    source_index: Index,
    /,
    *,
    count: int = ...,
    cache: Literal["ca", "cg"] = "ca",
    valid: int = ...,
) -> None:
    """Begin to copy `count` elements, of 4, 8 or 16 bytes together (16 where nothing is said), from `source[source_index]` on to
    `to[index]` on. Both places are multiples of that size. `cache`: "ca" keeps them in L1 and L2, "cg" (16 bytes) in L2 alone.
    `valid`: so many elements are copied, from 0 on, and the rest becomes zeros; they alone need be inside of the source."""
    ...
def wait(left: int = 0) -> None:
    """Wait until no more than `left` (0 to 15, known at compile time) of this thread's latest groups are under way."""
    ...
def wait_all() -> None:
    """Wait for all copies that this thread has begun."""
    ...
