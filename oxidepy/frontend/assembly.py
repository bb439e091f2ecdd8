"""`ptx("…", x, y, result=f32)`: PTX with typed operands, written by the kernel itself."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from oxidepy.frontend.calls import arguments, flag, keywords
from oxidepy.frontend.convert import settle, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.hardware import grouped, vouched
from oxidepy.frontend.places import BARRIERS, element_at
from oxidepy.frontend.pointers import pointed
from oxidepy.frontend.values import NONE, Front, Literal, MapValue, Named, PointerValue, SliceValue, Text, TupleValue, Typed, describe
from oxidepy.ir.core import Value
from oxidepy.ir.intrinsics.inline import ISAS
from oxidepy.ir.types import I32, SCALARS, Scalar

MOST = 30  # operands and results; LLVM's inline assembly has room for as many
_CHARACTERS = frozenset(string.printable) - {"\x0b", "\x0c"}
_SPLIT = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|/\*|"|[{}]', re.DOTALL)  # comments, strings, what begins one without an end, braces


@call("ptx")
def _ptx(frame: Frame, node: ast.Call) -> Front:
    text, *given = arguments(frame, node, 1, 1 + MOST, keywords=("result", "pure", "isa"))
    vouched(frame, node, "ptx")
    if not isinstance(text, Text):
        raise frame.refuse(node.args[0], "OX0308", f"the text of `ptx` is a constant string, and this is {describe(text)}")
    named = keywords(frame, node)
    results, several = _results(frame, named.get("result"))
    operands: list[Value] = []
    for value, place in zip(given, node.args[1:], strict=True):
        operands += _operand(frame, value, place)
    body = _text(frame, node.args[0], text.value, len(given), len(results), several)
    pure = flag(frame, named, "pure")
    attrs: dict[str, Any] = {"text": body, "pure": pure, **({} if pure else {"unsafe": frame.lowering.unsafe[-1]})}
    if "isa" in named:
        attrs["isa"] = _isa(frame, *named["isa"])
    op = frame.builder.emit("ptx", operands, results, attrs)
    if not results:
        return NONE
    values = [Typed(one) for one in op.results]
    return TupleValue(tuple(values)) if several else grouped(values)


def _results(frame: Frame, given: tuple[Front, ast.expr] | None) -> tuple[list[Scalar], bool]:
    """The types of the results, and whether they were given as a tuple."""
    if given is None:
        return [], False
    value, place = given
    several = isinstance(value, TupleValue)
    found: list[Scalar] = []
    for one in value.items if isinstance(value, TupleValue) else (value,):
        scalar = SCALARS.get(one.name.removeprefix("builtins.")) if isinstance(one, Named) else None
        if scalar is None:
            raise frame.refuse(place, "OX0308", f"`result` of `ptx` is a scalar type or a tuple of such, and this is {describe(one)}")
        _register(frame, place, scalar, "take `{wide}`")
        found.append(scalar)
    return found, several


def _isa(frame: Frame, value: Front, place: ast.expr) -> str:
    """The PTX ISA that the text is of, as it is written."""
    items = value.items if isinstance(value, TupleValue) else ()
    found = tuple(one.value for one in items if isinstance(one, Literal))
    if found not in ISAS:
        known = ", ".join(f"({major}, {minor})" for major, minor in ISAS)
        raise frame.refuse(place, "OX0308", "`isa` of `ptx` is a version of the PTX ISA: `isa=(8, 1)`", help=f"it is one of {known}")
    return ".".join(map(str, found))


def _register(frame: Frame, place: ast.AST, scalar: Scalar, help: str) -> None:
    """OX0308 for a type that no register has. `help` names the type to take instead, as `{wide}`."""
    if scalar.bits == 8:
        message = f"mismatched types: registers of PTX have 16 bits or more, and this is `{scalar}`"
        raise frame.refuse(place, "OX0308", message, help=help.format(wide="i16" if scalar.signed else "u16"))


def _operand(frame: Frame, value: Front, place: ast.expr) -> list[Value]:
    """A scalar in a register, `(x, i)`, the address of an element, or a tensor map, whose address it is."""
    if isinstance(value, MapValue):
        return [value.memory, frame.builder.const(I32, 0)]
    if isinstance(value, TupleValue) and len(value.items) == 2 and isinstance(slice := value.items[0], SliceValue):
        if slice.kind == BARRIERS:
            slice = replace(slice, kind="SliceMut")
        where = place.elts[1] if isinstance(place, ast.Tuple) else place
        element = element_at(frame, where, slice, value.items[1])
        return [element.slice.memory, element.index]
    if isinstance(value, TupleValue) and len(value.items) == 2 and isinstance(pointer := value.items[0], PointerValue):
        element = pointed(frame, place.elts[1] if isinstance(place, ast.Tuple) else place, pointer, value.items[1], write=False)
        return [element.slice.memory, element.index]
    number = settle(frame, value)
    if not isinstance(number, Typed):
        help = f"an element's address is `({source(place)}, i)`" if isinstance(value, SliceValue) else None
        raise frame.refuse(
            place, "OX0308", f"mismatched types: `ptx` takes scalars and addresses, and this is {describe(value)}", help=help
        )
    _register(frame, place, number.type, f"convert it: `{{wide}}({source(place)})`")
    return [number.value]


def _text(frame: Frame, place: ast.AST, text: str, operands: int, results: int, several: bool) -> str:
    """The text with placeholders of the IR. OX0425 for one that there is not, OX0308 where an operand is not used."""
    known = {str(number): f"<arg{number}>" for number in range(operands)}
    known.update({f"out{number}": f"<out{number}>" for number in range(results)} if several else {"out": "<out0>"} if results else {})
    used: set[str] = set()
    out: list[str] = []
    try:
        pieces = list(string.Formatter().parse(text))
    except ValueError as error:
        raise frame.refuse(place, "OX0308", f"the text of `ptx` is no format: {error}", help="write `{{` and `}}` for braces") from None
    _whole(frame, place, "".join(literal for literal, *_ in pieces))
    for literal, field, spec, conversion in pieces:
        out.append(literal)
        if field is None:
            continue
        if field not in known or spec or conversion:
            raise frame.refuse(place, "OX0425", f"`{{{field}}}` names no operand of this `ptx`", help=_names(known))
        used.add(field)
        out.append(known[field])
    if unused := [one for one in known if one not in used]:
        raise frame.refuse(place, "OX0308", f"the text of `ptx` does not use `{{{unused[0]}}}`")
    return "".join(out)


def _whole(frame: Frame, place: ast.AST, text: str) -> None:
    """OX0308 for text that would not end where the kernel's does, or that no assembler reads."""
    if odd := next((one for one in text if one not in _CHARACTERS), None):
        raise frame.refuse(place, "OX0308", f"the text of `ptx` has the character {odd!r}", help="PTX is printable ASCII, comments too")
    if taken := re.search(r"<(?:arg|out)\d+[^>]*>", text):
        raise frame.refuse(place, "OX0308", f"`{taken[0]}` is no PTX", help="operands are named in braces: `{0}`, `{out}`")
    depth = 0
    for found in _SPLIT.finditer(text):
        what = found[0]
        if what in ("/*", '"'):
            end = "*/" if what == "/*" else what
            raise frame.refuse(
                place, "OX0308", f"the text of `ptx` has `{what}` without its end", help=f"write `{end}` behind what it begins"
            )
        depth += {"{": 1, "}": -1}.get(what, 0)
        if depth < 0:
            break
    if depth:
        message = f"the text of `ptx` has a `{'}' if depth < 0 else '{'}` without its other half"
        raise frame.refuse(place, "OX0308", message, help="write `{{` and `}}` around a block, and one behind the other")


def _names(known: Sequence[str] | dict[str, str]) -> str:
    return (
        "there is " + ", ".join(f"`{{{one}}}`" for one in known) + "; braces of PTX are doubled" if known else "braces of PTX are doubled"
    )
