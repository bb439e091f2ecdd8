"""`oxidepy run --watch`: the program runs again when a file of its folder changes, until Ctrl-C."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from command_line import oxidepy

from oxidepy.cli.watching import snapshot

PROGRAM = "import time, sys\nfrom helper import WORD\nprint('said', WORD, *sys.argv[1:], flush=True)\n"


class Watched:
    """A child process with its lines."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "oxidepy", "run", *arguments]
        environment = {**os.environ, "OXIDEPY_DEVICE": "cpu"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=environment)
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def until(self, wanted: str) -> list[str]:
        """The lines up to one that holds this text."""
        seen: list[str] = []
        while not seen or wanted not in seen[-1]:
            seen.append(self.lines.get(timeout=30))
        return seen


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_it_runs_again(tmp_path: Path) -> None:
    main, helper = tmp_path / "main.py", tmp_path / "helper.py"
    main.write_text(PROGRAM)
    helper.write_text("WORD = 'one'\n")
    watched = Watched(tmp_path, "--watch", "main.py", "--", "extra", "--watch")
    try:
        assert watched.until("said") == ["said one extra --watch"]
        watched.until("waiting for a change")
        helper.write_text("WORD = 'another'\n")
        assert watched.until("said") == ["oxidepy: helper.py changed", "said another extra --watch"]
        main.write_text(PROGRAM + "time.sleep(100)\n")  # the next change ends it while it sleeps
        watched.until("said another")
        main.write_text("import nothing_of_that_name\n")
        assert any("nothing_of_that_name" in one for one in watched.until("ended with 1"))
        main.write_text(PROGRAM)
        watched.until("said another")
        watched.until("ended with 0")
        watched.process.send_signal(signal.SIGINT)
        assert watched.process.wait(20) == 0
    finally:
        watched.process.kill()
        watched.process.wait()


def test_without_a_file(tmp_path: Path) -> None:
    done = oxidepy("run", "--watch", "main.py", cwd=tmp_path)
    assert done.returncode == 2 and "main.py is no file" in done.stderr


def test_what_is_looked_at(tmp_path: Path) -> None:
    for name in ("a.py", "inner/b.py", "pyproject.toml", "notes.txt", ".hidden/c.py", "__pycache__/d.py", "env/pyvenv.cfg", "env/lib/e.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert sorted(os.path.relpath(one, tmp_path) for one in snapshot([tmp_path])) == [
        "a.py",
        os.path.join("inner", "b.py"),
        "pyproject.toml",
    ]
