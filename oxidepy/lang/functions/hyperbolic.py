"""Hyperbolic functions of (e**x - 1) / 4, and their inverses by logarithms of sums, with pairs between."""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
# A literal takes the type of what it meets in kernels; to a checker it stays a float, which is no f64.
# pyright: reportReturnType=false, reportAssignmentType=false
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.functions.doubles import INF, NAN, divided, ordered_sum, root, two_product, two_sum
from oxidepy.lang.functions.exp import expm1_quarter_f32, expm1_quarter_f64
from oxidepy.lang.functions.log import log_of_sum_f32, log_of_sum_f64
from oxidepy.lang.scalars import f32, f64


def _plus(high, low, more):
    s, rest = two_sum(more, high)
    return ordered_sum(s, rest + low)


def _sinh(x, high, low, tiny):
    """2 * (q + q / (4 * q + 1)), of q = (e**|x| - 1) / 4."""
    e, el = _plus(high, low, 0.25)
    t, tl = divided(high, low, e, el)
    s, rest = ordered_sum(high, 0.25 * t)
    result = 2.0 * (s + (rest + (low + 0.25 * tl)))
    return x if math.fabs(x) < tiny else math.copysign(result, x)


def _cosh(high, low):
    e, el = _plus(high, low, 0.25)
    s, rest = ordered_sum(e, 0.0625 / e)
    return 2.0 * (s + (rest + el))


def _tanh(x, high, low, tiny):
    """q / (q + 1/2), of q = (e**(2 * |x|) - 1) / 4."""
    d, dl = _plus(high, low, 0.5)
    t, _ = divided(high, low, d, dl)
    return x if math.fabs(x) < tiny else math.copysign(t, x)


def _least(x, most):
    return most if x > most else x


def sinh_f32(x: f32) -> f32:
    high, low = expm1_quarter_f32(_least(math.fabs(x), 89.6))
    return _sinh(x, high, low, 1e-5)


def sinh_f64(x: f64) -> f64:
    high, low = expm1_quarter_f64(_least(math.fabs(x), 710.5))
    return _sinh(x, high, low, 1e-9)


def cosh_f32(x: f32) -> f32:
    high, low = expm1_quarter_f32(_least(math.fabs(x), 89.6))
    return _cosh(high, low)


def cosh_f64(x: f64) -> f64:
    high, low = expm1_quarter_f64(_least(math.fabs(x), 710.5))
    return _cosh(high, low)


def tanh_f32(x: f32) -> f32:
    high, low = expm1_quarter_f32(_least(2.0 * math.fabs(x), 30.0))
    return _tanh(x, high, low, 1e-5)


def tanh_f64(x: f64) -> f64:
    high, low = expm1_quarter_f64(_least(2.0 * math.fabs(x), 60.0))
    return _tanh(x, high, low, 1e-9)


# ---- inverses. Beyond `most` the square's neighbour 1 does not matter: log(2 * |x|)


def _asinh_of(a, most):
    large = a > most
    b = 1.0 if large else a
    square, low = two_product(b, b)
    square, rest = two_sum(square, 1.0)
    r, rl = root(square, rest + low)
    s, sl = two_sum(b, r)
    s, sl = ordered_sum(s, sl + rl)
    return a if large else s, 0.0 if large else sl, large


def _acosh_of(x, most):
    large = x > most
    b = 2.0 if large or not x > 1.0 else x
    square, low = two_product(b, b)
    square, rest = two_sum(square, -1.0)
    square, rest = ordered_sum(square, rest + low)
    r, rl = root(square, rest)
    s, sl = ordered_sum(b, r)
    s, sl = ordered_sum(s, sl + rl)
    return x if large else s, 0.0 if large else sl, large


def _atanh_of(a):
    n, nl = two_sum(1.0, a)
    d, dl = two_sum(1.0, -a)
    return divided(n, nl, d, dl)


def _asinh(x, result):
    return math.copysign(result, x) if math.isfinite(x) and x != 0.0 else x


def _acosh(x, result):
    result = x if x == INF else result
    result = 0.0 if x == 1.0 else result
    return result if x >= 1.0 else NAN


def _atanh(x, result):
    a = math.fabs(x)
    result = math.copysign(INF if a == 1.0 else 0.5 * result, x)
    result = x if x == 0.0 else result
    return result if a <= 1.0 else NAN


def asinh_f32(x: f32) -> f32:
    high, low, more = _asinh_of(math.fabs(x), 1e15)
    return _asinh(x, log_of_sum_f32(high, low, f32(more)))


def asinh_f64(x: f64) -> f64:
    high, low, more = _asinh_of(math.fabs(x), 1e100)
    return _asinh(x, log_of_sum_f64(high, low, f64(more)))


def acosh_f32(x: f32) -> f32:
    high, low, more = _acosh_of(x, 1e15)
    return _acosh(x, log_of_sum_f32(high, low, f32(more)))


def acosh_f64(x: f64) -> f64:
    high, low, more = _acosh_of(x, 1e100)
    return _acosh(x, log_of_sum_f64(high, low, f64(more)))


def atanh_f32(x: f32) -> f32:
    high, low = _atanh_of(math.fabs(x))
    return _atanh(x, log_of_sum_f32(high, low, 0.0))


def atanh_f64(x: f64) -> f64:
    high, low = _atanh_of(math.fabs(x))
    return _atanh(x, log_of_sum_f64(high, low, 0.0))
