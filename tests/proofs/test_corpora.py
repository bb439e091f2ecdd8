"""The two corpora: what the proofs must accept and must never accept, and that the corpora are what they say.

The race-free kernels and the twins of every second family are checked once, in one process. `python scripts/proofs.py` checks all, and
prints the table of the families.
"""

from __future__ import annotations

import ast
import itertools
import os

import pytest
from proofs import corpora
from proofs.corpora import RACES, Verdict

SHARE = 0.95
SECONDS = 1800
KERNEL_SECONDS = 60.0  # far more than any takes: a verdict rests on the limits of the prover alone, which are the same everywhere
FREE = [one for family in corpora.families("free") for one in corpora.kernels("free", family)]
RACY = [one for family in corpora.families("racy") for one in corpora.kernels("racy", family)]
CHECKED = [("free", family) for family in corpora.families("free")] + [("racy", family) for family in corpora.families("racy")[::2]]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> list[Verdict]:
    before = os.environ.get("OXIDEPY_CACHE_DIR")
    os.environ["OXIDEPY_CACHE_DIR"] = str(tmp_path_factory.mktemp("proofs"))
    try:
        found, whole = corpora.batch(CHECKED, SECONDS, KERNEL_SECONDS)
    finally:
        if before is None:
            del os.environ["OXIDEPY_CACHE_DIR"]
        else:
            os.environ["OXIDEPY_CACHE_DIR"] = before
    assert whole, f"the batch stopped after {len(found)} kernels"
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


def test_every_kernel_has_its_verdict(verdicts: list[Verdict]) -> None:
    expected = {(one.corpus, one.family, one.name) for one in (*FREE, *RACY) if (one.corpus, one.family) in CHECKED}
    assert {(one.corpus, one.family, one.name) for one in verdicts} == expected
    assert len(verdicts) == len(expected)


def test_no_racy_kernel_is_accepted(verdicts: list[Verdict]) -> None:
    assert [f"{one.family}.{one.name}" for one in verdicts if one.corpus == "racy" and one.accepted] == []


def test_twins_are_refused_for_their_races(verdicts: list[Verdict]) -> None:
    """An error of the language would hide that nothing was proven; and a prover that fails has not refused."""
    others = [f"{one.family}.{one.name}: {one.findings}" for one in verdicts if one.corpus == "racy" and not one.codes & RACES]
    assert others == []


def test_race_free_kernels_are_proven(verdicts: list[Verdict]) -> None:
    counted = [one for one in verdicts if one.corpus == "free" and not corpora.apart(one.family)]
    refused = [f"{one.family}.{one.name}: {one.findings}" for one in counted if not one.accepted]
    assert len(counted) - len(refused) >= SHARE * len(counted), "\n".join(refused)


def test_most_twins_are_refused_for_what_they_do(verdicts: list[Verdict]) -> None:
    """With two threads that clash, not for want of a proof; but for indices out of memory, of which nobody knows the values."""
    known = {(one.family, one.name): one.expected for one in RACY}
    twins = [one for one in verdicts if one.corpus == "racy" and not one.family.startswith("loaded")]
    other = [f"{one.family}.{one.name}: {one.findings}" for one in twins if (known[one.family, one.name] or ("",))[0] not in one.codes]
    assert len(other) <= 0.05 * len(twins), "\n".join(other)
