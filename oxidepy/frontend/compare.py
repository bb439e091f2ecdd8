"""Comparisons: chains, `in`, `is`."""

from __future__ import annotations

import ast
import enum
import operator
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from oxidepy.frontend.control import branch
from oxidepy.frontend.convert import Operand, source
from oxidepy.frontend.dispatch import expression, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.methods import class_of, no_operator, operated, special
from oxidepy.frontend.operators import binary, settled
from oxidepy.frontend.pairs import is_pair
from oxidepy.frontend.places import meets, one_axis, whole, within
from oxidepy.frontend.pointers import compared
from oxidepy.frontend.values import (
    Cell,
    Front,
    Literal,
    NoneValue,
    RangeValue,
    Run,
    SliceValue,
    Static,
    StructValue,
    Text,
    TupleValue,
    Typed,
    Weak,
    Witness,
    describe,
    enum_of,
    known_integer,
)
from oxidepy.ir.types import BOOL, SCALARS

OPERATIONS: dict[type[ast.cmpop], tuple[str, str, Callable[[Any, Any], bool]]] = {
    ast.Eq: ("==", "eq", operator.eq),
    ast.NotEq: ("!=", "ne", operator.ne),
    ast.Lt: ("<", "lt", operator.lt),
    ast.LtE: ("<=", "le", operator.le),
    ast.Gt: (">", "gt", operator.gt),
    ast.GtE: (">=", "ge", operator.ge),
}


@expression(ast.Compare)
def _compare(frame: Frame, node: ast.Compare) -> Front:
    left = (translate(frame, node.left), node.left)
    return _chain(frame, node, left, list(node.ops), list(node.comparators))


def _chain(frame: Frame, node: ast.Compare, left: Operand, ops: list[ast.cmpop], rest: list[ast.expr]) -> Front:
    """`a < b < c` is `a < b and b < c` with b computed once."""
    right = (translate(frame, rest[0]), rest[0])
    first = compare(frame, node, ops[0], left, right)
    if len(ops) == 1:
        return first
    if isinstance(first, Literal):
        return _chain(frame, node, right, ops[1:], rest[1:]) if first.value else first
    assert isinstance(first, Typed)
    value = branch(frame, first.value, lambda: _chain(frame, node, right, ops[1:], rest[1:]), lambda: Literal(False))
    assert value is not None
    return value


def compare(frame: Frame, node: ast.AST, op: ast.cmpop, left: Operand, right: Operand) -> Front:
    """One comparison of two values."""
    if isinstance(op, (ast.In, ast.NotIn)):
        return _negated(frame, contains(frame, node, left, right), isinstance(op, ast.NotIn))
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _negated(frame, _is(frame, node, left, right), isinstance(op, ast.IsNot))
    symbol, name, compute = OPERATIONS[type(op)]
    a, b = left[0], right[0]
    if isinstance(a, Literal) and isinstance(b, Literal) and isinstance(a.value, bool) == isinstance(b.value, bool):
        return Literal(bool(compute(a.value, b.value)))
    if isinstance(a, Text) and isinstance(b, Text):
        return Literal(bool(compute(a.value, b.value)))
    if isinstance(a, Static) and isinstance(b, Static) and symbol in ("==", "!="):
        return Literal((a.object == b.object) == (symbol == "=="))
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return _ordered(frame, node, op, _places(a.items, left[1]), _places(b.items, right[1]))
    if class_of(a) is not None or class_of(b) is not None:
        return _structs(frame, node, op, left, right)
    if is_pair(a) and is_pair(b) and isinstance(op, (ast.Eq, ast.NotEq)):
        assert isinstance(a, StructValue) and isinstance(b, StructValue)
        return _ordered(frame, node, op, _places(a.fields, left[1]), _places(b.fields, right[1]))
    for value, place in (left, right):
        if isinstance(value, Witness):
            raise frame.refuse(
                place,
                "OX0308",
                f"mismatched types: `{symbol}` takes numbers, and this is {describe(value)}",
                help=f"`{source(place)}.get()` is its number, and `{source(place)} in c` the bounds test",
            )
    left, right = compared(frame, node, symbol, left, right)
    scalar, (x, y) = settled(frame, node, (left, right), f"`{symbol}`")
    if scalar == BOOL and name not in ("eq", "ne"):
        raise frame.refuse(
            node, "OX0308", f"mismatched types: `{symbol}` is for numbers, and this is `bool`", help="use `and`, `or`, `not`"
        )
    if scalar.is_int and x.constant is not None and y.constant is not None:
        return Typed(frame.builder.const(BOOL, compute(x.constant, y.constant)))
    return Typed(frame.builder.value(name, x, y))


