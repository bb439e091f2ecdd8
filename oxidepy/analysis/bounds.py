"""Bounds checks that conditions on the way alone do not settle: proven with what `require`, the contract and the loops say, else hoisted.

The kernel is run once with symbols, as the race prover does (`races.execute`). A check is proven where its index is inside on every way
that comes to it. It is hoisted where that follows from relations of launch values: the host tests these at each launch, and takes the
variant of the kernel without the check where they hold.

    x[row * k + i]  under row < m and i < k        m * k <= len(x)
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable

from oxidepy.analysis.races.accesses import Access
from oxidepy.analysis.races.execute import Executor
from oxidepy.analysis.races.stakes import Stakes
from oxidepy.analysis.races.terms import Atom, Cond, Poly, every_atom, of_launch
from oxidepy.analysis.uniformity import analyse
from oxidepy.analysis.verdicts import DIVISOR, Verdict, Verdicts, numbered
from oxidepy.ir.core import Module, Op, Require, Value

MOST = 64  # ways to one check for which relations are looked for: a loop that is followed round by round comes often
TRIES = 4  # to say when a value does not wrap
MADE: dict[str, Callable[[Poly, Poly], Poly]] = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def judge(module: Module, *, asserts: bool = True) -> Verdicts:
    """Say of each bounds check whether it is needed. `asserts`: the kernel's asserts are checked at run time, so they are facts."""
    run = _Run(module, asserts=asserts)
    run.run()
    if any(verdict is None for verdict in run.verdicts.values()) and any(op.name == "while" for op in module.kernel.body.walk()):
        run.settle(_Run(module, asserts=asserts, exact=True))
    found = Verdicts()
    for number, op in enumerate(numbered(module)):
        verdict = run.verdicts.get(op, ())  # no thread comes to one that was not met
        if verdict is None:
            found.reasons[number] = run.reasons[op]
        elif verdict:
            found.hoisted[number] = verdict
        else:
            found.proven.add(number)
    found.exact = [number for number, op in enumerate(module.kernel.body.walk()) if run.exact.get(op)]
    return found


