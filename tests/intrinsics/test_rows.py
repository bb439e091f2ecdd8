"""Every row of the table does what NumPy says, on every device that has it."""

from __future__ import annotations

import numpy as np
import pytest
from backend.test_cpu_simt import assert_same
from backend.test_gpu import Gpu
from intrinsics.cases import CASES

from oxidepy.ir.interpreter import run
from oxidepy.ir.intrinsics import ROWS

CPU = [name for name in CASES if ROWS[name].cpu]


@pytest.mark.parametrize("name", CASES)
def test_interpreter(name: str) -> None:
    case = CASES[name]()
    args = [one.copy() for one in case.args]
    assert run(case.module, [one.view(np.uint8) for one in args], case.grid, case.module.kernel.block) is None
    assert np.array_equal(args[-1], case.wanted)


@pytest.mark.parametrize("name", CPU)
def test_cpu(name: str) -> None:
    case = CASES[name]()
    args, _ = assert_same(case.module, list(case.args), case.grid)
    assert np.array_equal(args[-1], case.wanted)


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_gpu(name: str) -> None:
    gpu, case = Gpu(), CASES[name]()
    if gpu.target.compute < ROWS[name].minimum_arch:
        pytest.skip(f"this GPU is older than sm_{ROWS[name].minimum_arch}")
    args = [one.copy() for one in case.args]
    assert not gpu.run(case.module, [one.view(np.uint8) for one in args], case.grid).any()
    assert np.array_equal(args[-1], case.wanted)
