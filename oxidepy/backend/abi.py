"""The face of compiled code that is the same on every target: parameters, symbol, numbered panic sites."""

from __future__ import annotations

from oxidepy.backend.artefact import AbiParam, PanicSite
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.types import Memory


def abi_params(kernel: Kernel) -> tuple[AbiParam, ...]:
    """One a parameter of the IR, in order. Memory is an address, of type "u64". The grid of a coarse kernel is left out."""
    return tuple(
        AbiParam(info.role, "u64" if isinstance(value.type, Memory) else value.type.name, info.source, info.axis, info.path)
        for value, info in zip(kernel.params, kernel.infos, strict=True)
        if info.role != "grid"
    )


def checks(kernel: Kernel) -> list[Op]:
    """The checks of a kernel in the order of their numbers; in a coarse kernel, what is left of them."""
    return [op for op in kernel.body.walk() if op.name in ("check", "panic")]


def panic_sites(found: list[Op]) -> tuple[PanicSite, ...]:
    return tuple(PanicSite(op.attrs["code"], op.attrs["message"], op.span, len(op.operands) == 3) for op in found)


def symbol(name: str) -> str:
    """The kernel's name as every assembler takes it: letters, digits, underscore; other characters by their number."""
    text = "".join(one if one.isascii() and (one.isalnum() or one == "_") else f"_u{ord(one):x}" for one in name)
    taken = text.startswith("oxidepy_") or text in ("_", "WARP_SZ")  # our own functions have such names; PTX takes these for no name
    return f"{text}_" if taken else text
