"""How full the cache is, without looking at every file: each writer appends what it added, a scan writes the sum anew.

The ledger is an estimate. Where it is missing, unreadable or long, the folder is scanned, which also removes the oldest entries
beyond the cap and what interrupted writers left behind.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NAME = "ledger"
LONGEST = 64 << 10  # bytes of the ledger before it is written anew
FILL = 0.8  # of the cap is kept when entries are removed, so that not every write has to remove some
ABANDONED = 3600.0  # seconds after which a temporary file has no writer any more
ENTRY, UNFINISHED = ".oxc", ".tmp"


@dataclass(frozen=True, slots=True)
class Found:
    """A file of the cache: when it was used last (seconds), its bytes."""

    used: float
    size: int
    path: str


def record(folder: Path, added: int) -> int | None:
    """Note `added` bytes; gives the bytes in the cache, or None if a scan has to tell. OSError if the folder cannot be written."""
    path = folder / NAME
    with open(path, "ab") as file:
        file.write(b"%d\n" % added)
        length = file.tell()
    if length > LONGEST:
        return None
    try:
        lines = path.read_bytes().split(b"\n")
        # only a scan writes a first line that begins with "=", so a ledger without it is the work of a writer alone
        return int(lines[0][1:]) + sum(map(int, lines[1:-1])) if lines[0][:1] == b"=" else None
    except ValueError:
        return None


def scan(folder: Path) -> Iterator[Found]:
    """Every finished or unfinished entry. Files and folders that vanish meanwhile are passed over."""
    for shard in _entries(folder):
        if shard.is_dir(follow_symlinks=False):
            for one in _entries(Path(shard.path)):
                if one.name.endswith((ENTRY, UNFINISHED)):
                    try:
                        state = one.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    yield Found(state.st_mtime, state.st_size, one.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):
        return []


def trim(folder: Path, cap: int) -> int:
    """Remove the entries that were not used for longest until the cap is kept; gives the bytes that remain.

    Several processes may do so at once: they remove the same files.
    """
    now = time.time()
    kept: list[Found] = []
    for one in scan(folder):
        if one.path.endswith(ENTRY):
            kept.append(one)
        elif now - one.used > ABANDONED:
            remove(one.path)
    total = sum(one.size for one in kept)
    if total > cap:
        kept.sort(key=lambda one: (one.used, one.path))
        for one in kept:
            if total <= cap * FILL:
                break
            remove(one.path)
            total -= one.size
    unfinished = folder / f"{NAME}.{os.getpid()}{UNFINISHED}"
    unfinished.write_bytes(b"=%d\n" % total)
    os.replace(unfinished, folder / NAME)
    return total


def remove(path: str | Path) -> bool:
    """Whether a file was removed; False if it was gone already or cannot be removed."""
    try:
        os.unlink(path)
    except OSError:  # another process was faster, has it open (Windows), or the folder is read-only: the file is not needed
        return False
    return True
