"""Threads that run together, and where control flow meets again.

An activity is a mask of threads with a place in the tree: a region, a step in it, and the joins around it. A branch that contains a wait
splits its activity; the parts meet at the join of the branch, and go on together once all that may still come are there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.barriers import Until, Wait, by_names
from oxidepy.ir.interpreter.control import Region, Step, merge
from oxidepy.ir.interpreter.state import BlockState, Frame
from oxidepy.ir.interpreter.values import Array, Mask


class Split(Step):
    """Control flow in which threads may wait."""

    kind = "split"
    results: Sequence[int]

    def enter(self, run: BlockRun, activity: Activity) -> bool:
        """The activity has come to this operation: move it inside. False if none of its threads goes on as this activity."""
        raise AssertionError(self)

    def ended(self, run: BlockRun, activity: Activity, region: Region) -> bool:
        """The activity has come to the end of one of the regions: move it on, likewise."""
        raise AssertionError(self)


class Join:
    """The end of one passage through a split: who may still come, who is there, and where they go on.

    `slots` are the values at the entrance, `outer` is the join around. Threads that are there may be sent on before the others come.
    """

    def __init__(self, step: Split, activity: Activity, label: str | None = None) -> None:
        self.step = step
        self.label = label
        self.region, self.position, self.outer = activity.region, activity.position, activity.join
        self.slots: list[Any] = activity.frame.slots
        self.pending: Mask = activity.mask
        self.arrived: Mask | None = None
        self.values: list[Array] = []
        self.depth: int = self.outer.depth + 1 if self.outer is not None else 0


class Activity:
    def __init__(self, mask: Mask, frame: Frame, region: Region, position: int = 0, join: Join | None = None) -> None:
        self.mask = mask
        self.frame = frame
        self.region = region
        self.position = position
        self.join = join
        self.wait: Wait | None = None
        self.polls: Op | None = None  # what the threads look at again and again, in which they stopped for others to run
        self.seen: tuple[Op, Mask, list[bytes]] | None = None
        self.stuck = False  # where it stopped, all was as it was when it stopped there before, but for memory

    def poll(self, op: Op, carried: list[bytes]) -> None:
        """Stop before the next round of a loop that carries these values."""
        before = self.seen
        self.stuck = before is not None and before[0] is op and np.array_equal(before[1], self.mask) and before[2] == carried
        self.polls, self.seen = op, (op, self.mask, carried)

    def part(self, mask: Mask) -> Activity:
        """Those of the mask as an activity at the same place; the others are still this one's."""
        frame = Frame(self.frame.slots.copy(), self.frame.state)
        part = Activity(mask, frame, self.region, self.position, self.join)
        part.wait = self.wait
        self.mask = self.mask & ~mask
        return part

    def into(self, region: Region, values: Sequence[Array] = ()) -> bool:
        """Go to the beginning of a region."""
        region.enter(self.frame, values)
        self.region, self.position = region, 0
        return True


