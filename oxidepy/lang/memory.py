"""Scratch memory of a kernel: `shared` for the threads of a block, `local` for one thread."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import Any, TypeVar, overload

from oxidepy.lang.index import D1, D2, D3
from oxidepy.lang.names import device
from oxidepy.lang.scopes import _Scope
from oxidepy.lang.slices import SliceMut

T = TypeVar("T")


class Shared(_Scope):
    """Memory of a block."""

    __oxidepy__ = "shared"

    @overload
    def array(self, dtype: type[T], shape: int | tuple[int], /) -> SliceMut[T, D1]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int], /) -> SliceMut[T, D2]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int, int], /) -> SliceMut[T, D3]: ...
    @device("shared.array")
    def array(self, dtype: Any, shape: Any, /) -> Any:
        """An array that all threads of the block see, of a shape that is known at compile time. Its contents begin undefined."""
        ...

    @device("shared.dynamic")
    def dynamic(self, dtype: type[T], /, count: int) -> SliceMut[T, D1]:
        """The block's dynamic shared memory, as `count` elements; `count` may be a parameter."""
        ...


class Local(_Scope):
    """Memory of one thread."""

    __oxidepy__ = "local"

    @overload
    def array(self, dtype: type[T], shape: int | tuple[int], /) -> SliceMut[T, D1]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int], /) -> SliceMut[T, D2]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int, int], /) -> SliceMut[T, D3]: ...
    @device("local.array")
    def array(self, dtype: Any, shape: Any, /) -> Any:
        """An array of this thread alone, of a shape that is known at compile time."""
        ...


shared = Shared()
local = Local()
