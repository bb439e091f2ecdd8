"""Mutants of accepted kernels are refused, or shown harmless by the interpreter."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from proofs import corpora

from oxidepy.analysis import races
from oxidepy.compiler.ahead import specialisations
from oxidepy.compiler.driver import effective_options
from oxidepy.frontend.lower import lower
from oxidepy.ir.core import Module
from oxidepy.runtime.program import Program
from oxidepy.settings.options import CodegenOptions

from .mutants import mutants, raced
from .random_kernels import Maker
from .soundness import LIMIT, caught

FAMILIES = ("reductions", "scans", "transposes", "sorting", "histograms", "fft", "merges", "warps")
EVERY = 4  # of the kernels of a family
MUTANTS = 4  # of one kernel
ALL = 1000
LAUNCHES = 4
ROOT = Path(__file__).parents[3]
ACCEPTANCE = ROOT.parent / "shared" / "acceptance" / "accept"
PENDING = {line.split()[0] for line in (ROOT / "tests" / "acceptance_pending.txt").read_text().splitlines() if line and line[0] != "#"}


def modules(family: str, every: int = EVERY) -> list[tuple[str, Module]]:
    return lowered(corpora.ROOT / "free" / f"{family}.py", every)


def lowered(file: Path, every: int = 1) -> list[tuple[str, Module]]:
    program = Program.read(file, as_main=False)
    with program.visit():
        program.start()
        kernels = [one.definition for one in program.kernels()][::every]
        found: list[tuple[str, Module]] = []
        for one in kernels:
            for variant in specialisations(one)[:1]:  # none where it takes a function, which a launch hands in
                found.append((one.name, lower(one, variant, effective_options(one, CodegenOptions())).module))
        return found


def judged(kernels: list[tuple[str, Module]], rng: random.Random, most: int, launches: int = LAUNCHES) -> Counter[str]:
    """How many mutants are refused, and how many accepted: of those the interpreter finds no race."""
    tally = Counter[str]()
    for name, module in kernels:
        for what, mutant in mutants(module, rng, most):
            proof = races.prove(mutant, limit=LIMIT, trial=False)
            tally["refused" if proof.diagnostics else "accepted"] += 1
            tally[f"{what.split(':')[0]}, {'refused' if proof.diagnostics else 'accepted'}"] += 1
            if not proof.diagnostics:
                mutant.kernel.requires = (*mutant.kernel.requires, *proof.staked)
                found, made = raced(mutant, rng, launches)
                tally["run"] += made > 0
                assert found == [], (name, what)
    return tally


@pytest.mark.parametrize("family", FAMILIES)
def test_mutants_of_the_corpus(family: str) -> None:
    assert judged(modules(family), random.Random(family), MUTANTS)["refused"] > 0


def test_mutants_of_the_acceptance_programs() -> None:
    """All of them: a barrier gone, a guard, a check, another index, a narrower scope."""
    if not ACCEPTANCE.is_dir():
        pytest.skip("the acceptance programs do not lie beside this checkout")
    files = [one for one in sorted(ACCEPTANCE.glob("*.py")) if one.stem not in PENDING]
    kernels = [one for file in files for one in lowered(file)]
    tally = judged(kernels, random.Random(0), ALL, 2)
    assert tally["no barrier, refused"] >= 4 and tally["the next element, refused"] > 0 and tally["scope, refused"] > 0, tally
    assert tally["accepted"] > 0 and tally["run"] > tally["accepted"] // 2, tally


def test_mutants_of_random_kernels() -> None:
    rng, tally = random.Random(1), Counter[str]()
    for seed in range(120):
        module, text = Maker(seed).module()
        if races.prove(module, limit=LIMIT).diagnostics:
            continue
        for what, mutant in mutants(module, rng, MUTANTS):
            accepted = not races.prove(mutant, limit=LIMIT, trial=False).diagnostics
            tally["accepted" if accepted else "refused"] += 1
            if accepted:
                assert caught(mutant, seed) is None, (text, what)
    assert tally["accepted"] > 20 and tally["refused"] > 10, tally


def test_the_interpreter_finds_the_races_of_a_mutant() -> None:
    """The judge can say no: a reduction without its barriers races on every launch."""
    rng = random.Random(0)
    program = Program.read(corpora.ROOT / "racy" / "reductions.py", as_main=False)
    with program.visit():
        program.start()
        one = next(one.definition for one in program.kernels())
        module = lower(one, next(iter(specialisations(one))), effective_options(one, CodegenOptions())).module
    found, made = raced(module, rng, LAUNCHES)
    assert made > 0 and found != []
