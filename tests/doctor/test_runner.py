"""Selecting checks, making them at once, time limits."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from oxidepy.doctor.checks.table import CHECKS
from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Check, Finding
from oxidepy.doctor.runner import examine, select

FINE = Finding("ok", "fine")


def check(code: str, function: Any, limit: float = 10.0, needed_for: Any = ()) -> Check:
    return Check(code, "Group", limit, function, needed_for)


def test_results_are_in_order() -> None:
    def slow(examination: Examination) -> Finding:
        time.sleep(0.2)
        return FINE

    progress: list[str] = []
    made = examine([check("OXD001", slow), check("OXD002", lambda one: FINE)], Examination(), lambda one: progress.append(one.check.code))
    assert [one.check.code for one in made] == ["OXD001", "OXD002"] and progress == ["OXD002", "OXD001"]
    assert made[0].elapsed_ms >= 200 > made[1].elapsed_ms


def test_checks_run_at_once() -> None:
    meeting = threading.Barrier(8, timeout=10)

    def meet(examination: Examination) -> Finding:
        meeting.wait()
        return FINE

    made = examine([check(f"OXD00{number}", meet) for number in range(8)], Examination())
    assert [one.finding for one in made] == [FINE] * 8


def test_time_limit() -> None:
    done = threading.Event()

    def sleeps(examination: Examination) -> Finding:
        done.wait(60)
        return FINE

    began = time.monotonic()
    made = examine([check("OXD001", sleeps, 0.2), check("OXD002", lambda one: FINE)], Examination())
    spent = time.monotonic() - began
    done.set()
    assert spent < 10 and made[1].finding is FINE
    assert made[0].finding.severity == "error" and made[0].finding.message == "this check was not done within its 0.2 s"
    assert made[0].elapsed_ms >= 200


def test_a_check_that_fails() -> None:
    def fails(examination: Examination) -> Finding:
        raise KeyError("lost")

    made = examine([check("OXD001", fails), check("OXD002", lambda one: FINE)], Examination())
    assert made[0].finding.severity == "error" and "KeyError: 'lost'" in made[0].finding.message
    assert made[1].finding is FINE


def test_required() -> None:
    lacking = check("OXD040", lambda one: Finding("info", "none", lacks="cuda"), needed_for=("cuda",))
    blocked = check("OXD048", lambda one: Finding("info", "not examined", blocked_by="OXD040"), needed_for=("cuda",))

    def severities(checks: list[Check], *require: Any) -> list[str]:
        return [one.finding.severity for one in examine(checks, Examination(require))]

    assert severities([lacking, blocked]) == ["info", "info"]
    assert severities([lacking, blocked], "toolkit") == ["info", "info"]
    assert severities([lacking, blocked], "cuda") == ["error", "info"]  # one finding of the cause is enough
    assert severities([blocked], "cuda") == ["error"]  # without it, what it blocks says so


def test_select() -> None:
    def codes(**given: Any) -> list[str]:
        return [one.code for one in select(CHECKS.values(), **given)]

    assert codes() == list(CHECKS)
    assert codes(only=["OXD020", "OXD001"]) == ["OXD001", "OXD020"]
    assert codes(only=["OXD020", "OXD001"], skip=["OXD001"]) == ["OXD020"]
    assert codes(skip=["OXD001"]) == list(CHECKS)[1:]
    assert codes(only=["OXD001"], require=["cpu", "toolkit"]) == ["OXD001", "OXD033", "OXD060"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"only": ["OXD02O"]}, "there is no check 'OXD02O'; did you mean OXD0"),
        ({"skip": ["nonsense"]}, "there is no check 'nonsense'; --list-checks"),
        ({"skip": ["OXD048"], "require": ["cuda"]}, "OXD048 cannot be skipped where cuda is required"),
    ],
)
def test_bad_selections(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        select(CHECKS.values(), **given)


def test_table() -> None:
    from oxidepy.diagnostics.codes import CODES, page

    assert list(CHECKS) == sorted(CHECKS) == [code for code in CODES if code.startswith("OXD")]
    for code, one in CHECKS.items():
        text = page(code)
        assert text is not None and text.startswith(f"# {code}: {one.title}\n") and "```console\n$ " in text
        assert 0 < one.limit <= 200 and one.function.__module__.startswith("oxidepy.doctor.checks.")
    assert len({one.function for one in CHECKS.values()}) == len(CHECKS)
