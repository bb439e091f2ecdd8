"""Accesses to memory that threads share, and which of them no barrier orders: the pairs that may meet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from oxidepy.analysis.races.terms import Cond, Poly
from oxidepy.analysis.uniformity import BLOCK, CLUSTER, GRID, WARP
from oxidepy.ir.core import Op, Value

# where the second thread is: in the warp, in another warp of the block, in another block of the cluster, elsewhere
SAME_WARP, SAME_BLOCK, SAME_CLUSTER, OTHER_BLOCK = "warp", "block", "cluster", "grid"
RELATIONS = {WARP: SAME_WARP, BLOCK: SAME_BLOCK, CLUSTER: SAME_CLUSTER, GRID: OTHER_BLOCK}


@dataclass(frozen=True, eq=False)
class Access:
    """One access as symbols: `index` in elements, bytes [offset, offset + size) inside of the element, under all of `guards`."""

    op: Op
    memory: Value
    index: Poly
    offset: int
    size: int
    guards: tuple[Cond, ...]
    number: int

    @property
    def writes(self) -> bool:
        return self.op.name == "store" or (self.op.name == "atomic" and self.op.attrs["kind"] != "load")

    @property
    def atomic(self) -> bool:
        return self.op.name == "atomic"

    @property
    def unsafe(self) -> bool:
        return "unsafe" in self.op.attrs


class Open:
    """The accesses since the last barrier, by the group that the barrier orders. `marks` go when their group meets a barrier.

    `arrived`: accesses and marks that stand before an arrival of the cluster of which the wait is still to come, on every way that came
    here with them; None without one. `irregular`: ways with and without such an arrival have met, so a wait may order more than is said.
    `nowhere`: no thread of the cluster comes here.
    """

    def __init__(self) -> None:
        self.accesses: dict[int, dict[Value, dict[Access, None]]] = {level: {} for level in RELATIONS}
        self.marks: dict[int, set[int]] = {level: set() for level in RELATIONS}
        self.arrived: set[Access | int] | None = None
        self.irregular = False
        self.nowhere = False

    def copy(self) -> Open:
        other = Open()
        for level in RELATIONS:
            other.put(level, self)
        other.hand(self)
        return other

    def hand(self, source: Open) -> None:
        """Take how far the cluster's barrier is from another one."""
        self.arrived = None if source.arrived is None else set(source.arrived)
        self.irregular, self.nowhere = source.irregular, source.nowhere

    def put(self, level: int, source: Open) -> None:
        """Take one level from another one."""
        self.accesses[level] = {memory: dict(found) for memory, found in source.accesses[level].items()}
        self.marks[level] = set(source.marks[level])

    def clear(self, level: int) -> None:
        self.accesses[level] = {}
        self.marks[level] = set()

    def sync(self, level: int) -> None:
        """A barrier of a group: it orders the smaller ones too."""
        for one in RELATIONS:
            if one <= level:
                self.clear(one)

    def part(self, others: Cond) -> dict[Value, dict[Access, None]]:
        """Some lanes of a warp come together: of what is open in it, what the others did is left. Gives what was open."""
        before = self.accesses[WARP]
        self.accesses[WARP] = {
            memory: {one if others in one.guards else replace(one, guards=(*one.guards, others)): None for one in found}
            for memory, found in before.items()
        }
        return before

    def arrive(self) -> None:
        """The first half of the cluster's barrier: what is open now is ordered by the second one."""
        self.irregular |= self.arrived is not None
        self.arrived = self._inside() if self.arrived is None else set()

    def wait(self) -> None:
        """The second half: it orders what stands before the first one, and not what came since."""
        self.irregular |= self.arrived is None
        for level in RELATIONS:
            if level <= CLUSTER and self.arrived:
                self.marks[level] -= self.arrived
                for memory, found in self.accesses[level].items():
                    self.accesses[level][memory] = {one: None for one in found if one not in self.arrived}
        self.arrived = None

    def _inside(self) -> set[Access | int]:
        """All that is open within the cluster."""
        found: set[Access | int] = set()
        for level in RELATIONS:
            if level <= CLUSTER:
                found.update(self.marks[level], *self.accesses[level].values())
        return found

    def merge(self, other: Open) -> None:
        """Threads may have come either way."""
        if self.nowhere:
            self.hand(other)
        elif not other.nowhere:
            self._meet(other)
        for level in RELATIONS:
            self.merge_level(level, other)

    def _meet(self, other: Open) -> None:
        """A wait orders what was there at the arrival on both ways."""
        self.irregular |= other.irregular or (self.arrived is None) != (other.arrived is None)
        if self.arrived is not None and other.arrived is not None:
            late = (self._inside() - self.arrived) | (other._inside() - other.arrived)
            self.arrived = (self.arrived | other.arrived) - late
        elif other.arrived is not None:
            self.arrived = set()
        elif self.arrived is not None:
            self.arrived.clear()

    def merge_level(self, level: int, other: Open) -> None:
        for memory, found in other.accesses[level].items():
            self.accesses[level].setdefault(memory, {}).update(found)
        self.marks[level] |= other.marks[level]

    def mark(self, number: int) -> None:
        for level in RELATIONS:
            self.marks[level].add(number)

    def empty(self, up_to: int) -> bool:
        return not any(self.accesses[level] for level in RELATIONS if level <= up_to)


