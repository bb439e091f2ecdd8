"""`oxidepy check`: find the errors of files without running them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oxidepy.cli.entry import entry_file, start, use_flags
from oxidepy.cli.options import Format, MessageFormat, NoAssert, NoFmad, UncheckedIndexing, codegen_flags
from oxidepy.cli.output import OUTPUT, console, say

if TYPE_CHECKING:
    from oxidepy.diagnostics import Diagnostic
    from oxidepy.runtime.checking import KernelCheck
    from oxidepy.settings.config import Config


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="files or folders; without one, `entry` of [tool.oxidepy]", show_default=False),
    ] = None,
    message_format: Format = MessageFormat.human,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="write the table of kernels there, as JSON", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="warnings count as errors")] = False,
    no_fmad: NoFmad = False,
    unchecked_indexing: UncheckedIndexing = False,
    no_assert: NoAssert = False,
) -> int:
    """Compile every kernel of the files as far as their source allows, look at their host functions, and say what was proven of each
    kernel: races, barriers, bounds, how memory is touched, what `unsafe` suspends.

    Example: oxidepy check src --message-format json
    """
    from oxidepy.diagnostics.render import emit
    from oxidepy.diagnostics.suppress import audible

    found: list[Diagnostic] = []
    checks: dict[Path, list[KernelCheck]] = {}
    broken = 0
    files = _files(paths)
    for file, config in files:
        use_flags(codegen_flags(config=config, no_fmad=no_fmad, unchecked_indexing=unchecked_indexing, no_assert=no_assert))
        diagnostics, of_file, failed = _check_file(file)
        found += audible(diagnostics, config.ignore)
        if of_file:
            checks[file] = of_file
        broken += failed
    errors = emit(found, message_format.value)
    if report is not None and not _write(report, checks):
        return 2
    if message_format is MessageFormat.human and OUTPUT.verbosity >= 0:
        _tables(checks)
        if not (checks or found or broken):
            say(f"there are no kernels in {', '.join(str(one) for one in paths or [files[0][0]])}")
    return 1 if errors or broken or (strict and found) else 0


def _files(paths: list[Path] | None) -> list[tuple[Path, Config]]:
    """The files to look at, each once, with its configuration. A folder is its project's entry, else all Python files below it."""
    out: dict[Path, tuple[Path, Config]] = {}
    roots: list[Path | None] = [*paths] if paths else [None]
    for path in roots:
        if path is not None and path.is_dir() and not (path / "pyproject.toml").exists():
            for one in sorted(path.rglob("*.py")):
                if not any(part.startswith(".") for part in one.relative_to(path).parts):
                    out.setdefault(one.absolute(), entry_file(one))
        else:
            found = entry_file(path)
            out.setdefault(found[0].absolute(), found)
    return list(out.values())


def _check_file(file: Path) -> tuple[list[Diagnostic], list[KernelCheck], bool]:
    """Findings, a result for each kernel, and whether the file's own top level failed; the kernels before that place are checked."""
    from oxidepy.diagnostics import OxideError
    from oxidepy.runtime.checking import check_host, check_program, findings
    from oxidepy.runtime.program import Program
    from oxidepy.settings.active import active_settings

    try:
        program = Program.read(file, as_main=False)
    except OxideError as error:
        return list(error.found), [], False
    with program.visit():
        raised, broken = start(program)
        checks = check_program(program, active_settings().options)
        return findings(checks, [*raised, *check_host(program)]), checks, broken


_WORDS = {"accepted": ("accepted", "green"), "refused": ("refused", "red"), "open": ("checked at its launch", "")}


def _tables(checks: dict[Path, list[KernelCheck]]) -> None:
    """A small table a kernel: what came of it, and the report of one that was accepted. Several files have headings."""
    from rich.text import Text

    from oxidepy.diagnostics.sources import shown_path

    for number, (file, of_file) in enumerate(checks.items()):
        if len(checks) > 1:
            console().print(Text("\n" * (number > 0) + shown_path(str(file)), "bold underline"), soft_wrap=True)
        _table(of_file)


def _table(checks: list[KernelCheck]) -> None:
    from rich.text import Text

    out = console()
    names = max(len(one.name) for one in checks)
    for one in checks:
        said, style = _WORDS[one.state]
        spent = f" in {one.report.milliseconds:.1f} ms" if one.report is not None else ""
        out.print(Text.assemble((f"{one.name:<{names}}", "bold"), "  ", (said, style), spent), soft_wrap=True)
        for name, text in one.report.rows() if one.report is not None else ():
            out.print(Text.assemble((f"  {name:<11}  ", "dim"), text.replace("\n", "\n" + " " * 15)), soft_wrap=True)


def _write(file: Path, checks: dict[Path, list[KernelCheck]]) -> bool:
    """The table for machines. Whether it could be written."""
    import json

    from oxidepy.cli.output import fail
    from oxidepy.diagnostics.sources import shown_path

    rows = [
        {
            "kernel": one.name,
            "file": shown_path(str(source)),
            "result": one.state,
            "report": one.report.to_json() if one.report is not None else None,
        }
        for source, of_file in checks.items()
        for one in of_file
    ]
    try:
        file.write_text(json.dumps({"schema_version": 1, "kernels": rows}, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        fail(f"cannot write to {file}: {error.strerror or error}", "name another file with --report")
        return False
    return True
