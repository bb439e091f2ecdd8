"""`oxidepy doctor`: what this machine can do."""

from __future__ import annotations

import json as jsons
import sys
from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from oxidepy.cli.output import OUTPUT, colored, console, misused

if TYPE_CHECKING:
    from oxidepy.doctor import model
    from oxidepy.doctor.report import Report


class Capability(str, Enum):
    """What `--require` takes."""

    cuda = "cuda"
    cpu = "cpu"
    toolkit = "toolkit"


def doctor(
    json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout, and nothing else")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="warnings give exit code 1 too")] = False,
    require: Annotated[
        list[Capability] | None,
        typer.Option("--require", metavar="cuda|cpu|toolkit", help="an error where it is missing; repeatable", show_default=False),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="CODE", help="make this check only; repeatable", show_default=False)
    ] = None,
    skip: Annotated[
        list[str] | None, typer.Option("--skip", metavar="CODE", help="leave this check out; repeatable", show_default=False)
    ] = None,
    list_checks: Annotated[bool, typer.Option("--list-checks", help="list the checks and their time limits, and make none")] = False,
) -> int:
    """Look the machine over: Python, project, cache, compiler, GPU. Changes nothing and asks no network.

    A machine without a GPU is fine, since kernels run on the CPU too; `--require cuda` makes its absence an error.

    Examples: oxidepy doctor -v  ·  oxidepy doctor --json --strict --require cuda
    """
    from oxidepy.doctor.checks.table import CHECKS
    from oxidepy.doctor.examination import Examination
    from oxidepy.doctor.report import Report, list_lines
    from oxidepy.doctor.runner import examine, select

    required: list[model.Capability] = [one.value for one in require or ()]
    try:
        checks = select(CHECKS.values(), _codes(only), _codes(skip), required)
    except ValueError as error:
        return misused(str(error))
    if list_checks:
        print("\n".join(list_lines(checks)))
        return 0
    with _waiting(json):
        report = Report(examine(checks, Examination(required)))
    if json:
        print(jsons.dumps(report.to_json(), indent=2))
    else:
        _show(report)
    return report.exit_code(strict)


def _waiting(silent: bool) -> AbstractContextManager[object]:
    """A sign of life on a terminal: a driver that hangs takes its whole time limit."""
    if silent or OUTPUT.verbosity < 0 or not sys.stderr.isatty():
        return nullcontext()
    return console(stderr=True).status("looking at this machine ...")


def _codes(given: list[str] | None) -> list[str]:
    """Codes as they are written in the table; several may stand with commas between."""
    return [part.strip().upper() for one in given or () for part in one.split(",") if part.strip()]


def _show(report: Report) -> None:
    from oxidepy.doctor.report import lines

    plain = not _speaks(sys.stdout.encoding)
    made = lines(report, verbose=OUTPUT.verbosity > 0, quiet=OUTPUT.verbosity < 0, plain=plain)
    if not colored(sys.stdout):
        print("\n".join("".join(text for text, _ in line) for line in made))
        return
    from rich.text import Text

    styles = {"": "", "group": "bold", "ok": "green", "info": "blue", "warn": "yellow", "error": "bold red", "dim": "dim", "strong": "bold"}
    target = console()
    for line in made:
        target.print(Text.assemble(*((text, styles[style]) for text, style in line)), soft_wrap=True)


def _speaks(encoding: str | None) -> bool:
    """Whether the terminal can show our marks."""
    try:
        "✓✗µ×…".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
