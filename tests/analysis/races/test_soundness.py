"""Random kernels: what the prover accepts is run thread by thread, and nothing races. A prover that is wrong is found out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from oxidepy.analysis.races import accesses, equations, execute
from oxidepy.analysis.races.terms import Poly
from oxidepy.analysis.uniformity import BLOCK

from .soundness import search

COUNT = 500
STEP, MOST = 10, 1000  # kernels that are tried before the next look, and in all
FIRST = {"leaving": 1850, "rounds": 315, "splits": 140}  # where a fault shows in few kernels, the trial begins shortly before one
MEET = accesses.Pairs.meet


def test_nothing_that_is_accepted_races() -> None:
    tally, wrong = search(0, COUNT)
    assert wrong == []
    # the trial means something: many kernels are accepted, and many are not
    assert tally["accepted"] > COUNT // 5 and tally["race"] > COUNT // 5, tally


def _warps_for_blocks(self: accesses.Open, level: int) -> None:
    """Planted: a barrier of a warp counts as one of the block."""
    for one in accesses.RELATIONS:
        if one <= max(level, BLOCK):
            self.clear(one)


def _no_next_round(self: accesses.Open, up_to: int) -> bool:
    """Planted: nothing is ever open at the begin or the end of a round, so that rounds do not meet."""
    return True


def _own_block(self: accesses.Pairs, access: accesses.Access, open_: accesses.Open, top: int) -> None:
    """Planted: threads of other blocks are not looked at."""
    MEET(self, access, open_, min(top, BLOCK))


def _half_splits(self: Any, equation: Poly, by: int) -> list[list[Poly]] | None:
    """Planted: the smaller part of an equation is taken to be zero, however large it may be."""
    large = Poly({mono: coef for mono, coef in equation.terms.items() if mono and coef % by == 0})
    small = equation - large
    if not large.terms or all(not mono for mono in small.terms):
        return None
    return [[small, large.divided(by)]]


def _stays_behind(self: execute.Executor, level: int) -> None:
    """Planted: who leaves takes along what was open, and who stays meets none of it."""
    for one in self.open.accesses:
        self.open.clear(one)


FAULTS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "warps": (accesses.Open, "sync", _warps_for_blocks),
    "rounds": (accesses.Open, "empty", _no_next_round),
    "splits": (equations._State, "_by_number", _half_splits),
    "leaving": (execute.Executor, "_end", _stays_behind),
    "blocks": (accesses.Pairs, "meet", _own_block),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, fault = FAULTS[name]
    monkeypatch.setattr(owner, attribute, fault)
    assert any(search(first, STEP)[1] for first in range(FIRST.get(name, 0), FIRST.get(name, 0) + MOST, STEP))
