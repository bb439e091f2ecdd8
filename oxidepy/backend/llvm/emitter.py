"""Structured kernel IR → LLVM basic blocks: regions, values, memory accesses. One emitter for all targets; they override its hooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from oxidepy.backend.llvm.debug import DebugInfo, Metadata
from oxidepy.backend.llvm.pairs import mate_of
from oxidepy.backend.llvm.prelude import Prelude
from oxidepy.backend.llvm.values import constant, llvm_type, memory_type
from oxidepy.diagnostics import Span
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.record import record
from oxidepy.ir.types import Scalar


class ModuleText:
    """What the functions of one LLVM module share: prelude, metadata, debug information."""

    def __init__(self, prelude: Prelude, metadata: Metadata, debug: DebugInfo | None = None) -> None:
        self.prelude = prelude
        self.metadata = metadata
        self.debug = debug
        self.declared: dict[str, str] = {}  # functions from elsewhere, by symbol
        self._tables: dict[tuple[str, str, str], str] = {}

    def table(self, type_: str, items: str, space: str) -> str:
        """The name of an array of constants, the same for equal ones."""
        return self._tables.setdefault((type_, items, space), f"@table.{len(self._tables)}")

    def tables(self) -> str:
        """All of them, as LLVM text."""
        text = "{} = internal unnamed_addr{} constant {} [{}], align 16\n"
        return "".join(text.format(name, space, type_, items) for (type_, items, space), name in self._tables.items())


@dataclass
class Join:
    """A label with the values that come to it, one row a predecessor."""

    label: str
    incoming: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])


@record
class Place:
    """A memory object in LLVM: its pointer, the pointer's type, and what is appended to its loads and stores.

    `undefined`: LLVM may know that an element was never written; a load then gives some value, the same wherever it is used.
    `unit`: a type as large as the distance of two elements, where that is not their own size.
    """

    pointer: str
    type: str
    on_load: str = ""
    on_store: str = ""
    undefined: bool = False
    unit: str = ""


Lowering = Callable[["Emitter", Op], str]


class Emitter:
    """Emits one LLVM function's body. `values` holds the LLVM text of every IR value so far."""

    def __init__(self, text: ModuleText, lowerings: dict[str, Lowering]) -> None:
        self.text = text
        self.lowerings = lowerings
        self.lines: list[str] = []
        self.values: dict[Value, str] = {}
        self.places: dict[Value, Place] = {}
        self.scopes: dict[str, Join] = {}
        self.nonnegative: set[Value] = set()  # lengths
        self.likely = ""  # metadata of a branch that is nearly always taken
        self.current = "entry"
        self.location = ""
        self._count = 0
        self._labels = 0

    # ---- writing

    def ins(self, text: str) -> str:
        """Append an instruction that gives a value; its name."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}{self.location}")
        return name

    def do(self, text: str) -> None:
        """Append an instruction without a value."""
        self.lines.append(f"  {text}{self.location}")

    def fresh(self, hint: str) -> str:
        """A new label."""
        self._labels += 1
        return f"{hint}.{self._labels}"

    def start(self, label: str) -> None:
        """Begin the block `label`."""
        self.lines.append(f"{label}:")
        self.current = label

    def helper(self, name: str, result: str, arguments: str) -> str:
        """Call a function of the prelude."""
        self.text.prelude.need(name)
        return self.ins(f"call {result} @ox.{name}({arguments})")

    def divide(self, instruction: str, type_: str, a: str, b: str) -> str:
        """`sdiv`, `udiv` or `urem` by a number that is not known."""
        return self.ins(f"{instruction} {type_} {a}, {b}")

    def at(self, span: Span | None) -> None:
        """The place of the instructions that follow."""
        if self.text.debug is not None:
            self.location = self.text.debug.location(span)

    # ---- values

    def value(self, value: Value) -> str:
        return self.values[value]

    def typed(self, value: Value) -> str:
        return f"{self.type(value.scalar)} {self.values[value]}"

    def type(self, scalar: Scalar) -> str:
        """The LLVM type of values of that scalar; a target may keep halves as integers."""
        return llvm_type(scalar)

    def stored_type(self, scalar: Scalar) -> str:
        return "i8" if scalar.kind == "bool" else self.type(scalar)

    def constant(self, scalar: Scalar, value: bool | int | float) -> str:
        return constant(scalar, value)

    def phi(self, scalar: Scalar, incoming: Sequence[tuple[str, str]]) -> str:
        if len(incoming) == 1:
            return incoming[0][0]
        arms = ", ".join(f"[ {value}, %{label} ]" for value, label in incoming)
        return self.ins(f"phi {self.type(scalar)} {arms}")

    # ---- regions

    def region(self, block: Block) -> list[str] | None:
        """Emit a region; the values of its terminator, or None if control does not reach its end."""
        control = _CONTROL
        lowerings = self.lowerings
        values = self.values
        done: Op | None = None  # the second of a pair that was emitted with the first
        for number, op in enumerate(block.ops):
            if op is done:
                continue
            self.at(op.span)
            if "pair" in op.attrs and (mate := mate_of(block.ops, number)) is not None and (both := self.pair(op, mate)) is not None:
                values.update(zip((*op.results, *mate.results), both, strict=False))
                done = mate
                continue
            lower = lowerings.get(op.name)
            if lower is not None:
                found = lower(self, op)
                if op.results:
                    values[op.results[0]] = found
                continue
            if op.name in _ENDS:
                return [values[one] for one in op.operands]
            if not control[op.name](self, op):
                return None
        return []

    def enter(self, join: Join, values: list[str] | None) -> None:
        """Go to `join` with those values, if control is here at all."""
        if values is not None:
            join.incoming.append((self.current, values))
            self.do(f"br label %{join.label}")

    def join(self, join: Join, results: Sequence[Value]) -> bool:
        """Begin the block of `join`, its values as `results`; False if nothing comes there."""
        if not join.incoming:
            return False
        self.start(join.label)
        for number, result in enumerate(results):
            self.values[result] = self.phi(result.scalar, [(values[number], label) for label, values in join.incoming])
        return True

    # ---- hooks

    extrema_native = False  # LLVM's minimumnum and maximumnum may be used: the target's own instruction does what they say
    table_space = ""  # where arrays of constants lie
    halves_native = True  # f16 and bf16 are LLVM's half and bfloat; else 16-bit integers, converted by the prelude

    def native(self, name: str, result: str, params: list[tuple[str, str]]) -> str | None:
        """The instruction that stands for the body of that function of the library, if the target has one."""
        del name, result, params
        return None

    def fma_native(self, scalar: Scalar) -> bool:
        """Whether `llvm.fma` of that half type rounds once on the target."""
        raise AssertionError("each target says")

    def shift64(self, instruction: str, value: str, count: str) -> str | None:
        """A logical shift of 64 bits by any unsigned count, 0 by the width or more; None where LLVM's own instructions may be used."""
        del instruction, value, count
        return None

    def intrinsic(self, op: Op) -> str:
        """A row of the table of intrinsics; its result, "" where it has none. Only kernels have them."""
        raise AssertionError("an intrinsic outside of a kernel")

    def pair(self, op: Op, mate: Op) -> tuple[str, str] | None:
        """Two operations on the halves of a pair, emitted as one: both results, "" for a store. None: one after the other."""
        del op, mate
        return None

    def round(self, op: Op) -> None:
        """At the beginning of each round of a `while`: what a thread must look at that may wait for another."""

    def index_text(self, index: Value) -> str:
        """The index of an access."""
        return self.values[index]

    def alloc(self, op: Op) -> None:
        """Scratch memory: its place goes into `places`. Only kernels have it."""
        raise AssertionError("scratch memory outside of a kernel")

    def map_shared(self, op: Op) -> None:
        """Shared memory of another block: its place goes into `places`. Only kernels with clusters have it."""
        raise AssertionError("shared memory of another block outside of a cluster")

    def atomic(self, op: Op) -> str:
        """An atomic access; the old value, "" for a store. Only kernels have them."""
        raise AssertionError("an atomic access outside of a kernel")

    def fence(self, op: Op) -> None:
        """A fence. Only kernels have them."""
        raise AssertionError("a fence outside of a kernel")

    def leaves_unrolling(self, op: Op) -> bool:
        """Whether LLVM's own choice of rounds in one is better for this loop than the kernel's. A target may have its own idea of that."""
        del op
        return False

    def together(self, op: Op) -> bool:
        """Whether the operation binds the threads that execute it to one place in the code, so that LLVM does not copy it."""
        del op
        return False

    def ptx(self, op: Op) -> None:
        """PTX that the kernel holds. Only kernels for GPUs have it."""
        raise AssertionError("PTX outside of a kernel for a GPU")

    def extern(self, op: Op) -> None:
        """A function from elsewhere: only GPUs call it, for the others its body follows."""
        for one in op.results:
            self.values[one] = self.constant(one.scalar, 0)

    def saturate(self, source: Scalar, target: Scalar, value: str) -> str:
        """f32 or f64 → integer: truncates, saturates, NaN → 0."""
        sign, type_ = "si" if target.signed else "ui", self.type(target)
        return self.ins(f"call {type_} @llvm.fpto{sign}.sat.{type_}.{source.name}({self.type(source)} {value})")

    def check(self, op: Op) -> None:
        """End the thread with a panic unless the condition holds. Only kernels have checks."""
        raise AssertionError("a check outside of a kernel")

    def panic(self, op: Op) -> None:
        """Leave the record of a failed check and go on. Only coarse kernels do."""
        raise AssertionError("a record of a panic outside of a coarse kernel")


