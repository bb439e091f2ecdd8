"""Instructions of GPUs on the CPU: those that one thread executes for itself and that mean something here; the others are refused."""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import Emitter, address
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.intrinsics.form import written
from oxidepy.ir.intrinsics.inline import only_on_gpus
from oxidepy.ir.types import Memory


def _stop(emitter: Emitter, op: Op) -> str:
    emitter.do("call void @llvm.debugtrap()")
    return ""


# `cpu` of a row → its lowering: the text of the first result ("" without one); further results go into the emitter's values
LOWERINGS: dict[str, Callable[[Emitter, Op], str]] = {
    "clock": lambda emitter, op: emitter.ins("call i64 @llvm.readcyclecounter()"),
    "breakpoint": _stop,
    "nothing": lambda emitter, op: "",
    "smid": lambda emitter, op: "0",
    "nsmid": lambda emitter, op: "1",
    "gridid": lambda emitter, op: "0",
}


def _copy(emitter: Emitter, op: Op) -> str:
    """A copy that runs beside the threads on a GPU, done at once: whoever waits for it finds it done."""
    to, at, source, begin = op.operands[:4]
    _move(emitter, op.attrs["bytes"], address(emitter, source, begin, 0), address(emitter, to, at, 0))
    return ""


def _move(emitter: Emitter, count: int, source: str, to: str) -> None:
    """`count` bytes, 4, 8 or 16 or those of an element."""
    found = emitter.ins(f"load i{8 * count}, ptr {source}, align 1")
    emitter.do(f"store i{8 * count} {found}, ptr {to}, align 1")


def _copy_filled(emitter: Emitter, op: Op) -> str:
    """The same with zeros behind the first bytes. Byte by byte, since those behind may not be the array's."""
    to, at, source, begin, size = op.operands
    first, target = address(emitter, source, begin, 0), address(emitter, to, at, 0)
    count = op.attrs["bytes"]
    emitter.do(f"store i{8 * count} 0, ptr {target}, align 1")
    unit = min(source.memory.element.size, count)
    end = emitter.fresh("copied")
    for start in range(0, count, unit):
        more = emitter.fresh("element")
        wanted = emitter.ins(f"icmp ugt i32 {emitter.value(size)}, {start}")
        emitter.do(f"br i1 {wanted}, label %{more}, label %{end}")
        emitter.start(more)
        here, there = (emitter.ins(f"getelementptr i8, ptr {one}, i64 {start}") for one in (first, target))
        _move(emitter, unit, here, there)
    emitter.do(f"br label %{end}")
    emitter.start(end)
    return ""


LOWERINGS.update({"nothing": lambda emitter, op: "", "async_copy": _copy, "async_copy.filled": _copy_filled})


def lower(emitter: Emitter, op: Op) -> str:
    return LOWERINGS[ROWS[op.attrs["row"]].cpu](emitter, op)


def refuse(kernel: Kernel, *, wide: bool) -> None:
    """CompileError OX6001 with every instruction of the kernel that the CPU does not have, at its first use. `wide`: it moves 16 bytes
    atomically."""
    found: dict[str, Diagnostic] = {}
    for op in kernel.body.walk():
        if op.name == "intrinsic" and op.attrs["row"] not in found:
            row = ROWS[op.attrs["row"]]
            if row.assembly is not None and not row.cpu:
                where = "a CUDA device or `interp`" if row.reference else "a CUDA device"
                ways = ["run this kernel with `--device interp`"] if row.reference else []
                found[row.name] = Diagnostic(
                    "OX6001",
                    f"`{written(row.name)}` needs {where}: the device `cpu` does not have it",
                    op.span,
                    help=", or ".join((*ways, "run it on a GPU")),
                )
        if op.name == "atomic" and "whole" in op.attrs and op.operands[0].memory.element.size == 16 and not wide:
            message = "an atomic access of 16 bytes needs another processor: this one has no `cmpxchg16b`"
            found[message] = Diagnostic("OX6001", message, op.span, help="run this kernel with `--device interp`, or run it on a GPU")
    for name, refusal in only_on_gpus(kernel):
        found.setdefault(name, refusal)
    for param in kernel.params:
        if not found and isinstance(param.type, Memory) and param.type.space == "param":
            message = f"the tensor map `{param.name}` needs a CUDA device or `interp`: the device `cpu` has no tensor maps"
            span = kernel.body.ops[0].span
            found[param.name] = Diagnostic("OX6001", message, span, help="run this kernel with `--device interp`, or run it on a GPU")
    if found:
        raise CompileError(list(found.values()))
