"""`volatile`: accesses that are made as they are written."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from oxidepy.lang.names import device
from oxidepy.lang.scopes import _Scope
from oxidepy.lang.slices import DisjointSlice, Ptr, Slice, SliceMut

if TYPE_CHECKING:
    from oxidepy.lang.index import ThreadIndex
    from oxidepy.lang.slices import AnyInt

    Index = AnyInt | ThreadIndex[Any] | tuple[AnyInt, AnyInt] | tuple[AnyInt, AnyInt, AnyInt]

T = TypeVar("T")


class Volatile(_Scope):
    """Accesses that the compiler neither leaves out nor puts together with others, for memory that somebody outside of the kernel looks
    at too. They order nothing and are not atomic: between threads of a grid they are accesses like others."""

    __oxidepy__ = "volatile"

    @device("volatile.load")
    def load(self, slice: Slice[T, Any] | SliceMut[T, Any] | DisjointSlice[T, Any] | Ptr[T], index: Index, /) -> T:
        """The element, read here and now."""
        ...

    @device("volatile.store")
    def store(self, slice: SliceMut[T, Any] | DisjointSlice[T, Any] | Ptr[T], index: Index, value: T | float, /) -> None:
        """Write the element, here and now."""


volatile = Volatile()
