"""Looking at a kernel while it runs: clocks, marks for a profiler, stops for a debugger."""

from __future__ import annotations

from oxidepy.ir.intrinsics.row import Immediate, Intrinsic, Registers, instruction

EVENTS = range(16)


def rows() -> list[Intrinsic]:
    def row(name: str, text: str, gives: tuple[Registers, ...], doc: str, cpu: str, immediates: tuple[Immediate, ...] = ()) -> Intrinsic:
        return instruction(
            f"debug.{name}",
            text,
            gives=gives,
            immediates=immediates,
            arch=75,
            isa=(6, 3),
            effect="read",  # nothing is moved across it
            unsafe=False,
            reference=f"debug:{name}",
            cpu=cpu,
            doc=doc,
        )

    time = (Registers("time", "u64"),)
    return [
        row(
            "clock",
            "mov.u64 <time>, %clock64;",
            time,
            "The cycle counter of the multiprocessor; of the CPU on `cpu`, nanoseconds on `interp`. No two launches see the same numbers. "
            "Accesses of memory stay on their side of it; arithmetic alone may be moved across.",
            "clock",
        ),
        row(
            "global_timer",
            "mov.u64 <time>, %globaltimer;",
            time,
            "A clock in nanoseconds that all threads of the device share. Not on `cpu` (OX6001).",
            "",
        ),
        row(
            "prof_trigger",
            "pmevent <event>;",
            (),
            "Count an event, 0 to 15, known at compile time, for a profiler of GPUs; nothing on other devices.",
            "nothing",
            (Immediate("event", EVENTS),),
        ),
        row(
            "breakpoint",
            "brkpt;",
            (),
            "Stop here for a debugger, where the kernel was compiled with `--device-debug`; nothing otherwise. Without a debugger "
            "the launch fails then, and on `cpu` the process ends. "
            "On `interp` the hook of Python's `breakpoint()` is called, once for the threads that come here together.",
            "breakpoint",
        ),
    ]
