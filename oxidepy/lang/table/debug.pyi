# Written by scripts/stubs.py from the table of intrinsics (oxidepy/ir/intrinsics).

from oxidepy.lang.scalars import u64

__all__ = [
    "breakpoint",
    "clock",
    "global_timer",
    "prof_trigger",
]

def breakpoint() -> None:
    """Stop here for a debugger, where the kernel was compiled with `--device-debug`; nothing otherwise. Without a debugger the launch
    fails then, and on `cpu` the process ends. On `interp` the hook of Python's `breakpoint()` is called, once for the threads that
    come here together."""
    ...
def clock() -> u64:
    """The cycle counter of the multiprocessor; of the CPU on `cpu`, nanoseconds on `interp`. No two launches see the same numbers.
    Accesses of memory stay on their side of it; arithmetic alone may be moved across."""
    ...
def global_timer() -> u64:
    """A clock in nanoseconds that all threads of the device share. Not on `cpu` (OX6001)."""
    ...
def prof_trigger(event: int) -> None:
    """Count an event, 0 to 15, known at compile time, for a profiler of GPUs; nothing on other devices."""
    ...
