"""Pairs of halves, `f16x2` and `bf16x2`: an operation on them is that on each half, and the two stand side by side in the IR."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from oxidepy.frontend.convert import Operand, source
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import Front, StructValue, Typed, describe
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.types import PAIRS, U16, U32, Scalar, Struct

# what hardware does with both halves at once
_PACKED = frozenset(("add", "sub", "mul", "fma", "neg", "abs", "min", "max", "cast", "load", "store", "atomic"))


def is_pair(value: Front) -> bool:
    return isinstance(value, StructValue) and value.layout in PAIRS


def half_of(layout: Struct) -> Scalar:
    half = layout.fields[0].type
    assert isinstance(half, Scalar)
    return half


def both(frame: Frame, compute: Callable[[int], Front]) -> list[Front]:
    """The same computation for the halves 0 and 1, its operations side by side and marked as belonging together."""
    found: list[Front] = []
    sides: list[list[Op]] = []
    for number in range(2):
        with frame.builder.at(Block()) as block:
            found.append(compute(number))
            sides.append(block.ops)
    first, second = sides
    if [one.name for one in first] != [one.name for one in second]:
        frame.builder.block.ops += first + second
        return found
    for x, y in zip(first, second, strict=True):
        if x.name in _PACKED:
            x.attrs["pair"], y.attrs["pair"] = "x", "y"
        frame.builder.block.ops += (x, y)
    return found


def lift(frame: Frame, node: ast.AST, what: str, given: Sequence[Operand], compute: Callable[[list[Operand]], Front]) -> Front:
    """An operation on numbers, done to the halves of pairs. A number among the operands stands for a pair of it."""
    layout = _common(frame, node, what, given)

    def side(number: int) -> Front:
        return compute([(value.fields[number] if isinstance(value, StructValue) else value, place) for value, place in given])

    return StructValue(layout, tuple(both(frame, side)))


def _common(frame: Frame, node: ast.AST, what: str, given: Sequence[Operand]) -> Struct:
    """The one kind of pair among the operands. OX0308 where another one or a number of another type meets it."""
    first = next(value for value, _ in given if is_pair(value))
    assert isinstance(first, StructValue)
    for value, place in given:
        fits = value.layout == first.layout if isinstance(value, StructValue) else True
        if isinstance(value, Typed):
            fits = value.type == half_of(first.layout)
        if not fits:
            half = half_of(first.layout)
            help = f"convert it: `{half}({source(place)})`" if isinstance(value, Typed) else None
            raise frame.refuse(node, "OX0308", f"mismatched types: {what} on `{first.layout.name}` and {describe(value)}", help=help)
    return first.layout


def word(frame: Frame, pair: StructValue) -> Value:
    """The bits of a pair as a u32, `x` below."""
    builder = frame.builder
    low, high = (builder.value("cast", builder.value("bitcast", _value(one), type=U16), type=U32) for one in pair.fields)
    return builder.value("or", low, builder.value("shl", high, builder.const(U32, 16)))


def of_word(frame: Frame, layout: Struct, bits: Value) -> StructValue:
    """The pair of these bits."""
    builder, half = frame.builder, half_of(layout)
    parts = (bits, builder.value("shr", bits, builder.const(U32, 16)))
    return StructValue(layout, tuple(Typed(builder.value("bitcast", builder.value("cast", one, type=U16), type=half)) for one in parts))


def values_of(parts: Sequence[Operand]) -> list[Value]:
    """The halves that `lift` gives, as values."""
    return [_value(one) for one, _ in parts]


def _value(front: Front) -> Value:
    assert isinstance(front, Typed)
    return front.value
