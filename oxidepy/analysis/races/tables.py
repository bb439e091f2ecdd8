"""Accesses to shared memory of which the index depends on nothing but the thread: all threads of a block, one by one.

What else a guard depends on is left out, so that more threads come than really do: if even then no two of them meet, none do. If nothing
was left out, two that meet are a race.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from oxidepy.analysis.races.accesses import SAME_BLOCK, SAME_WARP, Access
from oxidepy.analysis.races.certain import MAX_THREADS, Reckoning
from oxidepy.analysis.races.launch import Launch
from oxidepy.analysis.races.terms import Atom, Cond, Poly, Terms

WORK = 2_000_000  # threads times accesses that are looked at in one kernel
Triple = tuple[int, int, int]


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
    def __init__(self, terms: Terms, launch: Launch) -> None:
        self.terms = terms
        x, y, z = launch.kernel.block
        self.count = x * y * z
        self.places: list[Triple] = [(at_x, at_y, at_z) for at_z, at_y, at_x in product(range(z), range(y), range(x))]
        self.symbols = [next(poly.atoms(), None) for poly in launch.thread]
        self.left = WORK
        self._threads: list[Reckoning] = []
        self._tables: dict[Access, Table | None] = {}
        self._guards: dict[Cond, frozenset[int] | None] = {}

    def meet(self, first: Access, second: Access, relations: frozenset[str]) -> Clash | bool | None:
        """Two threads that meet, standing to each other in one of the relations; False if there are none; None if it is not known."""
        if self.count > MAX_THREADS or not relations <= {SAME_WARP, SAME_BLOCK}:
            return None
        one, two = self._table(first), self._table(second)
        if one is None or two is None:
            return None
        for index in sorted(one.threads.keys() & two.threads.keys()):
            for left, right in product(one.threads[index], two.threads[index]):
                if left != right and (SAME_WARP if left // 32 == right // 32 else SAME_BLOCK) in relations:
                    return Clash((self.places[left], self.places[right]), one.exact and two.exact)
        return False

    def value(self, clash: Clash) -> Callable[[Poly], int]:
        """Numbers for the terms of both threads. Where a block stands plays no part: it is the first one."""
        values: dict[Atom, int] = {}
        for number, place in enumerate(clash.threads):
            for symbol, at in zip(self.symbols, place, strict=True):
                if symbol is not None:
                    values[self.terms.copy(symbol, number)] = at
        return lambda poly: Reckoning({**{atom: 0 for atom in poly.atoms() if atom.kind == "symbol"}, **values}).poly(poly)

    def _table(self, access: Access) -> Table | None:
        if access not in self._tables:
            self._tables[access] = self._made(access)
        return self._tables[access]

    def _made(self, access: Access) -> Table | None:
        if self.left < self.count:
            return None
        if not self._threads:
            for place in self.places:
                self._threads.append(Reckoning({symbol: at for symbol, at in zip(self.symbols, place, strict=True) if symbol is not None}))
        self.left -= self.count
        passing = [self._passing(guard) for guard in access.guards]
        here = [one for one in passing if one is not None]
        found: dict[int, list[int]] = {}
        try:
            for number, thread in enumerate(self._threads):
                if all(number in one for one in here):
                    found.setdefault(thread.poly(access.index), []).append(number)
        except KeyError:
            return None
        return Table(found, len(here) == len(passing))

    def _passing(self, guard: Cond) -> frozenset[int] | None:
        """The threads for which a guard holds; None if it depends on more."""
        if guard not in self._guards:
            known = _known(self._threads[0], guard)
            holding = (number for number, thread in enumerate(self._threads) if thread.cond(guard)) if known else ()
            self._guards[guard] = frozenset(holding) if known else None
        return self._guards[guard]


def _known(thread: Reckoning, guard: Cond) -> bool:
    try:
        thread.every(guard)
    except KeyError:
        return False
    return True
