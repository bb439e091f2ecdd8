"""Diagnostics for machines: JSON lines, GitHub's workflow commands, SARIF."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from oxidepy.diagnostics.codes import CODES
from oxidepy.diagnostics.model import Diagnostic, Label, Span
from oxidepy.diagnostics.sources import shown_path
from oxidepy.settings.version import __version__

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_json(diagnostics: Iterable[Diagnostic]) -> str:
    """One object a line (API: section 5)."""
    return "".join(json.dumps(one.to_json(), ensure_ascii=False) + "\n" for one in diagnostics)


def as_github(diagnostics: Iterable[Diagnostic]) -> str:
    """One workflow command a line, which GitHub shows beside the source line."""
    out: list[str] = []
    for one in diagnostics:
        properties = {"title": one.code}
        if span := one.span:
            properties = {"file": shown_path(span.file), "line": str(span.line), "endLine": str(span.end_line), "col": str(span.column)}
            if span.end_line == span.line:
                properties["endColumn"] = str(span.end_column)
            properties["title"] = one.code
        said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
        parts = [one.message, one.label, *(f"note: {note}" for note in one.notes), f"help: {one.help}" if one.help else ""]
        out.append(f"::{one.severity} {said}::{_data(chr(10).join(part for part in parts if part))}\n")
    return "".join(out)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(diagnostics: Iterable[Diagnostic]) -> str:
    """One document of SARIF 2.1.0."""
    found = list(diagnostics)
    codes = sorted({one.code for one in found})
    rules = [_rule(code) for code in codes]
    driver = {"name": "oxidepy", "version": __version__, "rules": rules}
    results = [_result(one, codes.index(one.code)) for one in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str) -> dict[str, Any]:
    known = CODES.get(code)
    rule: dict[str, Any] = {"id": code, "help": {"text": f"oxidepy explain {code}"}}
    if known is not None:
        rule["shortDescription"] = {"text": known.title}
        rule["defaultConfiguration"] = {"level": known.severity}
    return rule


def _result(one: Diagnostic, rule: int) -> dict[str, Any]:
    text = "\n".join([one.message, *(f"note: {note}" for note in one.notes), *([f"help: {one.help}"] if one.help else [])])
    result: dict[str, Any] = {"ruleId": one.code, "ruleIndex": rule, "level": one.severity, "message": {"text": text}}
    if one.span is not None:
        result["locations"] = [_location(one.span)]
    related = [*_threads(one), *one.labels]
    if related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": label.text}, **_location(label.span)} for number, label in enumerate(related, 1)
        ]
    if one.counterexample is not None:
        result["properties"] = {"counterexample": one.to_json()["counterexample"]}
    return result


def _threads(one: Diagnostic) -> list[Label]:
    """The two threads of a race, each at the access that is its part."""
    found, here = one.counterexample, one.span
    if found is None or here is None:
        return []
    other = next((label.span for label in one.labels if label.span.line == found.lines[0]), here)
    places = (other, here) if found.lines[1] == here.line else (here, other)
    return [Label(place, f"thread {thread} of block {block}") for place, (block, thread) in zip(places, found.threads, strict=True)]


def _location(span: Span) -> dict[str, Any]:
    shown = shown_path(span.file)
    uri = Path(shown).as_uri() if os.path.isabs(shown) else Path(shown).as_posix()
    region = {"startLine": span.line, "startColumn": span.column, "endLine": span.end_line, "endColumn": span.end_column}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
