"""Helper functions and lambdas: their bodies are translated where they are called."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence

from oxidepy.diagnostics import CompileError
from oxidepy.frontend import recursion
from oxidepy.frontend.bodies import arguments_by_name, bind, bind_as, local_names, missing, run
from oxidepy.frontend.convert import Operand
from oxidepy.frontend.dispatch import CALLERS, expression, statement, translate
from oxidepy.frontend.fitting import local_annotation
from oxidepy.frontend.foreign import call_extern
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.report import Refused
from oxidepy.frontend.signature import helper_signature
from oxidepy.frontend.source import parse
from oxidepy.frontend.values import Front, FunctionValue
from oxidepy.lang.definition import ConstParam
from oxidepy.lang.foreign import extern_of

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
    if callee.owner is not None:
        args = [(callee.owner, node), *args]
    try:
        parsed, signature = parse(function), helper_signature(function, callee.names)
    except CompileError as error:
        for one in error.diagnostics[1:]:
            frame.report(one)
        raise Refused(error.diagnostics[0]) from None
    if (extern := extern_of(function)) is not None:
        _deepest(frame, node, function.__name__)
        return call_extern(frame, node, callee, extern, signature, args, keywords or {})
    if not any(isinstance(one, ConstParam) for one in signature.types) and recursion.calls_itself(frame.lowering, function):
        return recursion.call_recursive(frame, node, callee, signature, args, keywords or {})
    _deepest(frame, node, function.__name__, method=callee.owner is not None)
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
    given = arguments_by_name(
        frame, node, inner.name, signature.names, signature.positional, args, keywords or {}, signature.positional_only
    )
    bind(frame, node, inner, signature, given)
    inner.result = signature.result
    return run(inner, parsed.node)


CALLERS.append(inline)


def _local(frame: Frame, node: ast.AST, callee: FunctionValue, args: Sequence[Operand], keywords: dict[str, Operand]) -> Front:
    """A call of a lambda or function that is written inside of another: it sees that one's names as they are now."""
    home, body, label = callee.home, callee.node, callee.label
    assert home is not None and body is not None
    _deepest(frame, node, label, body, home)
    inner = Frame(home.lowering, home.parsed, label, local=local_names(body), parent=home, caller=(frame, node), key=body, path=home.path)
    inner.types, inner.site = dict(home.types), home.site
    parameters = (*body.args.posonlyargs, *body.args.args, *body.args.kwonlyargs)
    names = tuple(one.arg for one in parameters)
    by_place = len(names) - len(body.args.kwonlyargs)
    given = arguments_by_name(frame, node, label, names, by_place, args, keywords, len(body.args.posonlyargs))
    for name in names:
        if name not in given:
            if name not in callee.defaults:
                raise missing(frame, node, label, name, names)
            given[name] = (callee.defaults[name], node)
    annotations = [None if one.annotation is None else local_annotation(home, one.annotation) for one in parameters]
    bind_as(frame, inner, zip(names, annotations, strict=True), given)
    if isinstance(body, ast.FunctionDef) and body.returns is not None:
        inner.result = local_annotation(home, body.returns)
    return run(inner, body)


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
    frame.bind(node.name, _made_here(frame, node, node.name), frame.span(node))


@expression(ast.Lambda)
def _lambda(frame: Frame, node: ast.Lambda) -> Front:
    if node.args.vararg or node.args.kwarg:
        raise frame.refuse(node, "OX0658", "a lambda with `*` parameters is not supported in kernels", help="name each parameter")
    return _made_here(frame, node, "lambda")


def _made_here(frame: Frame, node: ast.FunctionDef | ast.Lambda, label: str) -> FunctionValue:
    """A function that is written inside of another. Its defaults are computed now, as Python does."""
    defaults = {name: translate(frame, value) for name, value in _local_defaults(node).items()}
    return FunctionValue(None, node, frame, label=label, defaults=defaults)


def _deepest(frame: Frame, node: ast.AST, name: str, key: object = None, home: Frame | None = None, *, method: bool = False) -> None:
    """OX0658 where calls stand too deep in each other, or in a function that is written inside of the kernel and calls itself."""
    here: Frame | None = frame
    depth = 0
    while here is not None:
        depth += 1
        if depth > DEEPEST:
            message = f"`{name}` is called inside of more than {DEEPEST} calls"
            help = "let a compile-time parameter end its recursion, or write a loop"
            if method:
                help = "a method is written out where it is called: for recursion write a function beside the class, or a loop"
            raise frame.refuse(node, "OX0658", message, help=help)
        if here.key is key and here.parent is home and key is not None:
            message = f"recursion of a function inside of a kernel is not supported in kernels: `{name}` calls itself"
            raise frame.refuse(node, "OX0658", message, help=f"define `{name}` beside the kernel, or write a loop")
        here = here.caller[0] if here.caller else None
