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


# "full": all lanes of the warp or tile; "tile": those of the tile, where other tiles may be elsewhere; "active": those that run
# the statement
_MASK = ("mask", "full")
# lanes of a tile; a shuffle from a lane that is not there (outside of the own tile or, under "active", not running the statement) gives the
# own value; from one that a check has ended, under "full", 0
_WIDTH = ("width", 32)


def _positions() -> list[Intrinsic]:
    """Numbers that follow from the thread's coordinates: linear index in the block = x + y*dim.x + z*dim.x*dim.y."""
    return [
        Intrinsic(
            "warp.lane", (), "i32", True, "lane", "lane", "lane", doc="Number of the thread in the warp (linear index % 32) or tile."
        ),
        Intrinsic(
            "warp.id", (), "i32", True, "warp_id", "warp_id", "warp_id", doc="Number of the warp in its block: linear thread index // 32."
        ),
    ]


def _barriers() -> list[Intrinsic]:
    def row(
        name: str, operands: tuple[str, ...], result: str, group: Convergence, key: str, doc: str, *names: str, arch: int = 75
    ) -> Intrinsic:
        isa = (6, 3) if arch < 90 else (7, 8)
        cpu = key if group in ("warp", "block") else ""  # the CPU runs blocks one after the other: none waits for others
        return Intrinsic(name, operands, result, False, key, cpu, key, (), arch, isa, group, "sync", doc=doc, names=names)

    def vote(name: str, result: str, key: str, doc: str) -> Intrinsic:
        return row(name, ("bool",), result, "block", key, doc, "condition")

    return [
        row(
            "block.sync",
            (),
            "none",
            "block",
            "barrier",
            "Wait for all threads of the block; what they wrote before is visible after. Reached by all or by none (else OX3001).",
        ),
        vote("block.any", "bool", "barrier.or", "A barrier that says whether the condition holds in some thread of the block."),
        vote("block.all", "bool", "barrier.and", "A barrier that says whether the condition holds in every thread of the block."),
        vote("block.count", "i32", "barrier.popc", "A barrier that counts the threads of the block in which the condition holds."),
        row(
            "warp.sync",
            ("u32",),
            "none",
            "warp",
            "warp.barrier",
            "Wait for the lanes in `mask`; what they wrote before is visible after.",
            "mask = 0xFFFFFFFF",
        ),
        row(
            "grid.sync",
            (),
            "none",
            "grid",
            "grid.barrier",
            "Wait for all threads of the grid, in a kernel under `cooperative_launch`; what they wrote before is visible after.",
        ),
        row(
            "cluster.sync",
            (),
            "none",
            "cluster",
            "cluster.barrier",
            "Wait for all threads of the cluster; what they wrote before is visible after.",
            arch=90,
        ),
        *_halves(),
    ]


def _halves() -> list[Intrinsic]:
    def half(name: str, key: str, doc: str) -> Intrinsic:
        return Intrinsic(name, (), "none", False, key, "", key, (), 90, (7, 8), "cluster", "write", doc=doc)

    return [
        # neither orders by itself: what stands before the one is ordered against what stands behind the other
        half(
            "cluster.arrive",
            "cluster.arrive",
            "The first half of `cluster.sync`: this thread has come, and goes on. Its `cluster.wait` follows.",
        ),
        half(
            "cluster.wait",
            "cluster.wait",
            "The second half of `cluster.sync`: wait until all threads of the cluster have arrived; what they wrote before is visible.",
        ),
    ]


def _exchanges() -> list[Intrinsic]:
    def row(name: str, operands: tuple[str, ...], result: str, key: str, doc: str, *names: str) -> Intrinsic:
        return Intrinsic(name, operands, result, False, key, key, key, (_MASK, _WIDTH), 75, (6, 3), "warp", "read", doc=doc, names=names)

    def shuffle(name: str, operand: str, key: str, lane: str) -> Intrinsic:
        doc = f"The value of {lane}; the own one where the warp or tile has no such lane."
        return row(f"warp.{name}", ("T", "i32"), "T", key, doc, "value", operand)

    def vote(name: str, result: str, key: str, doc: str) -> Intrinsic:
        return row(f"warp.{name}", ("bool",), result, key, doc, "condition")

    return [
        shuffle("shuffle", "lane", "shuffle.idx", "`lane`"),
        shuffle("shuffle_xor", "mask", "shuffle.xor", "lane `lane ^ mask`"),
        shuffle("shuffle_down", "delta", "shuffle.down", "lane `lane + delta`"),
        shuffle("shuffle_up", "delta", "shuffle.up", "lane `lane - delta`"),
        vote("ballot", "u32", "ballot", "A mask of the lanes (bit 0: the first of the warp or tile) in which the condition holds."),
        vote("all", "bool", "vote.all", "Whether the condition holds in every lane."),
        vote("any", "bool", "vote.any", "Whether the condition holds in some lane."),
        row("warp.match_any", ("T",), "u32", "match", "A mask of the lanes with the same value: the same bits.", "value"),
        row("warp.match_all", ("T",), "bool", "match.all", "Whether all lanes have the same value: the same bits.", "value"),
        # of 32-bit integers, whose order does not matter; of other types they are made of shuffles
        *(
            row(f"warp.reduce_{name}", ("T",), "T", f"reduce.{name}", doc, "value")
            for name, doc in (
                ("sum", "The sum over the lanes, in every lane."),
                ("min", "The least over the lanes, in every lane."),
                ("max", "The greatest over the lanes, in every lane."),
                ("and", "The bits that are 1 in all of the lanes' values, in every lane. Of integers."),
                ("or", "The bits that are 1 in some of the lanes' values, in every lane. Of integers."),
                ("xor", "The bits that are 1 in an odd number of the lanes' values, in every lane. Of integers."),
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

    def part(self, part: str) -> list[Intrinsic]:
        """The rows whose names begin with that part."""
        self._make(part)
        return [row for name, row in self._known.items() if name.partition(".")[0] == part]

    def _make(self, part: str) -> None:
        module = self._missing.get(part)
        if module is not None:
            self._missing = {one: other for one, other in self._missing.items() if other != module}
            self._known.update({row.name: row for row in import_module(f"oxidepy.ir.intrinsics.{module}").rows()})


ROWS = Rows((_address(), *_coordinates(), *_positions(), *_barriers(), *_exchanges(), *machine.rows()))
