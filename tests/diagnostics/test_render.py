"""The look of a diagnostic, to the character."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from rich.console import Console

from oxidepy.diagnostics import Counterexample, Diagnostic, Label, Span, emit, render_plain, sources, suggest
from oxidepy.diagnostics.codes import CODES, docs_table
from oxidepy.diagnostics.formats import as_github, as_json, as_sarif
from oxidepy.diagnostics.render import from_settings, render_rich
from oxidepy.diagnostics.suppress import silenced
from oxidepy.settings.errors import SettingsError

SOURCE = """\
def kernel(a, base):
    seen = []
    for i in range(3):
\tx = base + a[i]
    return 名前 + x  # 値
"""


@pytest.fixture(autouse=True)
def source() -> None:
    sources.register("k.py", SOURCE)


def at(line: int, column: int, width: int, file: str = "k.py") -> Span:
    return Span(file, line, column, line, column + width)


def check_look(diagnostic: Diagnostic, wanted: str) -> None:
    wanted = textwrap.dedent(wanted).strip("\n")
    assert render_plain(diagnostic) == wanted
    assert render_rich(diagnostic).plain.rstrip() == wanted


def test_one_place() -> None:
    found = Diagnostic(
        "OX0658", "a list in a kernel", at(2, 12, 2), "needs a heap", notes=("a GPU thread has none",), help="use `local.array`"
    )
    check_look(
        found,
        """
        error[OX0658]: a list in a kernel
         --> k.py:2:12
          |
        2 |     seen = []
          |            ^^ needs a heap
          = note: a GPU thread has none
          = help: use `local.array`
        """,
    )


def test_tabs() -> None:
    check_look(
        Diagnostic("OX0308", "mismatched types", at(4, 6, 11), "i64 + i32"),
        """
        error[OX0308]: mismatched types
         --> k.py:4:6
          |
        4 |     x = base + a[i]
          |         ^^^^^^^^^^^ i64 + i32
        """,
    )


def test_wide_characters() -> None:
    wide = Diagnostic("OX0425", "unknown name", at(5, 12, 2), "unknown", (Label(at(5, 17, 1), "known"),))
    check_look(
        wide,
        """
        error[OX0425]: unknown name
         --> k.py:5:12
          |
        5 |     return 名前 + x  # 値
          |            ^^^^ unknown
          |                   - known
        """,
    )


def test_two_places_in_order_with_the_place_of_the_message() -> None:
    found = Diagnostic("OX0382", "moved", at(5, 17, 1), "used here", (Label(at(2, 5, 4), "made here"), Label(at(3, 5, 3), "moved here")))
    check_look(
        found,
        """
        error[OX0382]: moved
         --> k.py:5:17
          |
        2 |     seen = []
          |     ---- made here
        3 |     for i in range(3):
          |     --- moved here
        ...
        5 |     return 名前 + x  # 値
          |                   ^ used here
        """,
    )


def test_another_file_and_wide_numbers() -> None:
    sources.register("long.py", "\n" * 99 + "value = 1\n")
    found = Diagnostic("OX1009", "kernel called", at(2, 5, 4), "", (Label(at(100, 1, 5, "long.py"), "defined here"),))
    check_look(
        found,
        """
        error[OX1009]: kernel called
           --> k.py:2:5
            |
          2 |     seen = []
            |     ^^^^
           ::: long.py:100:1
            |
        100 | value = 1
            | ----- defined here
        """,
    )


def test_more_labels_than_fit() -> None:
    labels = tuple(Label(at(line, 1, 1), "x") for line in (1, 2, 3, 4, 5))
    shown = render_plain(Diagnostic("OX0381", "m", at(1, 1, 3), "", labels))
    assert shown.count("- x") == 3 and shown.endswith("  = note: and 2 more places")


def test_without_place_or_source() -> None:
    check_look(Diagnostic("OX2003", "block is 0", help="at least 1"), "error[OX2003]: block is 0\n  = help: at least 1")
    check_look(
        Diagnostic("OX7001", "index 3, length 3", at(7, 3, 2, "gone.py"), "read here"),
        """
        error[OX7001]: index 3, length 3
         --> gone.py:7:3
          = line 7: read here
        """,
    )


def test_a_span_over_several_lines_marks_its_first() -> None:
    found = Diagnostic("OX0658", "loop", Span("k.py", 3, 5, 4, 20), "not here")
    assert render_plain(found).splitlines()[3:] == ["3 |     for i in range(3):", "  |     ^^^^^^^^^^^^^^^^^^ not here"]


def test_places_beyond_the_text_are_no_crash() -> None:
    assert "^" in render_plain(Diagnostic("OX0308", "m", Span("k.py", 2, 80, 2, 90)))
    assert render_plain(Diagnostic("OX0308", "m", at(99, 1, 1))).splitlines()[1] == "  --> k.py:99:1"


def test_a_very_long_line_is_cut_around_its_carets() -> None:
    sources.register("wide.py", "x = " + "a + " * 200 + "wrong + " + "b + " * 200 + "1\n")
    shown = render_plain(Diagnostic("OX0425", "m", at(1, 805, 5, "wide.py"), "here")).splitlines()
    assert len(shown[3]) < 160 and "..." in shown[3]
    assert shown[3][shown[4].index("^") : shown[4].rindex("^") + 1] == "wrong"


def test_a_terminal_gets_no_control_characters() -> None:
    sources.register("evil.py", "x = '\x1b[31m'\n")
    shown = render_plain(Diagnostic("OX0308", "text \x1b]0;title\x07", at(1, 5, 3, "evil.py"), "\x1b[2J", notes=("a\nb",)))
    assert not any(ord(one) < 32 and one != "\n" for one in shown) and "\x7f" not in shown
    assert "  = note: a\n          b" in shown


def test_colours() -> None:
    out = io.StringIO()
    emit(
        [Diagnostic("OX0658", "no lists", at(2, 12, 2))], console=Console(file=out, force_terminal=True, width=40, color_system="standard")
    )
    assert "\x1b[1;31merror[OX0658]\x1b[0m" in out.getvalue() and "\x1b[1;31m           ^^\x1b[0m" in out.getvalue()


def test_files_tabs_and_declared_encodings(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes("# -*- coding: latin-1 -*-\nx = 'ä' + y\n".encode("latin-1"))
    shown = render_plain(Diagnostic("OX0425", "unknown name `y`", at(2, 11, 1, str(path))))
    assert "2 | x = 'ä' + y\n  |           ^" in shown
    path.write_text("# new\nz\n")  # an edited file is read anew
    assert "2 | z" in render_plain(Diagnostic("OX0425", "m", at(2, 1, 1, str(path))))


def test_paths_are_shown_relative(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert sources.shown_path(str(tmp_path / "src" / "a.py")) == str(Path("src") / "a.py")
    assert sources.shown_path("/elsewhere/a.py") == "/elsewhere/a.py"
    assert sources.shown_path("<cell 3>") == "<cell 3>"


# ---- for machines

CLASH = Diagnostic(
    "OX4002",
    "race in `y`",
    at(2, 5, 4),
    "written",
    (Label(at(3, 5, 3), "read"),),
    ("a, b",),
    "use 100% of it",
    counterexample=Counterexample((((0, 0, 0), (31, 0, 0)), ((1, 0, 0), (0, 0, 0))), (2, 3), 7),
)


def test_json() -> None:
    (line,) = as_json([CLASH]).splitlines()
    assert json.loads(line) == {
        "code": "OX4002",
        "severity": "error",
        "message": "race in `y`",
        "file": "k.py",
        "line": 2,
        "column": 5,
        "end_line": 2,
        "end_column": 9,
        "labels": [{"file": "k.py", "line": 3, "column": 5, "text": "read"}],
        "notes": ["a, b"],
        "help": "use 100% of it",
        "counterexample": {
            "threads": [{"block": [0, 0, 0], "thread": [31, 0, 0]}, {"block": [1, 0, 0], "thread": [0, 0, 0]}],
            "lines": [2, 3],
            "index": 7,
        },
    }


def test_github() -> None:
    lines = as_github([CLASH, Diagnostic("OX2003", "a\nb", severity="warning")]).splitlines()
    assert lines == [
        "::error file=k.py,line=2,endLine=2,col=5,endColumn=9,title=OX4002::race in `y`%0Awritten%0Anote: a, b%0Ahelp: use 100%25 of it",
        "::warning title=OX2003::a%0Ab",
    ]
    assert "file=a%2Cb%3A.py" in as_github([Diagnostic("OX0308", "m", at(1, 1, 1, "a,b:.py"))])


def test_sarif() -> None:
    document = json.loads(as_sarif([CLASH, Diagnostic("OX0308", "m")]))
    (run,) = document["runs"]
    assert document["version"] == "2.1.0" and run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["OX0308", "OX4002"]
    race, plain = run["results"]
    assert race["ruleId"] == "OX4002" and race["ruleIndex"] == 1 and race["level"] == "error"
    place = race["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "k.py"}, "region": {"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 9}}
    related = [one["message"]["text"] for one in race["relatedLocations"]]
    assert len(related) == 3 and related[0].startswith("thread (31, 0, 0) of block (0, 0, 0)") and related[2] == "read"
    assert "locations" not in plain


def test_emit_counts_errors_and_keeps_streams_apart(capsys: pytest.CaptureFixture[str]) -> None:
    found = [Diagnostic("OX0308", "m"), Diagnostic("OX9001", "w", severity="warning")]
    assert emit(found, "human") == 1
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err == "error[OX0308]: m\n\nwarning[OX9001]: w\n\n"
    for format in ("json", "github", "sarif"):
        assert emit(found, format) == 1  # type: ignore[arg-type]
        shown = capsys.readouterr()
        assert shown.err == "" and "OX9001" in shown.out
    assert emit(found, "json", ignore=["OX9001", "OX0308"]) == 1
    assert "OX9001" not in capsys.readouterr().out


# ---- silence, suggestions, settings


def test_only_warnings_of_9000_are_silenced() -> None:
    sources.register(
        "s.py", "a  # oxidepy: ignore[OX9001]\nb  # oxidepy: ignore[OX9002, OX9001]\nc  # ignore[OX9001]\n'oxidepy: ignore[OX9001]'\n"
    )

    def warning(line: int, code: str = "OX9001") -> Diagnostic:
        return Diagnostic(code, "m", at(line, 1, 1, "s.py"), severity="warning")

    assert [silenced(warning(line)) for line in (1, 2, 3, 4)] == [True, True, False, False]
    assert not silenced(warning(1, "OX9002"))
    assert silenced(warning(3), ["OX9001"])
    assert not silenced(Diagnostic("OX9001", "m", at(1, 1, 1, "s.py")))  # an error
    assert not silenced(warning(1, "OX4003"), ["OX4003"])
    assert not silenced(Diagnostic("OX9001", "m", severity="warning"))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("suorce", "source"),
        ("Source", "source"),
        ("tread", "thread"),
        ("zzz", None),
        ("x", None),
        ("idy", "idx"),
        ("source", None),
        ("", None),
    ],
)
def test_suggestions(name: str, meant: str | None) -> None:
    assert suggest(name, ["source", "thread", "idx", "target"]) == meant


def test_a_malformed_setting(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool.oxidepy]\ndevise = 'cpu'\n")
    error = SettingsError("OX8002", "no key 'devise'", file=str(path), line=2, column=1, width=6, help="did you mean 'device'?")
    assert "2 | devise = 'cpu'\n  | ^^^^^^\n  = help: did you mean 'device'?" in render_plain(from_settings(error))
    assert from_settings(SettingsError("OX8001", "m")).span is None


def test_the_registry() -> None:
    assert all(code == one.code and one.title for code, one in CODES.items())
    assert list(CODES) == sorted(CODES)
    assert {one.severity for one in CODES.values()} == {"error", "warning"}
    assert all(f"| {code} |" in docs_table() for code in CODES)


def test_an_exception_needs_no_rich() -> None:
    script = (
        "import sys; from oxidepy.diagnostics import *; str(LaunchError(Diagnostic('OX2003', 'm'))); "
        "print('rich' in sys.modules, 'typer' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "False False\n"


@pytest.mark.parametrize(
    ("environment", "colored"), [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)]
)
def test_colours_without_a_terminal(
    environment: dict[str, str], colored: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    emit([Diagnostic("OX0425", "unknown name")])
    assert ("\x1b[" in capsys.readouterr().err) == colored
