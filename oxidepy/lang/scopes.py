"""Where a thread stands: `thread`, `block`, `grid`, `cluster`, `warp`. All of it exists only in kernels."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar, overload

from oxidepy.lang.index import Index1D, Index2D, Run, Runs, Runtime2D, ThreadIndex
from oxidepy.lang.names import device, host_error
from oxidepy.lang.slices import ConstantSlice, DisjointSlice, Slice, SliceMut

if TYPE_CHECKING:
    from oxidepy.lang.barrier import Barriers
    from oxidepy.lang.scalars import u32, u64

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
        return host_error(f"{scope}.{name}")
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return AttributeError(f"`{scope}` has no {name!r}" + (f"; did you mean {close[0]!r}?" if close else ""))


class _Scope:
    """A namespace of the kernel language. `_values_` are its attributes that are read, not called."""

    __oxidepy__ = ""
    _values_: tuple[str, ...] = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise absent(self.__oxidepy__, name, self._values_ if name in self._values_ else tuple(dir(self)))

        def __dir__(self):
            return sorted({one for one in (*vars(type(self)), *self._values_) if not one.startswith("_")})

        def __repr__(self):
            return f"<oxidepy.{self.__oxidepy__}>"


class Thread(_Scope):
    """The running thread."""

    __oxidepy__ = "thread"

    if TYPE_CHECKING:
        idx: Coordinates
        """Coordinate of the thread in its block."""
    else:
        idx = Coordinates("thread.idx")

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

    @device("thread.smid")
    def smid(self) -> u32:
        """The multiprocessor that runs the thread now; 0 on `cpu` and `interp`. It may change while the thread runs."""
        ...

    @device("thread.nsmid")
    def nsmid(self) -> u32:
        """A bound of the numbers that `smid` gives; 1 on `cpu` and `interp`."""
        ...

    @device("thread.gridid")
    def gridid(self) -> u64:
        """A number of this launch, for tools that tell launches apart; 0 on `cpu` and `interp`."""
        ...


class _Group(_Scope):
    """What a group of threads can do together: every thread gets the result."""


class Block(_Group):
    """The block of the running thread."""

    __oxidepy__ = "block"

    if TYPE_CHECKING:
        idx: Coordinates
        """Coordinate of the block in the grid."""
        dim: Coordinates
        """Threads of a block along each axis."""
    else:
        idx = Coordinates("block.idx")
        dim = Coordinates("block.dim")

    @device("block.sync")
    def sync(self) -> None:
        """Wait for all threads of the block; what they wrote before is visible after. Reached by all or by none (else OX3001)."""

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
        """The bits that are 1 in an odd number of of the block's values, in every thread. Of integers."""
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

    @device("block.any")
    def any(self, condition: bool, /) -> bool:
        """A barrier that says whether the condition holds in some thread of the block."""
        ...

    @device("block.all")
    def all(self, condition: bool, /) -> bool:
        """A barrier that says whether the condition holds in every thread of the block."""
        ...

    @device("block.count")
    def count(self, condition: bool, /) -> int:
        """A barrier that counts the threads in which the condition holds."""
        ...


class Grid(_Scope):
    """All blocks of the launch."""

    __oxidepy__ = "grid"
    _values_ = ("size",)

    if TYPE_CHECKING:
        dim: Coordinates
        """Blocks of the grid along each axis."""
        size: int
        """Threads of the grid."""
    else:
        dim = Coordinates("grid.dim")

    @device("grid.sync")
    def sync(self) -> None:
        """Wait for all threads of the grid, in a kernel under `cooperative_launch`."""


class Cluster(_Scope):
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

    @device("cluster.sync")
    def sync(self) -> None:
        """Wait for all threads of the cluster."""

    @device("cluster.arrive")
    def arrive(self) -> None:
        """The first half of `cluster.sync`: this thread has come, and goes on. Its `cluster.wait` follows."""

    @device("cluster.wait")
    def wait(self) -> None:
        """The second half of `cluster.sync`: wait until all threads of the cluster have arrived; what they wrote before is visible."""

    @device("cluster.map_shared")
    def map_shared(self, array: A, rank: int, /) -> A:
        """The same shared array in the block of number `rank` of the cluster, to be read, written and accessed atomically under `unsafe`;
        of an array of barriers, that block's, to arrive at.

        The other block is at work from the first `cluster.sync` on, and must not end before the last access: a `cluster.sync` stands
        behind it.
        """
        ...


