"""Soundness of the prover by trial: what it accepts is run, and no two threads may race.

python -m analysis.races.soundness FIRST COUNT      (from tests/) the long run: exit 1 at a race in an accepted kernel
"""

from __future__ import annotations

import sys
from collections import Counter

from oxidepy.analysis import races as prover
from oxidepy.ir.core import Module

from .dynamic import Run, Touch, races
from .random_kernels import Maker, launches

LIMIT = 300_000  # of z3, for each question: random kernels ask odd ones


def verdict(module: Module) -> str:
    codes = {one.code for one in prover.prove(module, limit=LIMIT, trial=False).diagnostics}
    if codes & {"OX3001", "OX3002"}:
        return "divergent"
    return "race" if codes & {"OX4001", "OX4002"} else "unproven" if "OX4003" in codes else "accepted"


def caught(module: Module, seed: int, count: int = 4) -> tuple[Run, tuple[Touch, Touch]] | None:
    """A launch of the kernel in which two threads race, or wait for each other for good."""
    for run in launches(module, seed, count):
        run.go()
        found = races(run)
        assert found or not run.divergent, "a barrier that not all threads reach was accepted"
        if found:
            return run, found[0]
    return None


def search(first: int, count: int) -> tuple[Counter[str], list[str]]:
    """Verdicts over random kernels, and the texts of accepted ones that race."""
    tally: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(first, first + count):
        module, text = Maker(seed).module()
        found = verdict(module)
        tally[found] += 1
        if found == "accepted" and (clash := caught(module, seed)) is not None:
            run, (one, two) = clash
            wrong.append(f"seed {seed}, scalars {run.scalars}, grid {run.grid}\n{text}\n{one}\n{two}")
    return tally, wrong


if __name__ == "__main__":
    tally, wrong = search(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(tally))
    print("\n\n".join(wrong))
    sys.exit(bool(wrong))
