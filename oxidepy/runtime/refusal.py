"""How the runtime refuses: each helper makes an error whose place is the line of the user that runs now."""

from __future__ import annotations

from collections.abc import Sequence

from oxidepy.diagnostics import BorrowError, DeviceError, Diagnostic, LaunchError
from oxidepy.lang.names import caller_span


def _diagnostic(code: str, message: str, help: str | None, notes: Sequence[str], label: str) -> Diagnostic:
    return Diagnostic(code, message, caller_span(), label=label, notes=tuple(notes), help=help)


def launch_error(code: str, message: str, *, help: str | None = None, notes: Sequence[str] = (), label: str = "") -> LaunchError:
    return LaunchError(_diagnostic(code, message, help, notes, label))


def borrow_error(code: str, message: str, *, help: str | None = None, notes: Sequence[str] = ()) -> BorrowError:
    return BorrowError(_diagnostic(code, message, help, notes, ""))


def device_error(code: str, message: str, *, help: str | None = None, notes: Sequence[str] = ()) -> DeviceError:
    return DeviceError(_diagnostic(code, message, help, notes, ""))
