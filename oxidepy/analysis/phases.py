"""Barriers in shared memory that are used before they are begun (OX0381), and after they were ended or begun twice (OX0382).

A barrier belongs to the block, and one of its threads begins or ends it for all: so what happens on one way through a branch has happened
behind it. Only what is certain is refused: of a number that is known at run time alone, any barrier of the array may be meant. The counter
of a loop over the whole array means each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS, Address
from oxidepy.ir.intrinsics.form import written

INIT, INVAL = "barrier.init", "barrier.inval"
_Key = tuple[Value, int | None]  # the array, and the number of the barrier where it is known


@dataclass
class States:
    """The last thing that was done to each barrier: the operation that began or ended it. `open`: to those it may not have been done."""

    last: dict[_Key, Op] = field(default_factory=dict[_Key, Op])
    open: set[_Key] = field(default_factory=set[_Key])

    def copy(self) -> States:
        return States(dict(self.last), set(self.open))

    def of(self, key: _Key) -> Op | None:
        """Of one whose number is not known, some operation that began one of them."""
        memory, number = key
        if number is not None:
            return self.last.get(key) or self.last.get((memory, None))
        found = [op for (other, _), op in self.last.items() if other is memory]
        return next((op for op in found if op.attrs["row"] == INIT), found[0] if found else None)

    def put(self, key: _Key, op: Op) -> None:
        memory, number = key
        if number is None:
            self.last = {other: one for other, one in self.last.items() if other[0] is not memory}
        self.last[key] = op
        self.open.discard(key)

    def join(self, before: States, ways: list[States], certain: bool) -> None:
        """What is known where several ways meet: what began it on one of them, else what ended it. `certain`: all of them are taken."""
        self.last, self.open = dict(before.last), set(before.open)
        for wanted in (INVAL, INIT):
            for way in ways:
                for key, op in way.last.items():
                    if before.last.get(key) is not op and op.attrs["row"] == wanted:
                        self.last[key] = op
                        alike = all((one.last.get(key) or op).attrs["row"] == wanted and key in one.last for one in ways)
                        if any(key in one.open for one in ways) or not (certain or (alike and len(ways) > 1)):
                            self.open.add(key)
                        else:
                            self.open.discard(key)


def analyse(module: Module) -> tuple[Diagnostic, ...]:
    """The findings of a kernel, each once."""
    walk = _Walk()
    if any(op.attrs.get("row") == INIT or _barrier(op) is not None for op in module.kernel.body.walk() if op.name == "intrinsic"):
        walk.block(module.kernel.body, States())
    return tuple(walk.found.values())


def _barrier(op: Op) -> tuple[_Key, Value] | None:
    """The barrier that an instruction names, and its index."""
    row = ROWS[op.attrs["row"]]
    if row.assembly is None:
        return None
    for one, given in row.assembly.given(op.operands):
        if isinstance(one, Address) and (one.elements, one.align) == (("u64",), 8):  # only barriers are named so
            memory, index = given
            owner = memory.owner
            if isinstance(owner, Op) and owner.name == "map_shared":
                memory = owner.operands[0]
            return (memory, None if index.constant is None else int(index.constant)), index
    return None


def _runs(op: Op) -> bool:
    """Whether it is a loop of a round or more."""
    if op.name != "for":
        return False
    bounds = [int(one.constant) for one in op.operands[:3] if one.constant is not None]
    return len(bounds) == 3 and bounds[0] < bounds[1] and bounds[2] > 0


def _of_threads(value: Value) -> bool:
    """Whether a condition follows from the thread's place in its block alone: then some thread of each block takes each of its ways."""
    ahead, found = [value], False
    while ahead:
        op = ahead[-1].owner
        one = ahead.pop()
        if one.constant is not None:
            continue
        if not isinstance(op, Op) or op.regions or op.name in ("load", "atomic", "call", "ptx", "extern"):
            return False
        if op.name == "intrinsic":
            row = op.attrs["row"]
            found |= row.startswith(("thread.idx.", "warp."))
            if not row.startswith(("thread.idx.", "warp.", "block.dim.")):
                return False
        ahead += op.operands
    return found


