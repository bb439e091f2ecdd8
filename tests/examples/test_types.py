"""`mypy --strict` passes over the examples."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
def test_types(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = True\nmypy_path = {ROOT}\n[mypy-oxidepy.*]\nfollow_imports = silent\n")
    files = sorted(str(path) for path in (ROOT / "examples").glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", str(tmp_path / "cache"), *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
