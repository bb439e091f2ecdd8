"""Where memory arguments have to begin: copies beside the threads, and atomic accesses of structs, move 4, 8 or 16 bytes as one, of memory
that is a multiple of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from oxidepy.ir.types import Memory

if TYPE_CHECKING:
    from oxidepy.ir.core import Module
    from oxidepy.lang.definition import Parameter
    from oxidepy.runtime.arguments import Bound

COPIES = ("async_copy.", "tma.copy", "tma.reduce_run", "tma.prefetch_run")


def copied(module: Module) -> dict[str, int]:
    """Names of parameters → bytes of which their addresses must be multiples, for what the kernel moves there as one."""
    from oxidepy.ir.intrinsics import ROWS, Address

    kernel = module.kernel
    sources = {param: info.source for param, info in zip(kernel.params, kernel.infos, strict=True) if isinstance(param.type, Memory)}
    found: dict[str, int] = {}
    for op in kernel.body.walk():
        if op.name == "atomic" and "whole" in op.attrs and (memory := op.operands[0]) in sources:
            found[sources[memory]] = max(found.get(sources[memory], 1), memory.memory.element.size)
        if op.name != "intrinsic" or not op.attrs["row"].startswith(COPIES):
            continue
        code = ROWS[op.attrs["row"]].assembly
        assert code is not None
        for one, (memory, *_) in code.given(op.operands):
            if isinstance(one, Address) and memory in sources:
                name, bytes_ = sources[memory], int(op.attrs.get("bytes", one.align))
                found[name] = max(found.get(name, 1), bytes_)
    return found


def check(wanted: Mapping[str, int], bound: Bound, parameters: Sequence[Parameter]) -> None:
    """LaunchError OX2007 for memory that begins elsewhere."""
    from oxidepy.runtime.arguments import describe

    for parameter in parameters:
        bytes_, buffer = wanted.get(parameter.name, 1), bound.values[parameter.name]
        if bytes_ > 1 and buffer.address % bytes_:
            raise bound.refuse(
                parameter.name,
                f"{describe(parameter.type, bound)} at a multiple of {bytes_} bytes, which the kernel moves as one",
                f"memory that begins {buffer.address % bytes_} bytes behind such a place",
                f"begin a view `b[i:j]` at a multiple of {max(bytes_ // buffer._element.size, 1)} elements",
            )
