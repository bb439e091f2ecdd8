"""Remainders, exact: `%` gives that of the magnitudes."""

# Literals take the type of what they meet, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from oxidepy.lang import math
from oxidepy.lang.functions.doubles import NAN
from oxidepy.lang.scalars import f32, f64, i32


def _fmod(x, y):
    return math.copysign(math.fabs(x) % math.fabs(y), x)


def _remainder(x, y, most):
    """To the nearest multiple of y, to the even one of two."""
    a, b = math.fabs(x), math.fabs(y)
    half = 0.5 * b
    tiny = half + half != b  # half of a least number is none
    r = a % (b + b) if b <= most else a  # twice the greatest numbers is none, and a < 2 * b there
    over = r + r > b if tiny else r > half
    again = r - b if over else r
    far = again + again >= b if tiny else again >= half
    again = again - b if over and far else again
    result = -again if math.copysign(1.0, x) < 0.0 else again
    result = math.copysign(0.0, x) if again == 0.0 else result
    return NAN if math.isnan(y) or not math.isfinite(x) else result


def fmod_f32(x: f32, y: f32) -> f32:
    return _fmod(x, y)


def fmod_f64(x: f64, y: f64) -> f64:
    return _fmod(x, y)


def remainder_f32(x: f32, y: f32) -> f32:
    return _remainder(x, y, 1.7014118346046923e38)


def remainder_f64(x: f64, y: f64) -> f64:
    return _remainder(x, y, 8.98846567431158e307)


def _remquo(x, y, r):
    """The lowest three bits of the quotient from the remainder of eight times y, which is exact and less."""
    a, b = math.fabs(x), math.fabs(y)
    rest = a % (8.0 * b)
    own = r if math.copysign(1.0, x) > 0.0 else -r
    q = i32(math.rint((rest - own) / b)) & 7
    return r, -q if (math.copysign(1.0, x) < 0.0) != (math.copysign(1.0, y) < 0.0) else q


def remquo_f32(x: f32, y: f32) -> tuple[f32, i32]:
    return _remquo(x, y, math.remainder(x, y))


def remquo_f64(x: f64, y: f64) -> tuple[f64, i32]:
    return _remquo(x, y, math.remainder(x, y))
