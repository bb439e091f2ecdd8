"""Statements other than loops."""

from __future__ import annotations

import ast

from oxidepy.frontend.control import as_value, branch, condition
from oxidepy.frontend.convert import source
from oxidepy.frontend.dispatch import execute, statement, translate
from oxidepy.frontend.fitting import fit, local_annotation
from oxidepy.frontend.frame import Binding, Frame
from oxidepy.frontend.operators import add, binary, term
from oxidepy.frontend.places import load, store
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.targets import assign, place_of
from oxidepy.frontend.text import tell, template_of
from oxidepy.frontend.values import NONE, Formatted, Front, FunctionValue, Guard, Method, Named, NoneValue, Text
from oxidepy.ir.core import Block, Value
from oxidepy.ir.types import BOOL


@statement(ast.Pass)
def _pass(frame: Frame, node: ast.Pass) -> None:
    pass


@statement(ast.Expr)
def _expr(frame: Frame, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant) and (isinstance(node.value.value, str) or node.value.value is ...):
        return  # a docstring, or `...`
    value = translate(frame, node.value)
    if isinstance(value, Guard):
        raise frame.refuse(
            node, "OX0658", "`unsafe` outside of `with` is not supported in kernels", help='write `with unsafe("why this holds"):`'
        )
    if isinstance(value, (Named, Method, FunctionValue)):
        text = source(node.value)
        help = "leave it out" if isinstance(value, Named) and not callable(value.object) else f"call it: `{text}()`"
        raise frame.refuse(node, "OX0658", f"`{text}` as a statement is not supported in kernels", help=help)


@statement(ast.Assign)
def _assign(frame: Frame, node: ast.Assign) -> None:
    value = translate(frame, node.value)
    for target in node.targets:
        assign(frame, target, value, node.value)


@statement(ast.AnnAssign)
def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    wanted = local_annotation(frame, node.annotation)
    if node.value is None:
        return
    value = translate(frame, node.value)
    if wanted is not None:
        value = fit(frame, node.value, value, wanted, f"`{source(node.target)}`")
    assign(frame, node.target, value, node.value)


@statement(ast.AugAssign)
def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    """`x += e` is `x = x + e`, with the place of x found once."""
    target = node.target
    if isinstance(target, ast.Name):
        read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        frame.bind(target.id, _combined(frame, node, translate(frame, read)), frame.span(target))
        return
    place = place_of(frame, target)
    store(frame, target, place, _combined(frame, node, load(frame, target, place)), node.value)


def _combined(frame: Frame, node: ast.AugAssign, old: Front) -> Front:
    if isinstance(node.op, (ast.Add, ast.Sub)):
        return add(frame, node, isinstance(node.op, ast.Sub), (old, node.target), term(frame, node.value))
    return binary(frame, node, node.op, (old, node.target), (translate(frame, node.value), node.value))


@statement(ast.If)
def _if(frame: Frame, node: ast.If) -> None:
    try:
        flag = condition(frame, node.test)
    except (Refused, Poisoned) as stop:
        if isinstance(stop, Refused):
            frame.report(stop.diagnostic)
        flag = frame.builder.const(BOOL, False)  # the kernel is refused; its branches may hold further mistakes
    if isinstance(flag, bool):
        execute(frame, node.body if flag else node.orelse)
        return

    def side(statements: list[ast.stmt]) -> None:
        execute(frame, statements)

    branch(frame, flag, lambda: side(node.body), lambda: side(node.orelse))


@statement(ast.Assert)
def _assert(frame: Frame, node: ast.Assert) -> None:
    text, told = "assertion failed: " + source(node.test), False
    if isinstance(node.test, ast.Tuple):
        help = f"leave the parentheses out: `assert {', '.join(map(source, node.test.elts))}`"
        raise frame.refuse(node.test, "OX0308", "mismatched types: a condition is a `bool`, and this is a tuple", help=help)
    if node.msg is not None:
        with frame.region(Block()):  # what it is; where the assertion fails it is computed
            message = translate(frame, node.msg)
        if not isinstance(message, (Text, Formatted)):
            raise frame.refuse(
                node.msg,
                "OX0658",
                "a message that is neither a constant string nor an f-string is not supported in kernels",
                help='write `assert condition, "text"`, or an f-string',
            )
        told = isinstance(message, Formatted)
        text = message.value if isinstance(message, Text) else template_of(node.msg)
    if frame.lowering.options.no_assert:
        with frame.region(Block()):  # looked through for mistakes, and thrown away
            condition(frame, node.test)
        return
    flag = as_value(frame, condition(frame, node.test))
    if told and node.msg is not None and not frame.lowering.recursion.inside:  # such functions tell nothing but a number
        _tell_why(frame, flag, node.msg, text)
    frame.builder.check(flag, "OX7002", text)


def _tell_why(frame: Frame, flag: Value, node: ast.expr, template: str) -> None:
    """Where the assertion fails, its message with the values goes to the host before the thread ends."""

    def why() -> None:
        text = translate(frame, node)
        assert isinstance(text, (Text, Formatted))
        tell(frame, text, template)

    branch(frame, flag, lambda: None, why)


@statement(ast.With)
def _with(frame: Frame, node: ast.With) -> None:
    unsafe = frame.lowering.unsafe
    depth, reasons = len(unsafe), list[str]()
    for item in node.items:
        guard = translate(frame, item.context_expr)
        if not isinstance(guard, Guard):
            raise frame.refuse(
                item.context_expr,
                "OX0658",
                "`with` is not supported in kernels, but for `with unsafe(...)`",
                help="write the statements by themselves",
            )
        if item.optional_vars is not None:
            raise frame.refuse(item.optional_vars, "OX0658", "`as` of `unsafe` is not supported in kernels", help="leave it out")
        reasons.append(guard.reason)
        frame.lowering.blocks[frame.parsed.span(item.context_expr)] = guard.reason
    unsafe.extend(reasons)
    try:
        execute(frame, node.body)
    finally:
        del unsafe[depth:]


@statement(ast.Return)
def _return(frame: Frame, node: ast.Return) -> None:
    exits = frame.returns
    assert exits is not None, "a return without a scope to leave"
    if frame.caller is None and frame.is_kernel:
        returned_nothing(frame, node)
        frame.leave(exits)
        return
    value = result_of(frame, node)
    frame.leave(exits, Binding(value, frame.span(node.value or node)))


def returned_nothing(frame: Frame, node: ast.Return) -> None:
    """OX1003 where a kernel returns a value."""
    if node.value is None:
        return
    value = translate(frame, node.value)
    if not isinstance(value, NoneValue):
        frame.report(
            frame.refuse(
                node.value,
                "OX1003",
                "a kernel returns a value",
                help="write it to an element of a `DisjointSlice`, and `return` without a value",
            ).diagnostic
        )


def result_of(frame: Frame, node: ast.Return) -> Front:
    """What a helper returns here, as its annotation wants it."""
    value = NONE if node.value is None else translate(frame, node.value)
    if frame.result is not None:
        value = fit(frame, node.value or node, value, frame.result, f"the result of `{frame.name}`")
    return value
