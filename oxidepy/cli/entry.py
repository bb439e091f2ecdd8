"""The file that a command is about: given, or the project's entry; started as a program."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oxidepy.settings.active import set_flags
from oxidepy.settings.config import Config, Flags, find_config

if TYPE_CHECKING:
    from oxidepy.diagnostics import Diagnostic
    from oxidepy.runtime.program import Program


def entry_file(path: Path | None) -> tuple[Path, Config]:
    """The file and the configuration that goes with it. A folder stands for its project's entry. LaunchError OX8010 if there is none."""
    from oxidepy.diagnostics import Diagnostic, LaunchError

    config = find_config(path if path is not None else Path.cwd())
    if path is not None and not path.is_dir():
        return path, config
    entry = config.entry_path
    if entry is None:
        where = f"{config.path}" if config.path else "no pyproject.toml here or above"
        raise LaunchError(
            Diagnostic(
                "OX8010",
                "there is no file to work on",
                notes=(where,),
                help="give a file, or set `entry` in [tool.oxidepy] of pyproject.toml",
            )
        )
    shown = os.path.relpath(entry)
    return (entry if shown.startswith("..") else Path(shown)), config


def use_flags(flags: Flags) -> None:
    """Put the flags in force; the device also for the processes that the program starts."""
    set_flags(flags)
    if flags.device is not None:
        os.environ["OXIDEPY_DEVICE"] = flags.device


def start(program: Program) -> tuple[tuple[Diagnostic, ...], bool]:
    """Run the file's top level. Gives the findings that it raised, and whether it failed by itself, which has been said then.

    What a file raises is for its author: neither its other kernels nor other files suffer from it. A file that ends itself with
    `sys.exit(0)` is fine.
    """
    from oxidepy.diagnostics import OxideError
    from oxidepy.diagnostics.sources import shown_path

    try:
        program.start()
        return (), False
    except OxideError as error:
        return error.found, False
    except SystemExit as stop:
        if exit_code(stop) == 0:
            return (), False
    except Exception as error:
        report_exception(error, program)
    print(f"error: {shown_path(program.file)} could not be imported", file=sys.stderr)
    return (), True


def report_exception(error: BaseException, program: Program) -> None:
    """A program's own exception, from the program's first line on, as the interpreter or its own `sys.excepthook` prints it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != program.file:
        trace = trace.tb_next
    sys.stdout.flush()
    if trace is not None:
        error.__traceback__ = trace
    sys.excepthook(type(error), error, error.__traceback__)


def exit_code(stop: SystemExit) -> int:
    """As the interpreter has it: None is 0, a number itself, anything else is printed and means 1."""
    if stop.code is None:
        return 0
    if isinstance(stop.code, int):
        return stop.code
    sys.stdout.flush()
    print(stop.code, file=sys.stderr)
    return 1
