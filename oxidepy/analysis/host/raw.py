"""Launches without checks that stand outside of `unsafe`."""

from __future__ import annotations

import ast

from oxidepy.analysis.host.places import Places
from oxidepy.diagnostics import Diagnostic

_UNCHECKED = "launch_unchecked"


def raw_launches(tree: ast.Module, places: Places) -> list[Diagnostic]:
    """OX0133 for every `launch_unchecked` call that does not stand inside `with unsafe("…"):` of its own function."""
    finder = _RawLaunches(places)
    finder.visit(tree)
    return finder.found


class _RawLaunches(ast.NodeVisitor):
    def __init__(self, places: Places) -> None:
        self.places = places
        self.depth = 0
        self.found: list[Diagnostic] = []

    def visit_With(self, node: ast.With) -> None:
        opens = any(isinstance(item.context_expr, ast.Call) and _called(item.context_expr) == "unsafe" for item in node.items)
        for item in node.items:
            self.visit(item)
        self.depth += opens
        for statement in node.body:
            self.visit(statement)
        self.depth -= opens

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        # a function runs when it is called, not where it stands: the `with` around its definition says nothing
        outer, self.depth = self.depth, 0
        self.generic_visit(node)
        self.depth = outer

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = visit_FunctionDef

    def visit_Call(self, node: ast.Call) -> None:
        if _called(node) == _UNCHECKED and self.depth == 0:
            self.found.append(
                Diagnostic(
                    "OX0133",
                    "`launch_unchecked` proves nothing about its configuration and needs `unsafe`",
                    self.places.span(node),
                    help='say why it holds: `with unsafe("…"):`, or use `prepare`, which checks it',
                )
            )
        self.generic_visit(node)


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
