"""Runs blocks whose threads wait for each other: one after the other, and together where that is what they wait for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.activity import BlockRun
from oxidepy.ir.interpreter.barriers import Until, Wait
from oxidepy.ir.interpreter.control import Region
from oxidepy.ir.interpreter.state import BlockState, Frame, Progress, Triple, coordinates
from oxidepy.ir.intrinsics.barrier import TESTS, WAITS

# rounds of polling in which nothing changes, after which others go ahead of the threads that poll
PATIENCE = 8


@dataclass(frozen=True)
class Waiters:
    """Threads that wait at one operation: how many, and the first of them, with what it waits for where there is more to say of that."""

    op: Op
    count: int
    block: Triple
    thread: Triple
    lacking: str = ""

    def __str__(self) -> str:
        who = "1 thread waits" if self.count == 1 else f"{self.count} threads wait"
        return f"{who} here"


class Deadlock(Exception):
    """No thread can go on: those that are not through wait, each for others. `waiters` says where; there is at least one."""

    def __init__(self, waiters: tuple[Waiters, ...]) -> None:
        self.waiters = waiters
        named = [(one.op.attrs.get("row", one.op.name), one.op.span, one) for one in waiters]
        super().__init__("; ".join(f"{name}{f' ({span})' if span else ''}: {one}" for name, span, one in named))

    def diagnostic(self, *notes: str) -> Diagnostic:
        """The finding for people, with the places at which threads wait."""
        first, *others = self.waiters
        return Diagnostic(
            "OX7004",
            "deadlock: threads wait for others that never come",
            first.op.span,
            label=str(first),
            labels=tuple(Label(one.op.span, str(one)) for one in others if one.op.span is not None),
            notes=(*(one.lacking for one in self.waiters if one.lacking), *notes),
            help=_way_out(first.op),
        )


def _way_out(op: Op) -> str:
    if op.name == "atomic":
        return "let some thread change what these look at"
    if op.attrs.get("row") in (*WAITS, *TESTS):
        return "`barrier.init` says how many arrivals end a phase, `expect_tx` how many bytes more, the token or parity which phase it is"
    return "let all threads that a barrier is for come to the same barrier"


class Scheduler:
    def __init__(
        self, body: Region, begin: Callable[[int], Frame], grid: Triple, block: Triple, cluster: Triple, progress: Progress
    ) -> None:
        self.body, self.begin, self.block = body, begin, block
        self.blocks = grid[0] * grid[1] * grid[2]
        self.cluster = cluster
        self.progress = progress
        self.begun = 0
        self.runs: list[BlockRun] = []
        self.first: BlockState | None = None

    def run(self) -> BlockState | None:
        """Run all blocks; the lowest in which a check failed. Deadlock where they cannot come to an end."""
        idle = 0
        while True:
            before = self.progress.count
            while sum(run.settle() for run in self.runs):  # all of them, every time
                pass
            if self._retire():
                continue
            if not self.runs and self.begun == self.blocks:
                return self.first
            if self._release_across():
                continue
            polled = [run.poll() for run in self.runs]
            idle = idle + 1 if self.progress.count == before else 0
            if any(polled) and idle < PATIENCE:
                continue
            idle = 0
            if any(run.send_on() for run in self.runs):
                continue
            if self.begun < self.blocks:
                self.runs.append(BlockRun(self.begin(self.begun), self.body))
                self.begun += 1
            elif self._failed():
                return self.first  # what the ended threads would have done may be what the others wait for
            elif all(activity.stuck for run in self.runs for activity in run.ready):  # of those that were made ready to poll again
                raise Deadlock(self._waiters())

    def _retire(self) -> bool:
        """Let go of blocks that are through; whether copies of theirs were still to be done, which others may wait for."""
        through = [run for run in self.runs if not run.state.live.any()]
        for run in through:
            self._note(run.state)
            self.runs.remove(run)
        return bool(sum(run.state.copies.flush() for run in through if run.state.copies is not None))

    def _note(self, state: BlockState) -> None:
        if state.panic is not None and (self.first is None or state.place[::-1] < self.first.place[::-1]):
            self.first = state

    def _failed(self) -> bool:
        for run in self.runs:
            self._note(run.state)
        return self.first is not None

    def _release_across(self) -> bool:
        """Let go who waits for threads of other blocks, and has all of them; whether there were such."""
        if self.begun < self.blocks:
            return False
        groups: dict[tuple[Wait, Triple | None], list[BlockRun]] = {}
        for run in self.runs:
            for wait, mask in run.waits().items():
                if wait.group in ("grid", "cluster") and not isinstance(wait, Until) and np.array_equal(mask, run.state.live):
                    groups.setdefault((wait, self._cluster_of(run) if wait.group == "cluster" else None), []).append(run)
        released = False
        for (wait, cluster), runs in groups.items():
            members = self.runs if cluster is None else [run for run in self.runs if self._cluster_of(run) == cluster]
            if len(runs) == len(members):
                for run in runs:
                    run.release(wait, run.state.live)
                released = True
        return released

    def _cluster_of(self, run: BlockRun) -> Triple:
        (x, y, z), (cx, cy, cz) = run.state.place, self.cluster
        return x // cx, y // cy, z // cz

    def _waiters(self) -> tuple[Waiters, ...]:
        found: dict[Op, Waiters] = {}
        for run in self.runs:
            waiting = [(wait.op, mask) for wait, mask in run.waits().items()]
            lacking = {one.wait.op: one.wait.lacking(one.frame, one.mask) for one in run.waiting if isinstance(one.wait, Until)}
            for op, mask in (*waiting, *((one.polls, one.mask) for one in run.ready if one.polls is not None)):
                count, known = int(np.count_nonzero(mask)), found.get(op)
                first = Waiters(op, count, run.state.place, coordinates(int(np.argmax(mask)), self.block), lacking.get(op, ""))
                found[op] = first if known is None else replace(known, count=known.count + count)
        return tuple(found.values())
