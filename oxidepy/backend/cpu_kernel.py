"""The CPU's emitter of a kernel without waits: parameters, loops over blocks and threads, the body, what a failed check leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from oxidepy.backend import cpu_hardware, cpu_pairs, cpu_rows, cpu_scratch, panic
from oxidepy.backend.cpu_indices import narrowed
from oxidepy.backend.cpu_lockstep import VECTOR
from oxidepy.backend.cpu_scratch import Object
from oxidepy.backend.cpu_uniform import LANE, wait_of
from oxidepy.backend.llvm.arithmetic import TABLE, lengths
from oxidepy.backend.llvm.debug import Metadata
from oxidepy.backend.llvm.emitter import Emitter, ModuleText, Place, trips
from oxidepy.backend.llvm.values import half_bits
from oxidepy.ir.core import Kernel, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.record import record
from oxidepy.ir.types import Memory, Scalar

VECTOR_CHECKS = 32  # with more, vectors of threads take seconds to make, and gain little
WRITTEN = 64  # rounds of a loop that LLVM may write out of its own accord
NO_FAILURE = "-1"  # above every thread's number, as an unsigned i32


class CpuEmitter(Emitter):
    """Halves are 16-bit integers here: few CPUs calculate with them, and LLVM's conversions may be library calls that the JIT lacks."""

    halves_native = False

    def __init__(self, text: ModuleText) -> None:
        super().__init__(text, TABLE)

    def type(self, scalar: Scalar) -> str:
        return "i16" if scalar.is_float and scalar.bits == 16 else super().type(scalar)

    def constant(self, scalar: Scalar, value: bool | int | float) -> str:
        return str(half_bits(scalar, float(value))) if scalar.is_float and scalar.bits == 16 else super().constant(scalar, value)

    def fma_native(self, scalar: Scalar) -> bool:
        return False

    def saturate(self, source: Scalar, target: Scalar, value: str) -> str:
        """By comparisons: of LLVM's own function there are no vectors on x86."""
        type_, wide = self.type(source), self.type(target)
        top = 2.0 ** (target.bits - 1 if target.signed else target.bits)
        over = self.ins(f"fcmp oge {type_} {value}, {self.constant(source, top)}")
        under = self.ins(f"fcmp olt {type_} {value}, {self.constant(source, -top if target.signed else 0.0)}")
        outside = self.ins(f"or i1 {self.ins(f'or i1 {over}, {under}')}, {self.ins(f'fcmp uno {type_} {value}, {value}')}")
        inside = self.ins(f"select i1 {outside}, {type_} {self.constant(source, 0.0)}, {type_} {value}")
        found = self.ins(f"fpto{'si' if target.signed else 'ui'} {type_} {inside} to {wide}")
        found = self.ins(f"select i1 {over}, {wide} {self.constant(target, target.max)}, {wide} {found}")
        return self.ins(f"select i1 {under}, {wide} {self.constant(target, target.min)}, {wide} {found}")

    def divide(self, instruction: str, type_: str, a: str, b: str) -> str:
        """A quotient that traps nowhere: LLVM 22's loop vectoriser does an instruction that may trap, and is the same in all threads, only
        where the first thread of a vector would do it, and gives what it has then to all. Up to 32 bits f64 has the exact quotient."""
        sign = instruction[0]
        if type_ == "i64":
            quotient = self.helper(f"{sign}div", "i64", f"i64 {a}, i64 {b}")
        else:
            x, y = (self.ins(f"{sign}itofp {type_} {one} to double") for one in (a, b))
            quotient = self.ins(f"fpto{sign}i double {self.ins(f'fdiv double {x}, {y}')} to {type_}")
        return quotient if instruction.endswith("div") else self.ins(f"sub {type_} {a}, {self.ins(f'mul {type_} {quotient}, {b}')}")

    def leaves_unrolling(self, op: Op) -> bool:
        """LLVM writes short loops out as a whole, and then makes vectors of the threads around (measured: 13 times as fast as in parts).
        A round in which threads exchange something holds loops over them, which are what is worth writing out."""
        known = trips(op)
        return (known is not None and known <= WRITTEN) or any(wait_of(one) > LANE for one in op.regions[0].walk())


