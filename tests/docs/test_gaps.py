"""What README says is missing is not there: where it has come, the page must say so."""

# mypy: ignore-errors
from __future__ import annotations

import re
from pathlib import Path

import pytest

import oxidepy as ox
from oxidepy.runtime.prepared import Prepared

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
FIRST = README.partition("It has not:")[2].partition(";")[0]
MISSING = [re.sub(r"\(.*\)", "", one).strip(" -\n") for one in re.split(r",(?![^(]*\))", FIRST)]

# what the page says → what would have a name then
GAPS = {
    "the tile track": (ox, "tile"),
    "lazy operations": (Prepared, "op"),
    "CUDA graphs": (ox, "Graph"),
}
UNNAMED = {"unified memory"}


@pytest.mark.parametrize("gap", GAPS)
def test_missing_names(gap: str) -> None:
    owner, name = GAPS[gap]
    assert not hasattr(owner, name)


def test_the_page_says_no_more_and_no_less() -> None:
    assert {*MISSING} == {*GAPS, *UNNAMED}
