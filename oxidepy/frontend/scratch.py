"""Scratch memory: `shared.array`, `shared.dynamic`, `local.array`."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import count as numbers
from typing import Any

from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.merge import parts_of
from oxidepy.frontend.values import Front, Literal, Named, PointerValue, SliceValue, Static, TupleValue, Typed, describe, known_integer
from oxidepy.ir.core import Op, Value
from oxidepy.ir.types import BOOL, I64, U64, Element, Members, Memory, Space, Struct
from oxidepy.lang.scalars import scalar_of
from oxidepy.lang.structs import enum_type, layout_of
from oxidepy.lang.structs import members_of as class_of

MOST_BYTES = {
    "shared": 227 * 1024,
    "local": 512 * 1024,
}  # no GPU has more for a block, or for a thread; how much shared memory its own device has, and all arrays take, a launch knows
MOST_EXTENT = 2**20  # elements along an axis that shared memory never has; three such extents multiply within an i64
LEAST_ALIGN = 16  # bytes, so that vectors of elements can be moved at once


def _array(space: Space) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        _by_place(frame, node)
        dtype, shape = arguments(frame, node, 2, keywords=("align",))
        element = element_type(frame, node.args[0], dtype)
        extents = _shape(frame, node.args[1], shape, f"{space}.dynamic(…)" if space == "shared" else "")
        count = math.prod(extents)
        if count * element.size > MOST_BYTES[space]:
            most = f"no device has more than {MOST_BYTES[space]} for a {'block' if space == 'shared' else 'thread'}"
            message = f"an array of {count * element.size} bytes is larger than any {space} memory: {most}"
            raise frame.refuse(node.args[1], "OX2003", message, help="pass a slice for what is large")
        align = _align(frame, node, element)

        def make() -> SliceValue:
            lengths = tuple(frame.builder.const(frame.lowering.coordinate, one) for one in extents)
            return _allocate(frame, node, space, element, lengths, count, align)

        return replace(_kept(frame, node, (space, element, extents, align), make), enum=members_of(dtype))

    return handler


def _by_place(frame: Frame, node: ast.Call) -> None:
    """OX0425 for `shape=` and `dtype=`, with the call to write."""
    named = {one.arg: one.value for one in node.keywords if one.arg in ("dtype", "shape")}
    if named:
        shapes = [one for one in (named.get("shape"), *node.args) if one is not None]
        dtype = source(named["dtype"]) if "dtype" in named else source(node.args[0]) if len(node.args) == 1 and "shape" in named else "f32"
        text, shape = source(node.func), source(shapes[0]) if shapes else "256"
        place = next(iter(named.values()))
        help = f"the type comes first, then the shape: `{text}({dtype}, {shape})`"
        raise frame.refuse(place, "OX0425", f"`{text}` takes its type and its shape by place", help=help)


call("shared.array")(_array("shared"))
call("local.array")(_array("local"))


@call("shared.dynamic")
def _dynamic(frame: Frame, node: ast.Call) -> Front:
    dtype, *given = arguments(frame, node, 1, 2, keywords=("count", "align"))
    element = element_type(frame, node.args[0], dtype)
    named = keywords(frame, node)
    if bool(given) == ("count" in named):
        what = "is given its count twice" if given else "does not say how many elements it has"
        raise frame.refuse(node, "OX0308", f"`{source(node.func)}` {what}", help="write `shared.dynamic(f32, count=n)`")
    value, place = (given[0], node.args[1]) if given else named["count"]
    items = value.items if isinstance(value, TupleValue) else (value,)
    extents = [convert(frame, place, one, frame.lowering.coordinate, "the count") for one in items]
    if not extents:
        raise frame.refuse(place, "OX0308", "an array without axes", help="write its number of elements")
    for one in extents:
        if one.constant is not None and one.constant < 0:
            raise frame.refuse(place, "OX0308", f"an array of {one.constant} elements")
    align = _align(frame, node, element)

    def make() -> SliceValue:
        lengths = tuple(_at_launch(frame, place, one) for one in extents)
        return _allocate(frame, node, "shared", element, lengths, _product(frame, lengths), align)

    return replace(_kept(frame, node, ("dynamic", element, align, len(extents)), make), enum=members_of(dtype))


def _product(frame: Frame, lengths: tuple[Value, ...]) -> Value:
    """How many elements an array of these extents has. Where the product would wrap it is more than any device has, and still is."""
    if len(lengths) == 1:
        return lengths[0]
    builder = frame.builder
    least, most = builder.const(I64, 0), builder.const(I64, MOST_EXTENT)
    total = builder.const(I64, 1)
    for one in lengths:
        wide = one if one.scalar == I64 else builder.value("cast", one, type=I64)
        total = builder.value("mul", total, builder.value("min", builder.value("max", wide, least), most))
    return total


def barriers(frame: Frame, node: ast.Call, count: int, kind: str) -> SliceValue:
    """An array of so many 64-bit words of shared memory, of a kind of its own."""

    def make() -> SliceValue:
        lengths = (frame.builder.const(frame.lowering.coordinate, count),)
        return replace(_allocate(frame, node, "shared", U64, lengths, count, LEAST_ALIGN), kind=kind)

    return _kept(frame, node, (kind, count), make)


# ---- what the arguments say


def element_type(frame: Frame, node: ast.AST, value: Front) -> Element:
    """The type that a dtype argument names. OX0308 for anything else."""
    thing: Any = value.object if isinstance(value, (Named, Static)) else None
    found = thing if isinstance(thing, Struct) else scalar_of(thing) or layout_of(thing) or enum_type(thing)
    if found is None:
        help = "write a scalar such as `f32`, or a `@struct` class"
        if thing in (int, float):
            kind = "i" if thing is int else "f"
            raise frame.refuse(node, "OX0308", f"mismatched types: `{thing.__name__}` has no width", help=f"say `{kind}32` or `{kind}64`")
        if isinstance(value, (Literal, TupleValue)) and isinstance(node, ast.expr):
            help = f"the type comes first, then the shape: `array(f32, {ast.unparse(node)})`"
        raise frame.refuse(node, "OX0308", f"mismatched types: the first argument is a type, and this is {describe(value)}", help=help)
    return found


def members_of(value: Front) -> Members | None:
    """The enum that a dtype argument names, or None."""
    thing: Any = value.object if isinstance(value, Static) else None
    return None if enum_type(thing) is None else class_of(thing)


def _shape(frame: Frame, node: ast.AST, value: Front, otherwise: str) -> tuple[int, ...]:
    items = value.items if isinstance(value, TupleValue) else (value,)
    extents: list[int] = []
    for item in items:
        number = known_integer(item)
        if number is None:
            help = "use constants of the module or `Const` parameters" + (
                "; an array sized at the launch is `shared.dynamic(f32, count=n)`" if otherwise and isinstance(item, Typed) else ""
            )
            what = "an integer known only at run time" if isinstance(item, Typed) and item.type.is_int else describe(item)
            raise frame.refuse(
                node, "OX0308", f"mismatched types: a shape is of integers known at compile time, and this is {what}", help=help
            )
        if number < 1:
            raise frame.refuse(node, "OX0308", f"an array of {number} elements along an axis")
        extents.append(number)
    if not extents:
        raise frame.refuse(node, "OX0308", "an array without axes", help="write its number of elements")
    return tuple(extents)


def _align(frame: Frame, node: ast.Call, element: Element) -> int:
    """Bytes: enough for the element and for vectors of it, or what `align` says."""
    value, place = keywords(frame, node).get("align", (Literal(element.align), node))
    number = known_integer(value)
    if number is None or number & (number - 1) or not element.align <= number <= 1024:
        message = f"`align` is a power of two from {element.align} to 1024, known at compile time"
        raise frame.refuse(place, "OX0308", message)
    return max(number, LEAST_ALIGN)


# ---- the memory


def _allocate(
    frame: Frame, node: ast.Call, space: Space, element: Element, lengths: tuple[Value, ...], count: int | Value, align: int
) -> SliceValue:
    """`count`: of the elements, a value where only the launch knows it."""
    name = _target(frame.parsed.node, node) or f"{space} array"
    memory = Memory(element, space, "exclusive")
    taken = {one.memory.name for one in frame.lowering.scratch.values()}
    number, own = 2, name.replace(" ", "_")
    while own in taken:
        own, number = f"{name.replace(' ', '_')}.{number}", number + 1
    operands, known = ((), count) if isinstance(count, int) else ((count,), 0)
    value = frame.builder.emit("alloc", operands, (memory,), {"name": own, "count": known, "align": align}).result
    value.name = own
    return SliceValue(name, "SliceMut", element, value, lengths)


def _kept(frame: Frame, node: ast.Call, sort: tuple[Any, ...], make: Callable[[], SliceValue]) -> SliceValue:
    """The array of this place: one for all rounds of a loop, but where a round that is written out comes here while a name still stands
    for the array of an earlier one, which then stays what it is."""
    known, place = frame.lowering.scratch, _place(frame, node)
    for turn in numbers():
        key = (*sort, turn, *place)
        if key not in known:
            with frame.builder.at(frame.lowering.prologue):
                known[key] = make()
            return known[key]
        if not _in_use(frame, node, known[key].memory):
            return known[key]
    raise AssertionError


def _in_use(frame: Frame, node: ast.AST, memory: Value) -> bool:
    """Whether a name stands for that memory, other than those to which this call and the calls around it are bound."""
    here: tuple[Frame, ast.AST] | None = (frame, node)
    while here is not None:
        home, site = here
        bound = _target(home.parsed.node, site)
        for name, one in home.bindings.items():
            if name != bound and _stands_for(one.value, memory) and not _bound_anew(home.parsed.node, site, name):
                return True
        here = home.caller
    return False


def _bound_anew(function: ast.AST, site: ast.AST, name: str) -> bool:
    """Whether the round of the loop around that place binds the name behind it, and nobody reads what it was before."""
    around = [one for one in ast.walk(function) if isinstance(one, (ast.For, ast.While)) and any(inner is site for inner in ast.walk(one))]
    if not around:
        return False
    behind = False
    first: ast.stmt | None = None
    inside = 0
    for statement in around[-1].body:
        names = [one for one in ast.walk(statement) if isinstance(one, ast.Name) and one.id == name]
        reads = sum(isinstance(one.ctx, ast.Load) for one in names)
        if first is None and names:
            if reads or not behind or not isinstance(statement, (ast.Assign, ast.AnnAssign)):
                return False
            first = statement
        inside += reads
        behind = behind or any(one is site for one in ast.walk(statement))
    return first is not None and inside == sum(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) for one in ast.walk(function)
    )


def _stands_for(value: Front, memory: Value) -> bool:
    if isinstance(value, (SliceValue, PointerValue)):
        return value.memory is memory
    return any(_stands_for(one, memory) for one in parts_of(value))


def _place(frame: Frame, node: ast.AST) -> tuple[Any, ...]:
    """Where this stands, and from where it was called."""
    places: list[Any] = [frame.parsed.span(node)]
    here: Frame = frame
    while here.caller is not None:
        here, site = here.caller
        places.append(here.parsed.span(site))
    return tuple(places)


def _target(function: ast.AST, node: ast.AST) -> str | None:
    """The name to which the call's result is bound."""
    for one in ast.walk(function):
        if isinstance(one, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and one.value is not None:
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                found = _bound_in(target, one.value, node)
                if found is not None:
                    return found
    return None


def _bound_in(target: ast.expr, value: ast.expr, node: ast.AST) -> str | None:
    if value is node:
        return target.id if isinstance(target, ast.Name) else None
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return next((found for one, part in pairs if (found := _bound_in(one, part, node)) is not None), None)
    return None


def _at_launch(frame: Frame, node: ast.AST, value: Value) -> Value:
    """The same number computed at the kernel's start. Refused unless it follows from parameters and constants."""
    op = value.owner
    if op is None and (value.scalar.is_int or value.scalar == BOOL):
        return value  # a parameter
    if isinstance(op, Op) and (value.scalar.is_int or value.scalar == BOOL):
        if op.name == "const":
            return frame.builder.const(value.scalar, op.attrs["value"])
        if op.name == "intrinsic" and op.attrs["row"] in ("grid.dim.x", "grid.dim.y", "grid.dim.z", "grid.size", *_BLOCK_DIM):
            return value
        if op.name in _AT_LAUNCH and (op.name not in ("floordiv", "mod") or op.operands[1].constant):
            operands = [_at_launch(frame, node, one) for one in op.operands]
            return frame.builder.emit(op.name, operands, (value.type,), dict(op.attrs)).result
    raise frame.refuse(
        node,
        "OX0308",
        "mismatched types: the count of `shared.dynamic` follows from parameters, lengths and constants alone, and this does not",
        help="pass it as a parameter",
    )


# what the host evaluates too (see backend/shared_size)
_AT_LAUNCH = frozenset(
    (
        "add",
        "sub",
        "mul",
        "floordiv",
        "mod",
        "min",
        "max",
        "neg",
        "and",
        "or",
        "xor",
        "shl",
        "shr",
        "cast",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
    )
)
_BLOCK_DIM = tuple(f"block.dim.{axis}" for axis in "xyz")


def used(ops: list[Op], body: list[Op]) -> list[Op]:
    """The operations of the prologue without memory that nothing accesses: what a loop asked for before its types were known."""
    operands = {operand for op in body for inner in op.walk() for operand in inner.operands}
    return [op for op in ops if op.name != "alloc" or op.result in operands]
