"""A long loop under a branch that threads take one by one, `if row < height and col < width: for …`.

The branch is taken before the loop, in each of its rounds and behind it, so that the loop itself belongs to the block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from oxidepy.backend.cpu_lockstep import Copy, long_loop
from oxidepy.backend.cpu_steps import Steps
from oxidepy.ir.core import Block, Builder, Op, Value
from oxidepy.ir.record import record
from oxidepy.ir.types import Memory


@record
class Split:
    """What stands for the branch. `loop`: of the block. `origins`: for each copy of an operation its original."""

    ops: list[Op]
    loop: Op
    origins: dict[Op, Op] = field(default_factory=dict[Op, Op])


def split(op: Op, steps: Steps, same: set[Value], once: Callable[[Op], bool]) -> Split | None:
    """`same`: values that are the same for all threads; `once`: whether an operation on such may be done where no thread would do it."""
    if op.name != "if" or op.results or len(op.regions[1].ops) > 1 or any(one.name in ("leave", "alloc") for one in op.walk()):
        return None
    region, same, ahead = op.regions[0], set(same), list[Op]()
    for at, one in enumerate(region.ops):
        if not one.regions and one.results and same.issuperset(one.operands) and once(one):
            same.update(one.results)
            ahead.append(one)
        elif one.name == "for" and same.issuperset(one.operands[:3]) and long_loop(one, steps, same):
            return _split(op, ahead, [other for other in region.ops[:at] if other not in ahead], one, region.ops[at + 1 :])
    return None


def _split(op: Op, ahead: list[Op], before: list[Op], loop: Op, behind: list[Op]) -> Split:
    (condition,) = op.operands
    lead = Block()
    lead.ops += ahead
    build = Builder(lead)
    used = {value for one in (loop, *behind) for inner in one.walk() for value in inner.operands}
    given = [value for one in before for value in one.results if value in used and not isinstance(value.type, Memory)]
    made = Split(lead.ops, Op("for", loop.operands, [one.type for one in loop.results], loop.attrs, [Block()], loop.span))
    copy = Copy(made.origins)
    first = [*copy.ops(before), Op("yield", [copy.of(value) for value in given], [])]
    if before:
        _branch(build, condition, first, None, given)
    body = loop.regions[0]
    inside = made.loop.regions[0]
    inside.args = body.args
    inner = Builder(inside)
    carried = [Value(one.type) for one in body.args[1:]]
    _branch(inner, condition, body.ops, body.args[1:], carried)
    inner.emit("yield", carried)
    made.loop.results[:] = loop.results
    lead.ops.append(made.loop)
    if len(behind) > 1:
        _branch(build, condition, behind, None, [])
    return made


def _branch(build: Builder, condition: Value, ops: list[Op], others: list[Value] | None, results: list[Value]) -> None:
    """`if condition` these operations, a terminator at their end; else the `others`, or nothing that anybody reads."""
    there, gone, outside = Block(), Block(), build.block
    there.ops = list(ops)
    build.emit("if", [condition], [one.scalar for one in results], regions=[there, gone])
    outside.ops[-1].results[:] = results
    build.block = gone
    build.emit("yield", others if others is not None else [build.value("undef", type=one.scalar) for one in results])
    build.block = outside
