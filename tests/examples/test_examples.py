"""Every example runs on the CPU and, where there is one, on the GPU, by `oxidepy run`; in the interpreter as a program of Python's."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

import pytest
from command_line import oxidepy

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
DEVICES = ("cpu", pytest.param("cuda:0", marks=pytest.mark.gpu))


def test_they_are_there() -> None:
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_run(path: Path, device: str) -> None:
    done = oxidepy("run", str(path), "--device", device)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("PASSED"), done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_run_by_python(path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As `python path` runs it, in this process: to start one takes longer than most examples."""
    monkeypatch.setenv("OXIDEPY_DEVICE", "interp")
    monkeypatch.setattr(sys, "argv", [str(path)])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert end.value.code in (0, None)
    assert capsys.readouterr().out.splitlines()[-1].startswith("PASSED")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_first_line_says_what_it_shows(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text))
    assert said and text.startswith('"""') and said.count("\n") == 0 and len(said) > 30
