"""What a command raises, said as it should be, and the exit code that goes with it."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from oxidepy.cli.output import fail
from oxidepy.settings.errors import SettingsError

INTERRUPTED = 130  # what a shell gives for a program that Ctrl-C ended


def guarded(work: Callable[[], int | None]) -> int:
    """The exit code of a command, where what it raises is said as it should be."""
    from oxidepy.diagnostics.errors import OxideError
    from oxidepy.diagnostics.render import emit, from_settings

    try:
        return work() or 0
    except SettingsError as error:
        emit([from_settings(error)])
        return 2
    except OxideError as error:
        emit(error.found)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except FileNotFoundError:
        if not _homeless():
            raise
        return fail("the working directory does not exist any more", "change into a folder that does")
    except BrokenPipeError:
        # whoever read our output has gone: nothing is left to say, also not while the interpreter flushes
        _mute()
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _mute()
        fail(f"what takes the output is full{f' ({error.filename})' if error.filename else ''}", "make room, or write elsewhere")
        return 1


def _mute() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _homeless() -> bool:
    try:
        os.getcwd()
    except OSError:
        return True
    return False
