"""Random kernels with waits: the CPU does what the interpreter does."""

from __future__ import annotations

import numpy as np
import pytest
from backend.simt import kernel
from backend.simt_programs import Program
from backend.test_cpu_simt import OUT, X, assert_same

PROGRAMS = 12


def assert_fine(seed: int, threads: int, checks: bool, shape: str = "") -> None:
    program = Program(seed, threads, checks)
    facts = f"domain {1 if not shape else 2} block {shape or f'{threads}x1x1'} coordinates i32"
    module = kernel(f"{X}; k: i32; {OUT}", program.body(), facts)
    x = np.random.default_rng(seed).integers(-5, 200, 2 * threads).astype(np.int32)
    assert_same(module, [x, 3, np.zeros(2 * threads, np.int32)], (2, 1, 1))


@pytest.mark.parametrize("threads", [64, 32, 40, 7])
@pytest.mark.parametrize("checks", [False, True])
def test_random_programs(threads: int, checks: bool) -> None:
    for seed in range(PROGRAMS):
        assert_fine(1000 * threads + seed, threads, checks)
