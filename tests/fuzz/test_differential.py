"""A thousand random kernels give the same bits on the interpreter and on the CPU, and the same panics."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fuzz.differential import check
from fuzz.kernels import generate
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

MODULES, KERNELS = 40, 25  # a thousand


@pytest.mark.parametrize("seed", range(MODULES))
def test_interpreter_and_cpu_agree(seed: int, tmp_path: Path) -> None:
    assert check(random.Random(seed), tmp_path, f"fuzz_{seed}", KERNELS, "cpu")[0] == KERNELS


@settings(max_examples=10, deadline=None, derandomize=True, phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False), panics=st.booleans())
def test_small_modules_agree(rng: random.Random, panics: bool, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Few kernels at a time, drawn by hypothesis, which makes a failing one small."""
    assert check(rng, tmp_path_factory.mktemp("fuzz"), "fuzz_small", 1, "cpu", panics=panics)[0] == 1


def test_some_kernels_panic_and_most_do_not(tmp_path: Path) -> None:
    """The generator reaches both: else the comparison would say little."""
    agreed, panicked = check(random.Random(1000), tmp_path, "fuzz_panics", 60, "cpu")
    assert agreed == 60 and 1 <= panicked <= 40


def test_a_seed_gives_the_same_text() -> None:
    assert generate(random.Random(3), 5) == generate(random.Random(3), 5) != generate(random.Random(4), 5)
