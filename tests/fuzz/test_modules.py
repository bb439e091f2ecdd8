"""Random IR: the CPU's object code gives the interpreter's bits and its panic."""

from __future__ import annotations

import numpy as np
import pytest
from backend.kernels import CpuKernel, same
from fuzz.modules import ELEMENTS, random_arguments, random_module

from oxidepy.backend import panic as layout
from oxidepy.ir.interpreter import run
from oxidepy.ir.printer import print_module
from oxidepy.ir.types import Memory

GRID = (ELEMENTS // 32, 1, 1)


def differences(seed: int, checks: bool) -> str | None:
    module = random_module(seed, checks)
    wanted, got = random_arguments(module, seed), random_arguments(module, seed)
    told = run(module, wanted, GRID, (32, 1, 1))
    status, record = CpuKernel(module).run(got, GRID)
    if (told is not None) != bool(status):
        return f"panic {told} against status {status}"
    if told is not None:
        sites = [op for op in module.kernel.body.walk() if op.name == "check"]
        fields = ((layout.SITE, 4), (layout.INDEX, 8), (layout.LENGTH, 8))
        site, index, length = (int(record[at : at + size].view(f"i{size}")[0]) for at, size in fields)
        block, thread = (tuple(record[at : at + 12].view(np.uint32).tolist()) for at in (layout.BLOCK, layout.THREAD))
        same_site = sites[site] is told.site and (told.index is None or (index, length) == (told.index, told.length))
        same_place = (block, thread) == (told.block, told.thread)
        return None if same_site and same_place else f"{told} against {site, block, thread, index, length}"
    for param, a, b in zip(module.kernel.params, wanted, got, strict=True):
        if isinstance(param.type, Memory) and not same(param.type.element, a, b).all():
            return f"{param.name}: {np.flatnonzero(~same(param.type.element, a, b))[:4]} differ"
    return None


@pytest.mark.parametrize("start", range(0, 160, 20))
def test_random_modules(start: int) -> None:
    for seed in range(start, start + 20):
        problem = differences(seed, checks=seed % 2 == 1)
        assert problem is None, f"seed {seed}: {problem}\n{print_module(random_module(seed, seed % 2 == 1))}"
