"""Literals and types: what adopts what, what fits where, and what is said when two types meet."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from oxidepy.diagnostics import Label
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import (
    Front,
    FunctionValue,
    Literal,
    Method,
    NoneValue,
    Number,
    PointerValue,
    SliceValue,
    StructValue,
    Text,
    TupleValue,
    Typed,
    Weak,
    Witness,
    describe,
    enum_of,
)
from oxidepy.ir.core import Value
from oxidepy.ir.types import BOOL, F32, F64, I32, I64, SCALARS, U32, Scalar
from oxidepy.lang.scalars import cast


def scalar_like(value: Front) -> bool:
    return isinstance(value, (Typed, Literal, Weak))


def kind_of(value: Literal | Weak) -> str:
    if isinstance(value, Weak):
        return value.kind
    return "bool" if isinstance(value.value, bool) else "int" if isinstance(value.value, int) else "float"


def default_type(value: Literal | Weak) -> Scalar:
    """The type of a literal that stands alone."""
    return {"bool": BOOL, "int": I32, "float": F32}[kind_of(value)]


def problem(value: Literal | Weak, scalar: Scalar) -> str | None:
    """Why the literal cannot be of that type, or None if it can."""
    kind = kind_of(value)
    shown = _shown(value.value) if isinstance(value, Literal) else f"a Python {kind}"
    if (kind == "bool") != (scalar == BOOL):
        return f"{shown} is no `{scalar}`"
    if kind == "float" and not scalar.is_float:
        return f"the float {shown} does not become `{scalar}` by itself"
    if isinstance(value, Literal) and kind != "bool":
        if scalar.is_int and not scalar.min <= value.value <= scalar.max:
            return f"{shown} does not fit `{scalar}`, which goes from {scalar.min} to {scalar.max}"
        if scalar.is_float and _finite(value.value) and not math.isfinite(cast(scalar, value.value)):
            return f"{shown} does not fit `{scalar}`"
    return None


def _shown(value: Number) -> str:
    text = str(value) if isinstance(value, float) or value.bit_length() < 200 else hex(value)
    return text if len(text) <= 60 else f"{text[:20]}… ({len(text)} digits)"


def _finite(value: Number) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def constant(frame: Frame, scalar: Scalar, value: Number) -> Value:
    """A `const` of that type; floats are rounded to it, integers are known to fit."""
    number: Number = bool(value) if scalar == BOOL else cast(scalar, value)
    return frame.builder.const(scalar, float(number) if scalar.is_float else number)


def settle(frame: Frame, value: Front) -> Front:
    """The value that a name bound to it gives: literals alone are `i32` or `f32`."""
    if isinstance(value, Weak):
        return value if value.adopts else Typed(value.make(default_type(value)), value.enum)
    if isinstance(value, Literal):
        wanted = default_type(value)
        if (why := problem(value, wanted)) is not None:
            node = frame.builder.span or frame.parsed.node
            raise frame.refuse(
                node,
                "OX0308",
                f"a name bound to a literal is `{wanted}`, and {why}",
                help="name the type: " + " or ".join(f"`{one}({value.value})`" for one in _wide(value)),
            )
        return Typed(constant(frame, wanted, value.value), enum_of(value))
    if isinstance(value, TupleValue):
        return TupleValue(tuple(settle(frame, item) for item in value.items))
    if isinstance(value, StructValue):
        return StructValue(value.layout, tuple(settle(frame, item) for item in value.fields))
    return value


def _wide(value: Literal) -> tuple[str, ...]:
    if isinstance(value.value, float):
        return ("f64",)
    return ("u32", "i64") if U32.min <= value.value <= U32.max else ("u64",) if value.value > I64.max else ("i64",)


def convert(frame: Frame, node: ast.AST, value: Front, scalar: Scalar, what: str, *, place: Label | None = None) -> Value:
    """`value` as a `scalar`: a literal takes the type, anything else must have it. `what` names the receiver, as in "the parameter `k`"."""
    if isinstance(value, Typed) and value.type == scalar:
        return value.value
    labels = (place,) if place else ()
    if isinstance(value, (Literal, Weak)):
        if (why := problem(value, scalar)) is None:
            return constant(frame, scalar, value.value) if isinstance(value, Literal) else value.make(scalar)
        raise frame.refuse(
            node,
            "OX0308",
            f"mismatched types: {why}",
            label=f"{what} is `{scalar}`",
            labels=labels,
            help=_literal_help(node, value, scalar),
        )
    if isinstance(value, Typed):
        raise frame.refuse(
            node,
            "OX0308",
            f"mismatched types: `{scalar}` and `{value.type}`",
            label=f"this is `{value.type}`, {what} is `{scalar}`",
            labels=labels,
            help=f"convert it: `{cast_text(scalar, node)}`",
        )
    help = _OTHER_HELP.get(type(value), "give it a scalar").format(source=source(node), scalar=scalar)
    raise frame.refuse(node, "OX0308", f"mismatched types: {what} is `{scalar}`, and this is {describe(value)}", labels=labels, help=help)


# what is no scalar, where one is wanted → what to write
_OTHER_HELP: dict[type[Front], str] = {
    SliceValue: "name one element, `{source}[i]`",
    PointerValue: "name one element, `{source}[i]`",
    Text: "kernels compute with numbers; keep the text on the host",
    TupleValue: "name one element, `{source}[0]`",
    Witness: "`{source}.get()` is its number",
    NoneValue: "`None` is no value in kernels: let a number stand for it, or a `bool` beside it",
    FunctionValue: "call it: `{source}(…)`",
    Method: "call it: `{source}(…)`",
}


def _literal_help(node: ast.AST, value: Literal | Weak, scalar: Scalar) -> str | None:
    kind = kind_of(value)
    if kind == "float" and scalar.is_int:
        return f"convert it: `{cast_text(scalar, node)}`"
    if isinstance(value, Literal) and kind != "bool" and scalar != BOOL:
        return fitting(value.value, scalar)
    if kind == "int" and scalar == BOOL:
        return f"compare it: `{source(node)} != 0`"
    if kind == "bool":
        return f"convert it: `{cast_text(scalar, node)}`"
    return None


def fitting(number: Number, scalar: Scalar) -> str | None:
    """What to write where a number does not fit the type."""
    if scalar.is_float:
        wider = next((one for one in (F32, F64) if one.bits > scalar.bits and math.isfinite(cast(one, number))), None)
        return f"a type that has it is `{wider}`" if wider is not None else None
    if scalar.signed and scalar.max < number < 1 << scalar.bits:
        return f"as `{scalar}` these bits are `{number - (1 << scalar.bits)}`; `u{scalar.bits}` has the number"
    if not scalar.signed and -(1 << (scalar.bits - 1)) <= number < 0:
        return f"as `{scalar}` these bits are `{number + (1 << scalar.bits)}`; `i{scalar.bits}` has the number"
    wider = next((one for one in _WIDER if one.bits > scalar.bits and one.min <= number <= one.max), None)
    return f"a type that has it is `{wider}`" if wider is not None else None


_WIDER = tuple(SCALARS[name] for name in ("i32", "u32", "i64", "u64"))  # those of 16 bits soon overflow


def source(node: ast.AST) -> str:
    """A piece of the kernel as text, for a suggestion."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    text = ast.unparse(node)
    return text if len(text) <= 60 else text[:57] + "..."


