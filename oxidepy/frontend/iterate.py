"""What a `for` goes through: ranges and tuples, `enumerate`, `zip`, `reversed`, `unroll`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from oxidepy.frontend.convert import constant, convert, problem, source
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import Place, load, plain, position, widen
from oxidepy.frontend.static import members
from oxidepy.frontend.values import Front, GridStride, Items, Literal, RangeValue, Run, SliceValue, TupleValue, Typed, Unrolled, describe
from oxidepy.ir.core import Value
from oxidepy.ir.record import record
from oxidepy.ir.types import I32, U64

MOST_WRITTEN = 4096  # rounds that are written out at most


@record
class Counted:
    """A loop at run time. `item` makes what the target gets from the counter. `certain`: it surely runs; `empty`: it surely does not."""

    start: Value
    stop: Value
    step: Value
    positive: bool
    item: Callable[[Frame, Value], Front]
    certain: bool = False
    empty: bool = False
    unroll: int = 1  # rounds that are written out in one


@record
class Written:
    """Rounds that are written out. `literal`: their items are literals, not variables."""

    items: Sequence[Front]
    literal: bool


def iteration(frame: Frame, node: ast.AST, value: Front) -> Counted | Written:
    """How a `for` over `value` runs. OX0308 if it cannot be gone through."""
    value = members(frame, node, value)
    if isinstance(value, Unrolled) and value.factor is not None:
        rounds = iteration(frame, node, value.inner)
        if isinstance(rounds, Written):
            raise frame.refuse(
                node, "OX0308", "the rounds over a tuple are all written out", help="leave the second argument of `unroll` out"
            )
        return replace(rounds, unroll=value.factor)
    if isinstance(value, Unrolled):
        items = _unrolled(frame, node, value.inner)
        return iteration(frame, node, value.inner) if items is None else Written(items, True)
    if isinstance(value, GridStride):
        return Counted(value.start, value.stop, value.step, True, value.item)
    if isinstance(value, RangeValue):
        return _range(frame, node, value)
    if isinstance(value, TupleValue):
        return Written(value.items, False)
    if isinstance(value, SliceValue):
        return _elements(frame, node, value)
    if isinstance(value, Items):
        count = length(value)
        if count is not None and (_has_tuple(value) or count == 0):
            return Written([item_at(frame, value, position) for position in range(count)], False)
        if _has_tuple(value):
            raise frame.refuse(
                node,
                "OX0658",
                "`zip` of a tuple and a range known only at run time is not supported in kernels",
                help="index the tuple by the counter",
            )
        return _counted_items(frame, value, count)
    raise frame.refuse(
        node,
        "OX0308",
        f"mismatched types: a `for` goes through a range or a tuple, and this is {describe(value)}",
        help="write `for idx in run.clip(c)`" if isinstance(value, Run) else "write `for i in range(...)`",
    )


def _unrolled(frame: Frame, node: ast.AST, inner: Front) -> list[Front] | None:
    """The rounds, or None and a warning (OX9002) where they cannot be written out: the loop stays one."""
    count = length(inner)
    if count is None and _has_tuple(inner):
        return None  # which is refused in any case
    if count is None:
        why, help = (
            "how many rounds it has is known only at run time",
            f"write some rounds in one, `{_in_part(node)}`, or make its bounds constants",
        )
    elif count > MOST_WRITTEN:
        why, help = (
            f"it has {count} rounds",
            f"at most {MOST_WRITTEN} rounds are written out; unroll a loop inside of it, or leave `unroll` out",
        )
    else:
        return [item_at(frame, inner, position) for position in range(count)]
    not_unrolled(frame, node, why, help)
    return None


def _in_part(node: ast.AST) -> str:
    """`unroll(range(n), 4)`, of `unroll(range(n))`."""
    assert isinstance(node, ast.expr)
    return f"{source(node).removesuffix(')')}, 4)" if isinstance(node, ast.Call) else "unroll(range(n), 4)"


def not_unrolled(frame: Frame, node: ast.AST, why: str, help: str) -> None:
    """The warning OX9002: what `unroll` asked for is not done."""
    frame.report(replace(frame.refuse(node, "OX9002", f"this loop is not unrolled: {why}", help=help).diagnostic, severity="warning"))


def _range(frame: Frame, node: ast.AST, value: RangeValue) -> Counted:
    known = value.literal
    if known is not None:
        parts = (value.start, value.stop, value.step)
        for part in parts:
            assert isinstance(part, Literal)
            if (why := problem(part, I32)) is not None:
                raise frame.refuse(
                    node,
                    "OX0308",
                    f"mismatched types: a range of literals is of `i32`, and {why}",
                    help="give one bound its type, such as `i64(...)`",
                )
        start, stop, step = (constant(frame, I32, number) for number in (known.start, known.stop, known.step))
        return Counted(start, stop, step, known.step > 0, _same, len(known) > 0, len(known) == 0)
    start, stop, step = (
        part.value if isinstance(part, Typed) else constant(frame, I32, part.value) for part in (value.start, value.stop, value.step)
    )
    up = step.constant
    return Counted(start, stop, step, not step.scalar.signed or (up is not None and up > 0), _same)


def _elements(frame: Frame, node: ast.AST, slice: SliceValue) -> Counted:
    """The elements of a slice of one axis, each read when its round comes."""
    one_by_one(frame, node, slice)
    builder, coordinate = frame.builder, frame.lowering.coordinate
    stop = widen(frame, slice.lengths[0], coordinate)
    known = length(slice)
    return Counted(
        builder.const(coordinate, 0),
        stop,
        builder.const(coordinate, 1),
        True,
        lambda inner, at: _item(inner, slice, at),
        bool(known),
        known == 0,
    )


def one_by_one(frame: Frame, node: ast.AST, slice: SliceValue) -> None:
    """OX0308 for slices that have no one order of elements that everybody may read."""
    plain(frame, node, slice)
    if slice.kind == "DisjointSlice":
        message = f"`{slice.name}` is a `DisjointSlice`, of which a thread has its own elements alone"
        raise frame.refuse(node, "OX0308", message, help=f"write `for idx in thread.grid_stride({slice.name})`")
    if slice.rank != 1:
        help = f"go through its rows: `for i in range(len({slice.name}))`, `{slice.name}.row(i)`"
        raise frame.refuse(node, "OX0308", f"`{slice.name}` has {slice.rank} axes, and a `for` goes through one", help=help)


def _same(_: Frame, counter: Value) -> Front:
    return Typed(counter)


# ---- positions inside


def length(value: Front) -> int | None:
    """How many items, where that is known at compile time."""
    if isinstance(value, TupleValue):
        return len(value.items)
    if isinstance(value, RangeValue):
        return None if value.known is None else len(value.known)
    if isinstance(value, SliceValue):
        known_length = value.lengths[0].constant
        return None if known_length is None else int(known_length)
    if isinstance(value, Items):
        counts = [length(one) for one in value.inner]
        known = [one for one in counts if one is not None]
        return min(known, default=0) if len(known) == len(counts) else None
    return None


def _has_tuple(value: Front) -> bool:
    return isinstance(value, TupleValue) or (isinstance(value, Items) and any(_has_tuple(one) for one in value.inner))


def item_at(frame: Frame, value: Front, place: int) -> Front:
    """The item at a position known at compile time."""
    if isinstance(value, TupleValue):
        return value.items[place]
    if isinstance(value, RangeValue):
        assert value.known is not None
        at = value.known[place]
        return Typed(frame.builder.const(value.stop.type, at)) if isinstance(value.stop, Typed) else Literal(at)
    if isinstance(value, SliceValue):
        return _item(frame, value, frame.builder.const(frame.lowering.coordinate, place))
    assert isinstance(value, Items)
    if value.kind == "reversed":
        (inner,) = value.inner
        count = length(inner)
        assert count is not None
        return item_at(frame, inner, count - 1 - place)
    items = tuple(item_at(frame, one, place) for one in value.inner)
    if value.kind == "enumerate":
        start = value.start
        number: Front = Literal(start.value + place) if isinstance(start, Literal) else _plus(frame, start, place)
        return TupleValue((number, *items))
    return TupleValue(items)


def _plus(frame: Frame, start: Front, position: int) -> Front:
    scalar = start.type if isinstance(start, Typed) else I32
    base = convert(frame, frame.parsed.node, start, scalar, "the start of `enumerate`")
    return Typed(frame.builder.value("add", base, constant(frame, scalar, position)))


def _counted_items(frame: Frame, value: Items, known: int | None) -> Counted:
    """A loop over positions, from which the items are made."""
    builder = frame.builder
    scalar = I32 if known is not None and known <= I32.max else frame.lowering.coordinate if _only_slices(value) else U64
    stop = constant(frame, scalar, known) if known is not None else widen(frame, _count(frame, value), scalar)
    return Counted(
        builder.const(scalar, 0), stop, builder.const(scalar, 1), True, lambda inner, counter: _item(inner, value, counter), bool(known)
    )


def same_length(frame: Frame, node: ast.AST, value: Items) -> None:
    """`zip(…, strict=True)`: all have as many items as the first, which is checked where it is not known (OX7002)."""
    first, *others = value.inner
    for other in others:
        one, two = length(first), length(other)
        if one is not None and two is not None:
            if one != two:
                raise frame.refuse(node, "OX0308", f"mismatched types: `zip` with `strict=True` of {one} and {two} items")
            continue
        agree = frame.builder.value("eq", *(widen(frame, _items(frame, part), U64) for part in (first, other)))
        frame.builder.check(agree, "OX7002", "the parts of `zip` are not equally long")


def _items(frame: Frame, value: Front) -> Value:
    known = length(value)
    return frame.builder.const(U64, known) if known is not None else _count(frame, value)


def _only_slices(value: Front) -> bool:
    """Whether there are no more rounds than coordinates count."""
    return isinstance(value, SliceValue) or (isinstance(value, Items) and any(_only_slices(one) for one in value.inner))


def _count(frame: Frame, value: Front) -> Value:
    """How many items, as a u64 that is exact for every range."""
    builder = frame.builder
    if isinstance(value, Items):
        counts = [_count(frame, one) for one in value.inner]
        total = counts[0]
        for other in counts[1:]:
            total = builder.value("min", total, other)
        return total
    if isinstance(value, SliceValue):
        return widen(frame, value.lengths[0], U64)
    assert isinstance(value, RangeValue)
    if value.literal is not None:
        return builder.const(U64, len(value.literal))
    start, stop, step = _bounds(frame, value)
    zero, one = builder.const(U64, 0), builder.const(U64, 1)
    wide_start, wide_stop, wide_step = (builder.value("cast", part, type=U64) for part in (start, stop, step))

    def distance(further: Value, last: Value, ahead: Value) -> Value:
        return builder.value("select", ahead, builder.value("sub", last, further), zero, type=U64)

    up = distance(wide_start, wide_stop, builder.value("lt", start, stop))
    down = distance(wide_stop, wide_start, builder.value("lt", stop, start))
    rising = builder.value("gt", step, builder.const(step.scalar, 0))
    way = builder.value("select", rising, up, down, type=U64)
    size = builder.value("select", rising, wide_step, builder.value("neg", wide_step), type=U64)
    rounds = builder.value("add", builder.value("floordiv", builder.value("sub", way, one), size), one)
    return builder.value("select", builder.value("eq", way, zero), zero, rounds, type=U64)


def _bounds(frame: Frame, value: RangeValue) -> tuple[Value, Value, Value]:
    scalar = next((part.type for part in (value.start, value.stop, value.step) if isinstance(part, Typed)), I32)
    start, stop, step = (convert(frame, frame.parsed.node, part, scalar, "the range") for part in (value.start, value.stop, value.step))
    return start, stop, step


def _item(frame: Frame, value: Front, counter: Value) -> Front:
    builder = frame.builder
    if isinstance(value, SliceValue):
        at = position(frame, value, (widen(frame, counter, frame.lowering.coordinate),))
        return load(frame, frame.parsed.node, Place(value, at, value.element))
    if isinstance(value, RangeValue):
        start, _, step = _bounds(frame, value)
        number = widen(frame, counter, start.scalar)
        return Typed(builder.value("add", start, builder.value("mul", number, step)))
    assert isinstance(value, Items)
    if value.kind == "reversed":
        (inner,) = value.inner
        known = length(inner)
        count = constant(frame, counter.scalar, known) if known is not None else widen(frame, _count(frame, inner), counter.scalar)
        last = builder.value("sub", count, builder.const(counter.scalar, 1))
        return _item(frame, inner, builder.value("sub", last, counter))
    items = tuple(_item(frame, one, counter) for one in value.inner)
    if value.kind == "zip":
        return TupleValue(items)
    scalar = value.start.type if isinstance(value.start, Typed) else I32
    base = convert(frame, frame.parsed.node, value.start, scalar, "the start of `enumerate`")
    return TupleValue((Typed(builder.value("add", base, widen(frame, counter, scalar))), *items))
