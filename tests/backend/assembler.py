"""ptxas, where there is one: PTX that it does not take is a fault of the backend."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

ARCHES = ("sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a")


@functools.cache
def ptxas() -> str | None:
    return shutil.which("ptxas")


def assemble(ptx: str, arch: str) -> str:
    """What ptxas says of the registers; the test fails on its errors and skips where there is no ptxas."""
    tool = ptxas()
    if tool is None:
        pytest.skip("no ptxas on this machine to assemble the PTX with")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernel.ptx")
        source.write_text(ptx)
        linked = ["-c"] if ".extern .func" in ptx else []  # functions of other compilers come when it is linked
        command = [tool, f"-arch={arch}", "-v", "-O1", *linked, str(source), "-o", str(Path(folder, "kernel.cubin"))]
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + ptx
    return done.stderr