def integral(node: ast.AST, number: Front) -> str | None:
    """What to write where an integer is wanted and a float is there."""
    if not isinstance(number, Typed) or not number.type.is_float:
        return None
    return f"convert it, `{cast_text(I32, node)}`, or take its bits, `bits.cast(u{number.type.bits}, {source(node)})`"


def cast_text(scalar: Scalar, node: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == scalar.name:
        return source(node)
    return f"{scalar}({source(node)})"


Operand = tuple[Front, ast.AST]


def unify(frame: Frame, node: ast.AST, operands: Sequence[Operand], what: str) -> Scalar | None:
    """The one type of scalars that meet, or None if all of them are literals. OX0308 where two differ."""
    for value, place in operands:
        if not scalar_like(value):
            raise frame.refuse(place, "OX0308", f"{what} takes numbers, and this is {describe(value)}", help=_number_help(value, place))
    typed = [(value, place) for value, place in operands if isinstance(value, Typed)]
    if not typed:
        return None
    first, first_place = typed[0]
    for value, place in typed[1:]:
        if value.type != first.type:
            raise mixed(frame, node, (first, first_place), (value, place))
    for value, place in operands:
        if isinstance(value, (Literal, Weak)) and (why := problem(value, first.type)) is not None:
            labels = (Label(frame.span(first_place), f"this is `{first.type}`"),)
            help = cast_help(first, first_place, value, place)
            raise frame.refuse(place, "OX0308", f"mismatched types: {why}", labels=labels, help=help)
    return first.type


def cast_help(typed: Typed, typed_place: ast.AST, value: Literal | Weak, place: ast.AST) -> str | None:
    kind = kind_of(value)
    if kind == "float" and typed.type.is_int:
        return f"convert one side: `{cast_text(F32, typed_place)}`"
    return _literal_help(place, value, typed.type)


def _number_help(value: Front, place: ast.AST) -> str | None:
    if isinstance(value, StructValue):
        return f"name a field: `{source(place)}.{value.layout.fields[0].name}`"
    if isinstance(value, Text):
        return 'values go into a text by an f-string: `f"{x:.3f}"`'
    return _OTHER_HELP[type(value)].format(source=source(place)) if type(value) in _OTHER_HELP else None


def operands(frame: Frame, given: Sequence[Operand], scalar: Scalar) -> list[Value]:
    """Unified operands as values of the common type."""
    return [value.value if isinstance(value, Typed) else convert(frame, place, value, scalar, "the other side") for value, place in given]


def mixed(frame: Frame, node: ast.AST, left: tuple[Typed, ast.AST], right: tuple[Typed, ast.AST]) -> Exception:
    """OX0308 for two operands of different types, with the cast to write."""
    (a, a_place), (b, b_place) = left, right
    if widens(b.type, a.type) or b.type == BOOL:
        ways = [cast_text(a.type, b_place)]
    elif widens(a.type, b.type) or a.type == BOOL:
        ways = [cast_text(b.type, a_place)]
    else:
        ways = [cast_text(a.type, b_place), cast_text(b.type, a_place)]
    return frame.refuse(
        node,
        "OX0308",
        f"mismatched types: `{a.type}` and `{b.type}`",
        labels=(Label(frame.span(a_place), f"this is `{a.type}`"), Label(frame.span(b_place), f"this is `{b.type}`")),
        help="convert one side: " + " or ".join(f"`{way}`" for way in ways),
    )


def widens(narrow: Scalar, wide: Scalar) -> bool:
    """Whether every number of `narrow` is one of `wide` (an integer and a float: the float side is the usual wish)."""
    if narrow == BOOL or wide == BOOL:
        return False
    if narrow.is_int and wide.is_int:
        return wide.min <= narrow.min and narrow.max <= wide.max
    return wide.is_float and (narrow.is_int or narrow.bits < wide.bits)
