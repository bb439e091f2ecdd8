"""Index spaces and the values that prove one thread per element."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxidepy.lang.generic import Generic, TypeVar
from oxidepy.lang.names import device

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, ClassVar

    from oxidepy.lang.slices import ConstantSlice, DisjointSlice, Slice, SliceMut


class _Space:
    """`Index2D[128]` is an alias of the class with that number, for the compiler only; a checker takes `Annotated[…, Width(128)]`."""

    __oxidepy__: ClassVar[str]

    if not TYPE_CHECKING:

        def __class_getitem__(cls, width):
            import types

            return types.GenericAlias(cls, width)


class Index1D(_Space):
    """One thread an element, in the order of the threads along x."""

    __oxidepy__ = "Index1D"


class Index2D(_Space):
    """Row and column of a thread in rows of a fixed width: `DisjointSlice[f32, Index2D[128]]`."""

    __oxidepy__ = "Index2D"


class Runtime2D(_Space):
    """Row and column of a thread in a two-dimensional buffer, whose width is known at the launch."""

    __oxidepy__ = "Runtime2D"


class Runs(_Space):
    """A run of N neighbouring elements a thread: `DisjointSlice[f32, Runs[4]]`."""

    __oxidepy__ = "Runs"


@dataclass(frozen=True)
class Width:
    """The number of an index space, beside the type: `Annotated[DisjointSlice[f32, Index2D], Width(128)]` means
    `DisjointSlice[f32, Index2D[128]]`."""

    value: int


class Run:
    """A run of neighbouring elements that no other thread has: `c[run]` are all of them, `c[run, k]` is one. Both where `run in c`."""

    __oxidepy__ = "Run"

    @property
    @device("Run.start")
    def start(self) -> int:
        """The number of the first element, of the coordinate type."""
        ...

    @device("len")
    def __len__(self) -> int:
        """How many elements it has, known at compile time."""
        ...

    @device("Run.clip")
    def clip(self, over: DisjointSlice[Any, Any] | Slice[Any] | SliceMut[Any] | ConstantSlice[Any], /) -> Iterator[ThreadIndex[Runs]]:
        """The indices of its elements that lie inside of `over`: all of them, fewer at the end of `over`, or none."""
        ...


class D1:
    """One axis: `a[i]`."""

    __oxidepy__ = "D1"


class D2:
    """Two axes: `a[i, j]`, C-contiguous."""

    __oxidepy__ = "D2"


class D3:
    """Three axes: `a[i, j, k]`, C-contiguous."""

    __oxidepy__ = "D3"


_S = TypeVar("_S", default=Index1D)


class ThreadIndex(Generic[_S]):
    """An index that no other thread of the launch has. It is not a number (`idx + 1` would not be anybody's own): `.get()` gives that."""

    __oxidepy__ = "ThreadIndex"

    @device("ThreadIndex.get")
    def get(self) -> int:
        """The index as a number of the coordinate type; in two dimensions `row * width + col`."""
        ...

    @property
    @device("ThreadIndex.row")
    def row(self) -> int:
        """The row, for an index of two dimensions."""
        ...

    @property
    @device("ThreadIndex.col")
    def col(self) -> int:
        """The column, for an index of two dimensions."""
        ...
