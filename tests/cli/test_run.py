"""`oxidepy run`: the program's own exit code, output and errors, as `python` has them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli.programs import HEAD, MAIN, ROLLED, UNGUARDED, UNKNOWN, good, guard
from command_line import oxidepy

CPU = {"OXIDEPY_DEVICE": "cpu"}


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    import os

    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=cwd, env={**os.environ, **CPU}, timeout=120)


def write(folder: Path, text: str, name: str = "main.py") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "body",
    [
        "raise SystemExit",
        "sys.exit(7)",
        "sys.exit(-1)",
        "sys.exit('no such thing')",
        "sys.exit([1, 'a'])",
        "print('out'); print('err', file=sys.stderr)",
        "1 / 0",
        "raise KeyError('x') from ValueError('y')",
        "import json; json.loads('{')",
        "sys.excepthook = lambda kind, error, trace: print('mine:', kind.__name__, trace.tb_lineno, trace.tb_frame.f_code.co_name); boom",
        "import warnings; warnings.warn('careful')",
        "raise type('Odd', (BaseException,), {})('odd')",
        "import atexit; atexit.register(print, 'bye'); sys.exit(4)",
        "import threading; threading.Timer(0.05, print, ['late']).start()",
    ],
)
def test_means_the_same_as_python(body: str, tmp_path: Path) -> None:
    write(tmp_path, "import sys\n" + guard(body))
    ours, theirs = oxidepy("run", "main.py", cwd=tmp_path, **CPU), python("main.py", cwd=tmp_path)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


SURROUNDINGS = '''"""The docstring."""
from __future__ import annotations
import dataclasses, json, os, pickle, sys, typing, inspect
import __main__
import helper

@dataclasses.dataclass
class Point:
    x: int
    kind: typing.ClassVar[str] = "p"

def annotated(x: Undefined) -> Undefined: ...

if __name__ == "__main__":
    def behind(x: Undefined) -> Undefined: ...
    print(json.dumps([
        __name__, __doc__, __file__, os.path.isabs(__file__), str(__spec__), sys.argv, sys.path[0], helper.NAME,
        __main__.Point is Point, Point.__module__, typing.get_type_hints(Point)["x"].__name__, [f.name for f in dataclasses.fields(Point)],
        pickle.loads(pickle.dumps(Point(3))).x, behind.__annotations__, annotated.__annotations__, inspect.getsource(annotated),
        sys.modules["__main__"] is __main__, vars(__main__) is globals(),
    ]))
behind_the_guard = 1
assert behind_the_guard and __main__.behind_the_guard == 1
'''


@pytest.mark.parametrize("where", ["main.py", "sub/main.py"])
def test_the_program_finds_its_surroundings(where: str, tmp_path: Path) -> None:
    write(tmp_path, SURROUNDINGS, where)
    write((tmp_path / where).parent, "NAME = 'helper of ' + __name__\n", "helper.py")
    ours = oxidepy("run", where, "--", "-q", "--color", "x y", cwd=tmp_path, **CPU)
    theirs = python(where, "-q", "--color", "x y", cwd=tmp_path)
    assert theirs.returncode == 0, theirs.stderr
    assert (ours.returncode, ours.stdout, ours.stderr) == (0, theirs.stdout, theirs.stderr)


def test_annotations_are_objects_without_the_future_statement(tmp_path: Path) -> None:
    text = "def f(x: int) -> str: ...\n" + guard("def g(y: float): ...\n    print(f.__annotations__, g.__annotations__)")
    write(tmp_path, text)
    assert oxidepy("run", "main.py", cwd=tmp_path, **CPU).stdout == python("main.py", cwd=tmp_path).stdout
    assert "<class 'int'>" in oxidepy("run", "main.py", cwd=tmp_path, **CPU).stdout


@pytest.mark.parametrize("given", [("main.py", "--", "a", "-v"), ("main.py", "a", "--", "-v"), ("--", "a", "-v")])
def test_arguments(given: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, '[tool.oxidepy]\nentry = "main.py"\n', "pyproject.toml")
    write(tmp_path, "import sys\nprint(sys.argv)\n")
    assert oxidepy("run", *given, cwd=tmp_path).stdout == "['main.py', 'a', '-v']\n"


def test_a_folder_stands_for_its_project(tmp_path: Path) -> None:
    write(tmp_path, '[tool.oxidepy]\nentry = "src/main.py"\n', "demo/pyproject.toml")
    write(tmp_path, "import sys\nprint(sys.argv)\n", "demo/src/main.py")
    assert oxidepy("run", "demo", cwd=tmp_path).stdout == "['demo/src/main.py']\n"


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_a_kernel_runs(device: str, tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + MAIN + guard("main(); import os; print(os.environ.get('OXIDEPY_DEVICE'), ox.Context().kind)"))
    done = oxidepy("run", "main.py", "--device", device, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"sum 300.0\n{device} {device}\n", "")


def test_a_program_without_a_guard_runs_once(tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + MAIN + "\nmain()\n")
    done = oxidepy("run", "main.py", cwd=tmp_path, **CPU)
    assert (done.returncode, done.stdout) == (0, "sum 300.0\n")


@pytest.mark.parametrize("test", ['"__main__" == __name__', '__name__ == "__main__" and True', '(__name__) == ("__main__")'])
def test_forms_of_the_guard(test: str, tmp_path: Path) -> None:
    """One that is not seen as the guard is an ordinary `if`: the program runs all the same."""
    write(tmp_path, f"print('top')\nif {test}:\n    print('guard')\nelse:\n    print('else')\nprint('end')\n")
    assert oxidepy("run", "main.py", cwd=tmp_path, **CPU).stdout == "top\nguard\nend\n"


def test_errors_of_all_kernels_come_together_before_the_guard(tmp_path: Path) -> None:
    write(tmp_path, HEAD + UNKNOWN + good() + UNGUARDED + guard("print('reached')"))
    done = oxidepy("run", "main.py", cwd=tmp_path, **CPU)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("error[") == 2 and "error[OX0425]" in done.stderr and "error[OX5002]" in done.stderr
    assert "--> main.py:9:" in done.stderr and "Traceback" not in done.stderr


def test_warnings_do_not_stop_a_run(tmp_path: Path) -> None:
    write(tmp_path, HEAD + ROLLED + guard("print('reached')"))
    done = oxidepy("run", "main.py", cwd=tmp_path, **CPU)
    assert (done.returncode, done.stdout, done.stderr) == (0, "reached\n", "")


def test_how_much_is_told_of_compilations(tmp_path: Path) -> None:
    """`OXIDEPY_LOG`: warnings unless it says less, each compilation where it says more."""
    launch = "stream = ox.Context().default_stream()\n    rolled.launch(stream, ox.DeviceBuffer.zeros(stream, 4, f32), 3)"
    write(tmp_path, HEAD + ROLLED + guard(launch))
    own = {**CPU, "OXIDEPY_CACHE_DIR": str(tmp_path / "cache")}
    told = [oxidepy("run", "main.py", cwd=tmp_path, **own, OXIDEPY_LOG=level).stderr for level in ("error", "warning", "info")]
    assert told[0] == "" and told[1].startswith("warning[OX9002]") and "info:" not in told[1]
    assert re.search(r"^info: rolled for cpu: found in the cache in [\d.]+ ms$", told[2], re.MULTILINE)
    assert (
        "info: rolled for cpu: compiled in "
        in oxidepy("run", "main.py", cwd=tmp_path, **{**own, "OXIDEPY_CACHE_SIZE": "0"}, OXIDEPY_LOG="info").stderr
    )


def test_our_errors_show_no_traceback_unless_asked(tmp_path: Path) -> None:
    write(tmp_path, HEAD + good() + guard("good.launch(ox.Context().default_stream())"))
    quiet = oxidepy("run", "main.py", cwd=tmp_path, **CPU)
    assert quiet.returncode == 1 and quiet.stderr.startswith("error[OX2007]") and "Traceback" not in quiet.stderr
    loud = oxidepy("-v", "run", "main.py", cwd=tmp_path, **CPU)
    assert loud.returncode == 1 and loud.stderr.startswith("Traceback") and "OX2007" in loud.stderr
    assert "oxidepy/cli" not in loud.stderr  # the command's own frames are nobody's business
    assert python("main.py", cwd=tmp_path).stderr == loud.stderr


def test_a_panic_is_rendered(tmp_path: Path) -> None:
    kernel = good("over").replace("a[idx] + f32(1)", "a[idx.get() + 1]")
    body = "s = ox.Context().default_stream(); a = ox.DeviceBuffer.zeros(s, 300, f32); c = ox.DeviceBuffer.zeros(s, 300, f32)"
    write(tmp_path, HEAD + kernel + guard(body + "; over.launch(s, a, c); s.synchronize(); print('reached')"))
    done = oxidepy("run", "main.py", cwd=tmp_path, **CPU)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("error[OX7001]") and "--> main.py:9:18" in done.stderr


def test_device_reaches_child_processes(tmp_path: Path) -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import oxidepy; print(oxidepy.Context().kind)'])"
    write(tmp_path, guard(child))
    assert oxidepy("run", "main.py", "--device", "interp", cwd=tmp_path).stdout == "interp\n"


@pytest.mark.parametrize("name", ["json.py", "numpy.py", "two words.py", "noending"])
def test_names_of_files(name: str, tmp_path: Path) -> None:
    """A file that is called as a module of Python's or ours runs like any other."""
    write(tmp_path, HEAD + good() + MAIN + guard("main()"), name)
    for command in (("run", name), ("check", name), ("build", name, "--out", "made")):
        done = oxidepy(*command, cwd=tmp_path, **CPU)
        assert done.returncode == 0, (command, done.stderr)
        assert command[0] != "run" or done.stdout == "sum 300.0\n"


