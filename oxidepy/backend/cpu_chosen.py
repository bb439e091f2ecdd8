"""Runs that do something in some threads only, `if t < step` or `if t == 0`: their loops go over these threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.ir.core import Kernel, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import Memory

if TYPE_CHECKING:
    from oxidepy.backend.cpu_levels import LevelEmitter
    from oxidepy.backend.cpu_plan import Run

_BOUNDS = {"lt": 0, "gt": 0, "le": 1, "eq": 1}  # comparisons that say of a thread that it is below a number; what to add to that


def pinned(op: Op, kernel: Kernel) -> dict[str, int]:
    """Where an `if` does something in threads alone that have a known place along an axis: axis → place. These are few of the block."""
    test = _only(op)
    if test is None or not any(isinstance(one.type, Memory) for inner in op.walk() for one in inner.operands):
        return {}
    return _places(test, kernel)


def _places(test: Op, kernel: Kernel) -> dict[str, int]:
    """The places of the threads for which a condition may hold."""
    if test.name == "eq":
        for own, other in (test.operands, test.operands[::-1]):
            place, axis = other.constant, _axis(own)
            if axis and place is not None and 0 <= int(place) < kernel.block["xyz".index(axis)]:
                return {axis: int(place)}
    found: dict[str, int] = {}
    both: list[Value] | tuple[Value, ...] = test.operands if test.name == "and" else ()
    if test.name == "if" and len(test.results) == 1 and test.regions[1].terminator.operands[0].constant is False:
        both = (test.operands[0], test.regions[0].terminator.operands[0])  # `a and b`
    for one in both:
        if isinstance(one.owner, Op):
            found.update(_places(one.owner, kernel))
    return found


def below(self: LevelEmitter, run: Run) -> str:
    """Where a run does something only in threads below a number, that number, from 0 to the size of the block; else ""."""
    if not run.ops or run.copies or run.spills or self.kernel.block[0] != self.threads:
        return ""
    *before, last = run.ops
    test = _only(last)
    if test is None or test.name not in _BOUNDS or any(OPS[op.name].effect != "pure" for op in before):
        return ""
    thread, limit = test.operands if test.name != "gt" else test.operands[::-1]
    if _axis(thread) != "x" or limit not in self.plan.uniform:
        return ""
    type_, number = self.type(limit.scalar), self.values[limit]
    more = _BOUNDS[test.name]
    low = self.ins(f"call {type_} @llvm.smax.{type_}({type_} {number}, {type_} {-more})")
    found = self.ins(f"call {type_} @llvm.smin.{type_}({type_} {low}, {type_} {self.threads - more})")
    if more:
        found = self.ins(f"add {type_} {found}, 1")
    return found if type_ == "i32" else self.ins(f"trunc {type_} {found} to i32")


def _only(op: Op) -> Op | None:
    """What an `if` asks that does nothing where that fails."""
    if op.name != "if" or op.results or len(op.regions[1].ops) != 1 or op.regions[1].terminator.name != "yield":
        return None
    test = op.operands[0].owner
    return test if isinstance(test, Op) else None


def _axis(value: Value) -> str:
    """Along which axis it is the thread's place in its block."""
    op = value.owner
    name = ROWS[op.attrs["row"]].cpu if isinstance(op, Op) and op.name == "intrinsic" else ""
    return name[-1] if name.startswith("tid.") else ""
