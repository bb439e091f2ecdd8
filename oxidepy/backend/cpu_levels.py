"""The CPU's emitter of a kernel with waits: control flow of the block, loops over its threads in between (see `cpu_plan`).

A thread that is not under way has a number in `%state`: that of the scope for whose end it waits, or -1 once a check has ended it. Runs
skip it. As soon as no thread is under way, control goes to the end of the scope around.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from oxidepy.backend import cpu_chosen, cpu_rounds
from oxidepy.backend.cpu_interior import Interior, in_two
from oxidepy.backend.cpu_kernel import NO_FAILURE, KernelEmitter
from oxidepy.backend.cpu_lockstep import Ahead
from oxidepy.backend.cpu_plan import Item, Plan, Run, updates
from oxidepy.backend.cpu_scratch import Object, array
from oxidepy.backend.cpu_uniform import BLOCK, LANE
from oxidepy.backend.llvm.debug import Metadata
from oxidepy.backend.llvm.emitter import Join, ModuleText, Place
from oxidepy.ir.core import Block, Kernel, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import Memory

_ENDED = "-1"
MANY = 24  # runs of a kernel that says little between its barriers have less
_LINE = 64  # bytes of a line of the caches
_NONE: Mapping[str, int] = {}
_ROUNDS_AHEAD = 4  # memory takes about as long as three rounds of 256 bytes


class LevelEmitter(KernelEmitter):
    """`mode`: whose code is being written: the block's, a warp's (`cpu_warp`), or one thread's."""

    def __init__(self, text: ModuleText, kernel: Kernel, metadata: Metadata, found: list[Op], plan: Plan) -> None:
        super().__init__(text, kernel, metadata, found)
        self.plan = plan
        self.sites.update({id(copy): self.sites[id(op)] for copy, op in plan.origins.items() if op.name == "check"})
        self.mode = LANE
        self.partial = False  # some threads of the block may not be under way
        self.around: list[tuple[Join, int]] = []  # ends of the scopes around, and how many results they have
        self.numbers: dict[str, int] = {}  # of scopes, in %state
        self.lane = ""  # in a loop over lanes: its number
        self.left_early = plan.left
        self.padded = -(-self.threads // 32) * 32  # lanes that do not exist have places too
        self._slots: dict[Value, str] = {}
        self._memory = {run: _memory(run) for run in plan.runs}
        self._spread: dict[Value, str] = {}  # local objects of which every thread has its own
        self._index: dict[str, str] = {}
        # operations of the block; a subclass adds those of a warp
        self.waits: dict[int, dict[str, Callable[[Op], bool]]] = {
            BLOCK: {"if": self._if, "for": self._for, "while": self._while, "scope": self._scope, "intrinsic": self._barrier}
        }

    # ---- the whole block

    def may_be_beside(self) -> bool:
        return False

    def before_blocks(self) -> None:
        self.values.update({one.offset: "0" for one in self.plan.in_step})
        cpu_rounds.together(self)

    def threads_of_block(self) -> str:
        self.object("low", "i32", 4)
        self.object("alive", "i1", 1)
        self.object("whole", "i1", 1)
        self.do("store i1 true, ptr %whole")
        self.object("votes", "i32", 4)
        self.mode = BLOCK
        self.do(f"store i32 {NO_FAILURE}, ptr %low")
        if self.sites or self.left_early:
            self.object("state", f"[{self.padded} x i32]", 4 * self.padded)
            self.do(f"call void @llvm.memset.p0.i64(ptr align 64 %state, i8 0, i64 {4 * self.padded}, i1 false)")
        finish = Join(self.fresh("finish"))
        self.around = [(finish, 0)]
        self.enter(finish, self.region(self.kernel.body))
        assert self.join(finish, [])
        return self.ins("load i32, ptr %low")

    def object(self, name: str, type_: str, size: int) -> str:
        """Memory of the running block; what is small is registers in the end."""
        self.objects.append(Object(f"%{name}", type_, size, 64 if size > 8 else 8, size <= 8))
        return f"%{name}"

    def all_ops(self) -> Iterable[Op]:
        return (*self.kernel.body.ops, *self.plan.made)

    # ---- regions

    def region(self, block: Block) -> list[str] | None:
        if self.mode == LANE:
            return super().region(block)
        if block in self.plan.ahead:
            self._fetch_ahead(self.plan.ahead[block])
        return self.items(self.plan.items[block])

    def items(self, items: Sequence[Item]) -> list[str] | None:
        """What the terminator passes; None if control does not come to the end."""
        for item in items:
            if isinstance(item, Run):
                self.run(item)
            elif item in self.plan.scalar:
                self._once(item)
            elif item.is_terminator:
                return self.terminator(item)
            elif not self.waits[self.mode][item.name](item):
                return None
        return []

    def _fetch_ahead(self, ahead: Ahead) -> None:
        """Have the caches fetch what a round some rounds on reads, a line at a time; past the end that does nothing."""
        if self.kernel.block[0] != self.threads:
            return
        mode, self.mode = self.mode, LANE
        for memory in ahead.memories:
            size, type_, place = memory.memory.element.size, self.type(ahead.offset.scalar), self.places[memory]
            further = self.ins(f"mul {type_} {self.values[ahead.step]}, {_ROUNDS_AHEAD}")
            base = self.ins(f"add {type_} {self.values[ahead.offset]}, {further}")
            for first in range(0, self.threads, max(_LINE // size, 1)):
                self.coordinates["tid.x"] = self.linear = str(first)
                index = self.ins(f"add {type_} {base}, {self.fetch(ahead.start)}")
                number = self.ins(f"sext {type_} {index} to i64") if type_ != "i64" else index
                at = self.ins(f"getelementptr [{size} x i8], {place.type} {place.pointer}, i64 {number}")
                self.do(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
        self.mode = mode

    def run(self, run: Run) -> None:
        """A part of the block without waits for all of it."""
        self.in_versions(lambda: self._threads_run(run), bool(run.leaves) or run.checks)

    def _threads_run(self, run: Run) -> None:
        bound = "" if run.pinned else cpu_chosen.below(self, run)
        asks = not bound and not run.pinned and not self.partial
        held, guards = self.asked(run) if asks else ("", frozenset[Op]())
        if guards:
            in_two(self, held, guards, lambda: self._loop(run, ""))
        else:
            self._loop(run, bound)

    def asked(self, run: Run) -> tuple[str, frozenset[Op]]:
        """Whether all threads of the block lie inside, and the guards that say so."""
        return Interior(self, lambda value: self.values.get(value) if value in self.plan.uniform else None, "xyz").ask(run.ops)

    def _loop(self, run: Run, bound: str) -> None:
        checks = sum(one.name == "check" for op in run.ops for one in op.walk())
        self.threads_loop(lambda: self.thread(run), checks, bound, vectors=not _updates(run), pinned=run.pinned)

    def in_versions(self, emit: Callable[[], None], exits: bool) -> None:
        """Where some threads may not be under way, emit code for all of them and code under masks: nearly always all are there."""
        if self.partial:
            labels, end = (self.fresh("all"), self.fresh("some")), self.fresh("both")
            self.do(f"br i1 {self.ins('load i1, ptr %whole')}, label %{labels[0]}, label %{labels[1]}{self.likely}")
            for label, partial in zip(labels, (False, True), strict=True):
                self.start(label)
                self.partial = partial
                emit()
                self.do(f"br label %{end}")
            self.start(end)
        else:
            emit()
        if exits:
            self.partial = True
            self._unless_none()

    def _unless_none(self) -> None:
        """Go on only if some thread does."""
        on, some = self.fresh("on"), self.fresh("some")
        self.do(f"br i1 {self.ins('load i1, ptr %whole')}, label %{on}, label %{some}{self.likely}")
        self.start(some)
        self.do("store i1 false, ptr %alive")
        self.threads_loop(lambda: self._fold("%alive", "or", self._under_way()), 0)
        end, results = self.around[-1]
        alive = self.ins("load i1, ptr %alive")
        end.incoming.append((self.current, ["poison"] * results))
        self.do(f"br i1 {alive}, label %{on}, label %{end.label}")
        self.start(on)

    def _once(self, op: Op) -> None:
        self.as_thread([op])

    def as_thread(self, ops: Sequence[Op]) -> list[str] | None:
        """Emit operations as a thread's code."""
        mode, self.mode = self.mode, LANE
        block = Block()
        block.ops = list(ops)
        found = super().region(block)
        self.mode = mode
        return found

    def own_control(self, op: Op) -> bool:
        """Emit control flow as it is for one thread, its regions in the present mode. What differs between threads is in arrays."""
        block = Block()
        block.ops = [op]
        return super().region(block) is not None

    def terminator(self, op: Op) -> list[str] | None:
        values = [self.scalar_text(one) for one in op.operands]
        if op.name == "condition":
            values[0] = self.read(op.operands[0])
        if op.name == "leave":
            self.enter(self.scopes[op.attrs["label"]], values)
            return None
        return values

    def scalar_text(self, value: Value) -> str:
        """A value in the block's own code: only uniform ones are there."""
        return self.values[value] if value in self.plan.uniform else "poison"

    # ---- control flow of the block

    def read(self, value: Value) -> str:
        """A value that is equal in all threads that are under way, from one of them."""
        if value in self.plan.uniform:
            return self.values[value]
        return self.load_slot(value, self._living())

    def _living(self) -> str:
        """The number of a thread that is under way; there is one."""
        if not self.partial:
            return "0"
        before, head, end = self.current, self.fresh("seek"), self.fresh("found")
        self.do(f"br label %{head}")
        self.start(head)
        number = self.ins("phi")
        hole = len(self.lines) - 1
        state = self.ins(f"load i32, ptr {self.ins(f'getelementptr inbounds i32, ptr %state, i64 {number}')}, align 4")
        following = self.ins(f"add nuw nsw i64 {number}, 1")
        self.do(f"br i1 {self.ins(f'icmp eq i32 {state}, 0')}, label %{end}, label %{head}")
        self.lines[hole] = f"  {number} = phi i64 [ 0, %{before} ], [ {following}, %{head} ]"
        self.start(end)
        return number

    def _barrier(self, op: Op) -> bool:
        if op.results:
            self.values[op.result] = self._vote(op.operands[0], ROWS[op.attrs["row"]].cpu)
        return True

    def _vote(self, value: Value, kind: str) -> str:
        """In how many threads that are under way a condition holds, or fails for `and`."""
        self.do("store i32 0, ptr %votes")

        def count() -> None:
            found = self.fetch(value)
            if kind == "barrier.and":
                found = self.ins(f"xor i1 {found}, true")
            if self.partial:
                found = self.ins(f"and i1 {found}, {self._under_way()}")
            one = self.ins(f"zext i1 {found} to i32")
            total = self.ins("load i32, ptr %votes")
            self.do(f"store i32 {self.ins(f'add i32 {total}, {one}')}, ptr %votes")

        self.threads_loop(count, 0)
        total = self.ins("load i32, ptr %votes")
        return total if kind == "barrier.popc" else self.ins(f"icmp {'eq' if kind == 'barrier.and' else 'ne'} i32 {total}, 0")

    def _if(self, op: Op) -> bool:
        condition = self.read(op.operands[0])
        labels, end = [self.fresh("then"), self.fresh("else")], Join(self.fresh("endif"))
        before = self.partial
        self.do(f"br i1 {condition}, label %{labels[0]}, label %{labels[1]}")
        for label, region in zip(labels, op.regions, strict=True):
            self.partial = before
            self.start(label)
            self.enter(end, self.region(region))
        self.partial = before or bool(self.plan.exits[op])
        return self.join(end, op.results)

    def _for(self, op: Op) -> bool:
        for value in op.operands[:3]:
            self.values[value] = self.read(value)
        return self._rounds(op, op.operands[3:])

    def _while(self, op: Op) -> bool:
        return self._rounds(op, op.operands)

    def _rounds(self, op: Op, carried: Sequence[Value]) -> bool:
        for value in carried:
            self.values[value] = self.scalar_text(value)
        self.partial = self.partial or bool(self.plan.exits[op])
        return self.own_control(op)

    def _scope(self, op: Op) -> bool:
        label, end = op.attrs["label"], Join(self.fresh("leave"))
        outer, before = self.scopes.get(label), self.partial
        self.scopes[label] = end
        self.numbers[label] = len(self.numbers) + 1
        self.around.append((end, len(op.results)))
        self.enter(end, self.region(op.regions[0]))
        self.around.pop()
        if outer is not None:
            self.scopes[label] = outer
        lonely = any("poison" in values or not values for _, values in end.incoming)
        if not self.join(end, op.results):
            return False
        self.partial = before or bool(self.plan.exits[op])
        if label in self.left_early:
            self._revive(self.numbers[label])
        if lonely and self.partial:
            self._unless_none()
        return True

    def _revive(self, number: int) -> None:
        """Threads that wait for the end of this scope are under way again."""

        def revive() -> None:
            place = self.state_at()
            state = self.ins(f"load i32, ptr {place}, align 4")
            here = self.ins(f"icmp eq i32 {state}, {number}")
            self.do(f"store i32 {self.ins(f'select i1 {here}, i32 0, i32 {state}')}, ptr {place}, align 4")

        self.threads_loop(revive, 0)

    # ---- loops over threads

    def threads_loop(
        self, body: Callable[[], None], checks: int, bound: str = "", *, vectors: bool = True, pinned: Mapping[str, int] = _NONE
    ) -> None:
        """All threads of the block, x fastest, or those below `bound`, or those `pinned` to a place along an axis; `body` writes the code
        of one, of which there may be `vectors`."""
        mode, self.mode = self.mode, LANE
        over = self.fresh("over")
        if bound:
            some = self.fresh("some")
            self.do(f"br i1 {self.ins(f'icmp sgt i32 {bound}, 0')}, label %{some}, label %{over}")
            self.start(some)
        frames: list[tuple[str, str, int, int]] = []
        for axis in (2, 1, 0):
            letter, size = "xyz"[axis], self.kernel.block[axis]
            if size == 1 or letter in pinned:
                self.coordinates[f"tid.{letter}"] = str(pinned.get(letter, 0))
                continue
            before, head = self.current, self.fresh(f"loop.{letter}")
            self.do(f"br label %{head}")
            self.start(head)
            frames.append((before, head, axis, len(self.lines)))
            self.lines.append("")
            self.coordinates[f"tid.{letter}"] = f"%tid.{head}"
        self.linear = self.linear_index()
        self._index = {}
        body()
        innermost = True
        for before, head, axis, place in reversed(frames):
            name, end = f"%tid.{head}", self.fresh("endloop")
            facts = self.loop_facts(checks, self.kernel.block[axis] if vectors and not bound else 0)
            following = self.ins(f"add nuw nsw i32 {name}, 1")
            more = self.ins(f"icmp ult i32 {following}, {bound or self.kernel.block[axis]}")
            self.do(f"br i1 {more}, label %{head}, label %{end}{facts if innermost else self.outer_facts(axis)}")
            self.lines[place] = f"  {name} = phi i32 [ 0, %{before} ], [ {following}, %{self.current} ]"
            self.start(end)
            innermost = False
        if bound:
            self.do(f"br label %{over}")
            self.start(over)
        self.mode = mode

    def many_loops(self) -> bool:
        return len(self.plan.runs) > MANY

    def index(self, number: str) -> str:
        """A thread's or lane's number as i64, once a thread."""
        if number.isdigit():
            return number
        if number not in self._index:
            self._index[number] = self.ins(f"zext nneg i32 {number} to i64")
        return self._index[number]

    def state_at(self) -> str:
        return self.ins(f"getelementptr inbounds i32, ptr %state, i64 {self.index(self.linear)}")

    def _under_way(self) -> str:
        return self.ins(f"icmp eq i32 {self.ins(f'load i32, ptr {self.state_at()}, align 4{self.grouped()}')}, 0")

    def masked(self) -> str | None:
        """Whether the thread takes part; None if all do."""
        return self._under_way() if self.partial else None

    def _fold(self, name: str, operation: str, value: str) -> None:
        before = self.ins(f"load i1, ptr {name}")
        self.do(f"store i1 {self.ins(f'{operation} i1 {before}, {value}')}, ptr {name}")

    def left(self, run: Run, stays: str) -> None:
        """At a thread's end: whether it goes on."""
        if not self.partial:
            self._fold("%whole", "and", stays)

    # ---- one thread

    def thread(self, run: Run) -> None:
        """The code of one thread in a run: values in, operations, values out, where it leaves to."""
        end, note = self.fresh("thread.end"), self.fresh("thread.note")
        stays: list[tuple[str, str]] = []
        taking = self.masked()
        if taking is not None:
            body = self.fresh("thread")
            self.do(f"br i1 {taking}, label %{body}, label %{end}")
            stays.append((self.current, "false"))
            self.start(body)
        scopes, self.scopes = self.scopes, {label: Join(self.fresh("left")) for label in run.leaves}
        leaving = dict(self.scopes)
        first, self.failed_label = len(self.failures), note
        for row in self.rows.values():
            row.arms.clear()
        self._own_memory(run)
        for value in run.loads:
            self.values[value] = self.fetch(value)
        if self.as_thread(run.ops) is not None:
            for value in run.spills:
                self.store_slot(value, self.values[value])
            for (_, target), text in zip(run.copies, [self.values[value] for value, _ in run.copies], strict=True):
                self.store_slot(target, text)
            stays.append((self.current, "true"))
            self.do(f"br label %{end}")
        self.scopes = scopes
        gone = [(self._leaves(label, join, note), self.leaving_state(label)) for label, join in leaving.items() if join.incoming]
        failed = [(block, _ENDED) for block, _ in self.failures[first:]]
        if not gone and not failed:
            self.start(end)
            return
        self._note_exits(note, gone, failed)
        failing = [(note, f"%failed.{note}")] if failed else []
        # what cannot be made a vector of threads anyway need not come to its end with numbers which say that all is well
        cold = _updates(run)
        if cold:
            self._exits(run, [(note, "false")], failing)
        self.do(f"br label %{end}")
        self.start(end)
        if not cold:
            failing = [*((block, NO_FAILURE) for block, _ in stays), *failing] if failed else []
            self._exits(run, [*stays, (note, "false")], failing)

    def _exits(self, run: Run, stays: list[tuple[str, str]], failed: list[tuple[str, str]]) -> None:
        """Whether the thread goes on, and its number or that none has failed, by the blocks that control comes from."""
        lowest = self._merged("i32", failed) if failed else ""
        self.left(run, self._merged("i1", stays))
        if failed:
            low = self.ins(f"call i32 @llvm.umin.i32(i32 {self.ins('load i32, ptr %low')}, i32 {lowest})")
            self.do(f"store i32 {low}, ptr %low")

    def _merged(self, type_: str, arms: list[tuple[str, str]]) -> str:
        """What belongs to the block that control comes from; of a single one the value itself."""
        if len(arms) == 1:
            return arms[0][1]
        return self.ins(f"phi {type_} " + ", ".join(f"[ {value}, %{block} ]" for block, value in arms))

    def leaving_state(self, label: str) -> str:
        return str(self.numbers[label])

    def _leaves(self, label: str, join: Join, note: str) -> str:
        """Threads that leave for a scope around: their results go into its arrays. Gives the block from which they go on to `note`."""
        targets = self.plan.targets[label]
        self.start(join.label)
        found = [self.phi(one.scalar, [(values[at], block) for block, values in join.incoming]) for at, one in enumerate(targets)]
        for target, text in zip(targets, found, strict=True):
            if target not in self.plan.uniform:
                self.store_slot(target, text)
        self.leaving(label)
        block = self.current
        self.do(f"br label %{note}")
        return block

    def leaving(self, label: str) -> None:
        """A thread leaves for that scope."""

    def _note_exits(self, note: str, gone: list[tuple[str, str]], failed: list[tuple[str, str]]) -> None:
        """What a thread leaves behind that goes on no further in this run."""
        self.start(note)
        arms = ", ".join(f"[ {value}, %{block} ]" for block, value in (*gone, *failed))
        state = self.ins(f"phi i32 {arms}")
        rows: list[tuple[str, str]] = []
        if failed:
            for name, row in self.rows.items():
                values = [*(("0", block) for block, _ in gone), *row.arms]
                rows.append((name, self.ins(f"phi {row.type} " + ", ".join(f"[ {value}, %{block} ]" for value, block in values))))
            lines = [*((NO_FAILURE, block) for block, _ in gone), *((self.linear, block) for block, _ in failed)]
            self.do(f"%failed.{note} = phi i32 " + ", ".join(f"[ {value}, %{block} ]" for value, block in lines))
        for name, value in rows:
            row = self.rows[name]
            self.do(f"store {row.type} {value}, ptr {self.row_at(name, self.linear)}, align {row.size}{self.grouped()}")
        self.do(f"store i32 {state}, ptr {self.state_at_fresh()}, align 4{self.grouped()}")

    def state_at_fresh(self) -> str:
        """As `state_at`, where the number as i64 may not have been computed on the way."""
        at = self.ins(f"zext nneg i32 {self.linear} to i64") if not self.linear.isdigit() else self.linear
        return self.ins(f"getelementptr inbounds i32, ptr %state, i64 {at}")

    # ---- values in arrays

    def slot(self, value: Value) -> str:
        """The array of a value, one place a thread (a lane, where it lives inside of a loop over warps)."""
        own = self.plan.place(value)
        if own not in self._slots:
            type_ = self.stored_type(own.scalar)
            count = 32 if self.plan.slots[own] else self.padded
            self._slots[own] = self.object(f"slot.{len(self._slots)}", f"[{count} x {type_}]", count * own.scalar.size)
        return self._slots[own]

    def _slot_at(self, value: Value, index: str) -> str:
        return self.ins(f"getelementptr inbounds {self.stored_type(value.scalar)}, ptr {self.slot(value)}, i64 {index}")

    def own_index(self, value: Value) -> str:
        number = self.lane if self.plan.slots[self.plan.place(value)] else self.linear
        return self.ins(f"zext nneg i32 {number} to i64") if not number.isdigit() else number

    def load_slot(self, value: Value, index: str) -> str:
        scalar = value.scalar
        found = self.ins(f"load {self.stored_type(scalar)}, ptr {self._slot_at(value, index)}, align {scalar.align}{self.grouped()}")
        return self.ins(f"icmp ne i8 {found}, 0") if scalar.kind == "bool" else found

    def store_slot(self, value: Value, text: str) -> None:
        scalar = value.scalar
        if scalar.kind == "bool":
            text = self.ins(f"zext i1 {text} to i8")
        at = self._slot_at(value, self.own_index(value))
        self.do(f"store {self.stored_type(scalar)} {text}, ptr {at}, align {scalar.align}{self.grouped()}")

    def fetch(self, value: Value) -> str:
        """A value of another run, for the present thread: from its array, or computed anew."""
        if value in self.plan.uniform:
            return self.values[value]
        if self.plan.place(value) in self.plan.slots:
            return self.load_slot(value, self.own_index(value))
        op = value.owner
        assert isinstance(op, Op)
        for operand in op.operands:
            self.values[operand] = self.fetch(operand)
        self.as_thread([op])
        return self.values[value]

    # ---- scratch memory

    def local(self, op: Op, name: str, align: int) -> Place:
        """One object for all threads where it lives in one run; else one a thread, element beside element."""
        memory, count = op.result.memory, int(op.attrs["count"])
        if sum(op.result in used for used in self._memory.values()) == 1:
            return super().local(op, name, align)
        size = memory.element.size
        self.objects.append(Object(name, array(memory.element, count * self.threads), count * self.threads * size, 64))
        self._spread[op.result] = name
        return Place(name, "ptr", undefined=True, unit=f"[{self.threads * size} x i8]")

    def _own_memory(self, run: Run) -> None:
        """Point to the thread's own part of the local objects that the run uses."""
        for memory in self._memory[run]:
            if memory in self._spread:
                offset = self.ins(f"mul nuw nsw i32 {self.linear}, {memory.memory.element.size}")
                at = self.ins(f"zext nneg i32 {offset} to i64")
                pointer = self.ins(f"getelementptr inbounds i8, ptr {self._spread[memory]}, i64 {at}")
                self.places[memory] = replace(self.places[memory], pointer=pointer)


def _updates(run: Run) -> bool:
    return any(updates(op) for op in run.ops)


def _memory(run: Run) -> list[Value]:
    """The memory that the operations of a run make or access."""
    used = [value for op in run.ops for inner in op.walk() for value in (*inner.results, *inner.operands)]
    return list(dict.fromkeys(one for one in used if isinstance(one.type, Memory)))
