"""Helper functions and lambdas: their bodies are translated where they are called."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Sequence

from oxidepy.diagnostics import CompileError
from oxidepy.diagnostics.names import suggest
from oxidepy.frontend.control import scope
from oxidepy.frontend.convert import Operand
from oxidepy.frontend.dispatch import assigned, contains, execute, statement, translate
from oxidepy.frontend.fitting import fit, local_annotation
from oxidepy.frontend.frame import RETURN, Binding, Frame
from oxidepy.frontend.merge import resolve
from oxidepy.frontend.report import Refused
from oxidepy.frontend.signature import HelperSignature, helper_signature
from oxidepy.frontend.source import Parsed, parse
from oxidepy.frontend.statements import result_of
from oxidepy.frontend.static import front_of
from oxidepy.frontend.values import NONE, POISON, Front, FunctionValue, Literal, NoneValue, Text, Weak
from oxidepy.ir.types import Element
from oxidepy.lang.definition import ConstParam

DEEPEST = 100  # calls inside each other


def call_function(frame: Frame, node: ast.Call, callee: FunctionValue) -> Front:
    """Translate the arguments, then the callee's body with them."""
    if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
        raise frame.refuse(node, "OX0658", "`*` in a call is not supported in kernels", help="name each argument")
    args: list[Operand] = [(translate(frame, one), one) for one in node.args]
    keywords: dict[str, Operand] = {one.arg: (translate(frame, one.value), one.value) for one in node.keywords if one.arg is not None}
    return inline(frame, node, callee, args, keywords)


def inline(
    frame: Frame, node: ast.AST, callee: FunctionValue, args: Sequence[Operand], keywords: dict[str, Operand] | None = None
) -> Front:
    """The value of a call: the body of a function or lambda, translated here."""
    if callee.node is not None:
        return _local(frame, node, callee, args, keywords or {})
    function: types.FunctionType = callee.function
    try:
        parsed, signature = parse(function), helper_signature(function)
    except CompileError as error:
        for one in error.diagnostics[1:]:
            frame.report(one)
        raise Refused(error.diagnostics[0]) from None
    _recursion(frame, node, function, function.__name__)
    inner = Frame(
        frame.lowering,
        parsed,
        callee.label or function.__name__,
        local=local_names(parsed.node),
        captured=callee.captured,
        caller=(frame, node),
        key=function,
        path=callee.path,
    )
    inner.site = callee.site or frame.site
    given = _arguments(frame, node, inner.name, signature.names, signature.positional, args, keywords or {})
    _bind(frame, node, inner, signature, given, parsed)
    inner.result = signature.result
    return _run(inner, parsed.node)


def _local(frame: Frame, node: ast.AST, callee: FunctionValue, args: Sequence[Operand], keywords: dict[str, Operand]) -> Front:
    """A call of a lambda or function that is written inside of another: it sees that one's names as they are now."""
    home, body, label = callee.home, callee.node, callee.label
    assert home is not None and body is not None
    _recursion(frame, node, body, label)
    inner = Frame(home.lowering, home.parsed, label, local=local_names(body), parent=home, caller=(frame, node), key=body, path=home.path)
    inner.types, inner.site = home.types, home.site
    parameters = (*body.args.posonlyargs, *body.args.args, *body.args.kwonlyargs)
    names = tuple(one.arg for one in parameters)
    given = _arguments(frame, node, label, names, len(names) - len(body.args.kwonlyargs), args, keywords)
    defaults = _local_defaults(body)
    for parameter in parameters:
        name = parameter.arg
        if name not in given:
            if name not in defaults:
                raise _missing(frame, node, label, name)
            given[name] = (translate(home, defaults[name]), node)
        value, place = given[name]
        wanted = None if parameter.annotation is None else local_annotation(home, parameter.annotation)
        if wanted is not None and value is not POISON:
            value = fit(frame, place, value, wanted, f"parameter `{name}` of `{label}`", inner.types)
        inner.bind(name, value, frame.span(place), literal=isinstance(wanted, ConstParam))
    if isinstance(body, ast.FunctionDef) and body.returns is not None:
        inner.result = local_annotation(home, body.returns)
    return _run(inner, body)


