"""Inverse trigonometric functions.

The angle of (x, y) is that of t = y/x, (y - x)/(y + x) or -x/y, |t| <= tan(pi/8), and 0, pi/4 or pi/2; polynomials in t*t. asin and acos go
through the root of (1 - |x|) / 2 for |x| > 1/2.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.functions.doubles import INF, T, divided, ordered_sum, polynomial, two_sum
from oxidepy.lang.scalars import f32, f64

_ATAN_32 = (-0.064519264, 0.10743731, -0.14263956, 0.1999954, -0.3333333)
_ATAN_64 = (
    0.016285746807996566, -0.034570552915429556, 0.04551592868111328, -0.05230454193370395,
    0.05878928987342061, -0.06666424884825686, 0.07692296374981333, -0.09090908753499119,
    0.1111111110515541, -0.14285714285659828, 0.19999999999999804, -0.3333333333333333,
)  # fmt: skip
_ASIN_32 = (0.033690847, 0.017149238, 0.031100662, 0.044599403, 0.07500094, 0.16666666)
_ASIN_64 = (
    0.02961201126495512, -0.01924167174674304, 0.019554513336123378, 0.0030448799094556773,
    0.009319560794767446, 0.009621842970100282, 0.011566459612121669, 0.01396378001220357,
    0.017352816540325496, 0.02237215744350722, 0.03038194447553234, 0.044642857142551895,
    0.07500000000000118, 0.16666666666666666,
)  # fmt: skip
_QUARTER_32 = (0.7853982, -2.1855694e-08)
_QUARTER_64 = (0.7853981633974483, 3.061616997868383e-17)


def _angle(y: T, x: T, p, quarter):
    """Of x and y >= 0, as a pair."""
    steep = y > 2.414213562373095 * x
    middle = y > 0.41421356237309503 * x
    n, nl = two_sum(y, -x)
    d, dl = two_sum(y, x)
    n, nl = n if middle else y, nl if middle and not steep else 0.0
    d, dl = d if middle else x, dl if middle and not steep else 0.0
    t, tl = divided(-x if steep else n, nl, y if steep else d, dl)
    z = t * t
    times = T(2.0) if steep else T(middle)
    high, low = ordered_sum(times * quarter[0], t)
    return ordered_sum(high, low + math.fma(times, quarter[1], math.fma(t * z, polynomial(z, p), math.fma(tl, -z, tl))))


def atan_f32(x: f32) -> f32:
    a = math.fabs(x)
    result, _ = _angle(1e30 if a > 1e30 else a, 1.0, _ATAN_32, _QUARTER_32)
    return math.copysign(result, x)


def atan_f64(x: f64) -> f64:
    a = math.fabs(x)
    result, _ = _angle(1e300 if a > 1e300 else a, 1.0, _ATAN_64, _QUARTER_64)
    return math.copysign(result, x)


def _positive(y: T, x: T, large, smaller, small, larger):
    """Both positive and in the middle of the range of the type, with the same angle."""
    b, a = math.fabs(y), math.fabs(x)
    most = b if b > a else a
    scale = T(smaller) if most > large else T(1.0)
    scale = T(larger) if most < small else scale
    endless = most == INF
    b, a = b * scale, a * scale
    b = T(math.fabs(y) == INF) if endless else b
    a = T(math.fabs(x) == INF) if endless else a
    return b, 1.0 if most == 0.0 else a


def _full(y, x, high, low, quarter):
    left = math.copysign(1.0, x) < 0.0
    over, rest = ordered_sum(4.0 * quarter[0], -high)
    result = over + (rest + (4.0 * quarter[1] - low)) if left else high
    result = math.copysign(result, y)
    return x + y if math.isnan(x) or math.isnan(y) else result


def atan2_f32(y: f32, x: f32) -> f32:
    b, a = _positive(y, x, 1e30, 5.421010862427522e-20, 1e-20, 1.8446744073709552e19)
    high, low = _angle(b, a, _ATAN_32, _QUARTER_32)
    return _full(y, x, high, low, _QUARTER_32)


def atan2_f64(y: f64, x: f64) -> f64:
    b, a = _positive(y, x, 1e300, 2.409919865102884e-181, 1e-250, 4.149515568880993e180)
    high, low = _angle(b, a, _ATAN_64, _QUARTER_64)
    return _full(y, x, high, low, _QUARTER_64)


# ---- asin, acos


def _asin_parts(a, p):
    """Whether a > 1/2; s and t with asin(a) = s + t, or pi/2 - 2 * (s + t) there."""
    outer = a > 0.5
    z = 0.5 - 0.5 * a if outer else a * a
    s = math.sqrt(z) if outer else a
    rest = math.fma(-s, s, z) / (s + s) if outer and s > 0.0 else 0.0
    return outer, s, math.fma(s * z, polynomial(z, p), rest)


def _asin(x, p, quarter):
    outer, s, t = _asin_parts(math.fabs(x), p)
    high, low = ordered_sum(2.0 * quarter[0], -2.0 * s)
    return math.copysign(high + (low + (2.0 * quarter[1] - 2.0 * t)) if outer else s + t, x)


def _acos(x: T, p, quarter):
    outer, s, t = _asin_parts(math.fabs(x), p)
    negative = x < 0.0
    base = T(4.0) if negative else T(0.0)
    base = base if outer else T(2.0)
    s, t = (2.0 * s, 2.0 * t) if outer else (-s, -t)
    # what is added to the multiple of pi/4
    s, t = -s if negative else s, -t if negative else t
    high, low = ordered_sum(base * quarter[0], s)
    return high + (low + math.fma(base, quarter[1], t))


def asin_f32(x: f32) -> f32:
    return _asin(x, _ASIN_32, _QUARTER_32)


def asin_f64(x: f64) -> f64:
    return _asin(x, _ASIN_64, _QUARTER_64)


def acos_f32(x: f32) -> f32:
    return _acos(x, _ASIN_32, _QUARTER_32)


def acos_f64(x: f64) -> f64:
    return _acos(x, _ASIN_64, _QUARTER_64)
