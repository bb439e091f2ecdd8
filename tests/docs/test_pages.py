"""The documentation says what is so: its programs run, its tables are current, its links lead somewhere."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from pathlib import Path

import pytest
from loading import ROOT, load

HERE = Path(__file__).parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


blocks = load(HERE / "blocks.py")
generate = load(DOCS / "generate.py")
WITH_PYTHON = [path for path in PAGES if any(one.runs for one in blocks.blocks(path.read_text(encoding="utf-8")))]


def test_the_pages_are_there() -> None:
    names = {path.stem for path in WITH_PYTHON}
    assert {"README", "language", "launching", "errors", "getting-started"} <= names, names


@pytest.mark.parametrize("path", WITH_PYTHON, ids=lambda path: path.stem)
def test_blocks(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "blocks.py"), str(path)], capture_output=True, text=True, encoding="utf-8", timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_block_that_is_not_run_says_why() -> None:
    notes = [one.note for path in PAGES for one in blocks.blocks(path.read_text(encoding="utf-8")) if one.note]
    assert all(re.fullmatch(r"error OX\d{4}|not run: .{10,}", one) for one in notes), notes


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_tables(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert generate.filled(text) == text, "run `python docs/generate.py`"
    assert text.count("<!-- table ") == len(generate.TABLE.findall(text))


def test_every_table_is_shown() -> None:
    shown = {one[1] for path in PAGES for one in generate.TABLE.findall(path.read_text(encoding="utf-8"))}
    assert shown == set(generate.TABLES)


def test_picture() -> None:
    svg = generate.PICTURE.read_text(encoding="utf-8")
    shown = html.unescape(re.sub(r"<[^>]+>", "", svg[svg.index('<g class="error-matrix">') :])).replace("\xa0", "").replace(" ", "")
    said = re.sub(r"\x1b\[[\d;]*m", "", generate.said()).splitlines()
    assert said
    for line in said:
        assert line.replace(" ", "") in shown, f"{line!r} is not in the picture; run `python docs/generate.py`"


def test_links() -> None:
    broken: list[str] = []
    for path in PAGES:
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8")):
            page = path.parent / target
            if not page.exists():
                broken.append(f"{path.name}: {target}")
    assert not broken, broken


def test_a_block_with_wrong_host_code_is_told(tmp_path: Path) -> None:
    head = "from oxidepy import *\n\n\n@kernel\ndef copy(x: Slice[f32], y: DisjointSlice[f32]) -> None:\n    idx = thread.index_1d()\n"
    code = head + "    if idx in y:\n        y[idx] = x[idx]\n\n\ndef twice(stream, x):\n    copy.launch(stream, x, x)\n"
    page = tmp_path / "page.md"
    page.write_text(f"```python\n{code}```\n", encoding="utf-8")
    (told,) = blocks.examine(page, False)
    assert "OX0502" in told and "host code" in told