class BlockRun:
    """A block of the launch while it runs."""

    def __init__(self, frame: Frame, body: Region) -> None:
        self.state: BlockState = frame.state
        self.ready = deque([Activity(self.state.live, frame, body)])
        self.polling: list[Activity] = []
        self.waiting: list[Activity] = []
        self.joins: dict[Join, None] = {}  # at which some threads are and others may still come

    # ---- running

    def settle(self) -> bool:
        """Run until threads of this block can do nothing more for each other; whether one of them has run."""
        if any(isinstance(one.wait, Until) for one in self.waiting):  # another block may have done what they wait for
            self.release_within()
        ran = bool(self.ready)
        while self.ready or (self.state.copies is not None and self.state.copies.step()):
            ran = True
            self.advance()
            self.release_within()
        return ran

    def poll(self) -> bool:
        """Make those ready that poll; whether there were some."""
        self.ready.extend(self.polling)
        polled = bool(self.polling)
        self.polling.clear()
        return polled

    def advance(self) -> None:
        """Run whoever is ready until all wait, poll or are through."""
        while self.ready:
            activity = self.ready.popleft()
            if self._run(activity):
                (self.polling if activity.polls is not None else self.waiting).append(activity)
                self.state.progress.count += activity.polls is None

    def _run(self, activity: Activity) -> bool:
        """Run an activity until it waits or polls (true), or has no threads any more."""
        activity.polls = None
        while True:
            while activity.position < len(activity.region.steps):
                step = activity.region.steps[activity.position]
                activity.position += 1
                if step.kind == "pure":
                    step.values(activity.frame)
                elif step.kind == "masked":
                    if not self._account(activity, step.masked(activity.frame, activity.mask)):
                        return False
                elif isinstance(step, Split):
                    if not step.enter(self, activity):
                        return False
                elif isinstance(step, Wait):
                    if not step.alone(self.state.live, activity.mask, activity.frame):
                        activity.wait = step
                        return True
                    step.perform([(activity.frame, activity.mask)])
            if not self._end_of_region(activity):
                return False
            if activity.polls is not None:
                return True

    def _end_of_region(self, activity: Activity) -> bool:
        region, join = activity.region, activity.join
        if region.leave is not None:
            self.leave(activity, region.leave, activity.mask, region.ends(activity.frame))
            return False
        if join is None:
            self.state.live = self.state.live & ~activity.mask
            self.state.progress.count += 1
            return False
        return join.step.ended(self, activity, region)

    def _account(self, activity: Activity, reached: Mask | None) -> bool:
        """Take note of the threads that a step ended or sent to the end of a scope; whether some are left."""
        if reached is activity.mask:
            return True
        gone = activity.mask if reached is None else activity.mask & ~reached
        left, activity.frame.left = activity.frame.left, {}
        for label, (mask, values) in left.items():
            self.leave(activity, label, mask, values)
            gone = gone & ~mask
        if gone.any():
            self.state.live = self.state.live & ~gone
            self.state.progress.count += 1
            self._missing(activity.join, None, gone)
        if reached is None:
            return False
        activity.mask = reached
        return True

    # ---- joins

    def leave(self, activity: Activity, label: str, mask: Mask, values: list[Array]) -> None:
        """Threads of the activity go to the end of an enclosing scope."""
        scope = activity.join
        while scope is not None and scope.label != label:
            scope = scope.outer
        assert scope is not None, label
        self._missing(activity.join, scope, mask)
        self.arrive(scope, mask, values)

    def _missing(self, join: Join | None, until: Join | None, gone: Mask) -> None:
        """Threads will not come to these joins any more."""
        while join is not None and join is not until:
            join.pending = join.pending & ~gone
            self._settle(join)
            join = join.outer

    def arrive(self, join: Join, mask: Mask, values: list[Array]) -> None:
        """Threads are at the join, with the results of what it ends."""
        join.pending = join.pending & ~mask
        if join.arrived is None:
            join.arrived, join.values = mask, values
        else:
            join.arrived, join.values = join.arrived | mask, merge(mask, values, join.values)
        self._settle(join)

    def _settle(self, join: Join) -> None:
        if join.arrived is None:
            return
        if join.pending.any():
            self.joins[join] = None
        else:
            self._go_on(join)

    def _go_on(self, join: Join) -> None:
        """Those who are at the join run on behind it."""
        assert join.arrived is not None
        slots = join.slots.copy() if join.pending.any() else join.slots
        activity = Activity(join.arrived, Frame(slots, self.state), join.region, join.position, join.outer)
        activity.frame.write(join.step.results, join.values)
        join.arrived, join.values = None, []
        self.joins.pop(join, None)
        self.ready.append(activity)

    def send_on(self) -> bool:
        """Let threads at the innermost join go ahead of those that it still waits for; whether there was one."""
        if not self.joins:
            return False
        self._go_on(max(self.joins, key=lambda join: join.depth))
        return True

    # ---- waits

    def release_within(self) -> None:
        """Let go who waits for threads of this block only, and has all of them."""
        for activity in [one for one in self.waiting if isinstance(one.wait, Until)]:
            assert isinstance(activity.wait, Until)
            if (going := activity.wait.met(activity.frame, activity.mask)).any():
                self.release(activity.wait, going)
        waits, live = self.waits(), self.state.live
        gathered = np.zeros_like(live)
        names = np.zeros(len(live), np.uint32)
        for activity in self.waiting:
            if activity.wait is not None and (named := activity.wait.names(activity.frame)) is not None:
                gathered = gathered | activity.mask
                names = np.where(activity.mask, named, names)
        gathered = by_names(live, gathered, names)
        for wait, mask in waits.items():
            if isinstance(wait, Until):
                continue
            if wait.named:
                going = mask & gathered
            elif wait.group in ("block", "warpgroup", "warp"):
                going = wait.released(live, mask)
            else:
                continue
            if going.any():
                self.release(wait, going)

    def release(self, wait: Wait, mask: Mask) -> None:
        """The threads of the mask have waited at `wait` and go on, the others of their activities wait on."""
        parties: list[Activity] = []
        for activity in [one for one in self.waiting if one.wait is wait]:
            going = activity.mask & mask
            if not going.any():
                continue
            if np.array_equal(going, activity.mask):
                self.waiting.remove(activity)
            else:
                activity = activity.part(going)
            parties.append(activity)
        wait.perform([(one.frame, one.mask) for one in parties])
        for activity in parties:
            activity.wait = None
            self.ready.append(activity)

    def waits(self) -> dict[Wait, Mask]:
        """Who waits where, in the order of arrival."""
        out: dict[Wait, Mask] = {}
        for activity in self.waiting:
            assert activity.wait is not None
            out[activity.wait] = out[activity.wait] | activity.mask if activity.wait in out else activity.mask
        return out
