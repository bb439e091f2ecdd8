"""Reductions and scans by a function of the kernel's own: `block.reduce(v, f)`, `warp.scan(v, f, first)` and so on."""

from __future__ import annotations

import ast

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import convert, settle, source
from oxidepy.frontend.dispatch import METHODS, call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.groups import (
    WARP,
    Folded,
    exclusive,
    kind_of,
    linear_index,
    of_lanes,
    of_numbers,
    of_warps,
    powers,
    scan_block,
    scan_lanes,
    speak,
    threads_of,
    whole,
)
from oxidepy.frontend.library import library
from oxidepy.frontend.merge import flatten, form, rebuild
from oxidepy.frontend.values import Front, FunctionValue, Lanes, Literal, Named, StructValue, TupleValue, Typed, describe


def _given(frame: Frame, node: ast.Call, further: int = 0) -> tuple[Folded, Front, list[Front]]:
    """The value, the function that combines two of them, and what else is given by place. OX0308 for anything else."""
    first, combine, *rest = arguments(frame, node, 2 + further, 2 + 2 * further, keywords=("exclusive",) if further else ())
    value = settle(frame, first)
    text = source(node.func)
    if not isinstance(value, (Typed, StructValue, TupleValue)) or not flatten(value) or not of_numbers(value):
        message = f"mismatched types: `{text}` takes a number, a struct or a tuple of these, and this is {describe(first)}"
        raise frame.refuse(node.args[0], "OX0308", message)
    if not isinstance(combine, (FunctionValue, Named)):
        message = f"mismatched types: `{text}` takes a function that combines two values, and this is {describe(combine)}"
        raise frame.refuse(node.args[1], "OX0308", message, help=f"such as `{text}({source(node.args[0])}, lambda a, b: a + b)`")
    return value, combine, rest


def _result(frame: Frame, node: ast.Call, value: Front, found: Front) -> Front:
    """What came out, which has the type of what went in. OX0308 where the function makes something else of two of them."""
    kinds = [[one.type if isinstance(one, Typed) else None for one in flatten(each)] for each in (value, found)]
    if form(value) != form(found) or kinds[0] != kinds[1]:
        message = f"mismatched types: `{source(node.args[1])}` makes {describe(found)} of two values that are {describe(value)}"
        raise frame.refuse(node.args[1], "OX0308", message)
    return found


def _first(frame: Frame, node: ast.Call, value: Folded, first: Front) -> Front:
    """What stands before the first value; its literals take the types of that one's numbers."""
    if form(first) != form(value):
        message = f"mismatched types: the values are {describe(value)}, and the first one is {describe(first)}"
        raise frame.refuse(node.args[2], "OX0308", message)
    types = [one.type for one in flatten(value) if isinstance(one, Typed)]
    given = zip(flatten(first), types, strict=True)
    return rebuild(first, [Typed(convert(frame, node.args[2], one, type_, "the first value")) for one, type_ in given])


def _scanned(frame: Frame, node: ast.Call) -> tuple[Folded, tuple[Front, ...]]:
    value, combine, (first, *further) = _given(frame, node, 1)
    return value, (exclusive(frame, node, list(zip(further, node.args[3:], strict=True))), combine, _first(frame, node, value, first))


@call("block.reduce")
def _reduce_block(frame: Frame, node: ast.Call) -> Front:
    speak(frame, node, "block.reduce")
    value, combine, _ = _given(frame, node)
    threads = threads_of(frame)
    if threads % WARP:
        args = (kind_of(value), value, linear_index(frame), Literal(threads), powers(threads), combine)
        return _result(frame, node, value, library(frame, node, "groups", "fold_ragged_block", args))
    total = library(frame, node, "groups", "fold_tile", (Lanes(), value, powers(WARP), combine))
    return of_warps(frame, node, value, _result(frame, node, value, total), combine)


@call("block.scan")
def _scan_block(frame: Frame, node: ast.Call) -> Front:
    speak(frame, node, "block.scan")
    value, ends = _scanned(frame, node)
    return _result(frame, node, value, scan_block(frame, node, value, ends))


def _reduce(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
    value, combine, _ = _given(frame, node)
    if lanes.mask == "active":
        return _result(frame, node, value, library(frame, node, "groups", "reduce_active", (lanes, value, combine)))
    speak(frame, node, source(node.func))
    whole(frame, node, lanes)
    return _result(frame, node, value, library(frame, node, "groups", "fold_tile", (lanes, value, powers(lanes.width), combine)))


def _scan(frame: Frame, node: ast.Call, lanes: Lanes) -> Front:
    if lanes.mask == "full":
        speak(frame, node, source(node.func))
    value, ends = _scanned(frame, node)
    return _result(frame, node, value, scan_lanes(frame, node, lanes, value, ends))


for _name, _operation in (("reduce", _reduce), ("scan", _scan)):
    METHODS[_name] = _operation
    call(f"warp.{_name}")(of_lanes(Lanes(), _operation))
    call(f"warp.active.{_name}")(of_lanes(Lanes("active"), _operation))
