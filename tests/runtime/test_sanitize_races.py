"""The watch over the interpreter against another judge of races, which runs kernels thread by thread: both say the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from analysis.races.dynamic import Run, races
from analysis.races.random_kernels import Maker, launches

from oxidepy.ir.interpreter import Deadlock, Fault, Program
from oxidepy.ir.interpreter.values import DTYPES
from oxidepy.ir.types import Memory, Scalar
from oxidepy.runtime.sanitize.findings import Findings
from oxidepy.runtime.sanitize.memory import Written
from oxidepy.runtime.sanitize.watch import Watch

RACES = {"OX4001", "OX4002"}


def watched(run: Run) -> set[str]:
    """The codes that the watch tells of a launch."""
    kernel = run.module.kernel
    args: list[Any] = []
    for param, info in zip(kernel.params, kernel.infos, strict=True):
        if isinstance(param.type, Memory):
            element = param.type.element
            assert isinstance(element, Scalar)
            contents: npt.NDArray[Any] = np.array(run.arrays[info.source], DTYPES[element.name])
            args.append(np.frombuffer(bytearray(contents.tobytes()), np.uint8))
        else:
            args.append(len(run.arrays[info.source]) if info.role == "length" else run.scalars[info.source])
    found = Findings()
    watch = Watch(kernel, found, Written(""), frozenset(("racecheck",)))
    watch.launch(run.grid, kernel.block)
    try:
        Program(run.module, watch).run(args, run.grid, kernel.block)
    except Deadlock:
        return {"deadlock"}
    except Fault:
        return {"fault"}
    watch.end()
    return {one.code for one in found.all()}


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
