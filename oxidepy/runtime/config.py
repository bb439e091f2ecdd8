"""Launch configurations: how many blocks, of what shape. Plain values; `prepare` holds them against contract and device."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index
from typing import Any

from oxidepy.lang.calls import methods
from oxidepy.runtime.refusal import launch_error
from oxidepy.runtime.untyped import tuple_of

Dim3 = tuple[int, int, int]


def _blocks(elements: int, size: int) -> int:
    return -(-elements // size) if size > 0 else 0


def _bytes(value: Any) -> int:
    """A number of bytes. LaunchError OX2003 if it is negative."""
    if _int(value, "dynamic_shared") < 0:
        raise launch_error("OX2003", f"`dynamic_shared` is {value}; the number of bytes must be 0 or more")
    return index(value)


def _extents(values: Any, rank: int, name: str) -> tuple[int, ...]:
    """`rank` integers. A bare int means one axis. LaunchError OX2007 for anything else."""
    given = tuple_of(values) or ((values,) if rank == 1 else ())
    if len(given) != rank:
        ways = {1: "LaunchConfig1D(grid, block)", 2: "LaunchConfig2D((x, y), (x, y))", 3: "LaunchConfig((x, y, z), (x, y, z))"}
        wanted = "an int" if rank == 1 else f"{rank} ints"
        raise launch_error("OX2007", f"`{name}` must be {wanted}, not {values!r}", help=f"write `{ways[rank]}`")
    return tuple(_int(one, name) for one in given)


def _int(value: Any, name: str) -> int:
    try:
        return index(value)
    except TypeError:
        help = f"round it: `{name}=int({value!r})`" if isinstance(value, float) else None
        raise launch_error("OX2007", f"`{name}` is made of ints, and this is {value!r}", help=help) from None


def _count(value: int, name: str) -> int:
    if _int(value, name) < 0:
        raise launch_error("OX2003", f"`{name}` is {value}; the number of elements must be 0 or more")
    return index(value)


@methods("config", made="__init__")
@dataclass(frozen=True)
class LaunchConfig:
    """Raw grid and block, in blocks and threads along (x, y, z); `dynamic_shared` in bytes.

    `nothing` marks a launch over zero elements, which checks its arguments and runs no thread.
    """

    grid: Dim3
    block: Dim3
    dynamic_shared: int = 0
    nothing: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dynamic_shared", _bytes(self.dynamic_shared))
        object.__setattr__(self, "grid", _extents(self.grid, 3, "grid"))
        object.__setattr__(self, "block", _extents(self.block, 3, "block"))

    @property
    def rank(self) -> int:
        """The axes that it uses: 1, 2 or 3."""
        return 3 if self.grid[2] > 1 or self.block[2] > 1 else 2 if self.grid[1] > 1 or self.block[1] > 1 else 1

    def extent(self, axis: int) -> int:
        """Blocks along an axis."""
        return self.grid[axis]

    def raw(self) -> LaunchConfig:
        return self


@methods("config", "for_num_elems", made="__init__")
@dataclass(frozen=True)
class LaunchConfig1D:
    """A launch along one axis: `grid` blocks of `block` threads."""

    grid: int
    block: int
    dynamic_shared: int = 0
    nothing: bool = field(default=False, kw_only=True)
    rank = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "dynamic_shared", _bytes(self.dynamic_shared))
        object.__setattr__(self, "grid", _extents(self.grid, 1, "grid")[0])
        object.__setattr__(self, "block", _extents(self.block, 1, "block")[0])

    @staticmethod
    def for_num_elems(n: int, block: int = 256, dynamic_shared: int = 0) -> LaunchConfig1D:
        """Enough blocks for `n` elements, one thread each. `n` = 0 launches nothing."""
        n, (size,) = _count(n, "n"), _extents(block, 1, "block")
        return LaunchConfig1D(_blocks(n, size), size, dynamic_shared, nothing=n == 0)

    def raw(self) -> LaunchConfig:
        return LaunchConfig((self.grid, 1, 1), (self.block, 1, 1), self.dynamic_shared, nothing=self.nothing)


@methods("config", "for_shape", made="__init__")
@dataclass(frozen=True)
class LaunchConfig2D:
    """A launch along two axes; both tuples are (x, y), x running along the columns."""

    grid: tuple[int, int]
    block: tuple[int, int]
    dynamic_shared: int = 0
    nothing: bool = field(default=False, kw_only=True)
    rank = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "dynamic_shared", _bytes(self.dynamic_shared))
        object.__setattr__(self, "grid", _extents(self.grid, 2, "grid"))
        object.__setattr__(self, "block", _extents(self.block, 2, "block"))

    @staticmethod
    def for_shape(rows: int, cols: int, block: tuple[int, int] = (16, 16), dynamic_shared: int = 0) -> LaunchConfig2D:
        """Enough blocks for a matrix of `rows` times `cols` elements, one thread each. An empty one launches nothing."""
        rows, cols = _count(rows, "rows"), _count(cols, "cols")
        x, y = _extents(block, 2, "block")
        return LaunchConfig2D((_blocks(cols, x), _blocks(rows, y)), (x, y), dynamic_shared, nothing=rows * cols == 0)

    def raw(self) -> LaunchConfig:
        return LaunchConfig((*self.grid, 1), (*self.block, 1), self.dynamic_shared, nothing=self.nothing)


@methods("config", "for_shape", made="__init__")
@dataclass(frozen=True)
class LaunchConfig3D:
    """A launch along three axes; both tuples are (x, y, z)."""

    grid: Dim3
    block: Dim3
    dynamic_shared: int = 0
    nothing: bool = field(default=False, kw_only=True)
    rank = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "dynamic_shared", _bytes(self.dynamic_shared))
        object.__setattr__(self, "grid", _extents(self.grid, 3, "grid"))
        object.__setattr__(self, "block", _extents(self.block, 3, "block"))

    @staticmethod
    def for_shape(depth: int, rows: int, cols: int, block: Dim3 = (8, 8, 4), dynamic_shared: int = 0) -> LaunchConfig3D:
        """Enough blocks for `depth` times `rows` times `cols` elements, one thread each. An empty box launches nothing."""
        depth, rows, cols = _count(depth, "depth"), _count(rows, "rows"), _count(cols, "cols")
        x, y, z = _extents(block, 3, "block")
        return LaunchConfig3D(
            (_blocks(cols, x), _blocks(rows, y), _blocks(depth, z)), (x, y, z), dynamic_shared, nothing=depth * rows * cols == 0
        )

    def raw(self) -> LaunchConfig:
        return LaunchConfig(self.grid, self.block, self.dynamic_shared, nothing=self.nothing)


AnyConfig = LaunchConfig | LaunchConfig1D | LaunchConfig2D | LaunchConfig3D
