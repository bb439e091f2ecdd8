"""How the warps of a kernel touch memory: whether lanes read neighbours, the sectors that a request moves, conflicts of banks.

The kernel is run once with symbols, as for the proof of races. Each index is then computed for the lanes of a block's warps, with numbers
for what is the same for all of them. Memory is taken to begin at an aligned address, and all lanes to take part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from oxidepy.analysis import uniformity
from oxidepy.analysis.races import settled
from oxidepy.analysis.races.certain import Reckoning
from oxidepy.analysis.races.execute import Executor, tracked_memory
from oxidepy.analysis.races.loops import ROUNDS
from oxidepy.analysis.races.terms import Atom, Cond, Poly, every_atom
from oxidepy.analysis.uniformity import WARP
from oxidepy.diagnostics import Span
from oxidepy.ir.banks import LANES, passes, sectors
from oxidepy.ir.core import Module, Op, Value
from oxidepy.ir.types import Memory, Scalar

Kind = Literal["coalesced", "broadcast", "strided", "uneven", "scattered", "unknown"]
WARPS = 4  # of a block that are looked at
TOGETHER = 16  # bytes of neighbours that a lane moves at once
LAUNCH = 1024  # what a length or another value of the launch is taken to be: rows of it begin at aligned places
LONG = 1 << 20  # a length that every other number is small against
FOLLOWED = 64  # rounds of loops, one by one
FORMS = 8  # of an index in the rounds of a loop that are looked at
_WORDS = {"uneven": "in an uneven order", "unknown": "in an order that is not known"}
_VERBS = {"load": "reads", "store": "writes", "atomic": "updates"}


@dataclass(frozen=True)
class Pattern:
    """How one access of a kernel touches memory, in the worst warp and round.

    kind: "coalesced" (neighbours, nothing is moved in vain) · "broadcast" (one element for all lanes) · "strided" (neighbouring lanes are
    `stride` elements apart, a number or a product of launch values) · "uneven" (another order of the lanes) · "scattered" (the index
    is loaded from memory) · "unknown" (it is computed in a way that is not followed). `sectors` of 32 bytes for a request of global memory
    where `least` would do; `passes` of shared memory; None where they are not known.
    """

    action: str
    memory: str
    space: str
    span: Span | None
    kind: Kind
    stride: str | None = None
    sectors: int | None = None
    least: int | None = None
    passes: int | None = None
    neighbours: int = 1
    rare: bool = False

    @property
    def good(self) -> bool:
        """Whether the access is as cheap as it can be, or made by few threads alone."""
        return self.rare or self._cheap

    @property
    def _cheap(self) -> bool:
        return self.passes == 1 if self.passes is not None else self.kind in ("coalesced", "broadcast")

    def __str__(self) -> str:
        where = f"line {self.span.line} " if self.span is not None else ""
        return f"{where}{self.action} `{self.memory}` {self.cost()}"

    def cost(self) -> str:
        """The pattern in words."""
        how = _WORDS.get(self.kind, self.kind) if self.kind != "strided" else f"strided by {self.stride}"
        if self.neighbours > 1:
            how += f", {self.neighbours} neighbours a lane"
        if self.rare:
            how += ", at the edge alone"
        if self.space == "shared" and self.passes is not None:
            return f"{how}: " + ("no conflict of banks" if self.passes == 1 else f"{self.passes} passes, a conflict of banks")
        if self.sectors is None or self.least is None:
            return how
        return f"{how}: {self.sectors} sectors" + (f" where {self.least} would do" if self.sectors > self.least else "")


def patterns(module: Module) -> tuple[Pattern, ...]:
    """One for each access of global and shared memory that a kernel without races makes, in order of the program."""
    ours = {param for param, info in zip(module.kernel.params, module.kernel.infos, strict=True) if info.source.isidentifier()}
    walk = module.kernel.body.walk()
    ops = [
        op for op in walk if op.name in _VERBS and _counts(op.operands[0]) and (op.operands[0] in ours or op.operands[0].owner is not None)
    ]
    if not ops:
        return ()
    run = _Recorder(module, {op.operands[0] for op in ops})
    run.run()
    lanes = _Lanes(run)
    groups = _neighbours(run)
    return tuple(lanes.pattern(op, run.seen[op], groups.get(op, ())) for op in ops if op in run.seen)


def _counts(memory: Value) -> bool:
    return isinstance(memory.type, Memory) and memory.memory.space in ("global", "shared")


class _Recorder(Executor):
    """Notes the forms of each access's index, and holds no accesses against each other."""

    def __init__(self, module: Module, memories: set[Value]) -> None:
        super().__init__(module, uniformity.analyse(module, settled(module, tracked_memory(module))), memories, asserts=True)
        self.seen: dict[Op, list[Poly]] = {}
        self.guards: dict[Op, tuple[Cond, ...]] = {}  # of the first form of each access
        self.loops.rounds = ROUNDS - FOLLOWED

    def bounds(self, op: Op) -> None:
        """What is outside for certain, the proof says."""

    def access(self, op: Op) -> None:
        if not self.probing and not self.known.dead:
            forms = self.seen.setdefault(op, [])
            index, _ = self.unwrapped(self.integer(op.operands[1]), self.path.guards)
            if len(forms) < FORMS and index not in forms:
                forms.append(index)
                self.guards.setdefault(op, self.path.guards)


