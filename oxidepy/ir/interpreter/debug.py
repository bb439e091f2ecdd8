"""Clocks and stops in the interpreter. A clock is this machine's, in nanoseconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

from oxidepy.ir.interpreter.hardware import Execution
from oxidepy.ir.interpreter.values import Array


def clock(run: Execution) -> Sequence[Array]:
    return [np.full(len(run.mask), time.perf_counter_ns(), np.uint64)]


def global_timer(run: Execution) -> Sequence[Array]:
    return [np.full(len(run.mask), time.time_ns(), np.uint64)]


def prof_trigger(run: Execution) -> Sequence[Array]:
    return []


def breakpoint(run: Execution) -> Sequence[Array]:
    """Python's own, once for the threads that come together; `run.mask` says which of the block these are."""
    sys.breakpointhook()  # noqa: T100 - this is what the kernel asks for
    return []
