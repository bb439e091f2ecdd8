"""Which function translates which syntax: the tables that the other modules fill, and the walk that uses them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from oxidepy.frontend.constructs import unsupported
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.values import Front, Poison

EXPRESSIONS: dict[type[ast.AST], Callable[[Frame, Any], Front]] = {}
STATEMENTS: dict[type[ast.AST], Callable[[Frame, Any], None]] = {}
CALLS: dict[str, Callable[[Frame, ast.Call], Front]] = {}  # dotted name → what a call of it means; the handler translates the arguments
PROPERTIES: dict[str, Callable[[Frame, ast.AST], Front]] = {}  # dotted name → what reading it means, where that is no row of the table
FINDERS: list[Callable[[str], Callable[[Frame, ast.Call], Front] | None]] = []  # asked for what a name means that is not in CALLS
CALLERS: list[Callable[..., Front]] = []  # one: what translates a call of a function's value
METHODS: dict[str, Callable[[Frame, ast.Call, Any], Front]] = {}  # name of a method → what calling it on an owner means

E = TypeVar("E", bound=Callable[[Frame, Any], Front])
S = TypeVar("S", bound=Callable[[Frame, Any], None])
C = TypeVar("C", bound=Callable[[Frame, ast.Call], Front])


def expression(*kinds: type[ast.AST]) -> Callable[[E], E]:
    """Register the translation of expressions of these kinds."""

    def register(handler: E) -> E:
        EXPRESSIONS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def statement(*kinds: type[ast.AST]) -> Callable[[S], S]:
    """Register the translation of statements of these kinds."""

    def register(handler: S) -> S:
        STATEMENTS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def call(*names: str) -> Callable[[C], C]:
    """Register what a call of these names of the language means."""

    def register(handler: C) -> C:
        CALLS.update(dict.fromkeys(names, handler))
        return handler

    return register


def meaning(name: str) -> Callable[[Frame, ast.Call], Front] | None:
    """What a call of that dotted name means, if it means anything."""
    return CALLS.get(name) or next((found for find in FINDERS if (found := find(name)) is not None), None)


def translate(frame: Frame, node: ast.AST) -> Front:
    """The value of an expression. Refused or Poisoned if it has none."""
    handler = EXPRESSIONS.get(type(node))
    if handler is None:
        raise unsupported(frame, node)
    builder = frame.builder
    before, builder.span = builder.span, frame.span(node)
    try:
        value = handler(frame, node)
    finally:
        builder.span = before
    if isinstance(value, Poison):
        raise Poisoned
    return value


def execute(frame: Frame, statements: Sequence[ast.stmt]) -> None:
    """Translate statements in order. One that is refused is reported, and the names it would have bound are poisoned."""
    for node in statements:
        if not frame.live:
            return
        handler = STATEMENTS.get(type(node))
        before, frame.builder.span = frame.builder.span, frame.span(node)
        try:
            if handler is None:
                raise unsupported(frame, node)
            handler(frame, node)
        except Refused as refused:
            frame.report(refused.diagnostic)
            recover(frame, node)
        except Poisoned:
            recover(frame, node)
        finally:
            frame.builder.span = before


def recover(frame: Frame, node: ast.AST) -> None:
    """Go on behind something that was refused."""
    frame.live = True
    frame.lowering.given_up = frame.span(node)
    frame.poison(list(assigned([node])))


def assigned(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that these statements bind, in order of appearance, each once; not those of functions inside them."""
    seen: set[str] = set()
    for name in _assigned(nodes):
        if name not in seen:
            seen.add(name)
            yield name


_SCOPES = (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _assigned(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name
            yield from _assigned(ast.iter_child_nodes(node))
        elif not isinstance(node, _SCOPES):
            yield from _assigned(ast.iter_child_nodes(node))


def contains(nodes: Iterable[ast.AST], kinds: type[ast.AST] | tuple[type[ast.AST], ...], *, through_loops: bool = True) -> bool:
    """Whether such a node stands in these statements, outside of inner functions (and of inner loops' bodies unless `through_loops`)."""
    for node in nodes:
        if isinstance(node, kinds):
            return True
        if isinstance(node, _SCOPES):
            continue
        if not through_loops and isinstance(node, (ast.For, ast.While)):
            if contains(node.orelse, kinds, through_loops=False):
                return True
            continue
        if contains(ast.iter_child_nodes(node), kinds, through_loops=through_loops):
            return True
    return False
