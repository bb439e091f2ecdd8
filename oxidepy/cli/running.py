"""The work of `oxidepy run`, without the command line around it. A plain call is read here too: to import Typer takes as long as to run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oxidepy.cli.entry import entry_file, exit_code, report_exception, use_flags
from oxidepy.cli.output import OUTPUT
from oxidepy.settings.config import Flags

if TYPE_CHECKING:
    from oxidepy.runtime.program import Program


def plain_run(given: Sequence[str]) -> Callable[[], int] | None:
    """`run [PATH [ARGS]] [--device D] [-- ARGS]`, ready to be run; None for whatever else or is malformed, which Typer reads."""
    from oxidepy.settings.values import parse_device

    words = list(given)
    end = words.index("--") if "--" in words else len(words)
    device: str | None = None
    places: list[str] = []
    pending = iter(words[1:end])
    for one in pending:
        if one == "--device" or one.startswith("--device="):
            device = one.partition("=")[2] if "=" in one else next(pending, "")
        elif one.startswith("-"):
            return None
        else:
            places.append(one)
    try:
        chosen = Flags(device=parse_device(device) if device is not None else None)
    except ValueError:
        return None
    return lambda: run_file(Path(places[0]) if places else None, [*places[1:], *words[end + 1 :]], chosen)


def run_file(path: Path | None, arguments: list[str], flags: Flags) -> int:
    """Compile the kernels of a file, report their errors together, and run it. The exit code is the program's."""
    from dataclasses import replace

    from oxidepy.diagnostics.render import emit
    from oxidepy.runtime.checking import check_program, findings
    from oxidepy.runtime.program import Program
    from oxidepy.settings.active import active_settings

    file, config = entry_file(path)
    use_flags(replace(flags, config=config))
    program = Program.read(file, as_main=True)

    def refused() -> bool:
        errors = [one for one in findings(check_program(program, active_settings().options), []) if one.severity == "error"]
        return emit(errors) > 0

    return _execute(program, arguments, refused)


def _execute(program: Program, arguments: list[str], refused: Callable[[], bool]) -> int:
    from oxidepy.diagnostics import OxideError
    from oxidepy.diagnostics.render import emit
    from oxidepy.settings.errors import SettingsError

    try:
        program.start(arguments)
        if refused():
            return 1
        program.finish()
    except SystemExit as stop:
        return exit_code(stop)
    except OxideError as error:
        if OUTPUT.verbosity > 0:
            report_exception(error, program)
        else:
            sys.stdout.flush()
            emit(error.found)
        return 1
    except (KeyboardInterrupt, SettingsError):  # said by the command line
        raise
    except BaseException as error:
        report_exception(error, program)
        return 1
    return 0
