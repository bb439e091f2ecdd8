"""Two indices of rows of a triangle are one place only where row and column are the same, and what is said of others holds for all numbers."""

from __future__ import annotations

import random
from itertools import product

import pytest

from oxidepy.analysis.races import triangles
from oxidepy.analysis.races.certain import Reckoning
from oxidepy.analysis.races.equations import Refuter
from oxidepy.analysis.races.remainders import Question
from oxidepy.analysis.races.terms import Poly, Terms, at_least_zero

MOST = 6  # rows and columns that are tried


class _Rows:
    """Two threads, each with a row and a column."""

    def __init__(self) -> None:
        self.terms = Terms()
        symbols = [self.terms.symbol(name, 0, (0, 1 << 20), "coordinate") for name in ("i", "k", "j", "l")]
        self.row, self.column = tuple(map(self.terms.of, symbols[:2])), tuple(map(self.terms.of, symbols[2:]))

    def refutes(self, add: int, by: int, room: int, factor: int = 1) -> bool:
        """Whether i*(i + add) // by + factor*j differs between any two threads, for j <= i - room."""
        halves = [self.terms.div(row * (row + add), by) + column * factor for row, column in zip(self.row, self.column, strict=True)]
        conds = [at_least_zero(row - column - room) for row, column in zip(self.row, self.column, strict=True)]
        apart = (self.row[0] - self.row[1], self.column[0] - self.column[1])
        return Refuter(self.terms).refutes(Question(tuple(conds), halves[0] - halves[1], apart))


def _differ(add: int, by: int, room: int, factor: int = 1) -> bool:
    """The same, by trying."""
    threads = [(i, j) for i, j in product(range(MOST), repeat=2) if j <= i - room]
    return len({i * (i + add) // by + factor * j for i, j in threads}) == len(threads)


@pytest.mark.parametrize(("add", "room"), [(1, 0), (1, 1), (-1, 1), (3, 0)])
def test_packed_rows_stay_apart(add: int, room: int) -> None:
    assert _Rows().refutes(add, 2, room)


@pytest.mark.parametrize("add", range(-3, 4))
@pytest.mark.parametrize("by", [1, 2, 3, 4])
def test_what_is_said_to_stay_apart_does(add: int, by: int) -> None:
    for room, factor in product((-1, 0, 1, 2), (1, 2, -1)):
        assert not _Rows().refutes(add, by, room, factor) or _differ(add, by, room, factor), (room, factor)


def test_twice_an_equation_is_that() -> None:
    """Halves of what may be odd stay as they are."""
    rng = random.Random(3)
    terms = Terms()
    a, b = (terms.symbol(name, 0, (-9, 9), "coordinate") for name in "ab")
    one, two = terms.of(a), terms.of(b)
    for _ in range(300):
        inner: Poly = one * one * rng.randint(-2, 2) + one * two * rng.randint(-2, 2) + one * rng.randint(-3, 3) + two * rng.randint(-3, 3)
        equation = terms.div(inner + rng.randint(-2, 2), 2) * rng.choice((1, -1, 3)) + two * rng.randint(-2, 2) + rng.randint(-2, 2)
        double = triangles.twice(equation)
        for values in product((-3, -2, 0, 1, 4), repeat=2):
            number = Reckoning(dict(zip((a, b), values, strict=True)))
            assert number.poly(double) == 2 * number.poly(equation), (equation, double)
