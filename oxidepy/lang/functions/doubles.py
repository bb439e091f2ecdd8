"""Parts of the functions here: polynomials, and sums and products with the rest that rounding loses, as a pair (high, low)."""

# Every type of float goes through these, which type checkers cannot know.
# pyright: basic, reportArgumentType=false, reportCallIssue=false, reportOperatorIssue=false, reportReturnType=false, reportAssignmentType=false
# mypy: ignore-errors
from __future__ import annotations

from typing import TypeVar

from oxidepy.lang import math
from oxidepy.lang.control import unroll
from oxidepy.lang.scalars import f32, f64

T = TypeVar("T", f32, f64)

INF = float("inf")
NAN = float("nan")


def polynomial(x, coefficients):
    """The highest power first."""
    result = math.fma(coefficients[0], x, coefficients[1])
    for one in unroll(range(2, len(coefficients))):
        result = math.fma(result, x, coefficients[one])
    return result


def two_sum(a, b):
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def ordered_sum(a, b):
    """For |a| >= |b|, or a = 0."""
    s = a + b
    return s, b - (s - a)


def two_product(a, b):
    p = a * b
    return p, math.fma(a, b, -p)


def divided(a, al, b, bl):
    """(a + al) / (b + bl)."""
    q = a / b
    rest = math.fma(-q, b, a) + (al - q * bl)
    return ordered_sum(q, rest / b)


def root(a, al):
    """The square root of a + al, a > 0."""
    s = math.sqrt(a)
    return ordered_sum(s, (math.fma(-s, s, a) + al) / (s + s))