@record
class Row:
    """A row of scratch memory, one number a thread: the site (operand 0), or that operand of the check that failed.

    `arms`: which value from which block.
    """

    type: str
    operand: int
    arms: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def size(self) -> int:
        return int(self.type[1:]) // 8


def _outer(value: Value) -> bool:
    """Whether a value is there outside of the loops: a parameter or a constant."""
    return value.constant is not None or value.owner is None


class KernelEmitter(CpuEmitter):
    """Parameters from slots, loops over blocks and threads, the body, what a failed check leaves."""

    def __init__(self, text: ModuleText, kernel: Kernel, metadata: Metadata, found: list[Op]) -> None:
        super().__init__(text)
        self.kernel = kernel
        self.metadata = metadata
        self.sites = {id(op): number for number, op in enumerate(found)}
        self.likely = ", !prof " + metadata.add('!{!"branch_weights", i32 1048575, i32 1}')
        self.threads = kernel.block[0] * kernel.block[1] * kernel.block[2]
        # "tid.x" → i32: where a block has one thread along an axis it is known outside of the loops over threads too
        self.coordinates = {f"tid.{axis}": "0" for axis, size in zip("xyz", kernel.block, strict=True) if size == 1}
        self.failures: list[tuple[str, Op]] = []  # block, check
        self.rows = self._plan(found)
        self.group = ""
        self.linear = "0"
        self.hides = False
        self.narrow: set[Value] | None = None
        self.objects: list[Object] = []
        self.context = 0  # bytes of the buffer that the blocks need beside the stack
        self.failed_label = "thread.end"  # where a thread goes in which a check failed
        self.beside = False  # rows of blocks that lie side by side are gone through as one (see `cpu_rows`)

    # ---- parameters

    def parameters(self) -> None:
        kernel = self.kernel
        self.nonnegative = lengths(kernel.params, kernel.infos)
        tails = self._tails()
        known = self.metadata.add("!{i32 0, i32 -2147483648}")
        for number, value in enumerate(kernel.params):
            slot = self.ins(f"getelementptr inbounds i8, ptr %slots, i64 {8 * number}")
            if isinstance(value.type, Memory):
                pointer = self.ins(f"load ptr, ptr {slot}, align 8")
                self.places[value] = Place(pointer, "ptr", tails[value], tails[value])
                continue
            scalar = value.type
            ranged = f", !range {known}" if value in self.nonnegative and scalar.name == "i32" else ""
            found = self.ins(f"load {self.stored_type(scalar)}, ptr {slot}, align 8{ranged}")
            self.values[value] = self.ins(f"icmp ne i8 {found}, 0") if scalar.kind == "bool" else found
        sizes = self.metadata.add("!{i32 1, i32 -2147483648}")
        for number, axis in enumerate("xyz"):
            if number >= kernel.domain:
                self.coordinates[f"nctaid.{axis}"] = "1"
                continue
            place = self.ins(f"getelementptr inbounds i8, ptr %launch, i64 {4 * number}")
            self.coordinates[f"nctaid.{axis}"] = self.ins(f"load i32, ptr {place}, align 4, !range {sizes}")

    def _tails(self) -> dict[Value, str]:
        """Metadata of the accesses of each memory object: what does not overlap, and which accesses of different threads never meet.

        Nothing where there is a bare pointer, which may point at any of them.
        """
        memory = [one for one in self.kernel.params if isinstance(one.type, Memory)]
        if self.kernel.pointed():
            return dict.fromkeys(memory, "")
        written = [one for one in memory if one.memory.access != "shared"]
        if self.kernel.raceless or all(one.memory.access == "disjoint" for one in written):
            self.group = self.metadata.add("distinct !{}")
        number = self.metadata.reserve()
        domain = self.metadata.set(number, f"distinct !{{!{number}}}")

        def scope() -> str:
            number = self.metadata.reserve()
            return self.metadata.set(number, f"distinct !{{!{number}, {domain}}}")

        read_only = scope()  # of all objects that nobody writes: they may overlap each other
        scopes = {one: scope() if one in written else read_only for one in memory}
        tails: dict[Value, str] = {}
        for one in memory:
            others = ", ".join(dict.fromkeys(found for found in scopes.values() if found != scopes[one]))
            tail = f", !alias.scope {self.metadata.add(f'!{{{scopes[one]}}}')}"
            tails[one] = tail + (f", !noalias {self.metadata.add(f'!{{{others}}}')}" if others else "") + self.grouped()
        return tails

    def grouped(self) -> str:
        return f", !llvm.access.group {self.group}" if self.group else ""

    # ---- loops

    def body(self) -> None:
        self.start("entry")
        self.beside = self.may_be_beside()
        self.parameters()
        place = len(self.lines)
        cpu_scratch.declare(self)
        self.before_blocks()
        opening = self.current
        self.do("%any = icmp slt i64 %first, %end")
        self.do("br i1 %any, label %block, label %done")
        self.start("block")
        self.do(f"%b = phi i64 [ %first, %{opening} ], [ %b.next, %block.next ]")
        self._block_coordinates()
        step = cpu_rows.blocks_beside(self) if self.beside else "1"
        low = self.threads_of_block()
        if self.sites:
            self.do(f"%failed = icmp ne i32 {low}, {NO_FAILURE}")
            self.do("br i1 %failed, label %panic, label %block.next")
        else:
            self.do("br label %block.next")
        self.start("block.next")
        self.do(f"%b.next = add nsw i64 %b, {step}")
        self.do("%b.more = icmp slt i64 %b.next, %end")
        self.do("br i1 %b.more, label %block, label %done")
        self.start("done")
        self.do("ret i64 0")
        if self.sites:
            self._report(low)
        count = self.threads
        self.objects += [Object(f"%row.{name}", f"[{count} x {row.type}]", count * row.size) for name, row in self.rows.items()]
        placed, self.context = cpu_scratch.place_objects(self.objects)
        if self.hides:
            placed += ["  %nothing = load volatile i32, ptr @ox.nothing", "  %nothing.wide = sext i32 %nothing to i64"]
        self.lines[place:place] = placed

    def may_be_beside(self) -> bool:
        return cpu_rows.may_be_beside(self)

    def before_blocks(self) -> None:
        """What is done once a call."""

    def threads_of_block(self) -> str:
        """All threads of a block; gives the lowest one in which a check failed."""
        return self._axis(2, NO_FAILURE)

    def _block_coordinates(self) -> None:
        """The block's coordinates from its linear number, x fastest."""
        rest = "%b"
        for number, axis in enumerate("xyz"):
            if number >= self.kernel.domain:
                self.coordinates[f"ctaid.{axis}"] = "0"
            elif number == self.kernel.domain - 1:
                self.coordinates[f"ctaid.{axis}"] = self.ins(f"trunc i64 {rest} to i32")
            else:
                size = self.ins(f"zext i32 {self.coordinates[f'nctaid.{axis}']} to i64")
                own = self.ins(f"urem i64 {rest}, {size}")
                rest = self.ins(f"udiv i64 {rest}, {size}")
                self.coordinates[f"ctaid.{axis}"] = self.ins(f"trunc i64 {own} to i32")

    def _axis(self, axis: int, low: str) -> str:
        """The loop over threads along `axis` and those inside; gives the lowest failed thread so far."""
        if axis < 0:
            return self._thread(low)
        if axis == 0 and not self.sites:
            cpu_rows.rows(self)
            return low
        size, letter = self.kernel.block[axis], "xyz"[axis]
        if size == 1:
            self.coordinates[f"tid.{letter}"] = "0"
            return self._axis(axis - 1, low)
        before, head, name = self.current, f"loop.{letter}", f"%tid.{letter}"
        self.do(f"br label %{head}")
        self.start(head)
        place = len(self.lines)
        self.coordinates[f"tid.{letter}"] = name
        carried = f"%low.{letter}" if self.sites else low
        inner = self._axis(axis - 1, carried)
        end, following = f"endloop.{letter}", f"{name}.next"
        self.do(f"{following} = add nuw nsw i32 {name}, 1")
        self.do(f"{name}.more = icmp ult i32 {following}, {size}")
        innermost = all(one == 1 for one in self.kernel.block[:axis])
        tail = self.loop_facts(len(self.sites), size) if innermost else self.outer_facts(axis)
        self.do(f"br i1 {name}.more, label %{head}, label %{end}{tail}")
        phis = [f"  {name} = phi i32 [ 0, %{before} ], [ {following}, %{self.current} ]"]
        if self.sites:
            phis.append(f"  {carried} = phi i32 [ {low}, %{before} ], [ {inner}, %{self.current} ]")
        self.lines[place:place] = phis
        self.start(end)
        return inner

    def loop_facts(self, checks: int, trips: int = 0) -> str:
        """Of the innermost loop over threads, `trips` of them (0: not known): these are independent where each element of written memory is
        one thread's."""
        nodes: list[str] = []
        if self.group:
            nodes.append(self.metadata.add(f'!{{!"llvm.loop.parallel_accesses", {self.group}}}'))
        if checks > VECTOR_CHECKS:
            nodes.append(self.metadata.add('!{!"llvm.loop.vectorize.enable", i1 false}'))
        if trips >= VECTOR:  # no vectors are made of threads that were unrolled before; afterwards unrolling is welcome
            done = self.metadata.add('!{!"llvm.loop.isvectorized", i32 1}')
            nodes.append(self.metadata.add('!{!"llvm.loop.unroll.disable"}'))
            nodes.append(self.metadata.add(f'!{{!"llvm.loop.vectorize.followup_all", {done}}}'))
        return self._loop_tail(nodes)

    def outer_facts(self, axis: int) -> str:
        """Of a loop around another one along `axis`. Three loops written out inside each other are a hundred copies, and many times two are
        many copies too: LLVM takes seconds to make them, and they gain little."""
        if axis < 2 and not self.many_loops():
            return ""
        return self._loop_tail([self.metadata.add('!{!"llvm.loop.unroll.disable"}')])

    def many_loops(self) -> bool:
        """Whether there are so many loops over threads that what LLVM does with each is a matter of seconds."""
        return False

    def _loop_tail(self, nodes: list[str]) -> str:
        if not nodes:
            return ""
        number = self.metadata.reserve()
        listed = ", ".join((f"!{number}", *nodes))
        return f", !llvm.loop {self.metadata.set(number, f'distinct !{{{listed}}}')}"

    def _thread(self, low: str) -> str:
        self.linear = self.linear_index()
        ended = self.region(self.kernel.body) is not None
        if not self.sites:
            assert ended, "only a check or its end ends a kernel"
            return low
        arms: list[tuple[str, str]] = []
        if ended:
            arms.append((self.current, NO_FAILURE))
            self.do("br label %thread.end")
        else:
            self.do("unreachable")
        self.start("thread.end")
        arms += [(block, self.linear) for block, _ in self.failures]
        failed = self.ins("phi i32 " + ", ".join(f"[ {value}, %{block} ]" for block, value in arms))
        self._note(arms[0][0] if ended else None)
        return self.ins(f"call i32 @llvm.umin.i32(i32 {low}, i32 {failed})")

    def linear_index(self) -> str:
        """The thread's number in its block."""
        total = self.coordinates["tid.z"]
        for axis in (1, 0):
            scaled = total if total == "0" else self.ins(f"mul nuw nsw i32 {total}, {self.kernel.block[axis]}")
            own = self.coordinates[f"tid.{'xyz'[axis]}"]
            total = own if scaled == "0" else scaled if own == "0" else self.ins(f"add nuw nsw i32 {scaled}, {own}")
        return total

    # ---- checks

    def check(self, op: Op) -> None:
        fail, on = self.fresh("fail"), self.fresh("on")
        self.do(f"br i1 {self.values[op.operands[0]]}, label %{on}, label %{fail}{self.likely}")
        self.start(fail)
        self.failures.append((fail, op))
        for row in self.rows.values():
            row.arms.append((self._number(op, row), fail))
        self.do(f"br label %{self.failed_label}")
        self.start(on)

    def _plan(self, found: list[Op]) -> dict[str, Row]:
        """What a thread in which a check failed must leave: as little as tells the rest."""
        rows: dict[str, Row] = {}
        if len(found) > 1:
            rows["site"] = Row("i32", 0)
        for name, operand in (("index", 1), ("length", 2)):
            values = [op.operands[operand] for op in found if len(op.operands) == 3]
            if not values or (name == "length" and all(_outer(one) for one in values)):
                continue
            narrow = all(one.scalar.bits < 32 or one.scalar.name == "i32" for one in values)
            rows[name] = Row("i32" if narrow else "i64", operand)
        return rows

    def _number(self, op: Op, row: Row) -> str:
        """What a failed check puts into a row."""
        if not row.operand:
            return str(self.sites[id(op)])
        if len(op.operands) != 3:
            return "0"
        text, scalar = self.values[op.operands[row.operand]], op.operands[row.operand].scalar
        if scalar.bits == 8 * row.size or text.lstrip("-").isdigit():
            return text
        return self.ins(f"{'sext' if scalar.signed else 'zext'} {self.type(scalar)} {text} to {row.type}")

    def _note(self, ended: str | None) -> None:
        """Fill the thread's place of the rows. Threads in which nothing failed (they come from the block `ended`) store zeros:
        a store under a mask would cost vectors more."""
        fine = [] if ended is None else [("0", ended)]
        found: list[str] = []
        for row in self.rows.values():
            found.append(self.ins(f"phi {row.type} " + ", ".join(f"[ {value}, %{block} ]" for value, block in (*fine, *row.arms))))
        for value, (name, row) in zip(found, self.rows.items(), strict=True):
            self.do(f"store {row.type} {value}, ptr {self.row_at(name, self.linear)}, align {row.size}{self.grouped()}")

    def row_at(self, name: str, thread: str) -> str:
        at = self.ins(f"zext nneg i32 {thread} to i64") if not thread.isdigit() else thread
        return self.ins(f"getelementptr inbounds {self.rows[name].type}, ptr %row.{name}, i64 {at}")

    def _noted(self, name: str, thread: str) -> str:
        """What a thread left in a row, as i64."""
        row = self.rows[name]
        found = self.ins(f"load {row.type}, ptr {self.row_at(name, thread)}, align {row.size}")
        return found if row.type == "i64" else self.ins(f"sext i32 {found} to i64")

    def _lengths(self, site: str) -> str:
        """The length that belongs to a site, where the lengths are all known outside of the loops."""
        found = "0"
        for _, op in self.failures:
            if len(op.operands) != 3:
                continue
            scalar, length = op.operands[2].scalar, self.values[op.operands[2]]
            if scalar.bits < 64 and not length.isdigit():
                length = self.ins(f"{'sext' if scalar.signed else 'zext'} {self.type(scalar)} {length} to i64")
            own = self.ins(f"icmp eq i64 {site}, {self.sites[id(op)]}")
            found = self.ins(f"select i1 {own}, i64 {length}, i64 {found}")
        return found

    def _report(self, low: str) -> None:
        """Write the record of the block's lowest failed thread, if there is a record to write."""
        self.start("panic")
        slot = self.ins(f"getelementptr inbounds i8, ptr %slots, i64 {8 * len(self.kernel.params)}")
        record = self.ins(f"load ptr, ptr {slot}, align 8")
        none = self.ins(f"icmp eq ptr {record}, null")
        self.do(f"br i1 {none}, label %stop, label %write")
        self.start("write")

        def put(offset: int, type_: str, value: str) -> None:
            place = self.ins(f"getelementptr inbounds i8, ptr {record}, i64 {offset}")
            self.do(f"store {type_} {value}, ptr {place}, align {4 if type_ == 'i32' else 8}")

        put(panic.CLAIM, "i32", "1")
        site = self._noted("site", low) if "site" in self.rows else "0"
        put(panic.SITE, "i32", self.ins(f"trunc i64 {site} to i32"))
        put(panic.INDEX, "i64", self._noted("index", low) if "index" in self.rows else "0")
        put(panic.LENGTH, "i64", self._noted("length", low) if "length" in self.rows else self._lengths(site))
        rest = low
        for number, axis in enumerate("xyz"):
            put(panic.BLOCK + 4 * number, "i32", self.coordinates[f"ctaid.{axis}"])
            size = self.kernel.block[number]
            put(panic.THREAD + 4 * number, "i32", self.ins(f"urem i32 {rest}, {size}"))
            rest = self.ins(f"udiv i32 {rest}, {size}")
        put(panic.READY, "i32", "1")
        self.do("br label %stop")
        self.start("stop")
        self.do("ret i64 1")

    # ---- coordinates

    def intrinsic(self, op: Op) -> str:
        if ROWS[op.attrs["row"]].assembly is not None:
            return cpu_hardware.lower(self, op)
        return self.position(ROWS[op.attrs["row"]].cpu, self.type(op.result.scalar))

    def position(self, name: str, type_: str) -> str:
        """What a row of thread, block and grid coordinates names."""
        if name == "grid_size":
            total = str(self.threads)
            for axis in range(self.kernel.domain):
                total = self.ins(f"mul {type_} {total}, {self._coordinate('nctaid.' + 'xyz'[axis], type_)}")
            return total
        if name in ("lane", "warp_id"):
            return self.ins(f"and i32 {self.linear}, 31" if name == "lane" else f"lshr i32 {self.linear}, 5")
        if name.startswith("global_id."):
            letter = name[-1]
            start = self.ins(f"mul nuw nsw {type_} {self._coordinate(f'ctaid.{letter}', type_)}, {self.kernel.block['xyz'.index(letter)]}")
            return self.ins(f"add nuw nsw {type_} {start}, {self._coordinate(f'tid.{letter}', type_)}")
        return self._coordinate(name, type_)

    def _coordinate(self, name: str, type_: str) -> str:
        register, axis = name.split(".")
        found = str(self.kernel.block["xyz".index(axis)]) if register == "ntid" else self.coordinates[name]
        return found if type_ == "i32" or found.isdigit() else self.ins(f"zext nneg i32 {found} to i64")

    # ---- indices

    def index_text(self, index: Value) -> str:
        """Of one that was cut off LLVM must not know how it depends on the thread (see `cpu_indices`)."""
        if self.narrow is None:
            self.narrow = narrowed(self.all_ops())
        text = self.values[index]
        return self.hidden(text, self.type(index.scalar)) if index in self.narrow and not text.lstrip("-").isdigit() else text

    def all_ops(self) -> Iterable[Op]:
        return self.kernel.body.ops

    def hidden(self, text: str, type_: str) -> str:
        """The same number, of which LLVM does not know where it comes from."""
        self.hides = True
        zero = "%nothing" if type_ == "i32" else "%nothing.wide"
        return self.ins(f"or {type_} {text}, {zero}")

    def pair(self, op: Op, mate: Op) -> tuple[str, str] | None:
        return cpu_pairs.lower(self, op, mate)

    # ---- scratch memory, atomic accesses

    def local(self, op: Op, name: str, align: int) -> Place:
        """The place of local memory: one object for all threads, which run one after the other."""
        memory, count = op.result.memory, int(op.attrs["count"])
        size = count * memory.element.size
        self.objects.append(Object(name, cpu_scratch.array(memory.element, count), size, align, size <= cpu_scratch.SMALL))
        return Place(name, "ptr", undefined=True)

    def alloc(self, op: Op) -> None:
        """Contents begin undefined: LLVM may then keep the local memory of a thread apart from that of the one before."""
        memory = op.result.memory
        if memory.space == "local" and self.places[op.result].unit == "" and op.attrs["count"] * memory.element.size <= cpu_scratch.SMALL:
            self.do(f"call void @llvm.lifetime.start.p0(ptr {self.places[op.result].pointer})")

    def atomic(self, op: Op) -> str:
        return cpu_scratch.atomic(self, op)

    def fence(self, op: Op) -> None:
        """A block's threads are one thread of the machine."""
        own = 'syncscope("singlethread") ' if op.attrs["scope"] == "block" else ""
        self.do(f"fence {own}acq_rel")
