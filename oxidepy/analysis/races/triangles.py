"""Indices of rows that are one longer each, as those of a packed triangle: a*(a + 1) // 2 + c with 0 <= c <= a.

What is halved is even, so that twice the equation of two such indices has no quotient: a*a + a - b*b - b + 2*(c - d) = 0. Where a > b that
follows to be more than 0, where a < b less, and where a = b it is c = d.
"""

from __future__ import annotations

import math

from oxidepy.analysis.races.terms import ZERO, Atom, Poly


def twice(equation: Poly) -> Poly:
    """Two times the equation, without halves of what is even."""
    total: Poly = ZERO
    for mono, coef in equation.terms.items():
        half = len(mono) == 1 and _is_half_of_even(mono[0])
        total = total + (mono[0].args[0] * coef if half else Poly({mono: 2 * coef}))
    return total


def _is_half_of_even(atom: Atom) -> bool:
    """Whether it is p // 2 of a polynomial that is even for all numbers: a power is odd where the number is."""
    if atom.kind != "div" or atom.args[1] != 2:
        return False
    odd: set[frozenset[Atom]] = set()
    for mono, coef in atom.args[0].terms.items():
        odd ^= {frozenset(mono)} if coef % 2 else set()
    return not odd


def rows(equation: Poly) -> tuple[Poly, Poly] | None:
    """(a, b) of an equation of which the products are a*a - b*b."""
    found: list[Poly] = [ZERO, ZERO]
    for mono, coef in equation.terms.items():
        if len(mono) == 2 and mono[0] is mono[1]:
            found[coef < 0] += Poly({(mono[0],): math.isqrt(abs(coef))})
    one, two = found
    left = equation - one * one + two * two
    return (one, two) if one.terms and two.terms and all(len(mono) < 2 for mono in left.terms) else None
