"""The store: a folder of entries named by their key, with a layer in memory above it. It never fails: what it cannot do is a miss."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oxidepy.cache import ledger
from oxidepy.cache.entry import BadEntry, Entry, check_key, pack, unpack

FORMAT = "v1"  # the folder of this layout: another layout gets another one, and both live side by side
REMEMBERED_BYTES = 64 << 20
REMEMBERED_ENTRIES = 1024
FRESH = 60.0  # seconds in which a further hit does not note the use again


@dataclass(frozen=True, slots=True)
class Stats:
    """`entries` and `size` (bytes) on disk; `hits`, `misses` and `writes` of this process."""

    root: Path | None
    entries: int
    size: int
    max_bytes: int
    hits: int
    misses: int
    writes: int


class Cache:
    """A content-addressed store of metadata and bytes under keys that are SHA-256 sums in hexadecimal.

    Any number of threads and processes may use one folder. `get` gives only what `put` wrote under that key, byte for byte: a damaged or
    misplaced entry is removed and is a miss. A folder that cannot be read or written, a full disk and the like leave the work uncached.
    `notes` is called with one sentence the first time that something of a kind goes wrong. `root` None keeps entries in memory only;
    `max_bytes` 0 keeps nothing at all.
    """

    def __init__(self, root: Path | None, max_bytes: int, notes: Callable[[str], None] | None = None) -> None:
        self.root = root
        self.max_bytes = max_bytes
        self._folder = root / FORMAT if root is not None and max_bytes > 0 else None
        self._notes = notes
        self._noted: set[str] = set()
        self._lock = threading.Lock()
        self._memory: OrderedDict[str, Entry] = OrderedDict()
        self._remembered = 0
        self._writable = True
        self._hits = self._misses = self._writes = 0

    def path(self, key: str) -> Path | None:
        """Where the entry of this key lies, if it lies on disk."""
        return self._folder / key[:2] / (key + ledger.ENTRY) if self._folder is not None else None

    def get(self, key: str) -> Entry | None:
        """The entry of this key, or None."""
        check_key(key)
        with self._lock:
            entry = self._memory.get(key)
            if entry is not None:
                self._memory.move_to_end(key)
                self._hits += 1
                return entry
        entry = self._load(key)
        with self._lock:
            if entry is None:
                self._misses += 1
            else:
                self._hits += 1
                self._remember(entry)
        return entry

    def put(self, key: str, meta: dict[str, Any], payload: bytes) -> Entry:
        """Keep metadata (JSON-able: TypeError or ValueError otherwise) and payload; gives them as the entry that they are now."""
        data = pack(check_key(key), meta, payload)
        entry = unpack(key, data)  # what a later process will get: lists for tuples, and nothing shared with the caller
        if self.max_bytes > 0:
            with self._lock:
                self._remember(entry)
        path = self.path(key)
        if path is not None and self._writable and len(data) <= self.max_bytes:
            self._store(path, data)
        return entry

    def discard(self, key: str, why: str) -> None:
        """Forget an entry whose content its reader does not understand; noted as a bad one."""
        path = self.path(check_key(key))
        with self._lock:
            entry = self._memory.pop(key, None)
            if entry is not None:
                self._remembered -= len(entry.payload)
        if path is not None:
            ledger.remove(path)
        self._note("bad", f"an entry of the cache was not used, {why}; it is made anew ({path or key})")

    def clear(self) -> tuple[int, int]:
        """Remove every entry; gives their number and bytes. Entries that others write meanwhile may stay."""
        with self._lock:
            self._memory.clear()
            self._remembered = 0
        count = size = 0
        if self._folder is None:
            return count, size
        try:
            for one in ledger.scan(self._folder):
                recent = one.path.endswith(ledger.UNFINISHED) and time.time() - one.used <= ledger.ABANDONED
                if not recent and ledger.remove(one.path):
                    count += 1
                    size += one.size
            if self._folder.is_dir():
                ledger.trim(self._folder, self.max_bytes)
        except OSError as error:
            self._note("disk", f"the cache in {self.root} cannot be cleared: {_why(error)}")
        return count, size

    def stats(self) -> Stats:
        """How much is kept and how often it was of use."""
        found: list[ledger.Found] = []
        if self._folder is not None:
            try:
                found = [one for one in ledger.scan(self._folder) if one.path.endswith(ledger.ENTRY)]
            except OSError as error:
                self._note("disk", f"the cache in {self.root} cannot be read: {_why(error)}")
        size = sum(one.size for one in found)
        return Stats(self.root, len(found), size, self.max_bytes, self._hits, self._misses, self._writes)

    def _remember(self, entry: Entry) -> None:
        """Into the layer in memory; the lock is held."""
        old = self._memory.pop(entry.key, None)
        self._remembered += len(entry.payload) - (len(old.payload) if old is not None else 0)
        self._memory[entry.key] = entry
        while len(self._memory) > REMEMBERED_ENTRIES or self._remembered > REMEMBERED_BYTES:
            _, oldest = self._memory.popitem(last=False)
            self._remembered -= len(oldest.payload)

    def _load(self, key: str) -> Entry | None:
        path = self.path(key)
        if path is None:
            return None
        try:
            with open(path, "rb") as file:
                used = os.fstat(file.fileno()).st_mtime
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note("disk", f"the cache in {self.root} cannot be read: {_why(error)}; compiled kernels are not kept")
            return None
        try:
            entry = unpack(key, data)
        except BadEntry as problem:
            self.discard(key, f"{problem}")
            return None
        if time.time() - used > FRESH:
            _touch(path)
        return entry

    def _store(self, path: Path, data: bytes) -> None:
        folder = path.parents[1]
        try:
            self._write(path, data)
            total = ledger.record(folder, len(data))
            if total is None or total > self.max_bytes:
                ledger.trim(folder, self.max_bytes)
        except OSError as error:
            self._writable = False
            self._note("disk", f"the cache in {self.root} cannot be written: {_why(error)}; compiled kernels are not kept")
        else:
            with self._lock:
                self._writes += 1

    def _write(self, path: Path, data: bytes) -> None:
        """All or nothing: a temporary file beside the entry, then a rename."""
        unfinished = path.with_name(f".{path.stem}.{os.urandom(6).hex()}{ledger.UNFINISHED}")
        for last in (False, True):
            try:
                _make_folder(path.parent)
                with open(unfinished, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(unfinished, path)
                return
            except FileNotFoundError:  # someone removed the folder meanwhile
                if last:
                    raise
            except OSError:
                ledger.remove(unfinished)
                if path.is_file():  # someone else's entry of this key is in place, and cannot be replaced: it says the same
                    return
                raise

    def _note(self, kind: str, text: str) -> None:
        with self._lock:
            if kind in self._noted:
                return
            self._noted.add(kind)
        if self._notes is not None:
            self._notes(text)


def _make_folder(folder: Path) -> None:
    """The folder of a shard, and those above it: for this user alone, since what lies there is run."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def _touch(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:  # a read-only cache is of use all the same, and removes nothing
        return


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
