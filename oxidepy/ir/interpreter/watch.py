"""Steps that tell a watcher what they do: accesses, failed checks, barriers, integers that overflow."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.barriers import Wait
from oxidepy.ir.interpreter.control import Step
from oxidepy.ir.interpreter.memory import Leaf
from oxidepy.ir.interpreter.state import BlockState, Frame
from oxidepy.ir.interpreter.values import Array, Mask


class Watcher(Protocol):
    """What wants to know. Masks and arrays are over the threads of the block of `state`."""

    def access(self, op: Op, state: BlockState, mask: Mask, buffer: Any, leaf: Leaf, index: Array) -> None:
        """The threads of the mask are about to access elements `index` of `buffer`."""

    def failed(self, op: Op, state: BlockState, failed: Mask, index: Array | None, length: Array | None) -> None:
        """A check has failed for these threads."""

    def met(self, op: Op, state: BlockState, mask: Mask) -> None:
        """The threads of the mask have come together at a barrier, or another operation for which threads wait."""

    def wrapped(self, op: Op, state: BlockState, mask: Mask) -> None:
        """The result of an integer operation did not fit its type in these threads."""


class _Access(Step):
    kind = "masked"

    def __init__(self, op: Op, inner: Step, leaf: Leaf, memory: int, index: int, watcher: Watcher) -> None:
        self.op, self.inner, self.leaf, self.memory, self.index, self.watcher = op, inner, leaf, memory, index, watcher

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        self.watcher.access(self.op, frame.state, mask, frame.slots[self.memory], self.leaf, frame.slots[self.index])
        return self.inner.masked(frame, mask)


class _Check(Step):
    kind = "masked"

    def __init__(self, op: Op, inner: Step, condition: int, facts: Sequence[int], watcher: Watcher) -> None:
        self.op, self.inner, self.condition, self.facts, self.watcher = op, inner, condition, facts, watcher

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        failed = mask & ~frame.slots[self.condition]
        if failed.any():
            index, length = (frame.slots[one] for one in self.facts) if self.facts else (None, None)
            self.watcher.failed(self.op, frame.state, failed, index, length)
        return self.inner.masked(frame, mask)


class _Arithmetic(Step):
    kind = "masked"

    def __init__(self, op: Op, inner: Step, operands: Sequence[int], result: int, watcher: Watcher) -> None:
        self.op, self.inner, self.operands, self.result, self.watcher = op, inner, operands, result, watcher
        self.overflows = _OVERFLOWS[op.name]

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        self.inner.values(frame)
        slots = frame.slots
        wrapped = mask & self.overflows(slots[self.result], *[slots[one] for one in self.operands])
        if wrapped.any():
            self.watcher.wrapped(self.op, frame.state, wrapped)
        return mask


@cache
def _telling(kind: type[Wait]) -> type[Wait]:
    """The same kind of wait, which tells its watcher of each coming together."""

    class Telling(kind):  # type: ignore[misc, valid-type]
        watcher: Watcher

        def perform(self, parties: Sequence[tuple[Frame, Mask]]) -> None:
            if parties:
                together = np.logical_or.reduce([mask for _, mask in parties])
                self.watcher.met(self.op, parties[0][0].state, together)
            super().perform(parties)

    return Telling


def watched(op: Op, step: Step, slots: Callable[[Op], tuple[list[int], list[int]]], watcher: Watcher) -> Step:
    """The step of an operation as one that tells the watcher; `slots` gives those of its operands and results."""
    operands, results = slots(op)
    leaf = getattr(step, "leaf", None)
    if isinstance(leaf, Leaf) and op.name in ("load", "store", "atomic"):
        return _Access(op, step, leaf, operands[0], operands[1], watcher)
    if op.name == "check":
        return _Check(op, step, operands[0], operands[1:], watcher)
    if isinstance(step, Wait):
        kind = _telling(type(step))  # type: ignore[arg-type]
        waiting = kind.__new__(kind)
        waiting.__dict__.update(step.__dict__, watcher=watcher)
        return waiting
    if step.kind == "pure" and op.name in _OVERFLOWS and op.result.scalar.is_int and op.result.scalar.signed:
        return _Arithmetic(op, step, operands, results[0], watcher)
    return step


def _sum(result: Array, a: Array, b: Array) -> Array:
    return ((a ^ result) & (b ^ result)) < 0


def _difference(result: Array, a: Array, b: Array) -> Array:
    return ((a ^ b) & (a ^ result)) < 0


def _product(result: Array, a: Array, b: Array) -> Array:
    if a.dtype.itemsize < 8:
        return a.astype(np.int64) * b.astype(np.int64) != result
    least = np.iinfo(a.dtype).min
    divisor = np.where(a == 0, a.dtype.type(1), a)
    return np.where(a == -1, b == least, (a != 0) & (np.floor_divide(result, divisor) != b))


def _least(result: Array, a: Array, *_: Array) -> Array:
    return a == np.iinfo(a.dtype).min


def _quotient(result: Array, a: Array, b: Array) -> Array:
    return _least(result, a) & (b == -1)


_OVERFLOWS: dict[str, Callable[..., Array]] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "neg": _least,
    "abs": _least,
    "floordiv": _quotient,
}
