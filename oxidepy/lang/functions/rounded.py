"""Arithmetic rounded towards zero, down or up: the nearest result, then a step to its neighbour where the exact value lies beyond it.

Which side that is, is told by what rounding loses: of f32 in f64, where sums, products and remainders are exact or a pair; of f64 from the
remainder, scaled so that it cannot underflow. `mode` is one of the names in the table of signatures.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.functions.doubles import two_product, two_sum
from oxidepy.lang.functions.parts import parts_f64, power_f64
from oxidepy.lang.scalars import f32, f64, i32, i64, u32, u64

ZERO, DOWN, UP = 0, 1, 2


def _beyond(r, more, mode):
    """Whether r, the nearest, is not the result: `more` has the sign of the exact value minus r."""
    if mode == ZERO:
        return (r > 0.0 and more < 0.0) or (r < 0.0 and more > 0.0)
    if mode == DOWN:
        return more < 0.0
    return more > 0.0


def _rounded_f32(r: f32, more: f64, mode):
    step = 1 if (more > 0.0) == (r > 0.0) else -1
    least = 1e-45 if more > 0.0 else -1e-45
    beside = least if r == 0.0 else bits.cast(f32, bits.cast(i32, r) + step)
    return beside if _beyond(r, more, mode) else r


def _rounded_f64(r: f64, more: f64, mode):
    step = i64(1 if (more > 0.0) == (r > 0.0) else -1)
    least = f64(5e-324) if more > 0.0 else f64(-5e-324)
    beside = least if r == 0.0 else bits.cast(f64, bits.cast(i64, r) + step)
    return beside if _beyond(r, more, mode) else r


def _signed_zero(r, zero, mode):
    """A sum that is exactly 0 is -0 when rounding down, unless both terms are +0: `zero` has their bits joined."""
    if mode == DOWN:
        signed = r - r if zero == 0 else -(r - r)
        return signed if r == 0.0 else r
    return r


# ---- f32, by way of f64


def _narrowed(s: f64, low: f64, mode):
    """s + low, an exact pair."""
    r = f32(s)
    rest = s - f64(r)
    return _rounded_f32(r, low if rest == 0.0 else rest, mode)


def add_f32(x: f32, y: f32, mode) -> f32:
    s, low = two_sum(f64(x), f64(y))
    return _signed_zero(_narrowed(s, low, mode), bits.cast(i32, x) | bits.cast(i32, y), mode)


def sub_f32(x: f32, y: f32, mode) -> f32:
    return add_f32(x, -y, mode)


def mul_f32(x: f32, y: f32, mode) -> f32:
    return _narrowed(f64(x) * f64(y), 0.0, mode)


def fma_f32(x: f32, y: f32, z: f32, mode) -> f32:
    p = f64(x) * f64(y)
    s, low = two_sum(p, f64(z))
    r = _narrowed(s, low, mode)
    return _signed_zero(r, bits.cast(i64, p) | bits.cast(i64, f64(z)), mode) if s == 0.0 else r


def div_f32(x: f32, y: f32, mode) -> f32:
    a, b = f64(x), f64(y)
    q = a / b
    rest = math.fma(-q, b, a)
    return _narrowed(q, rest if b > 0.0 else -rest, mode)


def rcp_f32(x: f32, mode) -> f32:
    return div_f32(f32(1.0), x, mode)


def sqrt_f32(x: f32, mode) -> f32:
    a = f64(x)
    s = math.sqrt(a)
    return _narrowed(s, math.fma(-s, s, a), mode)


def rcp_rn_f32(x: f32) -> f32:
    return 1.0 / x


# ---- f64

_BIG, _HALF_BIG = 4.149515568880993e180, 2.037035976334486e90  # 2**600, 2**300


def add_f64(x: f64, y: f64, mode) -> f64:
    s = x + y
    less = math.fabs(x) < math.fabs(y)
    rest = (x if less else y) - (s - (y if less else x))
    r = _rounded_f64(s, rest, mode)
    return _signed_zero(r, bits.cast(i64, x) | bits.cast(i64, y), mode) if s == 0.0 else r


def sub_f64(x: f64, y: f64, mode) -> f64:
    return add_f64(x, -y, mode)


def mul_f64(x: f64, y: f64, mode) -> f64:
    p = x * y
    small = math.fabs(p) < 1.1e-271
    rest = math.fma(x * _BIG, y * _BIG, -(p * _BIG) * _BIG) if small else math.fma(x, y, -p)
    return _rounded_f64(p, rest, mode)


def _scaled(x, k):
    """x * 2**k, -2046 <= k <= 2046."""
    return x * power_f64(k >> 1) * power_f64(k - (k >> 1))


def div_f64(x: f64, y: f64, mode) -> f64:
    q = x / y
    a, j = parts_f64(x)
    b, k = parts_f64(y)
    distance = min(max(j - k, -1080), 1100)  # further away the quotient is 0 or infinite
    rest = math.fma(-_scaled(q, -distance), b, a)
    rest = rest if b > 0.0 else -rest
    return _rounded_f64(q, rest if math.isfinite(x) and math.isfinite(y) else 0.0, mode)


def rcp_f64(x: f64, mode) -> f64:
    return div_f64(f64(1.0), x, mode)


def rcp_rn_f64(x: f64) -> f64:
    return 1.0 / x


def sqrt_f64(x: f64, mode) -> f64:
    s = math.sqrt(x)
    small = x < 1.1e-271
    t, a = s * _HALF_BIG if small else s, x * _BIG if small else x
    return _rounded_f64(s, math.fma(-t, t, a), mode)


def fma_f64(x: f64, y: f64, z: f64, mode) -> f64:
    r = math.fma(x, y, z)
    a, j = parts_f64(x)
    b, k = parts_f64(y)
    c, m = parts_f64(z)
    most = min(max(j + k, m, -1080), 2000)
    # a term that lies so far below the other that only its sign counts need not be as far
    p, low = two_product(a * power_f64(max(j + k - most, -300)), b)
    c = c * power_f64(max(m - most, -300))
    s, rest = two_sum(c, low)
    t, more = two_sum(p, s)
    rest = ((t - _scaled(r, -most)) + more) + rest
    finite = math.isfinite(x) and math.isfinite(y) and math.isfinite(z)
    rounded = _rounded_f64(r, rest if finite else 0.0, mode)
    return _signed_zero(rounded, bits.cast(i64, x * y) | bits.cast(i64, z), mode) if r == 0.0 and rest == 0.0 else rounded


# ---- conversions: of f64, and of integers of 64 bits as two exact parts


def cast_f64_to_f32(x: f64, mode) -> f32:
    return _narrowed(x, 0.0, mode)


def _parts(x, upper):
    """An integer of 64 bits as an exact pair; `upper` has its upper half."""
    return two_sum(f64(upper) * 4294967296.0, f64(x & 0xFFFFFFFF))


def cast_i64_to_f32(x: i64, mode) -> f32:
    s, low = _parts(x, x >> 32)
    return _narrowed(s, low, mode)


def cast_u64_to_f32(x: u64, mode) -> f32:
    s, low = _parts(x, x >> 32)
    return _narrowed(s, low, mode)


def cast_i64_to_f64(x: i64, mode) -> f64:
    s, low = _parts(x, x >> 32)
    return _rounded_f64(s, low, mode)


def cast_u64_to_f64(x: u64, mode) -> f64:
    s, low = _parts(x, x >> 32)
    return _rounded_f64(s, low, mode)


def cast_i32_to_f32(x: i32, mode) -> f32:
    return _narrowed(f64(x), 0.0, mode)


def cast_u32_to_f32(x: u32, mode) -> f32:
    return _narrowed(f64(x), 0.0, mode)
