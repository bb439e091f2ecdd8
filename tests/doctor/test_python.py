"""The checks of Python, NumPy, the import and sources."""

from __future__ import annotations

import inspect
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from oxidepy.doctor.checks import python
from oxidepy.doctor.child import ChildEnded
from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Finding


def interpreter(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...] = (3, 12, 1), bits: int = 64, name: str = "CPython", free: int = 0
) -> Finding:
    monkeypatch.setattr(python, "sys", SimpleNamespace(version_info=version, executable="/opt/python"))
    monkeypatch.setattr(python, "struct", SimpleNamespace(calcsize=lambda form: bits // 8))
    monkeypatch.setattr(python, "sysconfig", SimpleNamespace(get_config_var=lambda name: free))
    text = ".".join(map(str, version))
    said = {"python_version": lambda: text, "python_implementation": lambda: name, "machine": lambda: "x86_64"}
    monkeypatch.setattr(python, "platform", SimpleNamespace(**said))
    return python.interpreter(Examination())


def test_this_interpreter() -> None:
    found = python.interpreter(Examination())
    assert found.severity in ("ok", "info", "warn") and found.evidence["executable"] == sys.executable


@pytest.mark.parametrize(
    ("given", "severity", "said"),
    [
        ({}, "ok", "CPython 3.12.1, 64 bit"),
        ({"version": (3, 9, 18)}, "error", "too old"),
        ({"bits": 32}, "error", "32-bit"),
        ({"name": "PyPy"}, "warn", "not CPython"),
        ({"free": 1}, "warn", "free-threaded"),
        ({"version": (3, 99, 0)}, "info", "newer than the newest"),
    ],
)
def test_interpreters(monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], severity: str, said: str) -> None:
    found = interpreter(monkeypatch, **given)
    assert found.severity == severity and said in found.message
    assert (found.fix is None) == (severity in ("ok", "info"))


def test_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert python.packages(Examination()).severity == "ok"

    def version(name: str) -> str:
        if name in ("jinja2", "rich"):
            raise python.metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(python.metadata, "version", version)
    found = python.packages(Examination())
    assert found.severity == "error" and found.message == "rich, jinja2 are not installed"
    assert found.fix == f'"{sys.executable}" -m pip install --upgrade "rich" "jinja2"'


def test_numpy(visit: Any) -> None:
    good = {"version": "2.1.0", "path": "numpy", "bytes_agree": True}
    assert python.numpy(visit("numbers", {"numpy": good})).severity == "ok"
    old = python.numpy(visit("numbers", {"numpy": {**good, "version": "1.21.0"}}))
    assert old.severity == "error" and "too old" in old.message and old.fix is not None and "numpy>=1.26" in old.fix
    assert python.numpy(visit("numbers", {"numpy": {**good, "bytes_agree": False}})).severity == "error"


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (ChildEnded("failed", "numpy", "ImportError: no module named 'numpy'"), "does not load: ImportError"),
        (ChildEnded("died", "numpy", "", -11), "ended with status -11"),
        (ChildEnded("hung", "numpy", "no answer within 20 s"), "does not finish loading"),
    ],
)
def test_numpy_that_does_not_load(visit: Any, ended: ChildEnded, said: str) -> None:
    found = python.numpy(visit("numbers", {}, ended))
    assert found.severity == "error" and said in found.message and found.fix is not None


def test_import_time(visit: Any) -> None:
    def found(milliseconds: float, heavy: list[str]) -> Finding:
        return python.import_time(visit("imports", {"import": {"milliseconds": milliseconds, "rounds": 3, "heavy": heavy}}))

    assert found(12.0, []).message == "`import oxidepy` takes 12 ms"
    assert found(900.0, []).severity == "warn"
    assert found(12.0, ["numpy"]).severity == "warn" and "numpy" in found(12.0, ["numpy"]).message
    broken = python.import_time(visit("imports", {}, ChildEnded("failed", "import", "ImportError: SyntaxError")))
    assert broken.severity == "error"


def test_import_is_measured() -> None:
    examination = Examination()
    try:
        facts = examination.child("imports").fact("import")
    finally:
        examination.close()
    assert 0 < facts["milliseconds"] < 5000 and facts["heavy"] == []


def test_source(monkeypatch: pytest.MonkeyPatch) -> None:
    assert python.source(Examination()).severity == "ok"

    def missing(what: object) -> str:
        raise OSError("could not get source code")

    monkeypatch.setattr(inspect, "getsource", missing)
    found = python.source(Examination())
    assert found.severity == "error" and "could not get source code" in found.evidence["error"] and found.fix is not None
    monkeypatch.setattr(inspect, "getsource", lambda what: "def another() -> None: ...\n")
    assert "other text" in python.source(Examination()).message


@pytest.mark.parametrize(("text", "pair"), [("1.26.4", (1, 26)), ("2", (2, 0)), ("0.50.0rc1", (0, 50)), ("", (0, 0))])
def test_version_pair(text: str, pair: tuple[int, int]) -> None:
    assert python.version_pair(text) == pair
