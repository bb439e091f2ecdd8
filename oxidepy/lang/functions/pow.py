"""x**y = 2**(y * log2|x|), with log2|x| as a pair: good to 2**-36 (f32), 2**-65 (f64). Special values are those of C99 and IEEE 754.

With s = f / (2 + f), log2(1 + f) = s * (c0 + z * (c1 + z * P(z))), z = s * s; c0 = 2 / ln 2 and c1 = c0 / 3 are pairs too.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
# A literal takes the type of what it meets in kernels; to a checker it stays a float, which is no f64.
# pyright: reportReturnType=false, reportAssignmentType=false
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.functions.doubles import INF, NAN, divided, ordered_sum, polynomial, two_product
from oxidepy.lang.functions.exp import power_of_2_f32, power_of_2_f64
from oxidepy.lang.functions.log import reduced_f32, reduced_f64
from oxidepy.lang.scalars import f32, f64

_P32 = (0.2758488, 0.32034704, 0.41220006, 0.57707804)
_P64 = (
    0.1691283438708398, 0.1688854224183297, 0.192380561128319, 0.2219527886752364,
    0.2623081914673087, 0.3205988979671584, 0.4121985831111439, 0.5770780163555853,
)  # fmt: skip
_C0_32, _C1_32 = (2.88539, 3.851926e-08), (0.9617967, -7.028462e-09)
_C0_64, _C1_64 = (2.8853900817779268, 4.0710547481862066e-17), (0.9617966939259756, 5.0577616648125907e-17)


def _log2(k, f, p, c0, c1):
    d, dl = ordered_sum(2.0, f)
    s, sl = divided(f, 0.0, d, dl)
    z = s * s
    zl = math.fma(s, s, -z) + 2.0 * s * sl
    a, al = ordered_sum(c1[0], z * polynomial(z, p))
    b, bl = two_product(z, a)
    bl = math.fma(z, al + c1[1], math.fma(zl, a, bl))
    w, wl = ordered_sum(c0[0], b)
    high, low = two_product(s, w)
    low = math.fma(s, wl + (bl + c0[1]), math.fma(sl, w, low))
    high, rest = ordered_sum(k, high)
    return ordered_sum(high, rest + low)


def log2_pair_f32(x: f32):
    k, f = reduced_f32(x)
    return _log2(k, f, _P32, _C0_32, _C1_32)


def log2_pair_f64(x: f64):
    k, f = reduced_f64(x)
    return _log2(k, f, _P64, _C0_64, _C1_64)


def _exponent(a, y, high, low, most):
    """y * log2(a) as a pair, within what 2**x takes."""
    high = INF if a == INF else high
    high = -INF if a == 0.0 else high
    e = y * high
    rest = math.fma(y, high, -e) + y * low
    inside = math.fabs(e) < most
    e = most if e > most else e
    return -most if e < -most else e, rest if inside else 0.0


def _special(x, y, a, result):
    whole = math.rint(y) == y
    half = 0.5 * y
    odd = whole and math.rint(half) != half
    negative = math.copysign(1.0, x) < 0.0
    result = 1.0 if a == 1.0 else result
    result = -result if negative and odd else result
    result = NAN if x < 0.0 and not whole and a != INF else result
    result = x + y if math.isnan(x) or math.isnan(y) else result
    return 1.0 if y == 0.0 or x == 1.0 else result


def pow_f32(x: f32, y: f32) -> f32:
    a = math.fabs(x)
    high, low = log2_pair_f32(a)
    e, rest = _exponent(a, y, high, low, 200.0)
    return _special(x, y, a, power_of_2_f32(e, rest))


def pow_f64(x: f64, y: f64) -> f64:
    a = math.fabs(x)
    high, low = log2_pair_f64(a)
    e, rest = _exponent(a, y, high, low, 1500.0)
    return _special(x, y, a, power_of_2_f64(e, rest))