_ENDS = frozenset(("yield", "condition", "return"))


# ---- control


def _if(self: Emitter, op: Op) -> bool:
    then, other, end = self.fresh("then"), self.fresh("else"), Join(self.fresh("endif"))
    yes, no = op.regions
    condition = self.value(op.operands[0])
    # an arm that only hands values on needs no block
    direct_then, direct_other = _only_yields(yes), _only_yields(no)
    if direct_then and direct_other:
        for result, a, b in zip(op.results, yes.terminator.operands, no.terminator.operands, strict=True):
            self.values[result] = self.ins(f"select i1 {condition}, {self.typed(a)}, {self.typed(b)}")
        return True
    bounds = isinstance(op.operands[0].owner, Op) and op.operands[0].owner.name == "inbounds"
    weights = self.likely if bounds or op.attrs.get("likely") else ""
    self.do(f"br i1 {condition}, label %{end.label if direct_then else then}, label %{end.label if direct_other else other}{weights}")
    before = self.current
    for direct, label, region in ((direct_then, then, yes), (direct_other, other, no)):
        if direct:
            end.incoming.append((before, [self.values[one] for one in region.terminator.operands]))
        else:
            self.start(label)
            self.enter(end, self.region(region))
    return self.join(end, op.results)


def _only_yields(block: Block) -> bool:
    return len(block.ops) == 1 and block.ops[0].name == "yield"


