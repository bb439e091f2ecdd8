"""`oxidepy check`: find the errors of files without running them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oxidepy.cli.entry import entry_file, report_exception, use_flags
from oxidepy.cli.options import Format, MessageFormat, NoAssert, NoFmad, UncheckedIndexing, codegen_flags
from oxidepy.cli.output import OUTPUT, console

if TYPE_CHECKING:
    from oxidepy.diagnostics import Diagnostic
    from oxidepy.runtime.checking import KernelCheck


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="files or folders; without one, `entry` of [tool.oxidepy]", show_default=False),
    ] = None,
    message_format: Format = MessageFormat.human,
    strict: Annotated[bool, typer.Option("--strict", help="warnings count as errors")] = False,
    no_fmad: NoFmad = False,
    unchecked_indexing: UncheckedIndexing = False,
    no_assert: NoAssert = False,
) -> int:
    """Compile every kernel of the files as far as their source allows, and look at their host functions.

    Example: oxidepy check src --message-format json
    """
    from oxidepy.diagnostics.render import emit

    use_flags(codegen_flags(no_fmad=no_fmad, unchecked_indexing=unchecked_indexing, no_assert=no_assert))
    found: list[Diagnostic] = []
    checks: list[KernelCheck] = []
    broken = 0
    for file in _files(paths):
        diagnostics, of_file, failed = _check_file(file)
        found += diagnostics
        checks += of_file
        broken += failed
    ignore = entry_file(paths[0])[1].ignore if paths and paths[0].exists() else ()
    errors = emit(found, message_format.value, ignore=ignore)
    if message_format is MessageFormat.human and OUTPUT.verbosity >= 0 and checks:
        _table(checks)
    warned = strict and any(one.severity == "warning" for one in found)
    return 1 if errors or broken or warned else 0


def _files(paths: list[Path] | None) -> list[Path]:
    """The files to look at; a folder stands for its project's entry, else for all Python files below it."""
    if not paths:
        return [entry_file(None)[0]]
    out: list[Path] = []
    for path in paths:
        if path.is_dir() and not (path / "pyproject.toml").exists():
            out += sorted(one for one in path.rglob("*.py") if not any(part.startswith(".") for part in one.parts))
        else:
            out.append(entry_file(path)[0])
    return out


def _check_file(file: Path) -> tuple[list[Diagnostic], list[KernelCheck], int]:
    """Findings, results a kernel, and whether the file's own top level failed."""
    from oxidepy.diagnostics import CompileError, OxideError
    from oxidepy.runtime.checking import check_host, check_program, findings
    from oxidepy.runtime.program import Program
    from oxidepy.settings.active import active_settings

    try:
        program = Program.read(file, as_main=False)
    except OxideError as error:
        return list(error.diagnostics if isinstance(error, CompileError) else [error.diagnostic]), [], 0
    try:
        program.start()
    except OxideError as error:
        return list(error.diagnostics if isinstance(error, CompileError) else [error.diagnostic]), [], 0
    except (Exception, SystemExit) as error:  # the file's own: what it raises is for its author, and other files are checked all the same
        report_exception(error, program)
        print(f"error: {file} could not be imported", file=sys.stderr)
        return check_host(program), [], 1
    checks = check_program(program, active_settings().options)
    return findings(checks, check_host(program)), checks, 0


def _table(checks: list[KernelCheck]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, right in (("kernel", False), ("result", False), ("checks proven", True), ("checks kept", True), ("ms", True)):
        table.add_column(name, justify="right" if right else "left")
    words = {"accepted": "accepted", "refused": "refused", "open": "checked at its launch"}
    for one in checks:
        numbers = (str(one.proven), str(one.checked), f"{one.milliseconds:.1f}") if one.state == "accepted" else ("", "", "")
        table.add_row(one.name, words[one.state], *numbers)
    console().print(table)
