"""`bits`: operations on the bits of integers, and a look at a number's bits as another type's."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import i8, i16, i64, u8, u16, u32, u64

    N = TypeVar("N", int, i8, i16, i64, u8, u16, u32, u64)
else:
    N = TypeVar("N")

T = TypeVar("T")

__oxidepy__ = "bits"


@device("bits.popcount")
def popcount(x: N, /) -> N:
    """How many bits are 1."""
    ...


@device("bits.clz")
def clz(x: N, /) -> N:
    """How many bits are 0 above the highest 1; the width for 0."""
    ...


@device("bits.ctz")
def ctz(x: N, /) -> N:
    """How many bits are 0 below the lowest 1; the width for 0."""
    ...


@device("bits.brev")
def brev(x: N, /) -> N:
    """The bits in reverse order."""
    ...


@device("bits.funnel_shift_left")
def funnel_shift_left(low: u32, high: u32, count: u32 | int, /) -> u32:
    """The upper 32 bits of `high:low` shifted left by `count` modulo 32."""
    ...


@device("bits.funnel_shift_right")
def funnel_shift_right(low: u32, high: u32, count: u32 | int, /) -> u32:
    """The lower 32 bits of `high:low` shifted right by `count` modulo 32."""
    ...


@device("bits.byte_permute")
def byte_permute(x: u32, y: u32, selector: u32 | int, /) -> u32:
    """Four bytes out of the eight of `y:x`, one for every nibble of `selector`."""
    ...


@device("bits.cast")
def cast(dtype: type[T], x: Any, /) -> T:
    """The bits of `x` as a number of another type of the same width: `bits.cast(u32, 1.5)`."""
    ...


@device("bits.mul_hi")
def mul_hi(x: N, y: N, /) -> N:
    """The upper half of the exact product."""
    ...