def test_a_file_of_a_package(tmp_path: Path) -> None:
    """It finds its neighbours as `python -m` and pytest let it: by relative imports, and through its package's name."""
    write(tmp_path, "", "app/__init__.py")
    write(tmp_path, "VALUE = 1\n", "app/deep/__init__.py")
    write(tmp_path, HEAD + good() + "from ..deep import VALUE\n", "app/deep/kernels.py")
    entry = "import oxidepy as ox\nfrom oxidepy import f32\nfrom .deep.kernels import VALUE, good\nimport app.deep.kernels as by_name\n"
    write(tmp_path, entry + MAIN + "    assert by_name.good is good and VALUE == 1\n" + guard("main()"), "app/main.py")
    for command in (("run", "app/main.py"), ("check", "app"), ("build", "app/deep/kernels.py"), ("inspect", "app/deep/kernels.py", "good")):
        done = oxidepy(*command, cwd=tmp_path, **CPU)
        assert done.returncode == 0, (command, done.stderr)
        assert command[0] != "run" or done.stdout == "sum 300.0\n"
        assert command[0] != "check" or "good  accepted" in done.stdout


def test_a_missing_file(tmp_path: Path) -> None:
    done = oxidepy("run", "nosuch.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("error[OX8010]: cannot read nosuch.py: No such file or directory")
    write(tmp_path, "", "such.py")
    assert "help: did you mean `such.py`?" in oxidepy("run", "suhc.py", cwd=tmp_path).stderr
    assert "did you mean" not in oxidepy("run", "other.py", cwd=tmp_path).stderr  # the ending alone is no likeness
    assert re.search("help: the example is `.*vecadd.py`", oxidepy("run", "vecadd", cwd=tmp_path).stderr)
    done = oxidepy("run", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("error[OX8010]: there is no file to work on")


def test_what_is_not_python(tmp_path: Path) -> None:
    write(tmp_path, "x = 1\ndef f(:\n    pass\n")
    done = oxidepy("run", "main.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith("error[OX8011]") and "--> main.py:2:7" in done.stderr


@pytest.mark.parametrize("data", [b"x = 1\0\n", b"x = '\xff'\n", b"# coding: nosuch\nx = 1\n"])
def test_bytes_that_are_not_python(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_bytes(data)
    done = oxidepy("run", "main.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("error[OX8011]") and "Traceback" not in done.stderr


def test_a_declared_encoding(tmp_path: Path) -> None:
    text = "# -*- coding: latin-1 -*-\n" + HEAD + UNKNOWN.replace("nosuch", "'é' + näme") + guard("print('é')")
    (tmp_path / "main.py").write_bytes(text.encode("latin-1"))
    done = oxidepy("run", "main.py", cwd=tmp_path, **CPU)
    assert done.returncode == 1 and "näme" in done.stderr and "--> main.py:10:" in done.stderr
    (tmp_path / "main.py").write_bytes(text.replace("'é' + näme", "f32(1)").encode("latin-1"))
    assert oxidepy("run", "main.py", cwd=tmp_path, **CPU).stdout == "é\n"


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_working_directory_that_is_gone(tmp_path: Path) -> None:
    write(tmp_path, "print(1)\n")
    for command in ("run", "check", "build", "inspect", "run ../main.py"):
        script = f'mkdir gone && cd gone && rmdir ../gone && "{sys.executable}" -m oxidepy {command}'
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=tmp_path)
        wanted = "error: the working directory does not exist any more\n  = help: change into a folder that does\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", wanted), command


def test_an_interrupt(tmp_path: Path) -> None:
    write(tmp_path, guard("raise KeyboardInterrupt"))
    done = oxidepy("run", "main.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "")
