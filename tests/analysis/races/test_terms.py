"""Quotients as terms mean what they mean as numbers, and what is said to follow of them holds for all numbers that were tried."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from oxidepy import D2, SliceMut, block, f32, i32, kernel, launch_contract, thread
from oxidepy.analysis.races.certain import Reckoning
from oxidepy.analysis.races.execute import definition
from oxidepy.analysis.races.known import Known
from oxidepy.analysis.races.rewriting import Rewriting
from oxidepy.analysis.races.terms import FALSE, TRUE, ZERO, Atom, Poly, Terms, all_of, at_least_zero, chosen, every_atom, negated, number
from oxidepy.diagnostics import CompileError

CASES = 30  # assignments of numbers that each set of terms is tried with


@dataclass
class Made:
    """Terms made at random, each with what gives its number, and conditions between them."""

    rng: random.Random
    terms: Terms = field(default_factory=Terms)

    def __post_init__(self) -> None:
        index = self.terms.symbol("i", 0, (0, 40), "coordinate")
        block = self.terms.symbol("b", 0, (0, 6), "coordinate")
        sizes = [self.terms.symbol(name, 4, (-3, 6), "launch") for name in "hwn"]
        self.symbols = [index, block, *sizes]
        self.sizes = [self.terms.of(one) for one in sizes]
        self.pool: list[Poly] = [self.terms.of(index), self.terms.of(block) * 8 + self.terms.of(index), *self.sizes]

    def divisor(self) -> Poly:
        by = self.rng.choice(self.sizes)
        if self.rng.random() < 0.4:
            by = by * self.rng.choice(self.sizes)
        return by * self.rng.choice((1, 1, 2, 4)) + self.rng.choice((0, 0, 0, -1))

    def step(self) -> None:
        """One more term: of what is there, added, taken apart by a size or by a number, the least of two."""
        one, two = self.rng.choice(self.pool), self.rng.choice(self.pool)
        kind = self.rng.random()
        if kind < 0.35:
            by = self.divisor()
            whole = self.terms.quotient(one, by, positive=True)
            self.pool += [whole, one - whole * by]
        elif kind < 0.6:
            by = self.rng.choice((2, 4, 8))
            whole = self.terms.div(one, by)
            self.pool += [whole, one - whole * by]
        elif kind < 0.7:
            least = self.terms.choice(at_least_zero(two - one), one, two)
            self.pool.append(least if self.rng.random() < 0.5 else one + two - least)
        else:
            self.pool.append(one + two * self.rng.choice((1, -1, 2)) + self.rng.choice((0, 1, -1)))

    def values(self) -> dict[Atom, int]:
        return {one: self.rng.randint(int(one.low), int(one.high)) for one in self.symbols}


def _positive(atoms: set[Atom], values: dict[Atom, int]) -> bool:
    """Whether all that is divided by is positive, as the terms were told."""
    reckoning = Reckoning(dict(values))
    return all(reckoning.poly(one.args[1]) > 0 for one in atoms if one.kind == "quotient")


@pytest.mark.parametrize("seed", range(24))
def test_quotients_are_exact(seed: int) -> None:
    """Taken apart in two ways, a number is the same: as the term is made, and step by step with the numbers themselves."""
    made = Made(random.Random(seed))
    rng = made.rng
    for _ in range(12):
        made.step()
    for _ in range(CASES):
        one = rng.choice(made.pool)
        outer, inner = made.divisor(), rng.choice((made.divisor(), number(rng.choice((2, 4, 8)))))
        by_steps = made.terms.quotient(made.terms.quotient(one, inner, positive=True), outer, positive=True)
        at_once = made.terms.quotient(one, inner * outer, positive=True)
        values = made.values()
        sizes = Reckoning(dict(values)).poly(inner), Reckoning(dict(values)).poly(outer)
        if min(sizes) > 0 and _positive(every_atom([one]), values):
            exact = Reckoning(dict(values)).poly(one) // sizes[0] // sizes[1]
            assert Reckoning(dict(values)).poly(by_steps) == exact
            assert Reckoning(dict(values)).poly(at_once) == exact


@pytest.mark.parametrize("seed", range(24))
def test_what_follows_holds(seed: int) -> None:
    """Conditions that hold, what the quotients in them mean, and what is then said not to be negative."""
    made = Made(random.Random(seed))
    rng = made.rng
    for _ in range(8):
        made.step()
    tried = 0
    for _ in range(CASES):
        values = made.values()
        reckoning = Reckoning(dict(values))
        if not _positive(every_atom(made.pool), values):
            continue
        some = [rng.choice(made.pool) - rng.choice(made.pool) for _ in range(3)]
        told = [at_least_zero(one - reckoning.poly(one) + rng.choice((0, 0, 1, 5))) for one in some]
        told += [at_least_zero(one - rng.choice((1, 1, -3))) for one in made.sizes]
        told = [one for one in told if reckoning.cond(one)]
        known = Known()
        for cond in told:
            known.assume(cond)
        for atom in sorted(every_atom(made.pool), key=lambda one: one.order):
            if atom.kind != "symbol":
                for cond in definition(made.terms, atom, known):
                    assert reckoning.cond(cond), (atom, cond, values)
                    known.assume(cond)
        known.settle()
        assert not known.dead
        for _ in range(20):
            goal = rng.choice(made.pool) * rng.choice((1, rng.choice(made.sizes))) - rng.choice(made.pool) + rng.randint(-2, 8)
            tried += 1
            assert not known.nonnegative(goal) or reckoning.poly(goal) >= 0, (goal, values)
    assert tried


def test_factors_of_one_number_are_one_number() -> None:
    """`i // w // h` and `i // (h * w)`, `i % (h * w) // w` and `i // w % h`, and the number again from its parts."""
    terms = Terms()
    index = terms.of(terms.symbol("b", 0, (0, 99), "coordinate")) * 256 + terms.of(terms.symbol("t", 0, (0, 255), "coordinate"))
    h, w = (terms.of(terms.symbol(name, 4, (1, 1 << 20), "launch")) for name in "hw")
    plane, row = terms.quotient(index, h * w), terms.quotient(index, w)
    assert terms.quotient(row, h) == plane
    assert terms.quotient(index - plane * h * w, w) == row - plane * h
    assert (plane * h + (row - plane * h)) * w + (index - row * w) == index
    assert terms.quotient(terms.div(index, 16), h) == terms.quotient(index, h * 16)


def test_a_product_is_divided_by_a_factor() -> None:
    terms = Terms()
    h, w, n = (terms.of(terms.symbol(name, 4, (1, 99), "launch")) for name in "hwn")
    assert ((h - 2) * (w - 2)).ratio(w - 2) == h - 2
    assert (h * w * n * 6).ratio(w * 2) == h * n * 3
    assert (h * w + 1).ratio(w) is None
    rewriting = Rewriting(terms, {next(n.atoms()): w}.get)
    assert rewriting.poly(terms.quotient(h * n, w)) == h


def test_a_quotient_by_nothing_is_any_number() -> None:
    """It stands where nobody comes, and beside others of the same number."""
    terms = Terms()
    n, d = (terms.of(terms.symbol(name, 0, (-8, 8), "launch")) for name in "nd")
    usual = terms.quotient(n, d)
    found = terms.quotient(n, ZERO)
    assert Rewriting(terms, {next(d.atoms()): ZERO}.get).poly(usual) == found
    dead = Known()
    dead.dead = True
    assert definition(terms, next(usual.atoms()), dead)
    assert definition(terms, next(found.atoms()), dead) == []


def test_the_contrary_of_a_or_b_says_that_both_are_false() -> None:
    terms = Terms()
    a, b = (at_least_zero(terms.of(terms.symbol(name, 4, (-9, 9), "launch"))) for name in "ab")
    assert negated(chosen(a, TRUE, b)) == all_of(negated(a), negated(b))
    assert negated(chosen(a, b, TRUE)) == all_of(a, negated(b))
    assert chosen(a, b, FALSE) == all_of(a, b)
    assert chosen(a, FALSE, b) == all_of(negated(a), b)


@kernel
@launch_contract(domain=3, block=(16, 8, 1))
def volume(y: SliceMut[f32], depth: i32, height: i32, width: i32) -> None:
    column = block.idx.x * block.dim.x + thread.idx.x
    row = block.idx.y * block.dim.y + thread.idx.y
    if column >= width or row >= height or block.idx.z >= depth:
        return
    y[(block.idx.z * height + row) * width + column] = 1.0


def test_threads_outside_of_one_of_three_axes_return() -> None:
    assert volume.report().proofs[0].conditions == ("depth * height * width <= 2147483648",)


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def turned_halves(x: SliceMut[f32, D2]) -> None:
    half = x.shape[1] // 2
    column = block.idx.x * 32 + thread.idx.x
    row = block.idx.y * 8 + thread.idx.y
    if column < half and row < x.shape[0]:
        a, b = x[row, column], x[row, column + half]
        x[row, column] = a - b
        x[row, column + half] = a + b


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def halves_that_overlap(x: SliceMut[f32, D2]) -> None:
    half = x.shape[1] // 2
    column = block.idx.x * 32 + thread.idx.x
    row = block.idx.y * 8 + thread.idx.y
    if column <= half and row < x.shape[0] and column + half < x.shape[1]:
        x[row, column] = 1.0
        x[row, column + half] = 2.0


def test_halves_of_rows() -> None:
    assert turned_halves.report().proofs[0].conditions == ()
    with pytest.raises(CompileError, match="race on `x"):
        halves_that_overlap.report()
