"""Gamma and the logarithm of its absolute value, by pairs throughout.

Below 8, x = n + t with |t| <= 1/2: lgamma(2 + t) = t * (q0 + t * (r0 + t * R(t))), and the factors x - 1, x - 2, … or 1/x, 1/(1 + x) lead
there. From 8 on, Stirling: log2(gamma(x)) = (x - 1/2) * log2(x) - x / ln(2) + log2(2 * pi) / 2 + M(1/x**2) / (x * ln(2)). Below 0,
gamma(-a) = -pi / (a * sin(pi * a) * gamma(a)).
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.control import unroll
from oxidepy.lang.functions.doubles import INF, NAN, T, divided, ordered_sum, polynomial, two_product, two_sum
from oxidepy.lang.functions.exp import exp_pair_f32, exp_pair_f64, power_of_2_pair_f32, power_of_2_pair_f64
from oxidepy.lang.functions.log import LN2_32, LN2_64, LOG2_E_32, LOG2_E_64
from oxidepy.lang.functions.pow import log2_pair_f32, log2_pair_f64
from oxidepy.lang.functions.trigonometric import sinpi_pair_f32, sinpi_pair_f64
from oxidepy.lang.functions.zeros import ZEROS
from oxidepy.lang.scalars import f32, f64, i32, i64

_Q0_32 = (0.42278433, 6.637774e-09)
_Q0_64 = (0.42278433509846713, 4.942915152430645e-18)
_R0_32 = (0.32246703, 9.567768e-10)
_R0_64 = (0.3224670334241132, 1.7006655498803147e-17)
_R_32 = (
    -0.00024735046, 0.0005631592, -0.0011888872, 0.0028819656, -0.007385746, 0.02058124, -0.0673523,
)  # fmt: skip
_R_64 = (
    -1.3029870239068415e-07, 2.7475390051909663e-07, -4.3454173670260496e-07, 9.242852225162277e-07,
    -2.043022895180944e-06, 4.3828545383846665e-06, -9.43891959627718e-06, 2.050601970174762e-05,
    -4.492628637818162e-05, 9.945761692157133e-05, -0.00022315475602710603, 0.0005096695196526673,
    -0.00119275391176255, 0.002890510330865901, -0.007385551028673429, 0.02058080842778338,
    -0.0673523010531981,
)  # fmt: skip
_M_32 = (0.0007800347, -0.0027776984, 0.083333336)
_M_64 = (
    0.005065905360081594, -0.0018903829938839239, 0.0008414700852502405, -0.0005952365845057042,
    0.0007936507897524059, -0.002777777777773988, 0.08333333333333333,
)  # fmt: skip
_HALF_LOG2_2PI_32 = (1.3257481, -2.1239488e-08)
_HALF_LOG2_2PI_64 = (1.3257480647361595, -7.153413670427599e-17)
_PI_32 = (3.1415927, -8.742278e-08)
_PI_64 = (3.141592653589793, 1.2246467991473532e-16)


def _product(a, al, b, bl):
    p, pl = two_product(a, b)
    return ordered_sum(p, math.fma(a, bl, math.fma(al, b, pl)))


def _below_8(x: T, q0, r0, r):
    """lgamma(2 + t) as a pair, the factors' product as a pair, and whether gamma(x) is divided by it; 0 < x < 8."""
    n = math.rint(x)
    under = n < 2.0
    t = x - n
    a, al = ordered_sum(r0[0], t * polynomial(t, r))
    a, al = _product(t, 0.0, a, al + r0[1])
    b, bl = ordered_sum(q0[0], a)
    g, gl = _product(t, 0.0, b, bl + (al + q0[1]))
    s, rest = two_sum(1.0, x)
    s, rest = s if n == 0.0 else T(1.0), rest if n == 0.0 else T(0.0)
    u, ul = _product(s, rest, x if under else T(1.0), 0.0)
    for one in unroll(range(1, 7)):
        factor = x - one if n > one + 1.5 else T(1.0)
        u, ul = _product(u, ul, factor, 0.0)
    return g, gl, u, ul, under


