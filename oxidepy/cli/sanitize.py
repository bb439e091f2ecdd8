"""`oxidepy sanitize`: run a program and look at what its kernels do to memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oxidepy.cli.entry import entry_file, exit_code, report_exception, use_flags
from oxidepy.cli.options import Device, Format, MessageFormat, NoAssert, NoFmad, PathArgument, UncheckedIndexing, codegen_flags
from oxidepy.cli.output import OUTPUT, misused, say

if TYPE_CHECKING:
    from oxidepy.diagnostics import Diagnostic
    from oxidepy.diagnostics.render import Format as Format_
    from oxidepy.runtime.program import Program

FINDINGS = 86
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck", "overflow", "leaks", "all")


def sanitize(
    path: PathArgument = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGS]...", help="what the program finds in sys.argv", show_default=False)
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(
            "--tool",
            metavar="TOOL",
            help="memcheck, racecheck, initcheck, synccheck, overflow, leaks; repeatable (default: all)",
            show_default=False,
        ),
    ] = None,
    device: Device = None,
    message_format: Format = MessageFormat.human,
    no_fmad: NoFmad = False,
    unchecked_indexing: UncheckedIndexing = False,
    no_assert: NoAssert = False,
) -> int:
    """Run a program and report races, accesses outside, memory that is read before it is written, divergent barriers, deadlocks, integers
    that overflow, memory that is never released. On the interpreter; with `--device cuda:0` under NVIDIA's compute-sanitizer, whose tools
    are the first four, and leaks. Exit code 86 if there are findings, else the program's own.

    Example: oxidepy sanitize src/main.py --tool racecheck
    """
    stranger = next((one for one in tool or () if one not in TOOLS), None)
    if stranger is not None:
        return misused(f"--tool does not know {stranger!r}", f"it takes {', '.join(TOOLS)}")
    chosen = frozenset(TOOLS[:-1] if not tool or "all" in tool else tool)
    where = device if device is not None else "interp"
    if where == "cpu":
        return misused("the device cpu cannot be watched", "use `--device interp`, which runs the same program with the same results")
    file, config = entry_file(path)
    use_flags(codegen_flags(config=config, device=where, no_fmad=no_fmad, unchecked_indexing=unchecked_indexing, no_assert=no_assert))
    given = [*(arguments or ()), *OUTPUT.rest]
    found, code = _watched(file, given, chosen) if where == "interp" else _external(file, given, chosen, where)
    return _tell(found, code, message_format.value)


def _watched(file: Path, arguments: list[str], tools: frozenset[str]) -> tuple[list[Diagnostic], int]:
    from oxidepy.runtime.program import Program
    from oxidepy.runtime.sanitize.session import watching

    program = Program.read(file, as_main=True)
    with watching(program.file, tools, vars(program.namespace)) as session:
        code = _run(program, arguments)
        sys.stdout.flush()
    if not session.launches:
        _note("no kernel ran on the device interp, so there was nothing to watch")
    for name, why in session.partly.items():
        _note(f"`{name}` {why}")
    return session.found, code


def _note(text: str) -> None:
    if OUTPUT.verbosity >= 0:
        print(f"note: {text}", file=sys.stderr)  # stdout is the program's, and the findings' for tools


def _run(program: Program, arguments: list[str]) -> int:
    """The program's exit code. What it raises is said, and let go of: a traceback holds whatever the program held."""
    from oxidepy.diagnostics import OxideError
    from oxidepy.diagnostics.render import emit

    try:
        program.start(arguments)
        program.finish()
    except SystemExit as stop:
        return exit_code(stop)
    except OxideError as error:
        sys.stdout.flush()
        emit(error.found)
        return 1
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        report_exception(error, program)
        return 1
    return 0


def _external(file: Path, arguments: list[str], tools: frozenset[str], device: str) -> tuple[list[Diagnostic], int]:
    from oxidepy.runtime.sanitize import external

    found: dict[Diagnostic, None] = {}
    wanted = [one for one in external.TOOLS if one in tools] or ["memcheck"]
    code = 0
    for number, one in enumerate(wanted):
        outcome = external.examine(one, [str(file), "--device", device, "--", *arguments], leaks="leaks" in tools and one == "memcheck")
        found.update(dict.fromkeys(outcome.found))
        if number == 0:
            sys.stdout.write(outcome.output)
        if outcome.code and not outcome.found:
            code = outcome.code
    return list(found), code


def _tell(found: list[Diagnostic], code: int, format: Format_) -> int:
    from oxidepy.diagnostics.render import emit

    emit(found, format)
    if format == "human":
        say("sanitize: nothing found" if not found else f"sanitize: {len(found)} finding{'s' if len(found) > 1 else ''}")
    return FINDINGS if found else code
