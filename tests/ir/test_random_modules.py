"""Random modules: well formed, and the text reads back as itself and means the same."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz.modules import ELEMENTS, random_arguments, random_module

from oxidepy.ir.core import Module
from oxidepy.ir.interpreter import run
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.verifier import verify


def run_on_random_data(module: Module, seed: int) -> tuple[list[bytes], tuple | None]:
    args = random_arguments(module, seed)
    panic = run(module, args, (ELEMENTS // 32, 1, 1), (32, 1, 1))
    told = panic and (panic.site.attrs["code"], panic.block, panic.thread, panic.index, panic.length)
    return [one.tobytes() for one in args if isinstance(one, np.ndarray)], told


@pytest.mark.parametrize("start", range(0, 120, 30))
def test_text_of_random_modules(start: int) -> None:
    for seed in range(start, start + 30):
        module = random_module(seed, checks=seed % 2 == 0)
        verify(module)
        text = print_module(module)
        again = parse_module(text)
        verify(again)
        assert print_module(again) == text, seed
        assert run_on_random_data(module, seed) == run_on_random_data(again, seed), seed
