"""Barriers: of the warp, the block, the cluster, the grid. LLVM takes each for an access of all memory, so nothing crosses it.

The block's are `.aligned`: the analysis has made sure that all live threads of a block come to one together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oxidepy.backend import panic
from oxidepy.backend.llvm.emitter import Emitter
from oxidepy.ir.core import Op
from oxidepy.ir.intrinsics.barrier import TESTS

GRID_PARAMETER = "%grid.barrier"
_LOOKS = 64  # rounds of waiting between two looks at the panic record, which lies in the host's memory


def assembler(emitter: Emitter, text: str, constraints: str = "", args: Sequence[str] = (), result: str = "void") -> str:
    """One line of PTX, taken for an access of all memory; its result if it has one."""
    every = ",".join((*filter(None, (constraints,)), "~{memory}"))
    call = f'call {result} asm sideeffect "{text}", "{every}"({", ".join(args)}) convergent nounwind'
    if result != "void":
        return emitter.ins(call)
    emitter.do(call)
    return ""


def block_sync(emitter: Emitter) -> None:
    emitter.do("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) nomerge")


class Barriers:
    """Lowers the rows of one kernel. `origin` says whether all of a register's three coordinates are 0; `blocks`: how many there are.

    `record`: whether the kernel has a panic record, at which a waiting thread looks.
    """

    def __init__(self, emitter: Emitter, origin: Callable[[str], str], blocks: Callable[[], str], record: bool) -> None:
        self.emitter = emitter
        self.origin = origin
        self.blocks = blocks
        self.record = record
        self.rows: dict[str, Callable[[Op], str]] = {
            "barrier": self._block,
            "barrier.or": lambda op: self._vote("i1", "or", op),
            "barrier.and": lambda op: self._vote("i1", "and", op),
            "barrier.popc": lambda op: self._vote("i32", "popc", op),
            "warp.barrier": self._warp,
            "cluster.barrier": self._cluster,
            "cluster.arrive": self._arrive,
            "cluster.wait": self._wait_cluster,
            "grid.barrier": self._grid,
        }

    def _block(self, op: Op) -> str:
        block_sync(self.emitter)
        return ""

    def _vote(self, result: str, kind: str, op: Op) -> str:
        return self._reduce(result, kind, self.emitter.value(op.operands[0]))

    def _reduce(self, result: str, kind: str, condition: str) -> str:
        return self.emitter.ins(f"call {result} @llvm.nvvm.barrier.cta.red.{kind}.aligned.all(i32 0, i1 {condition}) nomerge")

    def _warp(self, op: Op) -> str:
        self.emitter.do(f"call void @llvm.nvvm.bar.warp.sync(i32 {self.emitter.value(op.operands[0])}) nomerge")
        return ""

    def _cluster(self, op: Op) -> str:
        return self._arrive(op) + self._wait_cluster(op)

    def _arrive(self, op: Op) -> str:
        self.emitter.do("call void @llvm.nvvm.barrier.cluster.arrive.aligned() nomerge")
        return ""

    def _wait_cluster(self, op: Op) -> str:
        self.emitter.do("call void @llvm.nvvm.barrier.cluster.wait.aligned() nomerge")
        return ""

    # ---- the grid

    def _grid(self, op: Op) -> str:
        """The first thread of each block adds to a counter whose top bit flips when all blocks have come, and waits for that.

        Every block adds 1, the grid's first 2**31 less the others: so the counter needs no reset between two barriers.
        """
        emitter = self.emitter
        ins = emitter.ins
        block_sync(emitter)
        first = self.origin("ctaid")
        leader = self.origin("tid")
        arrive, spin, on = emitter.fresh("arrive"), emitter.fresh("spin"), emitter.fresh("together")
        blocks = self.blocks()
        before = emitter.current
        emitter.do(f"br i1 {leader}, label %{arrive}, label %{on}")
        emitter.start(arrive)
        rest = ins(f"sub i32 {-(1 << 31) + 1}, {blocks}")
        amount = ins(f"select i1 {first}, i32 {rest}, i32 1")
        args = (f"ptr addrspace(1) {GRID_PARAMETER}", f"i32 {amount}")
        old = assembler(emitter, "atom.release.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r", args, "i32")
        emitter.do(f"br label %{spin}")
        ends = [(before, "false"), *self._wait(arrive, spin, on, old)]
        emitter.start(on)
        if not self.record:
            block_sync(emitter)
            return ""
        failed = ins("phi i1 " + ", ".join(f"[ {value}, %{label} ]" for label, value in ends))
        gone, live = emitter.fresh("gone"), emitter.fresh("on")
        emitter.do(f"br i1 {self._reduce('i1', 'or', failed)}, label %{gone}, label %{live}")
        emitter.start(gone)
        leave(emitter)
        emitter.start(live)
        return ""

    def _wait(self, arrive: str, spin: str, on: str, old: str) -> list[tuple[str, str]]:
        """The loop; from which blocks it ends, and whether because of a panic."""
        emitter = self.emitter
        ins = emitter.ins
        emitter.start(spin)
        hole = len(emitter.lines)
        count = ins("phi i32") if self.record else ""
        now = assembler(emitter, "ld.acquire.gpu.global.u32 $0, [$1];", "=r,l", (f"ptr addrspace(1) {GRID_PARAMETER}",), "i32")
        done = ins(f"icmp slt i32 {ins(f'xor i32 {old}, {now}')}, 0")
        if not self.record:
            emitter.do(f"br i1 {done}, label %{on}, label %{spin}")
            return [(spin, "false")]
        again, look = emitter.fresh("again"), emitter.fresh("look")
        emitter.do(f"br i1 {done}, label %{on}, label %{again}")
        emitter.start(again)
        following = ins(f"add i32 {count}, 1")
        emitter.lines[hole] = emitter.lines[hole].replace(
            "phi i32", f"phi i32 [ 0, %{arrive} ], [ {following}, %{again} ], [ {following}, %{look} ]"
        )
        due = ins(f"icmp eq i32 {ins(f'and i32 {following}, {_LOOKS - 1}')}, 0")
        known = ins("icmp ne ptr addrspace(1) %record, null")
        emitter.do(f"br i1 {ins(f'and i1 {due}, {known}')}, label %{look}, label %{spin}")
        emitter.start(look)
        emitter.do(f"br i1 {claimed(emitter)}, label %{on}, label %{spin}")
        return [(spin, "false"), (look, "true")]


_READS = frozenset(("load", "exchange", "compare_exchange"))


def waits(loop: Op) -> bool:
    """Whether a `while` may wait for another thread: it goes on by what it reads of memory that this launch writes."""
    condition, body = loop.regions
    if any(op.attrs.get("row") in TESTS for op in loop.walk()):
        return True
    for op in condition.walk():
        if op.name == "atomic":
            return True
        if op.name == "load" and op.operands[0].memory.access != "shared" and op.operands[0].memory.space != "local":
            return True
    return any(op.name == "atomic" and op.attrs["kind"] in _READS for op in body.walk())


def look(emitter: Emitter, rounds: str) -> None:
    """End the thread in every 64th of the rounds that are counted at `rounds`, if a panic has been recorded by then."""
    ins = emitter.ins
    count = ins(f"add i32 {ins(f'load i32, ptr {rounds}')}, 1")
    emitter.do(f"store i32 {count}, ptr {rounds}")
    due = ins(f"icmp eq i32 {ins(f'and i32 {count}, {_LOOKS - 1}')}, 0")
    known = ins("icmp ne ptr addrspace(1) %record, null")
    check, gone, on = emitter.fresh("look"), emitter.fresh("gone"), emitter.fresh("on")
    emitter.do(f"br i1 {ins(f'and i1 {due}, {known}')}, label %{check}, label %{on}")
    emitter.start(check)
    emitter.do(f"br i1 {claimed(emitter)}, label %{gone}, label %{on}")
    emitter.start(gone)
    leave(emitter)
    emitter.start(on)


def claimed(emitter: Emitter) -> str:
    """Whether some thread has claimed the panic record, which is there."""
    place = emitter.ins(f"getelementptr inbounds i8, ptr addrspace(1) %record, i64 {panic.CLAIM}")
    found = assembler(emitter, "ld.relaxed.sys.global.u32 $0, [$1];", "=r,l", (f"ptr addrspace(1) {place}",), "i32")
    return emitter.ins(f"icmp ne i32 {found}, 0")


def leave(emitter: Emitter) -> None:
    """End the thread."""
    emitter.do("call void @llvm.nvvm.exit()")
    emitter.do("unreachable")
