"""`oxidepy check`: the findings of files, in every form, without running them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from cli.conftest import Command
from cli.programs import HEAD, MAIN, ROLLED, UNGUARDED, UNKNOWN, good, guard
from cli.test_run import write


def errors(text: str) -> list[tuple[str, int]]:
    return [(one["code"], one["line"]) for one in map(json.loads, text.splitlines())]


def test_a_sound_file(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + MAIN + guard("print('reached')"))
    done = command("check", "main.py")
    assert (done.code, done.err) == (0, "")
    assert "good" in done.out and "accepted" in done.out and "reached" not in done.out
    assert command("-q", "check", "main.py").out == ""


def test_all_errors_of_all_kernels(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNKNOWN + good() + UNGUARDED)
    done = command("check", "main.py", "--message-format", "json")
    assert done.code == 1 and done.err == ""
    assert errors(done.out) == [("OX0425", 9), ("OX5002", 22)]
    shown = command("check", "main.py")
    rows = {line.split()[0]: line.split()[1] for line in shown.out.splitlines() if len(line.split()) > 1}
    assert (rows["unknown"], rows["good"], rows["unguarded"]) == ("refused", "accepted", "refused")


def test_json_has_every_key(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNGUARDED, "sub/main.py")
    (found,) = map(json.loads, command("check", tmp_path / "sub" / "main.py", "--message-format", "json").out.splitlines())
    assert list(found) == "code severity message file line column end_line end_column labels notes help counterexample".split()
    assert (found["severity"], found["file"], found["line"], found["column"]) == ("error", str(Path("sub/main.py")), 8, 5)


def test_github(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNGUARDED)
    done = command("check", "main.py", "--message-format", "github")
    assert done.code == 1 and done.out.startswith("::error file=main.py,line=8,endLine=8,col=5,") and "title=OX5002::" in done.out


def test_sarif(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNGUARDED + ROLLED, "bad.py")
    write(tmp_path, HEAD + good(), "fine.py")
    document = json.loads(command("check", "bad.py", "fine.py", "--message-format", "sarif").out)
    assert [(one["ruleId"], one["level"]) for one in document["runs"][0]["results"]] == [("OX5002", "error"), ("OX9002", "warning")]
    assert json.loads(command("check", "fine.py", "--message-format", "sarif").out)["runs"][0]["results"] == []


def test_a_warning_counts_only_when_strict(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + ROLLED)
    done = command("check", "main.py")
    assert done.code == 0 and done.err.startswith("warning[OX9002]") and "accepted" in done.out
    assert command("check", "main.py", "--strict").code == 1
    write(tmp_path, HEAD + good())
    assert command("check", "main.py", "--strict").code == 0


def test_several_files_and_folders(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNKNOWN, "one.py")
    write(tmp_path, HEAD + UNGUARDED, "folder/two.py")
    write(tmp_path, "x = (", "folder/deep/three.py")
    write(tmp_path, "x = (", "folder/.hidden/four.py")
    write(tmp_path, HEAD + good(), "folder/five.py")
    done = command("check", "one.py", "folder", "one.py", "nosuch.py", "--message-format", "json")
    assert done.code == 1
    assert errors(done.out) == [("OX0425", 9), ("OX8011", 1), ("OX5002", 8), ("OX8010", None)]


def test_files_do_not_see_each_other(command: Command, tmp_path: Path) -> None:
    """Each finds its own neighbours, whatever another file imported under the same name; nothing stays behind."""
    for folder, number in (("a", 1), ("b", 2)):
        write(tmp_path, f"VALUE = {number}\n", f"{folder}/util.py")
        write(tmp_path, f"import util\nassert util.VALUE == {number}, util.VALUE\n" + HEAD + good(), f"{folder}/main.py")
    before = list(sys.path), sys.argv, set(sys.modules)
    done = command("check", "a/main.py", "b/main.py", "--strict")
    assert (done.code, done.err) == (0, "")
    assert (list(sys.path), sys.argv) == before[:2] and not {"util", "main"} & (set(sys.modules) - before[2])


def test_without_a_path_the_projects_entry(command: Command, tmp_path: Path) -> None:
    assert command("check").code == 1
    write(tmp_path, '[tool.oxidepy]\nentry = "src/main.py"\n', "pyproject.toml")
    write(tmp_path, HEAD + UNKNOWN, "src/main.py")
    assert "--> src/main.py:9:" in command("check").err


def test_the_files_own_exception_is_its_own(command: Command, tmp_path: Path) -> None:
    """It is shown from the file's first line on; what stood before it is checked, and so are other files."""
    write(tmp_path, HEAD + UNKNOWN + "def f():\n    return 1 / 0\n\nf()\n" + UNGUARDED, "raises.py")
    write(tmp_path, HEAD + UNGUARDED, "other.py")
    done = command("check", "raises.py", "other.py")
    assert done.code == 1
    assert (
        done.err.startswith('Traceback (most recent call last):\n  File "' + str(tmp_path / "raises.py"))
        and "ZeroDivisionError" in done.err
    )
    assert "error: raises.py could not be imported\n" in done.err and "oxidepy/cli" not in done.err
    assert done.err.count("error[") == 2 and "error[OX0425]" in done.err and "--> other.py:8:5" in done.err


