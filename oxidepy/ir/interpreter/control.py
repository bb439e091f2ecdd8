"""Regions: straight steps, and control flow by masks.

A region takes the mask of the threads that enter and gives that of the threads that reach its end, or None if there are none
(they left, or a check ended them). Control flow in which threads may wait for others is made of the steps of `waiting`.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from oxidepy.ir.interpreter.state import Frame
from oxidepy.ir.interpreter.values import UNSIGNED, Array, Mask
from oxidepy.ir.types import Scalar


class Step:
    """One operation, made ready. `kind` says which of the methods runs it; waits and splits are run by `waiting`."""

    kind: Literal["pure", "masked", "wait", "split"]

    def values(self, frame: Frame) -> None:
        """pure: reads and writes values, whatever the mask."""

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        """masked: acts for the threads of the mask; gives those that go on."""
        raise AssertionError(self.kind)


class Region:
    """The steps of a block; the slots of its arguments, and of what its terminator passes. `waits`: threads may wait inside."""

    def __init__(self, args: Sequence[int], steps: Sequence[Step], passed: Sequence[int], leave: str | None) -> None:
        self.args = args
        self.steps = steps
        self.passed = passed
        self.leave = leave
        self.waits = any(one.kind in ("wait", "split") for one in steps)

    def run(self, frame: Frame, mask: Mask) -> Mask | None:
        for step in self.steps:
            if step.kind == "pure":
                step.values(frame)
                continue
            reached = step.masked(frame, mask)
            if reached is None:
                return None
            mask = reached
        if self.leave is not None:
            frame.leave(self.leave, mask, self.ends(frame))
            return None
        return mask

    def enter(self, frame: Frame, values: Sequence[Array]) -> None:
        for slot, value in zip(self.args, values, strict=True):
            frame.slots[slot] = value

    def ends(self, frame: Frame) -> list[Array]:
        """What the terminator passes, once the region has been run."""
        return [frame.slots[slot] for slot in self.passed]


def merge(mask: Mask, new: Sequence[Array], old: Sequence[Array]) -> list[Array]:
    """`new` for the threads of the mask, `old` for the others."""
    return list(new) if mask.all() else [np.where(mask, one, other) for one, other in zip(new, old, strict=True)]


class If(Step):
    kind = "masked"

    def __init__(self, condition: int, then: Region, otherwise: Region, results: Sequence[int]) -> None:
        self.condition, self.then, self.otherwise, self.results = condition, then, otherwise, results

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        condition = frame.slots[self.condition]
        ends: list[tuple[Mask, list[Array]]] = []
        for region, chosen in ((self.then, mask & condition), (self.otherwise, mask & ~condition)):
            if chosen.any():
                reached = region.run(frame, chosen)
                if reached is not None:
                    ends.append((reached, region.ends(frame)))
        if not ends:
            return None
        reached, values = ends[0]
        if len(ends) == 2:
            values = merge(reached, values, ends[1][1])
            reached = reached | ends[1][0]
        frame.write(self.results, values)
        return reached


class For(Step):
    kind = "masked"

    def __init__(self, type_: Scalar, operands: Sequence[int], body: Region, results: Sequence[int]) -> None:
        self.type, self.operands, self.body, self.results = type_, operands, body, results

    def rounds(self, start: Array, stop: Array, step: Array) -> Array:
        """How many values range(start, stop, step) has, in unsigned numbers of the type's width, which can always say it."""
        unsigned = UNSIGNED[self.type.bits]
        one = unsigned.type(1)
        up = step > 0
        first, last, stride = start.view(unsigned), stop.view(unsigned), step.view(unsigned)
        span = np.where(up, last - first, first - last)
        stride = np.where(up, stride, np.negative(stride))
        stride = np.where(stride == 0, one, stride)
        return np.where(np.where(up, start < stop, start > stop), (span - one) // stride + one, unsigned.type(0))

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        variable, stop, step, *carried = (frame.slots[slot] for slot in self.operands)
        left = np.where(mask, self.rounds(variable, stop, step), 0)
        one = left.dtype.type(1)
        done = mask & (left == 0)
        active = mask & (left != 0)
        while active.any():
            self.body.enter(frame, [variable, *carried])
            reached = self.body.run(frame, active)
            if reached is None:
                break
            carried = merge(reached, self.body.ends(frame), carried)
            left = np.where(reached, left - one, left)
            variable = variable + step
            done = done | (reached & (left == 0))
            active = reached & (left != 0)
        frame.write(self.results, carried)
        return done if done.any() else None


class While(Step):
    kind = "masked"

    def __init__(self, operands: Sequence[int], test: Region, body: Region, results: Sequence[int]) -> None:
        self.operands, self.test, self.body, self.results = operands, test, body, results

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        carried = [frame.slots[slot] for slot in self.operands]
        results: list[Array] | None = None
        done = np.zeros_like(mask)
        active = mask
        while active.any():
            self.test.enter(frame, carried)
            tested = self.test.run(frame, active)
            if tested is None:
                break
            flag, *passed = self.test.ends(frame)
            ended = tested & ~flag
            if ended.any():
                results = passed if results is None else merge(ended, passed, results)
                done = done | ended
            active = tested & flag
            if not active.any():
                break
            self.body.enter(frame, passed)
            reached = self.body.run(frame, active)
            if reached is None:
                break
            carried = merge(reached, self.body.ends(frame), carried)
            active = reached
        if results is None:
            return None
        frame.write(self.results, results)
        return done


class Scope(Step):
    kind = "masked"

    def __init__(self, label: str, body: Region, results: Sequence[int]) -> None:
        self.label, self.body, self.results = label, body, results

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        outer = frame.left.pop(self.label, None)
        reached = self.body.run(frame, mask)
        left = frame.left.pop(self.label, None)
        if outer is not None:
            frame.left[self.label] = outer
        if reached is None and left is None:
            return None
        if left is None:
            frame.write(self.results, self.body.ends(frame))
            return reached
        gone, values = left
        if reached is not None and self.body.leave is None:
            values = merge(reached, self.body.ends(frame), values)
            gone = gone | reached
        frame.write(self.results, values)
        return gone