def _local_defaults(node: ast.FunctionDef | ast.Lambda) -> dict[str, ast.expr]:
    args = node.args
    places = [*args.posonlyargs, *args.args]
    given = dict(zip((one.arg for one in places[len(places) - len(args.defaults) :]), args.defaults, strict=True))
    given.update((one.arg, value) for one, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if value is not None)
    return given


@statement(ast.FunctionDef)
def _define(frame: Frame, node: ast.FunctionDef) -> None:
    """A function inside of the kernel: its body is translated where it is called."""
    args = node.args
    if node.decorator_list:
        raise frame.refuse(
            node.decorator_list[0], "OX1007", f"a decorator on `{node.name}`, a function inside of a kernel", help="remove it"
        )
    if args.vararg is not None or args.kwarg is not None:
        raise frame.refuse(args.vararg or args.kwarg or node, "OX1004", f"`{node.name}` takes `*` parameters", help="name each parameter")
    for default in _local_defaults(node).values():
        if not isinstance(translate(frame, default), (Literal, Text, NoneValue)):
            message = f"a default of `{node.name}` that is computed in the kernel is not supported in kernels"
            raise frame.refuse(default, "OX0658", message, help="give it a constant, or pass the value where it is called")
    frame.bind(node.name, FunctionValue(None, node, frame, label=node.name), frame.span(node))


def _recursion(frame: Frame, node: ast.AST, key: object, name: str) -> None:
    here: Frame | None = frame
    depth = 0
    while here is not None:
        depth += 1
        if here.key is key or depth > DEEPEST:
            raise frame.refuse(node, "OX0658", f"recursion is not supported in kernels: `{name}` calls itself", help="write a loop")
        here = here.caller[0] if here.caller else None


@functools.lru_cache(maxsize=4096)
def local_names(node: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names that belong to the function itself."""
    body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    args = node.args
    names = [one.arg for one in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return frozenset((*names, *assigned(body)))


# ---- arguments


def _arguments(
    frame: Frame, node: ast.AST, name: str, names: Sequence[str], positional: int, args: Sequence[Operand], keywords: dict[str, Operand]
) -> dict[str, Operand]:
    """Parameter → argument, as Python binds them. OX0308 where they do not go together."""
    if len(args) > positional:
        what = f"`{name}` takes {positional} argument{'s' * (positional != 1)}, and is given {len(args)}"
        raise frame.refuse(node, "OX0308", what, help="its parameters are " + ", ".join(f"`{one}`" for one in names) if names else None)
    given = dict(zip(names, args, strict=False))
    for keyword, operand in keywords.items():
        if keyword not in names:
            close = suggest(keyword, names)
            raise frame.refuse(
                operand[1], "OX0425", f"`{name}` has no parameter `{keyword}`", help=f"did you mean `{close}`?" if close else None
            )
        if keyword in given:
            raise frame.refuse(operand[1], "OX0308", f"`{name}` is given `{keyword}` twice")
        given[keyword] = operand
    return given


def _missing(frame: Frame, node: ast.AST, name: str, parameter: str) -> Exception:
    return frame.refuse(node, "OX0308", f"the call of `{name}` lacks the argument `{parameter}`")


def _bind(frame: Frame, node: ast.AST, inner: Frame, signature: HelperSignature, given: dict[str, Operand], parsed: Parsed) -> None:
    """Bind parameters: those with a type of their own first, so that literals take what the TypeVars stand for."""
    for name in signature.names:
        if name not in given:
            if name not in signature.defaults:
                raise _missing(frame, node, inner.name, name)
            given[name] = (front_of(frame, node, signature.defaults[name], name), node)
    types_: dict[str, Element] = {}
    annotated = list(zip(signature.names, signature.types, strict=True))
    for loose in (False, True):
        for name, wanted in annotated:
            value, place = given[name]
            if loose != _is_loose(value) or value is POISON:
                continue
            if wanted is not None:
                value = fit(frame, place, value, wanted, f"parameter `{name}` of `{inner.name}`", types_)
            # the maths library passes constants on, whose type is that of what they meet
            keep = isinstance(wanted, ConstParam) or (wanted is None and frame.lowering.in_library)
            inner.bind(name, value, frame.span(place), literal=keep)
    inner.types = types_


def _is_loose(value: Front) -> bool:
    return isinstance(value, (Literal, Weak))


# ---- the body


def _run(inner: Frame, node: ast.FunctionDef | ast.Lambda) -> Front:
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
