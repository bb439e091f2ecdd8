"""Tensor memory: a kernel works on it with one block alone or with pairs of blocks, and allocates columns by powers of two."""

from __future__ import annotations

from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Module, Op

_COLUMNS = tuple(2**n for n in range(5, 10))


def check(module: Module) -> tuple[Diagnostic, ...]:
    """OX0308 for an operation of a pair beside one of a block alone, OX2003 for columns that are not to be had. Each once."""
    ops = [op for op in module.kernel.body.walk() if op.name == "intrinsic" and op.attrs["row"].startswith("tcgen05.")]
    found: list[Diagnostic] = []
    first: dict[int, Op] = {}
    for op in ops:
        blocks = _blocks(op)
        if blocks:
            first.setdefault(blocks, op)
        if op.attrs["row"] in ("tcgen05.alloc", "tcgen05.dealloc") and (columns := op.operands[-1].constant) is not None:
            if columns not in _COLUMNS:
                message = f"`{op.attrs['row']}` of {int(columns)} columns"
                found.append(Diagnostic("OX2003", message, op.span, help="it is 32, 64, 128, 256 or 512"))
    if len(first) == 2:
        one, pair = first[1], first[2]
        labels = (Label(one.span, "this works with one block"),) if one.span is not None else ()
        message = f"`{pair.attrs['row']}` works with a pair of blocks, and `{one.attrs['row']}` with one"
        found.append(Diagnostic("OX0308", message, pair.span, labels=labels, help="give all of them `group=2`, or none"))
    return tuple(found)


def _blocks(op: Op) -> int:
    """How many blocks an operation works with; 0 where it does not say."""
    row = op.attrs["row"]
    if row.endswith("_masked_pair"):
        return 2
    return 1 if row.endswith("_masked") or row.startswith("tcgen05.mma_ws") else int(op.attrs.get("group", 0))
