"""Accesses to shared memory of which the index depends on nothing but the thread: all threads of a block, one by one.

What else a guard depends on is left out, so that more threads come than really do: if even then no two of them meet, none do. If nothing
was left out, two that meet are a race.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from oxidepy.analysis.races.accesses import SAME_BLOCK, SAME_WARP, Access
from oxidepy.analysis.races.certain import MAX_THREADS, Reckoning, Threads, Triple
from oxidepy.analysis.races.terms import Atom, Poly, Terms

WORK = 2_000_000  # threads times accesses that are looked at in one kernel


@dataclass
class Table:
    """The threads, by their numbers in the block, that touch an element. `exact`: all guards were known."""

    threads: dict[int, list[int]]
    exact: bool


@dataclass
class Clash:
    """Two threads of a block that meet."""

    threads: tuple[Triple, Triple]
    exact: bool


class Tables:
    def __init__(self, terms: Terms, threads: Threads) -> None:
        self.terms = terms
        self.all = threads
        self.left = WORK
        self._tables: dict[Access, Table | None] = {}

    def meet(self, first: Access, second: Access, relations: frozenset[str]) -> Clash | bool | None:
        """Two threads that meet, standing to each other in one of the relations; False if there are none; None if it is not known."""
        if self.all.count > MAX_THREADS or not relations <= {SAME_WARP, SAME_BLOCK}:
            return None
        one, two = self._table(first), self._table(second)
        if one is None or two is None:
            return None
        for index in sorted(one.threads.keys() & two.threads.keys()):
            for left, right in product(one.threads[index], two.threads[index]):
                if left != right and (SAME_WARP if left // 32 == right // 32 else SAME_BLOCK) in relations:
                    return Clash((self.all.places[left], self.all.places[right]), one.exact and two.exact)
        return False

    def value(self, clash: Clash) -> Callable[[Poly], int]:
        """Numbers for the terms of both threads. Where a block stands plays no part: it is the first one."""
        values: dict[Atom, int] = {}
        for number, place in enumerate(clash.threads):
            for symbol, at in zip(self.all.symbols, place, strict=True):
                if symbol is not None:
                    values[self.terms.copy(symbol, number)] = at
        return lambda poly: Reckoning({**{atom: 0 for atom in poly.atoms() if atom.kind == "symbol"}, **values}).poly(poly)

    def _table(self, access: Access) -> Table | None:
        if access not in self._tables:
            self._tables[access] = self._made(access)
        return self._tables[access]

    def _made(self, access: Access) -> Table | None:
        if self.left < self.all.count:
            return None
        self.left -= self.all.count
        passing = [self.all.passing(guard) for guard in access.guards]
        here = [one for one in passing if one is not None]
        coming = frozenset(range(self.all.count)).intersection(*here)
        found: dict[int, list[int]] = {}
        try:
            for number in sorted(coming):
                found.setdefault(self.all.reckoned[number].poly(access.index), []).append(number)
        except KeyError:
            return None
        return Table(found, len(here) == len(passing))
