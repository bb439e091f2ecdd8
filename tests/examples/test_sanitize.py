"""The script that runs the examples under compute-sanitizer, with a stand-in for the tool: what it is given, what its exit codes mean."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "sanitize_examples.py"
STAND_IN = """#!/bin/sh
[ "$1 $2 $3 $4 $5" = "--tool {tool} --error-exitcode 86 --print-limit" ] || exit 99
shift 6
{then}
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")


def sanitize(folder: Path, tool: str, then: str, *names: str) -> subprocess.CompletedProcess[str]:
    stand_in = folder / "compute-sanitizer"
    stand_in.write_text(STAND_IN.format(tool=tool, then=then), encoding="utf-8")
    stand_in.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, str(SCRIPT), "--tool", tool, "--device", "cpu", *names]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


def test_clean(tmp_path: Path) -> None:
    done = sanitize(tmp_path, "racecheck", 'exec "$@"', "vecadd", "grid_stride")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("racecheck: 2 of 2 ok, 0 with findings, 0 failed, ")


@pytest.mark.parametrize(("then", "state"), [('"$@"; exit 86', "findings"), ("exit 3", "failed"), ("exit 0", "failed")])
def test_not_clean(tmp_path: Path, then: str, state: str) -> None:
    done = sanitize(tmp_path, "memcheck", then, "vecadd")
    assert done.returncode == 1
    assert done.stdout.startswith(f"{state:<9} vecadd\n"), done.stdout


def test_wrong_use(tmp_path: Path) -> None:
    assert sanitize(tmp_path, "memcheck", "exit 0", "nothing").returncode == 2
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, env={**os.environ, "PATH": str(tmp_path / "empty")}
    )
    assert done.returncode == 2 and "OX8013" in done.stderr
