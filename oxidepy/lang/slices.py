"""The memory that a kernel gets: slices, and what a kernel may do with them.

Stores take a Python literal beside a value of the element's type, as the compiler does: hence the overloads.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from oxidepy.lang.generic import Generic, TypeVar
from oxidepy.lang.index import D1, D2, D3, Index1D, Run, Runs, ThreadIndex
from oxidepy.lang.names import device

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Annotated, TypeAlias

    from oxidepy.lang.scalars import bf16, f16, f64, i8, i16, i64, u8, u16, u32, u64

    AnyInt: TypeAlias = int | i8 | i16 | i64 | u8 | u16 | u32 | u64
    One: TypeAlias = AnyInt | ThreadIndex[Any]
    Two: TypeAlias = tuple[AnyInt, AnyInt]
    Three: TypeAlias = tuple[AnyInt, AnyInt, AnyInt]
    _I = TypeVar("_I", bound=i8 | i16 | i64 | u8 | u16 | u32 | u64)
    _F = TypeVar("_F", bound=f16 | bf16 | f64)

T = TypeVar("T")
D = TypeVar("D", default=D1)
S = TypeVar("S", default=Index1D)
_R = TypeVar("_R", bound="_Readable[Any, D1]")
_E = TypeVar("_E")


class Cell(Generic[T]):
    """One element that the thread owns: what `get_mut` gives inside of the bounds."""

    __oxidepy__ = "Cell"

    @property
    @device("Cell.value")
    def value(self) -> T:
        """The element; assigning writes it."""
        ...

    @value.setter
    @device("Cell.value")
    def value(self, new: T, /) -> None: ...


class _Sized(Generic[T, D]):
    """Length and shape of a slice."""

    @device("len")
    def __len__(self) -> int:
        """Extent of the first axis, of the coordinate type."""
        ...

    @property
    @device("shape")
    def shape(self) -> tuple[int, ...]:
        """Extents, one an axis, of the coordinate type."""
        ...

    @device("ptr")
    def ptr(self) -> Ptr[T]:
        """The address of the first element, under `unsafe`: what is read and written by it is not tested."""
        ...


class _Readable(_Sized[T, D]):
    @overload
    def __getitem__(self: _Readable[T, D1], index: One | tuple[Run, AnyInt], /) -> T: ...
    @overload
    def __getitem__(self: _Readable[T, D1], index: Run, /) -> tuple[T, ...]: ...
    @overload
    def __getitem__(self: _R, index: slice[Any, Any, Any], /) -> _R: ...
    @overload
    def __getitem__(self: _Readable[T, D2], index: Two, /) -> T: ...
    @overload
    def __getitem__(self: _Readable[T, D3], index: Three, /) -> T: ...
    @device("subscript")
    def __getitem__(self, index: Any, /) -> Any:
        """An element; `a[run]` the elements of a run as a tuple; `a[i:j]` a view, which lies inside (else OX7001)."""
        ...

    if TYPE_CHECKING:  # `for v in a`

        def __iter__(self: _Readable[T, D1]) -> Iterator[T]: ...


class Slice(_Readable[T, D]):
    """Memory shared with others and read only: `Slice[f32]`, `Slice[f32, D2]`. A read outside is a device panic OX7001.

    A function that kernels call takes a `SliceMut`, a `ConstantSlice` or an array of shared memory for it too.
    """

    __oxidepy__ = "Slice"
    _defaults_ = (D1,)

    @overload
    @staticmethod
    def from_ptr(pointer: Ptr[_E], shape: int, /) -> Slice[_E, D1]: ...
    @overload
    @staticmethod
    def from_ptr(pointer: Ptr[_E], shape: tuple[int, int], /) -> Slice[_E, D2]: ...
    @overload
    @staticmethod
    def from_ptr(pointer: Ptr[_E], shape: tuple[int, int, int], /) -> Slice[_E, D3]: ...
    @staticmethod
    @device("Slice.from_ptr")
    def from_ptr(pointer: Any, shape: Any, /) -> Any:
        """A slice of so many elements from a pointer on, under `unsafe`: that they are there is not tested, that an index is one of them
        is."""
        ...

    @device("row")
    def row(self: Slice[T, D2], index: AnyInt, /) -> Slice[T, D1]:
        """A row, as a view: nothing is copied. OX7001 if there is no such row."""
        ...

    @device("col")
    def col(self: Slice[T, D2], index: AnyInt, /) -> Slice[T, D1]:
        """A column, as a view."""
        ...

    @device("tile")
    def tile(self: Slice[T, D2], row: AnyInt, column: AnyInt, shape: tuple[int, int], /) -> Slice[T, D2]:
        """A view of the tile that begins at row `row * shape[0]` and column `column * shape[1]`; smaller where the slice ends. The shape is
        known at compile time. OX7001 if there is no such tile."""
        ...

    @device("plane")
    def plane(self: Slice[T, D3], index: AnyInt, /) -> Slice[T, D2]:
        """The rows and columns at an index of the first axis, as a view."""
        ...

    if TYPE_CHECKING:  # `idx in x`: is the index inside

        def __contains__(self, index: ThreadIndex[Any] | Run, /) -> bool: ...


class ConstantSlice(Slice[T, D]):
    """Constant memory: small, read only, fast where all threads read the same element."""

    __oxidepy__ = "ConstantSlice"
    _defaults_ = (D1,)

    @device("row")
    def row(self: ConstantSlice[T, D2], index: AnyInt, /) -> ConstantSlice[T, D1]:
        """A row, as a view: nothing is copied. OX7001 if there is no such row."""
        ...

    @device("col")
    def col(self: ConstantSlice[T, D2], index: AnyInt, /) -> ConstantSlice[T, D1]:
        """A column, as a view."""
        ...

    @device("tile")
    def tile(self: ConstantSlice[T, D2], row: AnyInt, column: AnyInt, shape: tuple[int, int], /) -> ConstantSlice[T, D2]:
        """A view of the tile that begins at row `row * shape[0]` and column `column * shape[1]`; smaller where the slice ends. The shape is
        known at compile time. OX7001 if there is no such tile."""
        ...

    @device("plane")
    def plane(self: ConstantSlice[T, D3], index: AnyInt, /) -> ConstantSlice[T, D2]:
        """The rows and columns at an index of the first axis, as a view."""
        ...


class SliceMut(Slice[T, D]):
    """Exclusive memory under any index: no two threads of the grid may touch one element, unless both read or both are atomic
    (OX4002, OX4003)."""

    __oxidepy__ = "SliceMut"
    _defaults_ = (D1,)

    @overload
    @staticmethod
    def from_ptr(pointer: Ptr[_E], shape: int, /) -> SliceMut[_E, D1]: ...
    @overload
    @staticmethod
    def from_ptr(pointer: Ptr[_E], shape: tuple[int, int], /) -> SliceMut[_E, D2]: ...
    @overload
    @staticmethod
    def from_ptr(pointer: Ptr[_E], shape: tuple[int, int, int], /) -> SliceMut[_E, D3]: ...
    @staticmethod
    @device("SliceMut.from_ptr")
    def from_ptr(pointer: Any, shape: Any, /) -> Any:
        """A slice of so many elements from a pointer on, under `unsafe`: that they are there is not tested, that an index is one of them
        is."""
        ...

    @device("row")
    def row(self: SliceMut[T, D2], index: AnyInt, /) -> SliceMut[T, D1]:
        """A row, as a view: nothing is copied. OX7001 if there is no such row."""
        ...

    @device("col")
    def col(self: SliceMut[T, D2], index: AnyInt, /) -> SliceMut[T, D1]:
        """A column, as a view."""
        ...

    @device("tile")
    def tile(self: SliceMut[T, D2], row: AnyInt, column: AnyInt, shape: tuple[int, int], /) -> SliceMut[T, D2]:
        """A view of the tile that begins at row `row * shape[0]` and column `column * shape[1]`; smaller where the slice ends. The shape is
        known at compile time. OX7001 if there is no such tile."""
        ...

    @device("plane")
    def plane(self: SliceMut[T, D3], index: AnyInt, /) -> SliceMut[T, D2]:
        """The rows and columns at an index of the first axis, as a view."""
        ...

    if TYPE_CHECKING:

        def __contains__(self, index: ThreadIndex[Any] | Run, /) -> bool: ...
        @overload
        def __setitem__(self: SliceMut[_F, D1], index: One | tuple[Run, AnyInt], value: _F | float, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[_I, D1], index: One | tuple[Run, AnyInt], value: _I | int, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[T, D1], index: One | tuple[Run, AnyInt], value: T, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[T, D1], index: Run, value: tuple[T, ...], /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[_F, D2], index: Two, value: _F | float, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[_I, D2], index: Two, value: _I | int, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[T, D2], index: Two, value: T, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[_F, D3], index: Three, value: _F | float, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[_I, D3], index: Three, value: _I | int, /) -> None: ...
        @overload
        def __setitem__(self: SliceMut[T, D3], index: Three, value: T, /) -> None: ...
        def __setitem__(self, index: Any, value: Any, /) -> None: ...


class DisjointSlice(_Sized[T, D1], Generic[T, S]):
    """Exclusive memory, indexed only by a value that proves one thread per element, of the slice's own index space.

    `DisjointSlice[f32]`, `DisjointSlice[f32, Index2D[128]]`. An access where control flow does not imply `idx in c` is OX5002.
    """

    __oxidepy__ = "DisjointSlice"
    _defaults_ = (Index1D,)

    @staticmethod
    @device("DisjointSlice.from_ptr")
    def from_ptr(pointer: Ptr[_E], shape: int, /) -> DisjointSlice[_E, Index1D]:
        """A slice of so many elements from a pointer on, each of which is one thread's own, under `unsafe`."""
        ...

    @device("in")
    def __contains__(self, index: ThreadIndex[S] | Run, /) -> bool:
        """Whether the index lies inside: the bounds test."""
        ...

    @overload
    def __getitem__(self, index: ThreadIndex[S] | tuple[Run, AnyInt], /) -> T: ...
    @overload
    def __getitem__(self: DisjointSlice[T, Runs], index: Run, /) -> tuple[T, ...]: ...
    @device("subscript")
    def __getitem__(self, index: Any, /) -> Any: ...

    @overload
    def __setitem__(self: DisjointSlice[_F, S], index: ThreadIndex[S] | tuple[Run, AnyInt], value: _F | float, /) -> None: ...
    @overload
    def __setitem__(self: DisjointSlice[_I, S], index: ThreadIndex[S] | tuple[Run, AnyInt], value: _I | int, /) -> None: ...
    @overload
    def __setitem__(self, index: ThreadIndex[S] | tuple[Run, AnyInt], value: T, /) -> None: ...
    @overload
    def __setitem__(self: DisjointSlice[T, Runs], index: Run, value: tuple[T, ...], /) -> None: ...
    @device("subscript")
    def __setitem__(self, index: Any, value: Any, /) -> None: ...

    @device("get_mut")
    def get_mut(self, index: ThreadIndex[S], /) -> Cell[T] | None:
        """The element's cell, or None outside of the bounds."""
        ...


