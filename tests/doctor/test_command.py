"""`oxidepy doctor` as a command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oxidepy.cli.main import main
from oxidepy.cli.output import OUTPUT
from oxidepy.doctor.checks.table import CHECKS

QUICK = ["--only", "OXD001,OXD005,OXD010"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    before = OUTPUT.verbosity
    try:
        code = main(["doctor", *arguments])
    finally:
        OUTPUT.verbosity = before
    said = capsys.readouterr()
    return code, said.out, said.err


def test_fine(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *QUICK)
    assert code == 0 and err == "" and out.endswith("3 checks, 3 fine; 0 warnings, 0 errors\n")
    assert "\x1b" not in out


def test_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    assert "      free_threaded: no\n" in run(capsys, *QUICK, "-v")[1]


def test_json_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *QUICK, "--json")
    made = json.loads(out)
    assert code == 0 and err == "" and [one["code"] for one in made["checks"]] == ["OXD001", "OXD005", "OXD010"]
    assert made["summary"]["status"] == "ok" and all(one["elapsed_ms"] >= 0 for one in made["checks"])


def test_exit_codes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_DEVICES", "cpu")  # unknown: a warning
    assert run(capsys, *QUICK)[0] == 0
    code, out, _ = run(capsys, *QUICK, "--strict", "--json")
    assert code == 1 and json.loads(out)["summary"]["status"] == "warnings"
    monkeypatch.setenv("OXIDEPY_DEVICE", "nonsense")  # malformed: an error
    assert run(capsys, *QUICK)[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [("--only", "OXD999"), ("--skip", "x"), ("--require", "rocm"), ("--require", "cuda", "--skip", "OXD043"), ("--nonsense",), ("extra",)],
)
def test_wrong_use(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2 and out == "" and err != ""


def test_list_checks(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--list-checks")
    assert code == 0 and [line.split()[0] for line in out.splitlines()] == list(CHECKS)
    code, out, _ = run(capsys, "--list-checks", "--only", "oxd001")
    assert [line.split()[0] for line in out.splitlines()] == ["OXD001"]


def test_skip(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *QUICK, "--skip", "OXD005", "--json")
    assert [one["code"] for one in json.loads(out)["checks"]] == ["OXD001", "OXD010"]


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "OXD043"]) == 0
    assert capsys.readouterr().out.startswith("# OXD043: CUDA driver\n")


def test_required_cuda_without_a_driver(tmp_path: Path) -> None:
    """In a process of its own, where the loader finds a file that is no library."""
    if sys.platform != "linux":
        pytest.skip("the loader's path is a variable on Linux only")
    (tmp_path / "libcuda.so.1").write_text("no library")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "oxidepy", "doctor", "--only", "OXD040"]
    done = subprocess.run([*command, "--require", "cuda"], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 1 and "x CUDA driver library:" in done.stdout and done.stdout.isascii(), done
    assert "1 error\n" in done.stdout


def test_whole_visit(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything on the machine as it is: only the GPU may be amiss; nothing is left behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(tmp_path / "cache"))
    code, out, err = run(capsys, "--json")
    made = json.loads(out)
    wrong = [one for one in made["checks"] if one["severity"] == "error" and one["group"] not in ("GPU",)]
    assert wrong == [] and err == ""
    assert [one["code"] for one in made["checks"]] == list(CHECKS) and code == int(made["summary"]["status"] == "errors")
    assert list(tmp_path.iterdir()) == []
