"""PTX that a kernel holds, as an instruction like those of the table."""

from __future__ import annotations

from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.intrinsics.row import Address, Argument, Assembly, Registers
from oxidepy.ir.types import Memory


def inline_ops(kernel: Kernel) -> list[Op]:
    """The kernel's `ptx` operations in the order of their numbers."""
    return [op for op in kernel.body.walk() if op.name == "ptx"]


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
