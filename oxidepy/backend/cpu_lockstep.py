"""Loops that every thread enters at a place of its own and goes through in steps as wide as a block or the grid.

One thread after the other would go through all of memory once for each thread of the block. All threads of the block go round by round
instead: what one round touches lies side by side. A thread's variable is its start and an offset that is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from oxidepy.backend.cpu_steps import NEAR, Steps
from oxidepy.backend.llvm.emitter import trips
from oxidepy.ir.core import Block, Builder, Op, Value
from oxidepy.ir.ops import OPS
from oxidepy.ir.record import record
from oxidepy.ir.types import BOOL, SCALARS, Memory, Scalar

_NEAR = 32  # a constant step below this stays in a thread's own part of memory
_CARRIED = 3  # values in arrays, beside the variable
_WRITTEN = 300  # operations of a loop that LLVM writes out as a whole
VECTOR = 8  # threads of which it is worth it to make vectors
_ACCESSES = frozenset(("load", "store", "atomic"))


@record
class Stride:
    """What is known of such a loop: `step` is made by `making`, operations inside of it that are the same for all threads."""

    op: Op
    start: Value
    step: Value
    making: list[Op]
    place: int = 0  # of the variable, among what a `while` carries


@record
class Ahead:
    """Reads of global memory at a thread's `start` and the `offset` of the round, which grows by `step`.

    A round reads less than the hardware takes for a stream before it goes on far away, so that each would wait for memory.
    """

    start: Value
    offset: Value
    step: Value
    memories: list[Value]


@record
class InStep:
    """A loop as loops of the whole block. `origins`: for each copy of an operation its original. `ahead`: what a body will read.

    `offset`: where the block begins, behind the rounds that it has done with others (see `cpu_rounds`); `together`: such a round,
    where nothing is carried along.
    """

    found: Stride
    ops: list[Op]
    offset: Value
    together: list[Block] = field(default_factory=list[Block])
    origins: dict[Op, Op] = field(default_factory=dict[Op, Op])
    ahead: dict[Block, Ahead] = field(default_factory=dict[Block, Ahead])


def stride(op: Op, uniform: set[Value], once: Callable[[Op], bool], used: Callable[[Value], bool]) -> Stride | None:
    """`once`: whether an operation whose operands are equal may be done once for all threads; `used`: whether anything reads a value."""
    body = op.regions[-1]
    inner = list(op.walk())
    labels = {one.attrs["label"] for one in inner if one.name == "scope"}
    if body.terminator.name != "yield" or any(one.name == "leave" and one.attrs["label"] not in labels for one in inner):
        return None
    if not any(one.name in _ACCESSES for one in inner):
        return None
    found = _of_for(op, uniform) if op.name == "for" else _of_while(op, uniform, once, used)
    if found is None or len(op.results) > _CARRIED:
        return None
    size = found.step.constant
    return found if size is None or abs(size) >= _NEAR else None


def long_loop(op: Op, steps: Steps, uniform: set[Value]) -> bool:
    """Whether a `for` whose rounds are the same for all threads is rather done round by round: LLVM does not write it out, or it goes from
    one place of memory to another, and its accesses are those that vectors of threads are good at."""
    inner = list(op.regions[0].walk())
    known = trips(op)
    short = known is not None and known * len(inner) <= _WRITTEN
    stores = any(one.name == "store" and one.operands[0].memory.space == "global" for one in inner)
    if steps.kernel.block[0] < VECTOR or len(op.results) > _CARRIED or (short and not stores):
        return False
    if any(one.name in ("while", "scope", "leave", "check", "atomic", "call") for one in inner):
        return False
    if not _same_rounds(op, uniform):
        return False
    accesses = [one for one in inner if one.name in ("load", "store") and one.operands[0].memory.space != "local"]
    found = [steps.of(one.operands[1]) for one in accesses]
    return all(one is not None and abs(one[0]) <= NEAR for one in found) and any(one is not None and one[0] for one in found)


def _same_rounds(op: Op, uniform: set[Value]) -> bool:
    """Whether the rounds of the loops inside of a loop whose rounds are the same for all threads are so too."""
    same = set(uniform)
    for one in op.walk():
        if one.name == "for":
            if not all(value in same for value in one.operands[:3]):
                return False
            same.add(one.regions[0].args[0])
        elif (
            not one.regions and OPS[one.name].effect == "pure" and one.name != "intrinsic" and all(value in same for value in one.operands)
        ):
            same.update(one.results)
    return True


def _of_for(op: Op, uniform: set[Value]) -> Stride | None:
    start, _, step = op.operands[:3]
    return Stride(op, start, step, []) if start not in uniform and step in uniform else None


def _of_while(op: Op, uniform: set[Value], once: Callable[[Op], bool], used: Callable[[Value], bool]) -> Stride | None:
    test, body = op.regions
    if test.terminator.name != "condition" or test.terminator.operands[1:] != test.args:
        return None
    for place, start in enumerate(op.operands):
        following = body.terminator.operands[place].owner
        if start in uniform or used(op.results[place]) or not isinstance(following, Op) or following.name != "add":
            continue
        variable = body.args[place]
        if variable not in following.operands:
            continue
        step = following.operands[1] if following.operands[0] is variable else following.operands[0]
        making = _making(step, body, uniform, once)
        if making is not None:
            return Stride(op, start, step, making, place)
    return None


def _making(step: Value, body: Block, uniform: set[Value], once: Callable[[Op], bool]) -> list[Op] | None:
    """The operations of the body that make the step; None if it is not the same for all threads."""
    wanted = {step}
    making: list[Op] = []
    for op in reversed(body.ops):
        if wanted.intersection(op.results):
            if op.regions or not once(op):
                return None
            making.insert(0, op)
            wanted.difference_update(op.results)
            wanted.update(op.operands)
    return making if wanted <= uniform else None


def in_step(found: Stride) -> InStep:
    """The loop as two of the whole block: one for as long as all threads go on, which asks no thread of its own, and one for as long as
    some do."""
    op = found.op
    others = [at for at in range(len(op.results)) if op.name == "for" or at != found.place]
    initial = op.operands[3:] if op.name == "for" else op.operands
    lead = Block()
    lead.ops += found.making
    offset = Value(found.start.scalar, "offset")
    made = InStep(found, lead.ops, offset)
    build = Builder(lead)
    carried = [initial[at] for at in others]
    going = _runs(build, op, build.value("add", found.start, offset)) if op.name == "for" else build.const(BOOL, True)
    if _repeatable(op):
        offset, going, carried = _all_together(build, found, (offset, going, carried), others, made)
    types = [found.start.scalar, BOOL, *(one.scalar for one in carried)]
    test, rounds, there, gone = Block(types), Block(types), Block(), Block()
    build.emit("while", [offset, going, *carried], types, regions=[test, rounds])
    lead.ops[-1].results[2:] = [op.results[at] for at in others]
    build.block = test
    more = build.value("intrinsic", test.args[1], type=BOOL, row="block.any")
    build.emit("condition", [more, *test.args])
    build.block = rounds
    offset, goes, *carried = rounds.args
    build.emit("if", [goes], types[1:], regions=[there, gone])
    passed = rounds.ops[-1].results
    build.emit("yield", [build.value("add", offset, found.step), *passed])
    build.block = gone
    build.emit("yield", [goes, *carried])
    build.block = there
    (_one_of_for if op.name == "for" else _one_of_while)(build, found, offset, carried, others)
    return made


def _repeatable(op: Op) -> bool:
    """Whether the code of the loop may stand twice, and its test be done once more."""
    tested = op.regions[0].ops[:-1] if op.name == "while" else []
    pure = all(OPS[inner.name].effect in ("pure", "control") for one in tested for inner in one.walk())
    return pure and not any(one.name == "alloc" for one in op.walk())


def _all_together(
    build: Builder, found: Stride, start: tuple[Value, Value, list[Value]], others: list[int], made: InStep
) -> tuple[Value, Value, list[Value]]:
    """The rounds in which every thread takes part. What is carried behind them: offset, whether a thread goes on, the rest."""
    op, (offset, going, carried) = found.op, start
    counted = op.name == "for"
    values = [offset, *([going] if counted else []), *carried]
    types = [one.scalar for one in values]
    test, rounds, outside = Block(types), Block(types), build.block
    body = op.regions[-1]
    build.emit("while", values, types, regions=[test, rounds])
    results = outside.ops[-1].results
    build.block = test
    if counted:
        flag = test.args[1]
    else:
        copy = Copy(made.origins)
        copy.values.update(zip((op.regions[0].args[at] for at in others), test.args[1:], strict=True))
        copy.values[op.regions[0].args[found.place]] = build.value("add", found.start, test.args[0])
        test.ops += copy.ops(op.regions[0].ops[:-1])
        flag = copy.of(op.regions[0].terminator.operands[0])
    build.emit("condition", [build.value("intrinsic", flag, type=BOOL, row="block.all"), *test.args])
    build.block = rounds
    copy = Copy(made.origins)
    variable = body.args[0 if counted else found.place]
    current = copy.values[variable] = build.value("add", found.start, rounds.args[0])
    if not others:
        made.together.append(rounds)
    inner = body.args[1:] if counted else [body.args[at] for at in others]
    copy.values.update(zip(inner, rounds.args[2 if counted else 1 :], strict=True))
    rounds.ops += copy.ops([one for one in body.ops[:-1] if one not in found.making])
    read = _read_at(rounds, current)
    if read:
        made.ahead[rounds] = Ahead(found.start, rounds.args[0], found.step, read)
    again = [another(build, op, current, op.operands[1], found.step)] if counted else []
    passed = [copy.of(body.terminator.operands[at]) for at in others]
    build.emit("yield", [build.value("add", rounds.args[0], found.step), *again, *passed])
    build.block = outside
    return results[0], results[1] if counted else going, results[2 if counted else 1 :]


def _read_at(block: Block, index: Value) -> list[Value]:
    """The global memory that is read at this index, or near it."""
    near = {index}
    found: dict[Value, None] = {}
    for op in (inner for one in block.ops for inner in one.walk()):
        if op.name == "cast" and op.operands[0] in near:
            near.add(op.result)
        elif op.name in ("add", "sub") and op.operands[0] in near and op.operands[1].constant is not None:
            near.add(op.result)
        elif op.name == "load" and op.operands[1] in near and isinstance(op.operands[0].type, Memory):
            if op.operands[0].memory.space == "global":
                found[op.operands[0]] = None
    return list(found)


class Copy:
    """Copies operations; `values`: what stands for which value."""

    def __init__(self, origins: dict[Op, Op]) -> None:
        self.values: dict[Value, Value] = {}
        self.origins = origins

    def of(self, value: Value) -> Value:
        return self.values.get(value, value)

    def ops(self, ops: list[Op]) -> list[Op]:
        return [self._op(one) for one in ops]

    def _op(self, op: Op) -> Op:
        regions: list[Block] = []
        for region in op.regions:
            block = Block([one.type for one in region.args])
            self.values.update(zip(region.args, block.args, strict=True))
            block.ops = self.ops(region.ops)
            regions.append(block)
        made = Op(op.name, [self.of(one) for one in op.operands], [one.type for one in op.results], op.attrs, regions, op.span)
        self.values.update(zip(op.results, made.results, strict=True))
        self.origins[made] = op
        return made


def _give(build: Builder, target: Value, name: str, *operands: Value) -> None:
    """An operation whose result is a value that exists."""
    build.emit(name, operands, (target.scalar,)).results[:] = [target]


def _one_of_while(build: Builder, found: Stride, offset: Value, carried: list[Value], others: list[int]) -> None:
    test, body = found.op.regions
    _give(build, test.args[found.place], "add", found.start, offset)
    for at, value in zip(others, carried, strict=True):
        _give(build, test.args[at], "cast", value)
    build.block.ops += test.ops[:-1]
    types = [BOOL, *(test.args[at].scalar for at in others)]
    on, end, outside = Block(), Block(), build.block
    build.emit("if", [test.terminator.operands[0]], types, regions=[on, end])
    choice = outside.ops[-1]
    build.emit("yield", choice.results)
    build.block = on
    for inner, value in zip(body.args, test.args, strict=True):
        _give(build, inner, "cast", value)
    on.ops += [one for one in body.ops[:-1] if one not in found.making]
    build.emit("yield", [build.const(BOOL, True), *(body.terminator.operands[at] for at in others)])
    build.block = end
    build.emit("yield", [build.const(BOOL, False), *(test.args[at] for at in others)])


def _one_of_for(build: Builder, found: Stride, offset: Value, carried: list[Value], others: list[int]) -> None:
    (body,) = found.op.regions
    _, stop, step = found.op.operands[:3]
    _give(build, body.args[0], "add", found.start, offset)
    for inner, value in zip(body.args[1:], carried, strict=True):
        _give(build, inner, "cast", value)
    build.block.ops += body.ops[:-1]
    build.emit("yield", [another(build, found.op, body.args[0], stop, step), *body.terminator.operands])


def _up(build: Builder, op: Op) -> Value:
    step = op.operands[2]
    return build.value("gt", step, build.const(step.scalar, 0))


def _runs(build: Builder, op: Op, start: Value) -> Value:
    """Whether a `for` that begins at `start` has a first round."""
    stop = op.operands[1]
    return build.value("select", _up(build, op), build.value("lt", start, stop), build.value("gt", start, stop), type=BOOL)


def another(build: Builder, op: Op, current: Value, stop: Value, step: Value) -> Value:
    """Whether a `for` has a round behind the one of `current`. Distances are unsigned and exact."""
    scalar: Scalar = current.scalar
    unsigned = SCALARS[scalar.name.replace("i", "u")] if scalar.signed else scalar
    up = _up(build, op)
    ahead, behind = build.value("sub", stop, current), build.value("sub", current, stop)
    left = build.value("cast", build.value("select", up, ahead, behind, type=scalar), type=unsigned)
    size = build.value("cast", build.value("select", up, step, build.value("neg", step), type=scalar), type=unsigned)
    return build.value("gt", left, size)


def as_while(op: Op) -> list[Op]:
    """A `for` with its variable, and whether another round follows, carried along."""
    start, stop, step, *initial = op.operands
    (body,) = op.regions
    types = [start.scalar, BOOL, *(one.scalar for one in initial)]
    lead, test, rounds = Block(), Block(types), Block(types)
    build = Builder(lead)
    build.emit("while", [start, _runs(build, op, start), *initial], types, regions=[test, rounds])
    lead.ops[-1].results[2:] = op.results
    build.block = test
    build.emit("condition", [test.args[1], *test.args])
    current = body.args[0]
    rounds.args = [current, rounds.args[1], *body.args[1:]]
    rounds.ops = list(body.ops)
    if body.terminator.name == "yield":
        rounds.ops.pop()
        build.block = rounds
        more = another(build, op, current, stop, step)
        build.emit("yield", [build.value("add", current, step), more, *body.terminator.operands])
    return lead.ops
