"""Copies of boxes and of runs of bytes by the tensor memory accelerator."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from oxidepy.ir.core import Op
from oxidepy.ir.interpreter.copies import Work, copies_of
from oxidepy.ir.interpreter.hardware import Execution, Place
from oxidepy.ir.interpreter.mbarrier import Barrier, Misuse, at_work, words_of
from oxidepy.ir.interpreter.memory import UNDEFINED, Buffer, Remote
from oxidepy.ir.interpreter.values import DTYPES, Array, from_bits, to_bits
from oxidepy.ir.intrinsics.form import written
from oxidepy.ir.intrinsics.tma import MOST_OFFSET, STEP
from oxidepy.ir.types import Scalar

_SWIZZLES = {0: 0, 32: 1, 64: 3, 128: 7}  # bytes of the pattern → which bits of the 16-byte column are changed by the row


@dataclass(frozen=True)
class Map:
    """An array in global memory in boxes: `shape` and `strides` (bytes) by axis, `box` the extents of one, `steps` from one element
    of it to the next. With `corners` images in columns of pixels: then `box` is pixels and channels. `fill`: bits of an element outside of
    the array."""

    buffer: Buffer
    element: Scalar
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    corners: tuple[tuple[int, ...], tuple[int, ...]] | None
    swizzle: int = 0
    fill: int = 0

    @property
    def bytes(self) -> int:
        return math.prod(self.box) * self.element.size

    def places(self, at: Sequence[int]) -> tuple[Array, Array]:
        """Byte of the array for each element of the box, and whether it is inside."""
        ranges = [start + np.arange(extent) * step for start, extent, step in zip(at, self.box, self.steps, strict=True)]
        return self._places(self.box, np.meshgrid(*ranges, indexing="ij", sparse=True))

    def _places(self, box: tuple[int, ...], indices: Sequence[Array]) -> tuple[Array, Array]:
        offset, inside = np.zeros(box, np.int64), np.ones(box, np.bool_)
        for index, length, stride in zip(indices, self.shape, self.strides, strict=True):
            offset = offset + index * stride
            inside = inside & (index >= 0) & (index < length)
        return offset.reshape(-1), inside.reshape(-1)

    def bounds(self) -> list[tuple[int, int]]:
        """First and last pixel along each axis of an image."""
        assert self.corners is not None
        return [(low, extent - 1 + high) for low, high, extent in zip(*self.corners, self.shape[1:-1], strict=True)]

    def pixels(self, at: Sequence[int], offsets: Sequence[int]) -> tuple[Array, Array]:
        """The same of a column of pixels: they follow one another within the bounds, then in the next image."""
        bounds, steps = self.bounds(), self.steps[1:-1]
        place, column = [*at[:-1]], []
        for _ in range(self.box[0]):
            column.append([place[0], *(one + off for one, off in zip(place[1:], offsets, strict=True))])
            for axis in reversed(range(len(bounds))):
                place[axis + 1] += steps[axis]
                if place[axis + 1] <= bounds[axis][1]:
                    break
                place[axis + 1] = bounds[axis][0]
            else:
                place[0] += 1
        indices = [np.array(one)[:, None] for one in zip(*column, strict=True)]
        return self._places(self.box, [*indices, at[-1] + np.arange(self.box[1])[None]])

    def read(self, at: Sequence[int], offsets: Sequence[int] = ()) -> Array:
        """The elements of a box as bits, in order."""
        size = self.element.size
        offset, inside = self.places(at) if self.corners is None else self.pixels(at, offsets)
        out = np.full(len(offset), self.fill, f"u{size}")
        raw = self.buffer[np.where(inside, offset, 0)[:, None] + np.arange(size)] if inside.any() else None
        if raw is not None:
            out[inside] = np.ascontiguousarray(raw).view(f"u{size}").reshape(-1)[inside]
        return out

    def write(self, at: Sequence[int], bits: Array) -> None:
        offset, inside = self.places(at)
        raw = np.ascontiguousarray(bits).view(np.uint8).reshape(len(bits), -1)
        self.buffer[offset[inside][:, None] + np.arange(self.element.size)] = raw[inside]

    def shuffled(self, start: int) -> Array:
        """Where the bytes of a box lie that begins at byte `start` of an array in shared memory."""
        at = start + np.arange(self.bytes)
        return at ^ (at >> 7 & _SWIZZLES[self.swizzle]) << 4


class _One:
    """The instruction as one thread executes it."""

    def __init__(self, execution: Execution, thread: int) -> None:
        self.execution, self.thread = execution, thread

    def refuse(self, message: str, help: str, code: str = "OX2007") -> NoReturn:
        execution = self.execution
        raise Misuse(execution.op, execution.state, self.thread, code, f"`{written(execution.row.name)}`: {message}", help)

    def map(self) -> Map:
        found: Any = self.execution.place("map").buffer
        assert isinstance(found, Map)
        return found

    def at(self) -> list[int]:
        """The coordinates, first axis first. Misuse where the hardware does not begin a box there."""
        found = [int(one) for one in self.execution.registers("at")[:, self.thread]][::-1]
        size = self.map().element.size
        if begin := found[-1] * size % STEP:
            message = f"the box begins at element {found[-1]} of the last axis, {begin} bytes behind a multiple of {STEP}"
            self.refuse(message, f"a box begins at a multiple of {STEP // size} elements there")
        return found

    def offsets(self) -> tuple[int, ...]:
        """Of an im2col map how far its pixels are moved, first axis first. Misuse where the hardware cannot begin so."""
        map = self.map()
        if map.corners is None:
            return ()
        found = tuple(int(one) for one in self.execution.registers("offsets")[:, self.thread])[::-1]
        if max(found) > MOST_OFFSET[len(found)]:
            self.refuse(f"offsets {found}", f"they are 0 to {MOST_OFFSET[len(found)]}")
        if any(not low <= one <= high for one, (low, high) in zip(self.at()[1:-1], map.bounds(), strict=True)):
            within = ", ".join(f"{low} to {high}" for low, high in map.bounds())
            self.refuse(f"the first pixel is {tuple(self.at())}", f"of an image it lies within the map's bounds: {within}")
        return found

    def number(self, name: str) -> int:
        return int(self.execution.register(name)[self.thread])

    def place(self, name: str, align: int) -> tuple[Buffer, int]:
        """The memory and the byte in it."""
        place = self.execution.place(name)
        start = int(place.at[self.thread])
        if start % align:
            self.refuse(f"`{name}` begins at byte {start} of its array", f"it is a multiple of {align} bytes")
        buffer: Any = place.buffer
        if isinstance(buffer, Remote):
            buffer.met(np.arange(len(buffer.ranks)) == self.thread)
            return buffer.every, int(buffer.ranks[self.thread]) * buffer.bytes + start
        return buffer, start

    def patterned(self, name: str) -> None:
        """Refuse an array in shared memory that does not begin where the pattern of the map's swizzle does."""
        wanted = _SWIZZLES[self.map().swizzle] * 128 + 128
        owner = self.owner(name)
        if isinstance(owner, Op) and owner.attrs["align"] < wanted:
            message = f"`{owner.results[0].name}` is aligned to {owner.attrs['align']} bytes"
            self.refuse(message, f"under this swizzle it is `align={wanted}`")

    def owner(self, name: str) -> object:
        """What the memory of an argument was made by."""
        assert self.execution.row.assembly is not None
        given = self.execution.row.assembly.given(self.execution.op.operands)
        return next(memory.owner for one, (memory, *_) in given if one.name == name)

    def inside(self, buffer: Buffer, start: int, count: int) -> None:
        if start + count > len(buffer):
            message = f"{count} bytes at byte {start} of an array of {len(buffer)}"
            self.refuse(message, "make the array as large as the box, or the box smaller", "OX7001")

    def barrier(self) -> Barrier:
        words, index = words_of(self.execution.place("bar"))
        return Barrier(words, int(index[self.thread]), self.execution.op, self.execution.state, self.thread)

    def later(self, work: Work) -> None:
        copies_of(self.execution.state).running.append(work)

    def store(self, work: Work) -> None:
        copies_of(self.execution.state).stores.setdefault(self.thread, [[]])[-1].append(work)


