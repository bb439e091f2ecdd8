"""Bare pointers: an address of elements, whose accesses nothing checks.

p[i]  p + n  p - n  p - q      any integer, counted in elements; p and q point into the same memory

A pointer stays with the memory object that it was made of: which one that is, the compiler knows; how far in, the launch alone.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from oxidepy.frontend.convert import Operand, source
from oxidepy.frontend.dispatch import translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.places import Place, as_index, needs_unsafe, widen
from oxidepy.frontend.values import Front, Literal, PointerValue, Run, Typed, Weak, Witness, describe
from oxidepy.ir.core import Value
from oxidepy.ir.types import I64

_WHY = "nothing says what it points at"


# ---- elements


def pointed(frame: Frame, node: ast.AST, pointer: PointerValue, index: Front, *, write: bool) -> Place:
    """The place of `p[index]`, for which the author of the `unsafe` around it answers. OX0133 where there is none."""
    needs_unsafe(frame, node, f"an access through `{pointer.name}`", _WHY)
    if write and not pointer.writes:
        message = f"`{pointer.name}` points into read-only memory"
        raise frame.refuse(node, "OX0308", message, help="take the pointer of a `SliceMut`, or of one that is a `Ptr` parameter")
    if isinstance(index, Run):
        return Place(pointer, _sum(frame, pointer.offset, index.first), pointer.element, count=index.width)
    return Place(pointer, _sum(frame, pointer.offset, _distance(frame, node, index)), pointer.element)


def subscript(frame: Frame, node: ast.Subscript, pointer: PointerValue, *, write: bool) -> Place:
    """The place of `p[…]` as it is written."""
    if isinstance(node.slice, ast.Slice):
        text = source(node.value)
        help = f"it has no length: `Slice.from_ptr({text} + i, n)` is a slice of n elements"
        raise frame.refuse(node, "OX0308", f"mismatched types: `{text}` is {describe(pointer)}, which has no parts", help=help)
    return pointed(frame, node.slice, pointer, translate(frame, node.slice), write=write)


def _distance(frame: Frame, node: ast.AST, value: Front) -> Value:
    """A number of elements in 64 bits."""
    if isinstance(value, Witness):
        return value.wide
    return widen(frame, as_index(frame, node, value, I64), I64)


def _sum(frame: Frame, left: Value, right: Value, *, minus: bool = False) -> Value:
    if right.constant == 0:
        return left
    if left.constant == 0 and not minus:
        return right
    return frame.builder.value("sub" if minus else "add", left, right)


# ---- arithmetic and comparison


def arithmetic(frame: Frame, node: ast.AST, op: ast.operator, left: Operand, right: Operand) -> Front | None:
    """`p + n`, `n + p`, `p - n`, `p - q`; None where no pointer is among them."""
    a, b = left[0], right[0]
    if not isinstance(a, PointerValue) and not isinstance(b, PointerValue):
        return None
    if isinstance(a, PointerValue) and isinstance(b, PointerValue) and isinstance(op, ast.Sub):
        _together(frame, node, a, b, "`-`")
        return Typed(_sum(frame, a.offset, b.offset, minus=True))
    if isinstance(op, ast.Add) and isinstance(b, PointerValue) and not isinstance(a, PointerValue):
        a, b, right = b, a, left
    if not isinstance(a, PointerValue) or isinstance(b, PointerValue) or not isinstance(op, (ast.Add, ast.Sub)):
        pointer = a if isinstance(a, PointerValue) else b
        help = "`p + n` and `p - n` are pointers, and `p - q` how many elements lie between"
        raise frame.refuse(node, "OX0308", f"mismatched types: `{source(node)}` with {describe(pointer)}", help=help)
    if not isinstance(b, (Typed, Literal, Weak)):
        raise frame.refuse(right[1], "OX0308", f"mismatched types: a pointer moves by an integer, and this is {describe(b)}")
    return moved(frame, a, _distance(frame, right[1], b), minus=isinstance(op, ast.Sub))


def moved(frame: Frame, pointer: PointerValue, by: Value, *, minus: bool = False) -> PointerValue:
    offset = _sum(frame, pointer.offset, by, minus=minus)
    return replace(pointer, offset=offset)


def compared(frame: Frame, node: ast.AST, symbol: str, left: Operand, right: Operand) -> tuple[Operand, Operand]:
    """What a comparison of pointers compares: how far into their memory they point."""
    a, b = left[0], right[0]
    if not isinstance(a, PointerValue) and not isinstance(b, PointerValue):
        return left, right
    if not isinstance(a, PointerValue) or not isinstance(b, PointerValue):
        message = f"mismatched types: {describe(a)} and {describe(b)}"
        raise frame.refuse(node, "OX0308", message, help="a pointer is compared with one into the same memory")
    _together(frame, node, a, b, f"`{symbol}`")
    return (Typed(a.offset), left[1]), (Typed(b.offset), right[1])


def _together(frame: Frame, node: ast.AST, one: PointerValue, other: PointerValue, what: str) -> None:
    if one.memory is not other.memory:
        message = f"{what} of pointers into different memory: `{one.name}` and `{other.name}`"
        raise frame.refuse(node, "OX0308", message, help="between two parameters nothing is known of the distance")
