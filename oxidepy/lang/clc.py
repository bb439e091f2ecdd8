"""`clc`: cluster launch control of sm_100 and later: a running block takes over the work of a cluster that has not begun.

All of it stands under `unsafe`: that the answer has come before it is looked at is not proven.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__oxidepy__ = "clc"

if TYPE_CHECKING:
    from oxidepy.lang.table.clc import *  # noqa: F403
else:
    from oxidepy.lang.table import module as _module

    __getattr__, __dir__ = _module("clc", globals(), layers=True)
