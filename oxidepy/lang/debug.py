"""`debug`: clocks, a trap, marks for a profiler, a stop for a debugger."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import u64

__oxidepy__ = "debug"


@device("debug.clock")
def clock() -> u64:
    """The cycle counter of the multiprocessor; of the CPU on `cpu`, nanoseconds on `interp`. No two launches see the same numbers.

    Accesses of memory stay on their side of it; arithmetic alone may be moved across.
    """
    ...


@device("debug.global_timer")
def global_timer() -> u64:
    """A clock in nanoseconds that all threads of the device share. Not on `cpu` (OX6001)."""
    ...


@device("debug.prof_trigger")
def prof_trigger(event: int) -> None:
    """Count an event, 0 to 15, known at compile time, for a profiler of GPUs; nothing on other devices."""


@device("debug.trap")
def trap() -> None:
    """End this thread with a DevicePanic (OX7002) that says where. Not switched off by `--no-assert`."""


@device("debug.breakpoint")
def breakpoint() -> None:
    """Stop here for a debugger, where the kernel was compiled with `--device-debug`; nothing otherwise. Without a debugger
    the launch fails then, and on `cpu` the process ends. On `interp` the hook of Python's `breakpoint()` is called, once for the threads
    that come here together."""
