"""Messages to the host, written out: each `print` becomes a record in a buffer that every launch is given.

This happens once, behind the analyses, so that all devices run the same operations. The buffer is the kernel's last but one parameter,
an array of u64; the last one is the number of the launch, 0 where nobody reads what is written (code that others launch). Words of the
buffer: HEAD, how many words records have taken, those that found no room included; LOST, how many records found none; CAPACITY; from
DATA on the records: number of the message and thread, launch, block, then one word an operand.
"""

from __future__ import annotations

from collections.abc import Sequence

from oxidepy.ir.core import Block, Builder, Kernel, Module, Op, ParamInfo, Value
from oxidepy.ir.types import I64, U16, U32, U64, Memory, Scalar

SOURCE = "the host's messages"  # no parameter of a Python function has such a name
LAUNCH = "launch"
HEAD, LOST, CAPACITY, DATA = 0, 1, 2, 4
HEADER = 3  # words of a record before its operands
BLOCK_BITS, THREAD_BITS = (31, 16), (10, 10)  # of x and of y in the word of a place; z stands above them
THREAD_SHIFT = 32  # in a record's first word the thread stands above the number of the message


def write_out(module: Module) -> None:
    """Replace the `print`s of the kernel; one that has none is left as it is."""
    kernel = module.kernel
    if any(op.name == "print" for op in kernel.body.walk()):
        kernel.raceless = False  # all threads meet in the buffer
        writer = _Writer(kernel)
        for block in [kernel.body, *(region for op in kernel.body.walk() for region in op.regions)]:
            writer.block(block)


class _Writer:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.buffer = Value(Memory(U64, "global", "exclusive"), "messages")
        self.launch = Value(U64, "messages.launch")
        kernel.params += [self.buffer, self.launch]
        kernel.infos += [ParamInfo(SOURCE, "memory"), ParamInfo(SOURCE, "scalar", path=LAUNCH)]

    def block(self, block: Block) -> None:
        if not any(op.name == "print" for op in block.ops):
            return
        before, block.ops = block.ops, []
        for op in before:
            if op.name == "print":
                self._record(Builder(block), op)
            else:
                block.ops.append(op)

    def _record(self, builder: Builder, op: Op) -> None:
        number = len(self.kernel.messages)
        self.kernel.messages += ((op.attrs["template"], op.attrs["parts"]),)
        builder.span = op.span
        read, unread = Block(), Block()
        wanted = builder.value("ne", self.launch, builder.const(U64, 0))
        builder.emit("if", (wanted,), (), regions=(read, unread))
        with builder.at(unread):
            builder.emit("yield")
        with builder.at(read):
            self._claim(builder, number, op.operands)
            builder.emit("yield")

    def _claim(self, builder: Builder, number: int, operands: list[Value]) -> None:
        """Take room for a record and fill it; where there is none, count it."""
        words = builder.const(U64, HEADER + len(operands))
        start = self._add(builder, HEAD, words)
        capacity = builder.value("load", self.buffer, builder.const(I64, CAPACITY), type=U64, offset=0)
        fits = builder.value("le", builder.value("add", start, words), capacity)
        room, full = Block(), Block()
        builder.emit("if", (fits,), (), regions=(room, full))
        with builder.at(full):
            self._add(builder, LOST, builder.const(U64, 1))
            builder.emit("yield")
        with builder.at(room):
            first = builder.value("bitcast", builder.value("add", start, builder.const(U64, DATA)), type=I64)
            thread, block = self._place(builder)
            head = builder.value("or", builder.value("shl", thread, builder.const(U64, THREAD_SHIFT)), builder.const(U64, number))
            for offset, value in enumerate((head, self.launch, block, *(_word(builder, one) for one in operands))):
                at = builder.value("add", first, builder.const(I64, offset))
                builder.emit("store", (self.buffer, at, value), (), {"offset": 0})
            builder.emit("yield")

    def _add(self, builder: Builder, word: int, value: Value) -> Value:
        attrs = {"kind": "add", "order": "relaxed", "scope": "device", "offset": 0}
        return builder.emit("atomic", (self.buffer, builder.const(I64, word), value), (U64,), attrs).result

    def _place(self, builder: Builder) -> tuple[Value, Value]:
        """The thread's coordinates in its block and the block's in the grid, each in one word that sorts like their linear number."""
        axes = range(self.kernel.domain)
        threads = [axis for axis in range(3) if self.kernel.block[axis] > 1 or not axis]
        return self._packed(builder, "thread.idx", threads, THREAD_BITS), self._packed(builder, "block.idx", axes, BLOCK_BITS)

    def _packed(self, builder: Builder, name: str, axes: Sequence[int], bits: tuple[int, int]) -> Value:
        coordinate = self.kernel.coordinates
        assert coordinate is not None
        whole: Value | None = None
        for axis in axes:
            one = builder.value("cast", builder.value("intrinsic", type=coordinate, row=f"{name}.{'xyz'[axis]}"), type=U64)
            shifted = builder.value("shl", one, builder.const(U64, sum(bits[:axis])))
            whole = one if whole is None else builder.value("or", whole, shifted)
        assert whole is not None
        return whole


def _word(builder: Builder, value: Value) -> Value:
    """A scalar in the lower bits of a word."""
    scalar = value.scalar
    if scalar.is_float:
        value = builder.value("bitcast", value, type=_SAME_WIDTH[scalar.bits])
    return value if value.scalar == U64 else builder.value("cast", value, type=U64)


_SAME_WIDTH: dict[int, Scalar] = {16: U16, 32: U32, 64: U64}
