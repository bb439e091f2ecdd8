"""Threads that all lie inside: what guards ask, `x < width`, holds for every thread of nearly every block, or row of one.

Asked once for all of them, by the thread for which it is least true, it leaves code without masks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from oxidepy.backend.llvm.emitter import Emitter, Lowering
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.record import record
from oxidepy.ir.types import I32, I64, Scalar

if TYPE_CHECKING:
    from oxidepy.backend.cpu_kernel import KernelEmitter

GUARDS = ("lt", "le", "gt", "ge", "inbounds")
_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_LEAST, _MOST = -(2**31), 2**31 - 1
_DEPTH = 8  # operations that an index is made of
_FAR = 2**32  # what threads may add: of more the ends could wrap in 64 bits, and say nothing of the threads between them


@record
class _Line:
    """A number modulo 2**32 or 2**64: a multiple of each of some values that are equal in all threads, and what the thread adds.

    A part may be a line of 32 bits, of which the numbers must not wrap; what its threads and blocks add counts here. `blocks`: what each
    block of a row adds to the number of the one before.
    """

    type: Scalar
    parts: tuple[tuple[Value | _Line, int], ...] = ()
    low: int = 0  # the least and the most that a thread adds
    high: int = 0
    blocks: int = 0

    @property
    def one(self) -> bool:
        """Whether it is the same number for all."""
        return self.low == self.high and not self.blocks

    def plus(self, other: _Line, factor: int) -> _Line:
        more = other.times(factor)
        return _Line(self.type, (*self.parts, *more.parts), self.low + more.low, self.high + more.high, self.blocks + more.blocks)

    def times(self, factor: int) -> _Line:
        low, high = sorted((self.low * factor, self.high * factor))
        return _Line(self.type, tuple((value, factor * own) for value, own in self.parts), low, high, factor * self.blocks)


class Interior:
    """What is asked of threads before they go through some operations. `known`: the text of a value that is equal in all of them, else
    None; `axes`: those along which they differ; `others`: how many blocks follow along x, as an i64."""

    def __init__(self, emitter: KernelEmitter, known: Callable[[Value], str | None], axes: str, others: str = "") -> None:
        self.emitter = emitter
        self.kernel = emitter.kernel
        self.known = known
        self.axes = axes
        self.others = others
        self.rounds: dict[Value, tuple[int, int]] = {}  # the first and the last of a variable

    def ask(self, ops: Sequence[Op]) -> tuple[str, frozenset[Op]]:
        """Whether all guards hold for all of the threads, as an i1, and these guards; "" where there is nothing to ask."""
        accesses = any(inner.name in ("load", "store") for op in ops for one in op.walk() if one.name == "if" for inner in one.walk())
        asked: dict[Op, list[str]] = {}
        self._find_rounds(ops)
        for op in (inner for one in ops for inner in one.walk()) if accesses else ():
            if op.name in GUARDS and op.operands[0].type in (I32, I64):
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
        if left is not None and left.one and name != "inbounds":
            left, right, name = right, left, _TURNED[name]
        if left is None or right is None or left.one or not right.one:
            return []  # it is the same for all, or each has a bound of its own
        if not any(self._of_block(value) for value, _ in left.parts):
            return []  # asked of the thread alone: it holds for some in every block
        emitter, bound = self.emitter, self._text(right, right.low)
        first, last = self._ends(left)
        below = name in ("lt", "le", "inbounds")
        found = [emitter.ins(f"icmp s{'lt' if name == 'inbounds' else name} i64 {last if below else first}, {bound}")]
        if name == "inbounds":
            found.append(emitter.ins(f"icmp sge i64 {first}, 0"))
        elif left.type == I32:
            found += self._fits(first, last, low=left.low < 0 or left.blocks < 0, high=not below)
        if left.type == I64:
            found.append(emitter.ins(f"icmp sle i64 {first}, {last}"))
        for part, _ in (*left.parts, *right.parts):
            if isinstance(part, _Line) and (part.low or part.high or part.blocks):
                found += self._fits(*self._ends(part), low=True, high=True)
        return found

    def _fits(self, first: str, last: str, *, low: bool, high: bool) -> list[str]:
        """That numbers do not wrap in 32 bits."""
        found = [self.emitter.ins(f"icmp sge i64 {first}, {_LEAST}")] if low else []
        return [*found, self.emitter.ins(f"icmp sle i64 {last}, {_MOST}")] if high else found

    def _ends(self, line: _Line) -> tuple[str, str]:
        """The least and the most of a line's numbers, as i64."""
        emitter, number = self.emitter, self._text(line)
        first, last = (emitter.ins(f"add i64 {number}, {end}") for end in (line.low, line.high))
        if line.blocks:
            way = emitter.ins(f"mul i64 {self.others}, {line.blocks}")
            if line.blocks < 0:
                first = emitter.ins(f"add i64 {first}, {way}")
            else:
                last = emitter.ins(f"add i64 {last}, {way}")
        return first, last

    def _find_rounds(self, ops: Sequence[Op]) -> None:
        for op in (inner for one in ops for inner in one.walk()):
            if op.name == "for" and all(one.constant is not None for one in op.operands[:3]):
                start, stop, step = (int(one.constant or 0) for one in op.operands[:3])
                rounds = range(start, stop, step)
                if rounds:
                    self.rounds[op.regions[0].args[0]] = (min(rounds[0], rounds[-1]), max(rounds[0], rounds[-1]))

    def _number(self, value: Value) -> int | None:
        """A value that is the same in every launch."""
        if value.constant is not None:
            return int(value.constant)
        op = value.owner
        if isinstance(op, Op) and op.name == "intrinsic" and ROWS[op.attrs["row"]].cpu.startswith("ntid."):
            return self.kernel.block["xyz".index(ROWS[op.attrs["row"]].cpu[-1])]
        return None

    def _line(self, value: Value, depth: int) -> _Line | None:
        """What a value is made of; None if that is not known here."""
        line = self._made_of(value, depth)
        return line if line is None or max(-line.low, line.high, abs(line.blocks)) <= _FAR else None

    def _made_of(self, value: Value, depth: int) -> _Line | None:
        if value.type not in (I32, I64):
            return None
        number = self._number(value)
        if number is not None:
            return _Line(value.scalar, (), number, number)
        if value in self.rounds:
            return _Line(value.scalar, ((value, 0),), *self.rounds[value])
        op = value.owner
        if self.known(value) is not None:
            return _Line(value.scalar, ((value, 1),))
        if not isinstance(op, Op) or depth == 0:
            return None
        if op.name == "intrinsic":
            return self._coordinate(op, value)
        if op.name == "cast" and value.type == I64:
            line = self._line(op.operands[0], depth - 1)
            return _Line(I64, ((line, 1),), line.low, line.high, line.blocks) if line is not None and line.type == I32 else line
        if op.name in ("add", "sub"):
            left, right = (self._line(one, depth - 1) for one in op.operands)
            return left.plus(right, 1 if op.name == "add" else -1) if left is not None and right is not None else None
        if op.name == "mul":
            for one, other in (op.operands, op.operands[::-1]):
                line = self._line(one, depth - 1)
                number = self._number(other)
                if number is not None and line is not None:
                    return line.times(number)
        return None

    def _coordinate(self, op: Op, value: Value) -> _Line | None:
        space, _, axis = ROWS[op.attrs["row"]].cpu.partition(".")
        if value.type != I32 or axis not in self.axes or not axis or space not in ("tid", "global_id", "ctaid"):
            return None
        size = self.kernel.block["xyz".index(axis)]
        if space == "tid":
            return _Line(I32, (), 0, size - 1)
        step = {"ctaid": 1, "global_id": size}[space] if self.others else 0
        return _Line(I32, ((value, 1),), 0, size - 1 if space == "global_id" else 0, step)

    def _of_block(self, value: Value | _Line) -> bool:
        """Whether a value differs between blocks or between the rounds of a loop. Each value that it is made of is looked at once."""
        if isinstance(value, _Line):
            return any(self._of_block(part) for part, _ in value.parts)
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
        """The part that is the same for all threads, as the kernel computes it, as an i64."""
        emitter = self.emitter
        type_, bits = emitter.type(line.type), line.type.bits
        total = str(_wrapped(constant, bits))
        for value, factor in line.parts:
            if not factor:
                continue
            text = self._part(value)
            if factor != 1:
                text = emitter.ins(f"mul {type_} {text}, {_wrapped(factor, bits)}")
            total = text if total == "0" else emitter.ins(f"add {type_} {total}, {text}")
        return emitter.ins(f"sext i32 {total} to i64") if bits == 32 else total

    def _part(self, value: Value | _Line) -> str:
        if isinstance(value, _Line):
            return self._text(value)
        found = self.known(value)
        if found is not None:
            return found
        op = value.owner
        assert isinstance(op, Op)  # `global_id` or `ctaid` along an axis on which threads or blocks differ
        space, _, axis = ROWS[op.attrs["row"]].cpu.partition(".")
        if space == "ctaid":
            return self.emitter.coordinates[f"ctaid.{axis}"]
        return self.emitter.ins(f"mul i32 {self.emitter.coordinates[f'ctaid.{axis}']}, {self.kernel.block['xyz'.index(axis)]}")


def in_two(emitter: KernelEmitter, held: str, guards: frozenset[Op], emit: Callable[[], None]) -> None:
    """Emit code in which the guards are true, and code that asks them, for where `held` is false."""
    labels, end = (emitter.fresh("inside"), emitter.fresh("edge")), emitter.fresh("both")
    emitter.do(f"br i1 {held}, label %{labels[0]}, label %{labels[1]}{emitter.likely}")
    usual = emitter.lowerings
    asked: dict[str, Lowering] = {name: partial(_guard, usual[name], guards) for name in GUARDS}
    for label, lowerings in zip(labels, ({**usual, **asked}, usual), strict=True):
        emitter.start(label)
        emitter.lowerings = lowerings
        emit()
        emitter.do(f"br label %{end}")
    emitter.start(end)


def _guard(lower: Lowering, known: frozenset[Op], emitter: Emitter, op: Op) -> str:
    """A comparison, which is true where it was asked for all threads."""
    return "true" if op in known else lower(emitter, op)


def _wrapped(number: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (number + half) % (2 * half) - half