def _scope(self: Emitter, op: Op) -> bool:
    label = op.attrs["label"]
    join = Join(self.fresh("leave"))
    outer, self.scopes[label] = self.scopes.get(label), join
    self.enter(join, self.region(op.regions[0]))
    if outer is not None:
        self.scopes[label] = outer
    return self.join(join, op.results)


def _leave(self: Emitter, op: Op) -> bool:
    self.enter(self.scopes[op.attrs["label"]], [self.values[one] for one in op.operands])
    return False


def loop_head(self: Emitter, values: Sequence[Value], initial: Sequence[str], label: str) -> list[int]:
    """Begin a loop's header; gives the lines of its phis, which `loop_back` completes."""
    before = self.current
    self.do(f"br label %{label}")
    self.start(label)
    holes: list[int] = []
    for value, start in zip(values, initial, strict=True):
        self.values[value] = self.ins(f"phi {self.type(value.scalar)} [ {start}, %{before} ]")
        holes.append(len(self.lines) - 1)
    return holes


def loop_back(self: Emitter, holes: Sequence[int], values: Sequence[str]) -> None:
    """Say what the next round's values are, coming from the block that is being written."""
    for hole, value in zip(holes, values, strict=True):
        line = self.lines[hole]
        cut = line.index(" ]") + 2
        self.lines[hole] = f"{line[:cut]}, [ {value}, %{self.current} ]{line[cut:]}"


def _while(self: Emitter, op: Op) -> bool:
    condition, body = op.regions
    head, inside, end = self.fresh("while"), self.fresh("do"), self.fresh("endwhile")
    holes = loop_head(self, condition.args, [self.values[one] for one in op.operands], head)
    found = self.region(condition)
    if found is None:
        return False
    flag, *passed = found
    self.do(f"br i1 {flag}, label %{inside}, label %{end}")
    self.start(inside)
    for arg, value in zip(body.args, passed, strict=True):
        self.values[arg] = value
    self.round(op)
    carried = self.region(body)
    if carried is not None:
        loop_back(self, holes, carried)
        self.do(f"br label %{head}")
    self.start(end)
    for result, value in zip(op.results, passed, strict=True):
        self.values[result] = value
    return True


