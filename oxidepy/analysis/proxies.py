"""Copies of the tensor memory accelerator out of shared memory: it sees what threads have written only behind a fence of their proxies."""

from __future__ import annotations

from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS, Address
from oxidepy.ir.intrinsics.form import written

_FENCE = "barrier.fence_proxy_async"
_LOOPS = frozenset(("for", "while"))


def check(module: Module) -> tuple[Diagnostic, ...]:
    """OX0381 for a copy of what threads have written before, in a kernel without any such fence. Where one stands is not asked."""
    ops = list(module.kernel.body.walk())
    copies = [(op, memory) for op in ops if (memory := _source(op)) is not None]
    if not copies or any(_fences(op) for op in ops):
        return ()
    order = {op: number for number, op in enumerate(ops)}
    loops = _loops(module.kernel.body, frozenset())
    found: list[Diagnostic] = []
    for copy, memory in copies:
        writes = (op for op in ops if memory in _changed(op) and (order[op] < order[copy] or loops[op] & loops[copy]))
        first = next(writes, None)
        if first is not None:
            name = memory.owner.attrs["name"] if isinstance(memory.owner, Op) else "its source"
            labels = (Label(first.span, "written here"),) if first.span is not None else ()
            found.append(
                Diagnostic(
                    "OX0381",
                    f"`{written(copy.attrs['row'])}` may copy `{name}` as it was before threads wrote it",
                    copy.span,
                    labels=labels,
                    help='who writes calls `barrier.fence_proxy_async("shared")` behind it, then comes a `block.sync()`',
                )
            )
    return tuple(found)


def _source(op: Op) -> Value | None:
    """The array of shared memory that the accelerator reads."""
    if op.name != "intrinsic" or not op.attrs["row"].startswith("tma."):
        return None
    code = ROWS[op.attrs["row"]].assembly
    assert code is not None
    for one, values in code.given(op.operands):
        if isinstance(one, Address) and one.name == "source" and one.spaces == ("shared",):
            return values[0]
    return None


def _changed(op: Op) -> tuple[Value, ...]:
    """The memory that threads write by an operation."""
    if op.name == "store" or (op.name == "atomic" and op.attrs["kind"] != "load"):
        return (op.operands[0],)
    if op.name != "intrinsic" or op.attrs["row"].startswith("tma."):
        return ()
    code = ROWS[op.attrs["row"]].assembly
    given = code.given(op.operands) if code is not None else ()
    return tuple(values[0] for one, values in given if isinstance(one, Address) and one.writes)


def _fences(op: Op) -> bool:
    """Whether it is such a fence, or may hold one."""
    return op.name in ("ptx", "extern") or (op.name == "intrinsic" and op.attrs["row"] == _FENCE)


def _loops(block: Block, around: frozenset[Op]) -> dict[Op, frozenset[Op]]:
    """The loops that each operation stands in."""
    found: dict[Op, frozenset[Op]] = {}
    for op in block.ops:
        found[op] = around
        for region in op.regions:
            found.update(_loops(region, around | {op} if op.name in _LOOPS else around))
    return found
