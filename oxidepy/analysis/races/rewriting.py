"""Terms with some of their atoms replaced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from oxidepy.analysis.races.terms import ZERO, Atom, Cond, Poly, Terms, all_of, any_of, at_least_zero, is_zero, negated, number, own


class Rewriting:
    """Replaces atoms everywhere, inside of atoms too: `replace` gives a polynomial for those that change, else None.

    `positive` says of a divisor whether it is known to be so.
    """

    def __init__(self, terms: Terms, replace: Callable[[Atom], Poly | None], positive: Callable[[Poly], bool] = lambda poly: False) -> None:
        self.terms = terms
        self.replace = replace
        self.positive = positive
        self._atoms: dict[Atom, Poly | None] = {}
        self._polys: dict[Poly, Poly] = {}
        self._conds: dict[Cond, Cond] = {}

    def poly(self, poly: Poly) -> Poly:
        found = self._polys.get(poly)
        if found is None:
            found = self._polys[poly] = self._poly(poly)
        return found

    def _poly(self, poly: Poly) -> Poly:
        if all(self.atom(atom) is None for atom in poly.atoms()):
            return poly
        total: Poly = ZERO
        for mono, coef in poly.terms.items():
            part = number(coef)
            for atom in mono:
                part = part * (self.atom(atom) or self.terms.of(atom))
            total = total + part
        return total

    def atom(self, atom: Atom) -> Poly | None:
        """What stands for the atom now; None if it stays."""
        if atom not in self._atoms:
            self._atoms[atom] = self.replace(atom) or self._inside(atom)
        return self._atoms[atom]

    def _inside(self, atom: Atom) -> Poly | None:
        args, terms = atom.args, self.terms
        if atom.kind == "symbol" or not any(self.changes(one) for one in args):
            return None
        if atom.kind == "div":
            return (terms.turns if atom in terms.wraps else terms.div)(self.poly(args[0]), args[1])
        if atom.kind == "quotient":
            by = self.poly(args[1])
            return terms.quotient(self.poly(args[0]), by, positive=self.positive(by))
        if atom.kind == "ite":
            return terms.choice(self.cond(args[0]), self.poly(args[1]), self.poly(args[2]))
        if atom.kind == "bits":
            return terms.bits(args[0], self.poly(args[1]), self.poly(args[2]), args[3], atom.low < 0)
        if atom.kind == "brev":
            return terms.reversed(self.poly(args[0]), args[1])
        memory, index, offset = args
        return terms.of(terms.atom("load", (memory, self.poly(index), offset), own(atom), atom.name, atom.origin))

    def changes(self, arg: Any) -> bool:
        if isinstance(arg, Poly):
            return self.poly(arg) is not arg
        return isinstance(arg, tuple) and self.cond(cast("Cond", arg)) is not arg

    def cond(self, cond: Cond) -> Cond:
        found = self._conds.get(cond)
        if found is None:
            found = self._conds[cond] = self._cond(cond)
        return found

    def _cond(self, cond: Cond) -> Cond:
        kind = cond[0]
        if kind in ("ge", "eq", "ne"):
            poly = self.poly(cond[1])
            if poly is cond[1]:
                return cond
            return at_least_zero(poly) if kind == "ge" else is_zero(poly) if kind == "eq" else negated(is_zero(poly))
        if kind in ("and", "or"):
            parts = [self.cond(one) for one in cond[1:]]
            if all(new is old for new, old in zip(parts, cond[1:], strict=True)):
                return cond
            return all_of(*parts) if kind == "and" else any_of(*parts)
        if kind == "is":
            atom = self.atom(cond[1])
            return cond if atom is None else ("is", next(atom.atoms()), cond[2])
        return cond
