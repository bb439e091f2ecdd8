"""A small launch in which two threads meet, found by trying: it reads better than a solver's, and bits are numbers like others here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product

from oxidepy.analysis.races.accesses import OTHER_BLOCK, SAME_CLUSTER
from oxidepy.analysis.races.certain import Reckoning
from oxidepy.analysis.races.launch import Launch
from oxidepy.analysis.races.question import Pair
from oxidepy.analysis.races.terms import Atom, Poly, every_atom

SIZES = (1, 2, 3, 4, 8, 17, 33, 64, 100, 257)  # given to all values of a launch at once
ROUNDS = (0, 1, 2)
FEW, MANY = 600, 6000  # threads of one question that are tried: before a solver is asked, and when it has found that there is a case
FIRST = 64  # of one launch, before others are tried
Place = tuple[int, ...]  # block x y z, thread x y z
Values = dict[Atom, int]


def find(launch: Launch, pair: Pair, data: int | None, most: int) -> Callable[[Poly], int] | None:
    """Numbers for the terms of a case in which the threads meet, the whole of it checked. `data`: what all read-only memory holds."""
    tried = 0
    for threads, base in product((FIRST, MANY), _launches(launch, pair)):
        seen: tuple[dict[int, list[Place]], dict[int, list[Place]]] = ({}, {})
        for place in islice(_places(launch, pair), threads):
            tried += 1
            if tried > most:
                return None
            for side in (0, 1):
                index = _index(pair, side, {**base, **_at(pair, side, place)}, data)
                if index is None:
                    continue
                seen[side].setdefault(index, []).append(place)
                for other in seen[1 - side].get(index, ()):
                    both = {**base, **_at(pair, side, place), **_at(pair, 1 - side, other)}
                    if _holds(pair, both, data):
                        return partial(_worth, both, data)
    return None


def _worth(values: Values, data: int | None, poly: Poly) -> int:
    """What a term is worth where all that the search gave no number is 0. Functions of what it gave are reckoned."""
    left = [one for one in every_atom([poly]) if one.kind == "symbol" or (one.kind == "load" and data is None)]
    return Reckoning({**dict.fromkeys(left, 0), **values}, data).poly(poly)


def _launches(launch: Launch, pair: Pair) -> Iterator[Values]:
    """Numbers for all that is no coordinate of a thread of its own."""
    conds = (*pair.facts, *pair.guards[0], *pair.guards[1])
    symbols = sorted((one for one in every_atom([*conds, *pair.indices]) if one.kind == "symbol"), key=lambda one: one.order)
    wanted = {cond[1]: int(cond[2]) for cond in conds if cond[0] == "is"}
    rounds = [one for one in symbols if one.origin == "round"]
    grids = {atom: blocks for poly, blocks in zip(launch.grid, _blocks(launch, pair), strict=True) for atom in poly.atoms()}
    for numbers, size in product(product(ROUNDS, repeat=len(rounds)) if len(rounds) <= 2 else [(0,) * len(rounds)], SIZES):
        values = {one: wanted.get(one, 0) for one in symbols if one.origin != "coordinate"}
        values |= {one: min(size, int(one.high)) for one in symbols if one.origin == "launch" and one not in wanted}
        yield {**values, **grids, **dict(zip(rounds, numbers, strict=True))}


def _places(launch: Launch, pair: Pair) -> Iterator[Place]:
    """The threads of the blocks that are tried: the first thread of each block, then the second one of each."""
    x, y, z = launch.kernel.block
    blocks = list(product(*map(range, _blocks(launch, pair)[::-1])))
    for at_z, at_y, at_x in product(range(z), range(y), range(x)):
        for block_z, block_y, block_x in blocks:
            yield block_x, block_y, block_z, at_x, at_y, at_z


def _blocks(launch: Launch, pair: Pair) -> list[int]:
    """How large a grid is tried, by axis: two blocks, or two clusters, or one cluster, where these may meet."""
    size = launch.kernel.cluster or (1, 1, 1)
    several = 2 if OTHER_BLOCK in pair.relations else 1
    near = OTHER_BLOCK in pair.relations or SAME_CLUSTER in pair.relations
    return [1 if grid.constant is not None else several * (one if near else 1) for grid, one in zip(launch.grid, size, strict=True)]


def _at(pair: Pair, side: int, place: Place) -> Values:
    return {atom: number for poly, number in zip(pair.threads[side], place, strict=True) for atom in poly.atoms()}


def _index(pair: Pair, side: int, values: Values, data: int | None) -> int | None:
    """The element that a thread touches; None if it does not come to the access, or if that is not known."""
    reckoning = Reckoning(values, data)
    try:
        return reckoning.poly(pair.indices[side]) if all(map(reckoning.cond, pair.guards[side])) else None
    except KeyError:
        return None


def _holds(pair: Pair, values: Values, data: int | None) -> bool:
    reckoning = Reckoning(dict(values), data)
    try:
        return (
            any(reckoning.poly(one) for one in pair.apart)
            and all(map(reckoning.cond, (*pair.facts, *pair.guards[0], *pair.guards[1])))
            and reckoning.poly(pair.indices[0]) == reckoning.poly(pair.indices[1])
        )
    except KeyError:
        return False
