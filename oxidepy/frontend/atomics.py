"""`atomic.*` and `fence`: one access of an element that no other thread divides, and the order of accesses."""

from __future__ import annotations

import ast
from collections.abc import Callable

from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.pairs import both
from oxidepy.frontend.places import Place, beyond, element_at, vouch, writable
from oxidepy.frontend.pointers import pointed
from oxidepy.frontend.targets import in_element, place_of
from oxidepy.frontend.values import NONE, Front, PointerValue, SliceValue, StructValue, Text, Typed, describe
from oxidepy.frontend.whole import packed, unpacked
from oxidepy.ir.core import Op
from oxidepy.ir.ops import ATOMICS, ORDERS, SCOPES, WHOLE
from oxidepy.ir.types import BOOL, PAIRS, Scalar, Struct

_PAIRED = ("add", "sub")  # what a pair of halves takes
_BITS = ("and", "or", "xor")
_ORDERS = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst")}


def _atomic(kind: str) -> Callable[[Frame, ast.Call], Front]:
    name = f"atomic.{kind}_" if kind in ("and", "or") else f"atomic.{kind}"
    taken = ATOMICS[kind]

    def handler(frame: Frame, node: ast.Call) -> Front:
        field = bool(node.args) and in_element(frame, node.args[0])
        where = 1 if field else 2
        if not field and len(node.args) < where + taken and node.args and isinstance(one := node.args[0], ast.Subscript):
            help = f"write `{name}({source(one.value)}, {source(one.slice)}{', …' * bool(taken)})`"
            raise frame.refuse(one, "OX0308", f"`{name}` takes a slice and an index, and this is an element", help=help)
        given = arguments(frame, node, where + taken, where + taken + 2, keywords=("order", "scope"), behind=int(field))
        behind = list(zip(given, node.args[int(field) :], strict=True))[0 if field else 2 :]
        values = behind[:taken]
        words = _words(frame, node, behind[taken:], ("order", "scope"))
        place = _field(frame, node, name) if field else _place(frame, node, name, given[0], given[1], write=kind != "load")
        if isinstance(place.element, Struct) and (kind in WHOLE or place.element in PAIRS):
            return (_on_struct if kind in WHOLE else _on_pair)(frame, node, kind, name, place, words, values)
        scalar = _element(frame, node, kind, name, place)
        _order(frame, node, kind, name, words["order"])
        what = f"`{source(node.args[0])}`" if field else f"the element of `{place.slice.name}`"
        operands = [convert(frame, at, value, scalar, what) for value, at in values]
        attrs = {"kind": kind, "order": words["order"], "scope": words["scope"], "offset": place.offset}
        op = frame.builder.emit("atomic", (place.slice.memory, place.index, *operands), () if kind == "store" else (scalar,), attrs)
        _through(frame, op, place)
        return Typed(op.result) if op.results else NONE

    return call(name)(handler)


def _on_struct(
    frame: Frame, node: ast.Call, kind: str, name: str, place: Place, words: dict[str, str], values: list[tuple[Front, ast.expr]]
) -> Front:
    """A whole struct in one piece."""
    _order(frame, node, kind, name, words["order"])
    types, given = packed(frame, node.args[0], name, place, values)
    attrs = {"kind": kind, "order": words["order"], "scope": words["scope"], "offset": 0, "whole": True}
    op = frame.builder.emit("atomic", (place.slice.memory, place.index, *given), () if kind == "store" else types, attrs)
    _through(frame, op, place)
    assert isinstance(place.element, Struct)
    return unpacked(frame, place.element, op.results) if op.results else NONE


def _on_pair(
    frame: Frame, node: ast.Call, kind: str, name: str, place: Place, words: dict[str, str], values: list[tuple[Front, ast.expr]]
) -> Front:
    """Each half by itself is not divided; the pair may be."""
    layout = place.element
    assert isinstance(layout, Struct)
    if kind not in _PAIRED:
        help = "`add` and `sub` take pairs; for another change of both halves in one piece write a loop of `atomic.compare_exchange`"
        raise frame.refuse(node.args[0], "OX0308", f"mismatched types: `{name}` is for numbers, and this is `{layout.name}`", help=help)
    _order(frame, node, kind, name, words["order"])
    value, at = values[0]
    if not isinstance(value, StructValue) or value.layout != layout:
        label = f"the element of `{place.slice.name}` is `{layout.name}`"
        raise frame.refuse(at, "OX0308", f"mismatched types: `{layout.name}` and {describe(value)}", label=label)

    def side(number: int) -> Front:
        part = value.fields[number]
        assert isinstance(part, Typed)
        offset = place.offset + layout.fields[number].offset
        attrs = {"kind": kind, "order": words["order"], "scope": words["scope"], "offset": offset}
        operands = (place.slice.memory, place.index, part.value)
        op = frame.builder.emit("atomic", operands, (part.type,), attrs)
        _through(frame, op, place)
        return Typed(op.result)

    return StructValue(layout, tuple(both(frame, side)))


