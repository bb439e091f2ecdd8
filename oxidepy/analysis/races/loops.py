"""Loops: round by round where the number of rounds is known, else one round that stands for all of them, and the one after it.

What a loop carries is in closed form where each round adds the same, else any value in bounds that every round keeps. A loop with a
barrier is taken in step by the group of that barrier, so its rounds are numbered by one symbol for the whole group; without, each thread
has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oxidepy.analysis.races.accesses import Open
from oxidepy.analysis.races.terms import FALSE, INF, TRUE, ZERO, Interval, Poly, at_least_zero, every_atom, number, of_launch
from oxidepy.analysis.races.values import Term, fit
from oxidepy.analysis.uniformity import THREAD
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.types import Scalar

if TYPE_CHECKING:
    from oxidepy.analysis.races.execute import Executor, Path

Round = Callable[[Poly, list[Term]], "list[Term] | None"]  # number of the round, what it carries → what it carries on
ROUNDS = 1024  # that are followed one by one in one kernel, in loops with a barrier
FREE_ROUNDS = 64  # of one loop without
PROBES = 4  # until bounds of what a loop carries are given up


@dataclass
class Carried:
    """What is known of one carried value.

    kind "stays" · "adds": `add` each round, exactly · "wraps": modulo the type's range · "guarded": exactly, but that a last round may
    begin with a value that wrapped to a negative one · "any": within `bounds` (None: those of its type).
    """

    argument: Value
    initial: Term
    kind: str
    add: Poly = ZERO
    bounds: Interval | None = None


class Loops:
    def __init__(self, run: Executor) -> None:
        self.run = run
        self.rounds = 0
        self.marks = 0
        self.exact: list[Poly] | None = None  # taken for exact are `while` loops' sums that may wrap, if these are not negative
        self.roomy = False  # there are such sums
        self._uses: set[Value] | None = None

    # ---- rounds that are known

    def count(self, op: Op) -> None:
        run = self.run
        start, stop, step = (run.integer(value) for value in op.operands[:3])
        known = (start.constant, stop.constant, step.constant)
        synced = run.sync_level(op) > THREAD
        if known[0] is not None and known[1] is not None and known[2]:
            values = range(known[0], known[1], known[2])
            if not values:
                self._give(op, run.results_of(op.operands[3:]))
                return
            worth = synced or (len(values) <= FREE_ROUNDS and self._matters(op))
            if worth and self.rounds + len(values) <= ROUNDS:
                self.rounds += len(values)
                self._each(op, values)
                return
        self._counted(op, start, stop, step)

    def _each(self, op: Op, values: range) -> None:
        run, (body,) = self.run, op.regions
        carried = run.results_of(op.operands[3:])
        for value in values:
            self._bind(body.args, [number(value), *carried])
            run.block(body)
            if body.leaves:
                break
            carried = run.results_of(body.terminator.operands)
        self._give(op, carried)

    def repeat(self, op: Op) -> None:
        """A `while` whose condition is known in every round, one by one; from where it is not, any round."""
        run, (before, body) = self.run, op.regions
        carried = run.results_of(op.operands)
        limit = ROUNDS if run.sync_level(op) > THREAD else min(ROUNDS, self.rounds + FREE_ROUNDS)
        while self.rounds < limit and self._constant(carried):
            self._bind(before.args, carried)
            run.block(before)
            if before.leaves:
                self._give(op, [run.term(result) for result in op.results])
                return
            flag, *passed = before.terminator.operands
            cond, values = run.decided(run.condition(flag)), run.results_of(passed)
            if cond == FALSE:
                self._give(op, values)
                return
            if cond != TRUE:
                break
            self.rounds += 1
            self._bind(body.args, values)
            run.block(body)
            if body.leaves:
                return
            carried = run.results_of(body.terminator.operands)
        self._repeated(op, carried)

    def _constant(self, carried: list[Term]) -> bool:
        """Whether some integer that the loop carries is a number now: else its condition will not be known either."""
        return any(isinstance(one, Poly) and one.constant is not None for one in carried) or any(one in (TRUE, FALSE) for one in carried)

    def _matters(self, op: Op) -> bool:
        """Whether the body reads an integer or truth value that the loop carries."""
        (body,) = op.regions
        return any(not argument.scalar.is_float and self._used(argument) for argument in body.args[1:])

    def _used(self, argument: Value) -> bool:
        """Whether an operation reads it, other than to carry it on."""
        if self._uses is None:
            self._uses = {value for one in self.run.kernel.body.walk() if one.name not in ("yield", "condition") for value in one.operands}
        return argument in self._uses

    def _bind(self, arguments: list[Value], values: list[Term]) -> None:
        for argument, value in zip(arguments, values, strict=True):
            self.run.env[argument] = value

    def _give(self, op: Op, values: list[Term]) -> None:
        for result, value in zip(op.results, values, strict=True):
            self.run.env[result] = value

    # ---- any round

    def _counted(self, op: Op, start: Poly, stop: Poly, step: Poly) -> None:
        """A `for` of which the rounds are not followed: the variable is start + q * step in round q."""
        run, (body,) = self.run, op.regions
        upwards = bool(op.attrs.get("positive")) or run.known.nonnegative(step - 1)
        downwards = not upwards and run.known.nonnegative(-step - 1)
        constants = (start.constant, stop.constant, step.constant)
        last = INF
        if constants[0] is not None and constants[1] is not None and constants[2]:
            last = len(range(constants[0], constants[1], constants[2])) - 1

        def one(round_: Poly, carried: list[Term]) -> list[Term] | None:
            variable = start + step * round_
            if upwards or downwards:
                run.assume(at_least_zero(step - 1 if upwards else -step - 1))
                run.assume(at_least_zero(stop - variable - 1 if upwards else variable - stop - 1))
            self._bind(body.args, [variable, *carried])
            run.block(body)
            return None if body.leaves else run.results_of(body.terminator.operands)

        self._rounds(op, body.args[1:], run.results_of(op.operands[3:]), one, last)
        for result in op.results:
            run.env[result] = run.fresh(result, "carried")

    def _repeated(self, op: Op, initial: list[Term]) -> None:
        run, (before, body) = self.run, op.regions

        def one(round_: Poly, carried: list[Term]) -> list[Term] | None:
            self._bind(before.args, carried)
            run.block(before)
            if before.leaves:
                return None
            flag, *passed = before.terminator.operands
            run.assume(run.condition(flag))
            self._bind(body.args, run.results_of(passed))
            run.block(body)
            return None if body.leaves else run.results_of(body.terminator.operands)

        carried = self._rounds(op, before.args, initial, one, INF)
        for result in op.results:
            run.env[result] = run.fresh(result, "carried")
        self._leaving(op, before, carried)

    def _leaving(self, op: Op, before: Block, carried: list[Carried]) -> None:
        """The results of a `while` keep the bounds of what it carries, where that is passed on as it is."""
        if before.leaves:
            return
        for result, value in zip(op.results, before.terminator.operands[1:], strict=True):
            if value in before.args and result.scalar.is_int:
                found = carried[before.args.index(value)]
                if found.kind == "stays":
                    self.run.env[result] = found.initial
                elif found.bounds is not None:
                    self.run.env[result] = self.run.fresh(result, "carried", found.bounds)

    def _rounds(self, op: Op, arguments: list[Value], initial: list[Term], one: Round, last: float) -> list[Carried]:
        """Run `one(round, carried)` as the first round, any round, and the ones after it."""
        run = self.run
        level = run.sync_level(op)
        outer, cap, top, left = run.path, run.cap, run.top, len(run.left)
        run.cap, run.depth = min(cap, level), run.depth + 1
        carried = self._classify(arguments, initial, one, last)
        before = run.open.copy()
        if level > THREAD and not before.empty(level):
            mark = self._mark()
            self._once(outer, carried, ZERO, one, first=True)  # what was open before meets the first round
            if before.arrived is not None and self._marked(mark, level):  # its wait stands there: what came since waits for the next one
                self._once(outer, carried, number(1), one)
            # and the later ones where a way through that has no barrier
            run.open = before.copy() if self._marked(mark, level) else _unless(before, level)
        mark = self._mark()
        round_ = self._round(last)
        after = self._once(outer, carried, round_, one)
        if level > THREAD:
            tail, run.top = run.open.copy(), min(top, level)
            run.open.irregular |= after is not None and (run.open.arrived is None) is not (before.arrived is None)
            if not self._followed(mark, after, round_, one, level):
                run.open = tail.copy()  # a way through the round without a barrier: any later round may meet this one
                self._once(outer, carried, self._round(last), one, since=round_)
            run.top = top
            run.open.merge(tail)
        run.open.merge(before)
        run.path, run.cap, run.depth = outer, cap, run.depth - 1
        run.after(left)
        return carried

    def _followed(self, mark: int, after: tuple[Path, list[Term]] | None, round_: Poly, one: Round, level: int) -> bool:
        """Run what may meet a round that was marked where it began: the next one; False if later ones may too.

        Where the arrival in one round has its wait in the next, what comes between them meets the one after that as well.
        """
        run, later = self.run, 1
        if run.open.arrived is not None:
            mark, later = self._mark(), 2
        elif self._marked(mark, level):
            return False
        for ahead in range(1, later + 1):
            if after is None or run.open.empty(level):
                return True
            run.path = after[0]
            ended = one(round_ + ahead, after[1])
            after = None if ended is None else (run.path, ended)
        return after is None or not self._marked(mark, level)

    def _marked(self, mark: int, level: int) -> bool:
        return any(mark in marks for group, marks in self.run.open.marks.items() if group <= level)

    def _once(
        self, outer: Path, carried: list[Carried], round_: Poly, one: Round, *, first: bool = False, since: Poly | None = None
    ) -> tuple[Path, list[Term]] | None:
        """One round with the carried values as they may be then. Its path and what it carries on, None if nobody comes to its end."""
        run = self.run
        run.path = outer.inside()
        values = [found.initial if first else self._value(found, round_) for found in carried]
        if since is not None:
            run.assume(at_least_zero(round_ - since - 1))
        ended = one(round_, values)
        return None if ended is None else (run.path, ended)

    def _mark(self) -> int:
        self.marks += 1
        self.run.open.mark(self.marks)
        return self.marks

    def _round(self, last: float) -> Poly:
        run = self.run
        return run.terms.of(run.terms.symbol("the round", run.cap, (0, last), "round"))

    # ---- what a loop carries

    def _value(self, found: Carried, round_: Poly) -> Term:
        """The carried value at the begin of a round."""
        run, scalar = self.run, found.argument.scalar
        if found.kind == "stays":
            return found.initial
        if found.bounds is not None and found.bounds[0] == found.bounds[1]:
            return number(int(found.bounds[0]))
        if found.kind == "any" or not isinstance(found.initial, Poly):
            return run.symbol(scalar, self._level(found.argument), found.argument.name or "a carried value", "carried", found.bounds)
        total = found.initial + found.add * round_
        if found.kind == "guarded":
            run.assume(at_least_zero(-total + (1 << scalar.bits) - 1))
        elif found.kind == "adds":
            run.assume(at_least_zero(total - scalar.min))
            run.assume(at_least_zero(-total + scalar.max))
            return total
        return fit(run, total, scalar)

    def _level(self, value: Value) -> int:
        return min(self.run.uniform.level(value), self.run.cap)

    def _classify(self, arguments: list[Value], initial: list[Term], one: Round, last: float) -> list[Carried]:
        """Run a round on trial to see what becomes of the carried values.

        What stays, or gets the same added, does so whatever the other values are: the first trial takes any value of the type for each. For
        the rest, bounds are tried that hold at the begin, and widened until a round keeps them.
        """
        found = [Carried(argument, value, "any") for argument, value in zip(arguments, initial, strict=True)]
        if all(argument.scalar.is_float for argument in arguments):
            return found
        mark = self.run.terms.count
        with self._trial():
            values = [self._value(carried, ZERO) for carried in found]
            ended = one(self._round(last), values)
            for carried, value, new in zip(found, values, ended or values, strict=True):
                self._learn(carried, value, new, mark)
        open_ = [carried for carried in found if carried.kind == "any" and carried.argument.scalar.is_int and self._used(carried.argument)]
        for carried in open_:
            carried.bounds = self._clipped(carried, carried.initial)
        for attempt in range(PROBES):
            if not open_ or not self._widened(found, one, last, attempt):
                return found
        for carried in open_:
            carried.bounds = None
        return found

    @contextmanager
    def _trial(self) -> Generator[None, None, None]:
        """Nothing that runs inside is noted, and all is afterwards as it was before."""
        run = self.run
        saved = (run.path, run.open, len(run.left), run.probing, run.top, self.rounds)
        run.probing, run.open, run.path = True, run.open.copy(), run.path.inside()
        yield
        run.path, run.open, left, run.probing, run.top, self.rounds = saved
        del run.left[left:]

    def _learn(self, carried: Carried, value: Term, new: Term, mark: int) -> None:
        """What the first trial says of one value."""
        run, scalar = self.run, carried.argument.scalar
        if value is None or new is None:
            return
        if new == value:
            carried.kind = "stays"
            return
        if not isinstance(value, Poly) or not isinstance(new, Poly):
            return
        found = _increment(value, new, scalar, mark)
        if found is None:
            return
        carried.add, wraps = found
        # Where a round ends only if the value is not negative, and a step does not reach over the whole range, a value that wrapped is
        # negative: its round does not end. So the sums before it were exact.
        step = run.known.interval(carried.add)
        guarded = scalar.signed and run.known.nonnegative(value) and run.known.nonnegative(carried.add) and step[1] <= scalar.max
        carried.kind = "adds" if not wraps else "guarded" if guarded else "wraps"
        if wraps and (room := self._room(value, carried.add, scalar)) is not None:
            self.roomy = True
            if self.exact is not None:
                carried.kind = "adds"
                self.exact.append(room)

    def _room(self, value: Poly, add: Poly, scalar: Scalar) -> Poly | None:
        """What must not be negative for the value never to wrap: a round that goes on has it below a launch value, so the next is exact."""
        if not self.run.known.nonnegative(add):
            return None
        found: list[Poly] = [guard[1] for guard in self.run.path.guards if guard[0] == "ge"]
        rests = [one + value for one in found]
        return next((-one - add + scalar.max for one in rests if all(map(of_launch, (*one.atoms(), *add.atoms())))), None)

    def _widened(self, found: list[Carried], one: Round, last: float, attempt: int) -> bool:
        """Whether a round left the bounds, which are then wider."""
        moved = False
        with self._trial():
            round_ = self._round(last)
            values = [self._value(carried, round_) for carried in found]
            ended = one(round_, values)
            for carried, new in zip(found, ended or values, strict=True):
                if carried.bounds is None:
                    continue
                (low, high), (least, most) = self._clipped(carried, new), carried.bounds
                if low < least or high > most:
                    moved, scalar = True, carried.argument.scalar
                    if attempt:  # to the next landmark
                        low, high = 0 if 0 <= low < least else low if low >= least else scalar.min, high if high <= most else scalar.max
                    carried.bounds = (min(low, least), max(high, most))
        return moved

    def _clipped(self, carried: Carried, term: Term) -> Interval:
        scalar = carried.argument.scalar
        if not isinstance(term, Poly):
            return scalar.min, scalar.max
        low, high = self.run.known.interval(term)
        return max(low, scalar.min), min(high, scalar.max)


def _increment(value: Poly, new: Poly, scalar: Scalar, mark: int) -> tuple[Poly, bool] | None:
    """new == value + add, exactly or modulo the type's range (the second says which); `add` is the same in every round."""
    rest = new - value
    turns = [mono for mono in rest.terms if len(mono) == 1 and mono[0].kind == "div" and rest.terms[mono] == -(1 << scalar.bits)]
    wraps = False
    for mono in turns:
        inner, by = mono[0].args
        add = rest + Poly({mono: 1 << scalar.bits})
        if by == 1 << scalar.bits and inner == value + add - scalar.min:
            rest, wraps = add, True
            break
    invariant = all(atom.order <= mark or atom.kind != "symbol" for atom in every_atom([rest]))
    return (rest, wraps) if invariant else None


def _unless(before: Open, level: int) -> Open:
    """What stays open from before a loop for its later rounds: what the loop's barriers do not order."""
    found = before.copy()
    for group in found.accesses:
        if group <= level:
            found.clear(group)
    return found
