"""The rows of intrinsics. A new intrinsic is a row and a test; names for users, docs and lowerings are derived from it.

What every kernel may need stands here; the rows of the hardware layer are made when the first name of their part is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from oxidepy.ir.intrinsics import machine
from oxidepy.ir.intrinsics.row import Address, Convergence, Intrinsic, Registers, instruction


def _coordinates() -> list[Intrinsic]:
    rows: list[Intrinsic] = []
    for space, register, doc in (
        ("thread.idx", "tid", "Coordinate of the thread in its block"),
        ("block.idx", "ctaid", "Coordinate of the block in the grid"),
        ("block.dim", "ntid", "Threads of a block"),
        ("grid.dim", "nctaid", "Blocks of the grid"),
    ):
        for axis in "xyz":
            at = f"{register}.{axis}"
            register_read = f"llvm.nvvm.read.ptx.sreg.{at}"
            rows.append(Intrinsic(f"{space}.{axis}", (), "coord", True, register_read, at, at, doc=f"{doc}, along {axis}."))
    for number, axis in enumerate("xyz"):
        # Not a sum of the others: the host refuses launches in which grid * block reaches 2**31 under i32, so it never wraps,
        # and the analyses know that.
        at = f"global_id.{axis}"
        doc = f"block.idx * block.dim + thread.idx along {axis} (axis {number})."
        rows.append(Intrinsic(f"thread.{at}", (), "coord", True, at, at, at, doc=doc))
    rows.append(Intrinsic("grid.size", (), "coord", True, "grid_size", "grid_size", "grid_size", doc="Threads of the grid, over all axes."))
    return rows


_MASK = ("mask", "full")  # "full": all lanes of the warp or tile; "active": those that run the statement
# lanes of a tile; a shuffle from a lane that is not there (outside of the own tile or, under "active", not running the statement) gives the
# own value; from one that a check has ended, under "full", 0
_WIDTH = ("width", 32)


def _positions() -> list[Intrinsic]:
    """Numbers that follow from the thread's coordinates: linear index in the block = x + y*dim.x + z*dim.x*dim.y."""
    return [
        Intrinsic("warp.lane", (), "i32", True, "lane", "lane", "lane", doc="Number of the thread in its warp: linear index % 32."),
        Intrinsic("warp.id", (), "i32", True, "warp_id", "warp_id", "warp_id", doc="Number of the warp in its block: linear index // 32."),
    ]


def _barriers() -> list[Intrinsic]:
    def row(name: str, operands: tuple[str, ...], result: str, group: Convergence, key: str, doc: str, arch: int = 75) -> Intrinsic:
        return Intrinsic(name, operands, result, False, key, key, key, (), arch, (6, 3) if arch < 90 else (7, 8), group, "sync", doc=doc)

    def half(name: str, key: str, doc: str) -> Intrinsic:
        return Intrinsic(name, (), "none", False, key, key, key, (), 90, (7, 8), "cluster", "write", doc=doc)

    return [
        row("block.sync", (), "none", "block", "barrier", "Wait for all threads of the block; orders memory among them."),
        row("block.any", ("bool",), "bool", "block", "barrier.or", "A barrier: whether the condition holds in some thread of the block."),
        row("block.all", ("bool",), "bool", "block", "barrier.and", "A barrier: whether the condition holds in every thread of the block."),
        row("block.count", ("bool",), "i32", "block", "barrier.popc", "A barrier: in how many threads of the block the condition holds."),
        row("warp.sync", ("u32",), "none", "warp", "warp.barrier", "Wait for the lanes of the mask; orders memory among them."),
        row("grid.sync", (), "none", "grid", "grid.barrier", "Wait for all threads of a cooperative grid; orders memory among them."),
        row("cluster.sync", (), "none", "cluster", "cluster.barrier", "Wait for all threads of the cluster; orders memory among them.", 90),
        # neither orders by itself: what stands before the one is ordered against what stands behind the other
        half("cluster.arrive", "cluster.arrive", "The first half of `cluster.sync`: this thread has come, and goes on."),
        half("cluster.wait", "cluster.wait", "The second half: wait until all threads of the cluster have arrived."),
    ]


