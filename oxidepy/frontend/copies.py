"""`async_copy`: copies of a few elements from global to shared memory that each thread begins and waits for."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from oxidepy.frontend.barriers import barrier_at
from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.hardware import at_multiple, emit, neighbours, place_of, whole
from oxidepy.frontend.places import BOUNDS, Place, as_index, element_at, slice_of, widen
from oxidepy.frontend.values import Front, SliceValue, Text, TupleValue, describe, known_integer
from oxidepy.ir.core import Value
from oxidepy.ir.intrinsics import ROWS, Address
from oxidepy.ir.intrinsics.async_copy import SIZES
from oxidepy.ir.types import I64, U32


@call("async_copy.copy")
def _copy(frame: Frame, node: ast.Call) -> Front:
    given = arguments(frame, node, 4, keywords=("count", "cache", "valid"))
    named = keywords(frame, node)
    array, cache = given[0], _cache(frame, named.get("cache"))
    size = array.element.size if isinstance(array, SliceValue) else 0
    count = _count(frame, node, named.get("count"), size, cache)
    values = list(zip(given, node.args, strict=True))
    to = place_of(frame, node, Address("to", ("shared",), "write", count * size, count * size), values[0], values[1])
    row = ROWS[f"async_copy.{cache}" + "_filled" * ("valid" in named)]
    attrs: dict[str, int | str] = {"bytes": count * size}
    if "valid" not in named:
        source_ = same_elements(frame, node, to, values[2])
        found = element_at(frame, node.args[3], source_, given[3])
        whole(frame, node.args[2], found, count)
        at_multiple(frame, node, node.args[3], found, count * size)
        return emit(frame, node, row, (to.slice.memory, to.index, found.slice.memory, found.index), attrs)
    source_ = same_elements(frame, node, to, values[2])
    valid = convert(frame, named["valid"][1], named["valid"][0], frame.lowering.coordinate, "the number of valid elements")
    index = _partly(frame, node, source_, given[3], valid, count)
    builder = frame.builder
    bytes_ = builder.value("mul", builder.value("cast", valid, type=U32), builder.const(U32, size))
    return emit(frame, node, row, (to.slice.memory, to.index, source_.memory, index, bytes_), attrs)


def _cache(frame: Frame, given: tuple[Front, ast.expr] | None) -> str:
    if given is None:
        return "ca"
    value, place = given
    if not isinstance(value, Text) or value.value not in SIZES:
        raise frame.refuse(
            place, "OX0308", f"mismatched types: `cache` is {describe(value)}", help='it is "ca" (L1 and L2) or "cg" (L2 alone)'
        )
    return value.value


def _count(frame: Frame, node: ast.Call, given: tuple[Front, ast.expr] | None, size: int, cache: str) -> int:
    """How many elements: as many as 16 bytes hold, where nothing is said. OX0308 for sizes that the hardware does not copy."""
    place: ast.AST = node if given is None else given[1]
    number = (16 // size if size in (1, 2, 4, 8, 16) else 1) if given is None else known_integer(given[0])
    if number is None or (size and number * size not in SIZES[cache]):
        what = "known only at run time" if number is None else f"{number * size} bytes"
        sizes = " or ".join(str(one) for one in SIZES[cache])
        raise frame.refuse(
            place, "OX0308", f"one copy is of {sizes} bytes, and this is {what}", help="give `count=`, known at compile time"
        )
    return number


def same_elements(
    frame: Frame, node: ast.Call, to: Place, source_: tuple[Front, ast.expr], spaces: Sequence[str] = ("global",)
) -> SliceValue:
    """The array that is copied from. OX0308 unless it lies where the copy takes it from and holds the same elements."""
    value, where = source_
    if not isinstance(value, SliceValue) or value.memory.memory.space not in spaces:
        kinds = " or ".join("a slice" if one == "global" else f"a {one} array" for one in spaces)
        raise frame.refuse(
            where,
            "OX0308",
            f"mismatched types: `{source(node.func)}` copies from {kinds}, and this is {describe(value)}",
            help=slice_of(value),
        )
    if value.element != to.slice.element:
        message = f"mismatched types: `{to.slice.name}` has elements of `{to.slice.element}`, and `{value.name}` of `{value.element}`"
        raise frame.refuse(where, "OX0308", message)
    return value


def _partly(frame: Frame, node: ast.Call, slice: SliceValue, index: Front, valid: Value, count: int) -> Value:
    """The index of elements of which the first `valid` are copied: those are inside; with none of them it may be anything."""
    builder, place = frame.builder, node.args[3]
    neighbours(frame, node.args[2], slice)
    parts = list(index.items) if isinstance(index, TupleValue) else [index]
    if len(parts) != slice.rank:
        raise frame.refuse(place, "OX0308", f"`{slice.name}` has {slice.rank} axes, and this names {len(parts)} indices")
    linear = builder.const(I64, 0)
    total = builder.const(I64, 1)
    for part, extent in zip(parts, slice.lengths, strict=True):
        length = widen(frame, extent, I64)
        number = widen(frame, as_index(frame, place, part, frame.lowering.coordinate), I64)
        linear = builder.value("add", builder.value("mul", linear, length), number)
        total = builder.value("mul", total, length)
    wide = widen(frame, valid, I64)
    if not frame.trusted:
        builder.check(
            builder.value("inbounds", wide, builder.const(I64, count + 1)),
            BOUNDS,
            "more elements are valid than copied",
            wide,
            builder.const(I64, count + 1),
        )
        inside = builder.value("le", builder.value("add", linear, wide), total)
        inside = builder.value("and", inside, builder.value("ge", linear, builder.const(I64, 0)))
        none = builder.value("eq", wide, builder.const(I64, 0))
        builder.check(builder.value("or", inside, none), BOUNDS, f"index out of bounds of `{slice.name}`", linear, total)
    return builder.value("select", builder.value("eq", wide, builder.const(I64, 0)), builder.const(I64, 0), linear, type=I64)


def _arrive(name: str) -> None:
    def handler(frame: Frame, node: ast.Call) -> Front:
        array, index = arguments(frame, node, 2)
        space, operands = barrier_at(frame, node, array, index, 0)
        if space != "shared":
            raise frame.refuse(node.args[0], "OX0308", f"`{source(node.func)}` is for barriers of the own block")
        return emit(frame, node, ROWS[name], operands)

    call(name)(handler)


_arrive("async_copy.arrive")
_arrive("async_copy.arrive_noinc")
