"""Integer arithmetic that the hardware has as one instruction: products of bytes, carries, saturation, averages."""

# Every type of integer goes through these, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits
from oxidepy.lang.control import unroll
from oxidepy.lang.scalars import i32, u32

# ---- products of bytes


def _part(x, place, width):
    """Bits of a 32-bit word as a number of its own kind: the shift to the right keeps the sign."""
    return x << (32 - width - place) >> (32 - width)


def _products(x, y, total, kind, parts):
    """`parts`: where the factors lie in x, how wide, and the same of y."""
    for at, width, other_at, other_width in unroll(parts):
        total += kind(_part(x, at, width)) * kind(_part(y, other_at, other_width))
    return total


BYTES = ((0, 8, 0, 8), (8, 8, 8, 8), (16, 8, 16, 8), (24, 8, 24, 8))
LOW = ((0, 16, 0, 8), (16, 16, 8, 8))
HIGH = ((0, 16, 16, 8), (16, 16, 24, 8))


def dp4a_signed(x, y, total):
    return _products(x, y, total, i32, BYTES)


def dp4a_unsigned(x, y, total):
    return _products(x, y, total, u32, BYTES)


def dp2a_low_signed(x, y, total):
    return _products(x, y, total, i32, LOW)


def dp2a_low_unsigned(x, y, total):
    return _products(x, y, total, u32, LOW)


def dp2a_high_signed(x, y, total):
    return _products(x, y, total, i32, HIGH)


def dp2a_high_unsigned(x, y, total):
    return _products(x, y, total, u32, HIGH)


# ---- of any type


def sad(x, y, total):
    return (y - x if x < y else x - y) + total


def ffs(x):
    return 0 if x == 0 else i32(bits.ctz(x)) + 1


def add_carry(x, y, carry):
    part = x + y
    total = part + 1 if carry else part
    return total, part < x or total < part


def sub_borrow(x, y, borrow):
    part = x - y
    rest = part - 1 if borrow else part
    return rest, x < y or part < rest


def hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


def add_sat(x, y, least, most):
    total = x + y
    total = most if y > 0 and total < x else total
    return least if y < 0 and total > x else total


def sub_sat(x, y, least, most):
    rest = x - y
    rest = least if y > 0 and rest > x else rest
    return most if y < 0 and rest < x else rest


def add_sat_unsigned(x, y, most):
    total = x + y
    return most if total < x else total


def sub_sat_unsigned(x, y):
    return 0 if x < y else x - y


# ---- bytes by the low two bits of a selector, as PTX's `prmt` has it


def _chosen(x, y, selectors, n):
    selector = u32(selectors[0])
    for one in unroll(range(1, 4)):
        selector = selectors[one] if (n & 3) == one else selector
    return bits.byte_permute(x, y, selector)


def permute_f4e(x, y, n):
    return _chosen(x, y, (0x3210, 0x4321, 0x5432, 0x6543), n)


def permute_b4e(x, y, n):
    return _chosen(x, y, (0x5670, 0x6701, 0x7012, 0x0123), n)


def permute_rc8(x, y, n):
    return _chosen(x, y, (0x0000, 0x1111, 0x2222, 0x3333), n)


def permute_ecl(x, y, n):
    return _chosen(x, y, (0x3210, 0x3211, 0x3222, 0x3333), n)


def permute_ecr(x, y, n):
    return _chosen(x, y, (0x0000, 0x1110, 0x2210, 0x3210), n)


def permute_rc16(x, y, n):
    return _chosen(x, y, (0x1010, 0x3232, 0x1010, 0x3232), n)
