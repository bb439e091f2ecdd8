"""Elements of slices: which one is meant, whether it is inside, and how it is read and written."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from oxidepy.diagnostics.names import suggest
from oxidepy.frontend.convert import cast_text, constant, convert, source
from oxidepy.frontend.dispatch import translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.pairs import both
from oxidepy.frontend.report import Poisoned
from oxidepy.frontend.values import (
    NONE,
    Cell,
    Front,
    Literal,
    PointerValue,
    Run,
    SliceValue,
    StructValue,
    TupleValue,
    Typed,
    Weak,
    Witness,
    composed,
    describe,
    known_integer,
)
from oxidepy.ir.core import Op, Value
from oxidepy.ir.record import record
from oxidepy.ir.types import I32, I64, PAIRS, U64, Element, Field, Members, Scalar, Struct

BOUNDS = "OX7001"
BARRIERS = "Barriers"  # the kind of an array of barriers
UNGUARDED = "OX5002"


@record
class Place:
    """A scalar or struct inside an element: `index` counts elements, `offset` bytes in one. It is known to be inside.

    With `count`, that many neighbouring elements, which are read and written as a tuple.
    """

    slice: SliceValue | PointerValue
    index: Value
    element: Element
    offset: int = 0
    count: int | None = None
    enum: Members | None = None  # of whose members the scalar is one

    def field(self, frame: Frame, node: ast.Attribute) -> Place:
        """The field of a struct at this place. OX0425 if it has none of that name."""
        layout = self.element
        assert isinstance(layout, Struct)
        for one in layout.fields:
            if one.name == node.attr:
                return self.part(one)
        raise no_field(frame, node, layout)

    def item(self, frame: Frame, node: ast.Subscript, index: Front) -> Place | None:
        """The item of an array at this place, if the index is known now. OX5001, OX5003 where there is none."""
        layout = self.element
        known = known_integer(index)
        if not isinstance(layout, Struct) or not layout.is_array or known is None:
            return None
        text = source(node.value)
        if known < 0:
            raise negative(frame, node.slice, text)
        if known >= len(layout.fields):
            raise frame.refuse(node.slice, "OX5001", f"index {known} is outside of `{text}`, which has {len(layout.fields)} items")
        return self.part(layout.fields[known])

    def part(self, field: Field) -> Place:
        return replace(self, element=field.type, offset=self.offset + field.offset, enum=field.enum)


def no_field(frame: Frame, node: ast.Attribute, layout: Struct) -> Exception:
    members = [one for base in (layout.python.__mro__[:-1] if layout.python else ()) for one in vars(base) if not one.startswith("_")]
    return no_such_field(frame, node, layout, node.attr, members)


def no_such_field(frame: Frame, node: ast.AST, layout: Struct, name: str, members: Sequence[str] = ()) -> Exception:
    """OX0425. `members`: what the struct's class has beside its fields."""
    names = [one.name for one in layout.fields]
    close = suggest(name, [*names, *members])
    help = f"did you mean `{close}`?" if close else "its fields are " + ", ".join(f"`{one}`" for one in names)
    return frame.refuse(node, "OX0425", f"`{layout.name}` has no field `{name}`", help=help)


# ---- reading and writing


def load(frame: Frame, node: ast.AST, place: Place) -> Front:
    """The value at a place; of a struct each scalar by itself."""
    if place.count is not None:
        return TupleValue(tuple(load(frame, node, one) for one in neighbours(frame, place)))
    element = place.element
    if isinstance(element, Struct):
        parts = [place.part(one) for one in element.fields]
        if element in PAIRS:
            return composed(element, both(frame, lambda number: load(frame, node, parts[number])))
        return composed(element, [load(frame, node, one) for one in parts])
    beyond(frame, node, place.slice)
    op = frame.builder.emit("load", (place.slice.memory, place.index), (element,), {"offset": place.offset})
    vouch(frame, op, place)
    return Typed(op.result, place.enum or place.slice.enum)


