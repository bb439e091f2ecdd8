"""Atomic accesses of whole structs: of 4, 8 or 16 bytes, which travel as one or two numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from oxidepy.frontend.convert import Operand
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.merge import flatten
from oxidepy.frontend.places import Place
from oxidepy.frontend.values import Front, StructValue, Typed, composed, describe
from oxidepy.ir.core import Value
from oxidepy.ir.types import BOOL, SCALARS, U8, Scalar, Struct, words


def packed(frame: Frame, node: ast.AST, name: str, place: Place, values: Sequence[Operand]) -> tuple[tuple[Scalar, ...], list[Value]]:
    """The words of which an element is made, and those of the values. OX0308 for an element that no access moves in one piece."""
    layout = place.element
    assert isinstance(layout, Struct)
    types = words(layout)
    if not types or layout is not place.slice.element:
        what = "is a part of an element" if layout is not place.slice.element else f"has {layout.size}"
        if not types and layout.size in (4, 8, 16):
            what += ", of which some belong to no field"
        message = f"`{name}` moves elements of 4, 8 or 16 bytes in one piece, and `{layout.name}` {what}"
        raise frame.refuse(node, "OX0308", message, help="name a field, or keep what is shared in a slice of numbers or of smaller structs")
    found: list[Value] = []
    for value, at in values:
        if not isinstance(value, StructValue) or value.layout != layout:
            label = f"the element of `{place.slice.name}` is `{layout.name}`"
            raise frame.refuse(at, "OX0308", f"mismatched types: `{layout.name}` and {describe(value)}", label=label)
        found += _pack(frame, layout, types, [one.value for one in flatten(value) if isinstance(one, Typed)])
    return types, found


def _pack(frame: Frame, layout: Struct, types: tuple[Scalar, ...], leaves: Sequence[Value]) -> list[Value]:
    builder = frame.builder
    made = [builder.const(one, 0) for one in types]
    for value, (_, scalar, offset) in zip(leaves, layout.leaves(), strict=True):
        number, byte = divmod(offset, types[0].size)
        bits = builder.value("cast", value, type=U8) if scalar == BOOL else _as(frame, value, _unsigned(scalar))
        if bits.scalar != types[0]:
            bits = builder.value("cast", bits, type=types[0])
        made[number] = builder.value("or", made[number], builder.value("shl", bits, builder.const(types[0], 8 * byte)))
    return made


def unpacked(frame: Frame, layout: Struct, found: Sequence[Value]) -> Front:
    """The struct that these words are."""
    builder, word = frame.builder, found[0].scalar

    def parts() -> Iterator[Value]:
        for _, scalar, offset in layout.leaves():
            number, byte = divmod(offset, word.size)
            bits = builder.value("shr", found[number], builder.const(word, 8 * byte))
            narrow = U8 if scalar == BOOL else _unsigned(scalar)
            if narrow != word:
                bits = builder.value("cast", bits, type=narrow)
            yield builder.value("cast", bits, type=BOOL) if scalar == BOOL else _as(frame, bits, scalar)

    return _build(layout, parts())


def _build(layout: Struct, parts: Iterator[Value]) -> Front:
    made = (_build(one.type, parts) if isinstance(one.type, Struct) else Typed(next(parts), one.enum) for one in layout.fields)
    return composed(layout, list(made))


def _unsigned(scalar: Scalar) -> Scalar:
    return SCALARS[f"u{scalar.bits}"]


def _as(frame: Frame, value: Value, scalar: Scalar) -> Value:
    return value if value.scalar == scalar else frame.builder.value("bitcast", value, type=scalar)