def _stirling(x, scale, log, low, m, half_log, log2_e):
    """log2(gamma(x)) * scale as a pair, x >= 8."""
    y = x * scale
    a, al = _product(y - 0.5 * scale, 0.0, log, low)
    b, bl = _product(y, 0.0, -log2_e[0], -log2_e[1])
    s, rest = ordered_sum(a, b)
    z = 1.0 / x
    more = scale * math.fma(z * log2_e[0], polynomial(z * z, m), half_log[1])
    s, other = ordered_sum(s, half_log[0] * scale)
    return ordered_sum(s, rest + other + (al + bl + more))


# ---- gamma


def _result(x, a, m, ml, sine, sl, pi):
    """The factor beside the power of 2: of gamma(a), or by reflection."""
    d, dl = _product(m, ml, a, 0.0)
    d, dl = _product(d, dl, sine, sl)
    reflected, _ = divided(-pi[0], -pi[1], d, dl)
    return reflected if x < 0.0 else m + ml


def _special(x, a, tiny, result):
    result = 1.0 / x if a < tiny else result
    result = NAN if x < 0.0 and math.rint(x) == x else result
    result = x if x == INF else result
    return x if math.isnan(x) else result


def gamma_f32(x: f32) -> f32:
    a = math.fabs(x)
    y = 50.0 if a > 50.0 else a
    y = 1e-9 if y < 1e-9 else y
    k = i32(0)
    if y < 8.0:
        g, gl, u, ul, under = _below_8(y, _Q0_32, _R0_32, _R_32)
        m, ml = exp_pair_f32(0.0, g, gl)
        if under:
            m, ml = divided(m, ml, u, ul)
        else:
            m, ml = _product(m, ml, u, ul)
    else:
        log, low = log2_pair_f32(y)
        e, rest = _stirling(y, 1.0, log, low, _M_32, _HALF_LOG2_2PI_32, LOG2_E_32)
        m, ml, k = power_of_2_pair_f32(e, rest)
    sine, sl = sinpi_pair_f32(a)
    k = -k if x < 0.0 else k
    half = k >> 1
    result = _result(x, y, m, ml, sine, sl, _PI_32)
    result = result * bits.cast(f32, (half + 127) << 23) * bits.cast(f32, (k - half + 127) << 23)
    return _special(x, a, 1e-9, result)


def gamma_f64(x: f64) -> f64:
    a = math.fabs(x)
    y = 200.0 if a > 200.0 else a
    y = 1e-18 if y < 1e-18 else y
    k = i64(0)
    if y < 8.0:
        g, gl, u, ul, under = _below_8(y, _Q0_64, _R0_64, _R_64)
        m, ml = exp_pair_f64(0.0, g, gl)
        if under:
            m, ml = divided(m, ml, u, ul)
        else:
            m, ml = _product(m, ml, u, ul)
    else:
        log, low = log2_pair_f64(y)
        e, rest = _stirling(y, 1.0, log, low, _M_64, _HALF_LOG2_2PI_64, LOG2_E_64)
        m, ml, k = power_of_2_pair_f64(e, rest)
    sine, sl = sinpi_pair_f64(a)
    k = -k if x < 0.0 else k
    half = k >> 1
    result = _result(x, y, m, ml, sine, sl, _PI_64)
    result = result * bits.cast(f64, (half + 1023) << 52) * bits.cast(f64, (k - half + 1023) << 52)
    return _special(x, a, 1e-18, result)


# ---- lgamma


def _log_pair_f32(u, ul):
    log, low = log2_pair_f32(u)
    high, rest = _product(log, low, LN2_32[0], LN2_32[1])
    return ordered_sum(high, rest + ul / u)