def _threads(execution: Execution) -> Iterator[_One]:
    return (_One(execution, thread) for thread in np.flatnonzero(execution.mask).tolist())


def _alone(action: Callable[[_One], None]) -> Callable[[Execution], Sequence[Array]]:
    def run(execution: Execution) -> Sequence[Array]:
        for one in _threads(execution):
            action(one)
        return ()

    return run


# ---- boxes


def _load(one: _One) -> None:
    buffer, start = one.place("to", 128)
    _land(one, buffer, start, one.barrier())


def _land(one: _One, buffer: Buffer, start: int, barrier: Barrier) -> None:
    one.patterned("to")
    map, at, offsets = one.map(), one.at(), one.offsets()
    one.inside(buffer, start, map.bytes)
    buffer[start : start + map.bytes] = UNDEFINED

    def done() -> None:
        buffer[map.shuffled(start)] = map.read(at, offsets).view(np.uint8)
        barrier.complete(map.bytes)

    one.later(done)


def _load_multicast(one: _One) -> None:
    _for_blocks(one, lambda buffer, start, barrier: _land(one, buffer, start, barrier), 128)


def _for_blocks(one: _One, bring: Callable[[Buffer, int, Barrier], None], align: int) -> None:
    """The same for every block of the cluster whose bit is set, with the place and the barrier there."""
    state, blocks = one.execution.state, one.number("blocks")
    op = one.execution.op
    if state.cluster is None:
        one.refuse("there are no other blocks", "write `@cluster_launch` beside `@kernel`")
    if not 0 < blocks < 1 << state.cluster.size:
        one.refuse(f"`blocks` is {blocks:#b} in a cluster of {state.cluster.size}", "a bit for each block that the box is for", "OX2003")
    to, bar = one.owner("to"), one.owner("bar")
    _, start = one.place("to", align)
    index = int(one.execution.place("bar").at[one.thread]) // 8
    ranks = np.zeros(len(state.live), np.int64)
    for rank in range(state.cluster.size):
        if blocks >> rank & 1:
            ranks[one.thread] = rank
            at_work(op, state, ranks, np.arange(len(ranks)) == one.thread)
            words = state.cluster.shared[bar][rank].view(np.uint64)  # type: ignore[index]  # pyright: ignore[reportArgumentType]
            barrier = Barrier(words, index, op, state, one.thread)
            bring(state.cluster.shared[to][rank], start, barrier)  # type: ignore[index]  # pyright: ignore[reportArgumentType]


