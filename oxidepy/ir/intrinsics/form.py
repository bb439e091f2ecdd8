"""How a kernel writes the operations of the table: names, parameters, results. The names of `lang`, the declarations for checkers and the
texts of `help` are made from these.

A row says its form itself: operands have names, instructions have arguments. Where a kernel writes one name for several rows, or writes a
row in another way than it is executed, the part of the table has a `Form` in its `FORMS`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from importlib import import_module

from oxidepy.ir.intrinsics.row import Address, Assembly, Form, Intrinsic, Registers
from oxidepy.ir.intrinsics.table import PARTS, ROWS

MOST_LISTED = 8  # registers of a tuple that a declaration lists one by one
INTERNAL = ("thread.global_id.",)  # rows that no kernel names: the index makers stand for them
OBJECTS = ("async_copy", "barrier", "tma")  # parts whose barriers are elements of `barrier.array` alone
OF_WARPS_ALONE = ("warp.id",)  # what tiles of a warp do not have
SCOPES = {  # class → the part whose names are its attributes
    "ThreadRows": "thread",
    "BlockRows": "block",
    "GridRows": "grid",
    "ClusterRows": "cluster",
    "LanesRows": "warp",
    "WarpRows": "warp",
    "SharedRows": "shared",
}


@functools.cache
def forms(part: str) -> dict[str, Form]:
    """What a kernel can write of the part of that name (`warp`, `barrier`, `mma`), by the whole name."""
    rows = ROWS.part(part)
    found = {one.name: one for one in _own(part) if one.name.partition(".")[0] == part}
    covered = {row for one in found.values() for row in one.rows}
    for row in rows:
        if row.name not in covered and not row.name.startswith(INTERNAL):
            found[row.name] = form_of(row)
    return found


def _own(part: str) -> tuple[Form, ...]:
    """The forms that the module of a part lists itself."""
    found: tuple[Form, ...] = getattr(import_module(f"oxidepy.ir.intrinsics.{PARTS[part]}"), "FORMS", ()) if part in PARTS else ()
    return found


@functools.cache
def written(name: str) -> str:
    """What a kernel writes for the row of that name, for messages: `tma.load` of `tma.load_2d`."""
    row = ROWS[name]
    return next((one.name for one in _own(name.partition(".")[0]) if name in one.rows), row.written())


def members(scope: str) -> list[Form]:
    """What a class of `SCOPES` has."""
    found = forms(SCOPES[scope]).values()
    return [one for one in found if SCOPES[scope] != "warp" or (one.name in OF_WARPS_ALONE) == (scope == "WarpRows")]


def form_of(row: Intrinsic) -> Form:
    """The form of a row that is written as it stands."""
    part = row.name.partition(".")[0]
    if row.assembly is None:
        generic = (*row.operands, row.result).count("T") > 1  # a variable that stands once says nothing
        positional = [
            f"{name}: {_taken(type_, generic)}" for name, type_ in zip(row.names, row.operands, strict=True) if not _default(name)
        ]
        named = [
            f"{name.partition(' ')[0]}: {_taken(type_, generic)} = {_default(name)}"
            for name, type_ in zip(row.names, row.operands, strict=True)
            if _default(name)
        ]
        result = "None" if row.result == "none" else _given(row.result)
    else:
        positional, named = _arguments(part, row.assembly)
        groups = [_tuple(_given(one.type), one, row.assembly) for one in row.assembly.gives]
        result = "None" if not groups else groups[0] if len(groups) == 1 else f"tuple[{', '.join(groups)}]"
    return Form(row.name, parameters(positional, named), result, row.doc, (row.name,), row.property)


def parameters(positional: list[str], named: list[str]) -> str:
    """As Python writes them: what may not be left out is given by its place alone."""
    return ", ".join([*positional, *(["/"] if positional else []), *named])


def of_method(taken: str) -> str:
    """The parameters as those of a method, whose `self` goes by its place too."""
    return f"self, {taken}" if "/" in taken else f"self, /, {taken}" if taken else "self"


def below(known: Iterable[str], name: str) -> list[str]:
    """The next parts of the names that begin so, in the order of the numbers in them."""
    found = {one[len(name) + 1 :].partition(".")[0] for one in known if one.startswith(f"{name}.")}
    return sorted(found, key=lambda one: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", one)])


def _default(name: str) -> str:
    return name.partition(" = ")[2]


def _taken(type_: str, generic: bool = True) -> str:
    """What a checker is told that a value may be which is converted to a type: literals take it."""
    own = _given(type_)
    if type_ == "T":
        return "T" if generic else "Any"
    return own if own in ("int", "float", "bool") else f"{own} | {'float' if type_[0] in 'fb' else 'int'}"


def _given(type_: str) -> str:
    """A scalar type as checkers know it."""
    return {"coord": "int", "i32": "int", "f32": "float"}.get(type_, type_)


def _tuple(type_: str, one: Registers, code: Assembly) -> str:
    """Registers as a kernel holds them. What is changed in place comes in many sizes, which share a declaration."""
    if one.count == 1:
        return type_
    in_place = one.name in {other.name for other in code.arguments} & {other.name for other in code.gives}
    listed = one.count <= MOST_LISTED and not in_place
    return f"tuple[{', '.join([type_] * one.count)}]" if listed else f"tuple[{type_}, ...]"


def _arguments(part: str, code: Assembly) -> tuple[list[str], list[str]]:
    positional: list[str] = []
    named: list[str] = []
    for one in code.arguments:
        if isinstance(one, Address):
            positional += _place(part, one, "index" if not any(": Index" in other for other in positional) else f"{one.name}_index")
        elif one.default is None:
            positional.append(f"{one.name}: {_tuple(_taken(one.type), one, code)}")
        else:
            named.append(f"{one.name}: {_taken(one.type)} = {one.default}")
    for each in code.immediates:
        # numbers stay numbers: a parameter of the kernel's that is known at compile time is an `int` to a checker
        type_ = f"Literal[{', '.join(map(repr, each.choices))}]" if isinstance(each.choices[0], str) else "int"
        named.append(f"{each.name}: {type_}" + ("" if each.default is None else f" = {each.default!r}"))
    return positional, named


def _place(part: str, one: Address, index: str) -> list[str]:
    """An address: an array and an index of it; a tensor map alone."""
    if one.spaces == ("param",):
        return [f"{one.name}: TensorMap[Any, Any]"]
    if one.elements == ("u64",):  # a barrier
        return ["bars: Barriers", "index: int"] if part in OBJECTS else [f"{one.name}: Barriers", f"{one.name}_index: int"]
    readable = not one.writes and "global" in one.spaces
    return [f"{one.name}: " + "Slice[Any, Any] | " * readable + "SliceMut[Any, Any]", f"{index}: Index"]
