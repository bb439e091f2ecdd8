"""Sine, cosine and tangent: x = n * pi/2 + r, |r| <= pi/4, with r as a pair, then polynomials for both functions of r.

Smaller arguments subtract n * pi/2 in three parts, the first of them exactly. The others multiply by as many bits of 2/pi as matter (Payne
and Hanek): the bits above give multiples of 4, those below nothing.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
# A literal takes the type of what it meets in kernels; to a checker it stays a float, which is no f64.
# pyright: reportReturnType=false, reportAssignmentType=false
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.control import unroll
from oxidepy.lang.functions.doubles import NAN, T, divided, ordered_sum, polynomial, two_product, two_sum
from oxidepy.lang.scalars import f32, f64, i32, i64, u32, u64

_SIN_32 = (2.724992e-06, -0.00019840087, 0.008333332, -0.16666667)
_SIN_64 = (
    -7.586696168072366e-13, 1.6058531602876344e-10, -2.505210623234594e-08, 2.7557319219338875e-06,
    -0.00019841269841265065, 0.008333333333333331, -0.16666666666666666,
)  # fmt: skip
_COS_32 = (2.4547939e-05, -0.0013888302, 0.041666664)
_COS_64 = (
    -1.1382631041621262e-11, 2.0876146249194634e-09, -2.755731727163763e-07, 2.480158729876551e-05,
    -0.0013888888888887398, 0.041666666666666664,
)  # fmt: skip
_HALF_PI_32 = (1.5707964, -4.371139e-08, -1.7151245e-15)
_HALF_PI_64 = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
_PI_32 = (3.1415927, -8.742278e-08)
_PI_64 = (3.141592653589793, 1.2246467991473532e-16)
# the bits of 2/pi, behind a word of zeros
_WORDS_32 = (
    0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB,
)  # fmt: skip
_WORDS_64 = (
    0, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB,
)  # fmt: skip


# ---- reduction: n modulo 4, and r


def _near(x, n, half_pi):
    p, rest = two_product(n, half_pi[1])
    r, low = two_sum(math.fma(n, -half_pi[0], x), -p)
    return two_sum(r, math.fma(n, -half_pi[2], low - rest))


def _times_half_pi(high, low, half_pi):
    p, rest = two_product(high, half_pi[0])
    return ordered_sum(p, math.fma(high, half_pi[1], math.fma(low, half_pi[0], rest)))


def _far_f32(x: f32):
    i = bits.cast(i32, x) & 0x7FFFFFFF
    place = (i >> 23) - 120  # of the first bit of 2/pi that matters
    first, shift = place >> 5, u32(place & 31)
    a, b, c, d = u32(0), u32(0), u32(0), u32(0)
    for one in unroll(range(5)):
        here = first == one
        a = u32(_WORDS_32[one]) if here else a
        b = u32(_WORDS_32[one + 1]) if here else b
        c = u32(_WORDS_32[one + 2]) if here else c
        d = u32(_WORDS_32[one + 3]) if here else d
    a = (a << shift) | (b >> (32 - shift))
    b = (b << shift) | (c >> (32 - shift))
    c = (c << shift) | (d >> (32 - shift))
    m = u32((i & 0x7FFFFF) | 0x800000)
    low = u64(m) * u64(c)
    middle = u64(m) * u64(b) + (low >> 32)
    top = (u64(m * a + u32(middle >> 32)) << 32) | (middle & 0xFFFFFFFF)
    n = i32((top + 0x2000000000000000) >> 62)
    rest = i64((top << 2) | ((low & 0xFFFFFFFF) >> 30))
    rest = -rest if x < 0.0 else rest
    high = f32(rest)
    r, rl = _times_half_pi(high, f32(rest - i64(high)), _HALF_PI_32)
    return -n if x < 0.0 else n, r * 5.421010862427522e-20, rl * 5.421010862427522e-20


def _far_f64(x: f64):
    i = bits.cast(i64, x) & 0x7FFFFFFFFFFFFFFF
    place = i32(i >> 52) - 1013
    first, shift = place >> 6, u64(place & 63)
    a, b, c, d = u64(0), u64(0), u64(0), u64(0)
    for one in unroll(range(17)):
        here = first == one
        a = u64(_WORDS_64[one]) if here else a
        b = u64(_WORDS_64[one + 1]) if here else b
        c = u64(_WORDS_64[one + 2]) if here else c
        d = u64(_WORDS_64[one + 3]) if here else d
    a = (a << shift) | (b >> (64 - shift))
    b = (b << shift) | (c >> (64 - shift))
    c = (c << shift) | (d >> (64 - shift))
    m = u64((i & 0xFFFFFFFFFFFFF) | 0x10000000000000)
    carried = bits.mul_hi(m, c)
    middle = m * b + carried
    top = m * a + bits.mul_hi(m, b) + u64(middle < carried)
    n = i32((top + 0x2000000000000000) >> 62)
    high, low = (top << 2) | (middle >> 62), (middle << 2) | ((m * c) >> 62)
    below = i64(high) < 0
    high, low = ~high if below else high, ~low if below else low
    zeros = bits.clz(high)
    high, low = (high << zeros) | (low >> (64 - zeros)), low << zeros
    scale = bits.cast(f64, (959 - i64(zeros)) << 52)
    scale = -scale if below != (x < 0.0) else scale
    first_bits = f64(high & 0xFFFFFFFFFFFFF800)
    other_bits = f64((high << 53) | (low >> 11)) * 1.1102230246251565e-16
    r, rl = _times_half_pi(first_bits, other_bits, _HALF_PI_64)
    return -n if x < 0.0 else n, r * scale, rl * scale


def _reduced_f32(x: f32):
    n = math.rint(x * 0.63661975)
    q = i32(n)
    r, low = _near(x, n, _HALF_PI_32)
    if math.fabs(x) > 40000.0:
        q, r, low = _far_f32(x)
    return q, r, low


def _reduced_f64(x: f64):
    n = math.rint(x * 0.6366197723675814)
    q = i32(n)
    r, low = _near(x, n, _HALF_PI_64)
    if math.fabs(x) > 1000000.0:
        q, r, low = _far_f64(x)
    return q, r, low


# ---- functions of r, as pairs


def _sine(r, low, p):
    z = r * r
    return ordered_sum(r, math.fma(r * z, polynomial(z, p), math.fma(low, -0.5 * z, low)))


def _cosine(r, low, p):
    z = r * r
    h = 0.5 * z
    rest = math.fma(r, low, 0.5 * math.fma(r, r, -z))
    high = 1.0 - h
    return ordered_sum(high, ((1.0 - high) - h) + math.fma(z * z, polynomial(z, p), -rest))


def _both(q, r, low, sin, cos):
    """Sine and cosine of q * pi/2 + r."""
    s, _ = _sine(r, low, sin)
    c, _ = _cosine(r, low, cos)
    odd = (q & 1) != 0
    s, c = c if odd else s, s if odd else c
    return -s if (q & 2) != 0 else s, -c if ((q + 1) & 2) != 0 else c


def sincos_f32(x: f32) -> tuple[f32, f32]:
    q, r, low = _reduced_f32(x)
    s, c = _both(q, r, low, _SIN_32, _COS_32)
    finite = math.isfinite(x)
    s = x if x == 0.0 else s
    return s if finite else NAN, c if finite else NAN


def sincos_f64(x: f64) -> tuple[f64, f64]:
    q, r, low = _reduced_f64(x)
    s, c = _both(q, r, low, _SIN_64, _COS_64)
    finite = math.isfinite(x)
    s = x if x == 0.0 else s
    return s if finite else NAN, c if finite else NAN


def sin_f32(x: f32) -> f32:
    s, _ = sincos_f32(x)
    return s


def sin_f64(x: f64) -> f64:
    s, _ = sincos_f64(x)
    return s


def cos_f32(x: f32) -> f32:
    _, c = sincos_f32(x)
    return c


def cos_f64(x: f64) -> f64:
    _, c = sincos_f64(x)
    return c


def _tangent(x, q, r, low, sin, cos):
    s, sl = _sine(r, low, sin)
    c, cl = _cosine(r, low, cos)
    odd = (q & 1) != 0
    t, _ = divided(-c if odd else s, -cl if odd else sl, s if odd else c, sl if odd else cl)
    t = x if x == 0.0 else t
    return t if math.isfinite(x) else NAN


def tan_f32(x: f32) -> f32:
    q, r, low = _reduced_f32(x)
    return _tangent(x, q, r, low, _SIN_32, _COS_32)


def tan_f64(x: f64) -> f64:
    q, r, low = _reduced_f64(x)
    return _tangent(x, q, r, low, _SIN_64, _COS_64)


# ---- of x * pi: x = n / 2 + r exactly


def _halves(x, pi):
    x = x - 2.0 * math.rint(0.5 * x)
    n = math.rint(2.0 * x)
    r = x - 0.5 * n
    high, low = two_product(r, pi[0])
    return i32(n), high, math.fma(r, pi[1], low)


def _pi_special(x, s, c):
    whole = math.rint(x) == x
    s = math.copysign(0.0, x) if whole else s
    c = 0.0 if c == 0.0 else c
    finite = math.isfinite(x)
    return s if finite else NAN, c if finite else NAN


def _sine_of_pi(a: T, pi, sin, cos):
    n = math.rint(a)
    r, low = two_product(a - n, pi[0])
    low = math.fma(a - n, pi[1], low)
    # beside 1/2 the cosine of what is left, which is exact, is the better one
    s, sl = _sine(r, low, sin)
    h, hl = two_product(0.5 - math.fabs(a - n), pi[0])
    c, cl = _cosine(h, math.fma(0.5 - math.fabs(a - n), pi[1], hl), cos)
    outer = math.fabs(a - n) > 0.25
    s, sl = math.copysign(c, r) if outer else s, (cl if r > 0.0 else -cl) if outer else sl
    odd = math.rint(0.5 * n) * 2.0 != n
    return -s if odd else s, -sl if odd else sl


def sinpi_pair_f32(a: f32):
    """sin(pi * a) as a pair, a >= 0."""
    return _sine_of_pi(a, _PI_32, _SIN_32, _COS_32)


def sinpi_pair_f64(a: f64):
    return _sine_of_pi(a, _PI_64, _SIN_64, _COS_64)


def sincospi_f32(x: f32) -> tuple[f32, f32]:
    q, r, low = _halves(x, _PI_32)
    s, c = _both(q, r, low, _SIN_32, _COS_32)
    return _pi_special(x, s, c)


def sincospi_f64(x: f64) -> tuple[f64, f64]:
    q, r, low = _halves(x, _PI_64)
    s, c = _both(q, r, low, _SIN_64, _COS_64)
    return _pi_special(x, s, c)


def sinpi_f32(x: f32) -> f32:
    s, _ = sincospi_f32(x)
    return s


def sinpi_f64(x: f64) -> f64:
    s, _ = sincospi_f64(x)
    return s


def cospi_f32(x: f32) -> f32:
    _, c = sincospi_f32(x)
    return c


def cospi_f64(x: f64) -> f64:
    _, c = sincospi_f64(x)
    return c


# ---- units


def degrees_f32(x: f32) -> f32:
    return x * 57.29577951308232


def degrees_f64(x: f64) -> f64:
    return x * 57.29577951308232


def radians_f32(x: f32) -> f32:
    return x * 0.017453292519943295


def radians_f64(x: f64) -> f64:
    return x * 0.017453292519943295
