"""`atomic` and `fence`: concurrent access to one element, and its order."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from oxidepy.lang.names import device
from oxidepy.lang.scopes import _Scope
from oxidepy.lang.slices import Ptr, SliceMut

if TYPE_CHECKING:
    from oxidepy.lang.slices import AnyInt

    Index = AnyInt | tuple[AnyInt, AnyInt] | tuple[AnyInt, AnyInt, AnyInt]

T = TypeVar("T")
Order = Literal["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
Level = Literal["block", "cluster", "device", "system"]


class Atomic(_Scope):
    """Operations on one element of shared or global memory that no other thread divides. They give the old value."""

    __oxidepy__ = "atomic"

    @device("atomic.add")
    def add(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Add `value`. Of `f32` in global memory a CUDA GPU takes denormals for 0; everywhere else they are kept."""
        ...

    @device("atomic.sub")
    def sub(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Subtract `value`."""
        ...

    @device("atomic.min")
    def min(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the lesser; NaN is ignored, -0 < +0."""
        ...

    @device("atomic.max")
    def max(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the greater; NaN is ignored, -0 < +0."""
        ...

    @device("atomic.and_")
    def and_(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | int, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the bits that both have."""
        ...

    @device("atomic.or_")
    def or_(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | int, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the bits that either has."""
        ...

    @device("atomic.xor")
    def xor(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | int, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the bits that one of the two has."""
        ...

    @device("atomic.exchange")
    def exchange(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Write `value`."""
        ...

    @device("atomic.compare_exchange")
    def compare_exchange(
        self,
        slice: SliceMut[T, Any] | Ptr[T],
        index: Index,
        expected: T | float,
        new: T | float,
        /,
        order: Order = "relaxed",
        scope: Level = "device",
    ) -> T:
        """Write `new` if the element has the bits of `expected`: -0 is not +0, and a NaN is the NaN of the same bits."""
        ...

    @device("atomic.load")
    def load(self, slice: SliceMut[T, Any] | Ptr[T], index: Index, /, order: Order = "relaxed", scope: Level = "device") -> T:
        """Read the element."""
        ...

    @device("atomic.store")
    def store(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> None:
        """Write the element."""


atomic = Atomic()


@device("fence")
def fence(scope: Level = "device") -> None:
    """Order this thread's memory operations before and after, as seen by the threads of `scope`."""
