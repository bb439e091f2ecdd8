"""`tma`: boxes of tensor maps and runs of bytes, copied by the tensor memory accelerator."""

from __future__ import annotations

import ast
import math

from oxidepy.frontend.barriers import barrier_at
from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.copies import same_elements
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.hardware import at_multiple, emit, neighbours, place_of
from oxidepy.frontend.places import BOUNDS, Place, element_at, widen
from oxidepy.frontend.values import Front, MapValue, SliceValue, Text, TupleValue, Typed, describe
from oxidepy.ir.core import Op, Value
from oxidepy.ir.intrinsics import ROWS, Address
from oxidepy.ir.intrinsics.tma import MOST_OFFSET, REDUCTIONS, RUN_REDUCTIONS, STEP
from oxidepy.ir.types import I32, I64, U16, U32, Scalar

Argument = tuple[Front, ast.expr]
BOX_ALIGN = 128  # bytes


def _map(frame: Frame, node: ast.Call, given: Argument, *, writes: bool = False) -> tuple[MapValue, list[Value]]:
    value, place = given
    if not isinstance(value, MapValue):
        message = f"mismatched types: `{source(node.func)}` takes a tensor map, and this is {describe(value)}"
        raise frame.refuse(
            place, "OX0308", message, help="annotate a parameter as `tma.TensorMap[f32, D2]`, and make it by `tma.tensor_map`"
        )
    if writes and not value.exclusive:
        message = f"`{value.name}` is {'an `Im2colMap`' if value.im2col else 'a `TensorMap`'}, whose array is read only"
        raise frame.refuse(place, "OX0308", message, help=f"annotate it as `tma.TensorMapMut[{value.element}, D{value.rank}]`")
    return value, [value.memory, frame.builder.const(I32, 0)]


