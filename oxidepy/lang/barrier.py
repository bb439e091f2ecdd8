"""`barrier`: barriers in shared memory (mbarrier), which count the arrivals of threads and the bytes of asynchronous copies, phase by
phase.

An array of them is made by `array`, each begun by `init` (by one thread, with a `block.sync()` behind it) and ended by `inval`. A use
before `init` is OX0381, one after `inval` OX0382. All of it stands under `unsafe`: what the barriers order is not proven. From sm_80 on;
counts of bytes, `try_wait` and other blocks' barriers from sm_90 on. On the device `cpu` there are none (OX6001).
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.lang.names import device

__oxidepy__ = "barrier"


class Barriers:
    """An array of barriers in shared memory. Its elements are named by their number, and are no values."""

    __oxidepy__ = "Barriers"


@device("barrier.array")
def array(count: int = 1, /) -> Barriers:
    """So many barriers, from 1 to 4096, known at compile time. They are not begun."""
    ...


if TYPE_CHECKING:
    from oxidepy.lang.table.barrier import *  # noqa: F403
else:
    from oxidepy.lang.table import module as _module

    __getattr__, __dir__ = _module("barrier", globals())
