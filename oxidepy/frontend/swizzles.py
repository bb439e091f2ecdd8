"""Swizzles in kernels: `order.apply(i)` as bit operations, banks and conflicts as compile-time numbers."""

from __future__ import annotations

import ast

from oxidepy.diagnostics import CompileError
from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import constant, settle, source
from oxidepy.frontend.dispatch import METHODS, call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import Front, Literal, Static, Typed, Weak, describe, known_integer
from oxidepy.ir.banks import BANKS, WORD
from oxidepy.ir.core import Value
from oxidepy.ir.types import I32
from oxidepy.lang import swizzle
from oxidepy.lang.swizzle import Swizzle

_NAMES = ("bits", "base", "shift")


def _known(frame: Frame, node: ast.Call, names: tuple[str, ...], least: int = 0) -> dict[str, int]:
    """The arguments by name, as numbers known at compile time."""
    given = arguments(frame, node, 0, len(names), keywords=names)
    values = keywords(frame, node, {name: (value, place) for name, value, place in zip(names, given, node.args, strict=False)})
    missing = [name for name in names[:least] if name not in values]
    if missing:
        raise frame.refuse(node, "OX0308", f"`{source(node.func)}` lacks `{missing[0]}`")
    return {name: _number(frame, place, value, f"`{name}` of `{source(node.func)}`") for name, (value, place) in values.items()}


def _number(frame: Frame, node: ast.AST, value: Front, what: str) -> int:
    known = known_integer(value)
    if known is None:
        raise frame.refuse(
            node,
            "OX0308",
            f"mismatched types: {what} is an integer known at compile time, and this is {describe(value)}",
            help="use a constant of the module or a `Const` parameter",
        )
    return known


@call("swizzle.xor")
def _xor(frame: Frame, node: ast.Call) -> Front:
    numbers = _known(frame, node, _NAMES, 1)
    try:
        return Static(swizzle.xor(**numbers))
    except CompileError as error:
        (found,) = error.diagnostics
        raise frame.refuse(node, found.code, found.message, help=found.help) from None


def _order(owner: Front) -> Swizzle:
    assert isinstance(owner, Static) and isinstance(owner.object, Swizzle)
    return owner.object


def _integer(frame: Frame, node: ast.Call, place: ast.AST, value: Front) -> int | Value:
    """An integer: a number where it is known, else a value of its own type, of 32 or 64 bits."""
    number = settle(frame, value)
    if isinstance(number, Literal) and isinstance(number.value, int) and not isinstance(number.value, bool):
        return number.value
    if isinstance(number, Weak) and number.kind == "int":
        return number.make(frame.lowering.coordinate)
    if isinstance(number, Typed) and number.type.is_int and number.type.bits >= I32.bits:
        return number.value
    raise frame.refuse(
        place,
        "OX0308",
        f"mismatched types: `{source(node.func)}` takes an integer of 32 or 64 bits, and this is {describe(value)}",
        help=f"convert it: `i32({source(place)})`" if isinstance(number, Typed) else None,
    )


def _applied(frame: Frame, order: Swizzle, index: int | Value) -> int | Value:
    if isinstance(index, int):
        return order.apply(index)
    if not order.bits:
        return index
    builder, scalar = frame.builder, index.scalar
    turned = builder.value("shr", index, constant(frame, scalar, order.shift)) if order.shift else index
    return builder.value("xor", index, builder.value("and", turned, constant(frame, scalar, order.mask)))


def _front(number: int | Value) -> Front:
    return Literal(number) if isinstance(number, int) else Typed(number)


def _apply(frame: Frame, node: ast.Call, owner: Front) -> Front:
    (index,) = arguments(frame, node, 1)
    return _front(_applied(frame, _order(owner), _integer(frame, node, node.args[0], index)))


def _size(frame: Frame, node: ast.Call) -> int:
    value, place = keywords(frame, node).get("size", (Literal(WORD), node))
    return _number(frame, place, value, "the size of an element")


def _bank(frame: Frame, place: int | Value, size: int) -> Front:
    if isinstance(place, int):
        return Literal(swizzle.bank_of(place, size))
    builder, scalar = frame.builder, place.scalar
    word = builder.value("floordiv", builder.value("mul", place, constant(frame, scalar, size)), constant(frame, scalar, WORD))
    return Typed(builder.value("mod", word, constant(frame, scalar, BANKS)))


def _bank_of(frame: Frame, node: ast.Call, owner: Front) -> Front:
    (index,) = arguments(frame, node, 1, keywords=("size",))
    return _bank(frame, _applied(frame, _order(owner), _integer(frame, node, node.args[0], index)), _size(frame, node))


@call("swizzle.bank_of")
def _plain_bank(frame: Frame, node: ast.Call) -> Front:
    (place,) = arguments(frame, node, 1, keywords=("size",))
    return _bank(frame, _integer(frame, node, node.args[0], place), _size(frame, node))


def _degree(frame: Frame, node: ast.Call, owner: Front) -> Front:
    numbers = _known(frame, node, ("stride", "start", "lanes", "size"), 1)
    for name in ("lanes", "size"):
        if numbers.get(name, 1) < 1:
            raise frame.refuse(node, "OX0308", f"`{name}` of `{source(node.func)}` is {numbers[name]}, and is at least 1")
    return Literal(_order(owner).conflict_degree(**numbers))


METHODS.update({"apply": _apply, "undo": _apply, "bank_of": _bank_of, "conflict_degree": _degree})
