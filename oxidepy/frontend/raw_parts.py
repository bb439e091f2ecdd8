"""Pointers of slices, and slices of pointers.

a.ptr()                    the address of the first element
p.cast(u8)                 the same address, of other elements
Slice.from_ptr(p, shape)   a slice of so many elements from there on, whose indices are checked as everywhere; SliceMut, DisjointSlice too
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import METHODS, call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import BARRIERS, needs_unsafe, widen
from oxidepy.frontend.scratch import element_type, members_of
from oxidepy.frontend.values import Front, PointerValue, SliceValue, TupleValue, describe
from oxidepy.ir.core import Value
from oxidepy.ir.types import I64, Memory
from oxidepy.lang.definition import IndexSpace


def _ptr(frame: Frame, node: ast.Call, owner: Front) -> Front:
    """`a.ptr()`."""
    arguments(frame, node, 0)
    assert isinstance(owner, SliceValue)
    if owner.kind == BARRIERS:
        raise frame.refuse(node, "OX0308", f"mismatched types: `{owner.name}` holds barriers, which are not read or written")
    needs_unsafe(frame, node, f"the address of `{owner.name}`", "an access by way of it is not checked")
    memory = owner.memory.memory
    if memory.access == "disjoint":  # what a pointer reaches is no thread's own any more
        owner.memory.type = Memory(memory.element, memory.space, "exclusive")
    if owner.strides is not None and owner.origin is not None:
        _whole(frame, node, owner, owner.strides)
        offset = widen(frame, owner.origin, I64)
    else:
        offset = frame.builder.const(I64, 0)
    writes = owner.kind in ("SliceMut", "DisjointSlice")
    return PointerValue(owner.name, owner.element, owner.memory, offset, writes, owner.enum)


def _whole(frame: Frame, node: ast.AST, slice: SliceValue, strides: tuple[Value, ...]) -> None:
    """OX0308 for a view whose elements are no neighbours for all that is known: the pointer would go to others."""
    if strides[-1].constant != 1:
        help = f"`{slice.name}[i:j]` of neighbours and rows of a slice have addresses"
        raise frame.refuse(node, "OX0308", f"the elements of `{slice.name}` are no neighbours in memory", help=help)


def _cast(frame: Frame, node: ast.Call, owner: Front) -> Front:
    """`p.cast(u8)`: the same address, of elements of another type. It is a parameter of its own, so that nothing is known of both."""
    assert isinstance(owner, PointerValue)
    (dtype,) = arguments(frame, node, 1)
    element, pointers = element_type(frame, node.args[0], dtype), frame.lowering.pointers
    source_ = pointers.get(owner.memory)
    if source_ is None:
        message = f"`{owner.name}` is no `Ptr` parameter, whose elements could be seen as others"
        raise frame.refuse(node, "OX0308", message, help="`bits.cast` gives the bits of a value as another type")
    sizes = owner.element.size, element.size
    if max(sizes) % min(sizes):
        message = f"elements of {sizes[0]} bytes are not seen as ones of {sizes[1]}"
        raise frame.refuse(node, "OX0308", message, help="go by way of the bytes: `p.cast(u8)`")
    memory = next((one for one, own in pointers.items() if own == source_ and one.memory.element == element), None)
    if memory is None:
        memory = Value(Memory(element, "global", "raw"), f"{source_}.{element.name}")
        pointers[memory] = source_
    ratio = frame.builder.const(I64, max(sizes) // min(sizes))
    offset = owner.offset
    if offset.constant != 0 and sizes[0] != sizes[1]:
        offset = frame.builder.value("mul" if sizes[0] > sizes[1] else "floordiv", offset, ratio)
    return PointerValue(owner.name, element, memory, offset, owner.writes, members_of(dtype))


METHODS["ptr"] = _ptr
METHODS["cast"] = _cast


def _from_ptr(kind: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        pointer, shape = arguments(frame, node, 2)
        text = f"{kind}.from_ptr"
        if not isinstance(pointer, PointerValue):
            message = f"mismatched types: `{text}` takes a pointer and a shape, and this is {describe(pointer)}"
            raise frame.refuse(node.args[0], "OX0308", message, help="the pointer of a slice is `a.ptr()`")
        needs_unsafe(frame, node, f"`{text}`", "nothing says that so much memory lies there")
        if kind != "Slice" and not pointer.writes:
            message = f"`{pointer.name}` points into read-only memory"
            raise frame.refuse(node.args[0], "OX0308", message, help=f"write `Slice.from_ptr({source(node.args[0])}, …)`")
        lengths = _extents(frame, node.args[1], shape, 1 if kind == "DisjointSlice" else 3)
        space = IndexSpace() if kind == "DisjointSlice" else None
        name = source(node.args[0]) if isinstance(node.args[0], ast.Name) else pointer.name
        if pointer.offset.constant == 0 and len(lengths) == 1:  # of more axes nobody has tested that all elements are within i32
            origin, strides = None, None
        else:
            origin, strides = pointer.offset, _strides(frame, lengths)
        return SliceValue(name, kind, pointer.element, pointer.memory, lengths, space, origin, strides, raw=True, enum=pointer.enum)

    return call(f"{kind}.from_ptr")(handler)


for _kind in ("Slice", "SliceMut", "DisjointSlice"):
    _from_ptr(_kind)


def _extents(frame: Frame, node: ast.AST, shape: Front, most: int) -> tuple[Value, ...]:
    items = shape.items if isinstance(shape, TupleValue) else (shape,)
    if not 1 <= len(items) <= most:
        axes = "one axis" if most == 1 else "one to three axes"
        raise frame.refuse(node, "OX0308", f"a shape of {len(items)} extents, where the slice has {axes}")
    return tuple(convert(frame, node, one, frame.lowering.coordinate, "an extent") for one in items)


def _strides(frame: Frame, lengths: tuple[Value, ...]) -> tuple[Value, ...]:
    """How far neighbours along each axis lie apart, in 64 bits."""
    found = [frame.builder.const(I64, 1)]
    for extent in reversed(lengths[1:]):
        wide = widen(frame, extent, I64)
        found.insert(0, wide if found[0].constant == 1 else frame.builder.value("mul", found[0], wide))
    return tuple(found)
