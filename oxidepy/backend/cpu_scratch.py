"""Scratch memory and atomic accesses on the CPU.

A block runs whole on one thread, one block after the other, so its shared memory is a buffer that no other thread sees: an atomic access
of it is a plain one. Atomic accesses of global memory are LLVM's, by a loop over compare-exchange where no instruction does it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.backend.llvm.arithmetic import TABLE
from oxidepy.backend.llvm.emitter import Place, address
from oxidepy.backend.llvm.values import memory_type
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.record import record
from oxidepy.ir.types import Element, Memory, Scalar

if TYPE_CHECKING:
    from oxidepy.backend.cpu_kernel import KernelEmitter

STACK = 256 * 1024  # bytes of a kernel's objects up to which they are on the stack of the thread that runs it
SMALL = 4096  # a local object up to this size is always there, where LLVM can make registers of it
_ALIGN = 128


@record
class Object:
    """Memory of the running block, made once a call of the entry. `type`: LLVM's."""

    name: str
    type: str
    size: int
    align: int = 64
    stays: bool = False  # on the stack in any case


def place_objects(objects: list[Object]) -> tuple[list[str], int]:
    """LLVM text that makes the objects, and how many bytes of the buffer `%context` they need: none if all are on the stack."""
    heap = sum(one.size for one in objects) > STACK
    lines: list[str] = []
    end = 0
    for one in objects:
        if not heap or one.stays:
            lines.append(f"  {one.name} = alloca {one.type}, align {one.align}")
            continue
        end = -(-end // _ALIGN) * _ALIGN
        lines.append(f"  {one.name} = getelementptr inbounds i8, ptr %context, i64 {end}")
        end += one.size
    return lines, end


def declare(self: KernelEmitter) -> None:
    """Give every `alloc` of the kernel its place. Dynamic sizes are computed here, in the entry block: the launch knows them."""
    shared = self.grouped() if self.kernel.raceless else ""
    for number, op in enumerate(one for one in self.kernel.body.walk() if one.name == "alloc"):
        memory = op.result.memory
        align = max(_ALIGN if memory.space == "shared" else 16, int(op.attrs["align"]), memory.element.align)
        name = f"%scratch.{number}"
        if memory.space == "local":
            self.places[op.result] = self.local(op, name, align)
        elif op.operands:
            known_before(self, op.operands[0])
            self.do(f"{name} = alloca i8, i64 {_dynamic_bytes(self, op)}, align {align}")
            self.places[op.result] = Place(name, "ptr", shared, shared, undefined=True)
        else:
            self.objects.append(Object(name, array(memory.element, op.attrs["count"]), memory.element.size * op.attrs["count"], align))
            self.places[op.result] = Place(name, "ptr", shared, shared, undefined=True)


def array(element: Element, count: int) -> str:
    """An LLVM array of such elements."""
    return f"[{count} x {memory_type(element)}]" if isinstance(element, Scalar) else f"[{count * element.size} x i8]"


def _dynamic_bytes(self: KernelEmitter, op: Op) -> str:
    (count,) = op.operands
    text = self.values[count]
    if count.scalar.bits < 64:
        text = self.ins(f"sext {self.type(count.scalar)} {text} to i64")
    some = self.ins(f"call i64 @llvm.smax.i64(i64 {text}, i64 0)")
    return self.ins(f"mul i64 {some}, {op.result.memory.element.size}")


def known_before(self: KernelEmitter, value: Value) -> None:
    """Compute a value that follows from parameters, ahead of all threads."""
    op = value.owner
    if value in self.values or not isinstance(op, Op):
        return
    inside = {one for inner in op.walk() for one in inner.results}
    inside |= {arg for inner in op.walk() for region in inner.regions for arg in region.args}
    for inner in op.walk():
        for operand in inner.operands:
            if operand not in inside and not isinstance(operand.type, Memory):
                known_before(self, operand)
    block = Block()
    block.ops = [op]
    self.region(block)


# ---- atomic accesses

_ORDER = {"relaxed": "monotonic", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel", "seq_cst": "seq_cst"}
_LOAD_ORDER = {**_ORDER, "release": "monotonic", "acq_rel": "acquire"}
_STORE_ORDER = {**_ORDER, "acquire": "monotonic", "acq_rel": "release"}
_FAILURE_ORDER = {**_LOAD_ORDER}
U128 = Scalar("u128", "uint", 128)  # no number of kernel IR: a struct of 16 bytes in one piece
_INTEGER = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "exchange": "xchg"}


def atomic(self: KernelEmitter, op: Op) -> str:
    """The old value, "" for a store."""
    memory, index, *operands = op.operands
    scalar = (op.results or operands)[0].scalar
    pointer = address(self, memory, index, op.attrs.get("offset", 0))
    values = [self.values[one] for one in operands]
    if "whole" in op.attrs and memory.memory.element.size == U128.size:
        values = [_joined(self, low, high) for low, high in zip(values[::2], values[1::2], strict=True)]
        found = _access(self, op, U128, pointer, values)
        if op.results:
            self.values[op.results[1]] = self.ins(f"trunc i128 {self.ins(f'lshr i128 {found}, 64')} to i64")
            return self.ins(f"trunc i128 {found} to i64")
        return ""
    return _access(self, op, scalar, pointer, values)


def _joined(self: KernelEmitter, low: str, high: str) -> str:
    low, high = (self.ins(f"zext i64 {one} to i128") for one in (low, high))
    return self.ins(f"or i128 {low}, {self.ins(f'shl i128 {high}, 64')}")


def _access(self: KernelEmitter, op: Op, scalar: Scalar, pointer: str, values: list[str]) -> str:
    kind, order = op.attrs["kind"], op.attrs["order"]
    if op.operands[0].memory.space != "global":
        return _plain(self, kind, pointer, scalar, values)
    bits = f"i{8 * scalar.size}"
    if kind == "load":
        return _value(self, scalar, self.ins(f"load atomic {bits}, ptr {pointer} {_LOAD_ORDER[order]}, align {scalar.size}"))
    if kind == "store":
        self.do(f"store atomic {bits} {_bits(self, scalar, values[0])}, ptr {pointer} {_STORE_ORDER[order]}, align {scalar.size}")
        return ""
    if kind == "compare_exchange":
        expected, new = (_bits(self, scalar, one) for one in values)
        return _value(self, scalar, _exchange(self, scalar, pointer, expected, new, order)[0])
    return _modify(self, kind, scalar, pointer, values[0], order)


def _modify(self: KernelEmitter, kind: str, scalar: Scalar, pointer: str, value: str, order: str) -> str:
    bits = f"i{8 * scalar.size}"
    instruction = _INTEGER.get(kind)
    if scalar.is_int and kind in ("min", "max"):
        instruction = kind if scalar.signed else f"u{kind}"
    if instruction is not None and (not scalar.is_float or kind == "exchange") and (scalar.kind != "bool" or kind not in ("add", "sub")):
        found = self.ins(f"atomicrmw {instruction} ptr {pointer}, {bits} {_bits(self, scalar, value)} {_ORDER[order]}, align {scalar.size}")
        return _value(self, scalar, found)
    return _loop(self, kind, scalar, pointer, value, order)


def _loop(self: KernelEmitter, kind: str, scalar: Scalar, pointer: str, value: str, order: str) -> str:
    """By compare-exchange: what the operation of that name gives on values."""
    bits = f"i{8 * scalar.size}"
    first = self.ins(f"load atomic {bits}, ptr {pointer} monotonic, align {scalar.size}")
    before, head, end = self.current, self.fresh("exchange"), self.fresh("exchanged")
    self.do(f"br label %{head}")
    self.start(head)
    old = self.ins("phi")
    hole = len(self.lines) - 1
    new = _bits(self, scalar, _combine(self, kind, scalar, _value(self, scalar, old), value))
    seen, done = _exchange(self, scalar, pointer, old, new, order)
    self.do(f"br i1 {done}, label %{end}, label %{head}")
    self.lines[hole] = f"  {old} = phi {bits} [ {first}, %{before} ], [ {seen}, %{self.current} ]"
    self.start(end)
    return _value(self, scalar, old)


def _exchange(self: KernelEmitter, scalar: Scalar, pointer: str, expected: str, new: str, order: str) -> tuple[str, str]:
    """Compare-exchange of bits: what was there, and whether that was the expected."""
    bits = f"i{8 * scalar.size}"
    orders = f"{_ORDER[order]} {_FAILURE_ORDER[order]}"
    both = self.ins(f"cmpxchg ptr {pointer}, {bits} {expected}, {bits} {new} {orders}, align {scalar.size}")
    first, second = (self.ins(f"extractvalue {{ {bits}, i1 }} {both}, {number}") for number in (0, 1))
    return first, second


def _plain(self: KernelEmitter, kind: str, pointer: str, scalar: Scalar, values: list[str]) -> str:
    type_ = self.stored_type(scalar)
    old = ""
    if kind != "store":
        found = self.ins(f"freeze {type_} {self.ins(f'load {type_}, ptr {pointer}, align {scalar.align}')}")
        old = self.ins(f"icmp ne i8 {found}, 0") if scalar.kind == "bool" else found
        if kind == "load":
            return old
    if kind == "compare_exchange":
        same = self.ins(f"icmp eq i{8 * scalar.size} {_bits(self, scalar, old)}, {_bits(self, scalar, values[0])}")
        new = self.ins(f"select i1 {same}, {self.type(scalar)} {values[1]}, {self.type(scalar)} {old}")
    else:
        new = values[0] if kind in ("store", "exchange") else _combine(self, kind, scalar, old, values[0])
    if scalar.kind == "bool":
        new = self.ins(f"zext i1 {new} to i8")
    self.do(f"store {type_} {new}, ptr {pointer}, align {scalar.align}")
    return old


def _combine(self: KernelEmitter, kind: str, scalar: Scalar, old: str, value: str) -> str:
    a, b = Value(scalar), Value(scalar)
    self.values[a], self.values[b] = old, value
    return TABLE[kind](self, Op(kind, [a, b], [scalar]))


def _bits(self: KernelEmitter, scalar: Scalar, value: str) -> str:
    """The integer that lies in memory."""
    type_ = self.type(scalar)
    if scalar.kind == "bool":
        return self.ins(f"zext i1 {value} to i8")
    return value if type_.startswith("i") else self.ins(f"bitcast {type_} {value} to i{scalar.bits}")


def _value(self: KernelEmitter, scalar: Scalar, bits: str) -> str:
    type_ = self.type(scalar)
    if scalar.kind == "bool":
        return self.ins(f"icmp ne i8 {bits}, 0")
    return bits if type_.startswith("i") else self.ins(f"bitcast i{scalar.bits} {bits} to {type_}")
