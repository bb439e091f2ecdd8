"""Races that happened: accesses of one launch, and which of them no barrier orders.

Every access is a row of numbers. Rows of one place are held against each other in two ways: those of different blocks within one phase of
the grid, and those of one block between two barriers. Only where rows of several threads meet that way, one of them writing, are pairs
looked at.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oxidepy.ir.core import Op

Rows = Any  # a structured array of _ROW
PLACES = 20_000  # with rows that meet which are looked at pair by pair
MOST = 256  # rows of one place that are
ROWS = 16_000_000  # of one launch that are kept: some 700 MB
TOLD = 8  # races of one place
WARP = 32
BLOCK, CLUSTER, DEVICE = 1, 2, 3  # how far an atomic access is one

_ROW = np.dtype(
    [
        ("address", np.int64),
        ("op", np.int32),
        ("block", np.int32),
        ("cluster", np.int32),
        ("thread", np.int32),
        ("grid_phase", np.int32),
        ("cluster_phase", np.int32),  # halves of the cluster's barrier that the thread has passed
        ("block_phase", np.int32),
        ("snapshot", np.int32),  # of the clocks of the warp
        ("epoch", np.int32),  # the thread's own clock
        ("size", np.int8),
        ("writes", np.bool_),
        ("atomic", np.int8),  # 0 plain, else for which threads it is one: BLOCK, CLUSTER, DEVICE
    ]
)
_NAMES = _ROW.names or ()


@dataclass(frozen=True)
class Side:
    """One access of a race: by its operation, with the linear numbers of block and thread."""

    op: Op
    block: int
    thread: int


@dataclass(frozen=True)
class Race:
    first: Side
    second: Side
    address: int


@dataclass
class Log:
    """The accesses of one launch. `snapshots`: clocks of a warp, a row a lane, as they were at some time; `full`: not all were kept."""

    ops: dict[Op, int] = field(default_factory=dict[Op, int])
    snapshots: list[Any] = field(default_factory=list[Any])
    full: bool = False
    _parts: list[Rows] = field(default_factory=list[Any])
    _count: int = 0

    def note(self, op: Op, count: int, **columns: Any) -> None:
        """Add `count` rows; columns by the names of `_ROW`."""
        self._count += count
        if self._count > ROWS:
            self.full = True
            return
        rows = np.zeros(count, _ROW)
        rows["op"] = self.ops.setdefault(op, len(self.ops))
        for name, values in columns.items():
            rows[name] = values
        self._parts.append(rows)

    def races(self) -> list[Race]:
        """One race for each pair of operations that raced."""
        if not self._parts:
            return []
        rows = _by_bytes(np.concatenate(self._parts))
        ops = list(self.ops)
        found: dict[tuple[int, int], Race] = {}
        for group in _meeting(rows):
            for one, two in self._pairs(group):
                a, b = rows[one], rows[two]
                key = (min(int(a["op"]), int(b["op"])), max(int(a["op"]), int(b["op"])))
                if key not in found:
                    sides = [Side(ops[row["op"]], int(row["block"]), int(row["thread"])) for row in (a, b)]
                    found[key] = Race(sides[0], sides[1], int(a["address"]))
        return list(found.values())

    def _pairs(self, group: tuple[Rows, Any]) -> Iterator[tuple[int, int]]:
        """Races of one place, few of many: accesses that are alike but for the lane stand for each other where a warp has no barriers."""
        rows, numbers = group
        alike: Counter[tuple[Any, ...]] = Counter()
        listed: dict[tuple[Any, ...], tuple[int, dict[str, Any]]] = {}
        most = WARP if len(self.snapshots) > 1 else 2
        for row, number in zip(rows[numbers].tolist(), numbers.tolist(), strict=True):
            one = dict(zip(_NAMES, row, strict=True))
            kind = (*(one[name] for name in _NAMES if name not in ("thread", "epoch")), one["thread"] // WARP)
            if row not in listed and alike[kind] < most and len(listed) < MOST:
                alike[kind] += 1
                listed[row] = (number, one)
        told = 0
        every = list(listed.values())
        for at, (number, two) in enumerate(every):
            for before, one in every[:at]:
                if self._races(one, two):
                    yield before, number
                    told += 1
                    if told == TOLD:
                        return

    def _races(self, a: dict[str, Any], b: dict[str, Any]) -> bool:
        if not (a["writes"] or b["writes"]) or a["grid_phase"] != b["grid_phase"]:
            return False
        near = a["block"] == b["block"]
        if near and a["thread"] == b["thread"]:
            return False
        scope = min(a["atomic"], b["atomic"])  # of both: the one that includes fewer
        if a["size"] == b["size"] and scope >= (BLOCK if near else CLUSTER if a["cluster"] == b["cluster"] else DEVICE):
            return False
        if a["cluster"] == b["cluster"] and (_waited(a, b) or _waited(b, a)):
            return False
        if not near:
            return True
        if a["block_phase"] != b["block_phase"]:
            return False
        return a["thread"] // WARP != b["thread"] // WARP or not (self._after(a, b) or self._after(b, a))

    def _after(self, first: dict[str, Any], second: dict[str, Any]) -> bool:
        """Whether a barrier of the warp stood between the two accesses, in this order."""
        clocks = self.snapshots[second["snapshot"]]
        return bool(clocks[second["thread"] % WARP, first["thread"] % WARP] >= first["epoch"])


def _waited(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether a wait of the cluster stood before the second access for the arrival after the first."""
    return bool(second["cluster_phase"] // 2 > (first["cluster_phase"] + 1) // 2)


def _by_bytes(rows: Rows) -> Rows:
    """The rows, one a byte where accesses of several sizes touch; else one an access."""
    sizes = np.unique(rows["size"])
    if len(sizes) == 1 and not (rows["address"] % int(sizes[0])).any():
        return rows
    counts = rows["size"].astype(np.int64)
    out = np.repeat(rows, counts)
    out["address"] += np.arange(len(out)) - np.repeat(np.cumsum(counts) - counts, counts)
    return out


def _meeting(rows: Rows) -> Iterator[tuple[Rows, Any]]:
    """Places where rows of several threads meet: the rows, and their numbers."""
    whole = ("address", "grid_phase")
    phases = ("block_phase",) if (rows["cluster_phase"] & 1).any() else ("cluster_phase", "block_phase")  # between halves, phases meet
    for names, apart in ((whole, "block"), ((*whole, "block", *phases), "thread")):
        order = np.lexsort([rows[name] for name in reversed(names)])
        changes = np.zeros(len(rows), np.bool_)
        changes[0] = True
        for name in names:
            column = rows[name][order]
            changes[1:] |= column[1:] != column[:-1]
        begins = np.flatnonzero(changes)
        who, writes = rows[apart][order], rows["writes"][order]
        weak = rows["atomic"][order] < (DEVICE if apart == "block" else BLOCK)
        meet = np.minimum.reduceat(who, begins) != np.maximum.reduceat(who, begins)
        meet &= np.logical_or.reduceat(writes, begins) & np.logical_or.reduceat(weak, begins)
        ends = np.append(begins[1:], len(rows))
        for number in np.flatnonzero(meet)[:PLACES]:
            numbers = order[begins[number] : ends[number]]
            # those that write first: without one among them there is no race
            yield rows, numbers[np.argsort(~rows["writes"][numbers], kind="stable")]
