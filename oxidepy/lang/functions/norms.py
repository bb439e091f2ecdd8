"""Lengths of vectors, inverses of lengths and of cube roots. Squares are added up as pairs, of numbers scaled so that they neither overflow
nor vanish."""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.control import unroll
from oxidepy.lang.functions.doubles import INF, NAN, root, two_product, two_sum
from oxidepy.lang.functions.parts import power_f32, power_f64
from oxidepy.lang.scalars import f32, f64, i32, i64


def _length(items, scale):
    """The length of a vector times `scale`, as a pair."""
    high, low = two_product(items[0] * scale, items[0] * scale)
    for one in unroll(range(1, len(items))):
        square, rest = two_product(items[one] * scale, items[one] * scale)
        high, more = two_sum(high, square)
        low += rest + more
    return root(high, low)


def _most(items):
    most = math.fabs(items[0])
    for one in unroll(range(1, len(items))):
        most = math.fmax(most, math.fabs(items[one]))
    return most


def _special(items, finite, infinite):
    """An infinite member counts before a NaN."""
    some, wrong = False, False
    for one in unroll(range(len(items))):
        some = some or math.isinf(items[one])
        wrong = wrong or math.isnan(items[one])
    finite = NAN if wrong else finite
    return infinite if some else finite


def _exponent_f32(most: f32) -> i32:
    k = (bits.cast(i32, most) >> 23) - 127
    return min(max(k, -126), 125)


def _exponent_f64(most: f64) -> i32:
    k = i32(bits.cast(i64, most) >> 52) - 1023
    return min(max(k, -1022), 1021)


def _norm_f32(items):
    most = _most(items)
    k = _exponent_f32(most)
    r, low = _length(items, power_f32(-k))
    return _special(items, (r + low) * power_f32(k) if most > 0.0 else most, INF)


def _norm_f64(items):
    most = _most(items)
    k = _exponent_f64(most)
    r, low = _length(items, power_f64(-k))
    return _special(items, (r + low) * power_f64(k) if most > 0.0 else most, INF)


def _inverse(r, low):
    """1 / (r + low)."""
    q = 1.0 / r
    return math.fma(q, math.fma(-q, low, math.fma(-q, r, 1.0)), q)


def _rnorm_f32(items):
    most = _most(items)
    k = _exponent_f32(most)
    r, low = _length(items, power_f32(-k))
    return _special(items, _inverse(r, low) * power_f32(-k) if most > 0.0 else INF, 0.0)


def _rnorm_f64(items):
    most = _most(items)
    k = _exponent_f64(most)
    r, low = _length(items, power_f64(-k))
    return _special(items, _inverse(r, low) * power_f64(-k) if most > 0.0 else INF, 0.0)


def rhypot_f32(x: f32, y: f32) -> f32:
    return _rnorm_f32((x, y))


def rhypot_f64(x: f64, y: f64) -> f64:
    return _rnorm_f64((x, y))


def norm3d_f32(x: f32, y: f32, z: f32) -> f32:
    return _norm_f32((x, y, z))


def norm3d_f64(x: f64, y: f64, z: f64) -> f64:
    return _norm_f64((x, y, z))


def norm4d_f32(x: f32, y: f32, z: f32, w: f32) -> f32:
    return _norm_f32((x, y, z, w))


def norm4d_f64(x: f64, y: f64, z: f64, w: f64) -> f64:
    return _norm_f64((x, y, z, w))


def rnorm3d_f32(x: f32, y: f32, z: f32) -> f32:
    return _rnorm_f32((x, y, z))


def rnorm3d_f64(x: f64, y: f64, z: f64) -> f64:
    return _rnorm_f64((x, y, z))


def rnorm4d_f32(x: f32, y: f32, z: f32, w: f32) -> f32:
    return _rnorm_f32((x, y, z, w))


def rnorm4d_f64(x: f64, y: f64, z: f64, w: f64) -> f64:
    return _rnorm_f64((x, y, z, w))


# ---- 1 / cbrt(x)


def _corrected(a, y):
    """A step by what a * y**3 is off 1, that product as a pair."""
    p, pl = two_product(y, y)
    q, ql = two_product(p, y)
    ql += pl * y
    c, cl = two_product(q, a)
    cl += ql * a
    return math.fma(y * 0.3333333333333333, (1.0 - c) - cl, y)


def _rcbrt(x, result):
    result = math.copysign(result, x)
    result = 1.0 / x if x == 0.0 or math.isinf(x) else result
    return x if math.isnan(x) else result


def rcbrt_f32(x: f32) -> f32:
    a = math.fabs(x)
    tiny = a < 1e-37
    a = a * 16777216.0 if tiny else a
    y = _corrected(a, 1.0 / math.cbrt(a))
    return _rcbrt(x, y * 256.0 if tiny else y)


def rcbrt_f64(x: f64) -> f64:
    a = math.fabs(x)
    tiny = a < 1e-307
    a = a * 18014398509481984.0 if tiny else a
    y = _corrected(a, 1.0 / math.cbrt(a))
    return _rcbrt(x, y * 262144.0 if tiny else y)
