"""What changes while a block runs: values, threads that left scopes, scratch memory, panics."""

from __future__ import annotations

from collections.abc import Sequence
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


@dataclass
class Progress:
    """Counts what may let a thread that polls memory go on: changes of memory, and threads that end or begin to wait."""

    count: int = 0


@dataclass
class BlockState:
    """One block of the launch, at `place` in the grid.

    `coordinates` are those that the rows of intrinsics name. `live`: threads that no check has ended and that are not through.
    `scratch`: the block's memory objects, by their `alloc`. `panic` is the lowest thread's so far.
    """

    place: Triple
    coordinates: dict[str, Array]
    live: Mask
    progress: Progress
    scratch: dict[Op, Buffer] = field(default_factory=dict[Op, Buffer])
    panic: tuple[int, Op, int | None, int | None] | None = None

    def fail(self, site: Op, failed: Mask, index: Array | None, length: Array | None) -> None:
        """Record the lowest of the failing threads; they go on no further."""
        thread = int(np.argmax(failed))
        if self.panic is None or thread < self.panic[0]:
            at = None if index is None else int(index[thread])
            self.panic = (thread, site, at, None if length is None else int(length[thread]))


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
