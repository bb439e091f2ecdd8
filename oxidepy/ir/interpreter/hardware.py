"""Rows of the table of intrinsics that are an instruction of the hardware: what each means, as a function of this folder.

A reference function takes an `Execution`: the instruction's arguments by name, for the threads that execute it together. It gives one
array for each register of its results, over the threads of the block.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from importlib import import_module
from typing import Any, cast

import numpy as np

from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.core import Module, Op
from oxidepy.ir.interpreter.barriers import Wait, gathered
from oxidepy.ir.interpreter.control import Step
from oxidepy.ir.interpreter.memory import Buffer
from oxidepy.ir.interpreter.misuse import Misuse
from oxidepy.ir.interpreter.state import BlockState, Frame
from oxidepy.ir.interpreter.values import Array, Mask
from oxidepy.ir.intrinsics import ROWS, Address, Intrinsic
from oxidepy.ir.intrinsics.barrier import TESTS
from oxidepy.ir.intrinsics.form import written
from oxidepy.ir.intrinsics.inline import only_on_gpus
from oxidepy.ir.types import Memory


class Place:
    """An address for each thread: `at` is the byte of `buffer` where it begins."""

    def __init__(self, buffer: Buffer, at: Array, align: int, name: str, op: Op, state: BlockState) -> None:
        self.buffer, self.at, self.align, self.name = buffer, at, align, name
        self.op, self.state = op, state

    def read(self, count: int, mask: Mask) -> Array:
        """`count` bytes a thread: an array threads × count, zero for threads outside of the mask."""
        out = np.zeros((len(mask), count), np.uint8)
        out[mask] = self.buffer[self._bytes(count, mask)]
        return out

    def write(self, values: Array, mask: Mask) -> None:
        """Write the bytes of each thread of the mask, threads × count; of several at one place the last thread's stay."""
        self.buffer[self._bytes(values.shape[1], mask)] = values[mask]

    def _bytes(self, count: int, mask: Mask) -> Array:
        wrong = mask & ((self.at < 0) | (self.at + count > len(self.buffer)))
        if wrong.any():
            message = f"{self.name}: {count} bytes from byte {int(self.at[wrong][0])} of an array of {len(self.buffer)}"
            raise Misuse(self.op, self.state, int(np.argmax(wrong)), "OX7001", message, "all bytes of a place are inside of its array")
        odd = mask & (self.at % self.align != 0)
        if odd.any():
            message = f"{self.name}: byte {int(self.at[odd][0])} of an array, where places are multiples of {self.align} bytes"
            raise Misuse(self.op, self.state, int(np.argmax(odd)), "OX2007", message, f"let the index count {self.align} bytes")
        return self.at[mask][:, None] + np.arange(count)


class Execution:
    """One execution of an instruction. `mask`: the threads that execute it; `attrs`: its immediates."""

    def __init__(self, row: Intrinsic, op: Op, state: BlockState, operands: Sequence[Any], mask: Mask) -> None:
        self.row, self.attrs, self.state, self.mask = row, op.attrs, state, mask
        self.op = op
        self._given: dict[str, Any] = {}
        assert row.assembly is not None
        for one, given in row.assembly.given(zip(op.operands, operands, strict=True)):
            if isinstance(one, Address):
                (memory, buffer), (_, index) = given
                at = index.astype(np.int64) * memory.memory.element.size
                self._given[one.name] = Place(buffer, at, one.align, f"`{one.name}` of `{written(row.name)}`", op, state)
            else:
                self._given[one.name] = np.stack([numbers for _, numbers in given])

    def registers(self, name: str) -> Array:
        """An argument's registers: an array count × threads."""
        return cast("Array", self._given[name])

    def register(self, name: str) -> Array:
        """An argument of one register, over the threads."""
        return cast("Array", self._given[name][0])

    def place(self, name: str) -> Place:
        return cast("Place", self._given[name])

    def groups(self, size: int) -> Iterator[slice]:
        """The groups of `size` threads that execute it, warp by warp for 32."""
        for begin in range(0, len(self.mask), size):
            if self.mask[begin : begin + size].any():
                yield slice(begin, begin + size)


Reference = Callable[[Execution], Sequence[Array]]


def reference(row: Intrinsic) -> Reference:
    """The function that a row names, as "module:function" of this folder."""
    module, _, name = row.reference.partition(":")
    found: Reference = getattr(import_module(f"oxidepy.ir.interpreter.{module}"), name)
    return found


_PATIENT = (*TESTS, "barrier.nanosleep")  # nothing is different after them


class Instruction(Step):
    """An instruction that each thread executes for itself."""

    kind = "masked"

    def __init__(self, op: Op, operands: Sequence[int], results: Sequence[int]) -> None:
        self.op, self.operands, self.results = op, operands, results
        self.row = ROWS[op.attrs["row"]]
        self.meaning = reference(self.row)

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        operands = [frame.slots[one] for one in self.operands]
        frame.write(self.results, self.meaning(Execution(self.row, self.op, frame.state, operands, mask)))
        if self.row.effect != "pure" and self.row.name not in _PATIENT:
            frame.state.progress.count += 1
        return mask


class Together(Wait):
    """An instruction for which the threads of a group come together."""

    def __init__(self, op: Op, operands: Sequence[int], results: Sequence[int]) -> None:
        super().__init__(op, operands, None)
        self.results = results
        self.row = ROWS[op.attrs["row"]]
        self.meaning = reference(self.row)

    def perform(self, parties: Sequence[tuple[Frame, Mask]]) -> None:
        frame = parties[0][0]
        operands = [
            frame.slots[slot] if isinstance(one.type, Memory) else gathered(parties, slot)
            for one, slot in zip(self.op.operands, self.operands, strict=True)
        ]
        mask = reduce(np.logical_or, (mask for _, mask in parties))
        results = self.meaning(Execution(self.row, self.op, frame.state, operands, mask))
        for one, _ in parties:
            one.write(self.results, results)
        if self.row.effect != "pure":
            frame.state.progress.count += 1


def refuse(module: Module) -> None:
    """CompileError OX6001 where a kernel uses an instruction that has no meaning here, once for each."""
    found: dict[str, Diagnostic] = {}
    for op in module.kernel.body.walk():
        if op.name == "intrinsic" and op.attrs["row"] not in found:
            row = ROWS[op.attrs["row"]]
            if row.assembly is not None and not row.reference:
                found[row.name] = Diagnostic(
                    "OX6001",
                    f"`{written(row.name)}` needs a CUDA device of {needed(row)}: the interpreter does not have it",
                    op.span,
                    help="run this kernel on such a GPU; `oxidepy build` compiles it for one on any machine",
                )
    for name, refusal in only_on_gpus(module.kernel):
        found.setdefault(name, refusal)
    if found:
        raise CompileError(list(found.values()))


def needed(row: Intrinsic) -> str:
    """The architectures that have an instruction, in words."""
    if row.assembly is not None and row.assembly.arches:
        return " or ".join(row.assembly.arches[:2])
    return f"sm_{row.minimum_arch} or later"
