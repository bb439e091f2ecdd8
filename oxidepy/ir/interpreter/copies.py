"""Copies that run beside the threads. What they write is undefined until they are done; they are done as late as they may be: at a wait
for them, when no thread of the block can go on otherwise, or at the block's end.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from oxidepy.ir.interpreter.hardware import Execution, Place
from oxidepy.ir.interpreter.mbarrier import Barrier, Misuse, barriers_of
from oxidepy.ir.interpreter.memory import UNDEFINED
from oxidepy.ir.interpreter.state import BlockState
from oxidepy.ir.interpreter.values import Array, Mask

Work = Callable[[], None]


class Copy:
    """A copy of `count` bytes for each thread of the mask; of the source `sizes` bytes, the others are zeros."""

    def __init__(self, mask: Mask, to: Place, source: Place, count: int, sizes: Array, groups: Array) -> None:
        self.mask, self.to, self.source, self.count, self.sizes, self.groups = mask, to, source, count, sizes, groups

    def finish(self, mask: Mask) -> None:
        """Do it for those threads of the mask for which it is not done."""
        going = self.mask & mask
        if not going.any():
            return
        data = np.zeros((len(mask), self.count), np.uint8)
        for size in np.unique(self.sizes[going]).tolist():
            if size:
                those = going & (self.sizes == size)
                data[those, :size] = self.source.read(size, those)[those]
        self.to.write(data, going)
        self.mask = self.mask & ~going


class Copies:
    """What is under way for one block. `running`: bulk copies and arrivals, in order; `stores`: for each thread its groups of copies out
    of shared memory, the last one still open."""

    def __init__(self, threads: int) -> None:
        self.copies: list[Copy] = []
        self.groups = np.zeros(threads, np.int64)  # of copies of single threads: how many each thread has made
        self.running: deque[Work] = deque()
        self.stores: dict[int, list[list[Work]]] = {}

    def finish(self, mask: Mask, below: Array) -> None:
        """The threads' copies in groups of lower numbers."""
        for one in self.copies:
            one.finish(mask & (one.groups < below))
        self.copies = [one for one in self.copies if one.mask.any()]

    def stored(self, thread: int, left: int) -> None:
        """The thread's closed groups but for the last `left`."""
        groups = self.stores.get(thread, [[]])
        closed = groups[:-1]
        for group in closed[: len(closed) - left] if left < len(closed) else []:
            for work in group:
                work()
        self.stores[thread] = [*closed[max(len(closed) - left, 0) :], groups[-1]]

    def step(self) -> bool:
        """Do the next thing that runs beside the threads; whether there was one."""
        if not self.running:
            return False
        self.running.popleft()()
        return True

    def flush(self) -> bool:
        """Do everything; whether there was something."""
        something = bool(self.running or self.copies or any(group for groups in self.stores.values() for group in groups))
        while self.step():
            pass
        for copy in self.copies:
            copy.finish(copy.mask)
        for groups in self.stores.values():
            for work in [work for group in groups for work in group]:
                work()
        self.copies, self.stores = [], {}
        return something


def copies_of(state: BlockState) -> Copies:
    found = state.copies
    if found is None:
        found = state.copies = Copies(len(state.live))
    assert isinstance(found, Copies)
    return found


def begin(execution: Execution) -> Sequence[Array]:
    return _begin(execution, np.full(len(execution.mask), execution.attrs["bytes"], np.int64))


def begin_filled(execution: Execution) -> Sequence[Array]:
    return _begin(execution, execution.register("size").astype(np.int64))


def _begin(execution: Execution, sizes: Array) -> Sequence[Array]:
    count, mask, copies = int(execution.attrs["bytes"]), execution.mask, copies_of(execution.state)
    to, source = execution.place("to"), execution.place("source")
    for place, what in ((to, "shared"), (source, "global")):
        if (wrong := mask & (place.at % count != 0)).any():
            message = f"a copy of {count} bytes at byte {int(place.at[wrong][0])} of an array in {what} memory"
            help = f"both places are multiples of {count} bytes"
            raise Misuse(execution.op, execution.state, int(np.argmax(wrong)), "OX2007", message, help)
    to.write(np.full((len(mask), count), UNDEFINED, np.uint8), mask)
    copies.copies.append(Copy(mask.copy(), to, source, count, np.clip(sizes, 0, count), copies.groups.copy()))
    return ()


def commit(execution: Execution) -> Sequence[Array]:
    copies_of(execution.state).groups[execution.mask] += 1
    return ()


def wait(execution: Execution) -> Sequence[Array]:
    copies = copies_of(execution.state)
    copies.finish(execution.mask, copies.groups - int(execution.attrs["left"]))
    return ()


def wait_all(execution: Execution) -> Sequence[Array]:
    copies = copies_of(execution.state)
    copies.finish(execution.mask, copies.groups + 1)
    return ()


def arrive(execution: Execution) -> Sequence[Array]:
    for _, barrier in barriers_of(execution):
        barrier.more(1)
    return arrive_noinc(execution)


def arrive_noinc(execution: Execution) -> Sequence[Array]:
    copies = copies_of(execution.state)
    before, mask = list(copies.copies), execution.mask.copy()
    barriers = [barrier for _, barrier in barriers_of(execution)]

    def done() -> None:
        for one in before:
            one.finish(mask)
        _all_arrive(barriers)

    copies.running.append(done)
    return ()


def _all_arrive(barriers: Sequence[Barrier]) -> None:
    for one in barriers:
        one.arrive(1)
