"""Where a thread stands: `thread`, `block`, `grid`, `cluster`, `warp`. All of it exists only in kernels."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar, overload

from oxidepy.lang.index import Index1D, Index2D, Run, Runs, Runtime2D, ThreadIndex
from oxidepy.lang.names import AbsentOnHost, device, host_error
from oxidepy.lang.slices import ConstantSlice, DisjointSlice, Slice, SliceMut

if TYPE_CHECKING:
    from oxidepy.lang.barrier import Barriers
    from oxidepy.lang.scalars import u32

T = TypeVar("T")
S = TypeVar("S")
A = TypeVar("A", bound="SliceMut[Any, Any] | Barriers")


class Coordinates:
    """A triple of numbers of the coordinate type, read as `.x`, `.y`, `.z`."""

    x: int
    y: int
    z: int

    if not TYPE_CHECKING:

        def __init__(self, name):
            self.__oxidepy__ = name

        def __getattr__(self, axis):
            raise absent(self.__oxidepy__, axis, ("x", "y", "z"))

        def __dir__(self):
            return ["x", "y", "z"]


def absent(scope: str, name: str, known: tuple[str, ...]) -> Exception:
    """What reading `scope.name` on the host raises: OX1010 for what exists in kernels, AttributeError for what does not exist at all."""
    if name in known:
        return host_error(f"{scope}.{name}", AbsentOnHost)
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return AttributeError(f"`{scope}` has no {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))


class _Scope:
    """A namespace of the kernel language. Its attributes that are read, not called: `_read_` by the table, `_values_` beside it."""

    __oxidepy__ = ""
    _values_: tuple[str, ...] = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent(self.__oxidepy__, name, tuple(dir(self)))

        def __dir__(self):
            read = (name for one in type(self).__mro__ for name in vars(one).get("_read_", ()))
            return sorted({one for one in (*super().__dir__(), *read, *self._values_) if not one.startswith("_")})

        def __repr__(self):
            return f"<oxidepy.{self.__oxidepy__}>"


if TYPE_CHECKING:
    from oxidepy.lang.table.scopes import BlockRows, ClusterRows, GridRows, LanesRows, ThreadRows, WarpRows
else:
    from oxidepy.lang.table import scope

    ThreadRows, BlockRows, GridRows = (scope(f"{one}Rows", Coordinates) for one in ("Thread", "Block", "Grid"))
    ClusterRows, LanesRows, WarpRows = (scope(f"{one}Rows", Coordinates) for one in ("Cluster", "Lanes", "Warp"))


class Thread(_Scope, ThreadRows):
    """The running thread."""

    __oxidepy__ = "thread"

    @device("thread.index_1d")
    def index_1d(self) -> ThreadIndex[Index1D]:
        """This thread's own index in one dimension: block.idx.x * block.dim.x + thread.idx.x. The domain is 1 (else OX2004)."""
        ...

    @device("thread.index_2d")
    def index_2d(self, width: int, /) -> ThreadIndex[Index2D]:
        """This thread's own row (along y) and column (along x) in rows of `width` elements. The domain is 2 (else OX2004)."""
        ...

    @device("thread.index_2d_runtime")
    def index_2d_runtime(self, slice: DisjointSlice[Any, Runtime2D], /) -> ThreadIndex[Runtime2D]:
        """This thread's own row and column in the rows of `slice`. The domain is 2 (else OX2004)."""
        ...

    @device("thread.index_run")
    def index_run(self, count: int, /) -> Run:
        """This thread's own run of `count` neighbouring elements, known at compile time. The domain is 1 (else OX2004)."""
        ...

    @overload
    def grid_stride(self, over: DisjointSlice[Any, Runs], /) -> Iterator[Run]: ...
    @overload
    def grid_stride(
        self, over: DisjointSlice[Any, Index1D] | Slice[Any, Any] | SliceMut[Any, Any] | ConstantSlice[Any, Any], /
    ) -> Iterator[ThreadIndex[Index1D]]: ...
    @device("thread.grid_stride")
    def grid_stride(self, over: Any, /) -> Iterator[Any]:
        """The indices of `over` that are this thread's: its own, then every `grid.size` further, all inside the bounds.

        Over runs they are runs; the last of them may reach outside."""
        ...


class _Group(_Scope):
    """What a group of threads can do together: every thread gets the result."""


