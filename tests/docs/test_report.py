"""The page of figures is what its generator makes of the results in the repository, and the generator says what it is given."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from loading import ROOT, load


@pytest.fixture(scope="module")
def report() -> ModuleType:
    return load(ROOT / "benchmarks" / "report.py")


def test_the_page_is_current(report: ModuleType) -> None:
    assert report.PAGE.read_text(encoding="utf-8") == report.page(), "run `python benchmarks/report.py`"


def test_a_result_becomes_a_table(report: ModuleType, tmp_path: Path) -> None:
    figures = [
        {"name": "add", "value": 4.2512, "unit": "TB/s", "goal": ">= 4", "peer": "torch", "ratio": 1.0172},
        {"name": "cold", "value": 12345.6, "unit": "ms", "goal": "", "peer": "", "ratio": None},
        {"name": "launch", "value": 0.00441, "unit": "ms", "goal": "", "peer": "", "ratio": None},
    ]
    result = {"title": "Bandwidth", "machine": "one GPU", "figures": figures}
    (tmp_path / "gpu_bandwidth.json").write_text(json.dumps(result), encoding="utf-8")
    (tmp_path / "other.json").write_text("[1]", encoding="utf-8")
    lines = report.page(tmp_path).splitlines()
    assert lines[6:] == [
        "## Bandwidth",
        "",
        "`benchmarks/gpu_bandwidth.py`, one GPU",
        "",
        "| what | value | goal | against |",
        "|---|---|---|---|",
        "| add | 4.25 TB/s | ≥ 4 | 1.02 × torch |",
        "| cold | 12,346 ms |  |  |",
        "| launch | 0.0044 ms |  |  |",
    ]


def test_without_results_the_page_says_so(report: ModuleType, tmp_path: Path) -> None:
    assert "No results are recorded" in report.page(tmp_path)
