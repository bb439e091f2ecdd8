"""A program run under the watch of the sanitizer."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from oxidepy.diagnostics import Diagnostic
from oxidepy.runtime import context
from oxidepy.runtime.sanitize.driver import WatchedDriver
from oxidepy.runtime.sanitize.findings import Findings, leak
from oxidepy.runtime.sanitize.memory import Written

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck", "overflow", "leaks")


@dataclass
class Session:
    """`found` is complete when the session has ended; `launches`: how many kernels the interpreter ran; `partly`: those in
    which not all was looked for, and why."""

    found: list[Diagnostic] = field(default_factory=list[Diagnostic])
    launches: int = 0
    partly: dict[str, str] = field(default_factory=dict[str, str])


@contextmanager
def watching(program: str, tools: frozenset[str], names: dict[str, Any]) -> Generator[Session]:
    """Inside, the device `interp` watches its kernels. `program`: the file that asks for memory; `names`: its module's, let go of at the
    end, so that what is held then is held by somebody else."""
    findings, written, session = Findings(), Written(program), Session()
    driver = WatchedDriver(findings, written, tools)
    interp = context.Context("interp")
    before, default = interp.driver, interp._default  # pyright: ignore[reportPrivateUsage]
    interp.driver, interp._default = driver, None  # pyright: ignore[reportPrivateUsage]
    try:
        yield session
    finally:
        if "leaks" in tools:
            names.clear()
            interp._default = None  # pyright: ignore[reportPrivateUsage]
            gc.collect()
            for piece in written.pieces.values():
                if piece.nbytes:
                    findings.add(leak(piece.made, piece.nbytes, driver.name))
        interp.driver, interp._default = before, default  # pyright: ignore[reportPrivateUsage]
        session.found, session.launches = findings.all(), driver.launches
        session.partly = dict(driver.partly)
