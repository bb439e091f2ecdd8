"""Which warnings are not shown: by a comment on their line, or by the configuration. Errors are never silenced."""

from __future__ import annotations

import re
from collections.abc import Iterable

from oxidepy.diagnostics.model import Diagnostic
from oxidepy.diagnostics.sources import line_of

COMMENT = re.compile(r"#.*?\boxidepy:\s*ignore\[([^\]]*)\]")


def silenced(diagnostic: Diagnostic, ignore: Iterable[str] = ()) -> bool:
    """Whether it is a warning OX9xxx that the configuration or a comment `# oxidepy: ignore[OX9001]` on its first or last line names."""
    if diagnostic.severity == "error" or not diagnostic.code.startswith("OX9"):
        return False
    if diagnostic.code in ignore:
        return True
    span = diagnostic.span
    if span is None:
        return False
    return any(diagnostic.code in _named(line_of(span.file, number) or "") for number in {span.line, span.end_line})


def audible(diagnostics: Iterable[Diagnostic], ignore: Iterable[str] = ()) -> list[Diagnostic]:
    """Those that are to be shown, in their order."""
    names = frozenset(ignore)
    return [one for one in diagnostics if not silenced(one, names)]


def _named(line: str) -> set[str]:
    return {code.strip() for found in COMMENT.findall(line) for code in found.split(",")}