# ---- structs and tuples


def _structs(frame: Frame, node: ast.AST, op: ast.cmpop, left: Operand, right: Operand) -> Front:
    """By the methods of their class, or as the dataclass compares: field by field."""
    if (found := operated(frame, node, op, left, right)) is not None:
        return found
    if isinstance(op, ast.NotEq) and (found := operated(frame, node, ast.Eq(), left, right)) is not None:
        return _negated(frame, found, True)
    a, b = left[0], right[0]
    cls = class_of(a) or class_of(b)
    ways = getattr(cls, "__dataclass_params__", None)
    if ways is None or not (ways.eq if isinstance(op, (ast.Eq, ast.NotEq)) else ways.order):
        raise no_operator(frame, op, left, right)
    if not isinstance(a, StructValue) or not isinstance(b, StructValue) or a.layout != b.layout:
        symbol = OPERATIONS[type(op)][0]
        value, place = left if isinstance(a, StructValue) else right
        help = f"compare a field: `{source(place)}.{value.layout.fields[0].name}`" if isinstance(value, StructValue) else None
        raise frame.refuse(node, "OX0308", f"mismatched types: `{symbol}` on {describe(a)} and {describe(b)}", help=help)
    told = [one.compare for one in fields(cls)] if cls is not None and is_dataclass(cls) else []
    parts = [[one for one, counts in zip(value.fields, told, strict=True) if counts] for value in (a, b)]
    return _ordered(frame, node, op, _places(parts[0], left[1]), _places(parts[1], right[1]))


def _places(values: Sequence[Front], place: ast.AST) -> list[Operand]:
    nodes = place.elts if isinstance(place, ast.Tuple) and len(place.elts) == len(values) else [place] * len(values)
    return list(zip(values, nodes, strict=True))


def _ordered(frame: Frame, node: ast.AST, op: ast.cmpop, left: Sequence[Operand], right: Sequence[Operand]) -> Front:
    """As Python compares tuples: by the first items that are not equal, else by their number."""
    equality = isinstance(op, (ast.Eq, ast.NotEq))
    if equality and len(left) != len(right):
        return Literal(isinstance(op, ast.NotEq))
    result: Front = Literal(bool(OPERATIONS[type(op)][2](len(left), len(right))))
    strict = ast.Lt() if isinstance(op, (ast.Lt, ast.LtE)) else ast.Gt()
    for x, y in reversed(list(zip(left, right, strict=False))):
        if equality:
            result = joined(frame, compare(frame, node, op, x, y), result, "or" if isinstance(op, ast.NotEq) else "and")
        else:
            rest = joined(frame, compare(frame, node, ast.Eq(), x, y), result, "and")
            result = joined(frame, compare(frame, node, strict, x, y), rest, "or")
    return result


def joined(frame: Frame, one: Front, other: Front, op: str) -> Front:
    """`and` or `or` of two truth values that are there."""
    for known, rest in ((one, other), (other, one)):
        if isinstance(known, Literal):
            return known if bool(known.value) == (op == "or") else rest
    assert isinstance(one, Typed) and isinstance(other, Typed)
    return Typed(frame.builder.value(op, one.value, other.value))


