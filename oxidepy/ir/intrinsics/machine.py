"""Where a thread runs on the machine, and a pause. What these give is the device's own: the bits are not the same on all devices."""

from __future__ import annotations

from oxidepy.ir.intrinsics.row import Intrinsic, Registers, instruction


def _register(name: str, type_: str, text: str, doc: str) -> Intrinsic:
    return instruction(
        f"thread.{name}",
        text,
        gives=(Registers("number", type_),),
        doc=doc,
        arch=75,
        isa=(6, 3),
        effect="read",
        unsafe=False,
        reference=f"machine:{name}",
        cpu=name,
    )


def rows() -> list[Intrinsic]:
    return [
        _register("smid", "u32", "mov.u32 <number>, %smid;", "The multiprocessor that runs the thread now; 0 on `cpu` and `interp`."),
        _register("nsmid", "u32", "mov.u32 <number>, %nsmid;", "A bound of the numbers that `smid` gives; 1 on `cpu` and `interp`."),
        _register("gridid", "u64", "mov.u64 <number>, %gridid;", "A number of this launch, for tools that tell launches apart; 0 on `cpu` and `interp`."),
        instruction(
            "thread.nanosleep",
            "nanosleep.u32 <nanoseconds>;",
            (Registers("nanoseconds", "u32"),),
            doc="Pause for up to twice so many nanoseconds, at most a millisecond; nothing on `cpu` and `interp`.",
            arch=75,
            isa=(6, 3),
            effect="read",
            unsafe=False,
            reference="machine:nanosleep",
            cpu="nanosleep",
        ),
    ]  # fmt: skip
