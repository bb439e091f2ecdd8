"""Numbers as mantissa and exponent: taken apart, put together, and their neighbours. All exact, but for what falls below the denormals."""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import bits, math
from oxidepy.lang.functions.doubles import INF, NAN
from oxidepy.lang.scalars import f32, f64, i32, i64

NOTHING = -3000  # the exponent of 0, below those of all numbers


def parts_f32(x: f32):
    """m and k with x = m * 2**k, 1 <= |m| < 2. Of 0: 0 and `NOTHING`; of what is not finite, k = 128 and no meaning in m."""
    tiny = math.fabs(x) < 1.1754944e-38
    i = bits.cast(i32, x * 16777216.0 if tiny else x)
    k = ((i >> 23) & 255) - (151 if tiny else 127)
    m = bits.cast(f32, (i & -0x7F800001) | 0x3F800000)
    return 0.0 if x == 0.0 else m, NOTHING if x == 0.0 else k


def parts_f64(x: f64):
    """The same; of what is not finite k = 1024."""
    tiny = math.fabs(x) < 2.2250738585072014e-308
    i = bits.cast(i64, x * 18014398509481984.0 if tiny else x)
    k = i32(i >> 52 & 2047) - (1077 if tiny else 1023)
    m = bits.cast(f64, (i & -0x7FF0000000000001) | 0x3FF0000000000000)
    return 0.0 if x == 0.0 else m, NOTHING if x == 0.0 else k


def power_f32(k: i32) -> f32:
    """2**k, -126 <= k <= 127."""
    return bits.cast(f32, (k + 127) << 23)


def power_f64(k: i32) -> f64:
    """2**k, -1022 <= k <= 1023."""
    return bits.cast(f64, i64(k + 1023) << 52)


# ---- scaling


def ldexp_f32(x: f32, n: i32) -> f32:
    m, k = parts_f32(x)
    n = min(max(n, -1000), 1000) + k
    n = min(max(n, -160), 130)
    scaled = m * power_f32(n >> 1) * power_f32(n - (n >> 1))  # the first product is exact
    return scaled if math.isfinite(x) and x != 0.0 else x


def ldexp_f64(x: f64, n: i32) -> f64:
    m, k = parts_f64(x)
    n = min(max(n, -5000), 5000) + k
    n = min(max(n, -1080), 1030)
    scaled = m * power_f64(n >> 1) * power_f64(n - (n >> 1))
    return scaled if math.isfinite(x) and x != 0.0 else x


def frexp_f32(x: f32) -> tuple[f32, i32]:
    m, k = parts_f32(x)
    plain = math.isfinite(x) and x != 0.0
    return 0.5 * m if plain else x, k + 1 if plain else 0


def frexp_f64(x: f64) -> tuple[f64, i32]:
    m, k = parts_f64(x)
    plain = math.isfinite(x) and x != 0.0
    return 0.5 * m if plain else x, k + 1 if plain else 0


def _ilogb(x, k):
    k = -2147483648 if x == 0.0 or math.isnan(x) else k
    return 2147483647 if math.isinf(x) else k


def ilogb_f32(x: f32) -> i32:
    _, k = parts_f32(x)
    return _ilogb(x, k)


def ilogb_f64(x: f64) -> i32:
    _, k = parts_f64(x)
    return _ilogb(x, k)


def _logb(x, k):
    k = -INF if x == 0.0 else k
    return k if math.isfinite(x) else x * x


def logb_f32(x: f32) -> f32:
    _, k = parts_f32(x)
    return _logb(x, f32(k))


def logb_f64(x: f64) -> f64:
    _, k = parts_f64(x)
    return _logb(x, f64(k))


# ---- whole part and rest, differences


def _modf(x):
    whole = math.trunc(x)
    return math.copysign(0.0 if math.isinf(x) else x - whole, x), whole


def modf_f32(x: f32) -> tuple[f32, f32]:
    return _modf(x)


def modf_f64(x: f64) -> tuple[f64, f64]:
    return _modf(x)


def _round_away(x):
    whole = math.trunc(x)
    beside = whole + math.copysign(1.0, x)
    return beside if math.fabs(x - whole) >= 0.5 else whole


def round_away_f32(x: f32) -> f32:
    return _round_away(x)


def round_away_f64(x: f64) -> f64:
    return _round_away(x)


def _fdim(x, y):
    above = x - y if x > y else 0.0
    return NAN if math.isnan(x) or math.isnan(y) else above


def fdim_f32(x: f32, y: f32) -> f32:
    return _fdim(x, y)


def fdim_f64(x: f64, y: f64) -> f64:
    return _fdim(x, y)


def _maximum(x, y):
    return NAN if math.isnan(x) or math.isnan(y) else math.fmax(x, y)


def maximum_f32(x: f32, y: f32) -> f32:
    return _maximum(x, y)


def maximum_f64(x: f64, y: f64) -> f64:
    return _maximum(x, y)


def _minimum(x, y):
    return NAN if math.isnan(x) or math.isnan(y) else math.fmin(x, y)


def minimum_f32(x: f32, y: f32) -> f32:
    return _minimum(x, y)


def minimum_f64(x: f64, y: f64) -> f64:
    return _minimum(x, y)


def _signed_size(x, y, size):
    """The size with the signs of both numbers combined, as in a product; the sign of a NaN, which says nothing, left out."""
    negative = math.signbit(x if x == x else 0.0) != math.signbit(y if y == y else 0.0)
    return -size if negative else size


def fmax_xorsign_f32(x: f32, y: f32) -> f32:
    return _signed_size(x, y, math.fmax(math.fabs(x), math.fabs(y)))


def fmax_xorsign_f64(x: f64, y: f64) -> f64:
    return _signed_size(x, y, math.fmax(math.fabs(x), math.fabs(y)))


def fmin_xorsign_f32(x: f32, y: f32) -> f32:
    return _signed_size(x, y, math.fmin(math.fabs(x), math.fabs(y)))


def fmin_xorsign_f64(x: f64, y: f64) -> f64:
    return _signed_size(x, y, math.fmin(math.fabs(x), math.fabs(y)))


def signbit_f32(x: f32) -> bool:
    return bits.cast(i32, x) < 0


def signbit_f64(x: f64) -> bool:
    return bits.cast(i64, x) < 0


def saturate_f32(x: f32) -> f32:
    return math.fmin(math.fmax(x, 0.0), 1.0)


def saturate_f64(x: f64) -> f64:
    return math.fmin(math.fmax(x, 0.0), 1.0)


# ---- neighbours


def away_f32(x: f32, step: i32) -> f32:
    """The neighbour whose magnitude is one step greater (1) or less (-1); x is not 0."""
    return bits.cast(f32, bits.cast(i32, x) + step)


def away_f64(x: f64, step: i32) -> f64:
    return bits.cast(f64, bits.cast(i64, x) + i64(step))


def _towards(x, y, beside, least):
    beside = math.copysign(least, y) if x == 0.0 else beside
    beside = y if x == y else beside
    return NAN if math.isnan(x) or math.isnan(y) else beside


def nextafter_f32(x: f32, y: f32) -> f32:
    return _towards(x, y, away_f32(x, 1 if (y > x) == (x > 0.0) else -1), 1e-45)


def nextafter_f64(x: f64, y: f64) -> f64:
    return _towards(x, y, away_f64(x, 1 if (y > x) == (x > 0.0) else -1), 5e-324)
