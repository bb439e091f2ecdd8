"""Cube roots, the hypotenuse and 1 / sqrt(x), each corrected by what its square or cube is off."""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
# A literal takes the type of what it meets in kernels; to a checker it stays a float, which is no f64.
# pyright: reportReturnType=false, reportAssignmentType=false
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.functions.doubles import INF, T, root, two_product, two_sum
from oxidepy.lang.scalars import f32, f64, i32, i64


def _closer(y, x):
    """A step to x**(-1/3), of fourth order."""
    h = math.fma(-x * y * y, y, 1.0)
    return math.fma(y * h, math.fma(h, math.fma(h, 0.1728395061728395, 0.2222222222222222), 0.3333333333333333), y)


def _cube_root(x, y):
    c = x * y * y
    square, low = two_product(c, c)
    return math.fma(math.fma(-c, square, x) - c * low, y * y * 0.3333333333333333, c)


def cbrt_f32(x: f32) -> f32:
    a = math.fabs(x)
    tiny = a < 1e-37
    a = a * 16777216.0 if tiny else a
    y = _closer(bits.cast(f32, 0x54A21D2A - bits.cast(i32, a) // 3), a)
    c = _cube_root(a, _closer(y, a))
    c = c * 0.00390625 if tiny else c
    return math.copysign(c, x) if math.isfinite(x) and x != 0.0 else x


def cbrt_f64(x: f64) -> f64:
    a = math.fabs(x)
    tiny = a < 1e-307
    a = a * 18014398509481984.0 if tiny else a
    y = _closer(bits.cast(f64, 0x553EF0FF289DD796 - bits.cast(i64, a) // 3), a)
    c = _cube_root(a, _closer(y, a))
    c = c * 3.814697265625e-06 if tiny else c
    return math.copysign(c, x) if math.isfinite(x) and x != 0.0 else x


def _hypot(x: T, y: T, large, smaller, small, larger):
    a, b = math.fabs(x), math.fabs(y)
    most = b if b > a else a
    scale = T(smaller) if most > large else T(1.0)
    scale = T(larger) if most < small else scale
    back = T(larger) if most > large else T(1.0)
    back = T(smaller) if most < small else back
    p, pl = two_product(x * scale, x * scale)
    q, ql = two_product(y * scale, y * scale)
    s, rest = two_sum(p, q)
    r, _ = root(s, rest + (pl + ql))
    result = r * back if most > 0.0 else most
    result = x + y if math.isnan(x) or math.isnan(y) else result
    return INF if a == INF or b == INF else result


def hypot_f32(x: f32, y: f32) -> f32:
    return _hypot(x, y, 1e15, 8.271806125530277e-25, 1e-12, 1.2089258196146292e24)


def hypot_f64(x: f64, y: f64) -> f64:
    return _hypot(x, y, 1e150, 2.409919865102884e-181, 1e-120, 4.149515568880993e180)


def _rsqrt(x):
    s = math.sqrt(x)
    r = 1.0 / s
    low = 0.5 * r * math.fma(-s, s, x)
    near = math.fma(r, math.fma(-r, low, math.fma(-r, s, 1.0)), r)
    return near if x > 0.0 and x < INF else r


def rsqrt_f32(x: f32) -> f32:
    return _rsqrt(x)


def rsqrt_f64(x: f64) -> f64:
    return _rsqrt(x)