def store(frame: Frame, node: ast.AST, place: Place, value: Front, value_node: ast.AST) -> None:
    """Write a value to a place of an exclusive slice."""
    if place.count is not None:
        _store_run(frame, node, place, value, value_node)
        return
    element = place.element
    what = f"the element of `{place.slice.name}`"
    if isinstance(element, Struct):
        fields = _fields(value, element)
        if fields is None:
            raise frame.refuse(
                value_node, "OX0308", f"mismatched types: `{element.name}` and {describe(value)}", label=f"{what} is `{element.name}`"
            )
        parts = [replace(place, element=one.type, offset=place.offset + one.offset) for one in element.fields]

        def part(number: int) -> Front:
            store(frame, node, parts[number], fields[number], value_node)
            return NONE

        if element in PAIRS:
            both(frame, part)
            return
        for field in range(len(parts)):
            part(field)
        return
    beyond(frame, node, place.slice)
    number = convert(frame, value_node, value, element, what)
    vouch(frame, frame.builder.emit("store", (place.slice.memory, place.index, number), (), {"offset": place.offset}), place)


def neighbours(frame: Frame, place: Place) -> list[Place]:
    """The elements of a place that is several."""
    builder, scalar = frame.builder, place.index.scalar
    numbers = [place.index, *(builder.value("add", place.index, builder.const(scalar, k)) for k in range(1, place.count or 1))]
    return [replace(place, index=number, count=None) for number in numbers]


def _store_run(frame: Frame, node: ast.AST, place: Place, value: Front, value_node: ast.AST) -> None:
    if not isinstance(value, TupleValue) or len(value.items) != place.count:
        raise frame.refuse(
            value_node,
            "OX0308",
            f"mismatched types: a run of {place.count} elements is written as a tuple of {place.count}, and this is {describe(value)}",
        )
    for one, item in zip(neighbours(frame, place), value.items, strict=True):
        store(frame, node, one, item, value_node)


def _fields(value: Front, layout: Struct) -> tuple[Front, ...] | None:
    """The parts of a value that fits the layout; None if it does not."""
    if layout.is_array:
        return value.items if isinstance(value, TupleValue) and len(value.items) == len(layout.fields) else None
    return value.fields if isinstance(value, StructValue) and value.layout == layout else None


def vouch(frame: Frame, op: Op, place: Place) -> None:
    """An access inside `with unsafe(...)` carries the reason: its author answers for what is not proven of it. One through a pointer, or a
    slice made of one, carries its name: that the memory reaches so far is nowhere tested."""
    if frame.lowering.unsafe:
        op.attrs["unsafe"] = frame.lowering.unsafe[-1]
    if isinstance(place.slice, PointerValue) or place.slice.raw:
        op.attrs["raw"] = place.slice.name


def needs_unsafe(frame: Frame, node: ast.AST, what: str, why: str) -> str:
    """The reason of the `with unsafe(...)` around this. OX0133 where there is none."""
    if not frame.lowering.unsafe:
        raise frame.refuse(node, "OX0133", f"{what} needs `unsafe`: {why}", help='write `with unsafe("why this holds"):` around it')
    frame.lowering.granted.add(frame.lowering.unsafe[-1])
    return frame.lowering.unsafe[-1]


def slice_of(value: Front) -> str | None:
    """What helps where a slice is wanted and a pointer is there."""
    return f"a slice of n elements from there on is `Slice.from_ptr({value.name}, n)`" if isinstance(value, PointerValue) else None


def beyond(frame: Frame, node: ast.AST, slice: SliceValue | PointerValue) -> None:
    """OX0133 where shared memory of another block is accessed outside of `unsafe`."""
    if slice.memory.memory.space == "cluster":
        needs_unsafe(frame, node, f"an access of `{slice.name}` in another block", "what that block does with it is not proven")