def _through(frame: Frame, op: Op, place: Place) -> None:
    """One through a pointer, or of another block's memory, stands under its `unsafe`; others are proven there too."""
    if place.slice.memory.memory.space == "cluster":
        op.attrs["unsafe"] = frame.lowering.unsafe[-1]
    if isinstance(place.slice, PointerValue) or place.slice.raw:
        vouch(frame, op, place)


def _words(frame: Frame, node: ast.Call, given: list[tuple[Front, ast.expr]], names: tuple[str, ...]) -> dict[str, str]:
    """Order and scope, by place or name: constant strings."""
    found = keywords(frame, node, dict(zip(names, given, strict=False)))
    out = {"order": "relaxed", "scope": "device"}
    for one, (value, place) in found.items():
        choices = ORDERS if one == "order" else SCOPES
        if not isinstance(value, Text) or value.value not in choices:
            shown = f'"{value.value}"' if isinstance(value, Text) else describe(value)
            help = "it is one of " + ", ".join(f'"{choice}"' for choice in choices)
            raise frame.refuse(place, "OX0308", f"mismatched types: `{one}` of `{source(node.func)}` is {shown}", help=help)
        out[one] = value.value
    return out


def _field(frame: Frame, node: ast.Call, name: str) -> Place:
    """The place of `a[i].count`: a field of an element, or an item of one."""
    place = place_of(frame, node.args[0], write=False)
    _shared(frame, node, name, place.slice)
    return place


def _place(frame: Frame, node: ast.Call, name: str, slice: Front, index: Front, *, write: bool) -> Place:
    if not isinstance(slice, (SliceValue, PointerValue)):
        message = f"mismatched types: `{name}` takes a slice and an index, and this is {describe(slice)}"
        raise frame.refuse(node.args[0], "OX0308", message, help=f"write `{name}(s, i, …)`")
    _shared(frame, node, name, slice)
    if isinstance(slice, PointerValue):
        return pointed(frame, node.args[1], slice, index, write=write)
    return element_at(frame, node.args[1], slice, index)


def _shared(frame: Frame, node: ast.Call, name: str, slice: SliceValue | PointerValue) -> None:
    """OX0308 for memory in which no two threads meet, or which is read-only."""
    if slice.kind == "DisjointSlice":
        help = f"annotate it as `SliceMut[{slice.element}]`"
        raise frame.refuse(
            node.args[0], "OX0308", f"each element of `{slice.name}` is one thread's own, so that `{name}` has nothing to do", help=help
        )
    if slice.memory.memory.space == "local":
        message = f"no other thread sees `{slice.name}`, so that `{name}` has nothing to do"
        raise frame.refuse(node.args[0], "OX0308", message, help=f"read and write it: `{slice.name}[i]`")
    beyond(frame, node, slice)
    writable(frame, node.args[0], slice, together=True)


def _element(frame: Frame, node: ast.Call, kind: str, name: str, place: Place) -> Scalar:
    """The element's type, if the operation is for it."""
    element = place.element
    if not isinstance(element, Scalar) or element == BOOL:
        message = f"mismatched types: `{name}` is for numbers, and the elements of `{place.slice.name}` are `{element}`"
        help = "use `u32` elements"
        if isinstance(element, Struct):
            at = source(node.args[1]) if place.offset == 0 and len(node.args) > 1 else "i"
            help = f"name a field: `{name}({source(node.args[0])}[{at}].{element.fields[0].name}, …)`"
        raise frame.refuse(node.args[0], "OX0308", message, help=help)
    if kind in _BITS and element.is_float:
        message = f"mismatched types: `{name}` is for integers, and the elements of `{place.slice.name}` are `{element}`"
        raise frame.refuse(node.args[0], "OX0308", message)
    return element


def _order(frame: Frame, node: ast.Call, kind: str, name: str, order: str) -> None:
    allowed = _ORDERS.get(kind, ORDERS)
    if order not in allowed:
        help = "it is one of " + ", ".join(f'"{one}"' for one in allowed)
        raise frame.refuse(node, "OX0308", f'`{name}` cannot have the order "{order}"', help=help)


for _kind in ATOMICS:
    _atomic(_kind)


@call("fence")
def _fence(frame: Frame, node: ast.Call) -> Front:
    given = arguments(frame, node, 0, 1, keywords=("scope",))
    words = _words(frame, node, list(zip(given, node.args, strict=True)), ("scope",))
    frame.builder.emit("fence", (), (), {"scope": words["scope"]})
    return NONE