def _exchanges() -> list[Intrinsic]:
    def row(name: str, operands: tuple[str, ...], result: str, key: str, doc: str, arch: int = 75) -> Intrinsic:
        return Intrinsic(name, operands, result, False, key, key, key, (_MASK, _WIDTH), arch, (6, 3), "warp", "read", doc=doc)

    return [
        row("warp.shuffle", ("T", "i32"), "T", "shuffle.idx", "The value of a lane of the tile; the own one where there is no such lane."),
        row("warp.shuffle_xor", ("T", "i32"), "T", "shuffle.xor", "The value of lane ^ operand; the own one outside of the tile."),
        row("warp.shuffle_down", ("T", "i32"), "T", "shuffle.down", "The value of lane + operand; the own one outside of the tile."),
        row("warp.shuffle_up", ("T", "i32"), "T", "shuffle.up", "The value of lane - operand; the own one outside of the tile."),
        row("warp.ballot", ("bool",), "u32", "ballot", "A mask of the tile's lanes (bit 0: its first) in which the condition holds."),
        row("warp.all", ("bool",), "bool", "vote.all", "Whether the condition holds in every lane of the tile."),
        row("warp.any", ("bool",), "bool", "vote.any", "Whether the condition holds in some lane of the tile."),
        row("warp.match_any", ("T",), "u32", "match", "A mask of the tile's lanes with the same bits."),
        row("warp.match_all", ("T",), "bool", "match.all", "Whether all lanes of the tile have the same bits."),
        # of 32-bit integers, whose order does not matter; of other types they are made of shuffles
        *(
            row(f"warp.reduce_{name}", ("T",), "T", f"reduce.{name}", f"{what} over the lanes of the tile, in every lane.")
            for name, what in (
                ("sum", "The sum"),
                ("min", "The least"),
                ("max", "The greatest"),
                ("and", "The bits that are 1 in all"),
                ("or", "The bits that are 1 in some"),
                ("xor", "The bits that are 1 in an odd number"),
            )
        ),
    ]


def _address() -> Intrinsic:
    return instruction(
        "shared.address",
        "mov.u32 <d>, <p>;",
        (Address("p", ("shared",), "read", 0),),
        (Registers("d", "u32"),),
        doc="The address of an element of a shared array, in bytes of the block's shared memory.",
        arch=75,
        isa=(6, 3),
        unsafe=False,
        reference="addresses:address",
    )


# first part of the names → the module of this folder whose `rows()` are theirs
PARTS: dict[str, str] = {
    "async_copy": "async_copy",
    "barrier": "barrier",
    "clc": "tcgen05",
    "debug": "debug",
    "mma": "mma",
    "tcgen05": "tcgen05",
    "tma": "tma",
    "wgmma": "wgmma",
}


class Rows(Mapping[str, Intrinsic]):
    """All rows by name."""

    def __init__(self, rows: tuple[Intrinsic, ...]) -> None:
        self._known = {row.name: row for row in rows}
        self._missing = dict(PARTS)

    def __getitem__(self, name: str) -> Intrinsic:
        found = self._known.get(name)
        if found is None:
            self._make(name.partition(".")[0])
            found = self._known[name]
        return found

    def __iter__(self) -> Iterator[str]:
        for part in tuple(self._missing):
            self._make(part)
        return iter(self._known)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _make(self, part: str) -> None:
        module = self._missing.get(part)
        if module is not None:
            self._missing = {one: other for one, other in self._missing.items() if other != module}
            self._known.update({row.name: row for row in import_module(f"oxidepy.ir.intrinsics.{module}").rows()})


ROWS = Rows((_address(), *_coordinates(), *_positions(), *_barriers(), *_exchanges(), *machine.rows()))
