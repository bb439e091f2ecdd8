"""Tensor-core operations of a warp on the CPU: written out in kernel IR, in the order of the interpreter's, moves as shuffles.

A product is a function of what one lane needs, which all products of its kind call; the lanes' registers meet in scratch memory.
How matrices lie in registers is said in `ir.intrinsics.mma`; the sums are those of `ir.interpreter.matrix`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from oxidepy.ir.core import Block, Builder, Function, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS, Registers
from oxidepy.ir.intrinsics.mma import BITS
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import BF16, F16, F32, F64, I8, I32, I64, SCALARS, U8, U16, U32, Memory, Scalar

KEY = "tensor"  # `cpu` of the rows that are written out here


def expanded(module: Module) -> Module:
    """The module with these operations written out: itself where it has none."""
    if not any(_here(op) for op in module.kernel.body.walk()):
        return module
    copy = parse_module(print_module(module, spans=True))
    body = copy.kernel.body
    became: dict[Value, Value] = {}
    scratch = Block()
    _block(body, became, copy, scratch)
    body.ops[:0] = scratch.ops
    for op in body.walk():
        op.operands[:] = [became.get(one, one) for one in op.operands]
    return copy


def _here(op: Op) -> bool:
    return op.name == "intrinsic" and ROWS[op.attrs["row"]].cpu == KEY


def _block(block: Block, became: dict[Value, Value], module: Module, scratch: Block) -> None:
    ops, block.ops = block.ops, []
    builder = Builder(block)
    for op in ops:
        for region in op.regions:
            _block(region, became, module, scratch)
        if not _here(op):
            block.ops.append(op)
            continue
        builder.span = op.span
        results = _WAYS[op.attrs["row"].split(".")[1].partition("_")[0]](_Warp(builder, module, scratch), op)
        became.update(zip(op.results, results, strict=True))


class _Warp:
    """Operations of IR, each over all lanes."""

    def __init__(self, builder: Builder, module: Module, scratch: Block) -> None:
        self.builder, self.module, self.scratch = builder, module, scratch

    @functools.cached_property
    def lane(self) -> Value:
        return self.builder.value("intrinsic", type=I32, row="warp.lane")

    def of(self, number: int, scalar: Scalar = I32) -> Value:
        return self.builder.const(scalar, float(number) if scalar.is_float else number)

    def do(self, name: str, a: Value, by: Value | int) -> Value:
        return self.builder.value(name, a, self.of(by, a.scalar) if isinstance(by, int) else by)

    def cast(self, value: Value, scalar: Scalar) -> Value:
        return value if value.scalar == scalar else self.builder.value("cast", value, type=scalar)

    def bits(self, value: Value, scalar: Scalar) -> Value:
        return value if value.scalar == scalar else self.builder.value("bitcast", value, type=scalar)

    def from_lane(self, value: Value, lane: Value) -> Value:
        return self.builder.value("intrinsic", value, lane, type=value.scalar, row="warp.shuffle", mask="full", width=32)

    def shared(self, words: Sequence[Value]) -> Callable[[int, Value], Value]:
        """Show registers to the other lanes; gives how the word of that number is read from a lane. No other register has this memory:
        nobody waits until it was read."""
        scalar = words[0].scalar
        number = len(self.scratch.ops)
        attrs = {"name": f"tensor.{number}", "count": 32 * len(words), "align": 16}
        memory = Builder(self.scratch).emit("alloc", (), (Memory(scalar, "shared", "exclusive"),), attrs).result
        for at, word in enumerate(words):
            self.builder.emit("store", (memory, self.do("add", self.lane, 32 * at), word), (), {"offset": 0})
        self.builder.emit("intrinsic", (self.of(2**32 - 1, U32),), (), {"row": "warp.sync"})

        def read(at: int, lane: Value) -> Value:
            return self.builder.value("load", memory, self.do("add", lane, 32 * at), type=scalar, offset=0)

        return read

    def transposed(self, word: Value) -> Value:
        """Of 8 × 8 halves, lane l holding row l // 4, word l % 4: the same of the transposed matrix."""
        column = self.do("floordiv", self.lane, 4)
        first = self.do("mul", self.do("mod", self.lane, 4), 8)  # the lane with row 2 * (l % 4), word 0
        halves: list[Value] = []
        for row in range(2):
            source = self.do("add", self.do("add", first, 4 * row), self.do("floordiv", column, 2))
            shift = self.cast(self.do("mul", self.do("mod", column, 2), 16), U32)
            halves.append(self.do("and", self.do("shr", self.from_lane(word, source), shift), 0xFFFF))
        return self.do("or", halves[0], self.do("shl", halves[1], 16))


# ---- products