def writable(frame: Frame, node: ast.AST, slice: SliceValue | PointerValue, *, together: bool = False) -> None:
    """OX0308 if the slice is read-only. `together`: several threads are to write the same element."""
    if isinstance(slice, PointerValue):
        return  # seen to where its place was made
    plain(frame, node, slice)
    if slice.kind not in ("DisjointSlice", "SliceMut"):
        own = "" if together else f"`DisjointSlice[{slice.element}]` (each thread its own element) or "
        raise frame.refuse(
            node,
            "OX0308",
            f"`{slice.name}` is a `{slice.kind}`, which is read-only",
            help=f"annotate it as {own}`SliceMut[{slice.element}]`",
        )


# ---- which element


def element_of(frame: Frame, node: ast.Subscript, slice: SliceValue, *, write: bool) -> Place:
    """The place that `a[…]` means, checked to be inside."""
    plain(frame, node, slice)
    indices = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(one, ast.Slice) for one in indices):
        translate(frame, node.slice)  # refused there
    values = [translate(frame, one) for one in indices]
    if len(values) == 1 and isinstance(values[0], TupleValue):
        values = list(values[0].items)
        indices *= len(values)
    if write:
        writable(frame, node, slice)
    if values and isinstance(values[0], Run):
        return _of_run(frame, node, slice, values, indices)
    if slice.kind == "DisjointSlice":
        return _own(frame, node.slice, slice, values)
    if len(values) == 1 and isinstance(values[0], Witness):
        return _by_witness(frame, node.slice, slice, values[0])
    if len(values) != slice.rank:
        shown = [source(one) for one in indices[: slice.rank]]
        shape = ", ".join([*shown, *"ijk"[len(shown) : slice.rank]])
        raise _other_rank(frame, node, slice, f"{slice.name}[{shape}]", len(values))
    return _checked(frame, slice, values, indices)


def element_at(frame: Frame, node: ast.expr, slice: SliceValue, index: Front) -> Place:
    """The place that an index or tuple of indices means as an argument of a function, checked to be inside: of a DisjointSlice the
    thread's own element, and that guarded."""
    plain(frame, node, slice)
    if slice.kind == "DisjointSlice":
        return _own(frame, node, slice, [index])
    values = list(index.items) if isinstance(index, TupleValue) else [index]
    if len(values) == 1 and isinstance(values[0], Witness):
        return _by_witness(frame, node, slice, values[0])
    if len(values) != slice.rank:
        raise _other_rank(frame, node, slice, f"({', '.join('ijk'[: slice.rank])})" if slice.rank > 1 else "i", len(values))
    places: Sequence[ast.AST] = node.elts if isinstance(node, ast.Tuple) else [node] * len(values)
    return _checked(frame, slice, values, places)


def plain(frame: Frame, node: ast.AST, slice: SliceValue) -> None:
    """OX0308 for an array whose elements are no values."""
    if slice.kind == BARRIERS:
        help = f"name it and its number: `barrier.arrive({slice.name}, 0)`"
        raise frame.refuse(node, "OX0308", f"mismatched types: `{slice.name}` holds barriers, which are not read or written", help=help)


def _other_rank(frame: Frame, node: ast.AST, slice: SliceValue, wanted: str, count: int) -> Exception:
    axes = "1 axis" if slice.rank == 1 else f"{slice.rank} axes"
    given = "1 index" if count == 1 else f"{count} indices"
    return frame.refuse(node, "OX0308", f"`{slice.name}` has {axes}, and this names {given}", help=f"write `{wanted}`")


def _by_witness(frame: Frame, node: ast.expr, slice: SliceValue, witness: Witness) -> Place:
    """`a[idx]` is `a[idx.get()]`, and `a[idx.row, idx.col]` with two axes."""
    if slice.rank == 2 and witness.row is not None and witness.col is not None:
        return _checked(frame, slice, [Typed(witness.row), Typed(witness.col)], [node, node])
    if slice.rank != 1:
        raise frame.refuse(
            node, "OX0308", f"`{slice.name}` has {slice.rank} axes, and this names 1 index", help="index it by numbers, one an axis"
        )
    number = witness.linear if witness.row is None and not _of_runs(witness) else witness.wide
    return _checked(frame, slice, [Typed(number)], [node])


