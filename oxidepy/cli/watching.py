"""The work of `oxidepy run --watch`: the program in a child process, again whenever a file of its folder changes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from oxidepy.cli.entry import entry_file
from oxidepy.cli.output import fail

SECONDS = 0.2  # between two looks
MOST = 10_000  # files that are looked at
_SUFFIXES = (".py", ".toml")
_LEAVE = frozenset(("__pycache__", "node_modules", "site-packages"))


def watch(path: Path | None, given: Sequence[str]) -> int:
    """Run `given`, a command line without the program's name, until Ctrl-C. A run that is still under way is ended first."""
    file, config = entry_file(path)
    if not file.is_file():
        return fail(f"{file} is no file", "give a file, or set `entry` in [tool.oxidepy] of pyproject.toml")
    folders = [file.resolve().parent]
    if config.path is not None and config.path.parent.resolve() not in (folders[0], *folders[0].parents[:-1]):
        folders.append(config.path.parent.resolve())
    elif config.path is not None:
        folders = [config.path.parent.resolve()]
    command = [sys.executable, "-m", "oxidepy", *_without_watch(given)]
    try:
        while True:
            seen = snapshot(folders)
            child = subprocess.Popen(command)
            try:
                changed = _wait(child, folders, seen)
            finally:
                _end(child)
            sys.stdout.flush()
            print(f"oxidepy: {os.path.relpath(changed)} changed", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        return 0  # this is how it is ended


def _without_watch(given: Sequence[str]) -> list[str]:
    words = list(given)
    end = words.index("--") if "--" in words else len(words)
    return [one for one in words[:end] if one != "--watch"] + words[end:]


def _wait(child: subprocess.Popen[bytes], folders: Sequence[Path], seen: dict[str, int]) -> str:
    """The file that changed, appeared or went."""
    said = False
    while True:
        if child.poll() is not None and not said:
            said = True
            print(f"oxidepy: ended with {child.returncode}; waiting for a change", file=sys.stderr, flush=True)
        time.sleep(SECONDS)
        now = snapshot(folders)
        if now != seen:
            return next(one for one in (*now, *seen) if now.get(one) != seen.get(one))


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(3)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def snapshot(folders: Sequence[Path]) -> dict[str, int]:
    """When each source file of these folders was changed. Hidden folders and installed packages are left out."""
    found: dict[str, int] = {}
    for folder in folders:
        for place, inner, names in os.walk(folder):
            inner[:] = [one for one in inner if _looked_into(place, one)]
            for name in names:
                if name.endswith(_SUFFIXES) and len(found) < MOST:
                    path = os.path.join(place, name)
                    try:
                        found[path] = os.stat(path).st_mtime_ns
                    except OSError:
                        continue  # it went while we looked
    return found


def _looked_into(place: str, name: str) -> bool:
    return not name.startswith(".") and name not in _LEAVE and not os.path.exists(os.path.join(place, name, "pyvenv.cfg"))