_MASKS = ("lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge")


class Lanes(_Group):
    """Lanes of a warp, or of a part of it: shuffles, votes, reductions."""

    if TYPE_CHECKING:
        lane: int
        """Number of the thread in the group."""
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

    @device("warp.sync")
    def sync(self, mask: u32 | int = 0xFFFFFFFF) -> None:
        """Wait for the lanes in `mask`; what they wrote before is visible after."""

    @device("warp.shuffle")
    def shuffle(self, value: T, lane: int, /) -> T:
        """The value of `lane`; the own one where there is no such lane."""
        ...

    @device("warp.shuffle_xor")
    def shuffle_xor(self, value: T, mask: int, /) -> T:
        """The value of lane `lane ^ mask`; the own one where there is no such lane."""
        ...

    @device("warp.shuffle_down")
    def shuffle_down(self, value: T, delta: int, /) -> T:
        """The value of lane `lane + delta`; the own one where there is no such lane."""
        ...

    @device("warp.shuffle_up")
    def shuffle_up(self, value: T, delta: int, /) -> T:
        """The value of lane `lane - delta`; the own one where there is no such lane."""
        ...

    @device("warp.ballot")
    def ballot(self, condition: bool, /) -> u32:
        """A mask of the lanes in which the condition holds."""
        ...

    @device("warp.all")
    def all(self, condition: bool, /) -> bool:
        """Whether the condition holds in every lane."""
        ...

    @device("warp.any")
    def any(self, condition: bool, /) -> bool:
        """Whether the condition holds in some lane."""
        ...

    @device("warp.match_any")
    def match_any(self, value: Any, /) -> u32:
        """A mask of the lanes with the same value: the same bits."""
        ...

    @device("warp.match_all")
    def match_all(self, value: Any, /) -> bool:
        """Whether all lanes have the same value: the same bits."""
        ...

    @device("warp.elect")
    def elect(self) -> bool:
        """True in the first lane of the group (of those that run the statement), False in all others."""
        ...

    @device("warp.reduce_sum")
    def reduce_sum(self, value: T, /) -> T:
        """The sum over the lanes, in every lane."""
        ...

    @device("warp.reduce_min")
    def reduce_min(self, value: T, /) -> T:
        """The least over the lanes, in every lane."""
        ...

    @device("warp.reduce_max")
    def reduce_max(self, value: T, /) -> T:
        """The greatest over the lanes, in every lane."""
        ...

    @device("warp.reduce_and")
    def reduce_and(self, value: T, /) -> T:
        """The bits that are 1 in all of the lanes' values, in every lane. Of integers."""
        ...

    @device("warp.reduce_or")
    def reduce_or(self, value: T, /) -> T:
        """The bits that are 1 in some of the lanes' values, in every lane. Of integers."""
        ...

    @device("warp.reduce_xor")
    def reduce_xor(self, value: T, /) -> T:
        """The bits that are 1 in an odd number of of the lanes' values, in every lane. Of integers."""
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


class Warp(Lanes):
    """The warp of the running thread: 32 lanes."""

    __oxidepy__ = "warp"
    _values_ = ("lane", "id", *_MASKS)

    if TYPE_CHECKING:
        id: int
        """Number of the warp in its block: linear thread index // 32."""
        active: Lanes
        """The lanes that run this statement now."""
    else:
        active = Lanes()
        active.__oxidepy__ = "warp.active"
        active._values_ = ("lane", *_MASKS)

        def __dir__(self):
            return sorted({one for one in (*vars(Warp), *vars(Lanes), *self._values_) if not one.startswith("_")})

    @device("warp.tiled_partition")
    def tiled_partition(self, size: int, /) -> Lanes:
        """The warp in tiles of 1, 2, 4, 8, 16 or 32 lanes: this thread's tile."""
        ...


thread = Thread()
block = Block()
grid = Grid()
cluster = Cluster()
warp = Warp()