def _checked(frame: Frame, slice: SliceValue, values: Sequence[Front], places: Sequence[ast.AST]) -> Place:
    numbers = [inside(frame, place, slice, value, extent) for place, value, extent in zip(places, values, slice.lengths, strict=True)]
    return Place(slice, position(frame, slice, numbers), slice.element)


def position(frame: Frame, slice: SliceValue, numbers: Sequence[Value]) -> Value:
    """Where in the memory the element of these indices is. They are inside."""
    if slice.strides is None or slice.origin is None:
        return numbers[0] if len(numbers) == 1 else _linear(frame, numbers, slice.lengths)
    builder, total = frame.builder, slice.origin
    for number, stride in zip(numbers, slice.strides, strict=True):
        if number.constant != 0:
            own = widen(frame, number, total.scalar)  # the coordinate type; behind a pointer i64
            total = builder.value("add", total, own if stride.constant == 1 else builder.value("mul", own, stride))
    return total


def _linear(frame: Frame, numbers: Sequence[Value], lengths: Sequence[Value]) -> Value:
    """Row-major position, in the coordinate type: each number is inside of its axis, and the host sees to it that all elements together
    are no more than that type counts."""
    coordinate = frame.lowering.coordinate
    total = widen(frame, numbers[0], coordinate)
    for number, extent in zip(numbers[1:], lengths[1:], strict=True):
        scaled = frame.builder.value("mul", total, widen(frame, extent, coordinate))
        total = frame.builder.value("add", scaled, widen(frame, number, coordinate))
    return total


def widen(frame: Frame, value: Value, scalar: Scalar) -> Value:
    """The number as one of that type."""
    return value if value.scalar == scalar else frame.builder.value("cast", value, type=scalar)


def inside(frame: Frame, node: ast.AST, slice: SliceValue, index: Front, extent: Value) -> Value:
    """Check one index against its axis; gives it as i32 or i64. OX5003 for a negative constant, OX0308 for what is no integer."""
    name, builder = slice.name, frame.builder
    known = known_integer(index)
    if known is not None and known < 0:
        raise negative(frame, node, name)
    number = as_index(frame, node, index, extent.scalar)
    number, length = _comparable(frame, number, extent)
    if not frame.trusted:
        builder.check(builder.value("inbounds", number, length), BOUNDS, f"index out of bounds of `{name}`", number, length)
    return number if number.scalar in (I32, I64) else builder.value("cast", number, type=I64)


def negative(frame: Frame, node: ast.AST, name: str) -> Exception:
    return frame.refuse(
        node,
        "OX5003",
        f"a negative index of `{name}` is outside: indices never wrap around",
        help=f"count from the front: `{name}[len({name}) - 1]`",
    )


def as_index(frame: Frame, node: ast.AST, index: Front, coordinate: Scalar) -> Value:
    """The integer of an index expression, in its own type; literals in the coordinate type or a wider one."""
    if isinstance(index, Typed) and index.type.is_int:
        return index.value
    if isinstance(index, Literal) and isinstance(index.value, int) and not isinstance(index.value, bool):
        wide = coordinate if index.value <= coordinate.max else I64 if index.value <= I64.max else U64
        return constant(frame, wide, convert_check(frame, node, index, wide))
    if isinstance(index, Weak) and index.kind == "int":
        return index.make(coordinate)
    help = f"convert it: `{cast_text(I32, node)}`" if isinstance(index, (Typed, Literal, Weak)) else None
    raise frame.refuse(node, "OX0308", f"mismatched types: an index is an integer, and this is {describe(index)}", help=help)


def convert_check(frame: Frame, node: ast.AST, index: Literal, scalar: Scalar) -> int:
    """The literal as an int, refused (OX0308) where not even u64 holds it."""
    if index.value > scalar.max:
        raise frame.refuse(node, "OX0308", f"mismatched types: {index.value} does not fit `{scalar}`")
    return int(index.value)


