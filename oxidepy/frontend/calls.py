"""Calls: of names of the language, helpers, struct classes, methods, casts."""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import sys
import types
from typing import Any

from oxidepy.frontend.constructs import BUILTINS, COMPLEX, not_yet, of_cuda, of_numpy
from oxidepy.frontend.convert import constant, convert, fitting, problem, source
from oxidepy.frontend.dispatch import METHODS, expression, meaning, translate
from oxidepy.frontend.dispatch import call as language_call
from oxidepy.frontend.fitting import fit, parameter_of
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.functions import call_function
from oxidepy.frontend.methods import bound, call, written
from oxidepy.frontend.places import meets, no_such_field, not_a_witness, within
from oxidepy.frontend.static import front_of
from oxidepy.frontend.values import (
    Cell,
    Front,
    FunctionValue,
    Literal,
    Method,
    Named,
    SliceValue,
    Static,
    StructValue,
    Typed,
    Weak,
    Witness,
    describe,
)
from oxidepy.ir.core import Value
from oxidepy.ir.types import SCALARS, Scalar, Struct
from oxidepy.lang.definition import KernelDef
from oxidepy.lang.scalars import cast as cast_number
from oxidepy.lang.structs import enum_type, layout_of


@expression(ast.Call)
def _call(frame: Frame, node: ast.Call) -> Front:
    callee = translate(frame, node.func)
    if isinstance(callee, FunctionValue):
        return call_function(frame, node, callee)
    if isinstance(callee, Named):
        return _named(frame, node, callee)
    if isinstance(callee, Method):
        return METHODS[callee.name](frame, node, callee.owner)
    if isinstance(callee, Static):
        return _static(frame, node, callee.object)
    if (method := bound(callee, "__call__")) is not None:
        return call_function(frame, node, method)
    raise frame.refuse(node, "OX0308", f"mismatched types: {describe(callee)} cannot be called")


def _named(frame: Frame, node: ast.Call, callee: Named) -> Front:
    name = callee.name
    if (known := meaning(name)) is not None:
        return known(frame, node)
    if name in SCALARS and name != "bool":
        return _cast(frame, node, SCALARS[name])
    last = name.rpartition(".")[2]
    if name.startswith("builtins."):
        help = BUILTINS.get(last, "write it out with the constructs that kernels have")
        if help == COMPLEX:
            raise frame.refuse(node, "OX0425", "kernels have no complex numbers", help=help)
        raise frame.refuse(node, "OX0658", f"`{last}` is not supported in kernels", help=help)
    raise not_yet(frame, node, name)


def _static(frame: Frame, node: ast.Call, value: Any) -> Front:
    if isinstance(getattr(value, "definition", None), KernelDef):
        kernel = value.definition.name
        help = "move what both need into a plain function and call that from both"
        raise frame.refuse(node, "OX1009", f"the kernel `{kernel}` is called from a kernel", help=help)
    layout = value if isinstance(value, Struct) else layout_of(value)  # a TypeVar stands for the layout alone
    if layout is not None and not layout.is_array:
        return _construct(frame, node, value, layout)
    if isinstance(value, enum.EnumMeta):
        return _member(frame, node, value)
    name = f"{getattr(value, '__module__', '')}.{getattr(value, '__name__', source(node.func))}".removeprefix("builtins.")
    help = "write it as a plain function beside the kernel, or call it on the host"
    if isinstance(value, type) and value.__module__.partition(".")[0] not in sys.stdlib_module_names:
        help = "make it a `@struct` class, a frozen dataclass of numbers: kernels take and make values of those"
    help = of_cuda(name) or of_numpy(name) or help
    raise frame.refuse(node, "OX0658", f"`{name}` is not supported in kernels", help=help)


def _member(frame: Frame, node: ast.Call, cls: Any) -> Front:
    """`Edge(n)`: the member of that number. Where there is none, OX0308, or at run time the panic of an assertion."""
    scalar = enum_type(cls)
    if scalar is None:
        raise frame.refuse(
            node,
            "OX0658",
            f"making a member of `{cls.__name__}` is not supported in kernels",
            help="an enum of integers has members by number; compare with those of others",
        )
    (value,) = arguments(frame, node, 1)
    place = node.args[0]
    if issubclass(cls, enum.Flag):  # any bits are a value of it
        if isinstance(value, Literal) and isinstance(value.value, int):
            return front_of(frame, node, cls(value.value), source(node))
        return Typed(convert(frame, place, value, scalar, f"`{cls.__name__}`"))
    if isinstance(value, Literal):
        if value.value not in [one.value for one in cls]:
            raise frame.refuse(place, "OX0308", f"{value.value} is no member of `{cls.__name__}`")
        return front_of(frame, node, cls(value.value), source(node))
    number = convert(frame, place, value, scalar, f"`{cls.__name__}`")
    if not frame.lowering.options.no_assert:
        inside = _among(frame, number, scalar, sorted({one.value for one in cls}))
        frame.builder.check(inside, "OX7002", f"`{source(place)}` is no member of `{cls.__name__}`")
    return Typed(number, cls)


