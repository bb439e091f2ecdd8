"""The value that every error and warning of oxidepy is: a code, a place, the facts that clash, a way out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of source text. Lines and columns count from 1, columns in characters (code points); the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that belongs to the message, with what is to be said of it."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Two threads that clash: their (block, thread) coordinates, the two source lines, the element index."""

    threads: tuple[tuple[tuple[int, int, int], tuple[int, int, int]], tuple[tuple[int, int, int], tuple[int, int, int]]]
    lines: tuple[int, int]
    index: int


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `label` stands under the carets of `span`; `help` is one suggestion, `notes` are further facts."""

    code: str
    message: str
    span: Span | None = None
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None
    severity: Severity = "error"
    counterexample: Counterexample | None = None

    def with_note(self, note: str) -> Diagnostic:
        return replace(self, notes=(*self.notes, note))

    def to_json(self) -> dict[str, Any]:
        """The object of `--message-format json` (API.md, section 5). Files are named as for people."""
        from oxidepy.diagnostics.sources import shown_path

        span = self.span
        found = self.counterexample
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "file": shown_path(span.file) if span else None,
            "line": span.line if span else None,
            "column": span.column if span else None,
            "end_line": span.end_line if span else None,
            "end_column": span.end_column if span else None,
            "labels": [
                {"file": shown_path(one.span.file), "line": one.span.line, "column": one.span.column, "text": one.text}
                for one in self.labels
            ],
            "notes": list(self.notes),
            "help": self.help,
            "counterexample": found
            and {
                "threads": [{"block": list(block), "thread": list(thread)} for block, thread in found.threads],
                "lines": list(found.lines),
                "index": found.index,
            },
        }
