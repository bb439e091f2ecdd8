"""Assignment: names, tuples, elements, cells."""

from __future__ import annotations

import ast

from oxidepy.frontend.constructs import unsupported
from oxidepy.frontend.convert import source
from oxidepy.frontend.dispatch import assigned, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import Place, cell_place, element_of, store
from oxidepy.frontend.pointers import subscript
from oxidepy.frontend.report import Poisoned
from oxidepy.frontend.values import Cell, Front, PointerValue, Poison, SliceValue, StructValue, TupleValue, describe
from oxidepy.ir.types import Struct


def assign(frame: Frame, target: ast.expr, value: Front, value_node: ast.AST | None = None, *, literal: bool = False) -> None:
    """Give a target its value. `literal`: a name stays a literal (the variable of an unrolled loop)."""
    if isinstance(target, ast.Name):
        frame.bind(target.id, value, frame.span(target), literal=literal)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(frame, target, value, value_node, literal)
    elif isinstance(value, Poison):
        raise Poisoned
    else:
        store(frame, target, place_of(frame, target), value, value_node or target)


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: Front, value_node: ast.AST | None, literal: bool) -> None:
    starred = next((one for one in target.elts if isinstance(one, ast.Starred)), None)
    if starred is not None:
        raise unsupported(frame, starred)
    if isinstance(value, Poison):
        frame.poison(list(assigned([target])))
        return
    if not isinstance(value, TupleValue):
        raise frame.refuse(
            value_node or target,
            "OX0308",
            f"mismatched types: `{source(target)}` takes a tuple of {len(target.elts)}, and this is {describe(value)}",
            help="name one, or give a tuple",
        )
    if len(value.items) != len(target.elts):
        count = f"{len(target.elts)} names, {len(value.items)} values"
        raise frame.refuse(
            target,
            "OX0308",
            f"mismatched types: `{source(target)}` takes a tuple of {len(target.elts)}, and this is one of {len(value.items)}",
            label=count,
            help="give as many names as there are values, `_` for one that is not used",
        )
    nodes = (
        value_node.elts
        if isinstance(value_node, (ast.Tuple, ast.List)) and len(value_node.elts) == len(target.elts)
        else [value_node] * len(target.elts)
    )
    for one, item, node in zip(target.elts, value.items, nodes, strict=True):
        assign(frame, one, item, node, literal=literal)


def place_of(frame: Frame, target: ast.AST, *, write: bool = True) -> Place:
    """The element, field or cell that an assignment writes, or an atomic operation is for."""
    if isinstance(target, ast.Subscript):
        if in_element(frame, target.value):
            return _item_of(frame, target, write)
        owner = translate(frame, target.value)
        if isinstance(owner, SliceValue):
            return element_of(frame, target, owner, write=write)
        if isinstance(owner, PointerValue):
            return subscript(frame, target, owner, write=write)
        raise frame.refuse(
            target,
            "OX0658",
            f"assigning to an item of {describe(owner)} is not supported in kernels",
            help="make a new tuple, or write to a slice",
        )
    if isinstance(target, ast.Attribute):
        if isinstance(target.value, (ast.Subscript, ast.Attribute)) and not _plain(frame, target.value):
            outer = place_of(frame, target.value, write=write)
            if isinstance(outer.element, Struct) and outer.count is None:
                return outer.field(frame, target)
            raise frame.refuse(target, "OX0425", f"{source(target.value)} has no fields")
        owner = translate(frame, target.value)
        if isinstance(owner, Cell) and target.attr == "value":
            return cell_place(frame, owner)
        raise frame.refuse(
            target,
            "OX0658",
            f"assigning to an attribute of {describe(owner)} is not supported in kernels",
            help=f"make a changed copy: `{source(target.value)} = replace({source(target.value)}, {target.attr}=…)`"
            if isinstance(owner, StructValue)
            else "give the name another value",
        )
    raise unsupported(frame, target)


def in_element(frame: Frame, node: ast.AST) -> bool:
    """Whether this is a field of an element of a slice, or an item of such a field."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and not _plain(frame, node)


def _item_of(frame: Frame, target: ast.Subscript, write: bool) -> Place:
    """An item of an array in an element of a slice: its number is known at compile time."""
    outer = place_of(frame, target.value, write=write)
    found = outer.item(frame, target, translate(frame, target.slice)) if outer.count is None else None
    if found is None:
        raise frame.refuse(
            target,
            "OX0658",
            f"assigning to `{source(target)}` is not supported in kernels",
            help="an item of a struct's array is named by a constant, or in an `unroll` loop; or give the element a new tuple",
        )
    return found


def _plain(frame: Frame, node: ast.AST) -> bool:
    """Whether the owner is no element of a slice: then it is a value, which cannot be written to."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return not isinstance(node, ast.Subscript) and not _names_cell(frame, node)


def _names_cell(frame: Frame, node: ast.AST) -> bool:
    binding = frame.bindings.get(node.id) if isinstance(node, ast.Name) else None
    return binding is not None and isinstance(binding.value, Cell)