@pytest.mark.parametrize(("leave", "code"), [("sys.exit()", 0), ("sys.exit(0)", 0), ("sys.exit(3)", 1), ("sys.exit('stop')", 1)])
def test_a_file_that_ends_itself(leave: str, code: int, command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + f"import sys\n{leave}\n")
    done = command("check", "main.py")
    assert done.code == code and "accepted" in done.out
    assert ("could not be imported" in done.err) == bool(code)


def test_a_launch_at_the_top_level_that_fails(command: Command, tmp_path: Path) -> None:
    """No guard, so the import runs it: its error is one of the findings, once, beside those of the other kernels."""
    launch = "unknown.launch(ox.Context('cpu').default_stream(), None, None)\n"
    write(tmp_path, HEAD + UNGUARDED + UNKNOWN + launch)
    done = command("check", "main.py", "--message-format", "json")
    assert done.code == 1 and {code for code, _ in errors(done.out)} >= {"OX5002", "OX0425"}
    assert len(errors(done.out)) == len(set(errors(done.out)))


HOST = """
def main(s, c):
    good.launch_unchecked(s, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), a, c)
    with unsafe("the grid covers c"):
        good.launch_unchecked(s, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), a, c)
        if s:
            good.launch_unchecked(s, None, a, c)

        def later():
            return good.launch_unchecked(s, None, a, c)

    with open("é") as file, ox.unsafe("why"):
        good.launch_unchecked(s, None, a, c)
    print("é", good.launch_unchecked(s, None, a, c))


class Holder:
    async def go(self):
        with unsafe("why"):
            f = lambda: good.launch_unchecked(1, None, a, c)
"""


def test_raw_launches_need_unsafe(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + HOST)
    lines = (tmp_path / "main.py").read_text(encoding="utf-8").splitlines()
    done = command("check", "main.py", "--message-format", "json")
    found = [
        (one["code"], lines[one["line"] - 1][one["column"] - 1 : one["end_column"] - 1]) for one in map(json.loads, done.out.splitlines())
    ]
    assert done.code == 1
    assert found == [
        ("OX0133", "good.launch_unchecked(s, LaunchConfig(grid=(4, 1, 1), block=(256, 1, 1)), a, c)"),
        ("OX0133", "good.launch_unchecked(s, None, a, c)"),
        ("OX0133", "good.launch_unchecked(s, None, a, c)"),
        ("OX0133", "good.launch_unchecked(1, None, a, c)"),
    ]


def test_kernels_that_a_launch_completes(command: Command, tmp_path: Path) -> None:
    generic = """
from typing import Callable, TypeVar
T = TypeVar("T", f32, i32)

@kernel
def map_(f: Callable[[f32], f32], x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])

@kernel
def copy(x: Slice[T], y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]
"""
    write(tmp_path, HEAD + generic)
    done = command("check", "main.py")
    assert (done.code, done.err) == (0, "")
    assert all(text in done.out for text in ("checked at its launch", "copy[T=f32]", "copy[T=i32]"))


