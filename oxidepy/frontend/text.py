"""Text that a kernel tells the host: f-strings and what becomes of them. Kernels hand over numbers; the host formats them."""

from __future__ import annotations

import ast
import dataclasses
import enum
import re
from typing import Any

from oxidepy.frontend.control import condition
from oxidepy.frontend.convert import settle, source
from oxidepy.frontend.dispatch import expression, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.methods import bound, call
from oxidepy.frontend.values import (
    Formatted,
    Front,
    Literal,
    NoneValue,
    Piece,
    Static,
    StructValue,
    Text,
    TupleValue,
    Typed,
    Weak,
    Witness,
    describe,
    known_integer,
)
from oxidepy.ir.types import Scalar

MOST = 64  # numbers in one message
LONGEST = 10_000  # characters of a text that is repeated
WIDEST = 1000  # characters of one number by its format
_CONVERSIONS = {-1: "", ord("s"): "s", ord("r"): "r", ord("a"): "a"}
_SAMPLES: dict[str, Any] = {"bool": True, "int": 1, "uint": 1, "float": 1.5}


@expression(ast.JoinedStr)
def _joined(frame: Frame, node: ast.JoinedStr) -> Front:
    parts: list[str | Piece] = []
    for one in node.values:
        if isinstance(one, ast.Constant):
            parts.append(str(one.value))
            continue
        assert isinstance(one, ast.FormattedValue)
        spec = "" if one.format_spec is None else _spec(frame, one.format_spec)
        parts += told(frame, one.value, spec, _CONVERSIONS[one.conversion])
    return put_together(frame, node, parts)


def put_together(frame: Frame, node: ast.AST, parts: list[str | Piece]) -> Text | Formatted:
    """The parts with neighbouring strings put together; plain text where there are no numbers."""
    out: list[str | Piece] = []
    for one in parts:
        if isinstance(one, str) and out and isinstance(last := out[-1], str):
            out[-1] = last + one
        elif one != "":
            out.append(one)
    if all(isinstance(one, str) for one in out):
        return Text("".join(map(str, out)))
    if sum(not isinstance(one, str) for one in out) > MOST:
        raise frame.refuse(
            node, "OX0658", f"more than {MOST} numbers in one message are not supported in kernels", help="print them in several"
        )
    return Formatted(tuple(out))


def composed_text(frame: Frame, node: ast.AST, op: ast.operator, left: Front, right: Front) -> Text | Formatted | None:
    """`"a" + "b"` and `"-" * 20`; None for what is no text."""
    if isinstance(op, ast.Add) and isinstance(left, (Text, Formatted)) and isinstance(right, (Text, Formatted)):
        return put_together(frame, node, [*_parts(left), *_parts(right)])
    if isinstance(op, ast.Mod) and isinstance(left, (Text, Formatted)):
        help = 'values go into a text by an f-string: `f"{x:.3f}"`'
        raise frame.refuse(node, "OX0658", "`%` of a string is not supported in kernels", help=help)
    text, times = (left, known_integer(right)) if isinstance(left, Text) else (right, known_integer(left))
    if not isinstance(op, ast.Mult) or not isinstance(text, Text) or times is None:
        return None
    if times * len(text.value) > LONGEST:
        message = f"a text of more than {LONGEST} characters is not supported in kernels"
        raise frame.refuse(node, "OX0658", message, help="print it by a loop")
    return Text(text.value * times)


def _parts(value: Text | Formatted) -> list[str | Piece]:
    return [value.value] if isinstance(value, Text) else list(value.parts)


def _spec(frame: Frame, node: ast.expr) -> str:
    """What stands behind the colon, known at compile time."""
    spec = translate(frame, node)
    if isinstance(spec, Formatted):
        spec = _settled(spec)
    if isinstance(spec, Text) and any(int(one) > WIDEST for one in re.findall(r"[0-9]+", spec.value)):
        message = f"`{spec.value}` is no format in kernels: a width or precision is at most {WIDEST}"
        raise frame.refuse(node, "OX0308", message, help="print the rest by a loop")
    if not isinstance(spec, Text):
        raise frame.refuse(
            node,
            "OX0658",
            "a format that is computed in the kernel is not supported in kernels",
            help="write width and precision as constants",
        )
    return spec.value


def _settled(text: Formatted) -> Front:
    """The text with the numbers in it that are known at compile time, if all of them are."""
    known: list[str] = []
    for one in text.parts:
        if isinstance(one, str):
            known.append(one)
        elif isinstance(one.spec, str) and one.value.constant is not None:
            known.append(format(one.value.constant, one.spec))
    return Text("".join(known)) if len(known) == len(text.parts) else text


def told(frame: Frame, node: ast.expr, spec: str = "", conversion: str = "") -> list[str | Piece]:
    """The text of an expression; `"yes" if x else "no"` of two constants is chosen when the host prints it."""
    if isinstance(node, ast.IfExp) and isinstance(node.body, ast.Constant) and isinstance(node.orelse, ast.Constant):
        flag = condition(frame, node.test)
        sides = [_constant(frame, node, one.value, spec, conversion) for one in (node.orelse, node.body)]
        return [sides[flag]] if isinstance(flag, bool) else [Piece(flag, (sides[0], sides[1]), "choice")]
    return pieces(frame, node, translate(frame, node), spec, conversion)