def _coordinates(frame: Frame, map: MapValue, given: Argument, *, written: bool = False) -> list[Value]:
    """A coordinate for each axis, as the hardware takes them: the last axis first. OX0308 where it is known that no box begins there."""
    value, place = given
    items = value.items if isinstance(value, TupleValue) else (value,)
    if len(items) != map.rank:
        axes = "1 axis" if map.rank == 1 else f"{map.rank} axes"
        given_ = "1 coordinate" if len(items) == 1 else f"{len(items)} coordinates"
        raise frame.refuse(place, "OX0308", f"`{map.name}` has {axes}, and this names {given_}")
    places = place.elts if isinstance(place, ast.Tuple) else [place] * len(items)
    found = [_i32(frame, at, item) for item, at in zip(items, places, strict=True)]
    assert isinstance(map.element, Scalar)
    step, last = max(STEP // map.element.size, 1), found[-1].constant
    if last is not None and int(last) % step:
        message = f"a box of `{map.name}` begins at element {int(last)} of the last axis"
        raise frame.refuse(places[-1], "OX0308", message, help=f"it begins at a multiple of {step} there: {STEP} bytes")
    for one, at in zip(found, places, strict=True):
        if written and one.constant is not None and one.constant < 0:
            message = f"a box that is written to `{map.name}` begins at {int(one.constant)}"
            raise frame.refuse(at, "OX0308", message, help="only boxes that are read begin before the array")
    return found[::-1]


def _offsets(frame: Frame, map: MapValue, given: Argument | None) -> list[Value]:
    """How far the pixels of an im2col map are moved, as the hardware takes it: the last axis first; none of other maps."""
    axes = map.rank - 2
    if not map.im2col:
        if given is not None:
            raise frame.refuse(given[1], "OX0308", f"`offsets` are those of an `Im2colMap`, and `{map.name}` has boxes")
        return []
    if given is None:
        return [frame.builder.const(U16, 0)] * axes
    value, place = given
    items = value.items if isinstance(value, TupleValue) else (value,)
    if len(items) != axes:
        raise frame.refuse(place, "OX0308", f"the images of `{map.name}` have {axes} axes, and this names {len(items)} offsets")
    places = place.elts if isinstance(place, ast.Tuple) else [place] * axes
    found = [_i32(frame, at, item) for item, at in zip(items, places, strict=True)]
    for one, at in zip(found, places, strict=True):
        if one.constant is not None and not 0 <= one.constant <= MOST_OFFSET[axes]:
            raise frame.refuse(at, "OX0308", f"an offset of {int(one.constant)}", help=f"it is 0 to {MOST_OFFSET[axes]} here")
    return [widen(frame, one, U16) for one in reversed(found)]


def _i32(frame: Frame, place: ast.AST, value: Front) -> Value:
    if isinstance(value, Typed) and value.type.is_int:
        return widen(frame, value.value, I32)
    return convert(frame, place, value, I32, "the coordinate")


def _staged(frame: Frame, node: ast.Call, map: MapValue, name: str, array: Argument, index: Argument) -> Place:
    """The place of a box in shared memory."""
    place = place_of(frame, node, Address(name, ("shared",), "write", 0, BOX_ALIGN), array, index)
    assert isinstance(place.slice, SliceValue)
    neighbours(frame, array[1], place.slice)
    owner = place.slice.memory.owner
    if isinstance(owner, Op) and owner.attrs["align"] < BOX_ALIGN:
        help = f"write `shared.array({place.slice.element}, …, align={BOX_ALIGN})`, and 1024 under a swizzle of 128"
        message = f"a box lies at a multiple of {BOX_ALIGN} bytes, and `{place.slice.name}` is aligned to {owner.attrs['align']}"
        raise frame.refuse(array[1], "OX0308", message, help=help)
    if place.slice.element != map.element:
        message = f"mismatched types: `{place.slice.name}` has elements of `{place.slice.element}`, and `{map.name}` of `{map.element}`"
        raise frame.refuse(array[1], "OX0308", message)
    return place


@call("tma.load")
def _load(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 6, keywords=("blocks", "offsets")), node.args, strict=True))
    named = keywords(frame, node)
    map, operands = _map(frame, node, given[2])
    to = _staged(frame, node, map, "to", given[0], given[1])
    at = _coordinates(frame, map, given[3])
    bar = _own_barrier(frame, node, given[4], given[5], 4)
    operands = [to.slice.memory, to.index, *operands, *at, *bar, *_offsets(frame, map, named.get("offsets"))]
    row = "tma.load_im2col" if map.im2col else "tma.load"
    if "blocks" not in named:
        return emit(frame, node, ROWS[f"{row}_{map.rank}d"], operands)
    return emit(frame, node, ROWS[f"{row}_multicast_{map.rank}d"], [*operands, _blocks(frame, *named["blocks"])])


def _blocks(frame: Frame, value: Front, place: ast.expr) -> Value:
    """A bit for each block of the cluster."""
    if frame.lowering.definition.cluster is None:
        message = "`blocks` are those of the cluster, and this kernel is launched without clusters"
        raise frame.refuse(place, "OX2001", message, help="write `@cluster_launch(2)` beside `@kernel`")
    blocks = (
        widen(frame, value.value, U16) if isinstance(value, Typed) and value.type.is_int else convert(frame, place, value, U16, "`blocks`")
    )
    size = math.prod(frame.lowering.definition.cluster)
    if blocks.constant is not None and not 0 < blocks.constant < 1 << size:
        message = f"`blocks` is {int(blocks.constant):#b} in a cluster of {size}"
        raise frame.refuse(place, "OX2003", message, help="set a bit for each block that the box is for")
    return blocks


def _own_barrier(frame: Frame, node: ast.Call, bars: Argument, bar: Argument, position: int) -> list[Value]:
    space, operands = barrier_at(frame, node, bars[0], bar[0], position)
    if space != "shared":
        message = f"`{source(node.func)}` tells a barrier of the own block"
        raise frame.refuse(bars[1], "OX0308", message, help="to several blocks a box comes by `blocks=`")
    return operands


