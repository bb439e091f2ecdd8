"""The question about two accesses: can two threads, standing to each other in one of some relations, touch one element with both?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from oxidepy.analysis.races.accesses import OTHER_BLOCK, SAME_BLOCK, SAME_CLUSTER, SAME_WARP, Access
from oxidepy.analysis.races.launch import Launch
from oxidepy.analysis.races.remainders import Question
from oxidepy.analysis.races.rewriting import Rewriting
from oxidepy.analysis.races.terms import Atom, Cond, Poly, Terms, every_atom, is_zero
from oxidepy.analysis.uniformity import BLOCK, CLUSTER, WARP

ONE_BLOCK = frozenset((SAME_WARP, SAME_BLOCK))
MANY = 8  # conditions that are left out at first
NEAR = 2  # how many steps of shared symbols a condition may be away from the indices to be looked at first


@dataclass
class Pair:
    """Two copies of what the accesses are made of, one for each thread."""

    first: Access
    second: Access
    relations: frozenset[str]
    indices: tuple[Poly, Poly]
    guards: tuple[tuple[Cond, ...], tuple[Cond, ...]]
    facts: tuple[Cond, ...]
    threads: tuple[tuple[Poly, ...], tuple[Poly, ...]]  # block x y z, thread x y z of each
    apart: tuple[Poly, ...]
    terms: Terms

    def questions(self) -> Iterator[Question]:
        """The same with few conditions, which are enough for most proofs, then with all.

        First those that have to do with the indices, of many only such as have no functions but those of the indices.
        """
        conds = (*self.facts, *self.guards[0], *self.guards[1])
        meet = self.indices[0] - self.indices[1]
        own = every_atom([meet, *self.apart])
        near = self._relevant(conds, own)
        plain = tuple(cond for cond in near if all(atom.kind == "symbol" or atom in own for atom in self.terms.inside(cond)))
        if len(near) - len(plain) >= MANY:
            yield Question(plain, meet, self.apart)
        yield Question(near, meet, self.apart)
        yield Question(conds, meet, self.apart)

    def _relevant(self, conds: Iterable[Cond], start: set[Atom]) -> tuple[Cond, ...]:
        """The conditions that share symbols with the terms, over a few steps."""
        left, atoms = dict.fromkeys(conds), set(start)
        found: list[Cond] = []
        for _ in range(NEAR):
            met = [cond for cond in left if not self.terms.inside(cond).isdisjoint(atoms)]
            for cond in met:
                del left[cond]
                atoms |= self.terms.inside(cond)
            found.extend(met)
        return tuple(found)


class Copies:
    """The terms of one thread of two. Symbols that are equal over the group in which both are stay shared."""

    def __init__(self, terms: Terms, number: int, shared: int) -> None:
        def replace(atom: Atom) -> Poly | None:
            return None if atom.kind != "symbol" or atom.level >= shared else terms.of(terms.copy(atom, number))

        self.rewriting = Rewriting(terms, replace)


class Asker:
    """Makes the questions about pairs of one kernel."""

    def __init__(self, terms: Terms, launch: Launch) -> None:
        self.terms = terms
        self.launch = launch
        self._copies: dict[tuple[int, int], Rewriting] = {}
        self._levels: dict[Access, frozenset[int]] = {}

    def pairs(self, first: Access, second: Access, relations: set[str]) -> list[Pair]:
        """The questions that cover all relations, as few as possible."""
        levels = self._own_levels(first) | self._own_levels(second)
        asked: list[frozenset[str]]
        anywhere = ONE_BLOCK.union((OTHER_BLOCK, SAME_CLUSTER) if self.launch.kernel.cluster else (OTHER_BLOCK,))
        if relations >= anywhere and not levels:
            asked = [anywhere]
        elif relations >= ONE_BLOCK and WARP not in levels:
            asked = [ONE_BLOCK, *(frozenset((one,)) for one in sorted(relations - ONE_BLOCK))]
        else:
            asked = [frozenset((one,)) for one in sorted(relations)]
        return [self._pair(first, second, one) for one in asked]

    def _own_levels(self, access: Access) -> frozenset[int]:
        """The groups over which its symbols that are no coordinates are equal: these are shared in one relation and not in another."""
        found = self._levels.get(access)
        if found is None:
            atoms = every_atom([access.index, *access.guards])
            found = frozenset(
                one.level for one in atoms if one.kind == "symbol" and one.origin != "coordinate" and one.level in (WARP, BLOCK, CLUSTER)
            )
            self._levels[access] = found
        return found

    def _rewriting(self, number: int, shared: int) -> Rewriting:
        key = (number, shared)
        if key not in self._copies:
            self._copies[key] = Copies(self.terms, number, shared).rewriting
        return self._copies[key]

    def _pair(self, first: Access, second: Access, relations: frozenset[str]) -> Pair:
        shared = next(level for relation, level in _SHARED.items() if relation in relations)
        copies = [self._rewriting(number, shared) for number in (0, 1)]
        launch = self.launch
        here = (*launch.block, *launch.thread)
        threads = tuple(tuple(map(copy.poly, here)) for copy in copies)
        differences = [one - two for one, two in zip(*threads, strict=True)]
        facts = dict.fromkeys(copy.cond(fact) for copy in copies for fact in launch.facts)
        clusters = [_cluster(copy, launch) for copy in copies] if launch.kernel.cluster else []
        if relations == frozenset((OTHER_BLOCK,)):
            apart = [one - two for one, two in zip(*clusters, strict=True)] if clusters else differences[:3]
        elif relations == frozenset((SAME_CLUSTER,)):
            apart = differences[:3]
            facts |= {is_zero(one - two): None for one, two in zip(*clusters, strict=True)}
        elif relations == frozenset((SAME_BLOCK,)):
            apart = [copies[0].poly(launch.warp) - copies[1].poly(launch.warp)]
        else:
            apart = differences if OTHER_BLOCK in relations else differences[3:]
            if relations == frozenset((SAME_WARP,)):
                facts[is_zero(copies[0].poly(launch.warp) - copies[1].poly(launch.warp))] = None
        indices = (copies[0].poly(first.index), copies[1].poly(second.index))
        guards = (tuple(map(copies[0].cond, first.guards)), tuple(map(copies[1].cond, second.guards)))
        return Pair(first, second, relations, indices, guards, tuple(facts), (threads[0], threads[1]), tuple(apart), self.terms)


# what is equal over at least that group is one symbol for both threads
_SHARED = {OTHER_BLOCK: CLUSTER + 1, SAME_CLUSTER: CLUSTER, SAME_BLOCK: BLOCK, SAME_WARP: WARP}


def _cluster(copy: Rewriting, launch: Launch) -> list[Poly]:
    """Where the cluster of a thread is."""
    sizes = launch.kernel.cluster or (1, 1, 1)
    return [launch.terms.div(copy.poly(here), size) for here, size in zip(launch.block, sizes, strict=True)]
