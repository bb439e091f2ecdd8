"""Loads and stores on byte buffers."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oxidepy.ir.interpreter.values import DTYPES, Array, Mask, from_bits, to_bits
from oxidepy.ir.types import Memory, Scalar

_SEEN_AS: dict[str, np.dtype[Any]] = {"bool": np.dtype(np.uint8), "bf16": np.dtype(np.uint16)}
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

    def load(self, buffer: Buffer, index: Array, mask: Mask) -> Array:
        """The values at `index` for the threads of the mask; zero for the others."""
        memory = self.view(buffer)
        inside = self._inside(memory, index, mask)
        values = memory[np.where(mask, index, 0)] if inside else np.zeros(len(index), self.dtype)
        if self.type.kind == "bool":
            return values != 0
        return from_bits(self.type, values) if self.type.name == "bf16" else values

    def store(self, buffer: Buffer, index: Array, values: Array, mask: Mask) -> None:
        """Write for the threads of the mask; of several at one place the last thread's stays."""
        memory = self.view(buffer)
        if self._inside(memory, index, mask):
            raw = to_bits(self.type, values) if self.type.name == "bf16" else values
            memory[index[mask]] = raw[mask]

    def _inside(self, memory: Array, index: Array, mask: Mask) -> bool:
        used = index[mask]
        if not len(used):
            return False
        if used.min() < 0 or used.max() >= len(memory):
            wrong = used[(used < 0) | (used >= len(memory))][0]
            raise Fault(f"access to element {wrong} of a buffer of {len(memory)} elements of {self.stride} bytes")
        return True
