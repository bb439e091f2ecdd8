"""The two corpora: what the proofs must accept and must never accept, and that the corpora are what they say.

The race-free kernels are checked in one test, the twins of every second family in another, so that the two may run at once.
`python scripts/proofs.py` checks all, and prints the table of the families.
"""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import pytest
from proofs import corpora
from proofs.corpora import RACES, Verdict

SHARE = 0.95
SECONDS = 1800
KERNEL_SECONDS = 60.0  # far more than any takes: a verdict rests on the limits of the prover alone, which are the same everywhere
FREE = [one for family in corpora.families("free") for one in corpora.kernels("free", family)]
RACY = [one for family in corpora.families("racy") for one in corpora.kernels("racy", family)]


def verdicts(corpus: str, families: list[str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[Verdict]:
    """What the prover says of each kernel of the families, from a cold cache."""
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(folder))
    found, whole = corpora.batch([(corpus, family) for family in families], SECONDS, KERNEL_SECONDS)
    assert whole, f"the batch stopped after {len(found)} kernels"
    expected = sorted((family, one.name) for family in families for one in corpora.kernels(corpus, family))
    assert sorted((one.family, one.name) for one in found) == expected
    return found


def test_the_corpora_are_large_enough() -> None:
    assert len([one for one in FREE if not corpora.apart(one.family)]) >= 120
    assert len(RACY) >= 120
    assert all(len(corpora.kernels("free", family)) >= 4 for family in corpora.families("free"))
    assert set(corpora.families("racy")) == set(corpora.families("free"))


def test_no_name_is_taken_twice() -> None:
    for some in (FREE, RACY):
        names = [(one.family, one.name) for one in some]
        assert len(set(names)) == len(names)


def _same(before: list[str], after: list[str]) -> int:
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _changed(before: list[str], after: list[str]) -> int:
    """How many lines lie between the first and the last that differ, in the longer of two texts."""
    same = _same(before, after)
    before, after = before[same:], after[same:]
    return max(len(before), len(after)) - _same(before[::-1], after[::-1])


def _lines(kernel: corpora.Kernel) -> list[str]:
    """The kernel without its name, layout and marks."""
    tree = ast.parse(kernel.text)
    assert isinstance(tree.body[0], ast.FunctionDef)
    tree.body[0].name = "kernel"
    return ast.unparse(tree).splitlines()


@pytest.mark.parametrize("twin", RACY, ids=lambda one: f"{one.family}.{one.name}")
def test_a_twin_is_one_edit_away_from_its_model(twin: corpora.Kernel) -> None:
    assert 1 <= _changed(_lines(corpora.model(twin)), _lines(twin)) <= 4


def test_race_free_kernels_are_proven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = verdicts("free", corpora.families("free"), monkeypatch, tmp_path)
    counted = [one for one in found if not corpora.apart(one.family)]
    refused = [f"{one.family}.{one.name}: {one.findings}" for one in counted if not one.accepted]
    assert len(counted) - len(refused) >= SHARE * len(counted), "\n".join(refused)


def test_twins_are_refused_for_their_races(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """None is accepted. An error of the language would hide that nothing was proven, and a prover that fails has not refused. And most are
    refused for what they do, with two threads that clash: but for indices out of memory, of which nobody knows the values."""
    found = verdicts("racy", corpora.families("racy")[::2], monkeypatch, tmp_path)
    assert [f"{one.family}.{one.name}" for one in found if one.accepted] == []
    assert [f"{one.family}.{one.name}: {one.findings}" for one in found if not one.codes & RACES] == []
    known = {(one.family, one.name): one.expected for one in RACY}
    twins = [one for one in found if not one.family.startswith("loaded")]
    other = [f"{one.family}.{one.name}: {one.findings}" for one in twins if (known[one.family, one.name] or ("",))[0] not in one.codes]
    assert len(other) <= 0.05 * len(twins), "\n".join(other)