def _element(warp: _Warp, word: Value, number: int, type_: str) -> Value:
    """An element of a register, in f64 or in an integer that holds its products' sum."""
    if type_ == "f64":
        return word
    if type_ == "tf32":
        return warp.cast(warp.bits(warp.do("and", word, 0xFFFFE000), F32), F64)
    size = BITS[type_]
    shifted = warp.do("shr", word, number * size) if number else word
    if type_ in ("f16", "bf16"):
        return warp.cast(warp.bits(warp.cast(shifted, U16), F16 if type_ == "f16" else BF16), F64)
    if type_ == "e5m2":
        return warp.cast(warp.bits(warp.do("shl", warp.cast(warp.cast(shifted, U8), U16), 8), F16), F64)
    if type_ == "e4m3":
        return _e4m3(warp, warp.cast(warp.cast(shifted, U8), U16))
    if size == 8:
        return warp.cast(warp.cast(shifted, I8 if type_ == "i8" else U8), I64)
    if type_ == "u4":
        return warp.cast(warp.do("and", shifted, 15), I64)
    return warp.cast(warp.do("shr", warp.bits(warp.do("shl", word, 28 - 4 * number), I32), 28), I64)


def _e4m3(warp: _Warp, code: Value) -> Value:
    """Sign, exponent and fraction at their places in an f16, whose exponent counts from 8 less; all ones are no number."""
    builder = warp.builder
    magnitude = warp.do("and", code, 0x7F)
    half = warp.do("or", warp.do("shl", warp.do("and", code, 0x80), 8), warp.do("shl", magnitude, 7))
    value = warp.do("mul", warp.cast(warp.bits(half, F16), F64), 256)
    none = builder.value("eq", magnitude, warp.of(0x7F, U16))
    return builder.value("select", none, builder.const(F64, float("nan")), value, type=F64)


def _product(warp: _Warp, op: Op) -> Sequence[Value]:
    """Each lane has its rows' words from lanes 4 * (l // 4)…, its columns' from lanes 8 * (l % 4)… and 4 more."""
    name = op.attrs["row"]
    code = ROWS[name].assembly
    assert code is not None
    counts = [one.count for one in code.arguments if isinstance(one, Registers)]
    words, c = op.operands[: counts[0] + counts[1]], op.operands[counts[0] + counts[1] :]
    read = warp.shared(words)
    row = warp.do("mul", warp.do("floordiv", warp.lane, 4), 4)
    column = warp.do("mul", warp.do("mod", warp.lane, 4), 8)  # of column l % 4 * 2
    given: list[Value] = []
    for at in range(4):
        given += [read(number, warp.do("add", row, at)) for number in range(counts[0])]
        given += [read(number, warp.do("add", column, 4 * side + at)) for number in range(counts[0], len(words)) for side in range(2)]
    if name not in warp.module.functions:
        warp.module.functions[name] = _function(warp, op, counts[0], counts[1])
    return warp.builder.emit("call", [*given, *c], [one.type for one in op.results], {"callee": name}).results


