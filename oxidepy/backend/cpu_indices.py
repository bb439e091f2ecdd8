"""Numbers that follow from one of which the upper bits were cut off.

LLVM 22's loop vectoriser takes the check that one index does not wrap for that of another one with fewer bits, and then reads `a[i & 3]`
as if it were `a[i]`. So it must not know of such an index how it depends on the thread (`KernelEmitter.index_text`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from oxidepy.ir.core import Op, Value
from oxidepy.ir.types import Memory, Scalar


def narrowed(ops: Iterable[Op]) -> set[Value]:
    """All such numbers of a kernel, and the scratch memory that holds some."""
    found: set[Value] = set()
    flows: list[tuple[Value, Value]] = []
    for op in (inner for one in ops for inner in one.walk()):
        if _narrows(op):
            found.update(op.results)
        flows += _flows(op)
    grew = True
    while grew:
        before = len(found)
        found.update(target for source, target in flows if source in found)
        grew = len(found) > before
    return found


def _narrows(op: Op) -> bool:
    if not op.results or not op.operands or not isinstance(op.operands[0].type, Scalar):
        return False
    source = op.operands[0]
    if op.name in ("and", "mod"):
        return any(one.constant is not None for one in op.operands)
    if op.name == "cast":
        return source.scalar.bits > op.result.scalar.bits < 32
    return op.name in ("shr", "call")  # after a shift to the left a shift to the right cuts off


def _flows(op: Op) -> Iterator[tuple[Value, Value]]:
    """From which value to which one bits go."""
    if op.name in ("store", "atomic") and op.operands[0].memory.space in ("shared", "local"):
        yield from ((value, op.operands[0]) for value in op.operands[2:])
    if op.name == "scope":
        leaves = [one for one in op.walk() if one.name == "leave" and one.attrs["label"] == op.attrs["label"]]
        yield from (pair for one in leaves for pair in zip(one.operands, op.results, strict=True))
    for result in op.results:
        yield from ((one, result) for one in op.operands if not isinstance(one.type, Memory) or one.memory.space in ("shared", "local"))
        for region in op.regions:
            yield from ((one, result) for one in region.terminator.operands)
    for region in op.regions:
        sources = [*op.operands, *(one for other in op.regions for one in other.terminator.operands)]
        yield from ((source, arg) for arg in region.args for source in sources if source.type == arg.type)
