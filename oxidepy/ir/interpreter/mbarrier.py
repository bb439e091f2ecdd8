"""Barriers in shared memory. The 64 bits of one, from the lowest: 20 of pending arrivals, 20 of those that `init` said, 21 of bytes still
to be copied (with an offset, since they may come before they are expected), 1 of the phase's parity, 2 that say that it is one.

A token is the whole of it as it was before the arrival; its parity is what a wait looks at.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.barriers import Until
from oxidepy.ir.interpreter.hardware import Execution, Place
from oxidepy.ir.interpreter.memory import Remote
from oxidepy.ir.interpreter.misuse import Misuse as Misuse
from oxidepy.ir.interpreter.state import BlockState, Frame
from oxidepy.ir.interpreter.values import Array, Mask
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.intrinsics.form import written

MOST = (1 << 20) - 1  # arrivals, and bytes to come
_ZERO = 1 << 20  # no bytes to come
_ALIVE, _ENDED = 1, 2


def at_work(op: Op, state: BlockState, ranks: Array, users: Mask) -> None:
    """Misuse where a thread of the mask uses shared memory of a block that has not begun, or has ended. After a failed check, anything may
    be so."""
    cluster = state.cluster
    if cluster is None or any(one.panic is not None for one in cluster.blocks.values()):
        return
    for thread in np.flatnonzero(users).tolist():
        block = cluster.blocks.get(int(ranks[thread]))
        name = f"`{op.operands[0].name}` of block {int(ranks[thread])} of the cluster"
        if block is None:
            help = "a `cluster.sync()` before the first use says that all blocks are at work"
            raise Misuse(op, state, thread, "OX0381", f"{name} is used before that block has begun", help)
        if not block.live.any():
            raise Misuse(
                op,
                state,
                thread,
                "OX0505",
                f"{name} is used after that block has ended",
                "let it wait: a `cluster.sync()` behind the last use",
            )


@dataclass
class Word:
    """What the bits of a barrier say."""

    pending: int
    expected: int
    bytes: int
    parity: int

    @staticmethod
    def of(bits: int) -> Word:
        return Word(bits & MOST, bits >> 20 & MOST, (bits >> 40 & (1 << 21) - 1) - _ZERO, bits >> 61 & 1)

    @property
    def bits(self) -> int:
        return self.pending | self.expected << 20 | (self.bytes + _ZERO) << 40 | self.parity << 61 | _ALIVE << 62

    def turn(self) -> None:
        """Begin the next phase if this one is over."""
        if self.pending == 0 and self.bytes == 0:
            self.pending, self.parity = self.expected, 1 - self.parity


@dataclass(frozen=True)
class Barrier:
    """A barrier as one thread means it: the words of its memory, and which of them."""

    words: Array
    index: int
    op: Op
    state: BlockState
    thread: int

    def refuse(self, code: str, message: str, help: str) -> Misuse:
        return Misuse(self.op, self.state, self.thread, code, f"`{written(self.op.attrs['row'])}`: {message}", help)

    def look(self) -> Word:
        """What it says. Misuse where there is none."""
        bits = int(self.words[self.index])
        if bits >> 62 == _ALIVE:
            return Word.of(bits)
        if bits >> 62 == _ENDED and bits << 2 & (1 << 64) - 1 == 0:
            raise self.refuse("OX0382", "the barrier was invalidated before", "`barrier.init` begins it anew")
        raise self.refuse("OX0381", "the barrier was not begun before", "one thread calls `barrier.init`, then comes a `block.sync()`")

    def put(self, word: Word) -> None:
        self.words[self.index] = np.uint64(word.bits)

    def begin(self, count: int) -> None:
        if not 1 <= count <= MOST:
            raise self.refuse("OX2003", f"a phase of {count} arrivals", f"it has from 1 to {MOST}")
        if int(self.words[self.index]) >> 62 == _ALIVE:
            raise self.refuse("OX0382", "the barrier has been begun already", "`barrier.inval` ends it")
        self.put(Word(count, count, 0, 0))

    def end(self) -> None:
        self.look()
        self.words[self.index] = np.uint64(_ENDED << 62)

    def arrive(self, count: int, completes: bool = True) -> int:
        """Arrivals; the bits before."""
        word, before = self.look(), int(self.words[self.index])
        if not 1 <= count <= word.pending:
            raise self.refuse(
                "OX2003", f"{count} arrivals where {word.pending} are pending", "give `barrier.init` the number of all arrivals"
            )
        word.pending -= count
        if completes:
            word.turn()
        elif word.pending == 0:
            raise self.refuse("OX2003", "the last arrival of the phase", "`barrier.arrive` may end a phase")
        self.put(word)
        return before

    def drop(self, count: int) -> int:
        """Arrivals, which no later phase awaits; the bits before."""
        word = self.look()
        if count >= word.expected:
            message = f"{count} of {word.expected} arrivals of a phase are dropped"
            raise self.refuse("OX2003", message, "one stays: where nobody arrives any more `barrier.inval` ends the barrier")
        word.expected -= count
        before = int(self.words[self.index])
        self.put(word)
        self.arrive(count)
        return before

    def more(self, count: int) -> None:
        """So many more are pending in this phase."""
        word = self.look()
        word.pending += count
        self.put(word)

    def expect(self, size: int) -> None:
        word = self.look()
        word.bytes += size
        if abs(word.bytes) > MOST:
            raise self.refuse("OX2003", f"{word.bytes} bytes to come in one phase", f"a phase has up to {MOST}")
        self.put(word)

    def complete(self, size: int) -> None:
        """So many bytes have come."""
        word = self.look()
        word.bytes -= size
        word.turn()
        self.put(word)

    def over(self, parity: int) -> bool:
        """Whether the phase of that parity is over, which is this one or the last."""
        return self.look().parity != parity


def words_of(place: Place) -> tuple[Array, Array]:
    """The words of an address's memory, and the numbers of those that the threads mean."""
    buffer: Any = place.buffer
    if isinstance(buffer, Remote):
        return buffer.every.view(np.uint64), (buffer.ranks.astype(np.int64) * buffer.bytes + place.at) // 8
    return buffer.view(np.uint64), place.at // 8


