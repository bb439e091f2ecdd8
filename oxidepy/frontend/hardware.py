"""The hardware layer: a call of a row that is an instruction. Arguments by place: registers (several as a tuple), addresses as an array and
an index, then the immediates, by place or name."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from oxidepy.diagnostics.names import suggest
from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import CALLS, FINDERS
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import BARRIERS, BOUNDS, Place, element_at, needs_unsafe, slice_of, writable
from oxidepy.frontend.values import NONE, Front, Literal, SliceValue, Text, TupleValue, Typed, describe
from oxidepy.ir.core import Op, Value
from oxidepy.ir.intrinsics import ROWS, Address, Immediate, Intrinsic, Registers
from oxidepy.ir.intrinsics.form import OBJECTS, written
from oxidepy.ir.types import SCALARS, Type

LAYERS = frozenset(("clc", "mma", "tcgen05", "wgmma"))  # parts that are not modules with a function for each name


def _find(name: str) -> Callable[[Frame, ast.Call], Front] | None:
    """What a call of the dotted name means, if it is an instruction."""
    row = ROWS.get(name)
    if row is None and _part(name) in LAYERS:
        return lambda frame, node: _unknown(frame, node, name)
    if row is None or row.assembly is None or (_part(name) in OBJECTS and any(isinstance(one, Address) for one in row.assembly.arguments)):
        return None
    return lambda frame, node: execute(frame, node, row)


def _part(name: str) -> str:
    return name.partition(".")[0]


def _unknown(frame: Frame, node: ast.Call, name: str) -> Front:
    """OX0425 for a name of the hardware layer that it does not have."""
    part = _part(name)
    close = suggest(name, [one for one in (*ROWS, *CALLS) if _part(one) == part and "#" not in one])
    raise frame.refuse(
        node.func, "OX0425", f"`{part}` has no `{name[len(part) + 1 :]}`", help=f"did you mean `{close}`?" if close else None
    )


FINDERS.append(_find)


def execute(frame: Frame, node: ast.Call, row: Intrinsic) -> Front:
    """A call of the row, its arguments as the kernel writes them."""
    code = row.assembly
    assert code is not None
    optional = [one for one in code.arguments if isinstance(one, Registers) and one.default is not None]
    fixed = sum(2 if isinstance(one, Address) else 1 for one in code.arguments) - len(optional)
    names = (*(one.name for one in optional), *(one.name for one in code.immediates))
    given = arguments(frame, node, fixed, fixed + len(names), keywords=names)
    values = list(zip(given, node.args, strict=True))
    named = keywords(frame, node, dict(zip(names, values[fixed:], strict=False)))
    operands: list[Value] = []
    at = 0
    for one in code.arguments:
        if isinstance(one, Address):
            place = place_of(frame, node, one, values[at], values[at + 1])
            operands += [place.slice.memory, place.index]
            at += 2
        elif one.default is not None:
            value, where = named.get(one.name, (Literal(one.default), node))
            operands += registers(frame, one, value, where)
        else:
            operands += registers(frame, one, *values[at], help=_fragment(row, one.name))
            at += 1
    attrs = {one.name: _immediate(frame, node, one, named.get(one.name)) for one in code.immediates}
    return emit(frame, node, row, operands, attrs)


def emit(frame: Frame, node: ast.AST, row: Intrinsic, operands: Sequence[Value], attrs: dict[str, int | str] | None = None) -> Front:
    """The operation, and its results as the kernel sees them. OX0133 where it has to stand inside of `unsafe` and does not."""
    code = row.assembly
    assert code is not None
    if code.unsafe:
        vouched(frame, node, written(row.name))
    types: list[Type] = [SCALARS[one.type] for one in code.gives for _ in range(one.count)]
    op = frame.builder.emit("intrinsic", operands, types, {"row": row.name, **(attrs or {})})
    results = iter(op.results)
    groups = [grouped([Typed(next(results)) for _ in range(one.count)]) for one in code.gives]
    return NONE if not groups else groups[0] if len(groups) == 1 else TupleValue(tuple(groups))


def vouched(frame: Frame, node: ast.AST, name: str) -> None:
    """OX0133 outside of `with unsafe(…)`."""
    needs_unsafe(frame, node, f"`{name}`", "its protocol is not proven")


def grouped(items: Sequence[Front]) -> Front:
    """Several registers as a tuple, one as itself."""
    return items[0] if len(items) == 1 else TupleValue(tuple(items))


def _fragment(row: Intrinsic, name: str) -> str | None:
    """Where a fragment of a product of a warp comes from."""
    family, shape, *types = row.name.split(".")
    if family != "mma" or not shape.startswith("m16") or name not in ("a", "b"):
        return None
    elements = [one for one in types[1:] if one not in ("sat", "xor", "and_")]
    element = elements[0 if name == "a" else -1]
    told = f", of an array of `{element}`" if element in SCALARS else ""
    return f'`mma.load_{name}(array, (row, column), "{shape}")` gives one{told}'


def registers(frame: Frame, one: Registers, value: Front, place: ast.AST, *, help: str | None = None) -> list[Value]:
    """The registers of an argument, one after the other. OX0308 for another number or type."""
    scalar = SCALARS[one.type]
    if one.count == 1:
        return [convert(frame, place, value, scalar, f"`{one.name}`")]
    if not isinstance(value, TupleValue) or len(value.items) != one.count:
        message = f"mismatched types: `{one.name}` is a tuple of {one.count} `{scalar}`, and this is {describe(value)}"
        raise frame.refuse(place, "OX0308", message, help=help)
    places = place.elts if isinstance(place, ast.Tuple) and len(place.elts) == one.count else [place] * one.count
    return [convert(frame, at, item, scalar, f"each of `{one.name}`") for item, at in zip(value.items, places, strict=True)]


def place_of(frame: Frame, node: ast.Call, one: Address, array: tuple[Front, ast.expr], index: tuple[Front, ast.expr]) -> Place:
    """The place that an array and an index name, with all bytes of its extent inside of the array."""
    slice, where = array
    text = source(node.func)
    if not isinstance(slice, SliceValue):
        message = f"mismatched types: `{text}` takes an array and an index, and this is {describe(slice)}"
        raise frame.refuse(where, "OX0308", message, help=slice_of(slice))
    if one.elements == ("u64",):  # only barriers are named so
        if slice.kind != BARRIERS:
            message = f"mismatched types: `{text}` takes an array of barriers, and this is {describe(slice)}"
            raise frame.refuse(where, "OX0308", message, help="make one: `bars = barrier.array(1)`")
        slice = replace(slice, kind="SliceMut")
    space = slice.memory.memory.space
    if space not in one.spaces:
        wanted = " or ".join(one.spaces)
        message = f"mismatched types: `{one.name}` of `{text}` lies in {wanted} memory, and this is {describe(slice)}"
        raise frame.refuse(where, "OX0308", message)
    if one.elements and str(slice.element) not in one.elements:
        wanted = " or ".join(f"`{name}`" for name in one.elements)
        raise frame.refuse(where, "OX0308", f"mismatched types: `{one.name}` of `{text}` has elements of {wanted}, not `{slice.element}`")
    if one.writes:
        writable(frame, where, slice)
    place = element_at(frame, index[1], slice, index[0])
    whole(frame, where, place, -(-one.extent // slice.element.size))
    at_multiple(frame, node, index[1], place, one.align)
    return place


def at_multiple(frame: Frame, node: ast.Call, where: ast.AST, place: Place, bytes_: int) -> None:
    """OX0308 for a constant place that is no multiple of so many bytes."""
    index = _known(place.index)
    if index is not None and (at := index * place.slice.element.size) % bytes_:
        message = f"byte {at} of `{place.slice.name}`, where `{source(node.func)}` takes multiples of {bytes_}"
        raise frame.refuse(where, "OX0308", message, help=f"let the index count {bytes_} bytes")


def _known(value: Value) -> int | None:
    """An index that follows from constants alone, as of several axes."""
    if value.constant is not None or not isinstance(value.owner, Op):
        return None if value.constant is None else int(value.constant)
    name, operands = value.owner.name, value.owner.operands
    if name not in ("add", "mul", "cast"):
        return None
    known = [number for one in operands if (number := _known(one)) is not None]
    return None if len(known) < len(operands) else sum(known) if name == "add" else math.prod(known)


def whole(frame: Frame, node: ast.AST, place: Place, count: int) -> None:
    """Check that `count` elements from the place on are inside; the first is."""
    if count <= 1:
        return
    assert isinstance(place.slice, SliceValue)
    neighbours(frame, node, place.slice)
    if frame.trusted:
        return
    builder, index = frame.builder, place.index
    lengths = place.slice.lengths
    total = lengths[0] if lengths[0].scalar == index.scalar else builder.value("cast", lengths[0], type=index.scalar)
    for one in lengths[1:]:
        total = builder.value("mul", total, one if one.scalar == index.scalar else builder.value("cast", one, type=index.scalar))
    last = builder.value("add", index, builder.const(index.scalar, count - 1))
    builder.check(builder.value("inbounds", last, total), BOUNDS, f"index out of bounds of `{place.slice.name}`", last, total)


def neighbours(frame: Frame, node: ast.AST, slice: SliceValue) -> None:
    """OX0308 for a view, whose neighbours need not be neighbours in memory."""
    if slice.origin is not None:
        message = f"mismatched types: neighbouring elements are named in the array itself, and `{slice.name}` is a view"
        raise frame.refuse(node, "OX0308", message, help="name the array, and add to the index what the view begins at")


def _immediate(frame: Frame, node: ast.Call, one: Immediate, given: tuple[Front, ast.expr] | None) -> int | str:
    if given is None:
        if one.default is None:
            raise frame.refuse(node, "OX0308", f"`{source(node.func)}` lacks `{one.name}`", help=_choices(one))
        return one.default
    value, place = given
    known = value.value if isinstance(value, (Literal, Text)) else value.value.constant if isinstance(value, Typed) else None
    if known is None or isinstance(known, bool) or known not in one.choices:
        shown = f"{known!r}" if known is not None else "known only at run time"
        raise frame.refuse(place, "OX0308", f"`{one.name}` of `{source(node.func)}` is {shown}", help=_choices(one))
    return known if isinstance(known, str) else int(known)


def _choices(one: Immediate) -> str:
    if isinstance(one.choices, range) and len(one.choices) > 4:
        step = f" in steps of {one.choices.step}" if one.choices.step > 1 else ""
        return f"it is from {one.choices[0]} to {one.choices[-1]}{step}, known at compile time"
    return "it is " + " or ".join(repr(choice) for choice in one.choices) + ", known at compile time"