class Block(_Group, BlockRows):
    """The block of the running thread."""

    __oxidepy__ = "block"
    _values_ = ("size", "rank")

    if TYPE_CHECKING:
        size: int
        """Threads of the block, known at compile time."""
        rank: int
        """Number of the thread in its block: thread.idx.x + thread.idx.y * dim.x + thread.idx.z * dim.x * dim.y."""

    @device("block.reduce_sum")
    def reduce_sum(self, value: T, /) -> T:
        """The sum of the block's values, in every thread."""
        ...

    @device("block.reduce_min")
    def reduce_min(self, value: T, /) -> T:
        """The least of the block's values, in every thread."""
        ...

    @device("block.reduce_max")
    def reduce_max(self, value: T, /) -> T:
        """The greatest of the block's values, in every thread."""
        ...

    @device("block.reduce_and")
    def reduce_and(self, value: T, /) -> T:
        """The bits that are 1 in all of the block's values, in every thread. Of integers."""
        ...

    @device("block.reduce_or")
    def reduce_or(self, value: T, /) -> T:
        """The bits that are 1 in some of the block's values, in every thread. Of integers."""
        ...

    @device("block.reduce_xor")
    def reduce_xor(self, value: T, /) -> T:
        """The bits that are 1 in an odd number of the block's values, in every thread. Of integers."""
        ...

    @device("block.scan_sum")
    def scan_sum(self, value: T, /, exclusive: bool = False) -> T:
        """The sum of the values of this thread and all before it (exclusive: without its own)."""
        ...

    @device("block.scan_min")
    def scan_min(self, value: T, /, exclusive: bool = False) -> T:
        """The least of the values of this thread and all before it.

        Exclusive: without its own; in the first thread the greatest value that the type has.
        """
        ...

    @device("block.scan_max")
    def scan_max(self, value: T, /, exclusive: bool = False) -> T:
        """The greatest of the values of this thread and all before it.

        Exclusive: without its own; in the first thread the least value that the type has.
        """
        ...

    @device("block.reduce")
    def reduce(self, value: T, combine: Callable[[T, T], T], /) -> T:
        """All values combined by a function, in order of the threads, in every thread: numbers, structs, or tuples such as (number, place).

        `combine(combine(a, b), c)` and `combine(a, combine(b, c))` are the same, but for rounding.
        """
        ...

    @device("block.scan")
    def scan(self, value: T, combine: Callable[[T, T], T], first: T | float, /, exclusive: bool = False) -> T:
        """The values up to this thread combined by a function, in order (exclusive: without its own).

        `first` changes nothing when it is combined, such as 0 for a sum: it stands before the first value.
        """
        ...


class Grid(_Scope, GridRows):
    """All blocks of the launch."""

    __oxidepy__ = "grid"


class Cluster(_Scope, ClusterRows):
    """The cluster of the running thread's block, in a kernel under `cluster_launch`."""

    __oxidepy__ = "cluster"
    _values_ = ("rank", "size")

    if TYPE_CHECKING:
        idx: Coordinates
        """Coordinate of the block in its cluster."""
        dim: Coordinates
        """Blocks of the cluster along each axis."""
        rank: int
        """Number of the block in its cluster: idx.x + idx.y * dim.x + idx.z * dim.x * dim.y, an i32."""
        size: int
        """Blocks of the cluster."""
    else:
        idx = Coordinates("cluster.idx")
        dim = Coordinates("cluster.dim")

    @device("cluster.map_shared")
    def map_shared(self, array: A, rank: int, /) -> A:
        """The same shared array in the block of number `rank` of the cluster, to be read, written and accessed atomically under `unsafe`;
        of an array of barriers, that block's, to arrive at.

        The other block is at work from the first `cluster.sync` on, and must not end before the last access: a `cluster.sync` stands
        behind it.
        """
        ...


_OF_LANES = ("size", "rank", "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge")


class Lanes(_Group, LanesRows):
    """Lanes of a warp, or of a part of it: shuffles, votes, reductions."""

    if TYPE_CHECKING:
        size: int
        """How many lanes the group has, an i32."""
        rank: int
        """How many lanes of the group come before this one, an i32; of a warp or tile that is its `lane`."""
        lanemask_eq: u32
        """The thread's own lane as a bit; the group's first lane is bit 0, as in `ballot`."""
        lanemask_lt: u32
        """The lanes below the thread's own."""
        lanemask_le: u32
        """The thread's own lane and those below it."""
        lanemask_gt: u32
        """The lanes above the thread's own."""
        lanemask_ge: u32
        """The thread's own lane and those above it."""

    @device("warp.elect")
    def elect(self) -> bool:
        """True in the first lane of the group (of those that run the statement), False in all others."""
        ...

    @device("warp.scan_sum")
    def scan_sum(self, value: T, /, exclusive: bool = False) -> T:
        """The sum of the values of this lane and all before it (exclusive: without its own)."""
        ...

    @device("warp.scan_min")
    def scan_min(self, value: T, /, exclusive: bool = False) -> T:
        """The least of the values of this lane and all before it.

        Exclusive: without its own; in the first lane the greatest value that the type has.
        """
        ...

    @device("warp.scan_max")
    def scan_max(self, value: T, /, exclusive: bool = False) -> T:
        """The greatest of the values of this lane and all before it.

        Exclusive: without its own; in the first lane the least value that the type has.
        """
        ...

    @device("warp.reduce")
    def reduce(self, value: T, combine: Callable[[T, T], T], /) -> T:
        """All values combined by a function, in order of the lanes, in every lane: numbers, structs, or tuples such as (number, place).

        `combine(combine(a, b), c)` and `combine(a, combine(b, c))` are the same, but for rounding.
        """
        ...

    @device("warp.scan")
    def scan(self, value: T, combine: Callable[[T, T], T], first: T | float, /, exclusive: bool = False) -> T:
        """The values up to this lane combined by a function, in order (exclusive: without its own).

        `first` changes nothing when it is combined, such as 0 for a sum: it stands before the first value.
        """
        ...


class Tile(Lanes):
    """Neighbouring lanes of a warp, or all of them."""

    @device("warp.tiled_partition")
    def tiled_partition(self, size: int, /) -> Tile:
        """These lanes in tiles of 1, 2, 4, 8, 16 or 32, no more than there are: this thread's tile."""
        ...


class Warp(Tile, WarpRows):
    """The warp of the running thread: 32 lanes."""

    __oxidepy__ = "warp"
    _values_ = _OF_LANES

    if TYPE_CHECKING:
        active: Lanes
        """The lanes that run this statement now."""
    else:
        active = Lanes()
        active.__oxidepy__ = "warp.active"
        active._values_ = ("lane", *_OF_LANES)


thread = Thread()
block = Block()
grid = Grid()
cluster = Cluster()
warp = Warp()