def _function(warp: _Warp, op: Op, rows: int, columns: int) -> Function:
    """What a lane makes of the words of four lanes along k, first `rows` of a and then two of b for each of `columns`, and of its c."""
    _, shape, accumulator, first, *rest = op.attrs["row"].split(".")
    second = rest.pop(0) if rest and rest[0] in BITS else first
    each = rows + 2 * columns
    params = [Value(one.type) for one in (*op.operands[:1] * (4 * each), *op.operands[rows + columns :])]
    body = Block()
    inside = _Warp(Builder(body), warp.module, warp.scratch)
    how = _Sum(inside, first, second, accumulator, rest[0] if rest else "")
    lanes, c = [params[each * at : each * (at + 1)] for at in range(4)], params[4 * each :]
    bands = int(shape[1 : shape.index("n")]) // 8
    sums = _unpacked(inside, c) if accumulator == "f16" else list(c)
    whole = accumulator == "f64" or first == "b1"
    totals = sums if whole else [inside.of(0, I64 if accumulator == "i32" else F64)] * len(sums)
    for number in range(columns):
        for words in lanes:
            left = [how.parts(one, first) for one in words[bands * number : bands * (number + 1)]]
            right = [how.parts(one, second) for one in words[rows + 2 * number : rows + 2 * number + 2]]
            totals = [how.add(total, left[at // 2], right[at % 2]) for at, total in enumerate(totals)]
    if not whole:
        ends = [how.end(total, one) for total, one in zip(totals, sums, strict=True)]
        totals = _packed(inside, ends) if accumulator == "f16" else ends
    inside.builder.emit("return", totals)
    results = tuple(one.scalar for one in totals)
    return Function(op.attrs["row"], params, results, body, apart=True)


class _Sum:
    """How the products of two words are added up."""

    def __init__(self, warp: _Warp, first: str, second: str, accumulator: str, operation: str) -> None:
        self.warp, self.first, self.second = warp, first, second
        self.accumulator, self.operation = accumulator, operation

    def parts(self, word: Value, type_: str) -> list[Value]:
        """The elements of a word; of bits the word itself."""
        if type_ == "b1":
            return [word]
        per = 1 if type_ in ("f64", "tf32") else 32 // BITS[type_]
        return [_element(self.warp, word, number, type_) for number in range(per)]

    def add(self, total: Value, left: Sequence[Value], right: Sequence[Value]) -> Value:
        builder = self.warp.builder
        for a, b in zip(left, right, strict=True):
            if self.first == "b1":
                bits = builder.value("popcount", builder.value(self.operation.rstrip("_"), a, b))
                total = builder.value("add", total, self.warp.cast(bits, I32))
            elif self.accumulator == "f64":
                total = builder.value("fma", a, b, total)
            else:
                total = builder.value("add", total, builder.value("mul", a, b))
        return total

    def end(self, total: Value, c: Value) -> Value:
        """The accumulator last, rounded or clamped once."""
        total = self.warp.builder.value("add", total, self.warp.cast(c, total.scalar))
        if self.operation == "sat":
            total = self.warp.builder.value("max", self.warp.do("min", total, 2**31 - 1), self.warp.of(-(2**31), I64))
        return self.warp.cast(total, SCALARS[self.accumulator])


def _unpacked(warp: _Warp, registers: Sequence[Value]) -> list[Value]:
    return [warp.bits(warp.cast(warp.do("shr", one, 16 * part) if part else one, U16), F16) for one in registers for part in range(2)]


def _packed(warp: _Warp, halves: Sequence[Value]) -> list[Value]:
    words = [warp.cast(warp.bits(one, U16), U32) for one in halves]
    return [warp.do("or", words[at], warp.do("shl", words[at + 1], 16)) for at in range(0, len(words), 2)]


# ---- moves


def _places(warp: _Warp, op: Op, matrix: int) -> tuple[Value, list[Value]]:
    """The memory, and the indices of the elements of the lane's word of a matrix, whose rows lanes 8 * matrix… name."""
    memory, index = op.operands[:2]
    scalar = memory.memory.element
    assert isinstance(scalar, Scalar)
    begin = warp.from_lane(index, warp.do("add", warp.do("floordiv", warp.lane, 4), 8 * matrix))
    per = max(4 // scalar.size, 1)
    offset = warp.cast(warp.do("mul", warp.do("mod", warp.lane, 4), per), begin.scalar)
    first = warp.do("add", begin, offset)
    return memory, [warp.do("add", first, number) if number else first for number in range(per)]


def _load(warp: _Warp, op: Op) -> Sequence[Value]:
    found: list[Value] = []
    for matrix in range(len(op.results)):
        memory, indices = _places(warp, op, matrix)
        total: Value | None = None
        for number, at in enumerate(indices):
            scalar = memory.memory.element
            assert isinstance(scalar, Scalar)
            value = warp.builder.value("load", memory, at, type=scalar, offset=0, unsafe="an instruction")
            word = warp.cast(warp.bits(value, SCALARS[f"u{scalar.bits}"]), U32)
            word = warp.do("shl", word, number * scalar.bits) if number else word
            total = word if total is None else warp.do("or", total, word)
        assert total is not None
        found.append(warp.transposed(total) if op.attrs["row"].endswith("_trans") else total)
    return found


def _store(warp: _Warp, op: Op) -> Sequence[Value]:
    for matrix, register in enumerate(op.operands[2:]):
        word = warp.transposed(register) if op.attrs["row"].endswith("_trans") else register
        memory, indices = _places(warp, op, matrix)
        scalar = memory.memory.element
        assert isinstance(scalar, Scalar)
        for number, at in enumerate(indices):
            part = warp.do("shr", word, number * scalar.bits) if number else word
            value = warp.bits(warp.cast(part, SCALARS[f"u{scalar.bits}"]), scalar)
            warp.builder.emit("store", (memory, at, value), (), {"offset": 0, "unsafe": "an instruction"})
    return ()


def _turned(warp: _Warp, op: Op) -> Sequence[Value]:
    return [warp.transposed(op.operands[0])]


def _tf32(warp: _Warp, op: Op) -> Sequence[Value]:
    """Half of the last place added, the rest cut off; infinities and what is no number stay."""
    builder, value = warp.builder, op.operands[0]
    bits = warp.bits(value, U32)
    rounded = warp.do("and", warp.do("add", bits, 0x1000), 0xFFFFE000)
    found = builder.value("select", builder.value("isfinite", value), rounded, bits, type=U32)
    return [builder.value("select", builder.value("isnan", value), warp.of(0x7FFFFFFF, U32), found, type=U32)]


_WAYS: dict[str, Callable[[_Warp, Op], Sequence[Value]]] = {
    **dict.fromkeys(("m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64", "m16n8k128", "m16n8k256"), _product),
    **dict.fromkeys(("m8n8k4", "m8n8k16", "m8n8k32", "m8n8k128"), _product),
    "ldmatrix": _load,
    "stmatrix": _store,
    "movmatrix": _turned,
    "tf32": _tf32,
}
