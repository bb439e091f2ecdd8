"""Reports: JSON, lines for people, what they do not tell."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import Any

import pytest

from oxidepy.doctor.checks.table import CHECKS
from oxidepy.doctor.model import Finding, Result
from oxidepy.doctor.redact import redact
from oxidepy.doctor.report import Report, lines, list_lines

OK = Finding("ok", "all well", {"number": 3})
INFO = Finding("info", "none here", {"list": ["/usr/lib/one.so", "/usr/lib/other.so"]}, "install it")
WARN = Finding("warn", "slow × disk", {"folder": "/x", "none": None, "truth": True}, "export A=b")
ERROR = Finding("error", "broken", {"output": "first\nsecond"}, "mend it")
BLOCKED = Finding("info", "not examined: no driver", blocked_by="OXD040")


def report(**findings: Finding) -> Report:
    return Report(tuple(Result(CHECKS[code], finding, 1.25) for code, finding in findings.items()))


def text(of: Report, **options: Any) -> str:
    return "\n".join("".join(piece for piece, _ in line) for line in lines(of, **options))


def test_fine_is_one_line_a_check() -> None:
    shown = text(report(OXD001=OK, OXD002=OK, OXD020=OK))
    assert shown == (
        "Python\n  ✓ Python: all well\n  ✓ packages: all well\n\n"
        "Cache\n  ✓ cache folder: all well\n\n3 checks, 3 fine; 0 warnings, 0 errors"
    )


def test_problems_are_told_in_full() -> None:
    shown = text(report(OXD020=WARN, OXD030=ERROR)).splitlines()
    assert shown == [
        "Cache",
        "  ! cache folder: slow × disk [OXD020]",
        "      folder: /x",
        "      truth: yes",
        "      fix: export A=b",
        "      more: oxidepy explain OXD020",
        "",
        "Compiler",
        "  ✗ LLVM: broken [OXD030]",
        "      output:",
        "        first",
        "        second",
        "      fix: mend it",
        "      more: oxidepy explain OXD030",
        "",
        "2 checks, 0 fine; 1 warning, 1 error",
    ]


def test_information_and_blocked_checks() -> None:
    of = report(OXD040=INFO, OXD043=BLOCKED, OXD048=BLOCKED)
    closing = "3 checks, 0 fine, 1 for information, 2 not examined; 0 warnings, 0 errors"
    assert text(of) == f"GPU\n  i CUDA driver library: none here\n\n{closing}"
    full = text(of, verbose=True)
    assert "[OXD043] 1 ms" in full and "fix: install it" in full and "        /usr/lib/other.so" in full and full.endswith(closing)


def test_quiet() -> None:
    assert text(report(OXD001=OK, OXD040=INFO), quiet=True) == "2 checks, 1 fine, 1 for information; 0 warnings, 0 errors"
    assert "slow" in text(report(OXD001=OK, OXD020=WARN), quiet=True)


def test_ascii() -> None:
    shown = text(report(OXD001=OK, OXD020=WARN, OXD030=ERROR, OXD040=INFO), plain=True)
    assert shown.isascii()
    assert [line[2] for line in shown.splitlines() if line[:2] == "  " and line[2] != " "] == ["+", "!", "x", "i"]
    assert "slow x disk" in shown


@pytest.mark.parametrize(
    ("found", "status", "code", "strict"),
    [((), "ok", 0, 0), ((OK, INFO), "ok", 0, 0), ((OK, WARN), "warnings", 0, 1), ((WARN, ERROR), "errors", 1, 1)],
)
def test_status(found: tuple[Finding, ...], status: str, code: int, strict: int) -> None:
    of = report(**dict(zip(CHECKS, found, strict=False)))
    assert (of.status, of.exit_code(), of.exit_code(strict=True)) == (status, code, strict)


def test_json() -> None:
    made = json.loads(json.dumps(report(OXD001=OK, OXD040=INFO, OXD043=BLOCKED, OXD020=WARN).to_json()))
    assert list(made) == ["schema_version", "tool", "environment", "checks", "summary"]
    assert made["schema_version"] == 1 and made["tool"]["name"] == "oxidepy"
    assert made["summary"] == {"counts": {"ok": 1, "info": 2, "warn": 1, "error": 0}, "status": "warnings"}
    assert made["checks"][1] == {
        "code": "OXD040",
        "title": "CUDA driver library",
        "group": "GPU",
        "severity": "info",
        "message": "none here",
        "evidence": {"list": ["/usr/lib/one.so", "/usr/lib/other.so"]},
        "fix": "install it",
        "blocked_by": None,
        "explain": "oxidepy explain OXD040",
        "elapsed_ms": 1.2,
    }
    assert made["checks"][2]["blocked_by"] == "OXD040"
    environment = made["environment"]
    assert environment["python"] == platform.python_version() and "llvmlite" in environment["packages"]
    named = {"python", "implementation", "executable", "system", "release", "machine", "libc", "processors", "packages", "variables"}
    assert set(environment) == named  # and so neither a host's name nor an address


def test_home_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setenv("USERPROFILE", "/home/ann")
    if os.path.expanduser("~") != "/home/ann":
        pytest.skip("the home folder comes from elsewhere")
    given = {
        "path": "/home/ann/.cache",
        "list": ["/a:/home/ann/lib", "/home/anna"],
        "object": Path("/home/ann"),
        "n": 1,
        "deep": "/mnt/home/ann/x",
    }
    assert redact(given) == {"path": "~/.cache", "list": ["/a:~/lib", "/home/anna"], "object": "~", "n": 1, "deep": "/mnt/home/ann/x"}
    monkeypatch.setenv("CUDA_HOME", "/home/ann/cuda")
    made = Report((Result(CHECKS["OXD001"], Finding("warn", "in /home/ann", {"a": "/home/ann/b"}, "ls '/home/ann'"), 0.0),))
    assert "/home/ann" not in json.dumps(made.to_json()) and "/home/ann" not in text(made)
    assert made.to_json()["environment"]["variables"]["CUDA_HOME"] == "~/cuda"


def test_names_that_are_no_text() -> None:
    assert redact("/tmp/a\udcff") == "/tmp/a\\udcff"


def test_home_at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert redact("/usr/lib") == "/usr/lib"


def test_devices_are_not_identified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6,MIG-3eb87630-93d5-b2b6-b8ff-9b359caf4ee2")
    assert report().to_json()["environment"]["variables"]["CUDA_VISIBLE_DEVICES"] == "GPU-…,MIG-…"


def test_list() -> None:
    made = list(list_lines(tuple(CHECKS.values())))
    assert len(made) == len(CHECKS) and made[0] == "OXD001  Python      10 s  Python"
