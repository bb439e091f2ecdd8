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
        row("clock", "mov.u64 <time>, %clock64;", time, "Cycles of the multiprocessor; of the CPU's counter on `cpu`.", "clock"),
        row("global_timer", "mov.u64 <time>, %globaltimer;", time, "Nanoseconds, the same clock for all threads.", ""),
        row("prof_trigger", "pmevent <event>;", (), "Count an event for a profiler.", "nothing", (Immediate("event", EVENTS),)),
        row("breakpoint", "brkpt;", (), "Stop for a debugger; only under `--device-debug`.", "breakpoint"),
    ]
