"""Pairs of halves on the CPU: a pair is read and written as one word, so that neighbouring threads touch neighbouring words."""

from __future__ import annotations

from oxidepy.backend.llvm.emitter import Emitter, address
from oxidepy.ir.core import Op


def lower(self: Emitter, op: Op, mate: Op) -> tuple[str, str] | None:
    """Both halves, which are i16 here, of a load; nothing for a store; None for what is done half by half."""
    if op.name == "load":
        return _load(self, op)
    if op.name == "store":
        return _store(self, op, mate)
    return None


def _load(self: Emitter, op: Op) -> tuple[str, str]:
    memory, index = op.operands
    place = self.places[memory]
    pointer = address(self, memory, index, op.attrs["offset"])
    word = self.ins(f"load i32, {place.type} {pointer}, align 4{place.on_load}")
    if place.undefined:
        word = self.ins(f"freeze i32 {word}")
    return self.ins(f"trunc i32 {word} to i16"), self.ins(f"trunc i32 {self.ins(f'lshr i32 {word}, 16')} to i16")


def _store(self: Emitter, op: Op, mate: Op) -> tuple[str, str]:
    memory, index, x = op.operands
    place = self.places[memory]
    low, high = (self.ins(f"zext i16 {self.values[one]} to i32") for one in (x, mate.operands[2]))
    word = self.ins(f"or i32 {low}, {self.ins(f'shl nuw i32 {high}, 16')}")
    pointer = address(self, memory, index, op.attrs["offset"])
    self.do(f"store i32 {word}, {place.type} {pointer}, align 4{place.on_store}")
    return "", ""
