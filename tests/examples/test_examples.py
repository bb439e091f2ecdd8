"""Every example runs on the CPU and in the interpreter, and on the GPU where there is one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from command_line import oxidepy

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
DEVICES = ("cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu))


def test_they_are_there() -> None:
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_run(path: Path, device: str) -> None:
    done = oxidepy("run", str(path), "--device", device)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("PASSED"), done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_first_line_says_what_it_shows(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text))
    assert said and text.startswith('"""') and said.count("\n") == 0 and len(said) > 30
