"""Exchanges and votes of a warp's lanes, and of tiles of 2**n neighbouring lanes.

A full operation names all 32 lanes, one of `mask = "tile"` those of its tile, one of `mask = "active"` those that are here together. A
lane outside of the tile, or one that does not take part, gives the own value: where the hardware's clamping does not say so, the source
lane is chosen by a `select`.
"""

from __future__ import annotations

from collections.abc import Callable

from oxidepy.backend.llvm.emitter import Emitter
from oxidepy.backend.llvm.folds import FOLDS, fold
from oxidepy.ir.core import Op, Value
from oxidepy.ir.types import Scalar

_ALL = "-1"
_FORMS = {"idx": "idx", "xor": "bfly", "down": "down", "up": "up"}
_SOURCE = {"xor": "xor", "down": "add", "up": "sub"}  # of the own place in the tile and the operand


class Warp:
    """Lowers the rows of one kernel. `lane` gives the lane's number; `whole`: every warp has its 32 lanes; `redux`: the GPU reduces."""

    def __init__(self, emitter: Emitter, lane: Callable[[], str], whole: bool, redux: bool) -> None:
        self.emitter = emitter
        self.lane = lane
        self.whole = whole
        self.redux = redux
        self.rows: dict[str, Callable[[Op], str]] = {
            **{f"shuffle.{kind}": self._shuffles(kind) for kind in _FORMS},
            "ballot": lambda op: self._tile(op, self._ballot(op, self.emitter.value(op.operands[0]))),
            "vote.all": self._all,
            "vote.any": self._any,
            "match": self._match,
            "match.all": self._match_all,
            **{f"reduce.{kind}": self._reductions(kind) for kind in ("sum", "min", "max", "and", "or", "xor")},
        }

    def _complete(self, op: Op) -> bool:
        """Whether all lanes of the tile take part."""
        return op.attrs["mask"] == "tile" or (self.whole and op.attrs["mask"] == "full")

    def _members(self, op: Op) -> str:
        if op.attrs["mask"] == "full" and self.whole:
            return _ALL
        if self._complete(op):
            width = int(op.attrs["width"])
            first = self.emitter.ins(f"and i32 {self.lane()}, {-width}")
            return self.emitter.ins(f"shl i32 {(1 << width) - 1}, {first}")
        return self.emitter.ins("call i32 @llvm.nvvm.activemask() nomerge")

    # ---- shuffles

    def _shuffles(self, kind: str) -> Callable[[Op], str]:
        return lambda op: self._shuffle(kind, op)

    def _shuffle(self, kind: str, op: Op) -> str:
        value, by = op.operands
        scalar, width = value.scalar, int(op.attrs["width"])
        own = self.emitter.value(value)
        members = self._members(op)
        distance = by.constant
        complete = self._complete(op)
        if complete and distance is not None:
            if not 0 <= distance < width:
                # behind the tile's end for every lane, but for a negative step, which goes the other way
                if kind in ("idx", "xor") or abs(distance) >= width:
                    return own
                kind, distance = ("up" if kind == "down" else "down"), -distance
            clamp = (32 - width) << 8 | (0 if kind == "up" else 31)
            return self._exchange(scalar, own, _FORMS[kind], members, str(int(distance)), clamp)
        source = self._source(kind, self.emitter.value(by), width, "" if complete else members)
        return self._exchange(scalar, own, "idx", members, source, 31)

    def _source(self, kind: str, by: str, width: int, members: str) -> str:
        """The lane of the warp to read; the own one where there is none. `members`: which lanes there are, "" where all of the tile are."""
        ins = self.emitter.ins
        lane = self.lane()
        place = lane if width == 32 else ins(f"and i32 {lane}, {width - 1}")
        wanted = by if kind == "idx" else ins(f"{_SOURCE[kind]} i32 {place}, {by}")
        inside = ins(f"icmp ult i32 {wanted}, {width}")
        if width < 32:
            base = ins(f"and i32 {lane}, {-width}")
            wanted = ins(f"or i32 {base}, {wanted}")
        source = ins(f"select i1 {inside}, i32 {wanted}, i32 {lane}")
        if not members:
            return source
        shifted = ins(f"lshr i32 {members}, {source}")
        here = ins(f"trunc i32 {shifted} to i1")
        return ins(f"select i1 {here}, i32 {source}, i32 {lane}")

    def _exchange(self, scalar: Scalar, text: str, form: str, members: str, lane: str, clamp: int) -> str:
        """The value's bits in words of 32, each sent by one instruction."""
        ins = self.emitter.ins
        bits = self._bits(scalar, text)
        if scalar.bits == 64:
            low = ins(f"trunc i64 {bits} to i32")
            high = ins(f"trunc i64 {ins(f'lshr i64 {bits}, 32')} to i32")
            low, high = (ins(f"zext i32 {self._send(form, members, word, lane, clamp)} to i64") for word in (low, high))
            return self._value(scalar, ins(f"or i64 {ins(f'shl nuw i64 {high}, 32')}, {low}"))
        word = bits if scalar.bits == 32 else ins(f"zext i{scalar.bits} {bits} to i32")
        found = self._send(form, members, word, lane, clamp)
        return self._value(scalar, found if scalar.bits == 32 else ins(f"trunc i32 {found} to i{scalar.bits}"))

    def _send(self, form: str, members: str, word: str, lane: str, clamp: int) -> str:
        return self.emitter.ins(f"call i32 @llvm.nvvm.shfl.sync.{form}.i32(i32 {members}, i32 {word}, i32 {lane}, i32 {clamp}) nomerge")

    def _bits(self, scalar: Scalar, text: str) -> str:
        return self.emitter.ins(f"bitcast {self.emitter.type(scalar)} {text} to i{scalar.bits}") if scalar.is_float else text

    def _value(self, scalar: Scalar, bits: str) -> str:
        return self.emitter.ins(f"bitcast i{scalar.bits} {bits} to {self.emitter.type(scalar)}") if scalar.is_float else bits

    # ---- votes

    def _ballot(self, op: Op, condition: str) -> str:
        return self.emitter.ins(f"call i32 @llvm.nvvm.vote.ballot.sync(i32 {self._members(op)}, i1 {condition}) nomerge")

    def _tile(self, op: Op, mask: str) -> str:
        """The tile's bits of a mask of the warp, its first lane at bit 0."""
        width = int(op.attrs["width"])
        if width == 32:
            return mask
        ins = self.emitter.ins
        base = ins(f"and i32 {self.lane()}, {-width}")
        return ins(f"and i32 {ins(f'lshr i32 {mask}, {base}')}, {(1 << width) - 1}")

    def _all(self, op: Op) -> str:
        condition = self.emitter.value(op.operands[0])
        if int(op.attrs["width"]) == 32:
            return self.emitter.ins(f"call i1 @llvm.nvvm.vote.all.sync(i32 {self._members(op)}, i1 {condition}) nomerge")
        against = self._tile(op, self._ballot(op, self.emitter.ins(f"xor i1 {condition}, true")))
        return self.emitter.ins(f"icmp eq i32 {against}, 0")

    def _any(self, op: Op) -> str:
        condition = self.emitter.value(op.operands[0])
        if int(op.attrs["width"]) == 32:
            return self.emitter.ins(f"call i1 @llvm.nvvm.vote.any.sync(i32 {self._members(op)}, i1 {condition}) nomerge")
        return self.emitter.ins(f"icmp ne i32 {self._tile(op, self._ballot(op, condition))}, 0")

    def _match(self, op: Op) -> str:
        wide, bits = self._word(op.operands[0])
        found = self.emitter.ins(f"call i32 @llvm.nvvm.match.any.sync.i{wide}(i32 {self._members(op)}, i{wide} {bits}) nomerge")
        return self._tile(op, found)

    def _word(self, value: Value) -> tuple[int, str]:
        """The bits of a value as a word of 32 or 64: how many, and the word."""
        scalar = value.scalar
        bits = self._bits(scalar, self.emitter.value(value))
        return max(scalar.bits, 32), self.emitter.ins(f"zext i{scalar.bits} {bits} to i32") if scalar.bits < 32 else bits

    def _match_all(self, op: Op) -> str:
        ins = self.emitter.ins
        if int(op.attrs["width"]) < 32:
            members = _ALL if self._members(op) == _ALL else self._ballot(op, "true")
            return ins(f"icmp eq i32 {self._match(op)}, {self._tile(op, members)}")
        wide, bits = self._word(op.operands[0])
        result = "{ i32, i1 }"
        found = ins(f"call {result} @llvm.nvvm.match.all.sync.i{wide}p(i32 {self._members(op)}, i{wide} {bits}) nomerge")
        return ins(f"extractvalue {result} {found}, 1")

    # ---- reductions of 32-bit integers

    def _reductions(self, kind: str) -> Callable[[Op], str]:
        return lambda op: self._reduce(kind, op)

    def _reduce(self, kind: str, op: Op) -> str:
        """One instruction for the whole warp from sm_80 on; else shuffles."""
        (value,) = op.operands
        own, members = self.emitter.value(value), self._members(op)
        signed = value.scalar.signed
        if self.redux and int(op.attrs["width"]) == 32:
            name = {"sum": "add", "min": "min" if signed else "umin", "max": "max" if signed else "umax"}.get(kind, kind)
            return self.emitter.ins(f"call i32 @llvm.nvvm.redux.sync.{name}(i32 {own}, i32 {members}) nomerge")
        return self._by_shuffles(FOLDS[kind, signed], own, members, op)

    def _by_shuffles(self, by: tuple[str, str], own: str, members: str, op: Op) -> str:
        """A butterfly where all lanes are here, else one lane after the other."""
        ins, width = self.emitter.ins, int(op.attrs["width"])
        instruction, nothing = by
        if self._complete(op):
            step, total = width // 2, own
            while step:
                total = fold(self.emitter, instruction, total, self._send("bfly", members, total, str(step), (32 - width) << 8 | 31))
                step //= 2
            return total
        total, base = nothing, ins(f"and i32 {self.lane()}, {-width}")
        for place in range(width):
            source = ins(f"or i32 {base}, {place}")
            found = self._send("idx", members, own, source, 31)
            here = ins(f"trunc i32 {ins(f'lshr i32 {members}, {source}')} to i1")
            total = fold(self.emitter, instruction, total, ins(f"select i1 {here}, i32 {found}, i32 {nothing}"))
        return total
