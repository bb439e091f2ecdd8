"""`volatile.load` and `volatile.store`: accesses that stay as they are written."""

from __future__ import annotations

import ast

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import Place, element_at, load, store, writable
from oxidepy.frontend.pointers import pointed
from oxidepy.frontend.values import NONE, Front, PointerValue, SliceValue, describe


@call("volatile.load")
def _load(frame: Frame, node: ast.Call) -> Front:
    slice, index = arguments(frame, node, 2)
    place = _place(frame, node, slice, index, write=False)
    before = len(frame.builder.block.ops)
    value = load(frame, node, place)
    _mark(frame, before)
    return value


@call("volatile.store")
def _store(frame: Frame, node: ast.Call) -> Front:
    slice, index, value = arguments(frame, node, 3)
    place = _place(frame, node, slice, index, write=True)
    writable(frame, node.args[0], place.slice)
    before = len(frame.builder.block.ops)
    store(frame, node, place, value, node.args[2])
    _mark(frame, before)
    return NONE


def _place(frame: Frame, node: ast.Call, slice: Front, index: Front, *, write: bool) -> Place:
    if isinstance(slice, PointerValue):
        return pointed(frame, node.args[1], slice, index, write=write)
    if not isinstance(slice, SliceValue):
        message = f"mismatched types: `{source(node.func)}` takes an array and an index, and this is {describe(slice)}"
        raise frame.refuse(node.args[0], "OX0308", message)
    return element_at(frame, node.args[1], slice, index)


def _mark(frame: Frame, first: int) -> None:
    for op in frame.builder.block.ops[first:]:
        if op.name in ("load", "store"):
            op.attrs["volatile"] = True
