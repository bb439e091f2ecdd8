"""`mma.*` beside the instructions: fragments read from arrays and written to them, where an accumulator lies."""

from __future__ import annotations

import ast
import re

from oxidepy.frontend import hardware
from oxidepy.frontend.calls import arguments, flag, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import element_at, load, store, writable
from oxidepy.frontend.scratch import element_type
from oxidepy.frontend.values import NONE, Front, Literal, SliceValue, Text, TupleValue, Typed, describe, known_integer
from oxidepy.ir.core import Value
from oxidepy.ir.types import BF16, F16, F32, F64, I32, SCALARS, U32, Scalar

Shape = tuple[int, int, int]
_SHAPE = re.compile(r"m(8|16)n8k(\d+)")
_HALVES = (F16, BF16)
_FRAGMENTS = ("f16", "bf16", "f32", "f64", "i8", "u8", "u32")


def _shape(frame: Frame, node: ast.AST, value: Front) -> Shape:
    """The shape that a string such as "m16n8k16" names."""
    found = _SHAPE.fullmatch(value.value) if isinstance(value, Text) else None
    if found is None:
        shown = f'"{value.value}"' if isinstance(value, Text) else describe(value)
        raise frame.refuse(node, "OX0308", f'a shape is a text such as "m16n8k16", and this is {shown}')
    return int(found[1]), 8, int(found[2])


class Corner:
    """Where a fragment begins in an array of two axes, and how its lanes count from there."""

    def __init__(self, frame: Frame, node: ast.Call, array: Front, corner: Front) -> None:
        text = source(node.func)
        if not isinstance(array, SliceValue) or array.rank != 2:
            raise frame.refuse(
                node.args[0], "OX0308", f"mismatched types: `{text}` takes an array of two axes, and this is {describe(array)}"
            )
        if not isinstance(corner, TupleValue) or len(corner.items) != 2:
            message = f"mismatched types: `{text}` takes a row and a column, and this is {describe(corner)}"
            raise frame.refuse(node.args[1], "OX0308", message, help="write `(row, column)`")
        self.frame, self.node, self.array = frame, node, array
        self.row, self.column = (convert(frame, node.args[1], one, I32, "a place in an array") for one in corner.items)

    def at(self, row: Value, column: Value) -> TupleValue:
        """The index of an element from there."""
        builder = self.frame.builder
        return TupleValue((Typed(builder.value("add", self.row, row)), Typed(builder.value("add", self.column, column))))

    def read(self, row: Value, column: Value) -> Value:
        found = load(self.frame, self.node, element_at(self.frame, self.node.args[1], self.array, self.at(row, column)))
        assert isinstance(found, Typed)
        return found.value

    def write(self, row: Value, column: Value, value: Front) -> None:
        place = element_at(self.frame, self.node.args[1], self.array, self.at(row, column))
        store(self.frame, self.node, place, value, self.node.args[2])


def lane(frame: Frame, divide: bool, by: int, times: int = 1, plus: int = 0) -> Value:
    """(lane // by or lane % by) * times + plus, as an i32."""
    builder = frame.builder
    found = builder.value("floordiv" if divide else "mod", frame.lowering.intrinsic("warp.lane"), builder.const(I32, by))
    found = builder.value("mul", found, builder.const(I32, times)) if times != 1 else found
    return builder.value("add", found, builder.const(I32, plus)) if plus else found


def _word(frame: Frame, corner: Corner, first: Value, word: Value, per: int, turned: bool) -> Value:
    """A register: `per` neighbouring elements along k, the first in the lowest bits."""
    builder, scalar = frame.builder, corner.array.element
    assert isinstance(scalar, Scalar)
    total: Value | None = None
    for number in range(per):
        k = builder.value("mul", word, builder.const(I32, per)) if per > 1 else word
        k = builder.value("add", k, builder.const(I32, number)) if number else k
        element = corner.read(k, first) if turned else corner.read(first, k)
        part = _bits(frame, element)
        if number:
            part = builder.value("shl", part, builder.const(U32, number * scalar.bits))
        total = part if total is None else builder.value("or", total, part)
    assert total is not None
    return total


def _bits(frame: Frame, value: Value) -> Value:
    """An element as the low bits of a register: an f32 rounded to tf32, an f64 as it is."""
    builder, scalar = frame.builder, value.scalar
    if scalar == F64 or scalar == U32:
        return value
    if scalar == F32:
        return builder.value("intrinsic", value, type=U32, row="mma.tf32")
    unsigned = SCALARS[f"u{scalar.bits}"]
    value = value if scalar == unsigned else builder.value("bitcast", value, type=unsigned)
    return builder.value("cast", value, type=U32)