def _negated(frame: Frame, value: Front, negate: bool) -> Front:
    if not negate:
        return value
    if isinstance(value, Literal):
        return Literal(not value.value)
    assert isinstance(value, Typed)
    return Typed(frame.builder.value("not", value.value))


def contains(frame: Frame, node: ast.AST, left: Operand, right: Operand) -> Front:
    """`idx in c`: the bounds test; `x in (1, 2)`: a comparison with each; `Flag.A in flags`: whether its bits are set."""
    value, place = left
    group = right[0]
    if isinstance(group, SliceValue):
        if isinstance(value, Run):
            one_axis(frame, place, group)
            if group.kind == "DisjointSlice":
                meets(frame, place, group, value)
            return Typed(whole(frame, group, value))
        if not isinstance(value, Witness):
            text, name = source(place), group.name
            help = f"write the test out: `0 <= {text} and {text} < len({name})`"
            raise frame.refuse(
                place, "OX0308", f"mismatched types: `in` a slice tests a `ThreadIndex`, and this is {describe(value)}", help=help
            )
        if group.kind == "DisjointSlice":
            meets(frame, place, group, value)
        return Typed(within(frame, group, value))
    if isinstance(group, RangeValue):
        return _in_range(frame, node, left, group, right[1])
    if isinstance(group, TupleValue):
        result: Front = Literal(False)
        for item in group.items:
            result = joined(frame, result, compare(frame, node, ast.Eq(), left, (item, right[1])), "or")
        return result
    if isinstance(value, Literal) and isinstance(value.member, enum.Flag) and isinstance(group, (Typed, Literal, Weak)):
        return compare(frame, node, ast.Eq(), (binary(frame, node, ast.BitAnd(), right, left), place), left)
    if (found := special(frame, node, group, "__contains__", (left,))) is not None:
        return found
    message = f"mismatched types: `in` takes a slice, a tuple or a range, and this is {describe(group)}"
    raise frame.refuse(right[1], "OX0308", message, help="write a tuple of what it may be, or compare with `==`")


def _in_range(frame: Frame, node: ast.AST, left: Operand, group: RangeValue, place: ast.AST) -> Front:
    """`n in range(0, m, 2)`: between the bounds, and a whole number of steps from the first."""
    step = known_integer(group.step)
    if step is None:
        message = "`in` a range whose step is known only at run time is not supported in kernels"
        raise frame.refuse(place, "OX0658", message, help="compare with its bounds")
    least, beyond = (ast.LtE(), ast.Lt()) if step > 0 else (ast.GtE(), ast.Gt())
    inside = joined(
        frame,
        compare(frame, node, least, (group.start, place), left),
        compare(frame, node, beyond, left, (group.stop, place)),
        "and",
    )
    if abs(step) == 1 or (isinstance(inside, Literal) and not inside.value):
        return inside
    scalar, (value, first) = settled(frame, node, (left, (group.start, place)), "`in`")
    builder, unsigned = frame.builder, SCALARS[f"u{scalar.bits}"]
    ends = (value, first) if step > 0 else (first, value)
    away = builder.value("sub", *(builder.value("cast", one, type=unsigned) for one in ends))  # exact, where it is between the bounds
    rest = builder.value("mod", away, builder.const(unsigned, abs(step)))
    return joined(frame, inside, Typed(builder.value("eq", rest, builder.const(unsigned, 0))), "and")


def _is(frame: Frame, node: ast.AST, left: Operand, right: Operand) -> Front:
    value = left[0]
    if enum_of(value) is not None and enum_of(value) is enum_of(right[0]):  # members are there once each
        return compare(frame, node, ast.Eq(), left, right)
    if isinstance(value, Static) and isinstance(right[0], Static):
        return Literal(value.object is right[0].object)
    if not isinstance(right[0], NoneValue):
        raise frame.refuse(
            node, "OX0658", "`is` is not supported in kernels, but for `is None` and members of enums", help="compare with `==`"
        )
    if isinstance(value, Cell):
        return Typed(frame.builder.value("not", value.inside))
    return Literal(isinstance(value, NoneValue))
