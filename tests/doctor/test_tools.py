"""The check of the CUDA toolkit."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oxidepy.doctor.checks import tools
from oxidepy.doctor.examination import Examination


def test_no_toolkit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    found = tools.toolkit(Examination())
    assert found.severity == "info" and found.lacks == "toolkit" and "no ptxas and no nvcc here; not needed" in found.message


def test_toolkit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name, path=None: f"{path}/{name}" if path == str(tmp_path / "bin") else None)

    def run(command: list[str], **options: Any) -> Any:
        if command[0].endswith("nvcc"):
            raise subprocess.TimeoutExpired(command, 5)
        return SimpleNamespace(stdout="Cuda compilation tools, release 13.0, V13.0.88\n")

    monkeypatch.setattr(subprocess, "run", run)
    found = tools.toolkit(Examination())
    assert found.severity == "ok" and found.message == "ptxas 13.0, nvcc of unknown release"
    assert found.evidence["ptxas"] == {"path": f"{tmp_path}/bin/ptxas", "release": "13.0"} and found.evidence["CUDA_HOME"] == str(tmp_path)
