"""Tensor-core operations of a warp on the CPU: written out in kernel IR, as shuffles and arithmetic, in the order of the interpreter's.

How matrices lie in registers is said in `ir.intrinsics.mma`; the sums are those of `ir.interpreter.matrix`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oxidepy.ir.core import Block, Builder, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS, Registers
from oxidepy.ir.intrinsics.mma import BITS
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import BF16, F16, F32, F64, I8, I32, I64, SCALARS, U8, U16, U32, Scalar

KEY = "tensor"  # `cpu` of the rows that are written out here


def expanded(module: Module) -> Module:
    """The module with these operations written out: itself where it has none."""
    if not any(_here(op) for op in module.kernel.body.walk()):
        return module
    copy = parse_module(print_module(module, spans=True))
    body = copy.kernel.body
    became: dict[Value, Value] = {}
    _block(body, became)
    for op in body.walk():
        op.operands[:] = [became.get(one, one) for one in op.operands]
    return copy


def _here(op: Op) -> bool:
    return op.name == "intrinsic" and ROWS[op.attrs["row"]].cpu == KEY


def _block(block: Block, became: dict[Value, Value]) -> None:
    ops, block.ops = block.ops, []
    builder = Builder(block)
    for op in ops:
        for region in op.regions:
            _block(region, became)
        if not _here(op):
            block.ops.append(op)
            continue
        builder.span = op.span
        results = _WAYS[op.attrs["row"].split(".")[1].partition("_")[0]](_Warp(builder), op)
        became.update(zip(op.results, results, strict=True))


class _Warp:
    """Operations of IR, each over all lanes."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.lane = builder.value("intrinsic", type=I32, row="warp.lane")

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
    _, shape, accumulator, first, *rest = op.attrs["row"].split(".")
    second = rest.pop(0) if rest and rest[0] in BITS else first
    how = rest[0] if rest else ""
    code = ROWS[op.attrs["row"]].assembly
    assert code is not None
    counts = [one.count for one in code.arguments if isinstance(one, Registers)]
    a, b, c = op.operands[: counts[0]], op.operands[counts[0] : counts[0] + counts[1]], op.operands[counts[0] + counts[1] :]
    bands = int(shape[1 : shape.index("n")]) // 8
    sums = _unpacked(warp, c) if accumulator == "f16" else list(c)
    start = sums if accumulator == "f64" or first == "b1" else [warp.of(0, I64 if accumulator == "i32" else F64)] * len(sums)
    how_one = _Sum(warp, first, second, accumulator, how)
    found: Sequence[Value] = start
    for number in range(len(b)):
        found = _four(warp, a[bands * number : bands * (number + 1)], b[number], found, how_one)
    if accumulator == "f64" or first == "b1":
        return found
    ends = [how_one.end(total, one) for total, one in zip(found, sums, strict=True)]
    return _packed(warp, ends) if accumulator == "f16" else ends


def _four(warp: _Warp, a: Sequence[Value], b: Value, totals: Sequence[Value], how: _Sum) -> list[Value]:
    """The words of four lanes along k, one after the other: each lane has its rows' from lanes 4 * (l // 4)…, its columns' likewise."""
    builder = warp.builder
    types = [one.type for one in totals]
    body = Block([I32, *types])
    with builder.at(body):
        at, *inner = body.args
        row = warp.do("add", warp.do("mul", warp.do("floordiv", warp.lane, 4), 4), at)
        column = warp.do("add", warp.do("mul", warp.do("mod", warp.lane, 4), 8), at)  # of column l % 4 * 2
        left = [how.parts(warp.from_lane(one, row), how.first) for one in a]
        right = [how.parts(warp.from_lane(b, warp.do("add", column, 4 * side)), how.second) for side in range(2)]
        inner = [how.add(total, left[number // 2], right[number % 2]) for number, total in enumerate(inner)]
        builder.emit("yield", inner)
    bounds = [warp.of(one) for one in (0, 4, 1)]
    return builder.emit("for", [*bounds, *totals], types, {"positive": True}, [body]).results


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
