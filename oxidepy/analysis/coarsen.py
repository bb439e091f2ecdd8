"""Grid coarsening: one block of the hardware runs several blocks of the grid, where nobody can see it.

One element a thread keeps too few bytes on their way to saturate the memory of a large GPU. A coarse kernel loads the elements of several
blocks before it stores any of them. Each access stays as wide as it was, so alignment and neighbouring threads do not matter.
"""

from __future__ import annotations

from oxidepy.analysis.interior import Interior, NotStraight, interior, straight_function, used
from oxidepy.ir.core import Module, Op, Value
from oxidepy.ir.record import record
from oxidepy.ir.types import Memory

BYTES = 16  # that a thread keeps on their way for each memory object
MOST = 8  # blocks in one
LARGEST = 40  # operations of a body


@record
class Plan:
    """`factor` blocks run as one. A factor of 1 means that the kernel stays as it is; `reason` says why."""

    factor: int
    reason: str = ""
    interior: Interior | None = None


def plan(module: Module) -> Plan:
    """Whether, and by what factor, a checked kernel can run several blocks as one without anyone seeing it."""
    try:
        return _plan(module)
    except NotStraight as why:
        return Plan(1, str(why))


def _plan(module: Module) -> Plan:
    kernel = module.kernel
    if kernel.domain != 1 or kernel.block[1:] != (1, 1):
        raise NotStraight("its grid or block has more than one axis")
    if kernel.cluster is not None:
        raise NotStraight("its blocks run in clusters")
    for memory in (one.type for one in kernel.params if isinstance(one.type, Memory)):
        if memory.access in ("exclusive", "raw"):
            raise NotStraight("it has memory that several threads may write")
    found = interior(module)
    stores = [op for op in found.line if op.name == "store"]
    if not stores:
        raise NotStraight("it writes no memory")
    needed = used(found, stores)
    operations = sum(_cost(module, op) for op in needed)
    if operations > LARGEST:
        raise NotStraight(f"its body has {operations} operations, more than {LARGEST}")
    factor = _factor(needed)
    if factor == 1:
        raise NotStraight("its elements are wide enough")
    return Plan(factor, interior=found)


def _cost(module: Module, op: Op) -> int:
    return sum(
        straight_function(module, one.attrs["callee"]) if one.name == "call" else one.name not in ("const", "undef", "yield")
        for one in op.walk()
    )


def _factor(needed: set[Op]) -> int:
    """By the bytes that a thread loads from one memory object (stores where it loads nothing): the widest object decides."""
    for name in ("load", "store"):
        widths: dict[Value, dict[tuple[Value, int], int]] = {}
        for op in needed:
            if op.name == name:
                value = op.result if name == "load" else op.operands[2]
                widths.setdefault(op.operands[0], {})[op.operands[1], op.attrs["offset"]] = value.scalar.size
        if widths:
            widest = max(sum(parts.values()) for parts in widths.values())
            return min(MOST, 1 << max(BYTES // widest, 1).bit_length() - 1)
    return 1
