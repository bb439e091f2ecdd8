"""Mutants of accepted kernels are refused, or shown harmless by the interpreter."""

from __future__ import annotations

import random
from collections import Counter

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
LAUNCHES = 4


def modules(family: str, every: int = EVERY) -> list[tuple[str, Module]]:
    program = Program.read(corpora.ROOT / "free" / f"{family}.py", as_main=False)
    with program.visit():
        program.start()
        kernels = [one.definition for one in program.kernels()][::every]
        found: list[tuple[str, Module]] = []
        for one in kernels:
            variant = next(iter(specialisations(one)))
            found.append((one.name, lower(one, variant, effective_options(one, CodegenOptions())).module))
        return found


@pytest.mark.parametrize("family", FAMILIES)
def test_mutants_of_the_corpus(family: str) -> None:
    rng, tally = random.Random(family), Counter[str]()
    for name, module in modules(family):
        for what, mutant in mutants(module, rng, MUTANTS):
            proof = races.prove(mutant, limit=LIMIT)
            tally["refused" if proof.diagnostics else "accepted"] += 1
            if not proof.diagnostics:
                mutant.kernel.requires = (*mutant.kernel.requires, *proof.staked)
                found, _ = raced(mutant, rng, LAUNCHES)
                assert found == [], (name, what)
    assert tally["refused"] > 0, tally


def test_mutants_of_random_kernels() -> None:
    rng, tally = random.Random(1), Counter[str]()
    for seed in range(120):
        module, text = Maker(seed).module()
        if races.prove(module, limit=LIMIT).diagnostics:
            continue
        for what, mutant in mutants(module, rng, MUTANTS):
            accepted = not races.prove(mutant, limit=LIMIT).diagnostics
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
