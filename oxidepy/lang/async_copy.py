"""`async_copy`: copies from global to shared memory that run on while their thread does other things (cp.async, from sm_80 on).

Begun by `copy`, gathered into groups by `commit`, waited for by `wait`; a `block.sync()` behind the wait shows them to the other threads.
On the device `cpu` a copy is done at once. Under `unsafe`: that nobody reads before the wait is not proven.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from oxidepy.lang.names import device
from oxidepy.lang.slices import Slice, SliceMut

if TYPE_CHECKING:
    from oxidepy.lang.barrier import Barriers

T = TypeVar("T")

__oxidepy__ = "async_copy"


@device("async_copy.copy")
def copy(
    to: SliceMut[T, Any],
    index: Any,
    source: Slice[T, Any] | SliceMut[T, Any],
    source_index: Any,
    /,
    *,
    count: int = ...,  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
    cache: Literal["ca", "cg"] = "ca",
    valid: int = ...,  # type: ignore[assignment]  # pyright: ignore[reportArgumentType]
) -> None:
    """Begin to copy `count` elements, of 4, 8 or 16 bytes together (16 where nothing is said), from `source[source_index]` on to
    `to[index]` on. Both places are multiples of that size. `cache`: "ca" keeps them in L1 and L2, "cg" (16 bytes) in L2 alone. `valid`: so
    many elements are copied, from 0 on, and the rest becomes zeros; they alone need be inside of the source."""


@device("async_copy.commit")
def commit() -> None:
    """Make a group of the copies that this thread has begun since the last one."""


@device("async_copy.wait")
def wait(left: int = 0, /) -> None:
    """Wait until no more than `left` (0 to 15, known at compile time) of this thread's latest groups are under way."""


@device("async_copy.wait_all")
def wait_all() -> None:
    """Wait for all copies that this thread has begun."""


@device("async_copy.arrive")
def arrive(bars: Barriers, index: int, /) -> None:
    """An arrival at a barrier once this thread's copies are done, beside those that `barrier.init` counted."""


@device("async_copy.arrive_noinc")
def arrive_noinc(bars: Barriers, index: int, /) -> None:
    """An arrival at a barrier once this thread's copies are done, one of those that `barrier.init` counted."""
