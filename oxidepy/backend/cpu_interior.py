"""Blocks whose threads all lie inside: what guards ask, `x < width`, holds for every thread of nearly every block.

Asked once for the block, by the thread for which it is least true, it leaves code without masks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.record import record
from oxidepy.ir.types import I32

if TYPE_CHECKING:
    from oxidepy.backend.cpu_levels import LevelEmitter

GUARDS = ("lt", "le", "gt", "ge")
_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_LEAST, _MOST = -(2**31), 2**31 - 1
_DEPTH = 8  # operations that an index is made of


@record
class _Line:
    """A number modulo 2**32: a multiple of each of some values that are equal in all threads of the block, and what the thread adds."""

    parts: tuple[tuple[Value, int], ...] = ()
    low: int = 0  # the least and the most that a thread adds
    high: int = 0

    def plus(self, other: _Line, factor: int) -> _Line:
        more = other.times(factor)
        return _Line((*self.parts, *more.parts), self.low + more.low, self.high + more.high)

    def times(self, factor: int) -> _Line:
        ends = sorted((self.low * factor, self.high * factor))
        return _Line(tuple((value, factor * own) for value, own in self.parts), *ends)


class Interior:
    """What is asked of a block before it goes through some operations."""

    def __init__(self, emitter: LevelEmitter) -> None:
        self.emitter = emitter
        self.kernel = emitter.kernel

    def ask(self, ops: Sequence[Op]) -> tuple[str, frozenset[Op]]:
        """Whether all guards hold for all threads of the block, as an i1, and these guards; "" where there is nothing to ask."""
        accesses = any(inner.name in ("load", "store") for op in ops for one in op.walk() if one.name == "if" for inner in one.walk())
        asked: dict[Op, list[str]] = {}
        for op in (inner for one in ops for inner in one.walk()) if accesses else ():
            if op.name in GUARDS and op.operands[0].type == I32:
                conditions = self._conditions(op)
                if conditions:
                    asked[op] = conditions
        held = ""
        for condition in (one for several in asked.values() for one in several):
            held = condition if not held else self.emitter.ins(f"and i1 {held}, {condition}")
        return held, frozenset(asked)

    def _conditions(self, op: Op) -> list[str]:
        """In 64 bits, where no sum wraps: that no thread's number wraps, and that the one nearest to the bound keeps to it."""
        left, right = (self._line(one, _DEPTH) for one in op.operands)
        name = op.name
        if left is not None and left.low == left.high:
            left, right, name = right, left, _TURNED[name]
        if left is None or right is None or left.low == left.high or right.low != right.high:
            return []  # it is the same for all, or each has a bound of its own
        if not any(self._of_block(value) for value, _ in left.parts):
            return []  # asked of the thread alone: it holds for some in every block
        emitter, number, bound = self.emitter, self._text(left), self._text(right, right.low)
        first, last = (emitter.ins(f"add i64 {number}, {end}") for end in (left.low, left.high))
        below = name in ("lt", "le")
        found = [emitter.ins(f"icmp s{name} i64 {last if below else first}, {bound}")]
        if left.low < 0:
            found.append(emitter.ins(f"icmp sge i64 {first}, {_LEAST}"))
        if left.high > 0 and not below:
            found.append(emitter.ins(f"icmp sle i64 {last}, {_MOST}"))
        return found

    def _line(self, value: Value, depth: int) -> _Line | None:
        """What a value is made of; None if that is not known here."""
        if value.constant is not None:
            return _Line((), int(value.constant), int(value.constant))
        if value in self.emitter.plan.uniform:
            return _Line(((value, 1),)) if value in self.emitter.values else None
        op = value.owner
        if not isinstance(op, Op) or depth == 0 or value.type != I32:
            return None
        if op.name == "intrinsic":
            return self._coordinate(op, value)
        if op.name in ("add", "sub"):
            left, right = (self._line(one, depth - 1) for one in op.operands)
            return left.plus(right, 1 if op.name == "add" else -1) if left is not None and right is not None else None
        if op.name == "mul":
            for one, other in (op.operands, op.operands[::-1]):
                line = self._line(one, depth - 1)
                if other.constant is not None and line is not None:
                    return line.times(int(other.constant))
        return None

    def _coordinate(self, op: Op, value: Value) -> _Line | None:
        space, _, axis = ROWS[op.attrs["row"]].cpu.partition(".")
        if axis not in ("x", "y", "z") or space not in ("tid", "global_id"):
            return None
        size = self.kernel.block["xyz".index(axis)]
        return _Line(((value, 1),) if space == "global_id" else (), 0, size - 1)

    def _of_block(self, value: Value) -> bool:
        """Whether a value differs between blocks or between the rounds of a loop. Each value that it is made of is looked at once."""
        seen, left = {value}, [value]
        while left:
            op = left.pop().owner
            if isinstance(op, Block):
                return True
            if op is None:
                continue
            if op.name == "intrinsic" and ROWS[op.attrs["row"]].cpu.startswith(("ctaid.", "global_id.")):
                return True
            left += [one for one in op.operands if one not in seen]
            seen.update(op.operands)
        return False

    def _text(self, line: _Line, constant: int = 0) -> str:
        """The part that is the same for all threads, modulo 2**32 as the kernel computes it, as an i64."""
        emitter = self.emitter
        total = str(_wrapped(constant))
        for value, factor in line.parts:
            text = self._part(value)
            if factor != 1:
                text = emitter.ins(f"mul i32 {text}, {_wrapped(factor)}")
            total = text if total == "0" else emitter.ins(f"add i32 {total}, {text}")
        return emitter.ins(f"sext i32 {total} to i64")

    def _part(self, value: Value) -> str:
        op = value.owner
        if isinstance(op, Op) and op.name == "intrinsic" and ROWS[op.attrs["row"]].cpu.startswith("global_id."):
            axis = ROWS[op.attrs["row"]].cpu[-1]
            return self.emitter.ins(f"mul i32 {self.emitter.coordinates[f'ctaid.{axis}']}, {self.kernel.block['xyz'.index(axis)]}")
        return self.emitter.values[value]


def _wrapped(number: int) -> int:
    return (number - _LEAST) % 2**32 + _LEAST
