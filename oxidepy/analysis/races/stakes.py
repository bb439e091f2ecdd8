"""Conditions of the launch that a proof may rest on: that an index does not leave the range of its type, as a relation of launch values.

    y[row * n + col] under row < m and col < n        n < 0 or m * n <= 2147483648

The host evaluates them in exact integers at every launch, as it does those of `require`; one that fails is OX2005.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from oxidepy.analysis.races.accesses import Access
from oxidepy.analysis.races.certain import Reckoning
from oxidepy.analysis.races.execute import definition
from oxidepy.analysis.races.known import Known
from oxidepy.analysis.races.launch import Launch
from oxidepy.analysis.races.rewriting import Rewriting
from oxidepy.analysis.races.terms import TRUE, ZERO, Atom, Mono, Poly, Terms, at_least_zero, every_atom, of_launch, part
from oxidepy.diagnostics import Span
from oxidepy.ir.core import Require

if TYPE_CHECKING:
    from oxidepy.analysis.races.smt import Solver

MAX_DEPTH = 6
MAX_STEPS = 300  # that are tried for one condition
MAX_RESIDUES = 12  # relations that are tried for one goal
PLAIN = 40  # letters of a condition that nobody minds
MAX_WRAPS = 12  # that are taken out of one access
USUAL = 256  # a launch with all of its values as small as this has to pass: what is staked is the absence of overflow, and not more
LAUNCHES = (USUAL, 1, 16, 100, 1024)  # values of which one, given to all that a launch chooses, mostly keeps to `require`
LARGE = 1 << 20
MANY = 1 << 15  # a number as large as this comes from the largest grid or number that there can be: it says nothing of a usual launch
Expr = tuple[Any, ...]


class Stakes:
    """Finds the conditions for accesses of one kernel. `needed`: those of the proofs that were made with them."""

    def __init__(self, terms: Terms, launch: Launch) -> None:
        self.terms = terms
        self.launch = launch
        self.needed: dict[Expr, Require] = {}
        self._polys: dict[Expr, Poly] = {}
        self._steps = 0  # that are left to one condition
        self._known: tuple[tuple[Access, Atom | None], Known] | None = None  # of the last access
        self._found: dict[tuple[Access, bool], tuple[Access, list[Require]] | None] = {}

    def exact(self, access: Access, *, way: bool = False) -> tuple[Access, list[Require]] | None:
        """The access with an index that does not wrap, and what the launch must keep to for that. None where no such condition is found.

        `way`: with conditions on the way that do not wrap either, as far as that can be said.
        """
        if (access, way) not in self._found:
            found = self._exact(access)
            self._found[access, way] = self._way(*found) if way and found is not None else found
        return self._found[access, way]

    def _way(self, access: Access, conditions: list[Require]) -> tuple[Access, list[Require]]:
        given_up: set[Atom] = set()
        while wraps := sorted((self.terms.wraps & every_atom(access.guards)) - given_up, key=_order):
            given_up.add(wraps[0])
            if (found := self.without(access, wraps[0])) is not None:
                access, conditions = found[0], [*conditions, *found[1]]
        return access, conditions

    def take(self, requires: Iterable[Require], solver: Callable[[], Solver | None]) -> bool:
        """Let the proof rest on these conditions too. False if then no usual launch passes: a proof of nothing."""
        more = {one.expr: one for one in requires if one.expr not in self.needed}
        if more and not self._possible([*self.needed, *more], solver):
            return False
        self.needed |= more
        return True

    def _possible(self, exprs: list[Expr], solver: Callable[[], Solver | None]) -> bool:
        """Whether some launch of usual size keeps to what the kernel requires, and to all of these."""
        staked = [at_least_zero(self._polys[expr]) for expr in exprs]
        atoms = {atom for atom in every_atom([*self.launch.facts, *staked]) if atom.kind == "symbol"}
        for size in LAUNCHES:
            values = {atom: min(size, int(atom.high)) if of_launch(atom) else 0 for atom in atoms}
            reckoning = Reckoning(values)
            if all(map(reckoning.cond, self.launch.facts)):
                return all(map(reckoning.cond, staked))
        found = solver()
        return found is not None and found.possible([*self.launch.facts, *staked], [atom for atom in atoms if of_launch(atom)])

    def _exact(self, access: Access) -> tuple[Access, list[Require]] | None:
        """The conditions of the index alone, or those that are found when the conditions on the way do not wrap, if they say it shorter."""
        found = self._straightened(access, on_the_way=False)
        if found is None or _size(found[1]) > PLAIN:
            other = self._straightened(access, on_the_way=True)
            found = other if found is None or (other is not None and _size(other[1]) < _size(found[1])) else found
        return found

    def _straightened(self, access: Access, *, on_the_way: bool) -> tuple[Access, list[Require]] | None:
        """`on_the_way`: what was reckoned first is looked at first, be it in the index or in a condition on the way."""
        conditions: list[Require] = []
        given_up: set[Atom] = set()
        for _ in range(MAX_WRAPS):
            wraps = sorted((self.terms.wraps & every_atom([access.index])) - given_up, key=_order)
            if not wraps:
                return access, conditions
            within = sorted((self.terms.wraps & every_atom(access.guards)) - {wraps[0]} - given_up, key=_order)
            first = within[0] if on_the_way and within and within[0].order < wraps[0].order else wraps[0]
            found = self.without(access, first)
            if found is None and first is wraps[0]:  # perhaps a condition on the way here has wrapped
                if not within:
                    return None
                first = within[0]
                found = self.without(access, first)
                given_up.add(first)
            if found is None:
                given_up.add(first)
                continue
            access, more = found
            conditions += more
        return None

    def without(self, access: Access, atom: Atom) -> tuple[Access, list[Require]] | None:
        """The access where that value does not wrap, and what the launch must keep to for that."""
        conditions = self.room(access, atom)
        return None if conditions is None else (self.straight(access, atom), conditions)

    def room(self, access: Access, atom: Atom) -> list[Require] | None:
        """What the launch must keep to for that value not to wrap; None where no such condition is found."""
        inner, by = atom.args
        known = self.known(access, atom)
        conditions: list[Require] = []
        for goal in (inner, -inner + (by - 1)):
            if not known.nonnegative(goal):
                condition = self.condition(goal, known, access)
                if condition is None:
                    return None
                conditions.append(condition)
        return conditions

    def straight(self, access: Access, atom: Atom) -> Access:
        """The access where that value does not wrap."""
        inner, by = atom.args
        exact = Rewriting(self.terms, {atom: ZERO}.get)
        kept = (one for one in map(exact.cond, access.guards) if one != TRUE)
        guards = (*kept, at_least_zero(inner), at_least_zero(-inner + (by - 1)))
        return replace(access, index=exact.poly(access.index), guards=guards)

    def known(self, access: Access, but: Atom | None = None) -> Known:
        """What the launch and the way to the access say. `but`: nothing that has this atom, as what is said by it leads back to it."""
        if self._known is not None and self._known[0] == (access, but):
            return self._known[1]
        known = Known()
        unsure: set[Poly] = set()  # divisors that may be negative, of which much is known: one answer does for all quotients
        for cond in (*self.launch.facts, *access.guards):
            if but is None or but not in self.terms.inside(cond):
                known.assume(cond)
        for atom in sorted(every_atom([access.index, *access.guards]), key=lambda one: one.order):
            if atom.kind == "symbol" or atom is but or (atom.kind == "quotient" and atom.args[1] in unsure):
                continue
            found = definition(self.terms, atom, known)
            if not found and atom.kind == "quotient":
                unsure.add(atom.args[1])
            for cond in found:
                known.assume(cond)
        known.settle()
        self._known = ((access, but), known)
        return known

    def condition(self, goal: Poly, known: Known, access: Access, *, usual: bool = True) -> Require | None:
        """A relation of launch values from which goal >= 0 follows, given what is known at the access.

        `usual`: one that launches with small values pass; else one that some ordinary launch passes.
        """
        self._steps = MAX_STEPS
        tried = list(islice(self._residues(goal, known, MAX_DEPTH), MAX_RESIDUES))
        for found, rests in sorted(tried, key=lambda one: (self._skewed(one[0]), _preference(one[0]))):
            cond = at_least_zero(found)
            if cond[0] != "ge" or not (_at(cond[1], USUAL) >= 0 if usual else _ordinary(cond[1])):
                continue
            if known.nonnegative(-cond[1] - 1):  # no launch in which a thread comes here keeps to it
                continue
            plain = self.require(cond[1], access.op.span)
            if plain is None:
                continue
            expr = plain.expr
            for atom in sorted(rests, key=lambda one: one.order):
                leaf = self.launch.leaf(atom)
                if leaf is not None and atom.low < 0:
                    expr = ("or", ("<", leaf, ("int", 0)), expr)
            self._polys[expr] = cond[1]
            return Require(plain.text, expr, access.op.span)
        return None

    def _skewed(self, poly: Poly) -> bool:
        """Whether it compares the axes of one array, and no square array passes: that comes by way of another access, and says too much."""
        found = {atom: leaf[1] for atom in poly.atoms() if (leaf := self.launch.leaf(atom)) is not None and leaf[0] == "len"}
        axes = {atom for atom, name in found.items() if list(found.values()).count(name) > 1}
        equal = sum(coef * math.prod(LARGE if atom in axes else 1 for atom in mono) for mono, coef in poly.terms.items())
        return bool(axes) and equal < 0

    def _residues(self, goal: Poly, known: Known, depth: int) -> Iterator[tuple[Poly, frozenset[Atom]]]:
        """Polynomials of launch values alone that are at most a positive multiple of `goal`; with each, launch values of which only the
        access says that they are not negative."""
        foreign = [mono for mono in goal.terms if not all(of_launch(atom) for atom in mono)]
        harmful = [mono for mono in foreign if part(mono, goal.terms[mono], known.bounds)[0] < 0]
        if not harmful:
            rest = Poly({mono: coef for mono, coef in goal.terms.items() if mono not in foreign})
            if rest.constant is None:  # a number says that no launch would do
                yield rest, frozenset()
            return
        self._steps -= 1
        if depth == 0 or self._steps <= 0:
            return
        mono = harmful[0]
        coef = goal.terms[mono]
        for fact, cofactor, own in self._facts(mono, coef, known, set(goal.atoms())):
            reduced = goal * abs(own) - fact * Poly({cofactor: abs(coef)})
            inside = {atom for atom in cofactor if of_launch(atom)}
            for found, rests in self._residues(reduced, known, depth - 1):
                yield found, rests | inside

    def _facts(self, mono: Mono, coef: int, known: Known, there: set[Atom]) -> list[tuple[Poly, Mono, int]]:
        """Facts that take the monomial away, those about parameters before those about the grid, then small bounds of atoms.

        They bring in no atoms but plain ones, and those that are `there`: so a remainder is taken away with its quotient.
        """
        found = [one for one in known.reducing(mono, coef) if all(atom in there or _plain(atom) for atom in one[0].atoms())]
        found.sort(key=lambda one: _of_grid(one[0]))
        for number, atom in enumerate(mono):
            low, high = known.bounds(atom)
            others = mono[:number] + mono[number + 1 :]
            if not of_launch(atom) and all(known.bounds(one)[0] >= 0 for one in others):
                if coef < 0 and high < MANY:
                    found.append((Poly({(atom,): -1}) + int(high), others, -1))
                elif coef > 0 and low > -MANY:
                    found.append((Poly({(atom,): 1}) - int(low), others, 1))
        return found

    def require(self, poly: Poly, span: Span | None) -> Require | None:
        """poly >= 0 as a relation; None if the host has no name for something in it."""
        expr = self._relation(poly)
        if expr is None:
            return None
        self._polys[expr] = poly
        return Require(_text(expr), expr, span)

    def _relation(self, poly: Poly) -> Expr | None:
        """poly >= 0 as the host reads it: what is subtracted <= what is added, with whole values instead of their shares."""
        sides: list[Expr | None] = [None, None]
        parts = {mono: math.prod(self.launch.shares.get(atom, 1) for atom in mono) for mono in poly.terms}
        times = math.lcm(*parts.values())
        common = math.gcd(*(coef * times // parts[mono] for mono, coef in poly.terms.items())) if times > 1 else 1
        for mono, coef in poly.terms.items():
            coef = coef * times // parts[mono] // common
            term: Expr = ("int", abs(coef))
            leaves = [self.launch.leaf(atom) for atom in mono]
            for leaf in leaves:
                if leaf is None:
                    return None
                term = leaf if term == ("int", 1) else ("*", term, leaf)
            side = coef > 0
            before = sides[side]
            sides[side] = term if before is None else ("+", before, term)
        return ("<=", sides[False] or ("int", 0), sides[True] or ("int", 0))


def _size(conditions: Iterable[Require]) -> int:
    return sum(len(one.text) for one in conditions)


def _at(poly: Poly, value: int) -> int:
    """The polynomial where every atom has that value."""
    return sum(coef * value ** len(mono) for mono, coef in poly.terms.items())


def _preference(poly: Poly) -> tuple[bool, bool, int, float]:
    """The least is the relation to take: without huge numbers, without the grid, short, and passed by many launches."""
    slack = _slack(poly)
    return slack >= MANY, _of_grid(poly), len(poly.terms), slack


def _slack(poly: Poly) -> float:
    """Of two relations that differ in their numbers alone, the one that more launches pass has less."""
    moving = poly.moving.terms.values()
    most = max((coef for coef in moving if coef > 0), default=math.gcd(*moving))
    return -poly.terms.get((), 0) / most


def _order(atom: Atom) -> int:
    return atom.order


def _of_grid(poly: Poly) -> bool:
    return any(atom.name.startswith("grid.") for atom in poly.atoms())


def _ordinary(poly: Poly) -> bool:
    """Whether it is not negative where what is to be small is of usual size, and what is to be large as large as memory may be."""
    small = {atom for mono, coef in poly.terms.items() for atom in mono if coef < 0}
    total = 0
    for mono, coef in poly.terms.items():
        for atom in mono:
            coef *= USUAL if atom in small else LARGE
        total += coef
    return total >= 0


def _plain(atom: Atom) -> bool:
    """Whether it is a symbol, or made of launch values only."""
    return atom.kind == "symbol" or all(of_launch(one) or one.kind != "symbol" for one in every_atom([Poly({(atom,): 1})]))


def _text(expr: Expr) -> str:
    kind = expr[0]
    if kind == "int":
        return str(expr[1])
    if kind == "scalar":
        return str(expr[1])
    if kind == "field":
        return f"{expr[1]}.{expr[2]}"
    if kind == "len":
        return f"len({expr[1]})" if expr[2] == 0 else f"{expr[1]}.shape[{expr[2]}]"
    if kind == "grid":
        return f"grid.dim.{'xyz'[expr[1]]}"
    return f"{_text(expr[1])} {kind} {_text(expr[2])}"