def _scalar_size(op: Op) -> int:
    if "whole" in op.attrs:
        return op.operands[0].memory.element.size
    value = op.operands[2] if op.name == "store" else op.results[0] if op.results else op.operands[2]
    return value.scalar.size


def _byte(op: Op, index: int) -> int:
    """Where the access begins, from the start of its memory."""
    return int(index * op.operands[0].memory.element.size + op.attrs["offset"])


def _neighbours(run: _Recorder) -> dict[Op, tuple[tuple[Op, int], ...]]:
    """Accesses of one kind whose indices differ by numbers, as a lane's neighbours within 16 bytes, with the distance of each in bytes."""
    alike: dict[tuple[str, Value, Poly], list[tuple[int, Op]]] = defaultdict(list)
    for op, forms in run.seen.items():
        if len(forms) == 1 and op.name != "atomic":
            base = forms[0] - forms[0].free
            alike[op.name, op.operands[0], base].append((_byte(op, forms[0].free), op))
    found: dict[Op, tuple[tuple[Op, int], ...]] = {}
    for ops in alike.values():
        by_place: dict[int, list[tuple[int, Op]]] = defaultdict(list)
        for place, op in ops:
            by_place[place // TOGETHER].append((place, op))
        for group in by_place.values():
            for place, op in group:
                found[op] = tuple((other, at - place) for at, other in group)
    return found


class _Lanes:
    """Numbers for the lanes of the first warps of a block."""

    def __init__(self, run: _Recorder) -> None:
        self.run = run
        x, y, z = run.kernel.block
        count = min(x * y * z, WARPS * LANES)
        self.warps = [list(self._coordinates(first, min(first + LANES, count), x, y)) for first in range(0, count, LANES)]
        self.axes = [next(poly.atoms(), None) for poly in run.launch.thread]
        self.straight = x >= LANES  # neighbouring lanes are neighbours along x

    @staticmethod
    def _coordinates(first: int, end: int, x: int, y: int) -> Iterator[tuple[int, int, int]]:
        for number in range(first, end):
            yield number % x, number // x % y, number // (x * y)

    def pattern(self, op: Op, forms: list[Poly], group: tuple[tuple[Op, int], ...]) -> Pattern:
        """The worst of the forms that the index has."""
        found = [self._form(op, one, group) for one in forms]
        worst = max(found, key=lambda one: (one.kind in ("scattered", "unknown"), one.passes or 0, (one.sectors or 0) - (one.least or 0)))
        return replace(worst, rare=not worst.good and self._rare(self.run.guards[op]))

    def _rare(self, guards: tuple[Cond, ...]) -> bool:
        """Whether none of these lanes comes there, be the lengths as large as other values of the launch or much larger."""
        for lengths in (LAUNCH, LONG):
            values = {atom: self._shared(atom, lengths) for atom in every_atom(guards) if _given(atom)}
            for at in (one for warp in self.warps for one in warp):
                own = {atom: place for atom, place in zip(self.axes, at, strict=True) if atom is not None}
                reckoning = Reckoning({**values, **own})
                if all(_possible(reckoning, guard) for guard in guards):
                    return False
        return True

    def _form(self, op: Op, index: Poly, group: tuple[tuple[Op, int], ...]) -> Pattern:
        memory = op.operands[0]
        action, name, space = _VERBS[op.name], memory.name or "memory", memory.memory.space
        warps = self.places(index)
        if warps is None:
            loaded = any(atom.origin == "loaded" and atom.level < WARP for atom in every_atom([index]))
            return Pattern(action, name, space, op.span, "scattered" if loaded else "unknown")
        size = _scalar_size(op)
        starts = [[_byte(op, place) for place in warp] for warp in warps]
        kind, stride = self._order(op, index, starts)
        if space == "shared":
            return self._banks(Pattern(action, name, space, op.span, kind, stride), starts, size, group)
        moved, least = max((sectors(warp, size) for warp in starts), key=lambda one: one[0] - one[1])
        neighbours = 1
        if kind == "strided" and moved > least and len(group) > 1:
            several = [sorted(start + away for start in warp for _, away in group) for warp in starts]
            width = min(_scalar_size(other) for other, _ in group)
            joint, enough = max((sectors(warp, width) for warp in several), key=lambda one: one[0] - one[1])
            if joint == enough:
                moved, least, neighbours = joint, enough, len(group)
        if kind != "broadcast" and moved == least:
            kind, stride = "coalesced", None
        return Pattern(action, name, space, op.span, kind, stride, moved, least, None, neighbours)

    @staticmethod
    def _banks(found: Pattern, starts: list[list[int]], size: int, group: tuple[tuple[Op, int], ...]) -> Pattern:
        """The same with how often the banks have to serve it: a lane's neighbours go together where that is better."""
        alone = max(passes(warp, size) for warp in starts)
        if alone > 1 and len(group) > 1:
            first = min(away for _, away in group)
            width = max(away + _scalar_size(other) for other, away in group) - first
            joint = max(passes([start + first for start in warp], width) for warp in starts)
            if joint == 1:
                return replace(found, passes=1, neighbours=len(group))
        return replace(found, passes=alone)

    def places(self, index: Poly) -> list[list[int]] | None:
        """The index for each lane of each warp; None where it depends on more than coordinates and what a whole warp shares."""
        values: dict[Atom, int] = {}
        for atom in every_atom([index]):
            if atom in self.axes:
                continue
            if _given(atom):
                values[atom] = self._shared(atom)
            elif atom.kind in ("symbol", "load"):
                return None
        try:
            return [[self._reckon(values, index, at) for at in warp] for warp in self.warps]
        except KeyError:
            return None

    def _reckon(self, values: dict[Atom, int], index: Poly, at: tuple[int, int, int]) -> int:
        own = {atom: place for atom, place in zip(self.axes, at, strict=True) if atom is not None}
        return Reckoning({**values, **own}).poly(index)

    @staticmethod
    def _shared(atom: Atom, lengths: int = LAUNCH) -> int:
        """A number for what all lanes share."""
        length = atom.name.startswith("len(") or ".shape[" in atom.name
        wanted = (lengths if length else LAUNCH) if atom.origin == "launch" else 0
        return int(min(max(wanted, atom.low), atom.high))

    def _order(self, op: Op, index: Poly, starts: list[list[int]]) -> tuple[Kind, str | None]:
        steps = {after - before for warp in starts for before, after in pairwise(warp)}
        if steps <= {0}:
            return "broadcast", None
        if len(steps) > 1:
            return "uneven", None
        (step,) = steps
        if abs(step) == _scalar_size(op):
            return "coalesced", None
        elements, odd = divmod(step, op.operands[0].memory.element.size)
        whole = not odd and isinstance(op.operands[0].memory.element, Scalar)
        return "strided", self._stride(index) or (str(elements) if whole else f"{step} bytes")

    def _stride(self, index: Poly) -> str | None:
        """What the lane's number is multiplied by, where launch values are in it."""
        lane = self.axes[0] if self.straight else None
        if lane is None:
            return None
        factor = Poly({tuple(one for one in mono if one is not lane): coef for mono, coef in index.terms.items() if lane in mono})
        if factor.constant is not None or any(atom.origin != "launch" for atom in factor.atoms()):
            return None
        return repr(factor)


def _given(atom: Atom) -> bool:
    """Whether a warp shares a number that follows from nothing else. Lanes go through a loop together."""
    return atom.kind not in ("div", "quotient", "ite", "bits") and (atom.level >= WARP or atom.origin == "round")


def _possible(reckoning: Reckoning, cond: Cond) -> bool:
    """Whether an inequality may hold. What is equal to what, and truth values, are anybody's choice."""
    if cond[0] in ("and", "or"):
        return (all if cond[0] == "and" else any)(_possible(reckoning, one) for one in cond[1:])
    if cond[0] != "ge":
        return bool(cond[0] != "false")
    try:
        return reckoning.poly(cond[1]) >= 0
    except KeyError:
        return True
