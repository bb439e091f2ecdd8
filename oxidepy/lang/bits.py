"""`bits`: operations on the bits of integers, and a look at a number's bits as another type's."""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from oxidepy.lang.names import device

if TYPE_CHECKING:
    from oxidepy.lang.scalars import bf16, f16, i8, i16, i64, u8, u16, u32, u64

    P8 = TypeVar("P8", i8, u8)
    P16 = TypeVar("P16", i16, u16, f16, bf16)
    P32 = TypeVar("P32", int, u32, float)
    N = TypeVar("N", int, i8, i16, i64, u8, u16, u32, u64)
    U = TypeVar("U", u8, u16, u32, u64)
    W = TypeVar("W", int, u32)
else:
    P8 = TypeVar("P8")
    P16 = TypeVar("P16")
    P32 = TypeVar("P32")
    N = TypeVar("N")
    U = TypeVar("U")
    W = TypeVar("W")

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
def byte_permute(x: u32, y: u32, selector: u32 | int, /, mode: str = "") -> u32:
    """Four bytes out of the eight of `y:x`, one for every nibble of `selector`.

    With a mode of PTX's `prmt` (`f4e b4e rc8 ecl ecr rc16`), which four is said by the low two bits of `selector`.
    """
    ...


@device("bits.cast")
def cast(dtype: type[T], x: Any, /) -> T:
    """The bits of `x` as a number of another type of the same width: `bits.cast(u32, 1.5)`."""
    ...


@device("bits.unpack")
def unpack(dtype: type[T], x: Any, /) -> tuple[T, ...]:
    """The bits of `x` as several numbers of a type of fewer bits, the lowest first: `a, b, c, d = bits.unpack(i8, word)`."""
    ...


@overload
def pack(x: P8, y: P8, /) -> u16: ...
@overload
def pack(x: P8, y: P8, z: P8, w: P8, /) -> u32: ...
@overload
def pack(x: P8, y: P8, z: P8, w: P8, a: P8, b: P8, c: P8, d: P8, /) -> u64: ...
@overload
def pack(x: P16, y: P16, /) -> u32: ...
@overload
def pack(x: P16, y: P16, z: P16, w: P16, /) -> u64: ...
@overload
def pack(x: P32, y: P32, /) -> u64: ...
@device("bits.pack")
def pack(x: Any, /, *more: Any) -> Any:
    """Two, four or eight numbers of one type as the bits of an unsigned one, of 16, 32 or 64 bits; the first one lowest."""
    ...


@device("bits.mul_hi")
def mul_hi(x: N, y: N, /) -> N:
    """The upper half of the exact product."""
    ...


@overload
def mul_wide(x: int, y: int, /) -> tuple[u32, int]: ...
@overload
def mul_wide(x: i64, y: i64 | int, /) -> tuple[u64, i64]: ...
@overload
def mul_wide(x: i16, y: i16 | int, /) -> tuple[u16, i16]: ...
@overload
def mul_wide(x: i8, y: i8 | int, /) -> tuple[u8, i8]: ...
@overload
def mul_wide(x: U, y: U | int, /) -> tuple[U, U]: ...
@device("bits.mul_wide")
def mul_wide(x: Any, y: Any, /) -> Any:
    """The exact product in two halves, the lower one, which is unsigned, first: of two i64 a `u64` and an `i64`."""
    ...


@device("bits.ffs")
def ffs(x: N, /) -> int:
    """The number of the lowest bit that is 1, counted from 1, as an i32; 0 for 0."""
    ...


@device("bits.add_carry")
def add_carry(x: U, y: U, carry: bool, /) -> tuple[U, bool]:
    """x + y + carry of unsigned integers, and whether it overflows: the next carry."""
    ...


@device("bits.sub_borrow")
def sub_borrow(x: U, y: U, borrow: bool, /) -> tuple[U, bool]:
    """x - y - borrow of unsigned integers, and whether it is less than 0: the next borrow."""
    ...


@device("bits.add_sat")
def add_sat(x: N, y: N, /) -> N:
    """x + y, at the nearest end of the type where it does not fit."""
    ...


@device("bits.sub_sat")
def sub_sat(x: N, y: N, /) -> N:
    """x - y, at the nearest end of the type where it does not fit."""
    ...


@device("bits.hadd")
def hadd(x: N, y: N, /) -> N:
    """(x + y) // 2, without overflow between."""
    ...


@device("bits.rhadd")
def rhadd(x: N, y: N, /) -> N:
    """(x + y + 1) // 2, without overflow between."""
    ...


@device("bits.sad")
def sad(x: N, y: N, total: N, /) -> N:
    """abs(x - y) + total; wraps."""
    ...


@device("bits.dp4a")
def dp4a(x: int | u32, y: int | u32, total: W, /) -> W:
    """The sum of the products of the four bytes of x and y, plus `total`.

    x and y are i32 (signed bytes) or u32 (unsigned ones); `total` is u32 if both are, else i32.
    """
    ...


@device("bits.dp2a_low")
def dp2a_low(x: int | u32, y: int | u32, total: W, /) -> W:
    """The two halves of x times the two lower bytes of y, added up, plus `total`; types as for `dp4a`."""
    ...


@device("bits.dp2a_high")
def dp2a_high(x: int | u32, y: int | u32, total: W, /) -> W:
    """The two halves of x times the two upper bytes of y, added up, plus `total`; types as for `dp4a`."""
    ...
