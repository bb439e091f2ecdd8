"""The watch over the interpreter against another judge of races, which runs kernels thread by thread: both say the same."""

from __future__ import annotations

from collections import Counter

import pytest
from analysis.races.dynamic import races
from analysis.races.random_kernels import Maker, launches
from analysis.races.watching import RACES, watched


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_kernels(first: int) -> None:
    tally: Counter[bool] = Counter()
    for seed in range(first, first + 20):
        module, text = Maker(seed).module()
        for run in launches(module, seed, 2):
            told = watched(run)
            if told & {"deadlock", "fault"}:
                continue
            run.go()
            if run.divergent:
                continue
            raced = bool(races(run))
            assert raced == bool(told & RACES), f"seed {seed}, scalars {run.scalars}, grid {run.grid}\n{text}"
            tally[raced] += 1
    assert tally[True] and tally[False]
