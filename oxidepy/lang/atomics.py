"""`atomic` and `fence`: concurrent access to one element, and its order."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from oxidepy.lang.names import device
from oxidepy.lang.scopes import _Scope
from oxidepy.lang.slices import Ptr, SliceMut

T = TypeVar("T")
Order = Literal["relaxed", "acquire", "release", "acq_rel", "seq_cst"]
Level = Literal["block", "cluster", "device", "system"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, overload

    from oxidepy.lang.pairs import bf16x2, f16x2
    from oxidepy.lang.scalars import bf16, f16, f64
    from oxidepy.lang.slices import AnyInt

    Index = AnyInt | tuple[AnyInt, AnyInt] | tuple[AnyInt, AnyInt, AnyInt]
    N = TypeVar("N", bound=AnyInt | float | f16 | bf16 | f64 | f16x2 | bf16x2)
    Memory = SliceMut[T, Any] | Ptr[T]

    class Update(Protocol):
        """Of an element, or of a field of one."""

        @overload
        def __call__(self, slice: Memory[T], index: Index, value: T | float, /, order: Order = ..., scope: Level = ...) -> T: ...
        @overload
        def __call__(self, field: N, value: N | float, /, order: Order = ..., scope: Level = ...) -> N: ...

    class Exchange(Protocol):
        @overload
        def __call__(
            self, slice: Memory[T], index: Index, expected: T | float, new: T | float, /, order: Order = ..., scope: Level = ...
        ) -> T: ...
        @overload
        def __call__(self, field: N, expected: N | float, new: N | float, /, order: Order = ..., scope: Level = ...) -> N: ...

    class Load(Protocol):
        @overload
        def __call__(self, slice: Memory[T], index: Index, /, order: Order = ..., scope: Level = ...) -> T: ...
        @overload
        def __call__(self, field: N, /, order: Order = ..., scope: Level = ...) -> N: ...

    class Store(Protocol):
        @overload
        def __call__(self, slice: Memory[T], index: Index, value: T | float, /, order: Order = ..., scope: Level = ...) -> None: ...
        @overload
        def __call__(self, field: N, value: N | float, /, order: Order = ..., scope: Level = ...) -> None: ...

    def updates(function: Callable[..., object]) -> Update: ...
    def exchanges(function: Callable[..., object]) -> Exchange: ...
    def loads(function: Callable[..., object]) -> Load: ...
    def stores(function: Callable[..., object]) -> Store: ...
else:

    def updates(function):
        """What a checker is told of both forms; at run time nothing."""
        return function

    exchanges = loads = stores = updates


class Atomic(_Scope):
    """Operations on one element of shared or global memory, or on a field of one, that no other thread divides. They give the old value:
    `atomic.add(a, i, 1)`, `atomic.add(a[i].count, 1)`.

    `load`, `store`, `exchange` and `compare_exchange` take a whole struct of 4, 8 or 16 bytes without gaps too, of 16 bytes on GPUs from
    sm_90 on.
    """

    __oxidepy__ = "atomic"

    @updates
    @device("atomic.add")
    def add(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Add `value`."""
        ...

    @updates
    @device("atomic.sub")
    def sub(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Subtract `value`."""
        ...

    @updates
    @device("atomic.min")
    def min(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the lesser; NaN is ignored, -0 < +0."""
        ...

    @updates
    @device("atomic.max")
    def max(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the greater; NaN is ignored, -0 < +0."""
        ...

    @updates
    @device("atomic.and_")
    def and_(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | int, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the bits that both have."""
        ...

    @updates
    @device("atomic.or_")
    def or_(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | int, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the bits that either has."""
        ...

    @updates
    @device("atomic.xor")
    def xor(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | int, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Keep the bits that one of the two has."""
        ...

    @updates
    @device("atomic.exchange")
    def exchange(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> T:
        """Write `value`."""
        ...

    @exchanges
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

    @loads
    @device("atomic.load")
    def load(self, slice: SliceMut[T, Any] | Ptr[T], index: Index, /, order: Order = "relaxed", scope: Level = "device") -> T:
        """Read the element."""
        ...

    @stores
    @device("atomic.store")
    def store(
        self, slice: SliceMut[T, Any] | Ptr[T], index: Index, value: T | float, /, order: Order = "relaxed", scope: Level = "device"
    ) -> None:
        """Write the element."""


atomic = Atomic()


@device("fence")
def fence(scope: Level = "device") -> None:
    """Order this thread's memory operations before and after, as seen by the threads of `scope`."""
