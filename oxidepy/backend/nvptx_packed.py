"""Pairs of halves in one register: two operations of kernel IR side by side become one instruction, where the architecture has it."""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import Emitter, address
from oxidepy.backend.nvptx_atomics import Atomics
from oxidepy.ir.core import Op, Value

_VECTORS = {"f16": "<2 x half>", "bf16": "<2 x bfloat>"}
_SUFFIX = {"f16": "v2f16", "bf16": "v2bf16"}
_INSTRUCTIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "neg": "fneg"}
_INTRINSICS = {"abs": "fabs", "fma": "fma"}
_EXTREMA = ("min", "max")
_FROM = {"f16": 75, "bf16": 80}  # the first architecture with packed arithmetic
_EXTREMA_FROM = 80


class Packed:
    """What one kernel's emitter does with pairs."""

    def __init__(self, emitter: Emitter, atomics: Atomics, compute: int) -> None:
        self.emitter = emitter
        self.atomics = atomics
        self.compute = compute
        self.table: dict[str, Callable[[Op, Op], tuple[str, str] | None]] = {
            **dict.fromkeys((*_INSTRUCTIONS, *_INTRINSICS), self._arithmetic),
            **dict.fromkeys(_EXTREMA, self._extremum),
            "cast": self._narrow,
            "load": self._load,
            "store": self._store,
            "atomic": self._atomic,
        }

    def lower(self, op: Op, mate: Op) -> tuple[str, str] | None:
        """Both results at once; None where the architecture does the halves one after the other."""
        return self.table[op.name](op, mate) if op.name in self.table else None

    # ---- registers

    def _vector(self, x: Value, y: Value) -> str:
        """Both halves as one vector. LLVM sees through the parts of a vector that are put together again."""
        type_ = _VECTORS[x.scalar.name]
        half = self.emitter.type(x.scalar)
        first = self.emitter.ins(f"insertelement {type_} poison, {half} {self.emitter.value(x)}, i32 0")
        return self.emitter.ins(f"insertelement {type_} {first}, {half} {self.emitter.value(y)}, i32 1")

    def _parts(self, name: str, vector: str) -> tuple[str, str]:
        x, y = (self.emitter.ins(f"extractelement {_VECTORS[name]} {vector}, i32 {number}") for number in (0, 1))
        return x, y

    # ---- arithmetic

    def _arithmetic(self, op: Op, mate: Op) -> tuple[str, str] | None:
        name = op.result.scalar.name
        if name not in _VECTORS or self.compute < _FROM[name]:
            return None
        type_ = _VECTORS[name]
        vectors = [self._vector(x, y) for x, y in zip(op.operands, mate.operands, strict=True)]
        if op.name in _INSTRUCTIONS:
            return self._parts(name, self.emitter.ins(f"{_INSTRUCTIONS[op.name]} {type_} {', '.join(vectors)}"))
        typed = ", ".join(f"{type_} {one}" for one in vectors)
        return self._parts(name, self.emitter.ins(f"call {type_} @llvm.{_INTRINSICS[op.name]}.{_SUFFIX[name]}({typed})"))

    def _extremum(self, op: Op, mate: Op) -> tuple[str, str] | None:
        """As PTX: `min` and `max` give the number beside a NaN and know the zeros apart, as kernel IR has it."""
        name = op.result.scalar.name
        if name not in _VECTORS or self.compute < _EXTREMA_FROM:
            return None
        vectors = [self._word(name, self._vector(x, y)) for x, y in zip(op.operands, mate.operands, strict=True)]
        found = self.emitter.ins(f'call i32 asm "{op.name}.{name}x2 $0, $1, $2;", "=r,r,r"(i32 {vectors[0]}, i32 {vectors[1]})')
        return self._parts(name, self._of_word(name, found))

    def _word(self, name: str, vector: str) -> str:
        return self.emitter.ins(f"bitcast {_VECTORS[name]} {vector} to i32")

    def _of_word(self, name: str, word: str) -> str:
        return self.emitter.ins(f"bitcast i32 {word} to {_VECTORS[name]}")

    def _narrow(self, op: Op, mate: Op) -> tuple[str, str] | None:
        """Two f32 become the halves of one register."""
        name, source = op.result.scalar.name, op.operands[0].scalar.name
        if name not in _VECTORS or source != "f32" or self.compute < 80:
            return None
        x, y = (self.emitter.value(one.operands[0]) for one in (op, mate))
        text = f"cvt.rn.{name}x2.f32 $0, $1, $2;"  # the upper half stands first
        found = self.emitter.ins(f'call i32 asm "{text}", "=r,f,f"(float {y}, float {x})')
        return self._parts(name, self._of_word(name, found))

    # ---- memory

    def _load(self, op: Op, mate: Op) -> tuple[str, str]:
        memory, index = op.operands
        name, place = mate.result.scalar.name, self.emitter.places[memory]
        pointer = address(self.emitter, memory, index, op.attrs["offset"])
        found = self.emitter.ins(f"load {_VECTORS[name]}, {place.type} {pointer}, align 4{place.on_load}")
        if place.undefined:
            found = self.emitter.ins(f"freeze {_VECTORS[name]} {found}")
        return self._parts(name, found)

    def _store(self, op: Op, mate: Op) -> tuple[str, str]:
        memory, index, x = op.operands
        place = self.emitter.places[memory]
        vector = self._vector(x, mate.operands[2])
        pointer = address(self.emitter, memory, index, op.attrs["offset"])
        self.emitter.do(f"store {_VECTORS[x.scalar.name]} {vector}, {place.type} {pointer}, align 4{place.on_store}")
        return "", ""

    def _atomic(self, op: Op, mate: Op) -> tuple[str, str] | None:
        x, y = op.operands[2], mate.operands[2]
        name = x.scalar.name
        if not self.atomics.packs(op, name):
            return None
        found = self.atomics.add_pair(op, f"{name}x2", self._word(name, self._vector(x, y)))
        return self._parts(name, self._of_word(name, found))
