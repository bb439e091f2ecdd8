"""PTX that a kernel holds, as an instruction like those of the table."""

from __future__ import annotations

from collections.abc import Iterator

from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics.row import Address, Argument, Assembly, Registers
from oxidepy.ir.types import Memory

# versions of the PTX ISA that a kernel's own PTX may be of: those that code is written in
ISAS = (*((6, minor) for minor in range(3, 6)), *((7, minor) for minor in range(9)), *((8, minor) for minor in range(9)), (9, 0))


def inline_ops(kernel: Kernel) -> list[Op]:
    """The kernel's `ptx` operations in the order of their numbers."""
    return [op for op in kernel.body.walk() if op.name == "ptx"]


def only_on_gpus(kernel: Kernel) -> Iterator[tuple[str, Diagnostic]]:
    """OX6001 for what other devices cannot do, with the name under which it is said once."""
    for op in kernel.body.walk():
        if op.name == "ptx":
            help = "write the same in Python for other devices, or run it on a GPU"
            yield "ptx", Diagnostic("OX6001", "`ptx` needs a CUDA device: its text is for GPUs", op.span, help=help)
        elif op.name == "extern" and not op.attrs["stands"]:
            name = op.attrs["name"]
            help = f"write what it does into the body of `{name}`, in the place of `...`, or run it on a GPU"
            message = f"`{name}` needs a CUDA device: its code is for GPUs, and no body stands for it elsewhere"
            yield f"extern {name}", Diagnostic("OX6001", message, op.span, help=help)


def inline_code(op: Op) -> Assembly:
    """The instruction that a `ptx` operation is."""
    arguments: list[Argument] = []
    values = iter(op.operands)
    for value in values:
        name = f"arg{len(arguments)}"
        if isinstance(value.type, Memory):
            arguments.append(Address(name, (value.memory.space,), "both", 0))
            next(values)
        else:
            arguments.append(Registers(name, value.scalar.name))
    gives = tuple(Registers(f"out{number}", one.scalar.name) for number, one in enumerate(op.results))
    return Assembly(op.attrs["text"], tuple(arguments), gives)