def _out_of(one: _One, combine: Callable[[Map, Array, Array], Array] | None) -> None:
    one.patterned("source")
    buffer, start = one.place("source", 128)
    map, at = one.map(), one.at()
    one.inside(buffer, start, map.bytes)
    if min(at) < 0:
        one.refuse(f"the box begins at {tuple(at)}", "a box that is written begins inside, or behind the end: let a smaller one begin at 0")

    def done() -> None:
        bits = np.ascontiguousarray(buffer[map.shuffled(start)]).view(f"u{map.element.size}")
        map.write(at, bits if combine is None else combine(map, map.read(at), bits))

    one.store(done)


def _reduce(one: _One) -> None:
    operation = _REDUCTIONS[one.execution.attrs["operation"]]

    _out_of(one, lambda map, old, new: _combined(map.element, operation, old, new))


def _combined(element: Scalar, operation: Callable[[Array, Array], Array], old: Array, new: Array) -> Array:
    """Of bits."""
    return to_bits(element, operation(from_bits(element, old), from_bits(element, new)).astype(DTYPES[element.name]))


_REDUCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "min": np.fmin,
    "max": np.fmax,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "inc": lambda old, limit: np.where(old >= limit, 0, old + 1),
    "dec": lambda old, limit: np.where((old == 0) | (old > limit), limit, old - 1),
}

load = load_im2col = _alone(_load)
load_multicast = load_im2col_multicast = _alone(_load_multicast)
store = _alone(lambda one: _out_of(one, None))
reduce = _alone(_reduce)


# ---- runs of bytes


def _run(one: _One) -> tuple[Buffer, int, Buffer, int, int]:
    size = one.number("size")
    if size % 16:
        one.refuse(f"a run of {size} bytes", "its size is a multiple of 16 bytes")
    (to, start), (source, begin) = one.place("to", 16), one.place("source", 16)
    one.inside(to, start, size)
    one.inside(source, begin, size)
    return to, start, source, begin, size


def _copy_in(one: _One) -> None:
    to, start, source, begin, size = _run(one)
    _bring(one, to, start, source[begin : begin + size], one.barrier())


def _copy_in_multicast(one: _One) -> None:
    _, _, source, begin, size = _run(one)
    _for_blocks(one, lambda to, start, barrier: _bring(one, to, start, source[begin : begin + size], barrier), 16)


def _bring(one: _One, to: Buffer, start: int, source: Buffer, barrier: Barrier) -> None:
    size = len(source)
    to[start : start + size] = UNDEFINED

    def done() -> None:
        to[start : start + size] = source
        barrier.complete(size)

    one.later(done)


def _copy_out(one: _One) -> None:
    to, start, source, begin, size = _run(one)

    def done() -> None:
        to[start : start + size] = source[begin : begin + size]

    one.store(done)


def _reduce_run(one: _One) -> None:
    to, start, source, begin, size = _run(one)
    operation = _REDUCTIONS[one.execution.attrs["operation"].split(".")[1]]
    element = one.execution.op.operands[0].memory.element
    assert isinstance(element, Scalar)
    word = f"u{element.size}"

    def done() -> None:
        old, new = (np.ascontiguousarray(each).view(word) for each in (to[start : start + size], source[begin : begin + size]))
        to[start : start + size] = _combined(element, operation, old, new).view(np.uint8)

    one.store(done)


copy_in = copy_far = _alone(_copy_in)
copy_in_multicast = _alone(_copy_in_multicast)
copy_out = _alone(_copy_out)
reduce_run = _alone(_reduce_run)


# ---- groups


def commit(execution: Execution) -> Sequence[Array]:
    copies = copies_of(execution.state)
    for thread in np.flatnonzero(execution.mask).tolist():
        copies.stores.setdefault(thread, [[]]).append([])
    return ()


def wait(execution: Execution) -> Sequence[Array]:
    copies = copies_of(execution.state)
    for thread in np.flatnonzero(execution.mask).tolist():
        copies.stored(thread, int(execution.attrs["left"]))
    return ()


wait_read = wait


def nothing(execution: Execution) -> Sequence[Array]:
    """What only makes things faster."""
    return ()


prefetch = prefetch_im2col = prefetch_run = prefetch_map = nothing

__all__ = ["Map", "Place"]
