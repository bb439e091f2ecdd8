"""Whether it can matter that memory arguments begin at multiples of 16 bytes: then accesses of neighbouring elements become wide ones."""

from __future__ import annotations

from collections import Counter

from oxidepy.ir.core import Module, Op, Value

WIDE = 16  # bytes that one instruction of a thread moves at most


def gains(module: Module) -> bool:
    """Whether a kernel has accesses of global memory that may be neighbours: several of one object, or one inside a loop."""
    seen: Counter[tuple[str, Value]] = Counter()
    for op in module.kernel.body.walk():
        if op.name == "for":
            seen.update(dict.fromkeys(_accesses(op), 1))
        elif op.name in ("load", "store"):
            seen.update([(op.name, op.operands[0])])
    return any(count > 1 and memory.memory.space in ("global", "const") for (_, memory), count in seen.items())


def _accesses(loop: Op) -> set[tuple[str, Value]]:
    return {(op.name, op.operands[0]) for op in loop.walk() if op.name in ("load", "store")}
