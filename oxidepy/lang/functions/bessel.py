"""Bessel functions. J and Y have zeros everywhere, beside which they cancel: their error is small beside the wave that they are part of,
not beside the value there. f32 goes by way of f64.

From 8 on, Hankel's form: sqrt(2 / (pi * x)) * (P * cos - Q * sin) of x - pi / 4, that angle by the sum and difference of sin(x) and cos(x).
"""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.control import unroll
from oxidepy.lang.functions import bessel_tables as tables
from oxidepy.lang.functions.doubles import INF, NAN, divided, ordered_sum, polynomial, root, two_sum
from oxidepy.lang.functions.exp import exp_pair_f64
from oxidepy.lang.functions.parts import power_f64
from oxidepy.lang.scalars import f32, f64, i32

_TWO_BY_PI = 0.6366197723675814
_ROOT_OF_INVERSE_PI, _ROOT_REST = 0.5641895835477563, 7.66772980658294e-18


def _pieced(x, table):
    """From 2 to 8, in three pieces."""
    first, second = x < 4.0, x < 6.0
    centre = f64(5.0) if second else f64(7.0)
    u = x - (f64(3.0) if first else centre)
    result = f64(0.0)
    for one in unroll(range(len(table[0]))):
        later = f64(table[1][one]) if second else f64(table[2][one])
        result = math.fma(result, u, f64(table[0][one]) if first else later)
    return result


def _hankel(x, p, q):
    """P - 1 and Q."""
    u = 128.0 / (x * x) - 1.0
    return polynomial(u, p), polynomial(u, q) / x


def _far(x, p, q, first, sign):
    """The amplitude times P * s + `sign` * Q * d, of s = sin + cos and d = sin - cos; the other way round unless `first`."""
    sine, cosine = math.sincos(x)
    s, sl = two_sum(sine, cosine)
    d, dl = two_sum(sine, -cosine)
    own, rest, other = (s, sl, d) if first else (d, dl, s)
    high, low = two_sum(own, rest + (p * own + sign * (q * other)))
    r, rl = root(x, 0.0)
    a, al = divided(_ROOT_OF_INVERSE_PI, _ROOT_REST, r, rl)
    return 0.0 if math.isinf(x) else math.fma(a, high, a * low + al * high)


def _middle(x):
    """A place between 2 and 8 where x is none."""
    return math.fmin(math.fmax(x, 2.0), 8.0)


def j0_f64(x: f64) -> f64:
    x = math.fabs(x)
    small = polynomial(0.5 * x * x - 1.0, tables.J0_SMALL)
    p, q = _hankel(x, tables.P0, tables.Q0)
    far = _far(x, p, q, True, -1.0)
    result = small if x < 2.0 else _pieced(_middle(x), tables.J0)
    return result if x < 8.0 else far


def y0_f64(x: f64) -> f64:
    z = math.fmin(x, 2.0)
    j = polynomial(0.5 * z * z - 1.0, tables.J0_SMALL)
    small = math.fma(_TWO_BY_PI * math.log(x), j, polynomial(0.5 * z * z - 1.0, tables.Y0_SMALL))
    p, q = _hankel(x, tables.P0, tables.Q0)
    far = _far(x, p, q, False, 1.0)
    result = small if x < 2.0 else _pieced(_middle(x), tables.Y0)
    result = result if x < 8.0 else far
    result = -INF if x == 0.0 else result
    return result if x >= 0.0 else NAN


def j1_f64(x: f64) -> f64:
    t = math.fabs(x)
    small = t * polynomial(0.5 * t * t - 1.0, tables.J1_SMALL)
    p, q = _hankel(t, tables.P1, tables.Q1)
    far = _far(t, p, q, False, 1.0)
    result = small if t < 2.0 else _pieced(_middle(t), tables.J1)
    result = result if t < 8.0 else far
    return -result if math.copysign(1.0, x) < 0.0 else result


def y1_f64(x: f64) -> f64:
    z = math.fmin(x, 2.0)
    j = z * polynomial(0.5 * z * z - 1.0, tables.J1_SMALL)
    small = math.fma(_TWO_BY_PI * math.log(x), j, z * polynomial(0.5 * z * z - 1.0, tables.Y1_SMALL)) - _TWO_BY_PI / x
    p, q = _hankel(x, tables.P1, tables.Q1)
    far = 0.0 - _far(x, p, q, True, -1.0)  # +0 at infinity
    result = small if x < 2.0 else _pieced(_middle(x), tables.Y1)
    result = result if x < 8.0 else far
    result = -INF if x == 0.0 else result
    return result if x >= 0.0 else NAN


def j0_f32(x: f32) -> f32:
    return f32(j0_f64(f64(x)))


def j1_f32(x: f32) -> f32:
    return f32(j1_f64(f64(x)))


def y0_f32(x: f32) -> f32:
    return f32(y0_f64(f64(x)))


def y1_f32(x: f32) -> f32:
    return f32(y1_f64(f64(x)))


# ---- other orders, by recurrence: upwards where that is stable, else downwards from an order where the function is nothing


def _first_term(m, x):
    """(x / 2)**m / m!"""
    term = f64(1.0)
    for k in range(1, m + 1):
        term = term * (0.5 * x / f64(k))
        if term == 0.0:
            break
    return term


