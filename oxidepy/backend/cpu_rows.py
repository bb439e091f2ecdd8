"""Rows of threads, in kernels without waits: blocks that lie side by side give one long row, which is what caches and prefetchers like.

A block of 16 x 16 threads alone would touch sixteen short pieces of memory, far from each other, and then go on to the next.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from oxidepy.backend.cpu_interior import Interior, in_two
from oxidepy.backend.cpu_steps import Steps
from oxidepy.backend.cpu_uniform import uniform_position
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import I32, I64, Memory

if TYPE_CHECKING:
    from oxidepy.backend.cpu_kernel import KernelEmitter


_THREADS = 4096  # of a row: longer ones would leave the caches before the next row of the same blocks reads their surroundings
_EFFECTS = frozenset(("pure", "read", "write", "control"))


def may_be_beside(self: KernelEmitter) -> bool:
    """Whether threads of several blocks may be done in any order, and there is something to gain by that.

    Not where threads of a row touch memory far apart: a block is small so that what its rows share stays in the caches.
    """
    x, y, z = self.kernel.block
    if x == 1 or y * z == 1 or not in_any_order(self):
        return False
    steps = Steps(self.kernel)
    return all(steps.near(op) for op in self.kernel.body.walk())


def in_any_order(self: KernelEmitter) -> bool:
    """Whether nothing tells in which order blocks are done."""
    return not self.sites and all(OPS[op.name].effect in _EFFECTS or _local(op) for op in self.kernel.body.walk())


def _local(op: Op) -> bool:
    return op.name == "alloc" and op.result.memory.space == "local"


def blocks_beside(self: KernelEmitter) -> str:
    """How many blocks from this one on are done together, as an i64."""
    first = self.ins(f"zext i32 {self.coordinates['ctaid.x']} to i64")
    row = self.ins(f"zext i32 {self.coordinates['nctaid.x']} to i64")
    left = self.ins(f"call i64 @llvm.umin.i64(i64 {self.ins(f'sub i64 {row}, {first}')}, i64 {self.ins('sub i64 %end, %b')})")
    count = self.ins(f"call i64 @llvm.umin.i64(i64 {left}, i64 {max(1, _THREADS // self.kernel.block[0])})")
    self.do(f"%beside = trunc i64 {count} to i32")
    self.do(f"%first.x = add i32 {self.coordinates['ctaid.x']}, 0")
    return count


def rows(self: KernelEmitter) -> None:
    """The threads along x, of one block or of blocks beside each other. No check may fail in them."""
    if self.beside:
        _in_three(self)
    elif self.kernel.block[0] == 1:
        self.coordinates["tid.x"] = "0"
        _thread(self)
    else:
        _inside_or_not(self, "", lambda: _threads(self))


def _in_three(self: KernelEmitter) -> None:
    """The first block, those in the middle, the last one: at the ends of a row some threads lie outside more often."""
    before, head, end = self.current, self.fresh("loop.part"), self.fresh("endloop.part")
    self.do(f"br label %{head}")
    self.start(head)
    start = self.ins("phi")
    hole = len(self.lines) - 1
    rest = self.ins(f"sub i32 %beside, {start}")
    middle = self.ins(f"call i32 @llvm.umax.i32(i32 {self.ins(f'sub i32 {rest}, 1')}, i32 1)")
    count = self.ins(f"select i1 {self.ins(f'icmp eq i32 {start}, 0')}, i32 1, i32 {middle}")
    first = self.coordinates["ctaid.x"] = self.ins(f"add i32 %first.x, {start}")
    others = self.ins(f"zext i32 {self.ins(f'sub i32 {count}, 1')} to i64")
    _inside_or_not(self, others, lambda: _blocks(self, first, count))
    following = self.ins(f"add i32 {start}, {count}")
    self.do(f"br i1 {self.ins(f'icmp ult i32 {following}, %beside')}, label %{head}, label %{end}")
    self.lines[hole] = f"  {start} = phi i32 [ 0, %{before} ], [ {following}, %{self.current} ]"
    self.start(end)


def _inside_or_not(self: KernelEmitter, others: str, emit: Callable[[], None]) -> None:
    held, guards = Interior(self, _Known(self, bool(others)), "x", others).ask(self.kernel.body.ops)
    if guards:
        in_two(self, held, guards, emit)
    else:
        emit()


def _blocks(self: KernelEmitter, start: str, count: str) -> None:
    """One loop over the threads of blocks beside each other. LLVM finds that block x size + thread is its variable."""
    size = self.kernel.block[0]
    ends = [self.ins(f"mul nuw nsw i32 {one}, {size}") for one in (start, self.ins(f"add nuw nsw i32 {start}, {count}"))]

    def split(number: str) -> None:
        self.coordinates["ctaid.x"] = self.ins(f"udiv i32 {number}, {size}")
        self.coordinates["tid.x"] = self.ins(f"urem i32 {number}, {size}")

    _loop(self, ends[0], ends[1], split)


def _threads(self: KernelEmitter) -> None:
    def own(number: str) -> None:
        self.coordinates["tid.x"] = number

    _loop(self, "0", str(self.kernel.block[0]), own)


def _loop(self: KernelEmitter, start: str, stop: str, place: Callable[[str], None]) -> None:
    before, head, end = self.current, self.fresh("loop.x"), self.fresh("endloop.x")
    number = f"%number.{head}"
    self.do(f"br label %{head}")
    self.start(head)
    hole = len(self.lines)
    self.lines.append("")
    place(number)
    _thread(self)
    following = self.ins(f"add nuw nsw i32 {number}, 1")
    more = self.ins(f"icmp ult i32 {following}, {stop}")
    self.do(f"br i1 {more}, label %{head}, label %{end}{self.loop_facts(0, self.kernel.block[0])}")
    self.lines[hole] = f"  {number} = phi i32 [ {start}, %{before} ], [ {following}, %{self.current} ]"
    self.start(end)


def _thread(self: KernelEmitter) -> None:
    self.linear = self.linear_index()
    ended = self.region(self.kernel.body) is not None
    assert ended, "only a check or its end ends a kernel"


class _Known:
    """The text of values that are the same in a row: what follows from parameters and the row's place, by operations without effects."""

    def __init__(self, emitter: KernelEmitter, blocks: bool) -> None:
        self.emitter = emitter
        self.blocks = blocks  # of several blocks
        self.found: dict[Value, str | None] = {}

    def __call__(self, value: Value) -> str | None:
        if value not in self.found:
            self.found[value] = self._text(value)
        return self.found[value]

    def _text(self, value: Value) -> str | None:
        op, emitter = value.owner, self.emitter
        if op is None:
            return emitter.values[value]
        if not isinstance(op, Op) or op.regions or op.name == "call" or OPS[op.name].effect != "pure" or value.type not in (I32, I64):
            return None
        if op.name in ("floordiv", "mod") and not op.operands[1].constant:
            return None  # perhaps proven not to be by 0 just where a guard holds that is not asked here
        if op.name == "intrinsic":
            name = ROWS[op.attrs["row"]].cpu
            if self.blocks and name == "ctaid.x":
                return None
            if not (uniform_position(name, emitter.kernel) or name in ("tid.y", "tid.z", "global_id.y", "global_id.z")):
                return None
            return emitter.position(name, emitter.type(value.scalar))
        if any(isinstance(one.type, Memory) or self(one) is None for one in op.operands):
            return None
        block = Block()
        block.ops = [op]
        usual, emitter.values = emitter.values, {**emitter.values, **{one: text for one, text in self.found.items() if text is not None}}
        emitter.region(block)
        text, emitter.values = emitter.values[value], usual
        return text
