"""Rows of the table of intrinsics that are an instruction of PTX, and PTX that a kernel holds: one call of inline assembly each."""

from __future__ import annotations

import re
from dataclasses import replace

from oxidepy.backend.llvm.emitter import Emitter, address
from oxidepy.ir.core import Op, Value
from oxidepy.ir.intrinsics import ROWS, Address, Assembly
from oxidepy.ir.intrinsics.inline import inline_code
from oxidepy.ir.types import SCALARS, Scalar

_LETTERS = {"f32": "f", "f64": "d"}
_BITS = {1: "r", 16: "h", 32: "r", 64: "l"}
_NAMES = re.compile(r"<([\w.,]+)>")


def lower(emitter: Emitter, op: Op) -> str:
    """Emit the instruction; the text of its first result, "" without one. All results are in the emitter's values afterwards."""
    row = ROWS[op.attrs["row"]]
    assert row.assembly is not None
    touches = row.effect != "pure"
    return _call(emitter, op, row.assembly, touches, touches or row.convergence != "none")


def inline(emitter: Emitter, op: Op, number: int) -> None:
    """PTX of the kernel's own. A comment with its number stays in the code, so that an assembler's message finds the way back."""
    text = f"{op.attrs['text']} {marker(number)}"
    for character, escape in (("\\", "\\5C"), ('"', "\\22"), ("\n", "\\0A"), ("$", "$$")):
        text = text.replace(character, escape)
    # of several instructions one may write a result before another one reads an argument: no register is both
    _call(emitter, op, replace(inline_code(op), text=text), not op.attrs["pure"], True, result="=&")


def marker(number: int) -> str:
    return f"/* ptx {number} */"


def _call(emitter: Emitter, op: Op, code: Assembly, touches: bool, converges: bool, *, result: str = "=") -> str:
    """`result`: what marks a result's register among the constraints."""
    names: dict[str, str] = {one.name: str(op.attrs[one.name]) for one in code.immediates}
    constraints: list[str] = []
    number, places = 0, dict[str, int]()
    for group in code.gives:
        places[group.name] = number
        _name(names, group.name, number, group.count)
        constraints += [f"{result}{_letter(SCALARS[group.type])}"] * group.count
        number += group.count
    arguments: list[str] = []
    for one, given in code.given(op.operands):
        if isinstance(one, Address):
            memory, index = given
            names[one.name], names[f"{one.name}.space"] = f"${number}", memory.memory.space
            letter, text = location(emitter, memory, index)
            constraints.append(letter)
            arguments.append(text)
            number += 1
            continue
        first = places.get(one.name)
        if first is None:
            _name(names, one.name, number, one.count)
        for place, value in enumerate(given):
            constraints.append(_letter(value.scalar) if first is None else str(first + place))
            arguments.append(_register(emitter, value))
        number += one.count
    text = _NAMES.sub(lambda found: names.get(found[1], found[0]), code.text)
    if touches:
        constraints.append("~{memory}")
    kinds = [_type(one.scalar) for one in op.results]
    returned = "void" if not kinds else kinds[0] if len(kinds) == 1 else f"{{ {', '.join(kinds)} }}"
    effects = "sideeffect " if touches or not kinds else ""
    together = " convergent" if converges or not kinds else ""
    call = f'call {returned} asm {effects}"{text}", "{",".join(constraints)}"({", ".join(arguments)}){together} nounwind'
    if not kinds:
        emitter.do(call)
        return ""
    found = emitter.ins(call)
    for place, result_value in enumerate(op.results):
        part = found if len(kinds) == 1 else emitter.ins(f"extractvalue {returned} {found}, {place}")
        emitter.values[result_value] = _value(emitter, result_value.scalar, part)
    return emitter.values[op.results[0]]


def _name(names: dict[str, str], name: str, first: int, count: int) -> None:
    plain = ", ".join(f"${one}" for one in range(first, first + count))
    names[f"{name},"] = plain
    names[name] = plain if count == 1 else f"{{{plain}}}"


def _letter(scalar: Scalar) -> str:
    return _LETTERS.get(scalar.name) or _BITS[scalar.bits]


def _type(scalar: Scalar) -> str:
    """The type of a register: halves are bits, a bool is a word."""
    return {"f32": "float", "f64": "double"}.get(scalar.name) or f"i{32 if scalar.bits == 1 else scalar.bits}"


def _register(emitter: Emitter, value: Value) -> str:
    text, scalar = emitter.value(value), value.scalar
    if scalar.kind == "bool":
        text = emitter.ins(f"zext i1 {text} to i32")
    elif scalar.is_float and scalar.bits == 16:
        text = emitter.ins(f"bitcast {emitter.type(scalar)} {text} to i16")
    return f"{_type(scalar)} {text}"


def _value(emitter: Emitter, scalar: Scalar, text: str) -> str:
    if scalar.kind == "bool":
        return emitter.ins(f"icmp ne i32 {text}, 0")
    if scalar.is_float and scalar.bits == 16:
        return emitter.ins(f"bitcast i16 {text} to {emitter.type(scalar)}")
    return text


def location(emitter: Emitter, memory: Value, index: Value) -> tuple[str, str]:
    """The register of an address and its text: 32 bits in shared memory, 64 elsewhere."""
    object_ = emitter.places[memory]
    pointer = address(emitter, memory, index, 0)
    if memory.memory.space in ("shared", "cluster"):
        return "r", f"i32 {emitter.ins(f'ptrtoint {object_.type} {pointer} to i32')}"
    return "l", f"{object_.type} {pointer}"
