"""The frame of the command line: version, help, unknown commands, global options, exit codes, speed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import oxidepy

from oxidepy.cli import app as app_module
from oxidepy.cli.commands import COMMANDS
from oxidepy.cli.guard import guarded
from oxidepy.cli.main import main
from oxidepy.cli.output import OUTPUT, Output, colored, console, set_color
from oxidepy.settings.version import __version__


@pytest.fixture(autouse=True)
def fresh_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test says with -q or --color does not reach the next."""
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(OUTPUT, "verbosity", 0)
    monkeypatch.setattr(OUTPUT, "color", "auto")
    monkeypatch.setattr(OUTPUT, "rest", [])


@pytest.mark.parametrize("arguments", [["--version"], ["-V"], ["-q", "--version"]])
def test_version(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"oxidepy {__version__}\n"


def test_version_behind_a_command_is_the_commands_business() -> None:
    assert oxidepy("explain", "--version").returncode == 2


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown and command.help in shown for name, command in COMMANDS.items())
    assert "Exit codes" in shown


def test_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "--template" in shown and "Example: oxidepy new vecadd_demo" in shown


@pytest.mark.parametrize(("name", "meant"), [("explan", "'explain'"), ("biuld", "'build'"), ("NEW", "'new'")])
def test_unknown_command(name: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 2
    said = capsys.readouterr().err
    assert said == f"error[OX8003]: there is no command {name!r}\n  = help: did you mean {meant}?\n"


def test_unknown_command_without_a_likeness(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zzzzzz"]) == 2
    assert "`oxidepy --help` lists the commands" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["new"], ["explain", "--no-such"], ["--no-such"], ["--color"], ["--color", "pink", "explain"], ["--color=x"]]
)
def test_wrong_use_is_2(arguments: list[str]) -> None:
    done = oxidepy(*arguments)
    assert done.returncode == 2 and done.stdout == "" and done.stderr != ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new"], "NAME is missing\n  = help: `oxidepy new --help` says what it takes"),
        (["new", "a", "b"], "got unexpected extra argument(s) (b)\n  = help: `oxidepy new --help` says what it takes"),
        (["new", "a", "--templat", "tile"], "there is no option '--templat'\n  = help: did you mean '--template'?"),
        (["run", "-x"], "there is no option '-x'\n  = help: `oxidepy run --help` lists them; what is for the program stands behind `--`"),
        (["check", "-x"], "there is no option '-x'\n  = help: `oxidepy check --help` lists them"),
        (["run", "--device", "gpu7"], "--device: 'gpu7' is not a device: cuda:0 (or another number), cpu or interp"),
        (["check", "--message-format", "xml"], "--message-format: 'xml' is not one of 'human', 'json', 'github', 'sarif'"),
        (["check", "--report"], "option '--report' requires an argument"),
        (["sanitize", "--tool", "x"], "--tool does not know 'x'"),
        (["doctor", "--only", "x"], "there is no check 'X'"),
        (["--color", "pink", "check"], "--color is 'pink'\n  = help: it takes one of auto, always, never"),
    ],
)
def test_wrong_use_has_a_code(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"error[OX8003]: {said}")


def test_a_malformed_setting_is_a_diagnostic_and_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from oxidepy.settings.errors import SettingsError

    def broken() -> int:
        raise SettingsError("OX8001", "OXIDEPY_DEVICE is 'gpu', which is not a device", help="unset it")

    assert guarded(broken) == 2
    assert capsys.readouterr().err.startswith("error[OX8001]: OXIDEPY_DEVICE is 'gpu'")


def test_errors_are_1_and_interrupts_130(capsys: pytest.CaptureFixture[str]) -> None:
    from oxidepy.diagnostics import CompileError, Diagnostic, LaunchError

    def raising(error: BaseException) -> int:
        raise error

    found = [Diagnostic("OX0308", "mismatched types"), Diagnostic("OX0425", "unknown name")]
    assert guarded(lambda: raising(CompileError(found))) == 1
    said = capsys.readouterr().err
    assert "OX0308" in said and "OX0425" in said
    assert guarded(lambda: raising(LaunchError(found[0]))) == 1
    assert guarded(lambda: raising(KeyboardInterrupt())) == 130
    assert guarded(lambda: None) == 0
    assert guarded(lambda: 86) == 86
    with pytest.raises(ZeroDivisionError):
        guarded(lambda: 1 // 0)  # our own faults keep their traceback


def test_global_options_may_stand_anywhere_before_two_dashes() -> None:
    assert app_module._global_options(["-q", "run", "-v", "x.py", "-vv", "--", "-v", "--color"]) == ["run", "x.py"]
    assert OUTPUT == Output(color="auto", verbosity=2, rest=["-v", "--color"])
    assert app_module._global_options(["run", "--color", "never"]) == ["run"]
    assert OUTPUT.color == "never"
    assert app_module._global_options(["--color=always", "-vx"]) == ["-vx"]
    assert OUTPUT.color == "always"


class Terminal:
    def isatty(self) -> bool:
        return True


def test_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert colored(Terminal()) and not colored(object())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colored(Terminal())
    set_color("always")  # the option wins over the variable
    assert colored(object())
    set_color("never")
    assert not colored(Terminal())
    monkeypatch.setenv("NO_COLOR", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert colored(object())


def test_colour_reaches_what_is_printed() -> None:
    assert "\x1b[" in oxidepy("--color", "always", "explain", "OX0308").stdout
    assert "\x1b[" not in oxidepy("explain", "OX0308").stdout
    assert "\x1b[" in oxidepy("explain", "OX0000", FORCE_COLOR="1").stderr
    assert "\x1b[" not in oxidepy("--color=never", "explain", "OX0000", FORCE_COLOR="1").stderr


HEAVY = ("numpy", "llvmlite", "cuda", "jinja2", "rich")


def imported(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_what_is_imported_when() -> None:
    assert not imported("import oxidepy").intersection((*HEAVY, "typer"))
    assert not imported("from oxidepy.cli.main import main; main(['--version'])").intersection((*HEAVY, "typer", "inspect", "dataclasses"))
    with_help = imported("from oxidepy.cli.main import main; main(['--help'])")
    assert not with_help.intersection(HEAVY)
    assert not any(command.module in with_help for command in COMMANDS.values())


@pytest.mark.skipif(sys.platform == "win32", reason="the processor time of children is not counted here")
def test_start_up_is_fast() -> None:
    """Goals: --version in 100 ms, --help in 200 ms. Counted in processor time, which other processes do not lengthen much."""
    for arguments, goal in ((["--version"], 0.100), (["--help"], 0.200)):
        best = min(_seconds(arguments) for _ in range(7))
        assert best <= goal, f"{arguments} took {best * 1000:.0f} ms"


def _seconds(arguments: list[str]) -> float:
    began = os.times()
    subprocess.run([sys.executable, "-m", "oxidepy", *arguments], stdout=subprocess.DEVNULL, check=True)
    ended = os.times()
    return ended.children_user + ended.children_system - began.children_user - began.children_system


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    script = f"{sys.executable} -m oxidepy explain | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {script}"], capture_output=True, text=True)
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr
    assert done.stdout.startswith("OX0133")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_is_full(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "oxidepy", "explain"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr.startswith("error: what takes the output is full")


@pytest.mark.parametrize("columns", ["0", "1", "-5", "x"])
def test_a_width_that_nobody_knows(columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    console().print("a line that is not lost")
    assert capsys.readouterr().out == "a line that is not lost\n"
