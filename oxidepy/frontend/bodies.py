"""Functions of Python that a kernel calls: their arguments are bound as Python binds them, and their bodies translated."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Sequence

from oxidepy.diagnostics.names import suggest
from oxidepy.frontend.control import scope
from oxidepy.frontend.convert import Operand, kind_of
from oxidepy.frontend.dispatch import assigned, contains, execute, translate
from oxidepy.frontend.fitting import fit
from oxidepy.frontend.frame import RETURN, Binding, Frame
from oxidepy.frontend.merge import resolve
from oxidepy.frontend.signature import HelperSignature
from oxidepy.frontend.statements import result_of
from oxidepy.frontend.static import front_of
from oxidepy.frontend.values import NONE, POISON, Front, Literal, TupleValue, Weak
from oxidepy.lang.definition import ConstParam, ParamType


@functools.lru_cache(maxsize=4096)
def local_names(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that belong to the function itself."""
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    args = node.args
    names = [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return frozenset((*names, *assigned(body)))


# ---- arguments


def arguments_by_name(
    frame: Frame,
    node: ast.AST,
    name: str,
    names: Sequence[str],
    positional: int,
    args: Sequence[Operand],
    keywords: dict[str, Operand],
    unnamed: int = 0,
) -> dict[str, Operand]:
    """Parameter → argument, as Python binds them; the first `unnamed` go by place alone. OX0308 where they do not go together."""
    if len(args) > positional:
        what = f"`{name}` takes {positional} argument{'s' * (positional != 1)}, and is given {len(args)}"
        raise frame.refuse(node, "OX0308", what, help=_parameters(names))
    given = dict(zip(names, args, strict=False))
    for keyword, operand in keywords.items():
        if keyword not in names:
            close = suggest(keyword, names)
            help = f"did you mean `{close}`?" if close else _parameters(names)
            raise frame.refuse(operand[1], "OX0425", f"`{name}` has no parameter `{keyword}`", help=help)
        if keyword in names[:unnamed]:
            raise frame.refuse(operand[1], "OX0308", f"`{keyword}` of `{name}` is given by its place, not by its name")
        if keyword in given:
            raise frame.refuse(operand[1], "OX0308", f"`{name}` is given `{keyword}` twice")
        given[keyword] = operand
    return given


def _parameters(names: Sequence[str]) -> str:
    return "its parameters are " + ", ".join(f"`{one}`" for one in names) if names else "leave the arguments out"


def missing(frame: Frame, node: ast.AST, name: str, parameter: str, names: Sequence[str]) -> Exception:
    return frame.refuse(node, "OX0308", f"the call of `{name}` lacks the argument `{parameter}`", help=_parameters(names))


def bind(frame: Frame, node: ast.AST, inner: Frame, signature: HelperSignature, given: dict[str, Operand]) -> None:
    """Bind the parameters of a function of a module."""
    for name in signature.names:
        if name not in given:
            if name not in signature.defaults:
                raise missing(frame, node, inner.name, name, signature.names)
            given[name] = (front_of(frame, node, signature.defaults[name], name), node)
    bind_as(frame, inner, zip(signature.names, signature.types, strict=True), given)


def bind_as(frame: Frame, inner: Frame, annotated: Iterable[tuple[str, ParamType | None]], given: dict[str, Operand]) -> None:
    """Bind parameters: those with a type of their own first, so that literals take what the TypeVars stand for; where all are literals,
    floats first."""
    for name, wanted in sorted(annotated, key=lambda one: _looseness(given[one[0]][0])):
        value, place = given[name]
        if wanted is not None and value is not POISON:
            value = fit(frame, place, value, wanted, f"parameter `{name}` of `{inner.name}`", inner.types)
        # the maths library passes constants on, whose type is that of what they meet
        keep = isinstance(wanted, ConstParam) or (wanted is None and frame.lowering.in_library)
        inner.bind(name, value, frame.span(place), literal=keep)


def _looseness(value: Front) -> int:
    if isinstance(value, TupleValue):
        return max(map(_looseness, value.items), default=0)
    return 0 if not isinstance(value, (Literal, Weak)) else 1 if kind_of(value) == "float" else 2


# ---- the body


def run(inner: Frame, node: ast.FunctionDef | ast.Lambda) -> Front:
    if isinstance(node, ast.Lambda):
        return translate(inner, node.body)
    body = list(node.body)
    before = inner.builder.span
    try:
        if _returns_last(node):
            return _straight(inner, body)
        with scope(inner, "return") as exits:
            inner.returns = exits
            execute(inner, body)
            if inner.live:
                inner.bindings[RETURN] = Binding(NONE, inner.parsed.name_span)
        if not inner.live:
            raise inner.refuse(node, "OX0658", f"`{inner.name}` never comes to its end", help="give its loop a way out")
        return resolve(inner, RETURN)
    finally:
        inner.builder.span = before


@functools.lru_cache(maxsize=4096)
def _returns_last(node: ast.FunctionDef) -> bool:
    """Whether the only return, if there is one, is the last statement."""
    *body, last = node.body
    return not contains(body, ast.Return) and (isinstance(last, ast.Return) or not contains([last], ast.Return))


def _straight(inner: Frame, body: Sequence[ast.stmt]) -> Front:
    """A body whose only return, if any, is its last statement."""
    last = body[-1]
    if not isinstance(last, ast.Return):
        execute(inner, body)
        return NONE
    execute(inner, body[:-1])
    inner.builder.span = inner.span(last)
    return result_of(inner, last)