def _among(frame: Frame, number: Value, scalar: Scalar, values: list[int]) -> Value:
    """Whether it is one of the values, which are in order: between two ends where none is missing."""
    builder = frame.builder

    def test(op: str, value: int) -> Value:
        return builder.value(op, number, builder.const(scalar, value))

    if values[-1] - values[0] == len(values) - 1:
        return builder.value("and", test("ge", values[0]), test("le", values[-1]))
    return functools.reduce(lambda a, b: builder.value("or", a, b), [test("eq", one) for one in values])


# ---- arguments of built-in names


def arguments(
    frame: Frame, node: ast.Call, least: int, most: int | None = None, keywords: tuple[str, ...] = (), *, behind: int = 0
) -> list[Front]:
    """The positional arguments, translated, without the first `behind`, which are no values. OX0308 on a wrong number, OX0425 on a keyword
    that there is not."""
    most = least if most is None else most
    text = source(node.func)
    for one in node.keywords:
        if one.arg not in keywords:
            known = "its keywords are " + ", ".join(f"`{name}`" for name in keywords) if keywords else "give its arguments by place"
            raise frame.refuse(one.value, "OX0425", f"`{text}` has no parameter `{one.arg}`", help=known)
    if any(isinstance(one, ast.Starred) for one in node.args):
        raise frame.refuse(node, "OX0658", "`*` in a call is not supported in kernels", help="name each argument")
    if not least <= len(node.args) <= most:
        wanted = str(least) if least == most else f"{least} to {most}" if most < 1 << 16 else f"at least {least}"
        message = f"`{text}` takes {wanted} argument{'s' * (wanted.split()[-1] != '1')}, and is given {len(node.args)}"
        help = _BASES if text.rpartition(".")[2] == "log" else _signature(frame, node)
        raise frame.refuse(node, "OX0308", message, help=help)
    return [translate(frame, one) for one in node.args[behind:]]


_BASES = "to other bases there are `math.log2(x)`, `math.log10(x)` and `math.log(x) / math.log(base)`"


def _signature(frame: Frame, node: ast.Call) -> str | None:
    """How a name of the kernel language is called: `atomic.add(slice, index, value)`."""
    callee = translate(frame, node.func)
    function: Any = callee.object if isinstance(callee, Named) else None
    written = inspect.isfunction(function) or inspect.ismethod(function)  # in Python, so that it says what it takes
    names = list(inspect.signature(function).parameters) if written else []
    return f"it is called as `{source(node.func)}({', '.join(names)})`" if names else None


Given = dict[str, tuple[Front, ast.expr]]  # arguments by name, with the places where they stand


def keywords(frame: Frame, node: ast.Call, placed: Given | None = None) -> Given:
    """The keyword arguments, translated, beside those that are given by place; `arguments` has looked at their names. OX0308 for one that
    is given twice."""
    found = {**(placed or {})}
    for one in node.keywords:
        if one.arg in found:
            raise frame.refuse(one.value, "OX0308", f"`{source(node.func)}` is given `{one.arg}` twice")
        if one.arg is not None:
            found[one.arg] = (translate(frame, one.value), one.value)
    return found


def flag(frame: Frame, given: Given, name: str) -> bool:
    """A truth value known at compile time, False where it is not given. OX0308 for anything else."""
    if name not in given:
        return False
    value, place = given[name]
    if not isinstance(value, Literal) or not isinstance(value.value, bool):
        raise frame.refuse(place, "OX0308", f"`{name}` is True or False, known at compile time")
    return value.value


# ---- casts


def _cast(frame: Frame, node: ast.Call, scalar: Scalar) -> Front:
    (value,) = arguments(frame, node, 0, 1) or [Literal(0)]
    return Typed(cast(frame, node, value, scalar))


def cast(frame: Frame, node: ast.Call, value: Front, scalar: Scalar) -> Value:
    """`i64(x)`: the conversion that the IR's `cast` is; a literal takes the type at once."""
    place = node.args[0] if node.args else node
    if isinstance(value, Literal):
        return _cast_literal(frame, place, value, scalar)
    if isinstance(value, Weak):
        return _cast_weak(frame, value, scalar)
    if isinstance(value, Typed):
        return value.value if value.type == scalar else frame.builder.value("cast", value.value, type=scalar)
    help = f"`{source(place)}.get()` is its number" if isinstance(value, Witness) else None
    raise frame.refuse(place, "OX0308", f"mismatched types: `{scalar}(...)` takes a number, and this is {describe(value)}", help=help)