def _for(self: Emitter, op: Op) -> bool:
    """A step of one counts up to `stop`; else the distance to it, or the rounds that are left, tell of another round: nothing wraps."""
    start, stop, step, *initial = op.operands
    (body,) = op.regions
    variable = body.args[0]
    scalar = variable.scalar
    type_ = self.type(scalar)
    stride = step.constant
    sign = "s" if scalar.signed else "u"
    first, last, by = (self.values[one] for one in (start, stop, step))
    head, latch, end = self.fresh("for"), self.fresh("next"), Join(self.fresh("endfor"))
    up = bool(op.attrs.get("positive")) or not scalar.signed or (stride is not None and stride > 0)
    down = stride is not None and stride < 0
    runs = self.ins(f"icmp {sign}lt {type_} {first}, {last}") if not down else self.ins(f"icmp sgt {type_} {first}, {last}")
    if not up and not down:
        backwards = self.ins(f"icmp slt {type_} {by}, 0")
        falls = self.ins(f"icmp sgt {type_} {first}, {last}")
        runs = self.ins(f"select i1 {backwards}, i1 {falls}, i1 {runs}")
    else:
        backwards = "true" if down else "false"
    before = [self.values[one] for one in initial]
    ready = self.fresh("ready")
    end.incoming.append((self.current, before))
    self.do(f"br i1 {runs}, label %{ready}, label %{end.label}")
    self.start(ready)
    args, entering = list(body.args), [first, *before]
    left = Value(scalar)
    if down:
        # Counted by the rounds that are left: ptxas 13.0 from -O2 on makes an endless loop of one that ends where an unsigned
        # variable going down passes zero, which is what LLVM would turn the comparison of distances into.
        distance = self.ins(f"sub {type_} {first}, {last}")
        args, entering = [*args, left], [*entering, self.ins(f"udiv {type_} {self.ins(f'sub {type_} {distance}, 1')}, {-int(stride or 0)}")]
    holes = loop_head(self, args, entering, head)
    copies, tail = _written(self, op)
    for copy in range(copies):
        carried = self.region(body)
        if carried is None:
            break
        current = self.values[variable]
        self.do(f"br label %{latch}")
        self.start(latch)
        if stride == 1:
            following = self.ins(f"add n{sign}w {type_} {current}, 1")
            more = self.ins(f"icmp {sign}lt {type_} {following}, {last}")
        elif down:
            following = self.ins(f"add {type_} {current}, {by}")
            more = self.ins(f"icmp ne {type_} {self.values[left]}, 0")
        else:
            following, more = _advance(self, type_, current, last, by, backwards)
        end.incoming.append((latch, carried))
        fewer = [self.ins(f"sub {type_} {self.values[left]}, 1")] if down else []
        if copy + 1 < copies:
            again, latch = self.fresh("again"), self.fresh("next")
            self.do(f"br i1 {more}, label %{again}, label %{end.label}")
            self.start(again)
            self.values.update(zip(args, [following, *carried, *fewer], strict=True))
        else:
            loop_back(self, holes, [following, *carried, *fewer])
            self.do(f"br i1 {more}, label %{head}, label %{end.label}{tail}")
    return self.join(end, op.results)


def _written(self: Emitter, op: Op) -> tuple[int, str]:
    """How often a loop's round is written out here, and what its last branch carries, by which LLVM does it: that drops the tests between
    rounds, but lets alone what threads do together, which would be done in the rounds that are left over by some of them."""
    rounds = op.attrs.get("unroll", 0)  # 1: LLVM is to leave the loop as it is
    if rounds == 0 or self.leaves_unrolling(op):
        return 1, ""
    written, never = 1, '!{!"llvm.loop.unroll.disable"}'
    wish = f'!{{!"llvm.loop.unroll.count", i32 {rounds}}}' if rounds > 1 else never
    if rounds > 1 and (trips(op) or 1) % rounds and any(self.together(one) for one in op.regions[0].walk()):
        written, wish = rounds, never
    metadata = self.text.metadata
    number, node = metadata.reserve(), metadata.add(wish)
    return written, f", !llvm.loop {metadata.set(number, f'distinct !{{!{number}, {node}}}')}"


def trips(op: Op) -> int | None:
    """How many rounds a `for` has, where that is known."""
    known = [one.constant for one in op.operands[:3]]
    return None if None in known else len(range(*(int(one) for one in known if one is not None)))


def _advance(self: Emitter, type_: str, current: str, last: str, by: str, backwards: str) -> tuple[str, str]:
    """The next value of a loop's variable, and whether it is still before `last`. Distances are unsigned and exact."""
    following = self.ins(f"add {type_} {current}, {by}")
    if backwards == "false":
        left, size = self.ins(f"sub {type_} {last}, {current}"), by
    else:
        ahead, behind = self.ins(f"sub {type_} {last}, {current}"), self.ins(f"sub {type_} {current}, {last}")
        left = self.ins(f"select i1 {backwards}, {type_} {behind}, {type_} {ahead}")
        negated = self.ins(f"sub {type_} 0, {by}")
        size = self.ins(f"select i1 {backwards}, {type_} {negated}, {type_} {by}")
    return following, self.ins(f"icmp ugt {type_} {left}, {size}")


