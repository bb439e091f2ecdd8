"""The signature of a kernel or helper function: its parameters with their types, or all that is wrong with it at once."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Any

from oxidepy.diagnostics import CompileError, Diagnostic, Label, Span
from oxidepy.frontend.annotations import Refused, convert, evaluated, raw, says_nothing
from oxidepy.frontend.source import Parsed, parse
from oxidepy.ir.record import record
from oxidepy.lang.definition import KernelDef, Parameter, ParamType
from oxidepy.lang.names import name_of
from oxidepy.lang.resolve import Scope

DECORATORS = frozenset(("kernel", "tile.kernel", "launch_bounds", "launch_contract", "cluster_launch", "cooperative_launch"))
HELPERS = frozenset(("extern", "export"))  # of functions that kernels call
_CACHED = "_oxidepy_parameters"


def parameters(definition: KernelDef) -> tuple[Parameter, ...]:
    """The parameters of a kernel, resolved once and kept with the definition. CompileError with every finding: OX1001 to OX1007."""
    known: tuple[Parameter, ...] | None = definition.__dict__.get(_CACHED)
    if known is None:
        known = definition.__dict__[_CACHED] = _resolve(definition)
    return known


def _resolve(definition: KernelDef) -> tuple[Parameter, ...]:
    function: types.FunctionType = definition.function  # pyright: ignore[reportAssignmentType] - it takes the field for a method
    parsed = parse(function)
    if isinstance(parsed.node, ast.Lambda):
        raise CompileError(
            [Diagnostic("OX1001", "a lambda has no annotations, so it is no kernel", span=parsed.name_span, help="write a `def`")]
        )
    scope = Scope.of(function, definition.frame)
    if (wrapped := getattr(function, "__wrapped__", None)) is not None:
        raise CompileError([_wraps(parsed, wrapped)])  # whatever else its text says, the author did not mean it for a kernel
    found = [*_decorators(parsed, definition.frame), *_shape(parsed.node, parsed), *_result(parsed, scope)]
    given, defaults = (_by_written_name(parsed, one) for one in (raw(function), defaults_of(function)))
    out: list[Parameter] = []
    for arg in positional(parsed.node):
        if arg.arg not in given:
            if not _is_self(parsed, arg):
                help = f"say what it is: `{arg.arg}: f32`, `{arg.arg}: Slice[f32]`, …"
                found.append(
                    Diagnostic(
                        "OX1001", f"parameter `{arg.arg}` of kernel `{definition.name}` has no annotation", span=parsed.span(arg), help=help
                    )
                )
            continue
        try:
            type_ = convert(given[arg.arg], scope, definition.options.unsafe is not None)
            out.append(Parameter(arg.arg, type_, defaults.get(arg.arg, inspect.Parameter.empty), parsed.span(arg)))
        except (Refused, CompileError) as error:
            found.extend(_findings(error, parsed, arg))
    if found:
        raise CompileError(sorted(found, key=lambda one: (one.span.line, one.span.column) if one.span else (0, 0)))
    return tuple(out)


def _findings(error: Refused | CompileError, parsed: Parsed, arg: ast.arg) -> list[Diagnostic]:
    if isinstance(error, CompileError):
        return list(error.diagnostics)
    span = parsed.span(arg.annotation or arg)
    return [Diagnostic(error.code, error.message, span=span, label=f"of parameter `{arg.arg}`", help=error.help)]


def positional(node: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args]


def _by_written_name(parsed: Parsed, values: Mapping[str, Any]) -> dict[str, Any]:
    """What Python keeps by parameter, under the names that the text has: inside a class it has made `_C__x` of `__x`."""
    kept = parsed.function.__code__.co_varnames
    written = (one.arg for one in (*positional(parsed.node), *parsed.node.args.kwonlyargs))
    return {**values, **{name: values[own] for name, own in zip(written, kept, strict=False) if own in values}}


def defaults_of(function: types.FunctionType) -> dict[str, Any]:
    """Parameter → default value, keyword-only ones too."""
    code = function.__code__
    values = function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    return {**dict(zip(names[len(names) - len(values) :], values, strict=True)), **(function.__kwdefaults__ or {})}


def _is_self(parsed: Parsed, arg: ast.arg) -> bool:
    return arg.annotation is None and arg.arg in ("self", "cls") and arg is next(iter(positional(parsed.node)), None)


def _shape(node: ast.FunctionDef, parsed: Parsed) -> Iterator[Diagnostic]:
    """OX1004 and OX1006: parameters that no launch could fill."""
    for arg, stars in ((node.args.vararg, "*"), (node.args.kwarg, "**")):
        if arg is not None:
            help = "name each parameter; many values of one type are a `Slice`"
            yield Diagnostic("OX1004", f"a kernel takes no `{stars}{arg.arg}`", span=parsed.span(arg), help=help)
    for arg in node.args.kwonlyargs:
        help = "remove the `*` in front; a launch may still give it by name"
        yield Diagnostic("OX1004", f"parameter `{arg.arg}` of a kernel is keyword-only", span=parsed.span(arg), help=help)
    first = next(iter(positional(node)), None)
    if first is not None and _is_self(parsed, first):
        help = f"a kernel has no object: remove `{first.arg}`; inside a class write `@staticmethod` between `@kernel` and `def`"
        yield Diagnostic("OX1006", f"the first parameter of kernel `{node.name}` is `{first.arg}`", span=parsed.span(first), help=help)


def _result(parsed: Parsed, scope: Scope) -> Iterator[Diagnostic]:
    """OX1003: a result annotation other than None. None may be missing."""
    node = parsed.node
    returns = None if isinstance(node, ast.Lambda) else node.returns
    if returns is None or (isinstance(returns, ast.Constant) and returns.value is None):
        return
    try:
        value = evaluated(raw(parsed.function).get("return"), scope)
    except Refused:
        value = returns
    if value is not None and value is not type(None):
        text = ast.unparse(returns)
        help = "write `-> None`, and store the result in a `DisjointSlice` parameter"
        yield Diagnostic("OX1003", f"a kernel returns nothing, but this one says `{text}`", span=parsed.span(returns), help=help)


# ---- decorators


def _decorators(parsed: Parsed, frame: Mapping[str, Any], allowed: frozenset[str] = DECORATORS) -> Iterator[Diagnostic]:
    """OX1007: what another decorator makes of the function is not what its source says."""
    node = parsed.node
    if isinstance(node, ast.Lambda):
        return
    scope = Scope.of(parsed.function, frame)
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if not _ours(target, scope, allowed):
            text, own = ast.unparse(target), _ours(target, scope, HELPERS)
            why = "is for functions that kernels call" if own else "is not oxidepy's"
            help = "remove it; only oxidepy's own decorators and `staticmethod` may stand on a kernel"
            yield Diagnostic("OX1007", f"the decorator `@{text}` on `{node.name}` {why}", span=parsed.span(decorator), help=help)


def _wraps(parsed: Parsed, wrapped: Any) -> Diagnostic:
    """OX1007 of a function that another decorator has put around the one that was meant."""
    inner = getattr(wrapped, "__code__", None)
    labels = (
        (Label(Span(inner.co_filename, inner.co_firstlineno, 1, inner.co_firstlineno, 2), "this function is wrapped"),) if inner else ()
    )
    help = "use the function itself, with no decorators but oxidepy's and staticmethod"
    return Diagnostic("OX1007", f"`{parsed.function.__name__}` wraps another function", span=parsed.name_span, labels=labels, help=help)


def _ours(target: ast.expr, scope: Scope, allowed: frozenset[str]) -> bool:
    try:
        value = scope.evaluate(ast.unparse(target))
    except Exception:  # a name that is gone by now; a wrapper would stand here itself, with the decorators of its own source
        return True
    return value in (staticmethod, classmethod, property) or name_of(value) in allowed


# ---- helper functions


@record
class HelperSignature:
    """A function that a kernel calls. `types` has None where there is no annotation or one that says no width (`int`): the
    argument decides. The first `positional` of `names` may be given by place."""

    names: tuple[str, ...]
    types: tuple[ParamType | None, ...]
    defaults: Mapping[str, Any]
    result: ParamType | None
    positional: int
    positional_only: int = 0


def helper_signature(function: types.FunctionType, frame: Mapping[str, Any] | None = None) -> HelperSignature:
    """The signature of a helper function or lambda. CompileError OX1002, OX1004, OX1007."""
    parsed = parse(function)
    node = parsed.node
    scope = Scope.of(function, frame or {})
    given = _by_written_name(parsed, raw(function))
    if (wrapped := getattr(function, "__wrapped__", None)) is not None:
        raise CompileError([_wraps(parsed, wrapped)])
    found = list(_decorators(parsed, frame or {}, DECORATORS | HELPERS))
    for arg, stars in ((node.args.vararg, "*"), (node.args.kwarg, "**")):
        if arg is not None:
            found.append(
                Diagnostic(
                    "OX1004", f"a function that kernels call takes no `{stars}{arg.arg}`", span=parsed.span(arg), help="name each parameter"
                )
            )
    args = [*positional(node), *node.args.kwonlyargs]
    types_: list[ParamType | None] = []
    for arg in args:
        types_.append(_helper_type(given.get(arg.arg), scope, parsed, arg.annotation, found))
    returns = None if isinstance(node, ast.Lambda) else node.returns
    result = _helper_type(given.get("return"), scope, parsed, returns, found)
    if found:
        raise CompileError(found)
    names = tuple(one.arg for one in args)
    defaults = _by_written_name(parsed, defaults_of(function))
    return HelperSignature(names, tuple(types_), defaults, result, len(positional(node)), len(node.args.posonlyargs))


def _helper_type(annotation: Any, scope: Scope, parsed: Parsed, node: ast.expr | None, found: list[Diagnostic]) -> ParamType | None:
    if annotation is None or node is None:
        return None
    try:
        value = evaluated(annotation, scope)
        if says_nothing(value):
            return None
        return convert(value, scope, unsafe=True)  # what a pointer needs `unsafe` for is its use
    except Refused as error:
        found.append(Diagnostic(error.code, error.message, span=parsed.span(node), help=error.help))
    except CompileError as error:
        found.extend(error.diagnostics)
    return None
