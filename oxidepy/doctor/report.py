"""A report: the results with what they were made on, as JSON and as lines for people."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal, cast

from oxidepy.doctor.model import SEVERITIES, Check, Result, Severity
from oxidepy.doctor.redact import redact
from oxidepy.settings.version import __version__

SCHEMA_VERSION = 1
PACKAGES = ("numpy", "llvmlite", "cuda-bindings", "cuda-python", "typer", "rich", "jinja2", "platformdirs", "filelock")
VARIABLES = ("LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "PYTHONPATH", "PYTHONOPTIMIZE")
SHORT = 12  # characters of a word that may share its line with others
Style = Literal["", "group", "ok", "info", "warn", "error", "dim", "strong"]
Line = list[tuple[str, Style]]
MARKS: dict[Severity, str] = {"ok": "✓", "info": "i", "warn": "!", "error": "✗"}
PLAIN_MARKS: dict[Severity, str] = {"ok": "+", "info": "i", "warn": "!", "error": "x"}
STATUS: dict[Severity, str] = {"ok": "ok", "info": "ok", "warn": "warnings", "error": "errors"}


@dataclass(frozen=True, slots=True)
class Report:
    """The results of one visit, in the order of the table."""

    results: tuple[Result, ...]

    @property
    def counts(self) -> dict[Severity, int]:
        return {one: sum(result.finding.severity == one for result in self.results) for one in SEVERITIES}

    @property
    def status(self) -> str:
        """ "ok", "warnings" or "errors": the worst that was found."""
        worst = max((SEVERITIES.index(one.finding.severity) for one in self.results), default=0)
        return STATUS[SEVERITIES[worst]]

    def exit_code(self, strict: bool = False) -> int:
        """1 if there are errors, with `strict` also if there are warnings; else 0."""
        return int(self.status == "errors" or (strict and self.status == "warnings"))

    def to_json(self) -> dict[str, Any]:
        """The one object of `--json`, of plain JSON values."""
        checks = [
            {
                "code": one.check.code,
                "title": one.check.title,
                "group": one.check.group,
                "severity": one.finding.severity,
                "message": redact(one.finding.message),
                "evidence": redact(one.finding.evidence),
                "fix": redact(one.finding.fix),
                "blocked_by": one.finding.blocked_by,
                "explain": f"oxidepy explain {one.check.code}",
                "elapsed_ms": round(one.elapsed_ms, 1),
            }
            for one in self.results
        ]
        return {
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "oxidepy", "version": __version__},
            "environment": environment(),
            "checks": checks,
            "summary": {"counts": self.counts, "status": self.status},
        }


def environment() -> dict[str, Any]:
    """What the results were made on. Neither the machine's name nor anything else that identifies it."""
    versions: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
    said = {name: value for name, value in sorted(os.environ.items()) if name.startswith(("OXIDEPY_", "CUDA_")) or name in VARIABLES}
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": redact(sys.executable),
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "processors": os.cpu_count(),
        "packages": versions,
        "variables": redact(said),
    }


def lines(report: Report, *, verbose: bool = False, quiet: bool = False, plain: bool = False) -> Iterator[Line]:
    """The report for people, as pieces of text with styles: groups, a line a check, more where something is wrong or with `verbose`.

    `quiet` leaves out what is fine; `plain` keeps to ASCII.
    """
    marks = PLAIN_MARKS if plain else MARKS
    shown = [one for one in report.results if verbose or not (one.finding.blocked_by or (quiet and one.finding.severity in ("ok", "info")))]
    group = ""
    for one in shown:
        if one.check.group != group:
            if group:
                yield []
            group = one.check.group
            yield [(group, "group")]
        for line in _check(one, marks, verbose):
            yield [(_ascii(text), style) for text, style in line] if plain else line
    if shown:
        yield []
    yield _closing(report)


def _check(one: Result, marks: Mapping[Severity, str], verbose: bool) -> Iterator[Line]:
    finding = one.finding
    wrong = finding.severity in ("warn", "error")
    head: Line = [("  ", ""), (marks[finding.severity], finding.severity), (f" {one.check.title}: ", "strong" if wrong else "")]
    head.append((str(redact(finding.message)), ""))
    if wrong or verbose:
        head.append((f" [{one.check.code}]", finding.severity if wrong else "dim"))
    if verbose:
        head.append((f" {one.elapsed_ms:.0f} ms", "dim"))
    yield head
    if not (wrong or verbose):
        return
    for name, value in cast("dict[str, Any]", redact(finding.evidence)).items():
        if value not in (None, "", [], {}):
            yield from _evidence(name, value)
    if finding.fix is not None:
        yield [("      fix: ", "strong"), (str(redact(finding.fix)), "")]
    if wrong:
        yield [("      more: ", "strong"), (f"oxidepy explain {one.check.code}", "")]


def _evidence(name: str, value: Any) -> Iterator[Line]:
    """A value on the line of its name; a list of several and a text of several lines below it."""
    several: list[Any] = value.splitlines() if isinstance(value, str) else cast("list[Any]", value) if isinstance(value, list) else [value]
    if len(several) == 1 or (not isinstance(value, str) and all(isinstance(one, str) and len(one) <= SHORT for one in several)):
        yield [(f"      {name}: {' '.join(map(_text, several))}", "dim")]
        return
    yield [(f"      {name}:", "dim")]
    for one in several:
        yield [(f"        {_text(one)}", "dim")]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(one)}" for name, one in cast("dict[str, Any]", value).items())
    if isinstance(value, list):
        return " ".join(map(_text, cast("list[Any]", value)))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _closing(report: Report) -> Line:
    counts = report.counts
    blocked = sum(one.finding.blocked_by is not None for one in report.results)
    parts = [f"{len(report.results)} check{'' if len(report.results) == 1 else 's'}", f"{counts['ok']} fine"]
    if counts["info"] - blocked:
        parts.append(f"{counts['info'] - blocked} for information")
    if blocked:
        parts.append(f"{blocked} not examined")
    text = ", ".join(parts) + "; "
    warnings, errors = counts["warn"], counts["error"]
    return [
        (text, ""),
        (f"{warnings} warning{'' if warnings == 1 else 's'}", "warn" if warnings else ""),
        (", ", ""),
        (f"{errors} error{'' if errors == 1 else 's'}", "error" if errors else ""),
    ]


def list_lines(checks: Sequence[Check]) -> Iterator[str]:
    """The lines of `--list-checks`."""
    for one in checks:
        yield f"{one.code}  {one.group:<8}  {one.limit:>4g} s  {one.title}"


def _ascii(text: str) -> str:
    return text.replace("µ", "u").replace("×", "x").replace("…", "...").encode("ascii", "replace").decode("ascii")