# ---- memory, calls


def address(self: Emitter, memory: Value, index: Value, offset: int) -> str:
    """Pointer to byte `offset` of element `index`. The index is inside, so it is not negative and the product does not wrap."""
    place = self.places[memory]
    element = memory.memory.element
    number = self.index_text(index)
    if index.scalar.bits < 64:
        number = self.ins(f"zext nneg {self.type(index.scalar)} {number} to i64") if not number.lstrip("-").isdigit() else number
    unit = place.unit or (memory_type(element) if isinstance(element, Scalar) else f"[{element.size} x i8]")
    pointer = self.ins(f"getelementptr inbounds {unit}, {place.type} {place.pointer}, i64 {number}")
    return self.ins(f"getelementptr inbounds i8, {place.type} {pointer}, i64 {offset}") if offset else pointer


def _load(self: Emitter, op: Op) -> str:
    memory, index = op.operands
    scalar = op.result.scalar
    pointer = address(self, memory, index, op.attrs.get("offset", 0))
    place = self.places[memory]
    kept = op.attrs.get("volatile")  # of such memory nothing is said that would let LLVM leave an access out
    how, tail = ("volatile ", "") if kept else ("", place.on_load)
    found = self.ins(f"load {how}{self.stored_type(scalar)}, {place.type} {pointer}, align {scalar.align}{tail}")
    if place.undefined:
        found = self.ins(f"freeze {self.stored_type(scalar)} {found}")
    return self.ins(f"icmp ne i8 {found}, 0") if scalar.kind == "bool" else found


def _store(self: Emitter, op: Op) -> bool:
    memory, index, value = op.operands
    scalar = value.scalar
    pointer = address(self, memory, index, op.attrs.get("offset", 0))
    place = self.places[memory]
    stored = self.values[value]
    if scalar.kind == "bool":
        stored = self.ins(f"zext i1 {stored} to i8")
    how, tail = ("volatile ", "") if op.attrs.get("volatile") else ("", place.on_store)
    self.do(f"store {how}{self.stored_type(scalar)} {stored}, {place.type} {pointer}, align {scalar.align}{tail}")
    return True


def _call(self: Emitter, op: Op) -> bool:
    arguments = ", ".join(self.typed(one) for one in op.operands)
    symbol = function_symbol(op.attrs["callee"])
    if not op.results:
        return True  # functions are pure
    result = result_type(self, [one.scalar for one in op.results])
    found = self.ins(f"call {result} {symbol}({arguments})")
    if len(op.results) == 1:
        self.values[op.results[0]] = found
    else:
        for number, one in enumerate(op.results):
            self.values[one] = self.ins(f"extractvalue {result} {found}, {number}")
    return True


def _check(self: Emitter, op: Op) -> bool:
    self.check(op)
    return True


def _alloc(self: Emitter, op: Op) -> bool:
    self.alloc(op)
    return True


def _map_shared(self: Emitter, op: Op) -> bool:
    self.map_shared(op)
    return True


def _fence(self: Emitter, op: Op) -> bool:
    self.fence(op)
    return True


def _panic(self: Emitter, op: Op) -> bool:
    self.panic(op)
    return True


def _extern(self: Emitter, op: Op) -> bool:
    self.extern(op)
    return True


def _ptx(self: Emitter, op: Op) -> bool:
    self.ptx(op)
    return True


def function_symbol(name: str) -> str:
    return '@"fn.' + "".join(one if (one.isalnum() and one.isascii()) or one in "._" else f"$u{ord(one):x}" for one in name) + '"'


def result_type(self: Emitter, results: Sequence[Scalar]) -> str:
    """One result as it is, several as a struct, none as void."""
    types = [self.type(one) for one in results]
    return "void" if not types else types[0] if len(types) == 1 else "{ " + ", ".join(types) + " }"


_CONTROL: dict[str, Callable[[Emitter, Op], bool]] = {
    "if": _if,
    "scope": _scope,
    "leave": _leave,
    "while": _while,
    "for": _for,
    "call": _call,
    "store": _store,
    "check": _check,
    "alloc": _alloc,
    "fence": _fence,
    "map_shared": _map_shared,
    "panic": _panic,
    "ptx": _ptx,
    "extern": _extern,
}
LOADS: dict[str, Lowering] = {"load": _load}
