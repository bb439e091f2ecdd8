"""Diagnostics for people, and `emit`, which writes them in the format that was asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TextIO

from oxidepy.diagnostics.layout import Style, layout
from oxidepy.diagnostics.model import Diagnostic, Span
from oxidepy.diagnostics.suppress import audible
from oxidepy.settings.errors import SettingsError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Format = Literal["human", "json", "github", "sarif"]

COLORS: dict[Style, str] = {
    "": "",
    "error": "bold red",
    "warning": "bold yellow",
    "message": "bold",
    "gutter": "bold blue",
    "second": "bold blue",
    "strong": "bold",
}


def render_plain(diagnostic: Diagnostic) -> str:
    """The text of an exception: no colors, and nothing but the standard library."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in layout(diagnostic))


def render_rich(diagnostic: Diagnostic) -> Text:
    """The same text, coloured."""
    from rich.text import Text

    lines = [Text.assemble(*((text, COLORS[style]) for text, style in line)) for line in layout(diagnostic)]
    return Text("\n").join(lines)


def emit(
    diagnostics: Iterable[Diagnostic],
    format: Format = "human",
    *,
    ignore: Iterable[str] = (),
    console: Console | None = None,
    out: TextIO | None = None,
) -> int:
    """Write the diagnostics that are not silenced and give the number of errors among them.

    "human" goes to `console` (default: stderr, plain where it is no terminal), the others to `out` (default: stdout).
    """
    shown = audible(diagnostics, ignore)
    if format == "human":
        _emit_human(shown, console)
    else:
        from oxidepy.diagnostics import formats

        text = {"json": formats.as_json, "github": formats.as_github, "sarif": formats.as_sarif}[format](shown)
        stream = out if out is not None else sys.stdout
        stream.write(text)
        stream.flush()
    return sum(one.severity == "error" for one in shown)


def _emit_human(diagnostics: list[Diagnostic], console: Console | None) -> None:
    if not diagnostics:
        return
    forced = bool(os.environ.get("FORCE_COLOR")) and not os.environ.get("NO_COLOR")
    if console is None and not (sys.stderr.isatty() or forced):
        print("\n\n".join(render_plain(one) for one in diagnostics), end="\n\n", file=sys.stderr)
        return
    from rich.console import Console

    target = console or Console(stderr=True)
    for one in diagnostics:
        # the layout is made of whole lines: a terminal that is too narrow wraps them, we do not
        target.print(render_rich(one), end="\n\n", soft_wrap=True, highlight=False, markup=False)


def from_settings(error: SettingsError) -> Diagnostic:
    """The diagnostic of a malformed setting."""
    span = None
    if error.file is not None:
        span = Span(error.file, error.line, error.column, error.line, error.column + error.width)
    return Diagnostic(error.code, error.message, span, help=error.help)