def _upwards(m, x, before, value):
    for k in range(1, m):
        if math.isinf(value):
            break
        before, value = value, f64(2 * k) / x * value - before
    return value


def _downwards(m, x):
    """Of an order above x > 0."""
    start = m + i32(math.sqrt(200.0 * f64(m))) + 10
    above, value, wanted = f64(0.0), f64(1e-300), f64(0.0)
    for k in range(start, 0, -1):
        above, value = value, f64(2 * k) / x * value - above
        if k - 1 == m:
            wanted = value
        if math.fabs(value) > 1e200:
            above, value, wanted = above * 1e-200, value * 1e-200, wanted * 1e-200
    # value and above are as J0 and J1
    first, second = math.j0(x), math.j1(x)
    return wanted * (first / value if math.fabs(first) > math.fabs(second) else second / above)


def jn_f64(n: i32, x: f64) -> f64:
    m, a = min(abs(n), 2147483600), math.fabs(x)
    m = 2147483600 if m < 0 else m
    result = math.j0(a)
    if m == 1:
        result = math.j1(a)
    elif m > 1:
        if a < 1e-8:
            result = _first_term(m, a)
        elif a >= f64(m):
            result = 0.0 if math.isinf(a) else _upwards(m, a, math.j0(a), math.j1(a))
        elif m > 3000 and a < 0.5 * f64(m):
            result = 0.0
        else:
            result = _downwards(m, a)
    odd = (m & 1) != 0
    result = -result if odd and (math.copysign(1.0, x) < 0.0) != (n < 0) else result
    return x if math.isnan(x) else result


def yn_f64(n: i32, x: f64) -> f64:
    m = abs(n)
    m = 2147483647 if m < 0 else m
    result = math.y0(x)
    if m == 1:
        result = math.y1(x)
    elif m > 1 and x > 0.0 and math.isfinite(x):
        result = _upwards(m, x, result, math.y1(x))
    return -result if (m & 1) != 0 and n < 0 and x > 0.0 else result


def jn_f32(n: i32, x: f32) -> f32:
    return f32(jn_f64(n, f64(x)))


def yn_f32(n: i32, x: f32) -> f32:
    return f32(yn_f64(n, f64(x)))


# ---- modified


def _one_of(x, five):
    """The number for the piece between 2.75 and 8: the ends between are whole."""
    low, high = five[1] if x < 5.0 else five[2], five[3] if x < 7.0 else five[4]
    return five[0] if x < 4.0 else low if x < 6.0 else high


def _modified(x, first, rest, far):
    """I of x from 8 on; x >= 0. `first` and `rest`: what stays of it in the middle without e**x / sqrt(x)."""
    y = math.fmin(math.fmax(x, 8.0), 720.0)  # where it has long overflowed
    n = math.rint(y * 1.4426950408889634)
    e, el = exp_pair_f64(n, y, 0.0)
    u = 16.0 / y - 1.0
    high, low = ordered_sum(f64(first), math.fma(u, polynomial(u, far), rest))
    r, rl = root(y, 0.0)
    q, ql = divided(high, low, r, rl)
    half = i32(n) >> 1
    return math.fma(e, q, e * ql + el * q) * power_f64(half) * power_f64(i32(n) - half)


def _between(a, table, rest):
    """From 2.75 to 8, in five pieces."""
    x = math.fmin(math.fmax(a, 2.75), 8.0)
    u = x - _one_of(x, (f64(3.375), f64(4.5), f64(5.5), f64(6.5), f64(7.5)))
    result = f64(0.0)
    for one in unroll(range(len(table[0]) - 1)):
        result = math.fma(result, u, _one_of(x, _coefficients(table, one)))
    rests = (f64(rest[0]), f64(rest[1]), f64(rest[2]), f64(rest[3]), f64(rest[4]))
    return math.fma(result, u, _one_of(x, rests)) + _one_of(x, _coefficients(table, len(table[0]) - 1))


def _coefficients(table, one):
    return f64(table[0][one]), f64(table[1][one]), f64(table[2][one]), f64(table[3][one]), f64(table[4][one])


def cyl_bessel_i0_f64(x: f64) -> f64:
    a = math.fabs(x)
    z = math.fmin(a, 2.75)
    w = 0.25 * z * z
    small = math.fma(w, polynomial(w - 1.0, tables.I0_SMALL), 1.0)
    result = small if a < 2.75 else _between(a, tables.I0, tables.I0_REST)
    result = result if a < 8.0 else _modified(a, tables.I0_HEAD[0], tables.I0_HEAD[1], tables.I0_FAR)
    return x if math.isnan(x) else result


def cyl_bessel_i1_f64(x: f64) -> f64:
    a = math.fabs(x)
    z = math.fmin(a, 2.75)
    w, h = 0.25 * z * z, 0.5 * z
    small = math.fma(h * w, polynomial(w - 1.0, tables.I1_SMALL), h)
    result = small if a < 2.75 else _between(a, tables.I1, tables.I1_REST)
    result = math.copysign(result if a < 8.0 else _modified(a, tables.I1_HEAD[0], tables.I1_HEAD[1], tables.I1_FAR), x)
    return x if math.isnan(x) else result


def cyl_bessel_i0_f32(x: f32) -> f32:
    return f32(cyl_bessel_i0_f64(f64(x)))


def cyl_bessel_i1_f32(x: f32) -> f32:
    return f32(cyl_bessel_i1_f64(f64(x)))
