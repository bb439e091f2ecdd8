"""The body of a kernel as it runs for threads that lie well inside: every bounds condition on the thread's number is taken to hold.

What is left must be one straight line of operations. Then the lines of several threads can be laid side by side (`coarse_code`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.ops import OPS
from oxidepy.ir.record import record
from oxidepy.ir.types import Scalar

NUMBER = "thread.global_id.x"
_THREAD = frozenset((NUMBER, "block.idx.x", "thread.idx.x", "thread.idx.y", "thread.idx.z"))
_LAUNCH = frozenset(("block.dim.x", "block.dim.y", "block.dim.z", "grid.dim.x", "grid.size"))
# conditions that hold for every smaller number too where they hold (True) or do not (False), by the side on which the number stands
_INSIDE = ({"inbounds": True, "lt": True, "le": True, "gt": False, "ge": False}, {"gt": True, "ge": True, "lt": False, "le": False})
_DIVISIONS = frozenset(("floordiv", "mod"))
# effects in which threads meet, or that belong to one block
_MEETS = {"allocate": "scratch memory", "atomic": "atomic accesses", "order": "fences"}


class NotStraight(Exception):
    """Why a kernel has no such line: the text says it."""


@record
class Interior:
    """`line`: operations in order, no checks and no control flow but choices between values. `same`: results of control flow that was
    taken apart, and what they are. `conditions`: what was taken to be true or false; each holds for all smaller numbers too."""

    line: list[Op] = field(default_factory=list[Op])
    same: dict[Value, Value] = field(default_factory=dict[Value, Value])
    conditions: dict[Value, bool] = field(default_factory=dict[Value, bool])

    def resolve(self, value: Value) -> Value:
        while value in self.same:
            value = self.same[value]
        return value

    def inputs(self, op: Op) -> list[Value]:
        """What an operation and all inside its regions read from outside."""
        if not op.regions:
            return [self.resolve(one) for one in op.operands]
        inner = [one for one in op.walk() if one.name != "load"]  # those inside of regions are known
        made = {value for one in inner for value in one.results}
        return [value for one in inner for value in map(self.resolve, one.operands) if value not in made]


def interior(module: Module) -> Interior:
    """NotStraight where control flow beyond bounds of the thread's number decides about memory, or where threads meet."""
    walk = _Walk(module)
    walk.block(module.kernel.body)
    return walk.found


def straight_function(module: Module, name: str) -> int:
    """How many operations a function has. NotStraight if it has loops."""
    count = 0
    for op in module.functions[name].body.walk():
        if op.name in ("for", "while", "scope"):
            raise NotStraight(f"it calls `{name}`, which has control flow")
        count += straight_function(module, op.attrs["callee"]) if op.name == "call" else op.name != "const"
    return count


@record
class _Left:
    """Control left the block for the end of the scope `label`, with these values."""

    label: str
    values: list[Value]


