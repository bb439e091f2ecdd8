"""Races between threads of the grid, in memory that several threads may write."""

from __future__ import annotations

from oxidepy.diagnostics import Diagnostic, Severity
from oxidepy.ir.core import Module, Op

# Until races are proven, the open obligation is reported and does not stop the kernel.
UNDECIDED: Severity = "warning"


def obligations(module: Module) -> list[Diagnostic]:
    """One finding for each exclusive parameter that the kernel writes: that no two threads touch one element is not proven."""
    kernel = module.kernel
    found: list[Diagnostic] = []
    for param, info in zip(kernel.params, kernel.infos, strict=True):
        if info.role != "memory" or param.memory.access != "exclusive":
            continue
        store = _first_store(module, param)
        if store is not None:
            found.append(
                Diagnostic(
                    "OX4003",
                    f"accesses to `{info.source}` are not analysed yet: two threads may touch one element",
                    store.span,
                    label="written here",
                    help=f'make `{info.source}` a DisjointSlice, or write under `with unsafe("why no two threads meet"):`',
                    severity=UNDECIDED,
                )
            )
    return found


def _first_store(module: Module, memory: object) -> Op | None:
    """The first that its author does not answer for: inside `with unsafe(...)` an access carries the reason."""
    ops = module.kernel.body.walk()
    return next((op for op in ops if op.name == "store" and op.operands[0] is memory and "unsafe" not in op.attrs), None)