def test_kernels_in_classes_and_functions(command: Command, tmp_path: Path) -> None:
    method = "\nclass Holder:\n" + "".join(f"    {line}\n" for line in ("@staticmethod" + UNGUARDED).splitlines())
    write(tmp_path, HEAD + method)
    assert errors(command("check", "main.py", "--message-format", "json").out) == [("OX5002", 10)]


def test_the_configuration_of_each_file_holds(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "[tool.oxidepy]\nnosuch = 1\n", "broken/pyproject.toml")
    write(tmp_path, HEAD + good(), "broken/main.py")
    write(tmp_path, HEAD + good(), "main.py")
    assert command("check", "main.py").code == 0
    done = command("check", "broken/main.py")
    assert done.code == 2 and done.err.startswith("error[OX8002]")


def test_host_code_is_followed(command: Command, tmp_path: Path) -> None:
    """Findings about launches are errors of `check`, with both arguments told; `run` leaves them to the launch."""
    host = """
@kernel
def copy(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]


def main(s):
    b = DeviceBuffer.zeros(s, 1024, f32)
    copy.launch(s, b[:600], b[512:])
    copy.launch(s, b[:512], b[512:])
"""
    write(tmp_path, HEAD + "from oxidepy import DeviceBuffer\n" + host + guard("print('reached')"))
    line = (tmp_path / "main.py").read_text(encoding="utf-8").splitlines().index("    copy.launch(s, b[:600], b[512:])") + 1
    done = command("check", "main.py", "--message-format", "json")
    assert done.code == 1 and errors(done.out) == [("OX0502", line)]
    (found,) = map(json.loads, done.out.splitlines())
    assert [label["text"] for label in found["labels"]] == ["`copy` reads it as `x`", "`copy` writes it as `y`"]
    assert command("run", "main.py").out == "reached\n"


def test_no_program_of_ours_is_blamed(command: Command) -> None:
    """Every example passes `check` without a finding about its host code."""
    root = Path(__file__).parents[2]
    done = command("check", root / "examples", "--message-format", "json")
    assert {one["code"] for one in map(json.loads, done.out.splitlines())} & {
        "OX0382",
        "OX0499",
        "OX0502",
        "OX0505",
        "OX2007",
        "OX9001",
    } == set()


def test_sarif_tells_both_threads_of_a_race(command: Command, tmp_path: Path) -> None:
    racy = """
@kernel
def racy(c: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i + 1 < len(c):
        x = c[i + 1]
        c[i] = x
"""
    write(tmp_path, HEAD + racy)
    (found,) = json.loads(command("check", "main.py", "--message-format", "sarif").out)["runs"][0]["results"]
    lines = [one["physicalLocation"]["region"]["startLine"] for one in found["relatedLocations"]]
    assert [one["message"]["text"].startswith("thread (") for one in found["relatedLocations"]] == [True, True, False]
    assert sorted(lines[:2]) == [9, 10] == sorted(found["properties"]["counterexample"]["lines"])


def test_the_report_of_each_kernel(command: Command, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + UNKNOWN)
    out = command("check", "main.py", "--report", "report.json").out.splitlines()
    names = [line.split()[0] for line in out]
    assert names == ["good", "races", "convergence", "bounds", "memory", "hoisted", "unknown"]
    assert "accepted in" in out[0] and "refused" in out[-1]
    rows = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["kernels"]
    assert [(one["kernel"], one["result"]) for one in rows] == [("good", "accepted"), ("unknown", "refused")]
    assert rows[0]["report"]["bounds"]["proven"] == 1 and rows[1]["report"] is None
    assert command("check", "main.py", "--report", "nosuch/report.json").code == 2


