"""e**x: x = n*ln2 + r, a polynomial for e**r, then a scaling by 2**n in two steps, the last of which rounds into the denormals.

The polynomials are minimax for the relative error of e**r on |r| <= ln2/2: 2**-28.3 (f32), 2**-57.9 (f64).

2**x is exact for whole x: x = n + r, a polynomial for (2**r - 1) / r. e**x - 1 keeps what rounding loses, as a pair.
"""

# Literals take the type f64 here, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.functions.doubles import ordered_sum, polynomial, two_product, two_sum
from oxidepy.lang.scalars import f32, f64, i32, i64


def exp_f32(x: f32) -> f32:
    """e**x. Overflow gives inf, underflow goes through the denormals to 0, NaN stays NaN."""
    # beyond these the result is inf or 0 all the same; a NaN passes both
    x = 89.0 if x > 89.0 else x
    x = -104.0 if x < -104.0 else x
    n = math.rint(x * 1.4426950408889634)
    r = math.fma(n, -0.6931471824645996, x)  # exact
    r = math.fma(n, 1.9046542121259336e-09, r)
    q = math.fma(r, 0.0013814540176801306, 0.008368745108942591)
    q = math.fma(q, r, 0.041668390783547914)
    q = math.fma(q, r, 0.1666652039904253)
    q = math.fma(q, r, 0.4999999343212929)
    p = math.fma(r * r, q, r) + 1.0
    k = i32(n)
    half = k >> 1
    return p * bits.cast(f32, (half + 127) << 23) * bits.cast(f32, (k - half + 127) << 23)


def exp_f64(x: f64) -> f64:
    """e**x. Overflow gives inf, underflow goes through the denormals to 0, NaN stays NaN."""
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    n = math.rint(x * 1.4426950408889634)
    r = math.fma(n, -0.6931471805599453, x)  # exact
    r = math.fma(n, -2.3190468138462996e-17, r)
    q = math.fma(r, 2.500001885308334e-08, 2.7630306255647857e-07)
    q = math.fma(q, r, 2.755758680384707e-06)
    q = math.fma(q, r, 2.480149294961707e-05)
    q = math.fma(q, r, 0.00019841269505773806)
    q = math.fma(q, r, 0.0013888888943759984)
    q = math.fma(q, r, 0.008333333333494976)
    q = math.fma(q, r, 0.041666666666529725)
    q = math.fma(q, r, 0.1666666666666641)
    q = math.fma(q, r, 0.5000000000000011)
    p = math.fma(r * r, q, r) + 1.0
    k = i64(n)
    half = k >> 1
    return p * bits.cast(f64, (half + 1023) << 52) * bits.cast(f64, (k - half + 1023) << 52)


# ---- 2**x and e**x - 1

_EXP2_32 = (1.53037e-05, 0.00015403476, 0.0013333479, 0.00961813, 0.05550411, 0.2402265, 0.6931472)
_EXP2_64 = (
    2.5729324177362305e-11, 4.4558179083360645e-10, 7.0548973041554995e-09, 1.0178057087733941e-07,
    1.3215486808705563e-06, 1.5252733841556773e-05, 0.00015403530393370734, 0.001333355814640647,
    0.00961812910762848, 0.055504108664821625, 0.24022650695910072, 0.6931471805599453,
)  # fmt: skip
_EXPM1_32 = (0.00019890982, 0.0013933643, 0.0083333105, 0.041666467, 0.16666667, 0.5)
_EXPM1_64 = (
    1.6086623457177021e-10, 2.0918130986747386e-09, 2.5052071106455234e-08, 2.7557263297335027e-07,
    2.755731924720737e-06, 2.480158733642519e-05, 0.00019841269841263304, 0.001388888888887908,
    0.008333333333333333, 0.04166666666666668, 0.16666666666666666, 0.5,
)  # fmt: skip


def power_of_2_pair_f32(x: f32, low: f32):
    """high, low and k with 2**(x + low) = (high + low) * 2**k; |low| is small beside 1."""
    n = math.rint(x)
    r, rest = two_sum(x - n, low)
    high, low = ordered_sum(1.0, math.fma(r, polynomial(r, _EXP2_32), 0.7 * rest))
    return high, low, i32(n)


def power_of_2_pair_f64(x: f64, low: f64):
    n = math.rint(x)
    r, rest = two_sum(x - n, low)
    high, low = ordered_sum(1.0, math.fma(r, polynomial(r, _EXP2_64), 0.7 * rest))
    return high, low, i64(n)


