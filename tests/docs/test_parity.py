"""The comparison with cuda-oxide: every row has a state, every file that it names is there, what works is shown."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "parity.md").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line.startswith("|") and not line.startswith("|---")]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES]
FEATURES = [row for row in ROWS if row[1] != "state"]


def test_every_row_has_a_state_and_a_reason() -> None:
    assert len(FEATURES) > 100
    wrong = [row for row in FEATURES if len(row) != 3 or row[1] not in ("works", "open", "no meaning") or len(row[2]) < 4]
    assert not wrong, wrong


def test_what_works_is_shown() -> None:
    missing = [row[0] for row in FEATURES if row[1] == "works" and not re.search(r"`(examples|tests)/\S+\.py`", row[2])]
    assert not missing, missing


def test_the_files_are_there() -> None:
    named = set(re.findall(r"`((?:examples|tests)/\S+?)`", TEXT))
    missing = sorted(one for one in named if not (ROOT / one).is_file())
    assert len(named) > 40 and not missing, missing