class Ptr(Generic[T]):
    """A bare pointer to elements: a parameter of `kernel(unsafe=…)`, for which a launch takes any buffer, or what `a.ptr()` gives.

    `p[i]` reads and writes without a test that the element is there, before or behind: outside of the memory that `p` was made of it is
    anything (on `interp`, a device panic OX7001). A parameter may point at memory that other parameters have. Every access stands under
    `unsafe` (OX0133).
    """

    __oxidepy__ = "Ptr"

    @overload
    def __getitem__(self, index: One, /) -> T: ...
    @overload
    def __getitem__(self, index: Run, /) -> tuple[T, ...]: ...
    @device("subscript")
    def __getitem__(self, index: Any, /) -> Any:
        """The element that lies so many elements further, by any integer; of a run its elements as a tuple."""
        ...

    @device("cast")
    def cast(self, dtype: type[_E], /) -> Ptr[_E]:
        """The same address, of elements of another type: `p.cast(u8)`, `p.cast(Pixel)`. Of `Ptr` parameters alone; the address is a
        multiple of the alignment of the new elements."""
        ...

    if TYPE_CHECKING:

        @overload
        def __setitem__(self: Ptr[_F], index: One, value: _F | float, /) -> None: ...
        @overload
        def __setitem__(self: Ptr[_I], index: One, value: _I | int, /) -> None: ...
        @overload
        def __setitem__(self, index: One, value: T, /) -> None: ...
        @overload
        def __setitem__(self, index: Run, value: tuple[T, ...], /) -> None: ...
        def __setitem__(self, index: Any, value: Any, /) -> None: ...
        def __add__(self, count: AnyInt, /) -> Ptr[T]: ...
        def __radd__(self, count: AnyInt, /) -> Ptr[T]: ...
        @overload
        def __sub__(self, count: AnyInt, /) -> Ptr[T]: ...
        @overload
        def __sub__(self, other: Ptr[T], /) -> i64: ...
        def __sub__(self, other: Any, /) -> Any: ...
        def __lt__(self, other: Ptr[T], /) -> bool: ...
        def __le__(self, other: Ptr[T], /) -> bool: ...
        def __gt__(self, other: Ptr[T], /) -> bool: ...
        def __ge__(self, other: Ptr[T], /) -> bool: ...


if TYPE_CHECKING:
    _C = TypeVar("_C")
    Const: TypeAlias = Annotated[_C, "Const"]

else:

    class Const(Generic[T]):
        """`Const[int]`: a value that is fixed when the kernel is compiled."""

        __oxidepy__ = "Const"
