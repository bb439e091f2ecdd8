"""Races between threads of the grid: that no two of them touch one element unordered, one of them writing, is proven or refused.

The kernel is run once with symbols (`execute`, `loops`), which gives its accesses and the pairs that no barrier orders (`accesses`).
Whether two threads can meet in such a pair (`question`) is decided thread by thread where nothing else counts (`tables`), or by equations
(`equations`), perhaps with conditions of the launch (`stakes`), else by z3 (`smt`). What cannot be decided is OX4003.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from oxidepy.analysis import uniformity
from oxidepy.analysis.races import report, search
from oxidepy.analysis.races.accesses import Access, tolerated
from oxidepy.analysis.races.equations import Refuter
from oxidepy.analysis.races.execute import Executor, tracked_memory
from oxidepy.analysis.races.question import Asker, Pair
from oxidepy.analysis.races.smt import Missing, Solver
from oxidepy.analysis.races.stakes import Stakes
from oxidepy.analysis.races.tables import Clash, Tables
from oxidepy.analysis.races.terms import Cond, Facts, Poly, every_atom
from oxidepy.analysis.races.trial import Trial
from oxidepy.analysis.uniformity import Uniformity
from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Module, Op, Require, Value

VERSION = 17  # of the rules: a proof of another version is made anew
LIMIT = 10_000_000  # units of z3's rlimit for one question
LOOKED = 24  # pairs of accesses at the same two places in the source, for what an `unsafe` suspends
HALVES = "the halves of the cluster's barrier do not stand one after the other on every way"
_GIVEN_UP = Diagnostic("OX4003", "what sums of `while` loops that do not wrap may settle", None)
SHOWN = 3  # findings for one memory object


@dataclass(frozen=True)
class Suspended:
    """Two accesses of one memory object that are not proven to stay apart, for which an `unsafe` vouches. `reasons`: what it says."""

    reasons: tuple[str, ...]
    memory: str
    first: Op
    second: Op


@dataclass(frozen=True)
class Proof:
    """`diagnostics`: what is wrong, or not proven. `pairs`: accesses that were held against each other; `asked`: questions that went to z3.

    `staked`: relations of launch values that the proof rests on; the host has to hold every launch to them. `suspended`: what was not
    proven because `unsafe` vouches for it.
    """

    diagnostics: tuple[Diagnostic, ...]
    uniform: Uniformity
    pairs: int = 0
    asked: int = 0
    staked: tuple[Require, ...] = ()
    suspended: tuple[Suspended, ...] = ()


def prove(module: Module, *, asserts: bool = True, limit: int = LIMIT, trial: bool = True) -> Proof:
    """Decide convergence and races of a kernel. `asserts`: its asserts are checked at run time, so what they say holds behind them.
    `trial`: what is not decided is run in small launches, which may show a race.

    Where convergence rests on what shared memory holds, it is assumed that threads that read one place read the same; that holds if all
    races are then proven absent, barrier by barrier.
    """
    uniform = uniformity.analyse(module)
    tracked = tracked_memory(module)
    if uniform.diagnostics:
        hoped = uniformity.analyse(module, settled(module, tracked))
        if hoped.diagnostics:
            return Proof(tuple(hoped.diagnostics), hoped)
        proof = _proof(module, hoped, tracked, asserts, limit, trial)
        return proof if not proof.diagnostics else Proof((*uniform.diagnostics, *proof.diagnostics), uniform, proof.pairs, proof.asked)
    return _proof(module, uniform, tracked, asserts, limit, trial)


def _proof(module: Module, uniform: Uniformity, tracked: set[Value], asserts: bool, limit: int, trial: bool) -> Proof:
    """A kernel with `while` loops that is not proven as it is may be where their sums do not wrap: that is then a condition."""
    ways = (_Prover(module, uniform, tracked, asserts, limit, trial, exact=exact).proof() for exact in (None, True, False))
    return next(one for one in ways if one is not None)


def settled(module: Module, tracked: set[Value]) -> frozenset[Value]:
    """The memory of which the proof that no threads race says that those who read one place at one operation read the same."""
    return frozenset(memory for memory in tracked if not _unsafe(module, memory))


def _unsafe(module: Module, memory: Value) -> bool:
    return any("unsafe" in op.attrs or op.name == "intrinsic" for op in module.kernel.body.walk() if memory in op.operands)


class _Prover:
    def __init__(
        self, module: Module, uniform: Uniformity, tracked: set[Value], asserts: bool, limit: int, trial: bool, *, exact: bool | None
    ) -> None:
        self.module = module
        self.uniform = uniform
        self.limit = limit
        self.asked = 0
        self.solver: Solver | None = None
        self.needed = bool(tracked) or any(op.name == "check" for op in module.kernel.body.walk())
        self.run = Executor(module, uniform, tracked, asserts=asserts)
        self.exact = exact  # whether sums of `while` loops are taken not to wrap; None: whether that matters is to be found out
        if exact:
            self.run.loops.exact = []
        self.refuter = Refuter(self.run.terms)
        self.refuted: dict[object, list[Facts]] = {}  # under which conditions a question is settled, and those under which it is not
        self.failed: dict[object, list[Facts]] = {}
        self.settled: dict[object, list[tuple[frozenset[Cond], frozenset[Cond]]]] = {}
        self.guards: dict[Access, frozenset[Cond]] = {}
        self.tables = Tables(self.run.terms, self.run.threads)
        self.stakes = Stakes(self.run.terms, self.run.launch)
        self.trial = Trial(module, self.run.launch, tracked) if trial else None

    def proof(self) -> Proof | None:
        """None where it fails, and may not if sums of `while` loops are taken for exact, or where these cannot be held to that."""
        if not self.needed:
            return Proof((), self.uniform)
        self.run.run()
        rooms = [self.stakes.require(room, None) for room in self.run.loops.exact or ()]
        requires = [one for one in rooms if one is not None]
        if len(requires) < len(rooms) or not self.stakes.take(requires, self._z3):
            return None
        found = [*self.run.findings]
        asker = Asker(self.run.terms, self.run.launch)
        shown: dict[Value, int] = {}
        lines: set[object] = set()
        pairs = sorted(self.run.pairs.found.items(), key=lambda one: (one[0][1].number, one[0][0].number))
        for (first, second), relations in pairs:
            place = (first.memory, first.op.span, second.op.span)
            if shown.get(first.memory, 0) >= SHOWN or (place in lines and first.op.span is not None):
                continue
            open_ = {one for one in relations if not tolerated(first, second, one)}
            irregular = {one for one in open_ if ((first, second), one) in self.run.pairs.irregular}
            problem = self._decide(asker, first, second, open_ - irregular)
            if irregular and problem is None and self._decide(asker, first, second, irregular) is not None:
                problem = report.undecided(self.module.kernel, asker.pairs(first, second, irregular)[0], HALVES)
            if problem is _GIVEN_UP:
                return None
            if problem is not None and problem.code == "OX4003":
                problem = self._seen(first, second, open_) or problem
            if problem is not None:
                found.append(problem)
                lines.add(place)
                shown[first.memory] = shown.get(first.memory, 0) + 1
        suspended = self._suspended(asker) if not found else ()
        return Proof(tuple(found), self.uniform, len(pairs), self.asked, tuple(self.stakes.needed.values()), suspended)

    def _seen(self, first: Access, second: Access, relations: set[str]) -> Diagnostic | None:
        """The race that a small launch shows. Not where an index comes out of memory: a user's is another one."""
        if self.trial is None or any(atom.origin == "loaded" for atom in every_atom([first.index, second.index])):
            return None
        found = self.trial.clash(first.op, second.op, relations)
        if found is None:
            return None
        one, two = found
        relation = one.relation(two)
        assert relation is not None
        places = [(one.block, one.thread), (two.block, two.thread)]
        return report.seen(self.module.kernel, (first, second), frozenset((relation,)), places, two.index)

    def _suspended(self, asker: Asker) -> tuple[Suspended, ...]:
        """The pairs for which `unsafe` vouches and which equations do not settle without it, a few for each reason.

        Of many pairs at one place in the source only the first are looked at; the others are taken for unsettled.
        """
        out: list[Suspended] = []
        told: Counter[str] = Counter()
        looked: Counter[object] = Counter()
        for (first, second), relations in self.run.pairs.vouched.items():
            reasons = {one.op.attrs["unsafe"] for one in (first, second) if one.unsafe}
            open_ = {one for one in relations if not tolerated(first, second, one)}
            if all(told[reason] >= SHOWN for reason in reasons) or not open_:
                continue
            place = (first.memory, first.op.span, second.op.span)
            looked[place] += 1
            if looked[place] > LOOKED or not all(map(self._refutes, asker.pairs(first, second, open_))):
                told.update(reasons)
                out.append(Suspended(tuple(sorted(reasons)), report.memory_name(self.module.kernel, first.memory), first.op, second.op))
        return tuple(out)

    def _decide(self, asker: Asker, first: Access, second: Access, relations: set[str]) -> Diagnostic | None:
        """What is wrong with a pair. Two that are apart are so under more guards too: most pairs of a long kernel need no question."""
        key, guards = (first.index, second.index, frozenset(relations)), (self._guards(first), self._guards(second))
        settled = self.settled.setdefault(key, [])
        if not relations or any(one <= guards[0] and two <= guards[1] for one, two in settled):
            return None
        shared = first.memory.memory.space == "shared"
        clash = self.tables.meet(first, second, frozenset(relations)) if shared else None
        problem = self._decided(asker, first, second, relations) if clash is not False else None
        if problem is None:
            settled.append(guards)
        return problem

    def _guards(self, access: Access) -> frozenset[Cond]:
        if access not in self.guards:
            self.guards[access] = frozenset(access.guards)
        return self.guards[access]

    def _decided(self, asker: Asker, first: Access, second: Access, relations: set[str]) -> Diagnostic | None:
        first, second = self._paid_for(first, second)
        for pair in asker.pairs(first, second, relations):
            clash = self.tables.meet(first, second, pair.relations) if first.memory.memory.space == "shared" else None
            if clash is False:
                continue
            if isinstance(clash, Clash) and clash.exact:
                return report.race(self.module.kernel, pair, self.tables.value(clash))
            if self._refutes(pair):
                continue
            staked = self._staked(asker, first, second, relations)
            if staked is not None:
                return staked if isinstance(staked, Diagnostic) else None
            problem = self._ask(pair)
            if problem is not None:
                return problem
        return None

    def _paid_for(self, first: Access, second: Access) -> tuple[Access, Access]:
        """Both with indices that do not wrap, where the proof rests on conditions already that say so: pairs of one kind are many."""
        if self.stakes.needed and first.memory.memory.space != "shared":
            one, two = self.stakes.exact(first), self.stakes.exact(second)
            if one is not None and two is not None and all(more.expr in self.stakes.needed for more in (*one[1], *two[1])):
                return one[0], two[0]
        return first, second

    def _staked(self, asker: Asker, first: Access, second: Access, relations: set[str]) -> Diagnostic | Literal[True] | None:
        """The same for indices that do not overflow, if that follows from a relation of launch values; None if it does not."""
        one, two = self.stakes.exact(first), self.stakes.exact(second)
        if one is None or two is None:
            return None
        asked = list(asker.pairs(one[0], two[0], relations)) if (one[0], two[0]) != (first, second) else []
        if asked and all(map(self._refutes, asked)):
            return True if self.stakes.take((*one[1], *two[1]), self._z3) else None
        ways = self.stakes.exact(first, way=True), self.stakes.exact(second, way=True)
        if ways[0] is not None and ways[1] is not None and (ways[0][0], ways[1][0]) != (one[0], two[0]):
            pairs = asker.pairs(ways[0][0], ways[1][0], relations)
            if all(map(self._refutes, pairs)) and self.stakes.take((*ways[0][1], *ways[1][1]), self._z3):
                return True
        for pair in asked:
            problem = None if self._refutes(pair) else self._ask(pair)
            if problem is not None:
                return problem
        return True if asked and self.stakes.take((*one[1], *two[1]), self._z3) else None

    def _refutes(self, pair: Pair) -> bool:
        for question in pair.questions():
            key, facts = (question.meet, question.apart), Facts(question.conds)
            if any(map(facts.say, self.refuted.get(key, ()))):  # what cannot be under fewer conditions cannot be under these
                return True
            failed = self.failed.setdefault(key, [])
            if any(one.rest == facts.rest and one.least == facts.least for one in failed):
                continue
            if self.refuter.refutes(question):
                self.refuted.setdefault(key, []).append(facts)
                return True
            failed.append(facts)
        return False

    def _ask(self, pair: Pair) -> Diagnostic | None:
        kernel = self.module.kernel
        if self.exact is None and self.run.loops.roomy:
            return _GIVEN_UP
        found = self._search(pair, search.FEW)
        if found is not None:
            return report.race(kernel, pair, found)
        if any(atom.kind == "quotient" for atom in every_atom(pair.indices)):  # of which z3 knows little, and takes its time
            seen = self._seen(pair.first, pair.second, set(pair.relations))
            if seen is not None:
                return seen
        solver = self._z3()
        if solver is None:
            return report.undecided(kernel, pair, "it needs z3, which is not installed")
        self.asked += 1
        case = solver.solve(pair)
        if case is False:
            return None
        why = report.doubt(pair)
        found = self._search(pair, search.MANY)
        if found is None and why is not None:
            return report.undecided(kernel, pair, why)
        found = found or case()
        if found is None:
            return report.undecided(kernel, pair, "the question stayed undecided within the limit")
        return report.race(kernel, pair, found)

    def _search(self, pair: Pair, most: int) -> Callable[[Poly], int] | None:
        return search.find(self.run.launch, pair, report.data(pair), most) if report.certain(pair) else None

    def _z3(self) -> Solver | None:
        """The solver; None where z3 is not installed."""
        try:
            self.solver = self.solver or Solver(self.limit)
        except Missing:
            return None
        return self.solver