def _fragment(frame: Frame, node: ast.Call, name: str) -> Front:
    """A, or B as its columns, of a warp: `turned` reads an array whose axes are the other way round."""
    array, corner, shaped = arguments(frame, node, 3, keywords=("trans", "bits"))
    m, n, k = _shape(frame, node.args[2], shaped)
    place = Corner(frame, node, array, corner)
    scalar = place.array.element
    if str(scalar) not in _FRAGMENTS:
        wanted = ", ".join(f"`{one}`" for one in _FRAGMENTS)
        raise frame.refuse(node.args[0], "OX0308", f"mismatched types: fragments are of {wanted}, and these are `{scalar}`")
    assert isinstance(scalar, Scalar)
    named = keywords(frame, node)
    trans = flag(frame, named, "trans")
    size = _element_bits(frame, node, scalar, named.get("bits"))
    width = 64 if scalar == F64 else 32
    words, rows = k * size // width // 4, m if name == "load_a" else n
    if words == 0 or k * size % (width * 4):
        raise frame.refuse(node.args[2], "OX0308", f"no fragment of `{scalar}` has the shape m{m}n{n}k{k}")
    registers: list[Front] = []
    for number in range(words * rows // 8):
        first = lane(frame, True, 4, plus=8 * (number % (rows // 8)))
        word = lane(frame, False, 4, plus=4 * (number // (rows // 8)))
        turned = trans if name == "load_a" else not trans
        registers.append(Typed(_word(frame, place, first, word, max(width // max(scalar.bits, size), 1), turned)))
    return hardware.grouped(registers)


def _element_bits(frame: Frame, node: ast.Call, scalar: Scalar, given: tuple[Front, ast.expr] | None) -> int:
    """The bits of an element: those of the array's, but for packed words."""
    if given is None:
        if scalar == U32:
            raise frame.refuse(
                node, "OX0308", f"`{source(node.func)}` of packed words lacks `bits`", help="say how many bits an element has"
            )
        return scalar.bits
    value, place = given
    if scalar != U32 or not isinstance(value, Literal) or value.value not in (1, 4, 8, 16):
        raise frame.refuse(place, "OX0308", "`bits` is 1, 4, 8 or 16, for an array of `u32`, whose second index counts words")
    return int(value.value)


@call("mma.load_a")
def _load_a(frame: Frame, node: ast.Call) -> Front:
    return _fragment(frame, node, "load_a")


@call("mma.load_b")
def _load_b(frame: Frame, node: ast.Call) -> Front:
    return _fragment(frame, node, "load_b")


@call("mma.zeros")
def _zeros(frame: Frame, node: ast.Call) -> Front:
    """Accumulators that are zero, in `f32` unless another type is named."""
    shaped, *rest = arguments(frame, node, 1, 2)
    m, n, k = _shape(frame, node.args[0], shaped)
    scalar = element_type(frame, node.args[1], rest[0]) if rest else F32
    if scalar not in (F16, F32, F64, I32):
        raise frame.refuse(node.args[1], "OX0308", f"sums are in `f16`, `f32`, `f64` or `i32`, not in `{scalar}`")
    count = m // 8 * n // 4 * (4 if (m, k) == (8, 4) and scalar in (F16, F32) else 1)  # four products at once
    if scalar == F16:  # two in a register
        return hardware.grouped([Typed(frame.builder.const(U32, 0))] * (count // 2))
    assert isinstance(scalar, Scalar)
    zero = frame.builder.const(scalar, 0.0 if scalar.is_float else 0)
    return TupleValue((Typed(zero),) * count)


def unpacked(frame: Frame, place: Corner, value: Front) -> list[Front]:
    """Accumulators one by one: of an array of halves they come two in a register."""
    items = list(value.items) if isinstance(value, TupleValue) else [value]
    half = place.array.element
    if not isinstance(half, Scalar) or half not in _HALVES or not all(isinstance(one, Typed) and one.type == U32 for one in items):
        return items
    builder = frame.builder
    halves: list[Front] = []
    for one in items:
        assert isinstance(one, Typed)
        for part in range(2):
            shifted = builder.value("shr", one.value, builder.const(U32, 16)) if part else one.value
            low = builder.value("cast", shifted, type=SCALARS["u16"])
            halves.append(Typed(builder.value("bitcast", low, type=half)))
    return halves


@call("mma.store")
def _store(frame: Frame, node: ast.Call) -> Front:
    """Write the accumulators of a warp to an array, from a row and column on."""
    array, corner, value = arguments(frame, node, 3)
    place = Corner(frame, node, array, corner)
    writable(frame, node.args[0], place.array)
    items = unpacked(frame, place, value)
    if len(items) not in (2, 4):
        message = f"mismatched types: `{source(node.func)}` takes accumulators, and this is {describe(value)}"
        raise frame.refuse(node.args[2], "OX0308", message)
    for number, one in enumerate(items):
        row, column = lane(frame, True, 4, plus=8 * (number // 2)), lane(frame, False, 4, 2, number % 2)
        place.write(row, column, one)
    return NONE


def _coordinate(frame: Frame, node: ast.Call) -> int:
    (value,) = arguments(frame, node, 1)
    number = known_integer(value)
    if number is None or not 0 <= number < 4:
        raise frame.refuse(node.args[0], "OX0308", "the number of an accumulator is from 0 to 3, known at compile time")
    return number


@call("mma.row")
def _row(frame: Frame, node: ast.Call) -> Front:
    return Typed(lane(frame, True, 4, plus=8 * (_coordinate(frame, node) // 2)))


@call("mma.col")
def _col(frame: Frame, node: ast.Call) -> Front:
    return Typed(lane(frame, False, 4, 2, _coordinate(frame, node) % 2))
