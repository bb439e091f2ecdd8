"""Operations for which threads come together: barriers, votes, exchanges."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.control import Step
from oxidepy.ir.interpreter.exchange import WARP, exchange, for_each, in_groups
from oxidepy.ir.interpreter.misuse import Misuse
from oxidepy.ir.interpreter.state import Frame
from oxidepy.ir.interpreter.values import Array, Mask
from oxidepy.ir.intrinsics import ROWS

SIZES = {"warp": WARP, "warpgroup": 4 * WARP}
_EVERY_LANE = np.uint32(0xFFFFFFFF)


class Exchange(Step):
    """A warp operation of the threads that run it, whoever they are."""

    kind = "masked"

    def __init__(self, op: Op, operands: Sequence[int], result: int) -> None:
        function = exchange(op)
        assert function is not None, op
        self.function, self.operands, self.result = function, operands, result

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        frame.slots[self.result] = self.function([frame.slots[one] for one in self.operands], mask)
        return mask


class Wait(Step):
    """A barrier, or an operation for which all live threads of `group` come together."""

    kind = "wait"

    def __init__(self, op: Op, operands: Sequence[int], result: int | None) -> None:
        self.op = op
        self.group = ROWS[op.attrs["row"]].convergence
        self.function = exchange(op)
        self.operands, self.result = operands, result
        self.named = op.attrs["row"] == "warp.sync"  # by an operand: the lanes that come together

    def released(self, live: Mask, waiting: Mask) -> Mask:
        """Which of the threads that wait here need wait no longer, where the group is inside of a block."""
        if self.group == "block":
            return waiting if np.array_equal(live, waiting) else np.zeros_like(waiting)
        size = SIZES[self.group]
        missing = for_each(np.any(in_groups(live & ~waiting, size), axis=1), size, len(live))
        return waiting & ~missing

    def alone(self, live: Mask, mask: Mask, frame: Frame) -> bool:
        """Whether the threads of the mask need wait for no others."""
        if self.group in ("grid", "cluster"):
            return False
        names = self.names(frame)
        if np.array_equal(live, mask) and (names is None or bool((names[mask] == _EVERY_LANE).all())):
            return True
        if self.group == "block":
            return False
        going = self.released(live, mask) if names is None else by_names(live, mask, names)
        return np.array_equal(going, mask)

    def names(self, frame: Frame) -> Array | None:
        """The lanes that each thread names, as bits."""
        return frame.slots[self.operands[0]] if self.named else None

    def perform(self, parties: Sequence[tuple[Frame, Mask]]) -> None:
        """Exchange what is to be exchanged between threads that have all come to this operation."""
        if self.function is None or self.result is None:
            return
        operands = [gathered(parties, slot) for slot in self.operands]
        result = self.function(operands, reduce(np.logical_or, (mask for _, mask in parties)))
        for frame, _ in parties:
            frame.slots[self.result] = result


class Until(Wait):
    """A wait for what is not the coming of others to the same place: each thread goes on once its own condition holds."""

    def met(self, frame: Frame, mask: Mask) -> Mask:
        """Of the threads of the mask, those whose condition holds."""
        raise AssertionError(self)

    def alone(self, live: Mask, mask: Mask, frame: Frame) -> bool:
        return bool(np.array_equal(self.met(frame, mask), mask))

    def lacking(self, frame: Frame, mask: Mask) -> str:
        """What the first of the threads waits for, in words for a note; "" where there is no more to say."""
        return ""

    def perform(self, parties: Sequence[tuple[Frame, Mask]]) -> None:
        """What each has waited for is there; nothing is exchanged."""


class ClusterWait(Until):
    """The second half of the cluster's barrier: until all threads of the cluster that still run have come as often as this one."""

    def __init__(self, op: Op) -> None:
        super().__init__(op, (), None)

    def met(self, frame: Frame, mask: Mask) -> Mask:
        state = frame.state
        if (early := np.flatnonzero(mask & (state.arrived == state.waited))).size:
            raise Misuse(
                self.op, state, int(early[0]), "OX0381", "`cluster.wait` before `cluster.arrive`", "it comes first, once for each wait"
            )
        blocks = [state] if state.cluster is None else list(state.cluster.blocks.values())
        if state.cluster is not None and len(blocks) < state.cluster.size:
            return np.zeros_like(mask)
        least = min((int(one.arrived[one.live].min()) for one in blocks if one.live.any()), default=0)
        return mask & (state.arrived <= least)

    def perform(self, parties: Sequence[tuple[Frame, Mask]]) -> None:
        for frame, mask in parties:
            frame.state.waited[mask] += 1


def gathered(parties: Sequence[tuple[Frame, Mask]], slot: int) -> Array:
    (first, _), *others = parties
    out: Array = first.slots[slot]
    for frame, mask in others:
        out = np.where(mask, frame.slots[slot], out)
    return out


def by_names(live: Mask, waiting: Mask, names: Array) -> Mask:
    """Those for whom every live lane that they name waits too, naming the same lanes."""
    out = np.zeros_like(waiting)
    bits = np.left_shift(np.uint32(1), np.arange(len(live), dtype=np.uint32) % np.uint32(WARP))
    for begin in range(0, len(live), WARP):
        warp = slice(begin, begin + WARP)
        for lanes in np.unique(names[warp][waiting[warp]]):
            alike = waiting[warp] & (names[warp] == lanes)
            if not (live[warp] & (bits[warp] & lanes != 0) & ~alike).any():
                out[warp] |= alike
    return out
