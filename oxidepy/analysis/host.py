"""What can be seen of the host's code without running it."""

from __future__ import annotations

import ast

from oxidepy.diagnostics import Diagnostic, Span

_UNCHECKED = "launch_unchecked"


def raw_launches(tree: ast.Module, source: str, file: str) -> list[Diagnostic]:
    """OX0133 for every `launch_unchecked` call that does not stand inside `with unsafe("…"):` of its own function."""
    finder = _RawLaunches(source.splitlines(), file)
    finder.visit(tree)
    return finder.found


class _RawLaunches(ast.NodeVisitor):
    def __init__(self, lines: list[str], file: str) -> None:
        self.lines = lines
        self.file = file
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
                    self.span(node),
                    help='say why it holds: `with unsafe("…"):`, or use `prepare`, which checks it',
                )
            )
        self.generic_visit(node)

    def span(self, node: ast.expr) -> Span:
        def column(line: int, offset: int) -> int:
            # the parser counts bytes of UTF-8
            text = self.lines[line - 1] if line <= len(self.lines) else ""
            return len(text.encode()[:offset].decode(errors="replace")) + 1

        end_line = node.end_lineno or node.lineno
        return Span(self.file, node.lineno, column(node.lineno, node.col_offset), end_line, column(end_line, node.end_col_offset or 0))


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
