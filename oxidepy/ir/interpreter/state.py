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
    panic: Failure | None = None

    def fail(self, site: Op, failed: Mask, index: Array | None, length: Array | None, block: Array | None = None) -> None:
        """Record the lowest of the failing threads; `block` is the number that counts where several blocks run as one."""
        thread = int(np.argmax(failed))
        number = None if block is None else int(block[thread])
        if self.panic is None or (number or 0, thread) < (self.panic.block or 0, self.panic.thread):
            at = None if index is None else int(index[thread])
            self.panic = Failure(thread, site, at, None if length is None else int(length[thread]), number)


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
