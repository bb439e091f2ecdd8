"""`debug`: the clock, a trap, a stop for a debugger."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import u64

__oxidepy__ = "debug"


@device("debug.clock")
def clock() -> u64:
    """The multiprocessor's cycle counter."""
    ...


@device("debug.trap")
def trap() -> None:
    """End the launch with a device fault."""


@device("debug.breakpoint")
def breakpoint() -> None:
    """Stop here under a debugger."""