def _comparable(frame: Frame, number: Value, extent: Value) -> tuple[Value, Value]:
    """Both in a type that holds both exactly, so that no index becomes another one."""
    own, length = number.scalar, extent.scalar
    if own == length:
        return number, extent
    if own == U64:
        return number, frame.builder.value("cast", extent, type=U64)
    if length.min <= own.min and own.max <= length.max:
        return frame.builder.value("cast", number, type=length), extent
    return widen(frame, number, I64), widen(frame, extent, I64)


# ---- one thread an element


def _own(frame: Frame, node: ast.AST, slice: SliceValue, values: Sequence[Front]) -> Place:
    """`node` is the index."""
    witness = values[0] if len(values) == 1 else TupleValue(tuple(values))
    if not isinstance(witness, Witness):
        raise not_a_witness(frame, node, slice, witness)
    meets(frame, node, slice, witness)
    return own_place(frame, slice, witness, within(frame, slice, witness), source(node))


def own_place(frame: Frame, slice: SliceValue, witness: Witness, condition: Value, text: str) -> Place:
    """The thread's own element, checked by the condition that `idx in c` is."""
    op = frame.builder.check(condition, UNGUARDED, f"`{slice.name}[{text}]` may be outside of `{slice.name}`")
    op.attrs.update(slice=slice.name, witness=text)
    if slice.rank == 2:
        assert witness.row is not None and witness.col is not None
        return Place(slice, _linear(frame, (witness.row, witness.col), slice.lengths), slice.element)
    if slice.origin is not None:  # what a pointer was made into
        return Place(slice, position(frame, slice, (witness.wide,)), slice.element)
    return Place(slice, witness.wide if _of_runs(witness) else witness.linear, slice.element)


def not_a_witness(frame: Frame, node: ast.AST, slice: SliceValue, value: Front) -> Exception:
    return frame.refuse(
        node,
        "OX0308",
        f"mismatched types: `{slice.name}` is indexed by a `ThreadIndex[{slice.space}]`, and this is {describe(value)}",
        help=f"take `{_maker(slice)}`, which no other thread has, or annotate `{slice.name}` as `SliceMut`",
    )


def _maker(slice: SliceValue) -> str:
    space = slice.space
    kind = space.kind if space else "Index1D"
    if kind == "Index2D":
        return f"thread.index_2d({space.width if space and space.width is not None else ''})"
    return {"Runtime2D": f"thread.index_2d_runtime({slice.name})", "Runs": f"thread.index_run({space.width if space else ''})"}.get(
        kind, "thread.index_1d()"
    )


def meets(frame: Frame, node: ast.AST, slice: SliceValue, witness: Witness | Run) -> None:
    """OX0308 where a witness meets a slice of another space; said once for each pair."""
    space = slice.space
    if space is not None and space == witness.space and not (space.kind == "Index2D" and space.width is None):
        return
    pair = (id(slice.memory), id(witness.first if isinstance(witness, Run) else witness.wide))
    if pair in frame.lowering.reported:
        raise Poisoned
    frame.lowering.reported.add(pair)
    text, shown = source(node), describe(witness) if isinstance(witness, Run) else f"a {describe(witness)}"
    raise frame.refuse(
        node,
        "OX0308",
        f"mismatched types: `{slice.name}` is indexed by a `ThreadIndex[{slice.space}]`, and `{text}` is {shown}",
        help=f"make the index with `{_maker(slice)}`",
    )


