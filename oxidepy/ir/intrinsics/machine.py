"""Where a thread runs on the machine. What these give is the device's own: the bits are not the same on all devices."""

from __future__ import annotations

from oxidepy.ir.intrinsics.row import Intrinsic, Registers, instruction


def _register(name: str, type_: str, doc: str) -> Intrinsic:
    return instruction(
        f"thread.{name}",
        f"mov.u{type_[1:]} <number>, %{name};",
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
        _register("smid", "u32", "The multiprocessor that runs the thread now; 0 on `cpu` and `interp`."),
        _register("nsmid", "u32", "A bound of the numbers that `smid` gives; 1 on `cpu` and `interp`."),
        _register("gridid", "u64", "A number of this launch, for tools that tell launches apart; 0 on `cpu` and `interp`."),
    ]
