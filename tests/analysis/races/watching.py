"""The interpreter under watch as a judge of races: the same launches as those of `dynamic`, run whole blocks at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oxidepy.ir.interpreter import Deadlock, Fault, Program
from oxidepy.ir.interpreter.values import DTYPES
from oxidepy.ir.types import Memory, Scalar
from oxidepy.runtime.sanitize.findings import Findings
from oxidepy.runtime.sanitize.memory import Written
from oxidepy.runtime.sanitize.watch import Watch

from .dynamic import Run

RACES = frozenset(("OX4001", "OX4002"))


def watched(run: Run) -> set[str]:
    """The codes that the watch tells of a launch; "deadlock" or "fault" where it did not come to its end."""
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
