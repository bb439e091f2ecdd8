"""Shared memory that is read beside the threads, by the tensor memory accelerator and the products of a warpgroup: they see what threads
have written only behind a fence, and it is there until they have read it.
"""

from __future__ import annotations

from collections.abc import Iterator

from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS, Address
from oxidepy.ir.intrinsics.form import written

_FENCE = "barrier.fence_proxy_async"
_OUT = ("tma.store", "tma.reduce", "tma.copy_out")  # copies in groups of a thread
_PRODUCTS = ("wgmma.m64", "wgmma.sparse.", "tcgen05.mma")
_LOOPS = frozenset(("for", "while"))


def check(module: Module) -> tuple[Diagnostic, ...]:
    """OX0381 for a look at what threads have written before, in a kernel without any such fence; OX0505 for copies out of shared memory in
    a kernel that never waits for them. Where a fence or a wait stands is not asked."""
    ops = list(module.kernel.body.walk())
    return (*_unfenced(module, ops), *_unfinished(ops))


def _unfinished(ops: list[Op]) -> Iterator[Diagnostic]:
    """The first copy that is under way when its block ends."""
    rows = [op.attrs["row"] if op.name == "intrinsic" else op.name for op in ops]
    if any(row in ("tma.wait", "tma.wait_read", "ptx", "extern") for row in rows):
        return
    for op, row in zip(ops, rows, strict=True):
        if row.startswith(_OUT):
            yield Diagnostic(
                "OX0505",
                f"the block may end before `{written(row)}` has read its memory",
                op.span,
                help="the thread that begins it waits: `tma.commit()`, then `tma.wait_read()`",
            )
            return


def _unfenced(module: Module, ops: list[Op]) -> tuple[Diagnostic, ...]:
    looks = [(op, memory) for op in ops for memory in _read(op)]
    if not looks or any(_fences(op) for op in ops):
        return ()
    order = {op: number for number, op in enumerate(ops)}
    loops = _loops(module.kernel.body, frozenset())
    found: list[Diagnostic] = []
    for look, memory in looks:
        writes = (op for op in ops if memory in _changed(op) and (order[op] < order[look] or loops[op] & loops[look]))
        first = next(writes, None)
        if first is not None:
            name = memory.owner.attrs["name"] if isinstance(memory.owner, Op) else "its source"
            labels = (Label(first.span, "written here"),) if first.span is not None else ()
            found.append(
                Diagnostic(
                    "OX0381",
                    f"`{written(look.attrs['row'])}` may read `{name}` as it was before threads wrote it",
                    look.span,
                    labels=labels,
                    help='who writes calls `barrier.fence_proxy_async("shared")` behind it, then comes a `block.sync()`',
                )
            )
    return tuple(found)


def _read(op: Op) -> list[Value]:
    """The arrays of shared memory that are read beside the threads."""
    if op.name != "intrinsic" or not op.attrs["row"].startswith(("tma.", *_PRODUCTS)):
        return []
    code = ROWS[op.attrs["row"]].assembly
    assert code is not None
    found: dict[Value, None] = {}
    for one, values in code.given(op.operands):
        if isinstance(one, Address) and one.name == "source" and one.spaces == ("shared",):
            found[values[0]] = None
        elif not isinstance(one, Address) and one.type == "u64":  # a descriptor
            found.update(dict.fromkeys(_described(values[0])))
    return list(found)


def _described(descriptor: Value) -> Iterator[Value]:
    """The array whose address a descriptor was made of, where it was made here."""
    seen, left = set[Value](), [descriptor]
    while left:
        value = left.pop()
        if value in seen or not isinstance(value.owner, Op):
            continue
        seen.add(value)
        if value.owner.attrs.get("row") == "shared.address":
            yield value.owner.operands[0]
        else:
            left += value.owner.operands


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
