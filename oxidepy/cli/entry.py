"""The file that a command is about: given, or the project's entry; started as a program."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from oxidepy.settings.active import set_flags
from oxidepy.settings.config import Config, Flags, find_config

if TYPE_CHECKING:
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


def report_exception(error: BaseException, program: Program) -> None:
    """The traceback of a program's own exception, from its own first line on, as the interpreter would print it."""
    trace = error.__traceback__
    own = str(program.path)
    while trace is not None and trace.tb_frame.f_code.co_filename != own:
        trace = trace.tb_next
    sys.stdout.flush()
    traceback.print_exception(type(error), error, trace or error.__traceback__)