def _met(place: Place, mask: Mask) -> None:
    buffer: Any = place.buffer
    if isinstance(buffer, Remote):
        buffer.met(mask)


def barriers_of(execution: Execution, name: str = "bar") -> list[tuple[int, Barrier]]:
    """The barriers of the threads that execute the instruction, with the numbers of the threads."""
    words, index = words_of(execution.place(name))
    _met(execution.place(name), execution.mask)
    return [
        (thread, Barrier(words, int(index[thread]), execution.op, execution.state, thread))
        for thread in np.flatnonzero(execution.mask).tolist()
    ]


# ---- what the rows mean


def _each(action: Callable[[Barrier, int], object], number: str = "") -> Callable[[Execution], Sequence[Array]]:
    """An instruction that gives nothing; `number` is its register."""

    def run(execution: Execution) -> Sequence[Array]:
        values = execution.register(number) if number else np.zeros(len(execution.mask), np.uint32)
        for thread, barrier in barriers_of(execution):
            action(barrier, int(values[thread]))
        return ()

    return run


def _tokens(action: Callable[[Barrier, int], int], number: str = "") -> Callable[[Execution], Sequence[Array]]:
    """An instruction that gives a token."""

    def run(execution: Execution) -> Sequence[Array]:
        values = execution.register(number) if number else np.ones(len(execution.mask), np.uint32)
        out = np.zeros(len(execution.mask), np.uint64)
        for thread, barrier in barriers_of(execution):
            out[thread] = action(barrier, int(values[thread]))
        return (out,)

    return run


def _arrive_expect(barrier: Barrier, size: int) -> int:
    before = int(barrier.words[barrier.index])
    barrier.expect(size)
    barrier.arrive(1)
    return before


init = _each(Barrier.begin, "count")
inval = _each(lambda barrier, _: barrier.end())
arrive = _tokens(lambda barrier, count: barrier.arrive(count))
arrive_count = _tokens(lambda barrier, count: barrier.arrive(count), "count")
arrive_drop = _tokens(Barrier.drop)
arrive_drop_count = _tokens(Barrier.drop, "count")
arrive_drop_far = _each(Barrier.drop, "count")
complete_tx = complete_tx_far = _each(Barrier.complete, "bytes")
arrive_no_complete = _tokens(lambda barrier, count: barrier.arrive(count, False), "count")
expect_tx = _each(Barrier.expect, "bytes")
arrive_expect_tx = _tokens(_arrive_expect, "bytes")
arrive_far = _each(lambda barrier, count: barrier.arrive(count), "count")
expect_tx_far = expect_tx
arrive_expect_tx_far = _each(_arrive_expect, "bytes")


def pending_count(execution: Execution) -> Sequence[Array]:
    return ((execution.register("token") & np.uint64(MOST)).astype(np.uint32),)


def test_wait(execution: Execution) -> Sequence[Array]:
    return (_over(execution, execution.register("token") >> np.uint64(61) & np.uint64(1)),)


def test_wait_parity(execution: Execution) -> Sequence[Array]:
    return (_over(execution, execution.register("parity") & np.uint32(1)),)


def _over(execution: Execution, parities: Array) -> Array:
    out = np.zeros(len(execution.mask), np.bool_)
    for thread, barrier in barriers_of(execution):
        out[thread] = barrier.over(int(parities[thread]))
    return out


def fence(execution: Execution) -> Sequence[Array]:
    """All accesses are in order, and all copies are done by the same one who does the accesses."""
    return ()


class BarrierWait(Until):
    """The wait for a phase."""

    def __init__(self, op: Op, operands: Sequence[int]) -> None:
        super().__init__(op, operands, None)
        self.row = ROWS[op.attrs["row"]]
        self.test = test_wait_parity if self.row.name.endswith("_parity") else test_wait

    def met(self, frame: Frame, mask: Mask) -> Mask:
        return mask & self.test(self._execution(frame, mask))[0]

    def lacking(self, frame: Frame, mask: Mask) -> str:
        (_, barrier), *_ = barriers_of(self._execution(frame, mask))
        word = barrier.look()
        parts = [f"lacks {word.pending} of {word.expected} arrivals"] if word.pending else []
        if word.bytes:
            parts.append(f"lacks {word.bytes} bytes" if word.bytes > 0 else f"got {-word.bytes} bytes that nobody expects")
        return f"`{self.op.operands[0].name}`, number {barrier.index}: its phase of parity {word.parity} " + ", and ".join(parts)

    def _execution(self, frame: Frame, mask: Mask) -> Execution:
        return Execution(self.row, self.op, frame.state, [frame.slots[one] for one in self.operands], mask)
