"""Every page of a code says what really happens: its program triggers the code with the message that is printed, the mended one is fine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pages
import pytest
from cli.conftest import Command, command

import oxidepy
from oxidepy.diagnostics.codes import CODES

__all__ = ["command"]  # the fixture

PATHS = {path.stem: path for path in pages.paths()}
WITH_PROGRAM = [code for code, path in PATHS.items() if pages.read(path) is not None]


def test_pages_belong_to_codes() -> None:
    assert set(PATHS) <= set(CODES)
    assert {code for code in PATHS if code not in WITH_PROGRAM} == set(pages.UNTRIGGERED)


@pytest.mark.parametrize("code", PATHS)
def test_form(code: str) -> None:
    text = PATHS[code].read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: {CODES[code].title}\n\n") and text.endswith("\n")
    assert max(map(len, re.sub(r"^```text\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL).splitlines())) <= 160


Done = subprocess.CompletedProcess[str]


def run(page: pages.Page, program: str, command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Done:
    """What a program says. One that `check` reads alone is checked in this process: to start one takes longer."""
    if not page.only_checked:
        return pages.run(page, program)
    folder.mkdir()
    (folder / "main.py").write_text(program, encoding="utf-8")
    monkeypatch.chdir(folder)
    done = command("-q", "check", "main.py")
    return subprocess.CompletedProcess((), done.code, done.out, done.err)


@pytest.mark.parametrize("code", WITH_PROGRAM)
def test_program(code: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = pages.read(PATHS[code])
    assert page is not None
    done = run(page, page.wrong, command, tmp_path / "wrong", monkeypatch)
    assert pages.said(page, done) == page.expected  # `python tests/pages.py` writes down what is said now
    assert (done.returncode == 0) == page.expected.startswith("warning")
    mended = run(page, page.mended, command, tmp_path / "mended", monkeypatch)
    assert mended.returncode == 0 and code not in mended.stderr, mended.stderr


def codes_in_the_package(pattern: str) -> set[str]:
    package = Path(oxidepy.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in package.rglob("*.py") if path.name != "codes.py"]
    return {code for text in sources for code in re.findall(pattern, text)}


def test_every_code_in_the_package_is_registered() -> None:
    assert codes_in_the_package(r"[\"'](OX\d{4})[\"']") - set(CODES) == set()


def test_every_code_that_is_raised_has_a_page() -> None:
    assert codes_in_the_package(r"[(,=]\s*[\"'](OX\d{4})[\"']") - set(PATHS) == set()