def _log_pair_f64(u, ul):
    log, low = log2_pair_f64(u)
    high, rest = _product(log, low, LN2_64[0], LN2_64[1])
    return ordered_sum(high, rest + ul / u)


def _positive_f32(x: f32):
    if x < 8.0:
        g, gl, u, ul, under = _below_8(x, _Q0_32, _R0_32, _R_32)
        high, low = _log_pair_f32(u, ul)
        high, rest = two_sum(g, -high if under else high)
        low = rest + (gl + (-low if under else low))
    else:
        scale = f32(0.0009765625 if x > 1e20 else 1.0)
        log, low = log2_pair_f32(x)
        high, low = _stirling(x, scale, log, low, _M_32, _HALF_LOG2_2PI_32, LOG2_E_32)
        high, low = _product(high, low, LN2_32[0], LN2_32[1])
        high, low = high / scale, low / scale
    return high, low


def _positive_f64(x: f64):
    if x < 8.0:
        g, gl, u, ul, under = _below_8(x, _Q0_64, _R0_64, _R_64)
        high, low = _log_pair_f64(u, ul)
        high, rest = two_sum(g, -high if under else high)
        low = rest + (gl + (-low if under else low))
    else:
        scale = f64(0.0009765625 if x > 1e20 else 1.0)
        log, low = log2_pair_f64(x)
        high, low = _stirling(x, scale, log, low, _M_64, _HALF_LOG2_2PI_64, LOG2_E_64)
        high, low = _product(high, low, LN2_64[0], LN2_64[1])
        high, low = high / scale, low / scale
    return high, low


def _reflected_f64(a: f64):
    """lgamma(-a): the opposite of lgamma(a) + log(a * |sin(pi * a)| / pi)."""
    g, gl = _positive_f64(a)
    s, sl = sinpi_pair_f64(a)
    s, sl = (-s, -sl) if s < 0.0 else (s, sl)
    u, ul = _product(s, sl, a, 0.0)
    u, ul = divided(u, ul, _PI_64[0], _PI_64[1])
    log, low = _log_pair_f64(u, ul)
    high, rest = two_sum(g, log)
    return -(high + (rest + (gl + low)))


def _near_zero(x, result):
    straight, low, bent = result, f64(0.0), f64(0.0)
    for row in unroll(ZEROS):
        if x > row[0] and x < row[1]:
            d, dl = ordered_sum(x - row[2], -row[3])
            bent, rest = _product(d, dl, row[4], row[5])
            straight, low = _product(d, dl, row[6], row[7])
            low = math.fma(d * d, polynomial(d, row[8]), low) - rest * (1.0 - bent)
    high, rest = two_sum(straight, -math.log1p(bent))
    return high + (rest + low)


def lgamma_f32(x: f32) -> f32:
    """For x < 0 in f64: near its zeros there the terms cancel, by more places than f32 has to spare."""
    a = math.fabs(x)
    if x < 0.0:
        b = f64(a)
        result = f32(-math.log(b) if b < 1e-30 else _reflected_f64(8388608.0 if b > 8388608.0 else b))
        result = INF if math.rint(x) == x else result
    else:
        high, low = _positive_f32(1e-38 if x < 1e-38 else x)
        result = high + low
        result = -math.log(x) if x < 1e-20 else result
    result = INF if a == INF or a == 0.0 else result
    return x if math.isnan(x) else result


def lgamma_f64(x: f64) -> f64:
    a = math.fabs(x)
    if x < 0.0:
        result = -math.log(a) if a < 1e-30 else _reflected_f64(4503599627370496.0 if a > 4503599627370496.0 else a)
        if math.fabs(result) < 0.14 and a < 20.0:
            result = _near_zero(x, result)
        result = INF if math.rint(x) == x else result
    else:
        high, low = _positive_f64(1e-300 if x < 1e-300 else x)
        result = high + low
        result = -math.log(x) if x < 1e-30 else result
    result = INF if a == INF or a == 0.0 else result
    return x if math.isnan(x) else result
