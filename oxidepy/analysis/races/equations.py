"""Refutes that two threads meet: the equation of their indices is split by sizes until it says that they are one thread, or is impossible.

    256*(b₁ - b₂) + (t₁ - t₂) = 0 with |t₁ - t₂| < 256  ⇒  b₁ = b₂ and t₁ = t₂
    w*(r₁ - r₂) + (c₁ - c₂) = 0 with |c₁ - c₂| < w      ⇒  r₁ = r₂ and c₁ = c₂

An answer True is a proof. False means nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from oxidepy.analysis.races import remainders, triangles
from oxidepy.analysis.races.execute import definition
from oxidepy.analysis.races.known import Known
from oxidepy.analysis.races.remainders import Question
from oxidepy.analysis.races.rewriting import Rewriting
from oxidepy.analysis.races.terms import FALSE, INF, TRUE, ZERO, Atom, Cond, Mono, Poly, Terms, every_atom, negated, of_launch, without

MAX_SPLIT = 3  # multiples that the smaller part of an equation may be, each a case
MAX_CASES = 4  # choices and alternatives taken apart, one inside the other


class Refuter:
    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def refutes(self, question: Question) -> bool:
        question = remainders.digits(self.terms, question)
        return self._case([question.meet], question.conds, question.apart, MAX_CASES)

    # ---- cases

    def _case(self, equations: Sequence[Poly], conds: Sequence[Cond], apart: Sequence[Poly], depth: int) -> bool:
        flat = list(dict.fromkeys(part for cond in conds for part in (cond[1:] if cond[0] == "and" else (cond,))))
        state = _State(self.terms, [*equations, *(cond[1] for cond in flat if cond[0] == "eq")], flat, list(apart))
        alternatives = state.solve()
        if state.refuted:
            return True
        if alternatives is None and depth:
            alternatives = state.alternatives()
        if alternatives is None or not depth:
            return state.known.contradicts()
        return all(self._case(*one, depth - 1) for one in alternatives)


Alternative = tuple[list[Poly], list[Cond], list[Poly]]  # equations, conditions, what keeps the threads apart


class _State:
    """One case: equations that are still open, conditions, and what keeps the threads apart, with all solved atoms replaced."""

    def __init__(self, terms: Terms, equations: list[Poly], conds: list[Cond], apart: list[Poly]) -> None:
        self.terms = terms
        self.open: list[Poly] = equations
        self.conds: list[Cond] = conds
        self.apart: list[Poly] = apart
        self.refuted = False
        self.known = self._learn()

    def _learn(self) -> Known:
        """Everything that is known, with what follows from how atoms are made."""
        known = Known()
        given = set(self.conds)
        for cond in self.conds:
            if cond == FALSE or (cond[0] == "is" and negated(cond) in given):
                self.refuted = True
            known.assume(cond)
        for atom in sorted(every_atom([*self.open, *self.conds, *self.apart]), key=lambda one: one.order):
            if atom.kind != "symbol":
                for cond in definition(self.terms, atom, known):
                    known.assume(cond)
        known.settle()
        self.refuted |= known.dead
        return known

    # ---- equations

    def solve(self) -> list[Alternative] | None:
        """Split and solve until nothing changes. Gives cases that are left where a split has several."""
        for _ in range(40):
            if self.refuted:
                return None
            if self.apart and all(poly.constant == 0 or poly in self.open or -poly in self.open for poly in self.apart):
                self.refuted = True
                return None
            moved = False
            for number, equation in enumerate(self.open):
                outcome = self._split(equation)
                if outcome is None:
                    continue
                rest = [*self.open[:number], *self.open[number + 1 :]]
                if not outcome:
                    self.refuted = True
                    return None
                if len(outcome) > 1:
                    return [([*rest, *parts], self.conds, self.apart) for parts in outcome]
                self.open = rest + [part for part in outcome[0] if part.terms]
                moved = True
                break
            if not moved and (cases := self._by_rows()) is not None:
                return cases
            if not moved and not self._eliminate():
                return None
        return None

    def _split(self, equation: Poly) -> list[list[Poly]] | None:
        """The equation as simpler ones, by its sizes, or by those of the quotients and remainders that it is made of."""
        if (found := self._by_sizes(equation)) is not None:
            return found
        for taken in remainders.takings(self.terms, self.known, equation, self.conds):
            for fact in taken.facts:
                self.known.at_least_zero(fact)
            if (found := self._by_sizes(taken.equation)) is not None:
                return [[taken.back.poly(part) for part in parts] for parts in found]
        return None

    def _by_sizes(self, equation: Poly) -> list[list[Poly]] | None:
        """The equation as simpler ones, in one or several cases; no case where it cannot hold; None where it stays."""
        low, high = self.known.interval(equation)
        if low > 0 or high < 0:
            return []
        if equation.constant == 0:
            return [[]]
        common = math.gcd(*(coef for mono, coef in equation.terms.items() if mono))
        if equation.free % common:
            return []
        if (bits := _same_bits(equation)) is not None:
            return [[bits]]
        if common > 1:
            return [[equation.divided(common)]]
        for by in sorted({abs(coef) for mono, coef in equation.terms.items() if mono and abs(coef) > 1}, reverse=True):
            found = self._by_number(equation, by)
            if found is not None:
                return found
        for factor in self._factors(equation):
            parts = self._by_factor(equation, *factor)
            if parts is not None:
                return [parts]
        return [] if self.known.nonnegative(equation - 1) or self.known.nonnegative(-equation - 1) else None

    def _by_number(self, equation: Poly, by: int) -> list[list[Poly]] | None:
        large = Poly({mono: coef for mono, coef in equation.terms.items() if mono and coef % by == 0})
        small = equation - large
        if not large.terms or all(not mono for mono in small.terms):
            return None
        low, high = self.known.interval(small)
        wide = low == -INF or high == INF
        first, last = (0, 0) if wide else (-(-int(low) // by), int(high) // by)
        if wide or last - first >= MAX_SPLIT:
            if not (self.known.nonnegative(-small + (by - 1)) and self.known.nonnegative(small + (by - 1))):
                return None
            first = last = 0
        return [[small - times * by, large.divided(by) + times] for times in range(first, last + 1)]

    def _factors(self, equation: Poly) -> list[tuple[Poly, Poly]]:
        """(s, r) with equation = s*r + rest, s a symbol of the launch, perhaps times or plus a number, or a product of several."""
        found: list[tuple[Poly, Poly]] = []
        products = dict.fromkeys(tuple(atom for atom in mono if of_launch(atom)) for mono in equation.terms)
        for size in sorted((one for one in products if len(one) > 1), key=len, reverse=True):
            inside = {left: coef for mono, coef in equation.terms.items() if (left := without(mono, size)) is not None}
            found.append((Poly({size: 1}), Poly(inside)))
        atoms = dict.fromkeys(atom for mono in equation.terms if len(mono) > 1 for atom in mono)
        for atom in atoms:
            times: dict[Mono, int] = {}
            for mono, coef in equation.terms.items():
                if atom in mono:
                    others = list(mono)
                    others.remove(atom)
                    times[tuple(others)] = coef
            ratio = Poly(times)
            symbol = self.terms.of(atom)
            found.append((symbol, ratio))
            common = math.gcd(*ratio.terms.values())
            if common > 1:
                found.append((symbol * common, ratio.divided(common)))
            first = next(iter(ratio.terms))
            more, odd = divmod(equation.terms.get(first, 0), ratio.terms[first])
            if first and more and not odd:
                found.append((symbol + more, ratio))
        return found

    def _by_factor(self, equation: Poly, size: Poly, ratio: Poly) -> list[Poly] | None:
        rest = equation - size * ratio
        known = self.known
        if not rest.terms or ratio.constant is not None:
            return [ratio] if not rest.terms and ratio.constant is None and known.nonnegative(size - 1) else None
        if known.nonnegative(size - 1) and known.nonnegative(size - 1 - rest) and known.nonnegative(size - 1 + rest):
            return [ratio, rest]
        return None

    def _by_rows(self) -> list[Alternative] | None:
        """The case in which one of two rows of a triangle is the longer one, the other case, and that in which they are one row."""
        double = triangles.twice(self.open[0]) if self.open else ZERO
        if (found := triangles.rows(double)) is None:
            return None
        one, two = found
        equation, *rest = self.open
        cases = self._larger([*rest, double], one, two), self._larger([*rest, double], two, one)
        same = self._by_sizes(one - two)
        first = same[0] if same is not None and len(same) == 1 else [one - two]  # they are solved before the indices are
        return None if None in cases else [*filter(None, cases), ([*first, *rest, equation], self.conds, self.apart)]

    def _larger(self, equations: list[Poly], one: Poly, two: Poly) -> Alternative | None:
        """The case in which the one sum is larger than the other: by 1 and a symbol more, which takes the place of one that is in it."""
        symbol = next((mono[0] for mono, coef in one.terms.items() if coef == len(mono) == 1 and mono[0].kind == "symbol"), None)
        if symbol is None or symbol in two.atoms():
            return None
        here, (low, high) = self.terms.of(symbol), self.known.bounds(symbol)
        more = self.terms.of(self.terms.symbol("a difference", symbol.level, (0, INF), "computed"))
        rewriting = Rewriting(self.terms, {symbol: two + more + 1 - (one - here)}.get)
        bounds = [("ge", here - int(low))] * (low > -INF) + [("ge", -here + int(high))] * (high < INF)
        conds = [cond for cond in map(rewriting.cond, (*self.conds, *bounds)) if cond != TRUE]
        return [*map(rewriting.poly, equations)], conds, [*map(rewriting.poly, self.apart)]

    def _eliminate(self) -> bool:
        """Solve one equation for one atom and put that everywhere."""
        solvable = [(number, found) for number, equation in enumerate(self.open) if (found := _solvable(equation)) is not None]
        solvable.sort(key=lambda one: one[1][0].kind == "bits")  # what bits are made of first: then two may be seen to be made alike
        for number, (atom, meaning) in solvable:
            low, high = self.known.bounds(atom)
            rewriting = Rewriting(self.terms, {atom: meaning}.get)
            self.open = [part for part in map(rewriting.poly, (*self.open[:number], *self.open[number + 1 :])) if part.terms]
            self.apart = [rewriting.poly(one) for one in self.apart]
            self.conds = [one for one in dict.fromkeys(map(rewriting.cond, self.conds)) if one != TRUE]
            for bound in (meaning - int(low) if low > -INF else ZERO, -meaning + int(high) if high < INF else ZERO):
                if bound.terms:
                    self.conds.append(("ge", bound))
            for cond in definition(self.terms, atom, self.known) if atom.kind != "symbol" else ():
                self.conds.append(rewriting.cond(cond))
            self.known = self._learn()
            return True
        return False

    # ---- cases

    def alternatives(self) -> list[Alternative] | None:
        """Take a choice apart, or a condition that has several ways to hold."""
        for atom in sorted(every_atom([*self.open, *self.apart]), key=lambda one: one.order):
            if atom.kind == "ite":
                cond, then, other = atom.args
                return [self._with(atom, then, cond), self._with(atom, other, negated(cond))]
        for cond in self.conds:
            if cond[0] == "or" and len(cond) <= 4:
                rest = [one for one in self.conds if one is not cond]
                return [(self.open, [*rest, one], self.apart) for one in cond[1:]]
        return None

    def _with(self, atom: Atom, meaning: Poly, cond: Cond) -> Alternative:
        """The case in which an atom means that, under that condition."""
        rewriting = Rewriting(self.terms, {atom: meaning}.get)
        polys = [part for part in map(rewriting.poly, self.open) if part.terms]
        return polys, [*map(rewriting.cond, self.conds), rewriting.cond(cond)], [*map(rewriting.poly, self.apart)]


def _same_bits(equation: Poly) -> Poly | None:
    """a ^ c == b ^ c says that a == b, and so do a and b with their bits reversed."""
    if len(equation.terms) != 2 or sorted(equation.terms.values()) != [-1, 1]:
        return None
    turned = [mono[0].args for mono in equation.terms if len(mono) == 1 and mono[0].kind == "brev"]
    if len(turned) == 2 and turned[0][1] == turned[1][1]:
        return cast("Poly", turned[0][0]) - cast("Poly", turned[1][0])
    atoms = [mono[0] for mono in equation.terms if len(mono) == 1 and mono[0].kind == "bits" and mono[0].args[0] == "xor"]
    if len(atoms) != 2:
        return None
    (_, *one, _), (_, *two, _) = atoms[0].args, atoms[1].args
    for number, common in enumerate(one):
        if common in two:
            left, right = cast("Poly", one[1 - number]), cast("Poly", two[1 - two.index(common)])
            return left - right
    return None


def _solvable(equation: Poly) -> tuple[Atom, Poly] | None:
    """equation == 0 as atom == meaning, for an atom that stands nowhere else in it: symbols of one thread first."""
    best: tuple[tuple[bool, int, int], Atom, int] | None = None
    for mono, coef in equation.terms.items():
        if len(mono) != 1 or coef not in (1, -1) or mono[0].kind == "ite":  # a choice is taken apart as a whole
            continue
        atom = mono[0]
        rank = (atom.kind != "symbol", atom.level, -atom.order)
        if best is None or rank < best[0]:
            others = [Poly({other: value}) for other, value in equation.terms.items() if other != mono]
            if atom not in every_atom(others):
                best = (rank, atom, coef)
    if best is None:
        return None
    _, atom, coef = best
    rest = Poly({mono: value for mono, value in equation.terms.items() if mono != (atom,)})
    return atom, -rest if coef == 1 else rest
