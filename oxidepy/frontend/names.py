"""Names: variables, captured values, constants and functions of the module."""

from __future__ import annotations

import ast
from typing import Any

from oxidepy.diagnostics import Label
from oxidepy.diagnostics.names import suggest
from oxidepy.frontend.constructs import of_cuda
from oxidepy.frontend.convert import settle
from oxidepy.frontend.dispatch import CALLS, expression
from oxidepy.frontend.frame import Binding, Capture, Frame
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.static import front_of
from oxidepy.frontend.values import Conflict, Front, Missing, Poison, Typed, Weak
from oxidepy.ir.core import ParamInfo, Value
from oxidepy.ir.types import SCALARS, Scalar
from oxidepy.lang.scalars import scalar_of

_PYTHON = "builtins."


@expression(ast.Name)
def _name(frame: Frame, node: ast.Name) -> Front:
    return load(frame, node, node.id)


def load(frame: Frame, node: ast.AST, name: str) -> Front:
    """What a name stands for here."""
    home: Frame | None = frame
    while home is not None:
        binding = home.bindings.get(name)
        if binding is not None:
            return _bound(frame, node, name, binding)
        if name in home.local:
            raise _unbound(frame, node, name, ())
        if name in home.captured:
            return home.captured[name]
        home = home.parent
    return _global(frame, node, name)


def _bound(frame: Frame, node: ast.AST, name: str, binding: Binding) -> Front:
    value = binding.value
    if isinstance(value, Poison):
        raise Poisoned
    if isinstance(value, Conflict):
        raise Refused(value.diagnostic)
    if isinstance(value, Missing):
        raise _unbound(frame, node, name, value.bound)
    return value if binding.literal else settle(frame, value)


def _unbound(frame: Frame, node: ast.AST, name: str, bound: tuple[Any, ...]) -> Exception:
    labels = tuple(Label(span, "bound here, which not every way passes") for span in dict.fromkeys(bound))
    message = f"`{name}` may be unbound here" if bound else f"`{name}` is used before it is bound"
    help = f"give `{name}` a value before the branch or loop"
    if not bound and name in frame.parsed.globals:
        message = f"`{name}` is assigned in `{frame.name}`, so that it is none of the module's names here, and is used before it is bound"
        help = f"take another name, `my_{name} = {name}`; what threads are to change together is an element of a slice"
    return _once(frame, name, frame.refuse(node, "OX0381", message, labels=labels, help=help))


def _once(frame: Frame, name: str, refused: Exception) -> Exception:
    """The refusal the first time, silence for the same name in the same function after that."""
    seen = ("name", frame.key, name)
    if seen in frame.lowering.reported:
        return Poisoned()
    frame.lowering.reported.add(seen)
    return refused


def _global(frame: Frame, node: ast.AST, name: str) -> Front:
    captured = frame.parsed.closure
    if name in captured:
        return closed_over(frame, node, name, captured[name])
    try:
        value = frame.parsed.lookup(name)
    except KeyError:
        raise _once(frame, name, _unknown(frame, node, name)) from None
    return front_of(frame, node, value, name)


def _unknown(frame: Frame, node: ast.AST, name: str) -> Exception:
    if name in frame.parsed.function.__code__.co_freevars:
        return frame.refuse(
            node, "OX0381", f"`{name}` has no value yet in the function around the kernel", help="assign it before the kernel is compiled"
        )
    home: Frame | None = frame
    known: list[str] = []
    while home is not None:
        known += [*home.bindings, *home.captured]
        home = home.parent
    if (help := _import_of(name) or of_cuda(name)) is not None:
        return frame.refuse(node, "OX0425", f"unknown name `{name}`", help=help)
    known += [*frame.parsed.closure, *frame.parsed.globals, *(one[len(_PYTHON) :] for one in CALLS if one.startswith(_PYTHON))]
    if name.islower():  # a value was meant, and classes are none
        known = [one for one in known if one.islower() or one.isupper() or one.casefold() == name]
    close = suggest(name, known)
    help = f"did you mean `{close}`?" if close else "define it beside the kernel, or pass it as a parameter"
    return frame.refuse(node, "OX0425", f"unknown name `{name}`", help=help)


def _import_of(name: str) -> str | None:
    import oxidepy

    return f"import it: `from oxidepy import {name}`" if name in vars(oxidepy)["__all__"] else None


# ---- captured values


def closed_over(frame: Frame, node: ast.AST, name: str, value: Any) -> Front:
    """A variable of the function around a kernel or helper: scalars are run-time parameters, anything else is known when compiling."""
    kind = capture_type(value)
    if kind is None or frame.path is None:
        return front_of(frame, node, value, name)
    return capture(frame, "", f"{frame.path}{name}", kind)


def capture_type(value: Any) -> str | None:
    """ "int" or "float" for a Python number, the scalar's name for a typed one, None for anything that is no scalar."""
    if isinstance(value, bool):
        return "bool"
    if type(value) in (int, float):
        return type(value).__name__
    kind: type[Any] = value.__class__
    scalar = scalar_of(kind)
    return None if scalar is None else scalar.name


def capture(frame: Frame, source: str, path: str, kind: str) -> Front:
    """The run-time value of a captured scalar. A Python number has no type of its own: each type in which it is used is a parameter."""
    lowering = frame.lowering
    holder = lowering.captures.setdefault((source, path), Capture(ParamInfo(source, "scalar", path=path)))

    def make(scalar: Scalar) -> Value:
        if scalar.name not in holder.params:
            holder.params[scalar.name] = Value(scalar, path)
        return holder.params[scalar.name]

    if kind in SCALARS:
        return Typed(make(SCALARS[kind]))
    return Weak("float" if kind == "float" else "int", make)
