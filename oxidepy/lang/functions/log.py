"""Logarithms. x = 2**k * m with m in [sqrt(1/2), sqrt(2)); f = m - 1, s = f / (2 + f).

log(m) = 2 * atanh(s) = f - f*f/2 + s * (f*f/2 + s*s*P(s*s)), where P is a polynomial for 2 * (atanh(s) / s - 1) / s**2. Logarithms to base
2 and 10 carry what rounding loses, so that they are exact where the result is whole.
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
# A literal takes the type of what it meets in kernels; to a checker it stays a float, which is no f64.
# pyright: reportReturnType=false, reportAssignmentType=false
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.functions.doubles import INF, NAN, ordered_sum, polynomial, two_product, two_sum
from oxidepy.lang.scalars import f32, f64, i32, i64

_P32 = (0.23330496, 0.2855082, 0.40000123, 0.6666667)
_P64 = (
    0.1308666196353411, 0.1326876971386881, 0.15386239830697943, 0.18181795637781728,
    0.2222222239173592, 0.28571428570803514, 0.4000000000000088, 0.6666666666666666,
)  # fmt: skip
# the rounded value and the rest
LN2_32 = (0.6931472, -1.9046542e-09)
LN2_64 = (0.6931471805599453, 2.3190468138462996e-17)
LOG2_E_32 = (1.442695, 1.925963e-08)
LOG2_E_64 = (1.4426950408889634, 2.0355273740931033e-17)
_LG2_32 = (0.30103, -1.4320989e-08)
_LG2_64 = (0.3010299956639812, -2.8037281277851704e-18)
_LG_E_32 = (0.4342945, -1.010305e-08)
_LG_E_64 = (0.4342944819032518, 1.098319650216765e-17)


# ---- x = 2**k * (1 + f)


def reduced_f32(x: f32):
    tiny = x < 1.1754944e-38
    i = bits.cast(i32, x * 16777216.0 if tiny else x)
    e = (i - 0x3F3504F3) >> 23
    return f32(e - 24 if tiny else e), bits.cast(f32, i - (e << 23)) - 1.0


def reduced_f64(x: f64):
    tiny = x < 2.2250738585072014e-308
    i = bits.cast(i64, x * 18014398509481984.0 if tiny else x)
    e = (i - 0x3FE6A09E667F3BCD) >> 52
    return f64(e - 54 if tiny else e), bits.cast(f64, i - (e << 52)) - 1.0


def _terms(f, c, p):
    """log(1 + f) + c = f - h + t."""
    s = f / (f + 2.0)
    z = s * s
    h = 0.5 * f * f
    return h, math.fma(s, h + z * polynomial(z, p), c)


def _natural(k, f, c, p, ln2):
    h, t = _terms(f, math.fma(k, ln2[1], c), p)
    return math.fma(k, ln2[0], f - (h - t))


def _to_base(k, f, p, per_k, per_e):
    """k * per_k + log(1 + f) * per_e, both as pairs of constants."""
    h, t = _terms(f, 0.0, p)
    high, low = ordered_sum(f, -h)
    low += t - math.fma(0.5 * f, f, -h)
    a, al = two_product(k, per_k[0])
    b, bl = two_product(high, per_e[0])
    s, sl = two_sum(a, b)
    return s + (sl + (al + k * per_k[1] + (bl + math.fma(high, per_e[1], low * per_e[0]))))


def _special(x, result):
    """The poles, and what is outside of the domain."""
    result = x if x == INF else result
    result = -INF if x == 0.0 else result
    return result if x >= 0.0 else NAN


# ---- functions


def log_f32(x: f32) -> f32:
    k, f = reduced_f32(x)
    return _special(x, _natural(k, f, 0.0, _P32, LN2_32))


def log_f64(x: f64) -> f64:
    k, f = reduced_f64(x)
    return _special(x, _natural(k, f, 0.0, _P64, LN2_64))


def log2_f32(x: f32) -> f32:
    k, f = reduced_f32(x)
    return _special(x, _to_base(k, f, _P32, (1.0, 0.0), LOG2_E_32))


def log2_f64(x: f64) -> f64:
    k, f = reduced_f64(x)
    return _special(x, _to_base(k, f, _P64, (1.0, 0.0), LOG2_E_64))


def log10_f32(x: f32) -> f32:
    k, f = reduced_f32(x)
    return _special(x, _to_base(k, f, _P32, _LG2_32, _LG_E_32))


def log10_f64(x: f64) -> f64:
    k, f = reduced_f64(x)
    return _special(x, _to_base(k, f, _P64, _LG2_64, _LG_E_64))


def log_of_sum_f32(high: f32, low: f32, more: f32) -> f32:
    """log(high + low) + more * ln(2), good to the last places beside 1 too; |low| is less than high's last place."""
    i = bits.cast(i32, high)
    e = (i - 0x3F3504F3) >> 23
    near = e < 64
    scale = bits.cast(f32, (127 - (e if near else 64)) << 23)
    f, c = ordered_sum(bits.cast(f32, i - (e << 23)) - 1.0, low * scale if near else 0.0)
    return _natural(f32(e) + more, f, c * math.fma(f, f - 1.0, 1.0), _P32, LN2_32)


def log_of_sum_f64(high: f64, low: f64, more: f64) -> f64:
    i = bits.cast(i64, high)
    e = (i - 0x3FE6A09E667F3BCD) >> 52
    near = e < 512
    scale = bits.cast(f64, (1023 - (e if near else 512)) << 52)
    f, c = ordered_sum(bits.cast(f64, i - (e << 52)) - 1.0, low * scale if near else 0.0)
    return _natural(f64(e) + more, f, c * math.fma(f, f - 1.0, 1.0), _P64, LN2_64)


def log1p_f32(x: f32) -> f32:
    s, rest = two_sum(1.0, x)
    result = _special(s, log_of_sum_f32(s, rest, 0.0))
    return x if x == 0.0 else result


def log1p_f64(x: f64) -> f64:
    s, rest = two_sum(1.0, x)
    result = _special(s, log_of_sum_f64(s, rest, 0.0))
    return x if x == 0.0 else result
