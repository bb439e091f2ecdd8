"""Every page of a code says what really happens: its program triggers the code with the message that is printed, the mended one is fine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pages
import pytest
from command_line import oxidepy as command

import oxidepy
from oxidepy.diagnostics.codes import CODES

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


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What `check` finds in the mended programs that are for it. It reads them all in one process."""
    folder = tmp_path_factory.mktemp("mended")
    found: dict[str, list[dict[str, Any]]] = {}
    for code in WITH_PROGRAM:
        page = pages.read(PATHS[code])
        if page is not None and page.only_checked:
            (folder / f"{code}.py").write_text(page.mended, encoding="utf-8")
            found[code] = []
    done = command("check", "--message-format", "json", str(folder))
    assert done.stderr == ""
    for one in map(json.loads, done.stdout.splitlines()):
        found[Path(one["file"]).stem].append(one)
    return found


@pytest.mark.parametrize("code", WITH_PROGRAM)
def test_program(code: str, checked: dict[str, list[dict[str, Any]]]) -> None:
    page = pages.read(PATHS[code])
    assert page is not None
    done = pages.run(page, page.wrong)
    assert pages.said(page, done) == page.expected  # `python tests/pages.py` writes down what is said now
    assert (done.returncode == 0) == page.expected.startswith("warning")
    if page.only_checked:
        assert [one for one in checked[code] if one["severity"] == "error" or one["code"] == code] == []
    else:
        mended = pages.run(page, page.mended)
        assert mended.returncode == 0 and code not in mended.stderr, mended.stderr


def codes_in_the_package(pattern: str) -> set[str]:
    package = Path(oxidepy.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in package.rglob("*.py") if path.name != "codes.py"]
    return {code for text in sources for code in re.findall(pattern, text)}


def test_every_code_in_the_package_is_registered() -> None:
    assert codes_in_the_package(r"[\"'](OX\d{4})[\"']") - set(CODES) == set()


def test_every_code_that_is_raised_has_a_page() -> None:
    assert codes_in_the_package(r"[(,=]\s*[\"'](OX\d{4})[\"']") - set(PATHS) == set()
