"""How a diagnostic is laid out, in the style of rustc: lines of styled pieces. The renderers only join or colour them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Literal

from oxidepy.diagnostics.model import Diagnostic, Label, Span
from oxidepy.diagnostics.sources import line_of, shown_path

Style = Literal["", "error", "warning", "message", "gutter", "second", "strong"]
Piece = tuple[str, Style]
Line = list[Piece]

TAB = 4
WIDEST = 140  # columns of a source line; a longer one is cut around its carets
SHOWN_LABELS = 3


def layout(diagnostic: Diagnostic) -> list[Line]:
    """The lines: head, place, source with carets, second places, notes, help."""
    level: Style = diagnostic.severity
    out: list[Line] = [[(f"{level}[{diagnostic.code}]", level), (f": {_clean(diagnostic.message)}", "message")]]
    marks = _marks(diagnostic)
    shown = [(mark, line_of(mark[0].file, mark[0].line)) for mark in marks]
    width = max((len(str(span.line)) for span, _, _ in marks), default=1)
    pad = " " * width
    last: tuple[str, int] | None = None
    for (span, text, style), source in shown:
        if last is None or last[0] != span.file:
            place = diagnostic.span if last is None and diagnostic.span is not None else span
            arrow = "-->" if last is None else ":::"
            out.append([(f"{pad}{arrow} ", "gutter"), (f"{shown_path(place.file)}:{place.line}:{place.column}", "")])
            if source is not None:
                out.append([(f"{pad} |", "gutter")])
        elif span.line > last[1] + 1:
            out.append([("...", "gutter")])
        if source is not None:
            numbered = last != (span.file, span.line)
            out.extend(_excerpt(span, text, style, source, f"{span.line:>{width}}", pad, numbered))
        elif text:
            out.append([(f"{pad} = ", "gutter"), (f"line {span.line}: {text}", "")])
        last = (span.file, span.line)
    hidden = len(diagnostic.labels) - SHOWN_LABELS
    if hidden > 0:
        out.append([(f"{pad} = ", "gutter"), ("note", "strong"), (f": and {hidden} more place{'s' if hidden > 1 else ''}", "")])
    for kind, text in _remarks(diagnostic):
        first, *rest = _clean(text, keep="\n").split("\n")
        out.append([(f"{pad} = ", "gutter"), (kind, "strong"), (f": {first}", "")])
        out.extend([(f"{pad}   {' ' * (len(kind) + 2)}{line}", "")] for line in rest)
    return out


def _remarks(diagnostic: Diagnostic) -> Iterator[tuple[str, str]]:
    yield from (("note", note) for note in diagnostic.notes)
    if diagnostic.help:
        yield "help", diagnostic.help


def _marks(diagnostic: Diagnostic) -> list[tuple[Span, str, Style]]:
    """The places to show: the file of the message first and its lines in order, other files after it."""
    span = diagnostic.span
    labels: tuple[Label, ...] = diagnostic.labels[:SHOWN_LABELS]
    if span is None:
        return [(label.span, label.text, "second") for label in labels]
    marks: list[tuple[Span, str, Style]] = [(span, diagnostic.label, diagnostic.severity)]
    marks.extend((label.span, label.text, "second") for label in labels)
    files = list(dict.fromkeys(mark[0].file for mark in marks))
    # on one line the message's own carets come first, so that they touch it
    marks.sort(key=lambda mark: (files.index(mark[0].file), mark[0].line, mark[2] == "second", mark[0].column))
    return marks


def _excerpt(span: Span, text: str, style: Style, source: str, number: str, pad: str, numbered: bool) -> Iterator[Line]:
    start = min(span.column - 1, len(source))
    end = min(span.end_column - 1, len(source)) if span.end_line == span.line else len(source.rstrip())
    source, start, end = _cut(source, start, max(end, start + 1))
    _, marked = _display(source[:start], 0)
    _, after = _display(source[start:end], marked)
    if numbered:
        whole, _ = _display(source, 0)
        yield [(f"{number} | ", "gutter"), (whole.rstrip(), "")]
    sign = "-" if style == "second" else "^"
    label = f" {_clean(text)}" if text else ""
    yield [(f"{pad} | ", "gutter"), (" " * marked + sign * max(after - marked, 1) + label, style)]


def _cut(source: str, start: int, end: int) -> tuple[str, int, int]:
    """A line that is too wide, cut around what is marked."""
    if len(source) <= WIDEST:
        return source, start, end
    first = max(0, min(start - WIDEST // 4, len(source) - WIDEST))
    last = min(len(source), first + WIDEST)
    head, tail = "..." if first else "", "..." if last < len(source) else ""
    return head + source[first:last] + tail, start - first + len(head), min(end, last) - first + len(head)


def _display(text: str, column: int) -> tuple[str, int]:
    """The text with tabs as blanks and control characters made visible, and the column of the terminal where it ends."""
    out: list[str] = []
    for one in text:
        if one == "\t":
            blanks = TAB - column % TAB
            out.append(" " * blanks)
            column += blanks
        else:
            shown = one if one.isprintable() or unicodedata.category(one) == "Cf" else "\ufffd"
            out.append(shown)
            column += _width(shown)
    return "".join(out), column


def _width(one: str) -> int:
    """Columns of the terminal that a character takes."""
    if unicodedata.combining(one) or unicodedata.category(one) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(one) in ("W", "F") else 1


def _clean(text: str, keep: str = "") -> str:
    """Without control characters: a message may quote what stands in a program, and a terminal obeys some of them."""
    return "".join(one if one.isprintable() or one in keep else " " if one in "\n\t\r" else "\ufffd" for one in text)
