"""Scratch memory of a kernel: `shared` for the threads of a block, `local` for one thread."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from oxidepy.lang.index import D1, D2, D3
from oxidepy.lang.names import device
from oxidepy.lang.scopes import Coordinates, _Scope
from oxidepy.lang.slices import SliceMut

if TYPE_CHECKING:
    from oxidepy.lang.table.memory import SharedRows
else:
    from oxidepy.lang.table import scope

    SharedRows = scope("SharedRows", Coordinates)

T = TypeVar("T")


class Shared(_Scope, SharedRows):
    """Memory of a block."""

    __oxidepy__ = "shared"

    @overload
    def array(self, dtype: type[T], shape: int | tuple[int], /, *, align: int = 0) -> SliceMut[T, D1]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int], /, *, align: int = 0) -> SliceMut[T, D2]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int, int], /, *, align: int = 0) -> SliceMut[T, D3]: ...
    @device("shared.array")
    def array(self, dtype: Any, shape: Any, /, *, align: int = 0) -> Any:
        """An array that all threads of the block see, of a shape that is known at compile time. Its contents begin undefined.

        It begins at a multiple of 16 bytes, or of `align`. However often the line is reached, it names one array a block; a function called
        in two places has two.
        """
        ...

    @overload
    def dynamic(self, dtype: type[T], /, count: int | tuple[int], *, align: int = 0) -> SliceMut[T, D1]: ...
    @overload
    def dynamic(self, dtype: type[T], /, count: tuple[int, int], *, align: int = 0) -> SliceMut[T, D2]: ...
    @overload
    def dynamic(self, dtype: type[T], /, count: tuple[int, int, int], *, align: int = 0) -> SliceMut[T, D3]: ...
    @device("shared.dynamic")
    def dynamic(self, dtype: Any, /, count: Any, *, align: int = 0) -> Any:
        """Shared memory of a size that follows from the launch: `count`, one number or one for each axis, may be a parameter, a length, or
        computed from these. Two arrays never overlap; parts of one are `s[i:j]`."""
        ...


class Local(_Scope):
    """Memory of one thread."""

    __oxidepy__ = "local"

    @overload
    def array(self, dtype: type[T], shape: int | tuple[int], /, *, align: int = 0) -> SliceMut[T, D1]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int], /, *, align: int = 0) -> SliceMut[T, D2]: ...
    @overload
    def array(self, dtype: type[T], shape: tuple[int, int, int], /, *, align: int = 0) -> SliceMut[T, D3]: ...
    @device("local.array")
    def array(self, dtype: Any, shape: Any, /, *, align: int = 0) -> Any:
        """An array of this thread alone, of a shape that is known at compile time. Its contents begin undefined."""
        ...


shared = Shared()
local = Local()
