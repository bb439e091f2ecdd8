"""Runs a kernel once with symbols for values, for one thread that stands for all of them, and notes its accesses and which may meet.

The tree is followed as it stands. A condition that is not known makes both ways run, each under its guard. What cannot be followed
becomes a symbol of which only the type, and the group over which it is equal, is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from oxidepy.analysis import lanes
from oxidepy.analysis.races import certain
from oxidepy.analysis.races.accesses import Access, Open, Pairs
from oxidepy.analysis.races.known import Known
from oxidepy.analysis.races.launch import Launch
from oxidepy.analysis.races.loops import Loops
from oxidepy.analysis.races.rewriting import Rewriting
from oxidepy.analysis.races.terms import (
    FALSE,
    INF,
    TRUE,
    ZERO,
    Atom,
    Cond,
    Interval,
    Poly,
    Terms,
    all_of,
    at_least_zero,
    chosen,
    every_atom,
    negated,
    strongest,
    weight,
)  # fmt: skip
from oxidepy.analysis.races.values import Term, evaluate
from oxidepy.analysis.uniformity import BLOCK, CLUSTER, GRID, THREAD, WARP, Uniformity
from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import Memory, Scalar

FULL_MASK = (1 << 32) - 1
HALVES = {"cluster.arrive": Open.arrive, "cluster.wait": Open.wait}
MAX_WEIGHT = 150  # of a term: what is more entangled is taken for any value of its type


@dataclass
class Path:
    """What holds where the thread stands: `guards` in the order in which they were met, and what is known from them."""

    guards: tuple[Cond, ...]
    known: Known

    def inside(self) -> Path:
        """One that goes on from here, and leaves this one as it is."""
        return Path(self.guards, self.known.child())


@dataclass
class Left:
    """A `leave`: its path, values, what was open, and how many loops that were not followed round by round stood around it."""

    label: str
    guards: tuple[Cond, ...]
    values: list[Term]
    open: Open
    loops: int


class Executor:
    """`pairs` and `findings` are the result."""

    def __init__(self, module: Module, uniform: Uniformity, tracked: set[Value], *, asserts: bool) -> None:
        self.kernel = module.kernel
        self.uniform = uniform
        self.tracked = tracked
        self.asserts = asserts
        self.overwrites = module.kernel.overwrites()
        self.terms = Terms()
        self.launch = Launch(self.terms, module.kernel)
        self.threads = certain.Threads(self.launch)
        self.env: dict[Value, Term] = dict(self.launch.params)
        self.path: Path = Path((), self.launch.known())
        self.open = Open()
        self.pairs = Pairs(module.kernel.cluster is not None)
        self.left: list[Left] = []
        self.parted: list[dict[Value, dict[Access, None]]] = []  # what some lanes of a warp have ordered in the branch where they are
        self.cap = GRID  # no value made here is equal over a larger group: the groups take their rounds of a loop apart
        self.top = GRID  # up to which group meeting accesses are noted
        self.depth = 0  # of loops that are not followed round by round
        self.probing = False
        self.findings: list[Diagnostic] = []
        self.loops = Loops(self)
        self._syncs: dict[Op, int] = {}
        self._defined: set[Atom] = set()
        self._needed: dict[tuple[Cond, ...], tuple[Cond, ...]] = {}
        self._base = self.launch.known()
        self._told: set[Atom] = set()  # of which the base knows how they are made
        self._always: dict[Poly, bool] = {}
        self._accesses = 0

    @property
    def known(self) -> Known:
        return self.path.known

    def run(self) -> None:
        for param in self.kernel.params:
            if isinstance(param.type, Scalar) and param.scalar.kind == "bool":
                self.condition(param)
        self.block(self.kernel.body)

    # ---- values

    def integer(self, value: Value) -> Poly:
        found = self.env.get(value)
        if not isinstance(found, Poly):
            found = self.fresh(value, "computed")
            assert isinstance(found, Poly)
            self.env[value] = found
        return found

    def condition(self, value: Value) -> Cond:
        found = self.env.get(value)
        if not isinstance(found, tuple):
            made = self.fresh(value, "computed")
            assert isinstance(made, tuple)
            found = self.env[value] = made
        return found

    def fresh(self, value: Value, origin: str, bounds: Interval | None = None) -> Term:
        """A symbol for a value of which nothing else is known."""
        level = min(self.uniform.level(value), self.cap)
        return self.symbol(value.scalar, level, value.name or _named(value), origin, bounds)

    def symbol(self, scalar: Scalar, level: int, name: str, origin: str, bounds: Interval | None = None) -> Term:
        if scalar.is_int:
            return self.terms.of(self.terms.symbol(name, level, bounds or (scalar.min, scalar.max), origin))
        if scalar.kind == "bool":
            return ("is", self.terms.symbol(name, level, (0, 1), origin), True)
        return None

    def define(self, poly: Poly) -> Poly:
        """Learn what follows from how the atoms of a term are made."""
        for atom in poly.atoms():
            if atom.kind != "symbol" and atom not in self._defined:
                for cond in definition(self.terms, atom, self.known):
                    self.known.assume(cond)
        return poly

    def decided(self, cond: Cond) -> Cond:
        """The condition, decided where what is known decides it."""
        if cond[0] == "ge":
            low, high = self.known.interval(cond[1])
            return TRUE if low >= 0 else FALSE if high < 0 else cond
        if cond[0] in ("eq", "ne"):
            low, high = self.known.interval(cond[1])
            if low > 0 or high < 0:
                return FALSE if cond[0] == "eq" else TRUE
            return cond if low < high else TRUE if cond[0] == "eq" else FALSE
        return cond

    def assume(self, cond: Cond) -> None:
        """Go on only where the condition holds."""
        for part in cond[1:] if cond[0] == "and" else (cond,):
            part = self.decided(part)
            if part != TRUE and part not in self.path.guards:
                self.path.guards = (*self.path.guards, part)
                self.known.assume(part)

    # ---- operations

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.operation(op)

    def operation(self, op: Op) -> None:
        name = op.name
        if name in _HANDLERS:
            _HANDLERS[name](self, op)
        elif len(op.results) == 1:
            result = op.results[0]
            if isinstance(result.type, Scalar):
                self.env[result] = self.followed(result, evaluate(self, op), _origin(op))
        else:
            for result in op.results:
                self.env[result] = self.fresh(result, _origin(op))
        if name == "intrinsic":
            self.barrier(op)

    def barrier(self, op: Op) -> None:
        level = self.sync_level(op)
        if (some := lanes.part(op)) is not None:
            self.parted.append(self.open.part(self.launch.other_lanes(some)))
        elif op.attrs["row"] in HALVES and level > THREAD:
            HALVES[op.attrs["row"]](self.open)
        elif level > THREAD:
            self.open.sync(level)

    def followed(self, result: Value, term: Term, origin: str) -> Term:
        """The term; where there is none, or too much to it, a symbol in its bounds."""
        if term is not None and weight(term) <= MAX_WEIGHT:
            return term
        if not isinstance(term, Poly):
            return self.fresh(result, origin)
        (low, high), scalar = self.known.interval(term), result.scalar
        return self.fresh(result, origin, (max(low, scalar.min), min(high, scalar.max)))

    def load(self, op: Op) -> None:
        memory, result = op.operands[0], op.results[0]
        if memory in self.tracked:
            self.access(op)
        scalar = result.scalar
        if self.overwrites or "volatile" in op.attrs or (memory.memory.access != "shared" and memory.memory.space != "const"):
            self.env[result] = self.fresh(result, "loaded")
        elif scalar.is_float:
            self.env[result] = None
        else:
            bounds = (scalar.min, scalar.max) if scalar.is_int else (0, 1)
            args = (memory, self.integer(op.operands[1]), op.attrs["offset"])
            atom = self.terms.atom("load", args, bounds, f"{memory.name}[…]", "loaded")
            self.env[result] = self.terms.of(atom) if scalar.is_int else ("is", atom, True)

    def store(self, op: Op) -> None:
        if op.operands[0] in self.tracked:
            self.access(op)

    def atomic(self, op: Op) -> None:
        if op.operands[0] in self.tracked:
            self.access(op)
        for result in op.results:
            self.env[result] = self.fresh(result, "loaded")

    def access(self, op: Op) -> None:
        index = self.integer(op.operands[1])
        memory, guards = op.operands[0], self.path.guards
        if self.probing or self.known.dead:
            return
        self._accesses += 1
        index, guards = self.unwrapped(index, guards)
        guards = self.needed(guards)
        size = memory.memory.element.size if "whole" in op.attrs else _accessed(op).size
        access = Access(op, memory, index, op.attrs["offset"], size, guards, self._accesses)
        for found in self.open.accesses[WARP].get(memory, {}):
            if found.op is op and found.index == index and found.guards == guards:
                access = found  # the same once more; since the first, a barrier may have stood on one of the ways here, so it meets anew
                break
        self.pairs.meet(access, self.open, self.top)

    def needed(self, guards: tuple[Cond, ...]) -> tuple[Cond, ...]:
        """The guards that say all that they say together, without what is so in every launch."""
        found = self._needed.get(guards)
        if found is None:
            found = self._needed[guards] = tuple(one for one in strongest(guards) if not self.always(one))
        return found

    def always(self, cond: Cond) -> bool:
        """Whether it follows from what the host guarantees, and from how its atoms are made."""
        if cond[0] != "ge":
            return False
        found = self._always.get(cond[1])
        if found is None:
            for atom in every_atom([cond]) - self._told:
                self._told.add(atom)
                for one in definition(self.terms, atom, self._base) if atom.kind != "symbol" else ():
                    self._base.assume(one)
            found = self._always[cond[1]] = self._base.nonnegative(cond[1])
        return found

    def unwrapped(self, index: Poly, guards: tuple[Cond, ...]) -> tuple[Poly, tuple[Cond, ...]]:
        """An index that may have wrapped, but not where this thread stands, as the exact one; the range of what did not wrap is a guard."""
        for atom in sorted(every_atom([index]), key=lambda one: one.order):
            if atom not in self.terms.wraps or atom not in set(index.atoms()):
                continue
            inner, by = atom.args
            here = self.terms.of(atom)
            if self.known.nonnegative(inner) and self.known.nonnegative(-here * by + (by - 1)):
                exact = Rewriting(self.terms, {atom: ZERO}.get)
                index = exact.poly(index)
                kept = (one for one in map(exact.cond, guards) if one != TRUE)
                guards = (*kept, at_least_zero(-inner + (by - 1)), at_least_zero(inner))
        return index, guards

    def check(self, op: Op) -> None:
        cond = self.condition(op.operands[0])
        if op.attrs["code"] in ("OX7001", "OX7003") and not self.probing and not self.known.dead:
            self.bounds(op)
        if self.asserts or op.attrs["code"] != "OX7002":
            self.assume(cond)

    def bounds(self, op: Op) -> None:
        """What is said of a check of an index or a divisor where a thread comes to it."""
        test = op.operands[0].owner
        if isinstance(test, Op) and test.name == "inbounds":
            certain.judge(self, op, *map(self.integer, test.operands))

    # ---- control

    def sync_level(self, op: Op) -> int:
        """The group that the operation, or one inside of it, orders, or half of whose barrier it is: THREAD for none."""
        found = self._syncs.get(op)
        if found is None:
            found = self._syncs[op] = max((self._orders(one) for one in op.walk()), default=THREAD)
        return found

    def _orders(self, op: Op) -> int:
        row = op.attrs["row"] if op.name == "intrinsic" else ""
        if row not in HALVES and (not row or ROWS[row].effect != "sync"):
            return THREAD
        if row == "warp.sync":  # lanes of a smaller mask, or in divergent control flow, need not wait for each other
            whole = op.operands[0].constant == FULL_MASK and self.uniform.control.get(op, THREAD) >= WARP
            return WARP if whole else THREAD
        level = {"block": BLOCK, "cluster": CLUSTER, "grid": GRID}[ROWS[row].convergence]
        return level if self.uniform.control.get(op, THREAD) >= level else THREAD

    def results_of(self, values: Iterable[Value]) -> list[Term]:
        return [self.term(value) for value in values]

    def term(self, value: Value) -> Term:
        if not isinstance(value.type, Scalar) or value.scalar.is_float:
            return None
        return self.integer(value) if value.scalar.is_int else self.condition(value)

    def branches(self, op: Op) -> None:
        cond = self.decided(self.condition(op.operands[0]))
        before, parted = len(self.left), len(self.parted)
        ends: list[list[Term] | None] = [None, None]
        start, level = self.open.copy(), self.sync_level(op)
        then_open: Open | None = None
        for side, region in enumerate(op.regions):
            taken = cond if side == 0 else negated(cond)
            if taken == FALSE:
                continue
            outer = self.path
            self.path = outer.inside()
            self.assume(taken)
            if self.known.dead:  # nobody comes here
                self.path = outer
                continue
            if side == 1 and then_open is not None:
                self.open = _for_the_other(start, then_open, level)
            self.block(region)
            while len(self.parted) > parted:  # lanes that came together there order nothing for those that did not come
                for memory, found in self.parted.pop().items():
                    self.open.accesses[WARP].setdefault(memory, {}).update(found)
            if region.leaves:
                self._end(level)
            else:
                ends[side] = self.results_of(region.terminator.operands)
            self.path = outer
            if side == 0:
                then_open = self.open
            elif then_open is not None:
                self.open.merge(then_open)
        self._merge(op, cond, ends)
        self.after(before)

    def _end(self, level: int) -> None:
        """Nobody comes from a region that leaves: what is open there is open where it goes, and in what others run meanwhile."""
        for one in self.open.accesses:
            if level >= one:
                self.open.clear(one)
        self.open.nowhere |= level >= CLUSTER

    def _merge(self, op: Op, cond: Cond, ends: list[list[Term] | None]) -> None:
        for number, result in enumerate(op.results):
            sides = [end[number] for end in ends if end is not None]
            if len(sides) == 2:
                self.env[result] = self.either(result, cond, sides[0], sides[1])
            else:
                self.env[result] = sides[0] if sides else _nothing(result)

    def either(self, result: Value, cond: Cond, then: Term, other: Term) -> Term:
        if isinstance(then, Poly) and isinstance(other, Poly):
            if weight((cond, then, other)) <= MAX_WEIGHT:
                return self.terms.choice(cond, then, other)
            one, two = self.known.interval(then), self.known.interval(other)
            return self.fresh(result, "computed", (min(one[0], two[0]), max(one[1], two[1])))
        if isinstance(then, tuple) and isinstance(other, tuple) and weight((cond, then, other)) <= MAX_WEIGHT:
            return chosen(cond, then, other)
        return None

    def leave(self, op: Op) -> None:
        self.left.append(Left(op.attrs["label"], self.path.guards, self.results_of(op.operands), self.open.copy(), self.depth))

    def after(self, before: int) -> None:
        """Who left for a scope outside is not here any more."""
        length = len(self.path.guards)
        for left in self.left[before:]:
            if left.loops == self.depth:
                self.assume(negated(all_of(*left.guards[length:])))

    def scope(self, op: Op) -> None:
        label, (body,) = op.attrs["label"], op.regions
        before, outer = len(self.left), self.path
        self.path = outer.inside()
        length = len(outer.guards)
        self.block(body)
        ends: list[tuple[tuple[Cond, ...], list[Term]]] = []
        falls = None if body.leaves else self.results_of(body.terminator.operands)
        self.path = outer
        mine = [left for left in self.left[before:] if left.label == label]
        self.left[before:] = [left for left in self.left[before:] if left.label != label]
        if body.leaves:
            level = self.sync_level(op)
            self._end(level)
        for left in mine:
            self.open.merge(left.open)
            ends.append((left.guards[length:], left.values))
        lost = any(left.loops != self.depth for left in mine)
        for number, result in enumerate(op.results):
            self.env[result] = self._arrival(result, number, ends, falls, lost)
        self.after(before)

    def _arrival(
        self, result: Value, number: int, ends: list[tuple[tuple[Cond, ...], list[Term]]], falls: list[Term] | None, lost: bool
    ) -> Term:
        values = [values[number] for _, values in ends] + ([falls[number]] if falls is not None else [])
        if values and not lost and all(value == values[0] for value in values):
            return values[0]
        if lost or not values:
            return self.fresh(result, "carried")
        total = values[-1]
        for guards, found in reversed(ends if falls is not None else ends[:-1]):
            total = self.either(result, all_of(*guards), found[number], total)
        return total

    def nothing(self, op: Op) -> None:
        """Memory and the order of accesses have no value; the ends of regions are read by those who ran these."""


def definition(terms: Terms, atom: Atom, known: Known) -> list[Cond]:
    """What follows from how an atom is made, as inequalities."""
    here, args = terms.of(atom), atom.args
    if atom.kind == "div":
        return [at_least_zero(args[0] - here * args[1]), at_least_zero(here * args[1] + (args[1] - 1) - args[0])]
    if atom.kind == "quotient" and args[1].terms and known.nonnegative(args[1] - 1):
        return _quotient(terms, atom, known)
    if atom.kind == "ite" and args[0][0] == "ge":
        least, most = args[0][1] == args[2] - args[1], args[0][1] == args[1] - args[2]
        found = [at_least_zero((one - here) * (1 if least else -1)) for one in args[1:] if least or most]
        if least and known.interval(here)[0] < 0 and all(map(known.nonnegative, args[1:])):
            found.append(at_least_zero(here))
        return found
    return []


def _quotient(terms: Terms, atom: Atom, known: Known) -> list[Cond]:
    """What follows for a quotient by what is positive."""
    here, (inner, by) = terms.of(atom), atom.args
    found = [at_least_zero(inner - here * by), at_least_zero(here * by + by - 1 - inner)]
    low, high = known.interval(inner)
    if low >= 0 or known.nonnegative(inner):
        found += [at_least_zero(here), *((at_least_zero(-here + int(high)),) if high < INF else ())]
    for limit in known.limits(inner):  # p < m*n says p // n < m
        most, rest = limit.split(by)
        if most.terms and rest.constant is not None and rest.free <= 0:
            found.append(at_least_zero(most - here - (1 if rest.free else 0)))
    common = math.gcd(*by.terms.values())
    if common > 1:  # p // (16*n) is p // 16 // n
        rest = terms.div(inner, common) - here * by.divided(common)
        found += [at_least_zero(rest), at_least_zero(by.divided(common) - 1 - rest)]
        found += [cond for one in rest.atoms() if one.kind == "div" for cond in definition(terms, one, known)]
    for other, divisor in terms.quotients[inner].items():  # of p // m and p // (m*n) the second is the first // n
        for fine, coarse, ratio in ((here, other, divisor.ratio(by)), (terms.of(other), atom, by.ratio(divisor))):
            if ratio is not None and other is not atom and known.nonnegative(ratio - 1):
                rest = fine - terms.of(coarse) * ratio
                found += [at_least_zero(rest), at_least_zero(ratio - 1 - rest)]
    return found


def _for_the_other(start: Open, then: Open, level: int) -> Open:
    """What is open where the other way begins: groups that a barrier inside orders take one way together, others both at once."""
    found = Open()
    for one in found.accesses:
        found.put(one, start if level >= one else then)
    found.hand(start if level >= CLUSTER else then)
    return found


def _nothing(result: Value) -> Term:
    return None if result.scalar.is_float else Poly({}) if result.scalar.is_int else FALSE


def _named(value: Value) -> str:
    op = value.owner
    return f"a {op.attrs.get('row', op.name)}" if isinstance(op, Op) else "a carried value"


def _origin(op: Op) -> str:
    if op.name == "intrinsic" and ROWS[op.attrs["row"]].convergence != "none":
        return "loaded"
    return "computed"


def _accessed(op: Op) -> Scalar:
    """The scalar type that an access reads or writes."""
    if op.name == "store":
        return op.operands[2].scalar
    if op.name == "load":
        return op.results[0].scalar
    value = op.results[0] if op.results else op.operands[2]
    return value.scalar


def tracked_memory(module: Module) -> set[Value]:
    """The memory objects that threads share and may write at any index, if the kernel writes them."""
    atomics = {op.operands[0] for op in module.kernel.body.walk() if op.name == "atomic"}
    written = {op.operands[0] for op in module.kernel.body.walk() if op.name in ("store", "atomic")}
    found: set[Value] = set()
    for memory in written:
        type_ = memory.type
        if isinstance(type_, Memory) and type_.space != "local" and (type_.access in ("exclusive", "raw") or memory in atomics):
            found.add(memory)
    return found


_HANDLERS: dict[str, Callable[[Executor, Op], None]] = {
    "load": Executor.load,
    "store": Executor.store,
    "atomic": Executor.atomic,
    "check": Executor.check,
    "if": Executor.branches,
    "scope": Executor.scope,
    "leave": Executor.leave,
    "for": lambda run, op: run.loops.count(op),
    "while": lambda run, op: run.loops.repeat(op),
    **dict.fromkeys(("alloc", "fence", "print", "yield", "condition", "return"), Executor.nothing),
}