def power_of_2_f32(x: f32, low: f32) -> f32:
    """2**(x + low), -250 <= x <= 250."""
    p, _, k = power_of_2_pair_f32(x, low)
    half = k >> 1
    return p * bits.cast(f32, (half + 127) << 23) * bits.cast(f32, (k - half + 127) << 23)


def power_of_2_f64(x: f64, low: f64) -> f64:
    """2**(x + low), -2000 <= x <= 2000."""
    p, _, k = power_of_2_pair_f64(x, low)
    half = k >> 1
    return p * bits.cast(f64, (half + 1023) << 52) * bits.cast(f64, (k - half + 1023) << 52)


def exp2_f32(x: f32) -> f32:
    """2**x, exact for whole x."""
    x = 129.0 if x > 129.0 else x
    return power_of_2_f32(-151.0 if x < -151.0 else x, 0.0)


def exp2_f64(x: f64) -> f64:
    """2**x, exact for whole x."""
    x = 1025.0 if x > 1025.0 else x
    return power_of_2_f64(-1076.0 if x < -1076.0 else x, 0.0)


def exp10_f32(x: f32) -> f32:
    """10**x."""
    x = 39.0 if x > 39.0 else x
    x = -46.0 if x < -46.0 else x
    e, rest = two_product(x, 3.321928)
    return power_of_2_f32(e, math.fma(x, 7.059537e-08, rest))


def exp10_f64(x: f64) -> f64:
    """10**x."""
    x = 309.0 if x > 309.0 else x
    x = -324.5 if x < -324.5 else x
    e, rest = two_product(x, 3.321928094887362)
    return power_of_2_f64(e, math.fma(x, 1.661617516973592e-16, rest))


def expm1_quarter_f32(x: f32):
    """(e**x - 1) / 4 as a pair, -60 <= x <= 89.8: a quarter, so that it is finite where e**x / 2 is."""
    n = math.rint(x * 1.442695)
    s = bits.cast(f32, (i32(n) + 125) << 23)
    return _expm1_quarter(x, n, s, 0.6931472, -1.9046542e-09, _EXPM1_32)


def expm1_quarter_f64(x: f64):
    """(e**x - 1) / 4 as a pair, -60 <= x <= 710.5."""
    n = math.rint(x * 1.4426950408889634)
    s = bits.cast(f64, (i64(n) + 1021) << 52)
    return _expm1_quarter(x, n, s, 0.6931471805599453, 2.3190468138462996e-17, _EXPM1_64)


def _expm1_quarter(x, n, s, ln2, ln2_low, p):
    """s is 2**n / 4."""
    r, rest = two_sum(math.fma(n, -ln2, x), n * -ln2_low)
    t = math.fma(r * r, polynomial(r, p), math.fma(rest, r, rest))  # e**r - 1 = r + t
    a, al = two_sum(s, -0.25)
    high, low = ordered_sum(a, s * r)
    return ordered_sum(high, low + math.fma(s, t, al))


def expm1_f32(x: f32) -> f32:
    """e**x - 1, without cancellation."""
    y = 89.5 if x > 89.5 else x
    high, _ = expm1_quarter_f32(-30.0 if y < -30.0 else y)
    return x if math.fabs(x) < 1e-9 else 4.0 * high


def expm1_f64(x: f64) -> f64:
    """e**x - 1, without cancellation."""
    y = 710.0 if x > 710.0 else x
    high, _ = expm1_quarter_f64(-60.0 if y < -60.0 else y)
    return x if math.fabs(x) < 1e-18 else 4.0 * high


def _exp_pair(n, x, low, ln2, ln2_low, p):
    r, rest = two_sum(math.fma(n, -ln2, x), n * -ln2_low)
    r, rest = two_sum(r, rest + low)
    high, more = ordered_sum(1.0, r)
    return ordered_sum(high, more + math.fma(r * r, polynomial(r, p), math.fma(rest, r, rest)))


def exp_pair_f32(n: f32, x: f32, low: f32):
    """e**(x + low) / 2**n as a pair, n whole and near x / ln(2)."""
    return _exp_pair(n, x, low, 0.6931472, -1.9046542e-09, _EXPM1_32)


def exp_pair_f64(n: f64, x: f64, low: f64):
    return _exp_pair(n, x, low, 0.6931471805599453, 2.3190468138462996e-17, _EXPM1_64)