def pieces(frame: Frame, node: ast.AST, value: Front, spec: str, conversion: str) -> list[str | Piece]:
    """The text of a value as Python has it: constants at once, numbers when the host prints them. OX0308 for what has no text."""
    if isinstance(value, (Text, Literal, NoneValue)) or (isinstance(value, Static) and isinstance(value.object, enum.Enum)):
        return [_constant(frame, node, _python(value), spec, conversion)]
    if isinstance(value, Weak):
        value = settle(frame, value)
    if isinstance(value, Typed) and value.enum is not None:
        return [_member(frame, node, value, spec, conversion)]
    if isinstance(value, Typed):
        _fits(frame, node, value.type, spec, conversion)
        return [Piece(value.value, spec, conversion)]
    if isinstance(value, Formatted) and not spec and conversion in ("", "s"):
        return list(value.parts)
    if (own := _own_text(frame, node, value, spec, conversion)) is not None:
        return own
    if isinstance(value, (TupleValue, StructValue, Formatted)):
        if spec or isinstance(value, Formatted):
            help = "format the numbers in it" if isinstance(value, Formatted) else "format its members one by one"
            raise frame.refuse(node, "OX0658", f"a format of {describe(value)} is not supported in kernels", help=help)
        return _members(frame, node, value)
    help = (
        f"`{source(node)}.get()` is its number"
        if isinstance(value, Witness)
        else "print numbers, truth values, tuples and `@struct` values"
    )
    raise frame.refuse(node, "OX0308", f"mismatched types: {describe(value)} has no text", help=help)


def _own_text(frame: Frame, node: ast.AST, value: Front, spec: str, conversion: str) -> list[str | Piece] | None:
    """What a struct's own `__format__`, `__str__` or `__repr__` gives, if its class has one that Python would ask."""
    if not conversion and (method := bound(value, "__format__")) is not None:
        return pieces(frame, node, call(frame, node, method, ((Text(spec), node),)), "", "")
    for name in ("__str__", "__repr__") if conversion in ("", "s") else ("__repr__",):
        if (method := bound(value, name)) is not None:
            return pieces(frame, node, call(frame, node, method), spec, "")
    return None


def _python(value: Text | Literal | NoneValue | Static) -> Any:
    if isinstance(value, Static):
        return value.object
    if isinstance(value, Text):
        return value.value
    if isinstance(value, Literal):
        return value.value if value.member is None else value.member
    return None


def _constant(frame: Frame, node: ast.AST, value: Any, spec: str, conversion: str) -> str:
    try:
        return format(_CONVERTED[conversion](value) if conversion else value, spec)
    except (ValueError, TypeError, OverflowError) as error:
        raise frame.refuse(node, "OX0308", f"`{spec}` is no format of `{source(node)}`: {error}") from None


def _member(frame: Frame, node: ast.AST, value: Typed, spec: str, conversion: str) -> Piece:
    """The text of a member of an enum that is known when the host prints it: Python's texts of all members."""
    assert value.enum is not None
    texts = [(str(one.value), _constant(frame, node, one, spec, conversion)) for one in value.enum]
    return Piece(value.value, tuple(part for pair in texts for part in pair), "member")


def member_name(value: Typed) -> Formatted:
    """`mode.name`, to be told."""
    assert value.enum is not None
    return Formatted((Piece(value.value, tuple(part for one in value.enum for part in (str(one.value), one.name)), "member"),))


_CONVERTED: dict[str, Any] = {"s": str, "r": repr, "a": ascii}


def _fits(frame: Frame, node: ast.AST, scalar: Scalar, spec: str, conversion: str) -> None:
    sample = _SAMPLES[scalar.kind]
    try:
        format(str(sample) if conversion else sample, spec)
    except (ValueError, OverflowError) as error:
        message = f"`{spec}` is no format of `{source(node)}`, which is `{scalar}`: {error}"
        raise frame.refuse(
            node, "OX0308", message, help="formats are Python's: `d` `x` of integers, `f` `e` `g` of floats, width and precision"
        ) from None


def _members(frame: Frame, node: ast.AST, value: TupleValue | StructValue) -> list[str | Piece]:
    """`(1, 2.5)`, `Particle(mass=1.0)`: each member as `repr` writes it."""
    if isinstance(value, StructValue):
        hidden = {one.name for one in _declared(value.layout.python) if not one.repr}
        shown = [(one.name, part) for one, part in zip(value.layout.fields, value.fields, strict=True) if one.name not in hidden]
        names, members = [f"{name}=" for name, _ in shown], [part for _, part in shown]
        opening = value.layout.name.rpartition(".")[2] + "("
    else:
        names, members, opening = [""] * len(value.items), list(value.items), "("
    out: list[str | Piece] = [opening]
    for number, (name, one) in enumerate(zip(names, members, strict=True)):
        out += [", " * (number > 0) + name, *pieces(frame, node, one, "", "r")]
    return [*out, ",)" if isinstance(value, TupleValue) and len(members) == 1 else ")"]


def _declared(cls: type | None) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(cls) if cls is not None and dataclasses.is_dataclass(cls) else ()


# ---- to the host


def tell(frame: Frame, text: Text | Formatted, template: str = "") -> None:
    """Hand the text over to the host. `template` is the text of the check that it completes."""
    given: tuple[str | Piece, ...] = text.parts if isinstance(text, Formatted) else (text.value,)
    operands = [one.value for one in given if isinstance(one, Piece)]
    parts = tuple(one if isinstance(one, str) else (one.value.scalar.name, one.spec, one.conversion) for one in given)
    if parts != ("",):
        frame.builder.emit("print", operands, (), {"parts": parts, "template": template})


def template_of(node: ast.expr) -> str:
    """An f-string as it stands in the source, for where its values are not known."""
    if isinstance(node, ast.BinOp):
        return template_of(node.left) + template_of(node.right)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "{" + source(one.value) + "}" for one in node.values)  # type: ignore[attr-defined]
    return str(node.value) if isinstance(node, ast.Constant) else "{" + source(node) + "}"
