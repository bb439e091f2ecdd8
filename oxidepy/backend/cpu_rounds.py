"""Loops with steps as wide as the grid: as long as every thread of every block goes on, a round is done by all blocks before the next one.

One block after the other would go through all of memory in steps as wide as the grid, a little from each place; together the blocks of a
call touch what lies side by side. Each block then goes on alone from the offset to which all have come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.backend.cpu_plan import Run
from oxidepy.backend.cpu_rows import in_any_order
from oxidepy.backend.cpu_scratch import known_before
from oxidepy.backend.cpu_uniform import BLOCK
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import I32, I64

if TYPE_CHECKING:
    from oxidepy.backend.cpu_levels import LevelEmitter
    from oxidepy.backend.cpu_lockstep import InStep


def together(self: LevelEmitter) -> None:
    """The rounds that all blocks of the call do together, if the kernel begins with such a loop."""
    loop = _first_loop(self)
    limit = _limit(loop) if loop is not None else None
    if loop is None or limit is None or not _of_launch(limit) or not _of_launch(loop.found.step):
        return
    step, most = _known(self, loop.found.step), 2 ** (limit.scalar.bits - 1) - 1
    bound = _known(self, limit)
    offset, block = self.object("round", "i64", 8), self.object("round.block", "i64", 8)
    head, body, following, latch, end = (self.fresh(f"together.{one}") for one in ("head", "body", "next", "latch", "end"))
    last = self.ins(f"sub i64 {self.ins(f'mul i64 %end, {self.threads}')}, 1")
    some, up = self.ins("icmp slt i64 %first, %end"), self.ins(f"icmp sgt i64 {step}, 0")
    self.do(f"store i64 0, ptr {offset}")
    self.do(f"br i1 {self.ins(f'and i1 {some}, {up}')}, label %{head}, label %{end}")
    self.start(head)
    number = self.ins(f"load i64, ptr {offset}")
    now = self.ins(f"add i64 {last}, {number}")
    inside = self.ins(f"icmp slt i64 {now}, {bound}")
    fits = self.ins(f"icmp sle i64 {step}, {self.ins(f'sub i64 {most}, {now}')}")  # nor does the variable wrap behind this round
    self.do(f"store i64 %first, ptr {block}")
    self.do(f"br i1 {self.ins(f'and i1 {inside}, {fits}')}, label %{body}, label %{end}")
    self.start(body)
    own = self.ins(f"load i64, ptr {block}")
    _round(self, loop, own, number)
    self.do(f"br label %{following}")
    self.start(following)
    more = self.ins(f"add nsw i64 {own}, 1")
    self.do(f"store i64 {more}, ptr {block}")
    self.do(f"br i1 {self.ins(f'icmp slt i64 {more}, %end')}, label %{body}, label %{latch}")
    self.start(latch)
    self.do(f"store i64 {self.ins(f'add i64 {number}, {step}')}, ptr {offset}")
    self.do(f"br label %{head}")
    self.start(end)
    self.values[loop.offset] = _narrow(self, loop.offset, self.ins(f"load i64, ptr {offset}"))


def _round(self: LevelEmitter, loop: InStep, block: str, offset: str) -> None:
    """One round of one block."""
    (body,) = loop.together
    mode, self.mode = self.mode, BLOCK
    self.coordinates["ctaid.x"] = self.ins(f"trunc i64 {block} to i32")
    for item in self.plan.items[self.kernel.body]:
        if isinstance(item, Op) and body in item.regions:
            break  # what stands behind the loop may ask for what comes out of others
        if isinstance(item, Op) and item in self.plan.scalar:
            self.as_thread([item])
    for arg in body.args:
        self.values[arg] = "poison"  # whether a thread goes on: all do
    self.values[body.args[0]] = _narrow(self, loop.offset, offset)
    self.items(self.plan.items[body])
    self.mode = mode


def _first_loop(self: LevelEmitter) -> InStep | None:
    """The loop in step with which the kernel begins, if its blocks may be done in any order and it carries nothing along."""
    kernel = self.kernel
    if kernel.domain != 1 or kernel.block[0] != self.threads or not in_any_order(self):
        return None
    for item in self.plan.items[kernel.body]:
        if isinstance(item, Run):
            if not item.ops or all(OPS[op.name].effect == "pure" and not op.regions for op in item.ops):
                continue
            return None
        if item in self.plan.scalar:
            continue
        found = (one for one in self.plan.in_step if any(body in item.regions for body in one.together))
        return next((one for one in found if _global_id(self, one.found.start) and _alone(self, one)), None)
    return None


def _alone(self: LevelEmitter, loop: InStep) -> bool:
    """Whether the threads of a round ask for nothing that lies in arrays."""
    runs = [one for one in self.plan.items[loop.together[0]] if isinstance(one, Run)]
    return all(one.warps is None and not any(self.plan.place(value) in self.plan.slots for value in one.loads) for one in runs)


def _global_id(self: LevelEmitter, value: Value) -> bool:
    """Whether a value is the thread's number in the grid."""
    op = value.owner
    if not isinstance(op, Op):
        return False
    if op.name == "cast" and value.type == I64:
        return _global_id(self, op.operands[0])
    if op.name == "intrinsic":
        return ROWS[op.attrs["row"]].cpu == "global_id.x"
    if op.name != "add":
        return False
    for own, product in (op.operands, op.operands[::-1]):
        scaled = product.owner
        if _coordinate(own) == "tid.x" and isinstance(scaled, Op) and scaled.name == "mul":
            names = {_coordinate(one) or one.constant for one in scaled.operands}
            return names in ({"ctaid.x", "ntid.x"}, {"ctaid.x", self.threads})
    return False


def _coordinate(value: Value) -> str:
    op = value.owner
    return ROWS[op.attrs["row"]].cpu if isinstance(op, Op) and op.name == "intrinsic" else ""


def _limit(loop: InStep) -> Value | None:
    """What the loop's variable stays below."""
    op = loop.found.op
    if loop.found.start.type not in (I32, I64):
        return None
    if op.name == "for":
        return op.operands[1]
    test = op.regions[0].terminator.operands[0].owner
    variable = op.regions[0].args[loop.found.place]
    if not isinstance(test, Op) or test.name not in ("lt", "gt", "inbounds"):
        return None
    below, limit = test.operands if test.name != "gt" else test.operands[::-1]
    return limit if below is variable else None


def _of_launch(value: Value) -> bool:
    """Whether a value follows from parameters and the size of the grid."""
    op = value.owner
    if op is None or isinstance(op, Block):
        return op is None
    if op.name == "intrinsic":
        return _coordinate(value).partition(".")[0] in ("nctaid", "ntid", "grid_size")
    return (
        not op.regions and op.name in ("add", "sub", "mul", "cast", "const", "min", "max") and all(_of_launch(one) for one in op.operands)
    )


def _known(self: LevelEmitter, value: Value) -> str:
    """A value ahead of all blocks, as an i64."""
    known_before(self, value)
    text = self.values[value]
    return self.ins(f"sext i32 {text} to i64") if value.type == I32 else text


def _narrow(self: LevelEmitter, like: Value, text: str) -> str:
    return self.ins(f"trunc i64 {text} to i32") if like.type == I32 else text
