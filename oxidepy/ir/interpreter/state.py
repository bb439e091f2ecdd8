"""What changes while a block runs: values, threads that left scopes, scratch memory, panics."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.memory import Buffer
from oxidepy.ir.interpreter.values import Array, Mask

Triple = tuple[int, int, int]


def coordinates(number: int, extents: Triple) -> Triple:
    """The coordinates of a linear number, x fastest."""
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


@dataclass(frozen=True)
class Panic:
    """A check that failed: its operation, the coordinates of the thread, and index and length where the check has them."""

    site: Op
    block: Triple
    thread: Triple
    index: int | None = None
    length: int | None = None


@dataclass(frozen=True)
class Failure:
    """The thread of a block whose check failed: its linear number, the check, index and length; `block`: the number that counts, if it
    is not the running block's."""

    thread: int
    site: Op
    index: int | None
    length: int | None
    block: int | None


@dataclass
class Progress:
    """Counts what may let a thread that polls memory go on: changes of memory, and threads that end or begin to wait."""

    count: int = 0


@dataclass(eq=False)
class Cluster:
    """A cluster of the launch: its blocks that have begun by rank, of `size`, and each shared object of all of them, a row a block."""

    size: int
    blocks: dict[int, BlockState] = field(default_factory=dict[int, "BlockState"])
    shared: dict[Op, Buffer] = field(default_factory=dict[Op, Buffer])

    def of(self, op: Op, rank: int, make: Callable[[], Buffer]) -> Buffer:
        """The object of one block."""
        if op not in self.shared:
            own = make()
            self.shared[op] = np.broadcast_to(own, (self.size, len(own))).copy()
        return self.shared[op][rank]


@dataclass
class BlockState:
    """One block of the launch, at `place` in the grid; `rank` is its number in its cluster, if it has one.

    `coordinates` are those that the rows of intrinsics name. `live`: threads that no check has ended and that are not through.
    `scratch`: the block's memory objects, by their `alloc`; `addresses`: where shared ones begin whose address
    was asked for. `panic` is the lowest thread's so far. `arrived`: how often each thread has come to the first half of the cluster's
    barrier; `waited`: how often it was through the second.
    """

    place: Triple
    coordinates: dict[str, Array]
    live: Mask
    progress: Progress
    cluster: Cluster | None = None
    rank: int = 0
    scratch: dict[Op, Buffer] = field(default_factory=dict[Op, Buffer])
    addresses: dict[Op, int] = field(default_factory=dict[Op, int])
    panic: Failure | None = None
    copies: Any = None  # what is copied beside the threads, see `copies`
    arrived: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    waited: Array = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        self.arrived, self.waited = np.zeros(len(self.live), np.int64), np.zeros(len(self.live), np.int64)
        if self.cluster is not None:
            self.cluster.blocks[self.rank] = self

    def fail(self, site: Op, failed: Mask, index: Array | None, length: Array | None, block: Array | None = None) -> None:
        """Record the lowest of the failing threads; `block` is the number that counts where several blocks run as one."""
        thread = int(np.argmax(failed))
        number = None if block is None else int(block[thread])
        if self.panic is None or (number or 0, thread) < (self.panic.block or 0, self.panic.thread):
            at = None if index is None else int(index[thread])
            self.panic = Failure(thread, site, at, None if length is None else int(length[thread]), number)


class Clusters:
    """The clusters of a launch of which some blocks have begun and others have not; the blocks keep the others."""

    def __init__(self, shape: Triple | None) -> None:
        self.shape = shape
        self.begun: dict[Triple, Cluster] = {}

    def of(self, place: Triple) -> tuple[Cluster | None, int]:
        """The cluster of the block at that place of the grid, and its number there."""
        if self.shape is None:
            return None, 0
        (x, y, z), (cx, cy, cz) = place, self.shape
        key = (x // cx, y // cy, z // cz)
        cluster = self.begun.setdefault(key, Cluster(cx * cy * cz))
        if len(cluster.blocks) == cluster.size - 1:
            del self.begun[key]
        return cluster, x % cx + cx * (y % cy + cy * (z % cz))


@dataclass
class Frame:
    """The values of a kernel's or function's body for the threads of a block."""

    slots: list[Any]
    state: BlockState
    left: dict[str, tuple[Mask, list[Array]]] = field(default_factory=dict[str, "tuple[Mask, list[Array]]"])

    def write(self, slots: Sequence[int], values: Sequence[Array]) -> None:
        for slot, value in zip(slots, values, strict=True):
            self.slots[slot] = value

    def leave(self, label: str, mask: Mask, values: list[Array]) -> None:
        """The threads of the mask go to the end of the scope with these results."""
        before = self.left.get(label)
        if before is None:
            self.left[label] = (mask, values)
        else:
            gone, old = before
            self.left[label] = (gone | mask, [np.where(mask, new, one) for new, one in zip(values, old, strict=True)])
