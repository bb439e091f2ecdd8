"""The scaled complementary error function, the normal distribution, and the inverses of both.

An inverse begins with a polynomial that is good to 1e-6 or better and makes one step of Halley's: in the middle on erf(x) = y, outside on
log(erfc(x)) = log(c), where c = 1 - |y| is exact and a last place of c hardly moves x. f32 goes by way of f64.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.functions.doubles import INF, NAN, ordered_sum, polynomial, two_product
from oxidepy.lang.functions.error import INNER_64, tail_pair_f64
from oxidepy.lang.functions.exp import exp_pair_f64
from oxidepy.lang.functions.parts import parts_f64, power_f64
from oxidepy.lang.scalars import f32, f64, i32

_TWO_BY_ROOT_PI = 1.1283791670955126
# inverse of erf by y, over y * y from 0 to 1/4; inverse of erfc(x) = c by s = sqrt(-log(c)), over 1 / s for c from 2**-1074 to 1/2
_CENTRE = (
    4.5390458227845045e-08, 3.731459760410881e-07, 3.0628576198699783e-06, 2.696997823340859e-05, 0.00025227493287004047,
    0.0026140287536472458, 0.03356743029149362, 0.9174083670082358,
)  # fmt: skip
_TAIL = (
    -0.0021703020446828133, 0.0027336919398835515, 0.003560541427022941, -0.004369994640174944, -0.003336804843560597,
    0.004219133939796115, -0.0010650783866604516, 0.005710958297389877, -0.01776833663703709, 0.024862424494602225,
    0.02262041751497318, -0.2454259435192032, 0.7832879058525696,
)  # fmt: skip
# erfcx(x) * x * sqrt(pi), over 1 / (2 * x * x), far out
_FAR = (10395.0, -945.0, 105.0, -15.0, 3.0, -1.0, 1.0)


def _far(x):
    return 0.5641895835477563 / x * polynomial(0.5 / (x * x), _FAR)


def _squared_exponential(square, rest):
    """e**(square + rest) as a number and the power of 2 by which to scale it."""
    n = math.rint(square * 1.4426950408889634)
    e, el = exp_pair_f64(n, square, rest)
    return e, el, i32(n)


def _scaled(x, n):
    half = n >> 1
    return x * power_f64(half) * power_f64(n - half)


def erfcx_f64(x: f64) -> f64:
    near = math.fmin(math.fmax(math.fabs(x), 0.5), 27.3)
    high, low = tail_pair_f64(near)
    outside = _far(x) if x > 27.0 else high + low
    y = math.fmin(math.fmax(x, -27.0), 0.5)  # beyond it overflows all the same
    square, rest = two_product(y, y)
    e, el, n = _squared_exponential(square, rest)
    c = math.erfc(y)
    inside = _scaled(math.fma(e, c, el * c), n)
    inside = x if math.isnan(x) else inside
    return outside if x >= 0.5 else inside


def erfcx_f32(x: f32) -> f32:
    return f32(erfcx_f64(f64(x)))


# ---- inverses


def _inner_inverse(y):
    """The x with erf(x) = y, |y| <= 1/2."""
    x = y * polynomial(8.0 * (y * y) - 1.0, _CENTRE)
    d = (math.erf(x) - y) * math.exp(x * x) * 0.886226925452758
    return x - d / math.fma(x, d, 1.0)


def _outer_inverse(c):
    """The x with erfc(x) = c, 0 < c <= 1/2."""
    s = math.sqrt(-math.log(c))
    x = s * polynomial(math.fma(1.0 / s, 1.717486561372995, -1.0629115956546884), _TAIL)
    square, rest = two_product(x, x)
    e, el, n = _squared_exponential(-square, -rest)
    high, low = tail_pair_f64(x)
    m, k = parts_f64(c)
    # erfc(x) / c - 1, of which c may be a denormal
    a, al = two_product(e, high)
    al += math.fma(el, high, e * low)
    scale = power_f64(min(max(n - k, -60), 60))
    off = math.log1p(((a * scale - m) + al * scale) / m)
    slope = -_TWO_BY_ROOT_PI / (high + low)
    d = off / slope
    return x - d / math.fma(d, x + 0.5 * slope, 1.0)


def erfinv_f64(y: f64) -> f64:
    a = math.fabs(y)
    inner = _inner_inverse(y if a <= 0.5 else 0.25)
    outer = _outer_inverse(1.0 - a if a > 0.5 and a < 1.0 else 0.25)
    x = inner if a <= 0.5 else math.copysign(outer, y)
    x = y if y == 0.0 else x
    x = math.copysign(INF, y) if a == 1.0 else x
    return x if a <= 1.0 else NAN


def erfinv_f32(y: f32) -> f32:
    return f32(erfinv_f64(f64(y)))


def erfcinv_f64(y: f64) -> f64:
    c = y if y <= 1.0 else 2.0 - y
    middle = c >= 0.5
    inner = _inner_inverse(1.0 - y if middle else 0.25)
    outer = _outer_inverse(c if c > 0.0 and not middle else 0.25)
    x = inner if middle else outer if y <= 1.0 else -outer
    x = INF if y == 0.0 else x
    x = -INF if y == 2.0 else x
    return x if y >= 0.0 and y <= 2.0 else NAN


def erfcinv_f32(y: f32) -> f32:
    return f32(erfcinv_f64(f64(y)))


# ---- the normal distribution


def _normcdf_tail(x):
    """Of x <= -0.7072: e**(-x*x / 2) * erfcx(|x| / sqrt(2)) / 2."""
    square, rest = two_product(x, 0.5 * x)
    e, el, n = _squared_exponential(-square, -rest)
    a, al = two_product(math.fabs(x), 0.7071067811865476)
    al = math.fma(math.fabs(x), -4.833646656726457e-17, al)
    a, al = ordered_sum(a, al)
    high, low = tail_pair_f64(a)
    low = math.fma(math.fma(2.0 * a, high, -_TWO_BY_ROOT_PI), al, low)
    p, pl = two_product(e, high)
    return _scaled(p + (pl + math.fma(el, high, e * low)), n - 1)


def normcdf_f64(x: f64) -> f64:
    y = math.fmin(math.fmax(math.fabs(x), 0.7072), 38.6)  # less than every number beyond
    tail = _normcdf_tail(-y)
    z = x if math.fabs(x) < 0.7072 else 0.0
    a, al = two_product(z, 0.7071067811865476)
    al = math.fma(z, -4.833646656726457e-17, al)
    s, rest = ordered_sum(0.5, 0.5 * a)
    inner = s + (rest + 0.5 * math.fma(a, polynomial(a * a, INNER_64), al * _TWO_BY_ROOT_PI))
    outer = 1.0 - tail if x > 0.0 else tail
    result = inner if math.fabs(x) < 0.7072 else outer
    return x if math.isnan(x) else result


def normcdf_f32(x: f32) -> f32:
    return f32(normcdf_f64(f64(x)))


def normcdfinv_f64(p: f64) -> f64:
    """-sqrt(2) * erfcinv(2 * p)."""
    x = erfcinv_f64(2.0 * p)
    result = math.fma(x, -1.4142135623730951, x * 9.667293313452913e-17)
    return -x if math.isinf(x) else result


def normcdfinv_f32(p: f32) -> f32:
    return f32(normcdfinv_f64(f64(p)))
