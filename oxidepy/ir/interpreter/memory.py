"""Loads and stores on byte buffers, and scratch memory."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from oxidepy.ir.interpreter.values import DTYPES, Array, Mask, from_bits, to_bits
from oxidepy.ir.types import Memory, Scalar

_SEEN_AS: dict[str, np.dtype[Any]] = {"bool": np.dtype(np.uint8), "bf16": np.dtype(np.uint16)}
UNDEFINED = 0xCD
Buffer = npt.NDArray[np.uint8]


class Fault(Exception):
    """What no well-formed and checked kernel does: an access outside of its buffer, a wait that nobody ends."""


class Leaf:
    """One scalar inside each element of a memory type: where it lies, and as what its bytes are seen."""

    def __init__(self, memory: Memory, offset: int, type_: Scalar) -> None:
        self.type = type_
        self.stride = memory.element.size
        self.offset = offset
        self.dtype = _SEEN_AS.get(type_.name, DTYPES[type_.name])

    def view(self, buffer: Buffer) -> Array:
        """The leaf of every element, as an array over the buffer."""
        count = len(buffer) // self.stride
        if self.stride == self.dtype.itemsize:
            return buffer[: count * self.stride].view(self.dtype)
        return np.ndarray((count,), self.dtype, buffer, self.offset, (self.stride,)) if count else np.empty(0, self.dtype)

    def decode(self, raw: Array) -> Array:
        """Values of the type from what lies in memory."""
        if self.type.kind == "bool":
            return raw != 0
        return from_bits(self.type, raw) if self.type.name == "bf16" else raw

    def encode(self, values: Array) -> Array:
        return to_bits(self.type, values) if self.type.name == "bf16" else values

    def reached(self, buffer: Any, index: Array, mask: Mask) -> tuple[Buffer, Array]:
        """The bytes among which the threads of the mask find their elements, and where. Fault if one is not there."""
        return buffer, index

    def bounds(self, buffer: Any, threads: int) -> tuple[int, int]:
        """The elements from the first on and up to the second are there."""
        return 0, len(buffer) // self.stride

    def load(self, buffer: Any, index: Array, mask: Mask) -> Array:
        """The values at `index` for the threads of the mask; zero for the others."""
        buffer, index = self.reached(buffer, index, mask)
        memory = self.view(buffer)
        inside = self._inside(memory, index, mask)
        return self.decode(memory[np.where(mask, index, 0)] if inside else np.zeros(len(index), self.dtype))

    def store(self, buffer: Any, index: Array, values: Array, mask: Mask) -> None:
        """Write for the threads of the mask; of several at one place the last thread's stays."""
        buffer, index = self.reached(buffer, index, mask)
        memory = self.view(buffer)
        if self._inside(memory, index, mask):
            memory[index[mask]] = self.encode(values)[mask]

    def places(self, buffer: Any, index: Array, mask: Mask) -> tuple[Array, Array]:
        """The leaf of every element, and which of them the threads of the mask access."""
        buffer, index = self.reached(buffer, index, mask)
        memory = self.view(buffer)
        self._inside(memory, index, mask)
        return memory, index[mask]

    def _inside(self, memory: Array, index: Array, mask: Mask) -> bool:
        used = index[mask]
        if not len(used):
            return False
        if used.min() < 0 or used.max() >= len(memory):
            self._outside(used, len(memory))
        return True

    def _outside(self, used: Array, length: int) -> NoReturn:
        wrong = used[(used < 0) | (used >= length)][0]
        raise Fault(f"access to element {wrong} of a buffer of {length} elements of {self.stride} bytes")


class LocalLeaf(Leaf):
    """One scalar inside each element of local memory: the buffer holds the threads' parts one after the other."""

    def bounds(self, buffer: Any, threads: int) -> tuple[int, int]:
        return 0, len(buffer) // (self.stride * threads)

    def reached(self, buffer: Any, index: Array, mask: Mask) -> tuple[Buffer, Array]:
        threads = len(index)
        _, length = self.bounds(buffer, threads)
        used = index[mask]
        if ((used < 0) | (used >= length)).any():
            self._outside(used, length)
        return buffer, np.arange(threads, dtype=np.int64) * length + index


class RemoteLeaf(Leaf):
    """One scalar inside each element of shared memory of other blocks: the buffer is a `Remote`."""

    def bounds(self, buffer: Any, threads: int) -> tuple[int, int]:
        return 0, buffer.bytes // self.stride

    def reached(self, buffer: Any, index: Array, mask: Mask) -> tuple[Buffer, Array]:
        _, length = self.bounds(buffer, len(index))
        used = index[mask]
        if ((used < 0) | (used >= length)).any():
            self._outside(used, length)
        buffer.met(mask)
        return buffer.every, buffer.ranks.astype(np.int64) * length + index


@dataclass(frozen=True)
class Remote:
    """A shared object of other blocks of the cluster, as each thread names one: `every` holds those of all blocks, `bytes` of each. `met`
    is asked at each access by the threads of a mask whether these blocks are at work."""

    every: Buffer
    bytes: int
    ranks: Array
    met: Callable[[Mask], None]


class RawLeaf(Leaf):
    """One scalar inside each element of what a pointer points at. The buffer begins there; where it is a part of another array, that is
    the memory, and elements before the pointer are there too."""

    def _whole(self, buffer: Any) -> tuple[Buffer, int]:
        """The memory from its first whole element on, and how many elements lie before the pointer."""
        whole: Any = buffer.base if isinstance(buffer.base, np.ndarray) and len(buffer) else buffer
        ahead = int(buffer.__array_interface__["data"][0]) - int(whole.__array_interface__["data"][0])
        return whole[ahead % self.stride :], ahead // self.stride

    def bounds(self, buffer: Any, threads: int) -> tuple[int, int]:
        whole, before = self._whole(buffer)
        return -before, len(whole) // self.stride - before

    def reached(self, buffer: Any, index: Array, mask: Mask) -> tuple[Buffer, Array]:
        whole, before = self._whole(buffer)
        return whole, index + before


_LEAVES: dict[str, type[Leaf]] = {"local": LocalLeaf, "cluster": RemoteLeaf}


def leaf(memory: Memory, offset: int, type_: Scalar) -> Leaf:
    if memory.access == "raw":
        return RawLeaf(memory, offset, type_)
    return _LEAVES.get(memory.space, Leaf)(memory, offset, type_)


def scratch(memory: Memory, count: int, threads: int) -> Buffer:
    """Fresh scratch memory of a block. What it holds is undefined; here it is a pattern that is easily recognised."""
    if count < 0:
        raise Fault(f"scratch memory of {count} elements")
    copies = threads if memory.space == "local" else 1
    return np.full(count * memory.element.size * copies, UNDEFINED, np.uint8)
