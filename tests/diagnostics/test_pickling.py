"""Errors go from one process to another, whole: an executor hands on what its workers raise."""

from __future__ import annotations

import pickle

import pytest

from oxidepy.diagnostics import BorrowError, CompileError, DevicePanic, Diagnostic, LaunchError, OxideError, Span

ONE = Diagnostic("OX7001", "index 3 is outside", Span("main.py", 4, 1, 4, 9))
TWO = Diagnostic("OX9002", "stays a loop", severity="warning")


@pytest.mark.parametrize("kind", [OxideError, LaunchError, BorrowError])
def test_of_one_diagnostic(kind: type[OxideError]) -> None:
    again = pickle.loads(pickle.dumps(kind(ONE)))
    assert type(again) is kind and again.diagnostic == ONE and str(again) == str(kind(ONE))


def test_of_every_finding_of_a_kernel() -> None:
    again = pickle.loads(pickle.dumps(CompileError([TWO, ONE])))
    assert type(again) is CompileError and again.diagnostics == (ONE, TWO) and again.code == "OX7001"


def test_of_a_panic() -> None:
    panic = DevicePanic(ONE, kernel="k", block=(1, 0, 0), thread=(2, 0, 0), index=3, length=2)
    again = pickle.loads(pickle.dumps(panic))
    assert type(again) is DevicePanic and vars(again) == vars(panic)
    assert (again.line, again.thread, again.index) == (4, (2, 0, 0), 3)
