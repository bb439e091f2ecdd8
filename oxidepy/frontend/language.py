"""Names of the kernel language that are called: index makers, `unsafe`, `static_assert`, `bits`, small integer functions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import constant, convert, integral, settle, source, unify
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.domain import domain_is
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.operators import nonzero, settled
from oxidepy.frontend.pairs import of_word, word
from oxidepy.frontend.places import widen
from oxidepy.frontend.runs import stride
from oxidepy.frontend.values import (
    NONE,
    Front,
    GridStride,
    Guard,
    Literal,
    SliceValue,
    StructValue,
    Text,
    TupleValue,
    Typed,
    Witness,
    describe,
    known_number,
)
from oxidepy.ir.core import Value
from oxidepy.ir.types import BOOL, I64, PAIRS, SCALARS, U32, Scalar
from oxidepy.lang.definition import IndexSpace
from oxidepy.lang.scalars import scalar_of
from oxidepy.lang.structs import layout_of

# ---- indices that no other thread has


@call("thread.index_1d")
def _index_1d(frame: Frame, node: ast.Call) -> Front:
    arguments(frame, node, 0)
    domain_is(frame, node, 1)
    index = frame.lowering.intrinsic("thread.global_id.x")
    return Witness(IndexSpace("Index1D"), index, index)


@call("thread.index_2d")
def _index_2d(frame: Frame, node: ast.Call) -> Front:
    (width,) = arguments(frame, node, 1)
    domain_is(frame, node, 2)
    place = node.args[0]
    value = convert(frame, place, width, frame.lowering.coordinate, "the width")
    known = value.constant
    if known is not None and known <= 0:
        raise frame.refuse(place, "OX0308", f"a row of width {known} has no elements")
    return _rows(frame, IndexSpace("Index2D", None if known is None else int(known)), value)


@call("thread.index_2d_runtime")
def _index_2d_runtime(frame: Frame, node: ast.Call) -> Front:
    (slice,) = arguments(frame, node, 1)
    domain_is(frame, node, 2)
    place = node.args[0]
    if not isinstance(slice, SliceValue) or slice.rank != 2:
        help = "annotate it as `DisjointSlice[T, Runtime2D]`, or give `thread.index_2d` a width"
        raise frame.refuse(
            place, "OX0308", f"mismatched types: `index_2d_runtime` takes a slice of two axes, and this is {describe(slice)}", help=help
        )
    return _rows(frame, IndexSpace("Runtime2D"), slice.lengths[1])


def _rows(frame: Frame, space: IndexSpace, width: Value) -> Witness:
    """Row along y, column along x; the linear index is exact in i64."""
    lowering, builder = frame.lowering, frame.builder
    row, col = lowering.intrinsic("thread.global_id.y"), lowering.intrinsic("thread.global_id.x")
    wide = builder.value("add", builder.value("mul", widen(frame, row, I64), widen(frame, width, I64)), widen(frame, col, I64))
    return Witness(space, widen(frame, wide, lowering.coordinate), wide, row, col, width)


@call("thread.grid_stride")
def _grid_stride(frame: Frame, node: ast.Call) -> Front:
    (slice,) = arguments(frame, node, 1)
    domain_is(frame, node, 1)
    if not isinstance(slice, SliceValue):
        raise frame.refuse(node.args[0], "OX0308", f"mismatched types: `grid_stride` takes a slice, and this is {describe(slice)}")
    if slice.space is not None and slice.space.kind == "Runs":
        return stride(frame, slice)
    if slice.space is not None and slice.space.kind != "Index1D":
        raise frame.refuse(
            node.args[0],
            "OX0308",
            f"mismatched types: `grid_stride` makes a `ThreadIndex[Index1D]`, and `{slice.name}` is indexed by `{slice.space}`",
        )
    lowering = frame.lowering
    start, step = lowering.intrinsic("thread.global_id.x"), lowering.intrinsic("grid.size")
    return GridStride(start, slice.lengths[0], step, lambda _, index: Witness(IndexSpace("Index1D"), index, index))


# ---- what a kernel says to its compiler


@call("unsafe")
def _unsafe(frame: Frame, node: ast.Call) -> Front:
    given = arguments(frame, node, 0, 1)
    reason = given[0] if given else None
    if not isinstance(reason, Text) or not reason.value.strip():
        raise frame.refuse(
            node, "OX0133", "`unsafe` needs the reason why this holds, as a constant string", help='write `with unsafe("why this holds"):`'
        )
    return Guard(reason.value)


@call("static_assert")
def _static_assert(frame: Frame, node: ast.Call) -> Front:
    flag, *rest = arguments(frame, node, 1, 2)
    place = node.args[0]
    known = known_number(flag)
    if not isinstance(known, bool):
        what = "known at compile time" if isinstance(flag, Typed) else "a truth value"
        raise frame.refuse(
            place,
            "OX0308",
            f"the condition of `static_assert` is not {what}",
            help="use constants of the module and `Const` parameters, or write `assert`",
        )
    text = rest[0].value if rest and isinstance(rest[0], Text) else source(place)
    if not known:
        raise frame.refuse(node, "OX7002", f"static assertion failed: {text}", label=f"`{source(place)}` is false")
    return NONE


@call("require")
def _require(frame: Frame, node: ast.Call) -> Front:
    help = "move it to the top of the kernel; for a condition known only inside write `assert`"
    raise frame.refuse(node, "OX2001", "`require` stands behind other statements, or outside of the kernel itself", help=help)


# ---- integers


def _integer(frame: Frame, node: ast.Call, value: Front, place: ast.AST) -> Value:
    unify(frame, node, ((value, place),), f"`{source(node.func)}`")
    number = settle(frame, value)
    if not isinstance(number, Typed) or not number.type.is_int:
        message = f"mismatched types: `{source(node.func)}` takes an integer, and this is {describe(value)}"
        raise frame.refuse(place, "OX0308", message, help=integral(place, number))
    return number.value


def _bits(op: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        (value,) = arguments(frame, node, 1)
        return Typed(frame.builder.value(op, _integer(frame, node, value, node.args[0])))

    return handler


for _op in ("popcount", "clz", "ctz", "brev"):
    call(f"bits.{_op}")(_bits(_op))


@call("bits.mul_hi")
def _mul_hi(frame: Frame, node: ast.Call) -> Front:
    a, b = arguments(frame, node, 2)
    both = ((a, node.args[0]), (b, node.args[1]))
    scalar = unify(frame, node, both, "`mul_hi`")
    first = _integer(frame, node, Typed(convert(frame, node.args[0], a, scalar, "this")) if scalar else a, node.args[0])
    return Typed(frame.builder.value("mulhi", first, convert(frame, node.args[1], b, first.scalar, "the other side")))


@call("bits.mul_wide")
def _mul_wide(frame: Frame, node: ast.Call) -> Front:
    """The lower half unsigned, the upper half in the type of the factors."""
    both = tuple(zip(arguments(frame, node, 2), node.args, strict=True))
    scalar, (x, y) = settled(frame, node, both, "`mul_wide`")
    if not scalar.is_int:
        raise frame.refuse(node, "OX0308", f"mismatched types: `mul_wide` is for integers, and this is `{scalar}`")
    builder, unsigned = frame.builder, SCALARS[f"u{scalar.bits}"]
    low = builder.value("mul", x, y)
    return TupleValue((Typed(builder.value("cast", low, type=unsigned)), Typed(builder.value("mulhi", x, y))))


@call("bits.cast")
def _bit_cast(frame: Frame, node: ast.Call) -> Front:
    kind, value = arguments(frame, node, 2)
    layout = layout_of(getattr(kind, "object", None))
    if isinstance(value, StructValue) and value.layout in PAIRS:
        value = Typed(word(frame, value))
    if layout in PAIRS:
        if isinstance(value, Typed) and value.type.bits == U32.bits and value.type not in (U32, BOOL):
            value = Typed(frame.builder.value("bitcast", value.value, type=U32))
        return of_word(frame, layout, convert(frame, node.args[1], value, U32, "what `bits.cast` takes for a pair"))
    scalar = scalar_of(getattr(kind, "object", None))
    if scalar is None or scalar == BOOL:
        raise frame.refuse(node.args[0], "OX0308", "the first argument of `bits.cast` is a scalar type", help="write `bits.cast(u32, x)`")
    unify(frame, node, ((value, node.args[1]),), "`bits.cast`")
    number = settle(frame, value)
    if not isinstance(number, Typed) or number.type.bits != scalar.bits or number.type == BOOL:
        message = f"mismatched types: `{scalar}` has {scalar.bits} bits, and this is {describe(value)}"
        own = number.type.bits if isinstance(number, Typed) and number.type != BOOL else 32
        raise frame.refuse(node.args[1], "OX0308", message, help=f"take as many bits, `u{own}` or `i{own}`, and convert the result")
    return number if number.type == scalar else Typed(frame.builder.value("bitcast", number.value, type=scalar))


@call("cdiv")
def _cdiv(frame: Frame, node: ast.Call) -> Front:
    a, b = arguments(frame, node, 2)
    if isinstance(a, Literal) and isinstance(b, Literal) and isinstance(a.value, int) and isinstance(b.value, int) and b.value:
        return Literal(-(-a.value // b.value))
    scalar, (x, y) = settled(frame, node, ((a, node.args[0]), (b, node.args[1])), "`cdiv`")
    if not scalar.is_int:
        raise frame.refuse(node, "OX0308", f"mismatched types: `cdiv` is for integers, and this is `{scalar}`")
    nonzero(frame, y)
    builder = frame.builder
    rest = builder.value("ne", builder.value("mod", x, y), builder.const(scalar, 0))
    return Typed(builder.value("add", builder.value("floordiv", x, y), builder.value("cast", rest, type=scalar)))


@call("next_power_of_2")
def _next_power_of_2(frame: Frame, node: ast.Call) -> Front:
    (value,) = arguments(frame, node, 1)
    if isinstance(value, Literal) and isinstance(value.value, int):
        return Literal(1 if value.value <= 1 else 1 << (value.value - 1).bit_length())
    number = _integer(frame, node, value, node.args[0])
    builder, scalar = frame.builder, number.scalar
    one = builder.const(scalar, 1)
    zeros = builder.value("clz", builder.value("sub", number, one))
    power = builder.value("shl", one, builder.value("sub", _width(frame, scalar), zeros))
    return Typed(builder.value("select", builder.value("le", number, one), one, power, type=scalar))


def _width(frame: Frame, scalar: Scalar) -> Value:
    return constant(frame, scalar, scalar.bits)