def test_compile_time_parameters_have_their_defaults(command: Command, tmp_path: Path) -> None:
    kernels = """
@kernel
def scaled(c: DisjointSlice[f32], K: Const[int] = 3, U: Const[i32] = 1, ON: Const[bool] = True) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = f32(K) if ON else 0.0


@kernel
def wrong(c: DisjointSlice[f32], K: Const[int] = 3) -> None:
    c[thread.index_1d()] = f32(K)


@kernel
def later(c: DisjointSlice[f32], U: Const[i32], K: Const[int] = 3) -> None:
    c[thread.index_1d()] = f32(K)
"""
    write(tmp_path, HEAD + "from oxidepy import Const, i32\n" + kernels)
    done = command("check", "main.py", "--report", "report.json")
    rows = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["kernels"]
    found = [(one["kernel"], one["result"]) for one in rows]
    assert found == [("scaled[K=3, U=1, ON=True]", "accepted"), ("wrong[K=3]", "refused"), ("later", "open")]
    assert done.err.count("error[OX5002]") == 1


def test_kernels_of_several_files_stand_below_their_files(command: Command, tmp_path: Path) -> None:
    for name in ("one.py", "two.py", "empty.py"):
        (tmp_path / name).write_text(HEAD + (good() if name != "empty.py" else ""), encoding="utf-8")
    out = command("check", ".", "--report", "report.json").out.splitlines()
    assert [line for line in out if line.endswith(".py")] == ["one.py", "two.py"]
    assert out[0] == "one.py" and out[out.index("two.py") - 1] == "" and out[out.index("two.py") + 1].startswith("good")
    assert "one.py" not in command("check", "one.py").out
    rows = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["kernels"]
    assert [(one["kernel"], one["file"]) for one in rows] == [("good", "one.py"), ("good", "two.py")]


def test_build_and_run_do_not_prove_again(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = """
@kernel
def fill(c: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(c):
        c[i] = 12345.0


def main():
    stream = ox.Context().default_stream()
    c = ox.DeviceBuffer.zeros(stream, 100, f32)
    fill.prepare(ox.Context(), 100)(stream, c)
    print(c.to_host(stream)[99])
"""
    write(tmp_path, HEAD + kernel + guard("main()"))
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(tmp_path / "cache"))
    command("check", "main.py", "--report", "report.json")
    (row,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["kernels"]
    assert row["report"]["races"] == {**row["report"]["races"], "possible": True, "cached": False}

    def prove(*_: object, **__: object) -> None:
        raise AssertionError("proven again")

    monkeypatch.setattr("oxidepy.analysis.races.prove", prove)
    assert command("build", "main.py", "--arch", "sm_80").code == 0
    assert command("run", "main.py", "--device", "cpu").out == "12345.0\n"
    assert command("check", "main.py").code == 0


def test_files_without_kernels(command: Command, tmp_path: Path) -> None:
    write(tmp_path, "x = 1\n")
    write(tmp_path, "x = 1\n", "sub/other.py")
    assert command("check", "main.py").out == "there are no kernels in main.py\n"
    assert command("check", "main.py", "sub").out == "there are no kernels in main.py, sub\n"
    assert command("-q", "check", "main.py").out == command("check", "main.py", "--message-format", "json").out == ""


def test_what_is_installed_beside_the_files_is_imported_once(command: Command, tmp_path: Path) -> None:
    """A virtual environment in the project's folder: its modules stay, those of the project are each file's own."""
    installed = tmp_path / ".venv" / "lib" / "site-packages"
    write(tmp_path, "print('installed')\n", ".venv/lib/site-packages/installed_once.py")
    write(tmp_path, "print('own')\n", "own_module.py")
    for name in ("a.py", "b.py"):
        write(tmp_path, f"import sys\nsys.path.append({str(installed)!r})\nimport installed_once, own_module\n" + HEAD + good(), name)
    done = command("check", "a.py", "b.py")
    assert (done.code, done.err) == (0, "") and done.out.count("accepted") == 2
    assert (done.out.count("installed\n"), done.out.count("own\n")) == (1, 2)
