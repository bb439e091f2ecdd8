"""Atomic accesses and fences in PTX as it stands: LLVM's own read-modify-write loses order and scope on the way to PTX.

What the hardware has is one instruction, `atom{.order}{.scope}{.space}.operation.type`; the rest is a loop around its compare-and-swap,
with the arithmetic of kernel IR inside. A byte is swapped within the 16 bits that hold it.
"""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import Emitter, address
from oxidepy.backend.nvptx_sync import assembler
from oxidepy.ir.core import Op, Value
from oxidepy.ir.types import Scalar

_SPELT = {"cluster": "shared::cluster"}
SCOPES = {"block": "cta", "cluster": "cluster", "device": "gpu", "system": "sys"}
# order → the order on the instruction; a fence.sc stands before it under seq_cst
_UPDATE = {"relaxed": "relaxed", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel", "seq_cst": "acq_rel"}
_LOAD = {"relaxed": "relaxed", "acquire": "acquire", "seq_cst": "acquire"}
_STORE = {"relaxed": "relaxed", "release": "release", "seq_cst": "release"}

_INTEGERS = ("i32", "u32", "i64", "u64")
# (kind, type) → operation of `atom`
_NATIVE: dict[tuple[str, str], str] = {
    **{("add", name): f"add.u{name[1:]}" for name in _INTEGERS},
    **{(kind, name): f"{kind}.{'s' if name[0] == 'i' else 'u'}{name[1:]}" for kind in ("min", "max") for name in _INTEGERS},
    **{(kind, name): f"{kind}.b{name[1:]}" for kind in ("and", "or", "xor") for name in _INTEGERS},
    ("add", "f32"): "add.f32",
    ("add", "f64"): "add.f64",
    ("add", "f16"): "add.noftz.f16",
    ("add", "bf16"): "add.noftz.bf16",
}
_FROM = {("add", "bf16"): 90}  # architectures below do it by a loop
_REGISTER = {16: "h", 32: "r", 64: "l"}
_FLOAT_REGISTER = {"f32": "f", "f64": "d"}
_LARGE = "0x39A0000000000000"  # 2**-101: from here on it is the same whether an addition of f32 keeps denormals


class Atomics:
    """Lowers the atomic accesses of one kernel. `compute`: the number of the architecture."""

    def __init__(self, emitter: Emitter, compute: int) -> None:
        self.emitter = emitter
        self.compute = compute
        self.where = ""  # scope and space of the access that is being lowered, as PTX writes them
        self.pointer = ""  # with its type

    def fence(self, op: Op) -> None:
        kind = "sc" if op.attrs.get("order") == "seq_cst" else "acq_rel"
        assembler(self.emitter, f"fence.{kind}.{SCOPES[op.attrs['scope']]};")

    def _goto(self, op: Op) -> None:
        """The place of an access."""
        memory, index = op.operands[:2]
        space, type_ = memory.memory.space, self.emitter.places[memory].type
        where = "" if type_ == "ptr" else f".{_SPELT.get(space, space)}"  # a pointer of C may be of any space
        self.where = SCOPES[op.attrs["scope"]] + where
        self.pointer = f"{type_} {address(self.emitter, memory, index, op.attrs['offset'])}"

    def access(self, op: Op) -> str:
        values = op.operands[2:]
        kind, order, scope = op.attrs["kind"], op.attrs["order"], SCOPES[op.attrs["scope"]]
        self._goto(op)
        if order == "seq_cst":
            assembler(self.emitter, f"fence.sc.{scope};")
        if "whole" in op.attrs and op.operands[0].memory.element.size == 16:
            return self._two_words(op, kind, order)
        if kind == "load":
            return self._value(op.result.scalar, self._load_bits(_LOAD[order], op.result.scalar.bits))
        if kind == "store":
            return self._store(_STORE[order], values[0])
        return self._update(kind, _UPDATE[order], values[0].scalar, values)

    # ---- loads and stores

    def _load_bits(self, order: str, bits: int, pointer: str = "") -> str:
        width = max(bits, 16)
        text = f"ld.{order}.{self.where}.{'u8' if bits == 8 else f'b{bits}'} $0, [$1];"
        found = assembler(self.emitter, text, f"={_REGISTER[width]},l", (pointer or self.pointer,), f"i{width}")
        return found if bits == width else self.emitter.ins(f"trunc i16 {found} to i8")

    def _store(self, order: str, value: Value) -> str:
        size = value.scalar.bits
        width = max(size, 16)
        bits = self._bits(value.scalar, self.emitter.value(value))
        if size < width:
            bits = self.emitter.ins(f"zext i8 {bits} to i16")
        text = f"st.{order}.{self.where}.{'u8' if size == 8 else f'b{size}'} [$0], $1;"
        return assembler(self.emitter, text, f"l,{_REGISTER[width]}", (self.pointer, f"i{width} {bits}"))

    def _two_words(self, op: Op, kind: str, order: str) -> str:
        """An access of 16 bytes. Registers of that size live inside of the one piece of assembly."""
        code = {
            "load": f"ld.{_LOAD.get(order)}.{self.where}.b128 old, [$2];",
            "store": f"st.{_STORE.get(order)}.{self.where}.b128 [$0], one;",
            "exchange": f"atom.{_UPDATE[order]}.{self.where}.exch.b128 old, [$2], one;",
            "compare_exchange": f"atom.{_UPDATE[order]}.{self.where}.cas.b128 old, [$2], one, two;",
        }[kind]
        values = [f"i64 {self.emitter.value(one)}" for one in op.operands[2:]]
        given = len(op.results)
        for number, name in enumerate(("one", "two")[: len(values) // 2]):
            first = given + 1 + 2 * number
            code = f"mov.b128 {name}, {{${first}, ${first + 1}}}; {code}"
        text = f"{{ .reg .b128 old, one, two; {code}{' mov.b128 {$0, $1}, old;' * bool(given)} }}"
        constraints = ",".join(["=l"] * given + ["l"] * (1 + len(values)))
        pair = "{ i64, i64 }"
        found = assembler(self.emitter, text, constraints, (self.pointer, *values), pair if given else "void")
        for number, one in enumerate(op.results):
            self.emitter.values[one] = self.emitter.ins(f"extractvalue {pair} {found}, {number}")
        return self.emitter.values[op.results[0]] if given else ""

    # ---- read, modify, write

    def _update(self, kind: str, order: str, scalar: Scalar, values: list[Value]) -> str:
        texts = [self.emitter.value(one) for one in values]
        if kind == "compare_exchange":
            return self._compare_exchange(order, scalar, *texts)
        if kind == "exchange":
            if scalar.bits >= 32:
                return self._value(scalar, self._atom(f"exch.b{scalar.bits}", order, f"i{scalar.bits}", self._bits(scalar, texts[0])))
            return self._loop(order, scalar, lambda old: texts[0])
        native = _NATIVE.get(("add" if kind == "sub" else kind, scalar.name))
        if native is None or self.compute < _FROM.get(("add" if kind == "sub" else kind, scalar.name), 0):
            return self._loop(order, scalar, lambda old: self._calculate(kind, scalar, old, texts[0]))
        if kind == "sub":
            texts[0] = self._calculate("neg", scalar, texts[0])
        if scalar.is_float and scalar.bits == 16:
            return self._value(scalar, self._atom(native, order, "i16", self._bits(scalar, texts[0])))

        def direct() -> str:
            return self._atom(native, order, self.emitter.type(scalar), texts[0], _FLOAT_REGISTER.get(scalar.name, ""))

        if native == "add.f32" and not self.where.endswith(".shared"):
            return self._add_f32(order, scalar, texts[0], direct)
        return direct()

    def _add_f32(self, order: str, scalar: Scalar, value: str, direct: Callable[[], str]) -> str:
        """Outside of shared memory the instruction takes denormals for 0: in memory, as operand, as sum. That changes nothing where the
        value is large: a denormal is less than half of its last place, and what is left of a difference is a multiple of 2**-125. Small
        values go by the loop, which writes only what changes, so that sums to which many zeros are added do not wait for each other.
        """
        emitter = self.emitter
        small, large, end = emitter.fresh("small"), emitter.fresh("large"), emitter.fresh("added")
        size = emitter.ins(f"call float @llvm.fabs.f32(float {value})")
        emitter.do(f"br i1 {emitter.ins(f'fcmp olt float {size}, {_LARGE}')}, label %{small}, label %{large}")
        emitter.start(small)
        slow = self._loop(order, scalar, lambda old: self._calculate("add", scalar, old, value), changes=True)
        arms = [f"[ {slow}, %{emitter.current} ]"]
        emitter.do(f"br label %{end}")
        emitter.start(large)
        arms.append(f"[ {direct()}, %{large} ]")
        emitter.do(f"br label %{end}")
        emitter.start(end)
        return emitter.ins(f"phi float {', '.join(arms)}")

    def packs(self, op: Op, name: str) -> bool:
        """Whether the operation on a pair of that half type is one instruction.

        In another block's memory it is not: an H200 adds both halves as one integer there, or loses all sums but one.
        """
        if op.operands[0].memory.space == "cluster":
            return False
        return op.attrs["kind"] == "add" and op.attrs["order"] != "seq_cst" and self.compute >= _FROM.get(("add", name), 0)

    def add_pair(self, op: Op, name: str, word: str) -> str:
        """Add to two halves, each of them without being divided; what was there, as one word."""
        self._goto(op)
        return self._atom(f"add.noftz.{name}", _UPDATE[op.attrs["order"]], "i32", word)

    def _atom(self, operation: str, order: str, type_: str, value: str, register: str = "") -> str:
        letter = register or _REGISTER[int(type_[1:])]
        text = f"atom.{order}.{self.where}.{operation} $0, [$1], $2;"
        return assembler(self.emitter, text, f"={letter},l,{letter}", (self.pointer, f"{type_} {value}"), type_)

    def _swap(self, order: str, bits: int, expected: str, new: str, pointer: str = "") -> str:
        """Compare-and-swap of bits; what was there."""
        letter = _REGISTER[bits]
        text = f"atom.{order}.{self.where}.cas.b{bits} $0, [$1], $2, $3;"
        args = (pointer or self.pointer, f"i{bits} {expected}", f"i{bits} {new}")
        return assembler(self.emitter, text, f"={letter},l,{letter},{letter}", args, f"i{bits}")

    def _calculate(self, name: str, scalar: Scalar, *texts: str) -> str:
        """An operation of kernel IR on texts: its rules for NaN, zeros and wrapping are the same here."""
        operands = [Value(scalar) for _ in texts]
        self.emitter.values.update(zip(operands, texts, strict=True))
        found = self.emitter.lowerings[name](self.emitter, Op(name, operands, (scalar,)))
        for one in operands:
            del self.emitter.values[one]
        return found

    def _loop(self, order: str, scalar: Scalar, update: Callable[[str], str], *, changes: bool = False) -> str:
        """Compare and swap until nobody came between; the old value. `changes`: what would stay as it is, is not written, unless others may
        wait for it."""
        if scalar.size == 1:
            return self._byte_loop(order, scalar, lambda old: (self._bits(scalar, update(self._value(scalar, old))), ""))
        emitter, bits = self.emitter, scalar.bits
        guess = self._load_bits("acquire" if changes and order == "acquire" else "relaxed", bits)
        before, head, end = emitter.current, emitter.fresh("retry"), emitter.fresh("swapped")
        emitter.do(f"br label %{head}")
        emitter.start(head)
        hole = len(emitter.lines)
        old = emitter.ins(f"phi i{bits}")
        new = self._bits(scalar, update(self._value(scalar, old)))
        if changes and order in ("relaxed", "acquire"):
            swap = emitter.fresh("swap")
            emitter.do(f"br i1 {emitter.ins(f'icmp eq i{bits} {new}, {old}')}, label %{end}, label %{swap}")
            emitter.start(swap)
        seen = self._swap(order, bits, old, new)
        done = emitter.ins(f"icmp eq i{bits} {seen}, {old}")
        arms = f"phi i{bits} [ {guess}, %{before} ], [ {seen}, %{emitter.current} ]"
        emitter.lines[hole] = emitter.lines[hole].replace(f"phi i{bits}", arms)
        emitter.do(f"br i1 {done}, label %{end}, label %{head}")
        emitter.start(end)
        return self._value(scalar, old)

    def _compare_exchange(self, order: str, scalar: Scalar, expected: str, new: str) -> str:
        expected, new = self._bits(scalar, expected), self._bits(scalar, new)
        if scalar.size > 1:
            return self._value(scalar, self._swap(order, scalar.bits, expected, new))
        return self._byte_loop(order, scalar, lambda old: (new, self.emitter.ins(f"icmp eq i8 {old}, {expected}")))

    def _byte_loop(self, order: str, scalar: Scalar, update: Callable[[str], tuple[str, str]]) -> str:
        """The same within the aligned 16 bits around a byte. `update` gives the new byte, and whether to write at all ("": yes)."""
        emitter = self.emitter
        ins = emitter.ins
        type_, _, place = self.pointer.rpartition(" ")
        odd = ins(f"and i64 {ins(f'ptrtoint {self.pointer} to i64')}, 1")
        pair = f"{type_} " + ins(f"getelementptr i8, {type_} {place}, i64 {ins(f'sub i64 0, {odd}')}")
        shift = ins(f"trunc i64 {ins(f'shl i64 {odd}, 3')} to i16")
        others = ins(f"xor i16 {ins(f'shl i16 255, {shift}')}, -1")
        # where nothing is written, this load is the whole access
        guess = self._load_bits("acquire" if order in ("acquire", "acq_rel") else "relaxed", 16, pair)
        before, head, end = emitter.current, emitter.fresh("retry"), emitter.fresh("swapped")
        emitter.do(f"br label %{head}")
        emitter.start(head)
        hole = len(emitter.lines)
        whole = ins("phi i16")
        old = ins(f"trunc i16 {ins(f'lshr i16 {whole}, {shift}')} to i8")
        byte, wanted = update(old)
        if wanted:
            go = emitter.fresh("swap")
            emitter.do(f"br i1 {wanted}, label %{go}, label %{end}")
            emitter.start(go)
        placed = ins(f"shl i16 {ins(f'zext i8 {byte} to i16')}, {shift}")
        new = ins(f"or i16 {ins(f'and i16 {whole}, {others}')}, {placed}")
        seen = self._swap(order, 16, whole, new, pair)
        done = ins(f"icmp eq i16 {seen}, {whole}")
        arms = f"phi i16 [ {guess}, %{before} ], [ {seen}, %{emitter.current} ]"
        emitter.lines[hole] = emitter.lines[hole].replace("phi i16", arms)
        emitter.do(f"br i1 {done}, label %{end}, label %{head}")
        emitter.start(end)
        return self._value(scalar, old)

    # ---- bits

    def _bits(self, scalar: Scalar, text: str) -> str:
        if scalar.is_float:
            return self.emitter.ins(f"bitcast {self.emitter.type(scalar)} {text} to i{scalar.bits}")
        return text

    def _value(self, scalar: Scalar, bits: str) -> str:
        if scalar.is_float:
            return self.emitter.ins(f"bitcast i{scalar.bits} {bits} to {self.emitter.type(scalar)}")
        return bits
