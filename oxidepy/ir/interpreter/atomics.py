"""Atomic accesses: one thread after the other, in the order of their numbers."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from oxidepy.ir.interpreter.arithmetic import operation
from oxidepy.ir.interpreter.control import Step
from oxidepy.ir.interpreter.memory import Leaf
from oxidepy.ir.interpreter.state import Frame
from oxidepy.ir.interpreter.values import Array, Mask, to_bits
from oxidepy.ir.types import Scalar

Update = Callable[..., Array]
TWO_WORDS = np.dtype([("low", np.uint64), ("high", np.uint64)])  # of an access that is wider than any number

# operations that NumPy can run along an array, each step from the one before
_CHAINED: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


def update(kind: str, type_: Scalar) -> Update:
    """(old value, operands…) → the new value of a read-modify-write."""

    def exchange(old: Array, new: Array) -> Array:
        return new

    def compare_exchange(old: Array, expected: Array, new: Array) -> Array:
        same = old == expected if old.dtype == TWO_WORDS else to_bits(type_, old) == to_bits(type_, expected)
        return np.where(same, new, old)

    if kind in ("exchange", "compare_exchange"):
        return exchange if kind == "exchange" else compare_exchange
    found = operation(kind, type_)
    assert found is not None, kind
    return found


def chained(kind: str, type_: Scalar) -> Any | None:
    """The same as a ufunc whose `accumulate` does many in a row; None where there is no such."""
    exact = type_.is_int or (type_.bits >= 32 and kind in ("add", "sub"))
    return _CHAINED.get(kind) if exact else None


def _joined(low: Array, high: Array) -> Array:
    both = np.empty(len(low), TWO_WORDS)
    both["low"], both["high"] = low, high
    return both


class Atomic(Step):
    """Loads, stores and read-modify-writes. `leaf` is what is accessed; `results`: of a store none, of two words two."""

    kind = "masked"

    def __init__(self, action: str, leaf: Leaf, operands: Sequence[int], results: Sequence[int]) -> None:
        self.action, self.leaf, self.operands, self.results = action, leaf, operands, results
        self.two = leaf.dtype == TWO_WORDS
        simple = action in ("load", "store")
        self.update = None if simple else update(action, leaf.type)
        self.chained = None if simple or self.two else chained(action, leaf.type)

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        buffer, index, *values = (frame.slots[slot] for slot in self.operands)
        if self.two:
            values = [_joined(low, high) for low, high in zip(values[::2], values[1::2], strict=True)]
        threads = np.flatnonzero(mask)
        memory, at = self.leaf.places(buffer, index, mask)
        before = memory[at]
        given = self.leaf.decode(before)
        if self.action == "store":
            memory[at] = self.leaf.encode(values[0][threads])
        elif self.update is not None:
            given = self._in_order(memory, at, [one[threads] for one in values])
        if memory[at].tobytes() != before.tobytes():
            frame.state.progress.count += 1
        for slot, part in zip(self.results, (given["low"], given["high"]) if self.two else (given,), strict=False):
            out = np.zeros(len(mask), part.dtype)
            out[threads] = part
            frame.slots[slot] = out
        return mask

    def _in_order(self, memory: Array, at: Array, values: list[Array]) -> Array:
        """Update `memory[at]` one after the other; the old values."""
        order = np.argsort(at, kind="stable")
        ordered = at[order]
        begins = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        counts = np.diff(np.append(begins, len(at)))
        old = self.leaf.decode(memory[at])
        if self.chained is not None and len(counts) < counts.max():
            for begin, count in zip(begins.tolist(), counts.tolist(), strict=True):
                turn = order[begin : begin + count]
                run = self.chained.accumulate(np.concatenate((old[turn[:1]], values[0][turn])), dtype=old.dtype)
                old[turn] = run[:-1]
                memory[at[turn[0]]] = run[-1]
            return old
        # the first of each place together, then the second of each, …
        number = np.arange(len(at)) - np.repeat(begins, counts)
        for turn_number in range(int(counts.max())):
            turn = order[number == turn_number]
            old[turn] = self.leaf.decode(memory[at[turn]])
            memory[at[turn]] = self.leaf.encode(self._new(old[turn], [one[turn] for one in values]))
        return old

    def _new(self, old: Array, values: list[Array]) -> Array:
        assert self.update is not None
        return self.update(old, *values)
