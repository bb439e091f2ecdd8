"""Exchanges of whole warps as instructions on vectors of 32 lanes, where a loop over lanes would be taken apart and put together again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oxidepy.backend.llvm.arithmetic import EXTREMA, extremum
from oxidepy.ir.core import Op, Value

if TYPE_CHECKING:
    from oxidepy.backend.cpu_plan import Run
    from oxidepy.backend.cpu_warp import WarpEmitter

_LANES = 32


def _type(self: WarpEmitter, value: Value) -> str:
    return f"<{_LANES} x {self.stored_type(value.scalar)}>"


def _at(self: WarpEmitter, value: Value) -> str:
    """The places of the warp's lanes in a value's array."""
    if self.plan.slots[self.plan.place(value)]:
        return self.slot(value)
    number = self.ins(f"zext nneg i32 {self.base} to i64") if self.base != "0" else "0"
    return self.ins(f"getelementptr inbounds {self.stored_type(value.scalar)}, ptr {self.slot(value)}, i64 {number}")


def _align(value: Value) -> int:
    return min(64, _LANES * value.scalar.size)


def _load(self: WarpEmitter, value: Value) -> str:
    return self.ins(f"load {_type(self, value)}, ptr {_at(self, value)}, align {_align(value)}{self.grouped()}")


def _store(self: WarpEmitter, value: Value, text: str) -> None:
    self.do(f"store {_type(self, value)} {text}, ptr {_at(self, value)}, align {_align(value)}{self.grouped()}")


def _spread(self: WarpEmitter, type_: str, number: str) -> str:
    """A number, with its type before it, in all lanes."""
    first = self.ins(f"insertelement {type_} poison, {number}, i64 0")
    return self.ins(f"shufflevector {type_} {first}, {type_} poison, <{_LANES} x i32> zeroinitializer")


def _whole(self: WarpEmitter, value: Value) -> bool:
    return self.lanes == _LANES and self.threads % _LANES == 0 and self.plan.place(value) in self.plan.slots


def shuffle(self: WarpEmitter, op: Op, kind: str, width: int) -> bool:
    """A shuffle by a constant; False where it is none."""
    value, by = op.operands
    if by.constant is None or not _whole(self, value):
        return False
    count = int(by.constant)
    sources: list[int] = []
    for lane in range(_LANES):
        place = lane & (width - 1)
        wanted = {"shuffle.idx": count, "shuffle.xor": place ^ count, "shuffle.down": place + count, "shuffle.up": place - count}[kind]
        sources.append((lane & -width) + wanted if 0 <= wanted < width else lane)
    type_ = _type(self, value)
    picked = ", ".join(f"i32 {one}" for one in sources)
    found = self.ins(f"shufflevector {type_} {_load(self, value)}, {type_} poison, <{_LANES} x i32> <{picked}>")
    _store(self, op.result, found)
    return True


def bits(self: WarpEmitter, value: Value) -> str | None:
    """For which lanes a truth value holds; None where it does not lie in an array."""
    if not _whole(self, value):
        return None
    type_ = _type(self, value)
    return self.ins(f"bitcast <{_LANES} x i1> {self.ins(f'icmp ne {type_} {_load(self, value)}, zeroinitializer')} to i{_LANES}")


def reduce(self: WarpEmitter, op: Op, instruction: str) -> bool:
    """All lanes into one number, which each gets; False where they do not lie in an array."""
    (value,) = op.operands
    if not _whole(self, value):
        return False
    type_, name = _type(self, value), instruction.removeprefix("@llvm.").removesuffix(".i32")
    total = self.ins(f"call i32 @llvm.vector.reduce.{name}.v{_LANES}i32({type_} {_load(self, value)})")
    _store(self, op.result, _spread(self, type_, f"i32 {total}"))
    return True


# ---- operations of the lanes


def run(self: WarpEmitter, run: Run) -> bool:
    """Operations of a whole warp between exchanges, if they are plain arithmetic on what lies in arrays; False where they are not."""
    made = {result for op in run.ops for result in op.results}
    if not all(op.name == "const" or _does(op) for op in run.ops) or not (run.spills or run.copies):
        return False
    texts: dict[Value, str] = {}
    asked = [*(one for op in run.ops for one in op.operands), *(value for value, _ in run.copies)]
    needed = [
        *(one for one in asked if one not in made and one not in self.plan.uniform),
        *run.spills,
        *(target for _, target in run.copies),
    ]
    if not all(_whole(self, one) for one in needed):
        return False

    def text(value: Value) -> str:
        if value not in texts:
            known = value in self.plan.uniform or value.constant is not None
            texts[value] = _spread(self, _type(self, value), self.typed(value)) if known else _load(self, value)
        return texts[value]

    for op in run.ops:
        if op.name == "const":
            self.as_thread([op])
            continue
        texts[op.result] = _lower(self, op, *(text(one) for one in op.operands))
    for value in run.spills:
        _store(self, value, text(value))
    for (_, target), found in zip(run.copies, [text(value) for value, _ in run.copies], strict=True):
        _store(self, target, found)
    return True


def _does(op: Op) -> bool:
    """Whether `_lower` knows an operation."""
    if op.name not in ("add", "sub", "mul", "min", "max", "and", "or", "xor"):
        return False
    scalar = op.result.scalar
    return scalar.bits >= 32 if scalar.is_float else scalar.kind != "bool"


def _lower(self: WarpEmitter, op: Op, a: str, b: str) -> str:
    scalar, type_ = op.result.scalar, _type(self, op.result)
    if op.name in EXTREMA and scalar.is_float:
        return extremum(self, (type_, f"<{_LANES} x i{scalar.bits}>", f"<{_LANES} x i1>"), a, b, *EXTREMA[op.name])
    if op.name in EXTREMA:
        name = f"{'s' if scalar.signed else 'u'}{op.name}.v{_LANES}{self.type(scalar)}"
        return self.ins(f"call {type_} @llvm.{name}({type_} {a}, {type_} {b})")
    return self.ins(f"{'f' if scalar.is_float else ''}{op.name} {type_} {a}, {b}")
