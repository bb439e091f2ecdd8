"""The ten mistakes of docs/error-messages.md: what oxidepy says is short, names the place, a code, and one way out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from command_line import oxidepy
from loading import ROOT, load

mistakes = load(ROOT / "benchmarks" / "mistakes.py")

CODES = {
    "undefined": "OX0425",
    "indices": "OX0308",
    "types": "OX0308",
    "try": "OX0658",
    "norm": "OX0658",
    "misspelt": "OX0425",
    "mixed": "OX0308",
    "string": "OX0308",
    "returns": "OX1003",
    "count": "OX2007",
}


def test_all_are_tried() -> None:
    assert set(CODES) == set(mistakes.MISTAKES) == set(mistakes.TOOLS["oxidepy"][1])


@pytest.mark.parametrize("mistake", CODES)
def test_message(mistake: str, tmp_path: Path) -> None:
    text = mistakes.program("oxidepy", mistake)
    marked = {number for number, line in enumerate(text.splitlines(), 1) if "# <-" in line}
    (tmp_path / "main.py").write_text(text.replace("  # <-", ""), encoding="utf-8")
    done = oxidepy("run", "main.py", cwd=tmp_path)
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and done.stdout == ""
    assert lines[0].startswith(f"error[{CODES[mistake]}]: ") and len(lines) <= 9, done.stderr
    place = re.fullmatch(r" *--> main\.py:(\d+):\d+", lines[1])
    assert place is not None and int(place[1]) in marked, done.stderr
    assert any(re.fullmatch(r" +\| +\^+.*", line) for line in lines), done.stderr
    assert [line for line in lines if " = help: " in line] == lines[-1:], done.stderr
