"""Instructions of GPUs on the CPU: those that one thread executes for itself and that mean something here; the others are refused."""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import Emitter
from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics import ROWS

# `cpu` of a row → its lowering: the text of the first result ("" without one); further results go into the emitter's values
LOWERINGS: dict[str, Callable[[Emitter, Op], str]] = {
    "clock": lambda emitter, op: emitter.ins("call i64 @llvm.readcyclecounter()"),
    "breakpoint": lambda emitter, op: emitter.do("call void @llvm.debugtrap()") or "",
    "nothing": lambda emitter, op: "",
}


def lower(emitter: Emitter, op: Op) -> str:
    return LOWERINGS[ROWS[op.attrs["row"]].cpu](emitter, op)


def refuse(kernel: Kernel) -> None:
    """CompileError OX6001 with every instruction of the kernel that the CPU does not have, at its first use."""
    found: dict[str, Diagnostic] = {}
    for op in kernel.body.walk():
        if op.name == "intrinsic" and op.attrs["row"] not in found:
            row = ROWS[op.attrs["row"]]
            if row.assembly is not None and not row.cpu:
                where = "a CUDA device or `interp`" if row.reference else "a CUDA device"
                ways = ["run this kernel with `--device interp`"] if row.reference else []
                found[row.name] = Diagnostic(
                    "OX6001",
                    f"`{row.name}` needs {where}: the device `cpu` does not have it",
                    op.span,
                    help=", or ".join((*ways, "run it on a GPU")),
                )
        elif op.name == "ptx" and "ptx" not in found:
            help = "write the same in Python for other devices, or run it on a GPU"
            found["ptx"] = Diagnostic("OX6001", "`ptx` needs a CUDA device: its text is for GPUs", op.span, help=help)
    if found:
        raise CompileError(list(found.values()))