@call("tma.store")
def _store(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 4), node.args, strict=True))
    map, operands = _map(frame, node, given[0], writes=True)
    at = _coordinates(frame, map, given[1], written=True)
    place = _staged(frame, node, map, "source", given[2], given[3])
    return emit(frame, node, ROWS[f"tma.store_{map.rank}d"], [*operands, *at, place.slice.memory, place.index])


@call("tma.reduce")
def _reduce(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 4, 5, keywords=("operation",)), node.args, strict=True))
    map, operands = _map(frame, node, given[0], writes=True)
    at = _coordinates(frame, map, given[1], written=True)
    place = _staged(frame, node, map, "source", given[2], given[3])
    element = map.element
    assert isinstance(element, Scalar)
    operation = _reduction(frame, node, str(element), [one for one in REDUCTIONS if _combines(one, element)], given[4:])
    attrs: dict[str, int | str] = {"operation": operation}
    return emit(frame, node, ROWS[f"tma.reduce_{map.rank}d"], [*operands, *at, place.slice.memory, place.index], attrs)


def _reduction(frame: Frame, node: ast.Call, element: str, known: list[str], given: list[Argument]) -> str:
    """The operation that a call names, one of those that the hardware has for elements of that type."""
    value, where = given[0] if given else keywords(frame, node).get("operation", (Text("add"), node))
    operation = value.value if isinstance(value, Text) else ""
    if operation not in known:
        shown = f'"{operation}"' if operation else describe(value)
        help = f"of `{element}` there are " + ", ".join(f'"{one}"' for one in known) if known else "widen the elements to 32 bits"
        message = f"mismatched types: `{source(node.func)}` of `{element}` has no operation {shown}"
        raise frame.refuse(where, "OX0308", message, help=help)
    return operation


def _combines(operation: str, element: Scalar) -> bool:
    """Whether the hardware combines elements of that type so."""
    if element.is_float:
        return (operation == "add" and element.bits <= 32) or (operation in ("min", "max") and element.bits == 16)
    if element.bits < 32 or element.kind == "bool":
        return False
    if operation in ("inc", "dec"):
        return element == U32
    return operation in ("min", "max") or element.name != "i64"  # the others are those of a map of u64


@call("tma.prefetch")
def _prefetch(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 2, keywords=("offsets",)), node.args, strict=True))
    map, operands = _map(frame, node, given[0])
    row = "tma.prefetch_im2col" if map.im2col else "tma.prefetch"
    offsets = _offsets(frame, map, keywords(frame, node).get("offsets"))
    return emit(frame, node, ROWS[f"{row}_{map.rank}d"], [*operands, *_coordinates(frame, map, given[1]), *offsets])


@call("tma.prefetch_map")
def _prefetch_map(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 1), node.args, strict=True))
    return emit(frame, node, ROWS["tma.prefetch_map"], _map(frame, node, given[0])[1])


# ---- runs of bytes


def _run(frame: Frame, node: ast.AST, place: Place, count: Value) -> None:
    """Check that all of so many elements are inside."""
    assert isinstance(place.slice, SliceValue)
    neighbours(frame, node, place.slice)
    if frame.trusted:
        return
    builder = frame.builder
    total = builder.const(I64, 1)
    for one in place.slice.lengths:
        total = builder.value("mul", total, widen(frame, one, I64))
    wide, one = widen(frame, count, I64), builder.const(I64, 1)
    known, message = builder.value("add", total, one), f"index out of bounds of `{place.slice.name}`"
    builder.check(builder.value("inbounds", wide, known), BOUNDS, f"number of elements out of bounds of `{place.slice.name}`", wide, known)
    last = builder.value("sub", builder.value("add", widen(frame, place.index, I64), builder.value("max", wide, one)), one)
    builder.check(builder.value("inbounds", last, total), BOUNDS, message, last, total)


def _bytes(frame: Frame, place: Place, count: Value) -> Value:
    size = frame.builder.const(U32, place.slice.element.size)
    return frame.builder.value("mul", widen(frame, count, U32), size)