@dataclass
class Pairs:
    """Pairs (earlier, later in the order of the program) of which one writes, and where the two threads may stand to each other."""

    clusters: bool = False  # blocks run in these; else there is no other block that is nearer than the rest
    found: dict[tuple[Access, Access], set[str]] = field(default_factory=dict[tuple[Access, Access], set[str]])
    vouched: dict[tuple[Access, Access], set[str]] = field(default_factory=dict[tuple[Access, Access], set[str]])  # by `unsafe`
    irregular: set[tuple[tuple[Access, Access], str]] = field(default_factory=set[tuple[tuple[Access, Access], str]])  # perhaps ordered

    def meet(self, access: Access, open_: Open, top: int) -> None:
        """Note the pairs of a new access with all that is open, up to the group `top`, and add it to that."""
        for level, relation in RELATIONS.items():
            if (level > BLOCK and access.memory.memory.space == "shared") or (level == CLUSTER and not self.clusters):
                continue
            here = open_.accesses[level].setdefault(access.memory, {})
            here[access] = None
            if level <= top:
                for other in here:
                    if conflict(other, access):
                        self._note(other, access, relation, open_.irregular and level <= CLUSTER)
        if open_.arrived is not None:
            open_.arrived.discard(access)

    def _note(self, first: Access, second: Access, relation: str, irregular: bool) -> None:
        found = self.vouched if first.unsafe or second.unsafe else self.found
        key = (second, first) if (second, first) in found else (first, second)
        found.setdefault(key, set()).add(relation)
        if irregular:
            self.irregular.add((key, relation))


def conflict(one: Access, two: Access) -> bool:
    """Whether the two clash if they meet at one index, in threads that every scope includes."""
    if not (one.writes or two.writes):
        return False
    if one.offset + one.size <= two.offset or two.offset + two.size <= one.offset:
        return False
    if one.atomic and two.atomic and (one.offset, one.size) == (two.offset, two.size):
        return not (_includes(one, OTHER_BLOCK) and _includes(two, OTHER_BLOCK))
    return True


def tolerated(one: Access, two: Access, relation: str) -> bool:
    """Two atomics whose scopes include both threads."""
    same = one.atomic and two.atomic and (one.offset, one.size) == (two.offset, two.size)
    return same and (relation in (SAME_WARP, SAME_BLOCK) or (_includes(one, relation) and _includes(two, relation)))


def _includes(access: Access, relation: str) -> bool:
    """Whether an atomic is one for a thread of another block: of its cluster, or of any."""
    scope = access.op.attrs["scope"]
    return scope in ("device", "system") or (scope == "cluster" and relation == SAME_CLUSTER)
