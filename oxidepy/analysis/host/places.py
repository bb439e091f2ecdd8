"""Where nodes of a file's syntax tree stand in its text."""

from __future__ import annotations

import ast

from oxidepy.diagnostics import Span


class Places:
    """Spans of one file. The parser counts bytes of UTF-8, a span counts characters."""

    def __init__(self, source: str, file: str) -> None:
        self._lines = source.splitlines()
        self._file = file

    def span(self, node: ast.expr | ast.stmt) -> Span:
        end_line = node.end_lineno or node.lineno
        start, end = self._column(node.lineno, node.col_offset), self._column(end_line, node.end_col_offset or 0)
        return Span(self._file, node.lineno, start, end_line, end)

    def _column(self, line: int, offset: int) -> int:
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return len(text.encode()[:offset].decode(errors="replace")) + 1
