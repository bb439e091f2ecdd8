"""What README says is missing is not there: where it has come, the page must say so."""

# mypy: ignore-errors
from __future__ import annotations

import re
from pathlib import Path

import pytest

import oxidepy as ox
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.intrinsics.form import written
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


def test_the_page_of_devices_names_what_the_cpu_refuses() -> None:
    page = (Path(__file__).parents[2] / "docs" / "devices.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z0-9_.]+)`", page.partition("## CPU")[2].partition("\n## ")[0]))
    refused = {written(row.name) for row in ROWS.values() if row.assembly is not None and not row.cpu}
    of_halves = {one for one in refused if one.startswith("mma.m8n8k4")}
    missing = {one for one in refused - of_halves if not any(one == name or one.startswith(f"{name}.") for name in named)}
    assert refused and not missing, missing


def test_the_page_says_no_more_and_no_less() -> None:
    assert {*MISSING} == {*GAPS, *UNNAMED}
