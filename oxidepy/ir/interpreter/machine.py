"""Where a thread runs: this device is one multiprocessor, and every launch is its first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from oxidepy.ir.interpreter.hardware import Execution
from oxidepy.ir.interpreter.values import Array


def smid(run: Execution) -> Sequence[Array]:
    return (np.zeros(len(run.mask), np.uint32),)


def nsmid(run: Execution) -> Sequence[Array]:
    return (np.ones(len(run.mask), np.uint32),)


def gridid(run: Execution) -> Sequence[Array]:
    return (np.zeros(len(run.mask), np.uint64),)
