"""Python's built-in functions in kernels."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from oxidepy.frontend.calls import arguments, cast, keywords
from oxidepy.frontend.convert import Operand, constant, convert, kind_of, operands, settle, source, unify
from oxidepy.frontend.dispatch import call, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.iterate import one_by_one, same_length
from oxidepy.frontend.methods import bound
from oxidepy.frontend.methods import call as invoke
from oxidepy.frontend.operators import binary
from oxidepy.frontend.pairs import is_pair, lift, values_of
from oxidepy.frontend.static import members
from oxidepy.frontend.values import (
    Front,
    GridStride,
    Items,
    Literal,
    Number,
    RangeValue,
    Run,
    SliceValue,
    Text,
    TupleValue,
    Typed,
    Unrolled,
    Weak,
    Witness,
    describe,
)
from oxidepy.ir.types import BOOL, F32, I32

MANY = 1 << 20
MOST_UNROLLED = 1024  # rounds in one


@call("builtins.abs")
def _abs(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 1)
    if is_pair(value):
        return lift(frame, node, "`abs`", ((value, node.args[0]),), lambda parts: _size(frame, *parts[0]))
    if (method := bound(value, "__abs__")) is not None:
        return invoke(frame, node, method)
    return _size(frame, value, node.args[0])


def _size(frame: Frame, value: Front, place: ast.AST) -> Front:
    if isinstance(value, Literal) and not isinstance(value.value, bool):
        return Literal(abs(value.value))
    unify(frame, place, ((value, place),), "`abs`")
    if isinstance(value, Weak):
        return Weak(value.kind, lambda scalar: frame.builder.value("abs", value.make(scalar)), value.adopts)
    assert isinstance(value, (Typed, Literal))
    if isinstance(value, Literal) or value.type == BOOL:
        raise frame.refuse(place, "OX0308", "mismatched types: `abs` is for numbers, and this is `bool`")
    return value if not value.type.signed and value.type.is_int else Typed(frame.builder.value("abs", value.value))


@call("builtins.min")
def _min(frame: Frame, node: ast.Call) -> Front:
    return _least(frame, node, True)


@call("builtins.max")
def _max(frame: Frame, node: ast.Call) -> Front:
    return _least(frame, node, False)


def _least(frame: Frame, node: ast.Call, least: bool) -> Front:
    text = source(node.func).rpartition(".")[2]
    values = arguments(frame, node, 1, MANY)
    places: Sequence[ast.AST] = node.args
    if len(values) == 1:
        if not isinstance(values[0], TupleValue):
            raise frame.refuse(
                node,
                "OX0308",
                f"`{text}` of one value is of a tuple, and this is {describe(values[0])}",
                help=f"go through it in a loop: `for v in {source(node.args[0])}`"
                if isinstance(values[0], SliceValue)
                else f"give it two: `{text}(a, b)`",
            )
        values = list(values[0].items)
        places = [node.args[0]] * len(values)
    if not values:
        raise frame.refuse(node, "OX0308", f"`{text}` of an empty tuple")
    result: Operand = (values[0], places[0])
    for value, place in zip(values[1:], places[1:], strict=True):
        result = (_pair(frame, node, result, (value, place), least, text), node)
    return result[0]


def _pair(frame: Frame, node: ast.Call, left: Operand, right: Operand, least: bool, text: str) -> Front:
    a, b = left[0], right[0]
    if isinstance(a, Literal) and isinstance(b, Literal):
        return Literal(extreme(a.value, b.value, least))
    op = "min" if least else "max"
    if is_pair(a) or is_pair(b):
        return lift(frame, node, f"`{text}`", (left, right), lambda parts: _pair(frame, node, parts[0], parts[1], least, text))
    scalar = unify(frame, node, (left, right), f"`{text}`")
    if scalar is None:
        loose = [one for one in (a, b) if isinstance(one, (Literal, Weak))]
        adopts = any(isinstance(one, Weak) and one.adopts for one in loose)
        floats = any(kind_of(one) == "float" for one in loose)
        return Weak("float" if floats else "int", lambda wanted: frame.builder.value(op, *operands(frame, (left, right), wanted)), adopts)
    if scalar == BOOL:
        raise frame.refuse(
            node, "OX0308", f"mismatched types: `{text}` is for numbers, and this is `bool`", help=f"use `{'and' if least else 'or'}`"
        )
    return Typed(frame.builder.value(op, *operands(frame, (left, right), scalar)))


def extreme(a: Number, b: Number, least: bool) -> Number:
    """As the operation has it: NaN is ignored, -0 lies below +0."""
    if a != a or b != b:
        return b if a != a else a
    if a == b == 0:
        negative = math.copysign(1, a) < 0
        return a if negative == least else b
    return min(a, b) if least else max(a, b)


@call("builtins.round")
def _round(frame: Frame, node: ast.Call) -> Front:
    if len(node.args) == 2:
        raise frame.refuse(
            node.args[1], "OX0658", "`round` to a number of digits is not supported in kernels", help="scale, round, and scale back"
        )
    (value,) = arguments(frame, node, 1)
    if isinstance(value, Literal) and not isinstance(value.value, bool):
        return value if isinstance(value.value, int) else Literal(float(round(value.value)))
    if is_pair(value):
        return lift(frame, node, "`round`", ((value, node.args[0]),), lambda parts: Typed(frame.builder.value("rint", *values_of(parts))))
    unify(frame, node, ((value, node.args[0]),), "`round`")
    if isinstance(value, Weak):
        return value if value.kind == "int" else Weak("float", lambda scalar: frame.builder.value("rint", value.make(scalar)), value.adopts)
    if not isinstance(value, Typed) or value.type == BOOL:
        raise frame.refuse(node, "OX0308", "mismatched types: `round` is for numbers, and this is `bool`")
    return Typed(frame.builder.value("rint", value.value)) if value.type.is_float else value


@call("builtins.pow")
def _pow(frame: Frame, node: ast.Call) -> Front:
    if len(node.args) == 3:
        raise frame.refuse(node.args[2], "OX0658", "`pow` with a modulus is not supported in kernels", help="multiply and reduce in a loop")
    base, exponent = arguments(frame, node, 2)
    return binary(frame, node, ast.Pow(), (base, node.args[0]), (exponent, node.args[1]))


@call("builtins.divmod")
def _divmod(frame: Frame, node: ast.Call) -> Front:
    a, b = arguments(frame, node, 2)
    left, right = (a, node.args[0]), (b, node.args[1])
    return TupleValue((binary(frame, node, ast.FloorDiv(), left, right), binary(frame, node, ast.Mod(), left, right)))


@call("builtins.len")
def _len(frame: Frame, node: ast.Call) -> Front:
    (given,) = arguments(frame, node, 1)
    value = members(frame, node.args[0], given)
    if isinstance(value, SliceValue):
        return value.shape[0]
    if isinstance(value, TupleValue):
        return Literal(len(value.items))
    if isinstance(value, Text):
        return Literal(len(value.value))
    if isinstance(value, Run):
        return Literal(value.width)
    if isinstance(value, RangeValue) and value.literal is not None:
        return Literal(len(value.literal))
    if (method := bound(value, "__len__")) is not None:
        return invoke(frame, node, method)
    message = f"mismatched types: `len` takes a slice or a tuple, and this is {describe(value)}"
    raise frame.refuse(node.args[0], "OX0308", message, help="name the slice or tuple whose length is meant")


# ---- conversions


@call("builtins.int")
def _int(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 0, 1) or [Literal(0)]
    if isinstance(value, Text):
        return _parsed(frame, node, value.value, int)
    if isinstance(value, Literal):
        if isinstance(value.value, float) and value.value - value.value != 0:
            raise frame.refuse(node, "OX0308", f"mismatched types: {value.value} is no integer")
        return Literal(int(value.value))
    if isinstance(value, (Typed, Weak)) and (value.type.is_int if isinstance(value, Typed) else value.kind == "int"):
        return value
    return Typed(cast(frame, node, value, I32))


@call("builtins.float")
def _float(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 0, 1) or [Literal(0.0)]
    if isinstance(value, Text):
        return _parsed(frame, node, value.value, float)
    if isinstance(value, Literal):
        try:
            return Literal(float(value.value))
        except OverflowError:
            raise frame.refuse(node, "OX0308", "this literal fits no float") from None
    if isinstance(value, Weak):
        return Weak("float", value.make, value.adopts)
    if isinstance(value, Typed) and value.type.is_float:
        return value
    return Typed(cast(frame, node, value, F32))


def _parsed(frame: Frame, node: ast.Call, text: str, make: type[int] | type[float]) -> Front:
    try:
        return Literal(make(text))
    except ValueError:
        raise frame.refuse(node, "OX0308", f'`{make.__name__}("{text}")` is no number') from None


@call("builtins.bool")
def _bool(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 0, 1) or [Literal(False)]
    if isinstance(value, Literal):
        return Literal(bool(value.value))
    if isinstance(value, Typed) and value.type == BOOL:
        return value
    unify(frame, node, ((value, node.args[0]),), "`bool`")
    number = settle(frame, value)
    if isinstance(number, Weak):
        return Typed(frame.builder.value("cast", number.make(I32 if number.kind == "int" else F32), type=BOOL))
    assert isinstance(number, Typed)
    return Typed(frame.builder.value("cast", number.value, type=BOOL))


# ---- what loops go through


_STEP = "leave it out, or write how far it is to the next number"


@call("builtins.range")
def _range(frame: Frame, node: ast.Call) -> Front:
    given = arguments(frame, node, 1, 3)
    places: list[ast.AST] = list(node.args)
    if len(given) == 1:
        given, places = [Literal(0), *given], [node, *places]
    if len(given) == 2:
        given, places = [*given, Literal(1)], [*places, node]
    bounds = list(zip(given, places, strict=True))
    for value, place in bounds:
        _integer(frame, place, value)
    scalar = unify(frame, node, bounds, "`range`")
    known = [value for value in given if isinstance(value, Literal)]
    if scalar is None and len(known) == 3:
        if known[2].value == 0:
            raise frame.refuse(node, "OX0308", "the step of `range` is 0", help=_STEP)
        return RangeValue(*known)
    start, stop, step = operands(frame, bounds, scalar or I32)
    if step.constant == 0:
        raise frame.refuse(node, "OX0308", "the step of `range` is 0", help=_STEP)
    if step.constant is None:
        frame.builder.check(frame.builder.value("ne", step, constant(frame, step.scalar, 0)), "OX7002", "the step of `range` is 0")
    return RangeValue(Typed(start), Typed(stop), Typed(step))


def _integer(frame: Frame, place: ast.AST, value: Front) -> None:
    good = (
        (isinstance(value, Typed) and value.type.is_int)
        or (isinstance(value, Weak) and value.kind == "int")
        or (isinstance(value, Literal) and isinstance(value.value, int) and not isinstance(value.value, bool))
    )
    if not good:
        help = f"convert it: `i32({source(place)})`" if isinstance(value, (Typed, Literal, Weak)) else None
        if isinstance(value, Witness):
            help = f"`{source(place)}.get()` is its number"
        raise frame.refuse(place, "OX0308", f"mismatched types: `range` takes integers, and this is {describe(value)}", help=help)


def _iterable(frame: Frame, place: ast.AST, value: Front, what: str) -> Front:
    value = members(frame, place, value)
    if isinstance(value, (RangeValue, TupleValue, Items)):
        return value
    if isinstance(value, SliceValue):
        one_by_one(frame, place, value)
        return value
    shown = "an index range of `grid_stride`" if isinstance(value, GridStride) else describe(value)
    raise frame.refuse(
        place,
        "OX0308",
        f"mismatched types: `{what}` takes ranges, tuples and slices, and this is {shown}",
        help=f"write `unroll` around `{what}`" if isinstance(value, Unrolled) and what != "unroll" else _ranged(what, place, value),
    )


def _ranged(what: str, place: ast.AST, value: Front) -> str | None:
    counted = value.type.is_int if isinstance(value, Typed) else isinstance(value, (Literal, Weak)) and kind_of(value) == "int"
    return f"write `{what}(range({source(place)}))`" if counted else None


@call("builtins.enumerate")
def _enumerate(frame: Frame, node: ast.Call) -> Front:
    values = arguments(frame, node, 1, 2, keywords=("start",))
    inner = _iterable(frame, node.args[0], values[0], "enumerate")
    start: Front = values[1] if len(values) == 2 else Literal(0)
    place: ast.AST = node.args[-1]
    for keyword in node.keywords:
        start, place = translate(frame, keyword.value), keyword.value
    if node.keywords or len(values) == 2:
        _integer(frame, place, start)
    if isinstance(start, Weak):
        start = Typed(convert(frame, place, start, I32, "the start of `enumerate`"))
    return Items("enumerate", (inner,), start)


@call("builtins.zip")
def _zip(frame: Frame, node: ast.Call) -> Front:
    values = arguments(frame, node, 1, MANY, keywords=("strict",))
    made = Items("zip", tuple(_iterable(frame, place, value, "zip") for place, value in zip(node.args, values, strict=True)))
    strict, place = keywords(frame, node).get("strict", (Literal(False), node))
    if not isinstance(strict, Literal) or not isinstance(strict.value, bool):
        raise frame.refuse(
            place, "OX0308", f"mismatched types: `strict` is a truth value known at compile time, and this is {describe(strict)}"
        )
    if strict.value:
        same_length(frame, node, made)
    return made


@call("builtins.reversed")
def _reversed(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 1)
    inner = _iterable(frame, node.args[0], value, "reversed")
    if isinstance(inner, Items):
        raise frame.refuse(node.args[0], "OX0308", f"mismatched types: `reversed` takes a range or a tuple, and this is {describe(inner)}")
    return Items("reversed", (inner,))


@call("unroll")
def _unroll(frame: Frame, node: ast.Call) -> Front:
    value, *factor = arguments(frame, node, 1, 2)
    if not factor:
        return Unrolled(_iterable(frame, node.args[0], value, "unroll"))
    inner = value if isinstance(value, GridStride) else _iterable(frame, node.args[0], value, "unroll")
    return Unrolled(inner, _factor(frame, node, factor[0]))


def _factor(frame: Frame, node: ast.Call, factor: Front) -> int:
    """How many rounds of `unroll(…, 4)` are written out in one."""
    if not isinstance(factor, Literal) or not isinstance(factor.value, int) or not 2 <= factor.value <= MOST_UNROLLED:
        message = f"the second argument of `unroll` is {describe(factor)}"
        raise frame.refuse(node.args[1], "OX0308", message, help=f"it is from 2 to {MOST_UNROLLED}, known at compile time")
    return factor.value