def within(frame: Frame, slice: SliceValue, witness: Witness) -> Value:
    """What `idx in c` tests."""
    builder = frame.builder
    if _of_runs(witness) and slice.rank == 1:
        return builder.value("inbounds", witness.wide, widen(frame, slice.lengths[0], I64))
    if slice.rank == 1 and (witness.row is None or witness.col is None):
        return builder.value("inbounds", witness.linear, slice.lengths[0])
    assert witness.col is not None and witness.row is not None and witness.width is not None
    if slice.rank == 2:
        rows, columns = slice.lengths
        return builder.value("and", builder.value("lt", witness.col, columns), builder.value("lt", witness.row, rows))
    in_row = builder.value("lt", witness.col, witness.width)
    return builder.value("and", in_row, builder.value("lt", witness.wide, widen(frame, slice.lengths[0], I64)))


# ---- runs of neighbouring elements


def _of_runs(witness: Witness) -> bool:
    """Whether it is one element of a run: only its wide number is exact where the last run reaches beyond what coordinates count."""
    return witness.space.kind == "Runs"


def whole(frame: Frame, slice: SliceValue, run: Run) -> Value:
    """What `run in c` tests: that its last element is inside."""
    return frame.builder.value("inbounds", _last(frame, run), widen(frame, slice.lengths[0], I64))


def _last(frame: Frame, run: Run) -> Value:
    return frame.builder.value("add", run.first, frame.builder.const(I64, run.width - 1))


def one_axis(frame: Frame, node: ast.AST, slice: SliceValue) -> None:
    if slice.rank != 1:
        raise frame.refuse(
            node, "OX0308", f"`{slice.name}` has {slice.rank} axes, and a run is of one", help="index it by numbers, one an axis"
        )


def _of_run(frame: Frame, node: ast.Subscript, slice: SliceValue, values: Sequence[Front], places: Sequence[ast.AST]) -> Place:
    """`c[run]`, all of its elements as a tuple, and `c[run, k]`, one of them. The whole run is inside."""
    run = values[0]
    assert isinstance(run, Run)
    text = source(places[0])
    if len(values) > 2:
        message = f"`{slice.name}` is indexed by a run, and this names {len(values)} indices"
        raise frame.refuse(node, "OX0308", message, help=f"write `{slice.name}[{text}, k]`")
    one_axis(frame, places[0], slice)
    if slice.kind == "DisjointSlice":
        meets(frame, places[0], slice, run)
        op = frame.builder.check(whole(frame, slice, run), UNGUARDED, f"`{text}` may reach outside of `{slice.name}`")
        op.attrs.update(slice=slice.name, witness=text)
    elif not frame.trusted:
        last, length = _last(frame, run), widen(frame, slice.lengths[0], I64)
        frame.builder.check(whole(frame, slice, run), BOUNDS, f"index out of bounds of `{slice.name}`", last, length)
    first = run.first
    if slice.origin is not None and slice.strides is not None:
        if slice.strides[0].constant != 1:
            raise frame.refuse(
                places[0], "OX0308", f"the elements of `{slice.name}` are no neighbours in memory", help="index them one by one"
            )
        first = frame.builder.value("add", widen(frame, slice.origin, I64), first)
    if len(values) == 1:
        return Place(slice, first, slice.element, count=run.width)
    number = _place_in_run(frame, places[1], values[1], run.width, text)
    return Place(slice, frame.builder.value("add", first, widen(frame, number, I64)), slice.element)


def _place_in_run(frame: Frame, node: ast.AST, index: Front, count: int, text: str) -> Value:
    """The place of an element in its run, known to be one."""
    known = known_integer(index)
    if known is not None and not 0 <= known < count:
        if known < 0:
            raise negative(frame, node, text)
        raise frame.refuse(node, "OX5001", f"index {known} is outside of `{text}`, a run of {count} elements")
    number = as_index(frame, node, index, frame.lowering.coordinate)
    number, length = _comparable(frame, number, frame.builder.const(frame.lowering.coordinate, count))
    frame.builder.check(frame.builder.value("inbounds", number, length), BOUNDS, f"index out of bounds of `{text}`", number, length)
    return number


def cell_place(frame: Frame, cell: Cell) -> Place:
    return own_place(frame, cell.slice, cell.witness, cell.inside, cell.text)
