"""The checks of settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from oxidepy.doctor.checks import project
from oxidepy.doctor.examination import Examination


def test_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_DEVICE", "cpu")
    found = project.variables(Examination())
    assert found.severity == "ok" and found.evidence["OXIDEPY_DEVICE"] == "cpu"


def test_malformed_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_DEVICE", "gpu")
    found = project.variables(Examination())
    assert found.severity == "error" and "OXIDEPY_DEVICE is 'gpu'" in found.message
    assert found.fix in ("unset OXIDEPY_DEVICE", "set OXIDEPY_DEVICE=")


def test_unknown_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_DEVCE", "cpu")
    found = project.variables(Examination())
    assert found.severity == "warn" and found.message.endswith("did you mean OXIDEPY_DEVICE?")


def file(tmp_path: Path, text: str) -> Examination:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    return Examination(place=tmp_path)


def test_no_project(tmp_path: Path) -> None:
    assert project.project_file(Examination(place=tmp_path)).severity == "ok"


@pytest.mark.skipif(os.name == "nt", reason="a folder in use cannot be removed there")
def test_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    found = project.project_file(Examination())
    assert found.severity == "error" and found.message == "the working directory does not exist any more" and found.fix == "cd ~"


def test_project_without_table(tmp_path: Path) -> None:
    found = project.project_file(file(tmp_path, "[project]\nname = 'x'\n"))
    assert found.severity == "ok" and "no [tool.oxidepy] table" in found.message


def test_good_project(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("")
    found = project.project_file(file(tmp_path, '[tool.oxidepy]\nentry = "main.py"\nfmad = false\n'))
    assert found.severity == "ok" and found.evidence["entry"] == "main.py" and found.evidence["fmad"] is False


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.oxidepy]\nentri = 'x'\n", "no key 'entri'"),
        ("[tool.oxidepy]\nfmad = 3\n", "fmad is 3"),
        ("[tool.oxidepy\n", "not TOML"),
        ("[tool.oxidepy]\nentry = 'src/main.py'\n", "there is no such file"),
    ],
)
def test_bad_projects(tmp_path: Path, text: str, said: str) -> None:
    found = project.project_file(file(tmp_path, text))
    assert found.severity == "error" and said in found.message and found.fix is not None
