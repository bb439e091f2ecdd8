"""`oxidepy run`: compile a program's kernels, then run it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from oxidepy.cli.entry import entry_file, exit_code, report_exception, use_flags
from oxidepy.cli.options import Device, DeviceDebug, Lineinfo, NoAssert, NoFmad, PathArgument, UncheckedIndexing, codegen_flags
from oxidepy.cli.output import OUTPUT

if TYPE_CHECKING:
    from oxidepy.runtime.program import Program


def run(
    path: PathArgument = None,
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGS]...", help="what the program finds in sys.argv", show_default=False)
    ] = None,
    device: Device = None,
    no_fmad: NoFmad = False,
    lineinfo: Lineinfo = None,
    device_debug: DeviceDebug = False,
    unchecked_indexing: UncheckedIndexing = False,
    no_assert: NoAssert = False,
) -> int:
    """Compile the kernels of a file, report their errors together, and run it. The exit code is the program's.

    Example: oxidepy run src/main.py --device cpu
    """
    from oxidepy.diagnostics.render import emit
    from oxidepy.runtime.checking import check_program, findings
    from oxidepy.runtime.program import Program
    from oxidepy.settings.active import active_settings

    file, config = entry_file(path)
    use_flags(
        codegen_flags(
            config=config,
            device=device,
            no_fmad=no_fmad,
            lineinfo=lineinfo,
            device_debug=device_debug,
            unchecked_indexing=unchecked_indexing,
            no_assert=no_assert,
        )
    )
    program = Program.read(file, as_main=True)

    def refused() -> bool:
        errors = [one for one in findings(check_program(program, active_settings().options), []) if one.severity == "error"]
        return emit(errors) > 0

    return _execute(program, [*(arguments or ()), *OUTPUT.rest], refused)


def _execute(program: Program, arguments: list[str], refused: Callable[[], bool]) -> int:
    from oxidepy.diagnostics import OxideError
    from oxidepy.diagnostics.render import emit

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
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        report_exception(error, program)
        return 1
    return 0