class _Run(Executor):
    """Runs the kernel for its checks alone: which accesses meet does not matter."""

    def __init__(self, module: Module, *, asserts: bool, exact: bool = False) -> None:
        super().__init__(module, analyse(module), set(), asserts=asserts)
        self.verdicts: dict[Op, Verdict] = {}
        self.reasons: dict[Op, str] = {}
        self.ways: dict[Op, int] = {}
        self.exact: dict[Op, bool] = {}
        self.stakes = Stakes(self.terms, self.launch)
        self.rooms: dict[Atom, tuple[frozenset[Cond], list[Require]]] = {}  # of values that may wrap: under which conditions they do not
        self.failed: Counter[Atom] = Counter()
        if exact:
            self.loops.exact = []

    def settle(self, other: _Run) -> None:
        """Take what another run says of checks that stay, in which the sums of `while` loops are exact, with the relations for that."""
        other.run()
        rooms = [other.stakes.require(room, None) for room in other.loops.exact or ()]
        relations = tuple(one for one in rooms if one is not None)
        if relations and len(relations) == len(rooms):
            open_ = [op for op, verdict in self.verdicts.items() if verdict is None]
            self.verdicts.update({op: (*relations, *found) for op in open_ if (found := other.verdicts.get(op)) is not None})

    def operation(self, op: Op) -> None:
        super().operation(op)
        if op.name in MADE and op.result.scalar.is_int and op.result.scalar.signed and not self.probing and not self.known.dead:
            plain = MADE[op.name](*map(self.integer, op.operands))
            self.exact[op] = self.exact.get(op, True) and self.integer(op.result) == plain

    def bounds(self, op: Op) -> None:
        if self.verdicts.get(op, ()) is not None:
            self.verdicts[op] = self._verdict(op)

    def _verdict(self, op: Op) -> Verdict:
        before: tuple[Require, ...] = self.verdicts.get(op) or ()
        test = op.operands[0].owner
        if isinstance(test, Op) and test.name == "ne" and op.attrs["code"] == DIVISOR:
            return self._divisor(op, before, test.operands[0])
        if not isinstance(test, Op) or test.name != "inbounds":
            return self._stays(op, "its condition is no test of one index")
        value, length = test.operands
        most = self.integer(length)
        if all(map(self.known.nonnegative, _goals(self.integer(value), most))):
            return before
        index = _exact(self.integer(value), value.scalar.bits)
        goals = [goal for goal in _goals(index, most) if not self.known.nonnegative(goal)]
        if not goals:
            return before
        self.ways[op] = self.ways.get(op, 0) + 1
        if self.ways[op] > MOST:
            return self._stays(op, "it is reached in too many ways")
        if any(atom.origin == "loaded" for atom in every_atom([index])):
            return self._stays(op, "its index is loaded from memory")
        relations = self._relations(op, index, goals)
        if relations is None:
            side = "that the index is not negative" if index in goals else "that the index is less than the length"
            return self._stays(op, f"{side} follows neither from the conditions on the way nor from a relation of launch values")
        return (*before, *relations)

    def _divisor(self, op: Op, before: tuple[Require, ...], value: Value) -> Verdict:
        """What is divided by is not 0 where it is positive, or negative."""
        divisor = self.integer(value)
        if self.known.nonnegative(divisor - 1) or self.known.nonnegative(-divisor - 1):
            return before
        exact = _exact(divisor, value.scalar.bits)  # not 0 as long as it does not wrap
        if exact.constant is not None or not all(map(of_launch, exact.atoms())):
            return self._stays(op, "that the divisor is not 0 does not follow from the conditions on the way")
        relations = self._relations(op, exact, [exact - 1, -exact + value.scalar.max])
        return (
            self._stays(op, "no relation of launch values says that the divisor is not 0") if relations is None else (*before, *relations)
        )

    def _stays(self, op: Op, why: str) -> Verdict:
        self.reasons[op] = why
        return None

    def _relations(self, op: Op, index: Poly, goals: list[Poly]) -> tuple[Require, ...] | None:
        """Relations of launch values from which the goals, each >= 0, follow."""
        access, found = self._straightened(Access(op, op.operands[0], index, 0, 0, self.path.guards, 0))
        known = self.stakes.known(access)
        for goal in goals:
            if known.nonnegative(goal):
                continue
            relation = self.stakes.condition(goal, known, access, usual=False)
            if relation is None:
                return None
            found.append(relation)
        return tuple(found)

    def _straightened(self, access: Access) -> tuple[Access, list[Require]]:
        """With the conditions on the way as they are where nothing in them wraps, where that can be said, and the relations that say so."""
        relations: list[Require] = []
        here = frozenset(access.guards)
        given_up = {atom for atom, times in self.failed.items() if times >= TRIES and atom not in self.rooms}
        while wraps := sorted((self.terms.wraps & every_atom(access.guards)) - given_up, key=lambda one: one.order):
            given_up.add(wraps[0])
            guards, found = self.rooms.get(wraps[0], (here, None))
            if found is None or not guards <= here:
                guards, found = here, self.stakes.room(access, wraps[0])
            if found is None:
                self.failed[wraps[0]] += 1
                continue
            access = self.stakes.straight(access, wraps[0])
            relations += [one for one in found if one not in relations]
            self.rooms[wraps[0]] = (guards, [*relations])  # those before it too, on which it may rest
        return access, relations


def _goals(index: Poly, length: Poly) -> tuple[Poly, Poly]:
    """What must not be negative for the index to be inside."""
    return index, length - index - 1


def _exact(index: Poly, bits: int) -> Poly:
    """The index without its turns: equal to it modulo the range of its type, and so the same number if it is inside of a length."""
    turn = 1 << bits
    return Poly({mono: coef for mono, coef in index.terms.items() if coef % turn or not mono}) if index.terms else index