class _Walk:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.found = Interior()
        self.held: dict[Value, dict[tuple[Value, int], Value]] = {}  # memory, index and offset → what is there
        self.written: dict[Value, set[Value]] = {}  # memory → indices of stores

    def block(self, block: Block) -> list[Value] | _Left:
        resolve = self.found.resolve
        for op in block.ops:
            if op.name == "leave":
                return _Left(op.attrs["label"], [resolve(one) for one in op.operands])
            if op.is_terminator:
                return [resolve(one) for one in op.operands]
            if op.name in ("if", "scope"):
                left = self.branch(op) if op.name == "if" else self.scope(op)
                if left is not None:
                    return left
            elif op.name == "check":
                self.check(op)
            else:
                self.plain(op)
        raise AssertionError("a block without an end")

    def branch(self, op: Op) -> _Left | None:
        truth = self.truth(op.operands[0])
        if truth is None:
            if any(_decides(inner) and not (inner.name == "load" and self.reloads(inner)) for inner in op.walk()):
                raise NotStraight("a condition on data decides about memory accesses")
            self.found.line.append(op)
            return None
        return self.ends(op, self.block(op.regions[0 if truth else 1]))

    def scope(self, op: Op) -> _Left | None:
        end = self.block(op.regions[0])
        return self.ends(op, end.values if isinstance(end, _Left) and end.label == op.attrs["label"] else end)

    def ends(self, op: Op, end: list[Value] | _Left) -> _Left | None:
        if isinstance(end, _Left):
            return end
        self.found.same.update(zip(op.results, end, strict=True))
        return None

    def check(self, op: Op) -> None:
        condition = self.found.resolve(op.operands[0])
        if self.truth(condition) is True:
            return
        if not self.of_launch(condition):
            raise NotStraight("a check depends on more than the thread's number and the launch")
        self.found.conditions[condition] = True

    def plain(self, op: Op) -> None:
        if op.name in ("for", "while"):
            raise NotStraight("it has a loop")
        if op.name == "intrinsic" and op.attrs["row"] not in _THREAD | _LAUNCH:
            raise NotStraight(f"it reads or does `{op.attrs['row']}`")
        if OPS[op.name].effect in _MEETS:
            raise NotStraight(f"it has {_MEETS[OPS[op.name].effect]}")
        if op.attrs.get("volatile"):
            raise NotStraight("it has volatile accesses")
        if op.name == "load":
            if self.reloads(op):
                return
            self.load(op)
        elif op.name == "store":
            self.store(op)
        self.found.line.append(op)

    def load(self, op: Op) -> None:
        memory, index = op.operands[0], self.found.resolve(op.operands[1])
        if self.written.get(memory, set()) - {index}:
            raise NotStraight("it reads memory again that it has written")  # loads go before stores
        self.held.setdefault(memory, {})[index, op.attrs["offset"]] = op.result

    def store(self, op: Op) -> None:
        memory, index = op.operands[0], self.found.resolve(op.operands[1])
        # another index may be the same number
        held = {place: value for place, value in self.held.get(memory, {}).items() if place[0] is index}
        self.held[memory] = {**held, (index, op.attrs["offset"]): op.operands[2]}
        self.written.setdefault(memory, set()).add(index)

    def reloads(self, op: Op) -> bool:
        """Whether the load gives what the thread knows: it has loaded or stored just that, and nobody else writes there."""
        known = self.held.get(op.operands[0], {}).get((self.found.resolve(op.operands[1]), op.attrs["offset"]))
        if known is not None:
            self.found.same[op.result] = known
        return known is not None

    # ---- conditions

    def truth(self, value: Value) -> bool | None:
        """What the condition is for a thread well inside; None if that is not settled by the thread's number."""
        value = self.found.resolve(value)
        constant = value.constant
        if constant is not None:
            return bool(constant)
        if value in self.found.conditions:
            return self.found.conditions[value]
        op = value.owner
        if not isinstance(op, Op):
            return None
        if op.name == "not":
            inner = self.truth(op.operands[0])
            return None if inner is None else not inner
        if op.name in ("and", "or"):
            sides = [self.truth(one) for one in op.operands]
            settles = op.name == "or"
            return settles if settles in sides else (not settles if None not in sides else None)
        for side, known in enumerate(_INSIDE):
            if op.name in known and self.is_number(op.operands[side]) and self.of_launch(op.operands[1 - side]):
                self.found.conditions[value] = known[op.name]
                return known[op.name]
        return None

    def is_number(self, value: Value) -> bool:
        """Whether it is the thread's number, perhaps in a wider integer type."""
        op = self.found.resolve(value).owner
        if not isinstance(op, Op):
            return False
        if op.name == "cast":
            return op.result.scalar.is_int and op.result.scalar.bits >= op.operands[0].scalar.bits and self.is_number(op.operands[0])
        return op.name == "intrinsic" and op.attrs["row"] == NUMBER

    def of_launch(self, value: Value) -> bool:
        """Whether it is the same for all threads, known before any of them runs, and safe to compute anywhere."""
        value = self.found.resolve(value)
        op = value.owner
        if not isinstance(op, Op):
            return value in self.module.kernel.params and isinstance(value.type, Scalar)
        if op.name == "intrinsic":
            return op.attrs["row"] in _LAUNCH
        if op.regions or OPS[op.name].effect != "pure" or op.name in ("call", "undef"):
            return False
        if op.name in _DIVISIONS and op.result.scalar.is_int and not self.found.resolve(op.operands[1]).constant:
            return False
        return all(self.of_launch(one) for one in op.operands)


def _decides(op: Op) -> bool:
    """Whether it matters that an operation is not done, or cannot be copied."""
    if op.name == "intrinsic":
        return op.attrs["row"] not in _THREAD | _LAUNCH
    return op.name not in ("if", "yield") and OPS[op.name].effect != "pure"


def used(found: Interior, wanted: Sequence[Op]) -> set[Op]:
    """The operations of the line that those need, they too."""
    owners = {value: op for op in found.line for value in op.results}
    needed: set[Op] = set()
    pending = list(wanted)
    while pending:
        op = pending.pop()
        if op not in needed:
            needed.add(op)
            pending += [owners[one] for one in found.inputs(op) if one in owners]
    return needed
