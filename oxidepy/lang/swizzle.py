"""Swizzles: orders of elements in shared memory in which neither rows nor columns of a tile meet in one bank. For host and kernels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from oxidepy.diagnostics import CompileError, Diagnostic
from oxidepy.ir.banks import BANKS, LANES, WORD, passes
from oxidepy.lang.names import caller_span, named

if TYPE_CHECKING:
    from oxidepy.lang.scalars import i64, u32, u64

    N = TypeVar("N", int, i64, u32, u64)

__oxidepy__ = "swizzle"


def _refused(message: str, help: str) -> CompileError:
    return CompileError([Diagnostic("OX0308", message, caller_span(), help=help)])


@dataclass(frozen=True)
class Swizzle:
    """An order of elements: the place of element `i` is `apply(i)`. Aligned groups of 2**(bits + base + shift) elements stay together.

    Bits [base, base + bits) of an index are combined by exclusive or with bits [base + shift, base + shift + bits). So `bits` is how many
    places take turns (2**bits of them), `base` how many elements stay neighbours (2**base), and 2**(base + shift) the length of a row.
    CompileError OX0308 unless 0 <= bits <= shift, 0 <= base and bits + base + shift <= 31.
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        for name, value in (("bits", self.bits), ("base", self.base), ("shift", self.shift)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise _refused(f"`{name}` of a swizzle is {value!r}", "it is a number of bits, 0 or more")
        if self.shift < self.bits:
            raise _refused(f"a swizzle of {self.bits} bits by {self.shift} could not be undone", f"its `shift` is at least {self.bits}")
        if self.bits + self.base + self.shift > 31:
            total = self.bits + self.base + self.shift
            raise _refused(f"a swizzle reaches bit {total} of an index of 32", "`bits + base + shift` is at most 31")

    @property
    def mask(self) -> int:
        """The bits of an index that change."""
        return ((1 << self.bits) - 1) << self.base

    if TYPE_CHECKING:

        def apply(self, index: N, /) -> N:
            """The place of an element, in the index's own type."""
            ...

        def undo(self, place: N, /) -> N:
            """The element at a place. A swizzle undoes itself."""
            ...

        def bank_of(self, index: N, /, size: int = WORD) -> N:
            """The bank in which an element of `size` bytes begins."""
            ...

    else:

        def apply(self, index):
            return index ^ ((index >> self.shift) & self.mask)

        def undo(self, place):
            return self.apply(place)

        def bank_of(self, index, size=WORD):
            return bank_of(self.apply(index), size)

    def conflict_degree(self, stride: int, start: int = 0, lanes: int = LANES, size: int = WORD) -> int:
        """How many passes shared memory needs where lane k of a warp accesses element `start + k * stride`, of `size` bytes: 1 is best.

        Known when the kernel is compiled: `static_assert(order.conflict_degree(32) == 1)`.
        """
        return conflict_degree((self.apply(start + lane * stride) for lane in range(lanes)), size)


@named("swizzle.xor")
def xor(bits: int, base: int = 0, shift: int = 5) -> Swizzle:
    """The swizzle of `bits` places, of groups of 2**base elements, in rows of 2**(base + shift) elements: see `Swizzle`."""
    return Swizzle(bits, base, shift)


@named("swizzle.bank_of")
def bank_of(place: int, size: int = WORD) -> int:
    """The bank in which the element at a place begins, for elements of `size` bytes at an address that is a multiple of 128."""
    return place * size // WORD % BANKS


def conflict_degree(places: Iterable[int], size: int = WORD) -> int:
    """How many passes shared memory needs for one access of a warp: the most words that one bank has to give at once.

    `places`: of the elements that the lanes access, in order of lanes; `size`: bytes of an element (1, 2, 4, 8, 16). Lanes that read one
    word share it. Elements wider than a word go in two or four parts of a warp, one after the other.
    """
    return passes([place * size for place in places], size)
