"""What README says is missing is not there: where it has come, the page must say so."""

# mypy: ignore-errors
from __future__ import annotations

from pathlib import Path

import pytest

import oxidepy as ox

ROOT = Path(__file__).parents[2]
PAGES = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/language.md")]


@pytest.mark.parametrize("name", ["tile"])
def test_missing_names(name: str) -> None:
    assert f"the {name} track" in PAGES[0]
    assert not hasattr(ox, name)
