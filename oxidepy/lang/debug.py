"""`debug`: clocks, a trap, marks for a profiler, a stop for a debugger."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.lang.names import device

__oxidepy__ = "debug"


@device("debug.trap")
def trap() -> None:
    """End this thread with a DevicePanic (OX7002) that says where. Not switched off by `--no-assert`."""


if TYPE_CHECKING:
    from oxidepy.lang.table.debug import *  # noqa: F403
else:
    from oxidepy.lang.table import module as _module

    __getattr__, __dir__ = _module("debug", globals())
