"""The same question to z3, where the equations alone did not decide it. Imported only then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from oxidepy.analysis.races.terms import INF, Atom, Cond, Poly, every_atom

if TYPE_CHECKING:
    from oxidepy.analysis.races.question import Pair

SMALL = 1 << 12  # launch values of a counterexample, where one of that size is found
SEED = 1
LEAST = 16  # numbers of a counterexample that are made small
HANG = 20_000  # milliseconds, after which a question counts as undecided: far more than the limit takes


class Missing(Exception):
    """z3 is not installed."""


def version() -> str:
    """z3's version, "" without it."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("z3-solver")
    except PackageNotFoundError:
        return ""


class Solver:
    """Answers questions within `limit` units of z3's rlimit each."""

    def __init__(self, limit: int) -> None:
        try:
            import z3
        except ImportError:
            raise Missing from None
        self.z3: Any = z3
        self.limit = limit
        self._atoms: dict[Atom, Any] = {}
        self._memories: dict[Any, int] = {}

    def solve(self, pair: Pair) -> Callable[[], Callable[[Poly], int] | None] | Literal[False]:
        """False: the threads cannot meet. Else what looks for the numbers of a small case in which they do; it gives None: undecided."""
        z3 = self.z3
        self.context = z3.Context()  # a new one each time: an answer does not depend on what was asked before
        self._atoms, self._memories = {}, {}
        solver = z3.Solver(ctx=self.context)
        solver.set("random_seed", SEED)
        conds = [*pair.facts, *pair.guards[0], *pair.guards[1], ("eq", pair.indices[0] - pair.indices[1])]
        apart = [self.poly(one) != 0 for one in pair.apart if one.constant is None or one.constant != 0]
        parts = [*conds, *pair.apart, *pair.threads[0], *pair.threads[1], *pair.indices]
        atoms = sorted(every_atom(parts), key=lambda one: one.order)
        solver.add(z3.Or(*apart, z3.BoolVal(False, self.context)), *map(self.cond, conds))
        for atom in atoms:
            solver.add(*self.meaning(atom))
        solver.set("rlimit", self.limit)
        solver.set("timeout", HANG)
        answer = solver.check()
        if answer == z3.unsat:
            return False
        return lambda: self._case(solver, answer, pair, atoms)

    def _case(self, solver: Any, answer: Any, pair: Pair, atoms: Sequence[Atom]) -> Callable[[Poly], int] | None:
        z3 = self.z3
        solver.push()
        solver.add(*(self.atoms(atom) <= SMALL for atom in atoms if atom.origin in ("launch", "coordinate", "round") and not _truth(atom)))
        solver.add(*(self.atoms(atom) >= -SMALL for atom in atoms if atom.origin == "launch" and not _truth(atom)))
        if solver.check() != z3.sat:
            solver.pop()
            if answer != z3.sat or solver.check() != z3.sat:
                return None
        model = self._least(solver, solver.model(), [*pair.threads[0], *pair.threads[1]], atoms)
        return lambda poly: model_number(model, self.poly(poly))

    def possible(self, conds: Sequence[Cond], small: Sequence[Atom]) -> bool:
        """Whether all conditions can hold at once, these atoms being small. Not known counts as no."""
        self.context = self.z3.Context()
        self._atoms, self._memories = {}, {}
        solver = self.z3.Solver(ctx=self.context)
        solver.set("random_seed", SEED)
        solver.add(*map(self.cond, conds))
        for atom in sorted(every_atom(conds), key=lambda one: one.order):
            solver.add(*self.meaning(atom))
        solver.add(*(self.z3.And(self.atoms(atom) >= -SMALL, self.atoms(atom) <= SMALL) for atom in small if not _truth(atom)))
        solver.set("rlimit", self.limit)
        solver.set("timeout", HANG)
        return bool(solver.check() == self.z3.sat)

    def _least(self, solver: Any, model: Any, coordinates: Sequence[Poly], atoms: Sequence[Atom]) -> Any:
        """A case of small numbers, one after the other as small as the ones before allow: it reads well, and is the same everywhere."""
        launch = [self.atoms(atom) for atom in atoms if atom.origin in ("launch", "round") and atom.kind == "symbol" and not _truth(atom)]
        for term in [*(self.poly(one) for one in coordinates if one.constant is None), *launch][:LEAST]:
            low, high = 0, model_number(model, term)
            while low < high:
                middle = (low + high) // 2
                solver.push()
                solver.add(term >= 0, term <= middle)
                if solver.check() == self.z3.sat:
                    model, high = solver.model(), model_number(solver.model(), term)
                    solver.pop()
                else:
                    solver.pop()
                    low = middle + 1
            solver.add(term == high)
        return model

    # ---- terms

    def poly(self, poly: Poly) -> Any:
        total: Any = self.z3.IntVal(poly.free, self.context)
        for mono, coef in poly.terms.items():
            if mono:
                part: Any = coef
                for atom in mono:
                    part = part * self.atoms(atom)
                total = total + part
        return total

    def atoms(self, atom: Atom) -> Any:
        found = self._atoms.get(atom)
        if found is None:
            name = f"{atom.kind}{atom.order}"
            found = self._atoms[atom] = self.z3.Int(name, self.context)
        return found

    def meaning(self, atom: Atom) -> list[Any]:
        """What defines an atom, and its bounds."""
        z3, here, args = self.z3, self.atoms(atom), atom.args
        found: list[Any] = []
        if atom.low > -INF:
            found.append(here >= int(atom.low))
        if atom.high < INF:
            found.append(here <= int(atom.high))
        if atom.kind == "div":
            inner = self.poly(args[0])
            found += [args[1] * here <= inner, inner <= args[1] * here + (args[1] - 1)]
        elif atom.kind == "quotient":
            inner, by = self.poly(args[0]), self.poly(args[1])
            found.append(z3.Implies(by > 0, z3.And(by * here <= inner, inner < by * here + by)))
            found.append(z3.Implies(by < 0, z3.And(by * here >= inner, inner > by * here + by)))
        elif atom.kind == "ite":
            found.append(here == z3.If(self.cond(args[0]), self.poly(args[1]), self.poly(args[2])))
        elif atom.kind == "bits":
            found += self._bits(here, *args[:3])
        elif atom.kind == "load":
            memory, index, offset = args
            name = f"memory{self._memories.setdefault(memory, len(self._memories))}_{offset}"
            function = z3.Function(name, z3.IntSort(self.context), z3.IntSort(self.context))
            found.append(here == function(self.poly(index)))
        return found

    def _bits(self, here: Any, op: str, left: Poly, right: Poly) -> list[Any]:
        """Some of what holds of `and`, `or`, `xor` of two values: enough for bounds. As bit vectors, z3 takes its time without end."""
        z3, one, two = self.z3, self.poly(left), self.poly(right)
        both = z3.And(one >= 0, two >= 0)
        if op == "and":
            return [z3.Implies(one >= 0, z3.And(here >= 0, here <= one)), z3.Implies(two >= 0, z3.And(here >= 0, here <= two))]
        found = [z3.Implies(both, z3.And(here >= 0, here <= one + two))]
        if op == "or":
            return [*found, z3.Implies(both, z3.And(here >= one, here >= two))]
        return [*found, z3.Implies(both, z3.And(here >= one - two, here >= two - one)), (here == 0) == (one == two)]

    def cond(self, cond: Cond) -> Any:
        z3, kind = self.z3, cond[0]
        if kind in ("ge", "eq", "ne"):
            value = self.poly(cond[1])
            return value >= 0 if kind == "ge" else value == 0 if kind == "eq" else value != 0
        if kind == "is":
            return (self.atoms(cond[1]) != 0) == cond[2]
        if kind in ("and", "or"):
            return (z3.And if kind == "and" else z3.Or)(*map(self.cond, cond[1:]))
        return z3.BoolVal(kind == "true", self.context)


def model_number(model: Any, term: Any) -> int:
    return int(model.eval(term, model_completion=True).as_long())


def _truth(atom: Atom) -> bool:
    return (atom.low, atom.high) == (0, 1)
