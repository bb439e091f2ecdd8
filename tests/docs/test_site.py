"""The site builds without a warning, where MkDocs is installed (the `docs` extra)."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from oxidepy.diagnostics.codes import PAGES

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(find_spec("mkdocs") is None or find_spec("material") is None, reason="needs MkDocs and its Material theme: .[docs]")
def test_site(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    built = {path.parent.name for path in (tmp_path / "site" / "codes").glob("*/index.html")}
    assert {path.stem for path in PAGES.glob("*.md")} <= built


def test_every_page_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [path.name for path in (ROOT / "docs").glob("*.md") if f"- {path.name}\n" not in text]
    assert not missing, missing
