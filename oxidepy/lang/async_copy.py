"""`async_copy`: copies from global to shared memory that run on while their thread does other things (cp.async, from sm_80 on).

Begun by `copy`, gathered into groups by `commit`, waited for by `wait`; a `block.sync()` behind the wait shows them to the other threads.
On the device `cpu` a copy is done at once. Under `unsafe`: that nobody reads before the wait is not proven.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__oxidepy__ = "async_copy"

if TYPE_CHECKING:
    from oxidepy.lang.table.async_copy import *  # noqa: F403
else:
    from oxidepy.lang.table import module as _module

    __getattr__, __dir__ = _module("async_copy", globals())
