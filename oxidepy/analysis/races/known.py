"""What is known of integers on a path: bounds of atoms, and polynomials that are not negative. Says whether another one is not either."""

from __future__ import annotations

import math
from collections.abc import Iterator

from oxidepy.analysis.races.terms import (
    INF,
    Atom,
    Cond,
    Interval,
    Mono,
    Number,
    Poly,
    interval,
    joined,
    negated,
    of_launch,
    part,
    put,
    without,
)

MAX_DEPTH = 4  # facts that one conclusion may use
MAX_CASES = 2  # choices taken apart for one conclusion, one inside the other
MAX_STEPS = 24  # that are tried for one conclusion
SMALL = 1024  # what one of the atoms of a product may be, to be taken for just that
SPARE = 3  # facts that leave as much to be shown, for one conclusion
FIRST = 3  # that are tried for the first of these
SHORT = 3  # terms of what is left when long facts have taken the rest
MAX_FACTS = 40  # that are held against the others


class Known:
    """A set of facts; `child` gives one that can be extended without changing this one."""

    __slots__ = ("_bounds", "_by_atom", "_least", "_rest", "_steps", "dead", "facts")

    def __init__(self) -> None:
        self._bounds: dict[Atom, Interval] = {}
        self.facts: dict[Poly, None] = {}  # each >= 0
        self._least: dict[Poly, Poly] = {}  # the fact that says most of all that differ by a number
        self._by_atom: dict[Atom, tuple[Poly, ...]] = {}
        self._rest: tuple[Cond, ...] = ()
        self.dead = False  # the facts contradict each other
        self._steps = 0  # that are left to one answer

    def child(self) -> Known:
        other = Known()
        other._bounds, other.facts, other._by_atom = dict(self._bounds), dict(self.facts), dict(self._by_atom)
        other._least = dict(self._least)
        other._rest, other.dead = self._rest, self.dead
        return other

    @property
    def rest(self) -> tuple[Cond, ...]:
        """Conditions that are no inequality of one polynomial: disjunctions, inequalities `!=`, truth values."""
        return self._rest

    def bounds(self, atom: Atom) -> Interval:
        found = self._bounds.get(atom)
        return found if found is not None else (atom.low, atom.high)

    def interval(self, poly: Poly) -> Interval:
        return interval(poly, self.bounds)

    # ---- learning

    def assume(self, cond: Cond) -> None:
        kind = cond[0]
        if kind == "ge":
            self.at_least_zero(cond[1])
        elif kind == "eq":
            self.at_least_zero(cond[1])
            self.at_least_zero(-cond[1])
        elif kind == "and":
            for one in cond[1:]:
                self.assume(one)
        elif kind == "false":
            self.dead = True
        elif kind != "true":
            self._rest = (*self._rest, cond)
            if kind == "ne":
                for side in (cond[1], -cond[1]):  # what is not zero, and on one side of it
                    said = self._least.get(side.moving)
                    if self.interval(side)[0] == 0 or (said is not None and said.free == side.free):
                        self.at_least_zero(side - 1)

    def at_least_zero(self, poly: Poly) -> None:
        low, high = self.interval(poly)
        if high < 0:
            self.dead = True
        if low >= 0 or poly in self.facts:
            return
        single = [mono for mono in poly.terms if mono]
        if len(single) == 1 and len(single[0]) == 1:
            self._narrow(single[0][0], poly.terms[single[0]], poly.free)
            return
        moving = poly.moving
        weaker = self._least.get(moving)
        if weaker is not None and weaker.free <= poly.free:
            return
        self._least[moving] = poly
        if weaker is not None:
            del self.facts[weaker]
        self.facts[poly] = None
        for atom in set(poly.atoms()):
            others = self._by_atom.get(atom, ())
            self._by_atom[atom] = (*others, poly) if weaker is None else tuple(poly if one is weaker else one for one in others)
        self._propagate(poly)
        self._over(poly)

    def _narrow(self, atom: Atom, coef: int, rest: Number) -> bool:
        """Learn coef * atom + rest >= 0. Whether that was new."""
        if rest == INF:
            return False
        low, high = self.bounds(atom)
        limit = -rest / coef if isinstance(rest, float) else (-(rest // coef) if coef > 0 else rest // -coef)
        narrowed = (max(low, limit), high) if coef > 0 else (low, min(high, limit))
        if narrowed == (low, high):
            return False
        self._bounds[atom] = narrowed
        if narrowed[0] > narrowed[1]:
            self.dead = True
        return True

    def _propagate(self, poly: Poly) -> bool:
        """Bounds of the atoms of a fact that follow from those of the others. Whether something was new."""
        changed = False
        parts = {mono: part(mono, coef, self.bounds)[1] for mono, coef in poly.terms.items()}
        open_ended = [mono for mono, high in parts.items() if high == INF]
        if len(open_ended) > 1:
            return False
        total = sum(high for high in parts.values() if high != INF)
        for mono, coef in poly.terms.items():
            if not mono or (open_ended and open_ended != [mono]):
                continue
            rest = total - (parts[mono] if not open_ended else 0)
            if len(mono) == 1:
                changed |= self._narrow(mono[0], coef, rest)
            elif rest < 0 < coef and sum(self.bounds(atom)[0] < 0 for atom in mono) <= 1:  # nor has a positive product a factor 0
                for atom in dict.fromkeys(mono):
                    changed |= self._narrow(atom, 1, -1)
        return changed

    def _over(self, poly: Poly) -> bool:
        """What a size is at least, as it is more than what a fact says is not negative: n >= 1 of c < n and c >= 0. Whether it was new."""
        changed = False
        for mono, coef in poly.terms.items():
            if coef == len(mono) == 1 and of_launch(mono[0]) and len(poly.terms) > 2:
                under = self._least.get((Poly({mono: 1}) - poly).moving)
                changed |= under is not None and self._narrow(mono[0], 1, poly.free + under.free)
        return changed

    def settle(self, rounds: int = 3) -> None:
        """Let the bounds follow from one another."""
        for _ in range(rounds):
            changed = [self._propagate(poly) | self._over(poly) for poly in self.facts]
            if self.dead or not any(changed):
                break
        for poly in self.facts:
            if self.interval(poly)[1] < 0:
                self.dead = True

    def contradicts(self) -> bool:
        """Whether one of the facts is against what the others say."""
        self._steps = MAX_STEPS * 4
        return self.dead or any(self._follows(-fact - 1, 2) for fact in list(self.facts)[:MAX_FACTS])

    # ---- asking

    def limits(self, poly: Poly) -> Iterator[Poly]:
        """What the polynomial is at most, by one fact each."""
        lead = next(filter(None, poly.terms), ())
        for fact in self._by_atom.get(lead[0], ()) if lead else ():
            times, odd = divmod(-fact.terms.get(lead, 0), poly.terms[lead])
            if times > 0 and not odd:
                left = (fact + poly * times).terms.items()
                over = {mono: coef for mono, coef in left if not mono or part(mono, coef, self.bounds)[1] > 0}
                if all(coef % times == 0 for mono, coef in over.items() if mono):
                    yield Poly({mono: coef // times for mono, coef in over.items() if coef // times})

    def nonnegative(self, poly: Poly) -> bool:
        """Whether poly >= 0 follows. False means: not known."""
        self._steps = MAX_STEPS
        return self.dead or self._shortens(poly) or self._follows(poly, MAX_DEPTH) or self._by_cases(poly, MAX_CASES)

    def _by_cases(self, poly: Poly, depth: int) -> bool:
        """Whether it follows in both cases of a choice that it has, as it does for a number that is held between others."""
        choice = next((atom for atom in poly.atoms() if atom.kind == "ite"), None)
        if choice is None or not depth:
            return False
        cond, then, other = choice.args
        for meaning, sense in ((then, cond), (other, negated(cond))):
            goal = put(poly, choice, meaning)
            self._steps = MAX_STEPS
            if self._follows(goal, MAX_DEPTH):
                continue
            inside = self.child()
            inside.assume(sense)
            inside._steps = MAX_STEPS
            if not (inside.dead or inside._follows(goal, MAX_DEPTH) or inside._by_cases(goal, depth - 1)):
                return False
        return True

    def _shortens(self, poly: Poly) -> bool:
        """Whether it follows by facts of products of which each leaves less to be shown: of n*r + c by c < n, then r < m, then m*n <= k.

        A few are tried for the first one: what is known of another index may lead nowhere.
        """
        if not _long(poly):
            return False
        if self.interval(poly)[0] >= 0:
            return True
        return any(self._shortened(one, SPARE - (len(one.terms) == len(poly.terms))) for one in self._shorter(poly)[:FIRST])

    def _shortened(self, left: Poly, spare: int) -> bool:
        while _long(left) and spare >= 0:
            if self.interval(left)[0] >= 0:
                return True
            found = next(iter(self._shorter(left)), None)
            if found is None:
                break
            spare -= len(found.terms) == len(left.terms)
            left = found
        return len(left.terms) <= SHORT and self._follows(left, 2)

    def _shorter(self, poly: Poly) -> list[Poly]:
        """What is left of a polynomial by one fact each, if it is no longer than before: the shortest first."""
        ways = dict.fromkeys(way for mono, coef in self._harmful(poly) for way in self._ways(poly, mono, coef))
        return sorted((way for way in ways if len(way.terms) <= len(poly.terms)), key=lambda one: len(one.terms))

    def _ways(self, poly: Poly, mono: Mono, coef: int) -> Iterator[Poly]:
        """What is left to be shown when a fact has taken a monomial, or the most that one of the atoms in a product can be."""
        yield from (_reduced(poly, coef, *one) for one in self.reducing(mono, coef))
        for number, atom in enumerate(mono if coef < 0 and len(mono) > 1 else ()):
            high, others = self.bounds(atom)[1], mono[:number] + mono[number + 1 :]
            if high <= SMALL and not of_launch(atom) and all(self.bounds(one)[0] >= 0 for one in others):
                yield _reduced(poly, coef, Poly({(): int(high), (atom,): -1}), others, -1)

    def _follows(self, poly: Poly, depth: int) -> bool:
        if self.interval(poly)[0] >= 0:
            return True
        self._steps -= 1
        if not depth or self._steps <= 0:
            return False
        harmful = self._harmful(poly)
        return (bool(harmful) and self._without(poly, *harmful[0], depth)) or any(
            self._follows(less, depth - 1) for less in self._lifted(poly, harmful)
        )

    def _without(self, poly: Poly, mono: Mono, coef: int, depth: int) -> bool:
        """Whether it follows by a fact that takes away the worst monomial."""
        if any(self._follows(_reduced(poly, coef, *one), depth - 1) for one in self.reducing(mono, coef)):
            return True
        return any(self._follows(poly + Poly({mono: -coef, wide: more}), depth) for wide, more in self._wider(mono, coef))

    def _wider(self, mono: Mono, coef: int) -> list[tuple[Mono, int]]:
        """Larger products that a fact limits, of which this one is a part, and how often: 3*m <= 2*m*n for n >= 2 and m >= 0."""
        if coef > 0 or any(self.bounds(atom)[0] < 0 for atom in mono):
            return []
        found: dict[Mono, int] = {}
        for fact in self._by_atom.get(mono[0], ()):
            for inner, own in fact.terms.items():
                more = without(inner, mono) if own < 0 and len(inner) > len(mono) else None
                if more is not None and all(self.bounds(atom)[0] >= 1 for atom in more):
                    found[inner] = coef // math.prod(int(self.bounds(atom)[0]) for atom in more)
        return list(found.items())

    def _lifted(self, poly: Poly, harmful: list[tuple[Mono, int]]) -> list[Poly]:
        """Smaller polynomials, by facts that say that something is large: row - 1 >= 0 of row * n + col - n gives col.

        Tried is the negative constant, or else the worst monomial; the rest of the fact has to be there already, or to help.
        """
        mono, coef = harmful[0] if harmful else ((), poly.free)
        found: list[Poly] = []
        if coef < 0 and all(self.bounds(one)[0] >= 0 for one in mono):
            for fact in self.facts:
                if fact.free < 0:
                    by = max(1, -(coef // -fact.free))
                    if all(own < 0 or poly.terms.get(joined(one, mono), 0) >= own * by for one, own in fact.terms.items()):
                        found.append(poly - _scaled(fact, mono, by))
        return found

    def _harmful(self, poly: Poly) -> list[tuple[Mono, int]]:
        """The monomials that may make it negative, those without a bound first, then the largest products."""
        found: list[tuple[Number, int, Mono, int]] = []
        for mono, coef in poly.terms.items():
            low = part(mono, coef, self.bounds)[0]
            if low < 0 and mono:
                found.append((low, -len(mono), mono, coef))
        found.sort(key=lambda one: (one[0], one[1]))
        return [(mono, coef) for _, _, mono, coef in found]

    def reducing(self, mono: Mono, coef: int) -> list[tuple[Poly, Mono, int]]:
        """Facts with a monomial of the same sign that divides this one, the cofactor not negative: (fact, cofactor, coefficient)."""
        found: list[tuple[int, Poly, Mono, int]] = []
        for atom in dict.fromkeys(mono):
            for fact in self._by_atom.get(atom, ()):
                for inner, own in fact.terms.items():
                    if inner and atom in inner and (own < 0) == (coef < 0):
                        cofactor = without(mono, inner)
                        if cofactor is not None and all(self.bounds(one)[0] >= 0 for one in cofactor):
                            found.append((len(fact.terms) + 2 * len(cofactor) + 2 * _of_the_grid(fact), fact, cofactor, own))
        found.sort(key=lambda one: one[0])
        unique: dict[tuple[Poly, Mono], tuple[Poly, Mono, int]] = {}
        for _, fact, cofactor, own in found:
            unique.setdefault((fact, cofactor), (fact, cofactor, own))
        return list(unique.values())


def _long(poly: Poly) -> bool:
    """Whether it is worth to look for facts that take several of its terms."""
    return len(poly.terms) > 4 or max(map(len, poly.terms), default=0) > 1


def _of_the_grid(fact: Poly) -> bool:
    """Whether it bounds by the size of the grid: the conditions of the kernel itself say more, mostly."""
    return any(atom.origin == "launch" and atom.name.startswith("grid.") for atom in fact.atoms())


def _reduced(poly: Poly, coef: int, fact: Poly, cofactor: Mono, own: int) -> Poly:
    """What is left to be shown of a polynomial that loses the monomial of that coefficient to a fact, of which it is cofactor * own."""
    common = math.gcd(abs(coef), abs(own))
    times = abs(own) // common
    # poly * a - fact * cofactor * b loses the monomial; a, b > 0. Of integers poly * a > -a is enough
    return poly * times + (times - 1) - _scaled(fact, cofactor, abs(coef) // common)


def _scaled(fact: Poly, cofactor: Mono, by: int) -> Poly:
    return fact * by * Poly({cofactor: 1}) if cofactor else fact * by