def _depends(value: Value, on: Value) -> bool:
    """Whether a value is computed of another one."""
    ahead, seen = [value], set[Value]()
    while ahead:
        one = ahead.pop()
        if one is on:
            return True
        if isinstance(one.owner, Op) and one not in seen:
            seen.add(one)
            ahead += one.owner.operands
            ahead += [inner for region in one.owner.regions for op in region.walk() for inner in op.operands]
    return False


class _Walk:
    def __init__(self) -> None:
        self.found: dict[Op, Diagnostic] = {}
        self.around: list[Op] = []  # the control flow around, outermost first
        self.again: set[Op] = set()  # of it the loops in their second round

    def block(self, block: Block, states: States) -> None:
        for op in block.ops:
            if op.name == "intrinsic" and (named := _barrier(op)) is not None:
                (memory, number), index = named
                count: int = memory.owner.attrs["count"] if isinstance(memory.owner, Op) else 0
                loop = self.whole(index, count) if number is None and count else None
                if loop is None:
                    self.use(op, (memory, number), states)
                elif loop not in self.again:
                    for one in range(count):
                        self.use(op, (memory, one), states)
            elif op.regions:
                self.around.append(op)
                self.control(op, states)
                self.around.pop()

    def whole(self, index: Value, count: int) -> Op | None:
        """The loop whose counter the index is, if that counts all of the array and nothing that is done hangs on it."""
        while isinstance(index.owner, Op) and index.owner.name == "cast":
            index = index.owner.operands[0]
        for place, loop in enumerate(self.around):
            if loop.name == "for" and index is loop.regions[0].args[0]:
                bounds = tuple(bound.constant for bound in loop.operands[:3])
                plain = all(inner.name == "if" and not _depends(inner.operands[0], index) for inner in self.around[place + 1 :])
                leaves = any(inner.name == "leave" for inner in loop.walk())
                return loop if bounds == (0, count, 1) and plain and not leaves else None
        return None

    def control(self, op: Op, states: States) -> None:
        before = states.copy()
        if op.name == "if":
            ways = [states.copy() for _ in op.regions]
            for region, way in zip(op.regions, ways, strict=True):
                self.block(region, way)
            known = [way for region, way in zip(op.regions, ways, strict=True) if not region.leaves]
            states.join(before, known, _of_threads(op.operands[0]) or len(known) < 2)
            return
        way = states.copy()
        again = op.name in ("for", "while") and not any(one.leaves for one in op.regions)
        for second in (False, True) if again else (False,):  # which begins as the first round ended
            if second:
                self.again.add(op)
            for region in op.regions:
                self.block(region, way)
        self.again.discard(op)
        states.join(before, [way], op.name == "scope" or _runs(op))

    def use(self, op: Op, key: _Key, states: States) -> None:
        row, last = op.attrs["row"], states.of(key)
        sure = key not in states.open
        alive = last is not None and (last.attrs["row"] == INIT or not sure)
        name = key[0].name or "the barrier"
        number = "i" if key[1] is None else str(key[1])
        if row == INIT:
            if alive and sure and last is not None and key[1] is not None and key in states.last:
                self.say(
                    op,
                    "OX0382",
                    f"`{name}` is begun where it has been begun already",
                    last,
                    "begun here",
                    f"end it before: `barrier.inval({name}, {number})`",
                )
            states.put(key, op)
        elif last is None:
            help = f"one thread begins it, and a barrier of the block follows: `barrier.init({name}, {number}, count)`, then `block.sync()`"
            self.say(op, "OX0381", f"`{written(row)}` of `{name}` before it is begun", None, "", help)
        elif not alive:
            help = f"end it behind its last use, or begin it anew: `barrier.init({name}, {number}, count)`"
            self.say(op, "OX0382", f"`{written(row)}` of `{name}` after it was ended", last, "ended here", help)
        if row == INVAL and key[1] is not None:
            states.put(key, op)

    def say(self, op: Op, code: str, message: str, other: Op | None, what: str, help: str) -> None:
        labels = (Label(other.span, what),) if other is not None and other.span is not None else ()
        self.found.setdefault(op, Diagnostic(code, message, op.span, labels=labels, help=help))