def _cast_literal(frame: Frame, place: ast.AST, value: Literal, scalar: Scalar) -> Value:
    whole = isinstance(value.value, int) and not isinstance(value.value, bool)
    if (whole or scalar.is_float) and (why := problem(Literal(value.value), scalar)) is not None and not isinstance(value.value, bool):
        raise frame.refuse(place, "OX0308", f"mismatched types: {why}", help=fitting(value.value, scalar))
    return constant(frame, scalar, cast_number(scalar, value.value))


def _cast_weak(frame: Frame, value: Weak, scalar: Scalar) -> Value:
    if value.kind == "float" and not scalar.is_float:
        return frame.builder.value("cast", value.make(SCALARS["f32"]), type=scalar)
    return value.make(scalar)


# ---- structs


def _construct(frame: Frame, node: ast.Call, cls: Any, layout: Struct) -> Front:
    declared = {} if isinstance(cls, Struct) else {one.name: one for one in dataclasses.fields(cls)}
    if any(isinstance(written(layout.python, name), types.FunctionType) for name in ("__init__", "__new__")):
        message = f"making a `{layout.name}`, which has an `__init__` of its own, is not supported in kernels"
        raise frame.refuse(node, "OX0658", message, help="let the dataclass write `__init__`, and make values in a static method")
    names = [one.name for one in layout.fields if one.name not in declared or declared[one.name].init]
    if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
        raise frame.refuse(node, "OX0658", "`*` in a call is not supported in kernels", help="name each argument")
    if len(node.args) > len(names):
        message = f"`{layout.name}` has {len(names)} fields, and is given {len(node.args)} values"
        raise frame.refuse(node, "OX0308", message, help=f"write `{layout.name}({', '.join(names)})`")
    given: dict[str, ast.expr] = dict(zip(names, node.args, strict=False))
    for one in node.keywords:
        if one.arg is None or one.arg not in names:
            raise no_such_field(frame, one.value, layout, str(one.arg))
        if one.arg in given:
            raise frame.refuse(one.value, "OX0308", f"`{layout.name}` is given `{one.arg}` twice")
        given[one.arg] = one.value
    values = {name: (translate(frame, place), place) for name, place in given.items()}
    out: list[Front] = []
    for field in layout.fields:
        default: Any = declared[field.name].default if field.name in declared else dataclasses.MISSING
        if field.name in values:
            value, place = values[field.name]
        elif default is not dataclasses.MISSING:
            value, place = front_of(frame, node, default, field.name), node
        else:
            raise frame.refuse(
                node, "OX0308", f"`{layout.name}` lacks the field `{field.name}`", help=f"write `{layout.name}({', '.join(names)})`"
            )
        out.append(fit(frame, place, value, parameter_of(field), f"the field `{field.name}` of `{layout.name}`"))
    return _made(frame, node, StructValue(layout, tuple(out)))


@language_call("dataclasses.replace")
def _replace(frame: Frame, node: ast.Call) -> Front:
    """The struct with other values for the fields that are named."""
    names = tuple(one.arg for one in node.keywords if one.arg is not None)
    (value,) = arguments(frame, node, 1, keywords=names)
    if not isinstance(value, StructValue):
        raise frame.refuse(node.args[0], "OX0308", f"mismatched types: `replace` takes a struct, and this is {describe(value)}")
    layout, given = value.layout, keywords(frame, node)
    if (name := next((one for one in names if all(field.name != one for field in layout.fields)), None)) is not None:
        raise no_such_field(frame, given[name][1], layout, name)
    parts: list[Front] = []
    for field, old in zip(layout.fields, value.fields, strict=True):
        new, place = given.get(field.name, (old, node))
        parts.append(fit(frame, place, new, parameter_of(field), f"the field `{field.name}` of `{layout.name}`"))
    return _made(frame, node, StructValue(layout, tuple(parts)))


def _made(frame: Frame, node: ast.AST, value: StructValue) -> StructValue:
    """A new struct, looked at by the class's `__post_init__`."""
    if (method := bound(value, "__post_init__")) is not None:
        call(frame, node, method)
    return value


# ---- methods


def _get(frame: Frame, node: ast.Call, owner: Front) -> Front:
    arguments(frame, node, 0)
    assert isinstance(owner, Witness)
    return Typed(owner.linear)


def _get_mut(frame: Frame, node: ast.Call, owner: Front) -> Front:
    """A cell of the thread's own element, or None outside."""
    assert isinstance(owner, SliceValue)
    (witness,) = arguments(frame, node, 1)
    place = node.args[0]
    if owner.kind != "DisjointSlice":
        raise frame.refuse(
            node,
            "OX0308",
            f"`get_mut` is of a `DisjointSlice`, and `{owner.name}` is a `{owner.kind}`",
            help=f"index it: `{owner.name}[i]`",
        )
    if not isinstance(witness, Witness):
        raise not_a_witness(frame, place, owner, witness)
    meets(frame, place, owner, witness)
    return Cell(owner, witness, within(frame, owner, witness), source(place))


METHODS.update({"get": _get, "get_mut": _get_mut})