_ROWS = {("shared", "global"): "tma.copy_in", ("cluster", "shared"): "tma.copy_far", ("global", "shared"): "tma.copy_out"}


@call("tma.copy")
def _copy(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 5, 7, keywords=("blocks",)), node.args, strict=True))
    named = keywords(frame, node)
    to = place_of(frame, node, Address("to", ("shared", "cluster", "global"), "write", 0), given[0], given[1])
    space = to.slice.memory.memory.space
    spaces = [origin for target, origin in _ROWS if target == space]
    slice = same_elements(frame, node, to, given[2], spaces)
    operands = _ends(frame, node, given, to, slice)
    told = space != "global"
    if len(given) != (7 if told else 5):
        what = "tells a barrier of the block that receives" if told else "is of a group of the thread, and tells no barrier"
        end = "bars, i)`" if told else "`tma.commit()` and `tma.wait()` follow"
        raise frame.refuse(
            node, "OX0308", f"a copy into {space} memory {what}", help=end if not told else "write `tma.copy(to, i, x, j, count, " + end
        )
    if told:
        where, bar = barrier_at(frame, node, given[5][0], given[6][0], 5)
        if where != space:
            message = "the barrier is in another block than what is written"
            raise frame.refuse(given[5][1], "OX0308", message, help="map both by `cluster.map_shared`, or neither")
        operands += bar
    row = _ROWS[space, slice.memory.memory.space]
    if "blocks" in named:
        if row != "tma.copy_in":
            raise frame.refuse(named["blocks"][1], "OX0308", "to several blocks a run comes from global memory")
        return emit(frame, node, ROWS["tma.copy_in_multicast"], [*operands, _blocks(frame, *named["blocks"])])
    return emit(frame, node, ROWS[row], operands)


def _ends(frame: Frame, node: ast.Call, given: list[Argument], to: Place, source: SliceValue) -> list[Value]:
    """Where a run goes to, where it comes from, and its bytes."""
    begin = element_at(frame, given[3][1], source, given[3][0])
    count = convert(frame, given[4][1], given[4][0], frame.lowering.coordinate, "the number of elements")
    _run(frame, given[0][1], to, count)
    _run(frame, given[2][1], begin, count)
    at_multiple(frame, node, given[1][1], to, STEP)
    at_multiple(frame, node, given[3][1], begin, STEP)
    if count.constant is not None and (size := int(count.constant) * source.element.size) % STEP:
        raise frame.refuse(given[4][1], "OX0308", f"a copy of {size} bytes", help=f"it is of a multiple of {STEP} bytes")
    return [to.slice.memory, to.index, source.memory, begin.index, _bytes(frame, to, count)]


@call("tma.reduce_run")
def _reduce_run(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 5, 6, keywords=("operation",)), node.args, strict=True))
    to = place_of(frame, node, Address("to", ("global",), "both", 0), given[0], given[1])
    slice = same_elements(frame, node, to, given[2], ["shared"])
    operands = _ends(frame, node, given, to, slice)
    known = [operation for operation, name in RUN_REDUCTIONS if name == str(slice.element)]
    operation = _reduction(frame, node, str(slice.element), known, given[5:])
    return emit(frame, node, ROWS["tma.reduce_run"], operands, {"operation": RUN_REDUCTIONS[operation, str(slice.element)]})


@call("tma.prefetch_run")
def _prefetch_run(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 3), node.args, strict=True))
    value = given[0][0]
    if not isinstance(value, SliceValue) or value.memory.memory.space != "global":
        raise frame.refuse(given[0][1], "OX0308", f"mismatched types: `tma.prefetch_run` takes a slice, and this is {describe(value)}")
    place = element_at(frame, given[1][1], value, given[1][0])
    count = convert(frame, given[2][1], given[2][0], frame.lowering.coordinate, "the number of elements")
    _run(frame, given[0][1], place, count)
    return emit(frame, node, ROWS["tma.prefetch_run"], [value.memory, place.index, _bytes(frame, place, count)])
