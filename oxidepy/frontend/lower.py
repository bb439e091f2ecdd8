"""The entry: a kernel definition and what a launch fixes of it → kernel IR, or everything that is wrong with it."""

from __future__ import annotations

import ast
import importlib
import types
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from oxidepy.diagnostics import CompileError, Diagnostic, Span
from oxidepy.frontend import export, scratch
from oxidepy.frontend.bodies import local_names
from oxidepy.frontend.control import scope
from oxidepy.frontend.dispatch import contains, execute
from oxidepy.frontend.entry import Entry
from oxidepy.frontend.frame import Frame, Lowering
from oxidepy.frontend.names import load
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.requires import Requirements
from oxidepy.frontend.signature import parameters
from oxidepy.frontend.source import parse
from oxidepy.frontend.statements import returned_nothing
from oxidepy.frontend.values import Named
from oxidepy.ir.core import Kernel, Module, Op, Require, Value
from oxidepy.ir.depth import deep
from oxidepy.ir.record import record
from oxidepy.lang.definition import KernelDef, Specialisation
from oxidepy.settings.options import CodegenOptions

TABLES = (  # modules that fill the tables of `dispatch`
    "assembly",
    "atomics",
    "barriers",
    "builtins_",
    "clusters",
    "compare",
    "conversions",
    "copies",
    "debug",
    "expressions",
    "folds",
    "further",
    "groups",
    "hardware",
    "language",
    "loops",
    "matching",
    "maths",
    "mma",
    "numbers",
    "operators",
    "printing",
    "raw_parts",
    "runs",
    "scratch",
    "statements",
    "swizzles",
    "tcgen05",
    "text",
    "tma",
    "volatile",
    "wgmma",
)
for _name in TABLES:
    importlib.import_module(f"oxidepy.frontend.{_name}")


@record
class Lowered:
    """The IR of one specialised kernel, and warnings.

    `unsafe`: where a `with unsafe(...)` stands, and its reason; `granted`: the reasons that allowed what needs `unsafe` in any case.
    """

    module: Module
    warnings: tuple[Diagnostic, ...] = ()
    unsafe: tuple[tuple[Span, str], ...] = ()
    granted: frozenset[str] = frozenset()


def lower(definition: KernelDef, specialisation: Specialisation, options: CodegenOptions) -> Lowered:
    """Translate a kernel. CompileError with every finding."""
    with nested(definition):
        return _lower(definition, specialisation, options)


@contextmanager
def nested(definition: KernelDef) -> Generator[None]:
    """Room for a deep kernel. CompileError OX0658 where it is too deep for all that."""
    try:
        with deep():
            yield
    except RecursionError:
        span = parse(_function(definition)).name_span
        message = f"`{definition.name}` is nested too deeply"
        raise CompileError([Diagnostic("OX0658", message, span, help="take parts of it out into functions")]) from None


def _function(definition: KernelDef) -> types.FunctionType:
    return definition.function  # pyright: ignore[reportReturnType] - it takes the field for a method


def _lower(definition: KernelDef, specialisation: Specialisation, options: CodegenOptions) -> Lowered:
    function = _function(definition)
    parsed = parse(function)
    node = parsed.node
    assert isinstance(node, ast.FunctionDef)
    lowering = Lowering(definition, specialisation, options)
    frame = Frame(lowering, parsed, definition.name, local=local_names(node), key=function.__code__, path="")
    frame.is_kernel = not definition.exported
    exported = export.signature_of(frame, function, definition.options.name or definition.name) if definition.exported else None
    given = exported.parameters if exported is not None else parameters(definition)
    entry = Entry(frame, given)
    requires: list[Require] = []
    lowering.builder.span = parsed.name_span
    with lowering.builder.at(lowering.body):
        entry.bind()
        if exported is not None:
            outs = export.body(frame, exported)
        else:
            outs = []
            _body(frame, _requirements(frame, node.body, Requirements(frame, given), requires))
    errors = lowering.findings.found
    if lowering.given_up is not None and not any(one.severity == "error" for one in errors):  # a kernel never loses a statement silently
        errors.append(Diagnostic("OX0658", "this statement cannot be translated", lowering.given_up, help="write it in simpler steps"))
    if any(one.severity == "error" for one in errors):
        raise CompileError(sorted(errors, key=lambda one: _order(one, parsed.file)))
    module = Module(_kernel(lowering, entry, tuple(requires), frame, outs), lowering.functions)
    if exported is not None:
        module.kernel.exported = exported.exported
        export.alone(module.kernel, parsed.name_span)
    return Lowered(module, tuple(errors), tuple(lowering.blocks.items()), frozenset(lowering.granted))


def _order(one: Diagnostic, file: str) -> tuple[bool, str, int, int]:
    """The kernel's own lines first, then those of helpers in other files."""
    span = one.span
    return (span.file != file, span.file, span.line, span.column) if span else (False, "", 0, 0)


def _kernel(lowering: Lowering, entry: Entry, requires: tuple[Require, ...], frame: Frame, outs: list[Value]) -> Kernel:
    definition = lowering.definition
    contract = definition.contract
    body = lowering.body
    prologue = scratch.used(lowering.prologue.ops, body.ops)
    body.ops = [*prologue, *body.ops, Op("return", outs, span=frame.parsed.name_span)]
    params, infos = entry.abi()
    return Kernel(
        definition.options.name or definition.name,
        params,
        infos,
        body,
        contract.domain,
        contract.block,
        lowering.coordinate,
        definition.launch_bounds,
        contract.min_compute_capability,
        requires,
        definition.cluster,
        spoken=lowering.spoken,
        images=tuple(lowering.images.values()),
    )


def _body(frame: Frame, statements: Sequence[ast.stmt]) -> None:
    """The kernel's statements, in a scope where a `return` leaves them early."""
    if statements and isinstance(statements[-1], ast.Return) and not contains(statements[:-1], ast.Return):
        *statements, last = statements
        execute(frame, statements)
        assert isinstance(last, ast.Return)
        _last(frame, last)
        return
    if not contains(statements, ast.Return):
        execute(frame, statements)
        return
    with scope(frame, "return") as exits:
        frame.returns = exits
        execute(frame, statements)


def _last(frame: Frame, node: ast.Return) -> None:
    try:
        if frame.live:
            returned_nothing(frame, node)
    except Refused as refused:
        frame.report(refused.diagnostic)
    except Poisoned:
        return


def _requirements(frame: Frame, body: Sequence[ast.stmt], reader: Requirements, found: list[Require]) -> Sequence[ast.stmt]:
    """Take the `require` calls that stand first; gives the statements behind them."""
    for position, node in enumerate(body):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _is_require(frame, node.value.func)):
            return body[position:]
        found += reader.of(node.value)
    return []


def _is_require(frame: Frame, node: ast.expr) -> bool:
    last = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    try:
        value = frame.parsed.lookup(last) if isinstance(node, ast.Name) else None
        named = load(frame, node, last) if value is not None else None
    except (KeyError, Refused, Poisoned):
        return False
    return (isinstance(named, Named) and named.name == "require") or (isinstance(node, ast.Attribute) and last == "require")
