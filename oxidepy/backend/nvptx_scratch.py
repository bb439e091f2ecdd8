"""Scratch memory on a GPU: shared objects as variables of the module or inside the dynamic part, local ones on the stack."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from oxidepy.backend.abi import symbol
from oxidepy.backend.llvm.emitter import Emitter, Place
from oxidepy.backend.llvm.values import memory_type
from oxidepy.backend.shared_size import expression
from oxidepy.ir.core import Kernel, Op, Value
from oxidepy.ir.types import Element, Scalar

STATIC_LIMIT = 48 * 1024  # bytes of shared memory that a kernel may have without asking for more at the launch
_DYNAMIC_ALIGN = 16
_SHARED = "ptr addrspace(3)"


@dataclass
class Scratch:
    """The scratch memory of one kernel. `variables`: LLVM text; `static`: bytes; `pieces`: of the dynamic part, in order."""

    kernel: Kernel
    variables: list[str] = field(default_factory=list[str])
    static: int = 0
    pieces: list[list[Any]] = field(default_factory=list[list[Any]])

    def __post_init__(self) -> None:
        found = [op for op in self.kernel.body.walk() if op.name == "alloc"]
        self.local = [op for op in found if op.result.memory.space == "local"]
        shared = [op for op in found if op.result.memory.space == "shared"]
        fixed = [op for op in shared if not op.operands]
        end = 0
        for op in fixed:
            end = -(-end // _align(op)) * _align(op) + _bytes(op)
        self.moved = end > STATIC_LIMIT  # all of them, into the dynamic part
        self.fixed = [] if self.moved else fixed
        self.static = 0 if self.moved else end
        # what has a constant size comes first, at constant addresses
        self.dynamic = (fixed if self.moved else []) + [op for op in shared if op.operands]
        for op in self.dynamic:
            count = expression(self.kernel, op.operands[0]) if op.operands else int(op.attrs["count"])
            self.pieces.append([count, op.result.memory.element.size, _align(op)])

    def facts(self) -> dict[str, Any]:
        """What a launch must know (see `Artefact`)."""
        out: dict[str, Any] = {}
        if self.static:
            out["shared_static"] = self.static
        if self.pieces:
            out["shared_dynamic"] = self.pieces
        if self.moved:
            out["shared_moved"] = sum(not op.operands for op in self.dynamic)
        return out

    # ---- places

    def place(self, emitter: Emitter, tails: dict[Value, str]) -> None:
        """Emit, in the entry block, what makes the objects; `tails`: what their loads and stores carry."""
        names: set[str] = set()
        for op in self.fixed:
            name = self._name(op.attrs["name"], names)
            # not `undef` alone: LLVM would take loads of what this kernel does not write for undefined
            kind = "internal addrspace(3) externally_initialized global"
            self.variables.append(f"{name} = {kind} {_array(op.result.memory.element, op.attrs['count'])} undef, align {_align(op)}")
            emitter.places[op.result] = Place(name, _SHARED, tails[op.result], tails[op.result])
        for op in self.local:
            name = emitter.ins(f"alloca {_array(op.result.memory.element, op.attrs['count'])}, align {_align(op)}")
            emitter.places[op.result] = Place(name, "ptr", undefined=True)
        if self.dynamic:
            self._dynamic(emitter, tails, self._name("dynamic", names))

    def _dynamic(self, emitter: Emitter, tails: dict[Value, str], base: str) -> None:
        """Offsets one behind the other: numbers as long as the sizes are constants, then computed from the counts."""
        align = max(_DYNAMIC_ALIGN, *(_align(op) for op in self.dynamic))
        self.variables.append(f"{base} = external addrspace(3) global [0 x i8], align {align}")
        end: int | str = 0
        for op, (count, size, align) in zip(self.dynamic, self.pieces, strict=True):
            if isinstance(end, int):
                start: int | str = -(-end // align) * align
            else:
                start = emitter.ins(f"and i64 {emitter.ins(f'add i64 {end}, {align - 1}')}, {-align}") if align > 1 else end
            pointer = base if start == 0 else emitter.ins(f"getelementptr inbounds i8, {_SHARED} {base}, i64 {start}")
            emitter.places[op.result] = Place(pointer, _SHARED, tails[op.result], tails[op.result])
            if op is self.dynamic[-1]:
                break
            if isinstance(count, int) and isinstance(start, int):
                end = start + max(count, 0) * size
            else:
                length = emitter.ins(f"mul nuw nsw i64 {_count(emitter, op)}, {size}")
                end = emitter.ins(f"add nuw nsw i64 {start}, {length}")

    def _name(self, name: str, taken: set[str]) -> str:
        base = f"@{symbol(self.kernel.name)}_{re.sub(r'[^A-Za-z0-9_]', '_', name)}"
        found, number = base, 1
        while found in taken:
            number += 1
            found = f"{base}_{number}"
        taken.add(found)
        return found


def _count(emitter: Emitter, op: Op) -> str:
    """The count of a dynamic object as an i64 that is not negative. It follows from launch values, so it may be computed here."""
    value = op.operands[0] if op.operands else None
    if value is None:
        return str(op.attrs["count"])
    text = _hoist(emitter, value)
    if value.constant is not None:
        return str(max(int(value.constant), 0))
    scalar = value.scalar
    wide = text if scalar.bits == 64 else emitter.ins(f"{'sext' if scalar.signed else 'zext'} {emitter.type(scalar)} {text} to i64")
    return emitter.ins(f"call i64 @llvm.smax.i64(i64 {wide}, i64 0)")


def _hoist(emitter: Emitter, value: Value) -> str:
    """Lower a value's operations here. They are total: `expression` takes no others."""
    if value not in emitter.values:
        op = value.owner
        assert isinstance(op, Op)
        for one in op.operands:
            _hoist(emitter, one)
        emitter.values[value] = emitter.lowerings[op.name](emitter, op)
    return emitter.values[value]


def _align(op: Op) -> int:
    return max(int(op.attrs["align"]), op.result.memory.element.align)


def _bytes(op: Op) -> int:
    return int(op.attrs["count"]) * op.result.memory.element.size


def _array(element: Element, count: int) -> str:
    if isinstance(element, Scalar):
        return f"[{count} x {memory_type(element)}]"
    return f"[{count * element.size} x i8]"
