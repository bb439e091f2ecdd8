"""The cache that cannot lie: what is given back is what was kept, and whatever goes wrong is a miss with one note."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oxidepy.cache import Cache, default_cache, ledger
from oxidepy.cache.entry import BadEntry, pack, unpack

CAP = 1 << 30


def key_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def payload_of(key: str, length: int = 3000) -> bytes:
    return random.Random(key).randbytes(length)


class Fixture:
    """A folder, the notes it gave, and a new Cache (a new process, as far as its memory goes) whenever one is asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.notes: list[str] = []

    def cache(self, cap: int = CAP) -> Cache:
        return Cache(self.root, cap, self.notes.append)

    def file(self, key: str) -> Path:
        path = self.cache().path(key)
        assert path is not None
        return path


@pytest.fixture
def at(tmp_path: Path) -> Fixture:
    return Fixture(tmp_path / "cache")


KEY = key_of("kernel")
OTHER = key_of("other")


def test_gives_back_what_was_kept(at: Fixture) -> None:
    assert at.cache().get(KEY) is None
    first = at.cache()
    kept = first.put(KEY, {"target": "cpu", "params": ("a", 1), "text": "ü"}, b"\0\1code")
    assert first.get(KEY) == kept
    again = at.cache().get(KEY)
    assert again == kept
    assert again is not None and again.meta == {"target": "cpu", "params": ["a", 1], "text": "ü"} and again.payload == b"\0\1code"
    assert at.notes == []


def test_put_again_replaces(at: Fixture) -> None:
    cache = at.cache()
    cache.put(KEY, {}, b"one")
    cache.put(KEY, {}, b"two")
    found = at.cache().get(KEY)
    assert found is not None and found.payload == b"two"


@pytest.mark.parametrize("key", ["", "ab", KEY.upper(), KEY + "0", "../" + KEY[3:]])
def test_only_digests_are_keys(at: Fixture, key: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        at.cache().get(key)
    with pytest.raises(ValueError, match="SHA-256"):
        at.cache().put(key, {}, b"")


def test_metadata_is_json(at: Fixture) -> None:
    with pytest.raises(TypeError):
        at.cache().put(KEY, {"x": object()}, b"")
    with pytest.raises(ValueError, match="JSON"):
        at.cache().put(KEY, {"x": float("nan")}, b"")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def lengthen(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


def other_format(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8] = 99
    path.write_bytes(data)


def swap(path: Path) -> None:
    """The other entry, whole and sound, under this one's name."""
    other = path.parents[1] / OTHER[:2] / (OTHER + ledger.ENTRY)
    path.write_bytes(other.read_bytes())


@pytest.mark.parametrize("harm", [truncate, zero, empty, lengthen, other_format, swap], ids=lambda harm: harm.__name__)
def test_a_bad_entry_is_a_miss_with_one_note(at: Fixture, harm: Any) -> None:
    at.cache().put(KEY, {}, payload_of(KEY))
    at.cache().put(OTHER, {}, payload_of(OTHER))
    harm(at.file(KEY))
    cache = at.cache()
    assert cache.get(KEY) is None
    assert len(at.notes) == 1 and "made anew" in at.notes[0]
    assert not at.file(KEY).exists()
    assert cache.get(KEY) is None and len(at.notes) == 1
    cache.put(KEY, {}, payload_of(KEY))
    again = at.cache().get(KEY)
    assert again is not None and again.payload == payload_of(KEY)


def test_every_flipped_bit_is_found() -> None:
    data = pack(KEY, {"a": 1}, b"payload")
    assert unpack(KEY, data).payload == b"payload"
    for bit in range(len(data) * 8):
        harmed = bytearray(data)
        harmed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(BadEntry):
            unpack(KEY, bytes(harmed))


def test_many_bad_entries_are_one_note(at: Fixture) -> None:
    keys = [key_of(str(number)) for number in range(10)]
    for key in keys:
        at.cache().put(key, {}, b"x")
        empty(at.file(key))
    cache = at.cache()
    assert [cache.get(key) for key in keys] == [None] * 10
    assert len(at.notes) == 1


def test_discard_is_for_readers_who_do_not_understand(at: Fixture) -> None:
    cache = at.cache()
    cache.put(KEY, {"strange": True}, b"x")
    cache.discard(KEY, "its metadata is not understood")
    assert cache.get(KEY) is None and at.cache().get(KEY) is None
    assert len(at.notes) == 1 and "not understood" in at.notes[0]


@pytest.mark.parametrize("where", ["root", "format", "shard"])
def test_a_file_where_a_folder_should_be(at: Fixture, where: str) -> None:
    place = {"root": at.root, "format": at.root / "v1", "shard": at.root / "v1" / KEY[:2]}[where]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("a file")
    cache = at.cache()
    assert cache.get(KEY) is None
    cache.put(KEY, {}, b"x")
    kept = cache.get(KEY)
    assert kept is not None and kept.payload == b"x"  # within the process it is still known
    assert cache.clear()[0] == 0
    assert len(at.notes) == 1 and str(at.root) in at.notes[0]
    assert place.read_text() == "a file"


def failing(monkeypatch: pytest.MonkeyPatch, name: str, code: int) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, name, fail)


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EBUSY, errno.EIO, errno.ESTALE, errno.EACCES])
def test_no_error_of_the_disk_reaches_the_work(at: Fixture, monkeypatch: pytest.MonkeyPatch, step: str, code: int) -> None:
    cache = at.cache()
    with monkeypatch.context() as patch:
        failing(patch, step, code)
        for number in range(3):
            cache.put(key_of(str(number)), {}, b"x")
    assert len(at.notes) == 1 and os.strerror(code) in at.notes[0]
    assert at.cache().get(key_of("0")) is None
    assert not list(at.root.rglob("*" + ledger.UNFINISHED))


def test_a_rename_that_fails_over_an_entry_in_place_is_no_fault(at: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    at.cache().put(KEY, {}, b"x")
    failing(monkeypatch, "replace", errno.EACCES)  # as on Windows while another process reads the entry
    Cache(at.root, CAP, at.notes.append)._write(at.file(KEY), b"whatever")
    assert at.notes == [] and not list(at.root.rglob("*" + ledger.UNFINISHED))


def test_the_folder_vanishes_between_two_steps(at: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace
    vanished: list[Path] = []

    def vanish(source: Any, target: Any) -> None:
        if not vanished and str(target).endswith(ledger.ENTRY):
            vanished.append(Path(target).parent)
            os.unlink(source)
            Path(target).parent.rmdir()
        replace(source, target)

    monkeypatch.setattr(os, "replace", vanish)
    at.cache().put(KEY, {}, b"x")
    found = at.cache().get(KEY)
    assert vanished and found is not None and at.notes == []


@contextlib.contextmanager
def ordinary_user() -> Iterator[None]:
    """Permissions do not bind root: let go of its rights for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no permissions of this kind here")
def test_a_read_only_folder_still_gives() -> None:
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        at = Fixture(Path(name) / "cache")
        at.cache().put(KEY, {}, b"x")
        folders = [at.root, *(path for path in at.root.rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        with ordinary_user():
            cache = at.cache()
            found = cache.get(KEY)
            assert found is not None and found.payload == b"x"
            cache.put(OTHER, {}, b"y")
            cache.put(key_of("third"), {}, b"y")
        for folder in folders:
            folder.chmod(0o755)
        assert len(at.notes) == 1 and "cannot be written: Permission denied" in at.notes[0]


FULL = """
import resource, sys
from pathlib import Path
from oxidepy.cache import Cache
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
notes = []
cache = Cache(Path(sys.argv[1]), 1 << 30, notes.append)
for digit in "abc":
    cache.put(digit * 64, {}, bytes(20_000))
    assert cache.get(digit * 64).payload == bytes(20_000)
assert Cache(Path(sys.argv[1]), 1 << 30, notes.append).get("a" * 64) is None
print(notes)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files here")
def test_a_write_that_stops_halfway(at: Fixture) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, str(at.root)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cannot be written") == 1
    assert not list(at.root.rglob("*" + ledger.UNFINISHED)) and not list(at.root.rglob("*" + ledger.ENTRY))


def test_an_entry_that_cannot_be_read(at: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    at.cache().put(KEY, {}, b"x")
    at.file(KEY).unlink()
    at.file(KEY).mkdir()  # opening it gives an OSError that is not "no such file"
    cache = at.cache()
    assert cache.get(KEY) is None
    cache.put(KEY, {}, b"x")
    assert len(at.notes) == 1


def test_the_folder_is_private(at: Fixture) -> None:
    at.cache().put(KEY, {}, b"x")
    if os.name == "posix":
        assert (at.root / "v1").stat().st_mode & 0o077 == 0


# ---- the cap


def used(path: Path, seconds_ago: float) -> None:
    then = time.time() - seconds_ago
    os.utime(path, (then, then))


def test_what_was_not_used_for_longest_goes_first(at: Fixture) -> None:
    keys = [key_of(str(number)) for number in range(8)]
    for age, key in enumerate(keys):
        at.cache().put(key, {}, payload_of(key, 1000))
        used(at.file(key), 10_000 - age * 1000)
    assert at.cache().get(keys[0]) is not None  # the oldest is used now, so it is the youngest
    one = at.file(keys[0]).stat().st_size
    cache = at.cache(cap=one * 8)
    cache.put(key_of("new"), {}, payload_of("new", 1000))
    left = [key for key in keys if at.file(key).exists()]
    assert keys[0] in left and at.file(key_of("new")).exists()
    assert left[1:] == keys[-len(left) + 1 :] and len(left) < 8
    assert cache.stats().size <= one * 8


def test_the_cap_holds_over_many_writers(at: Fixture) -> None:
    cap = 50_000
    for number in range(200):
        at.cache(cap).put(key_of(str(number)), {}, payload_of(str(number), 2000))
    stats = at.cache(cap).stats()
    assert 0 < stats.size <= cap
    assert at.cache(cap).get(key_of("199")) is not None


def test_an_entry_beyond_the_cap_is_not_kept(at: Fixture) -> None:
    cache = at.cache(cap=1000)
    cache.put(KEY, {}, bytes(2000))
    assert at.cache(1000).get(KEY) is None and cache.stats().entries == 0


def test_no_cap_no_cache(at: Fixture) -> None:
    cache = at.cache(cap=0)
    assert cache.put(KEY, {}, b"x").payload == b"x"
    assert cache.get(KEY) is None and not at.root.exists()


def test_the_ledger_is_only_an_estimate(at: Fixture) -> None:
    for text in (b"", b"garbage\n", b"=x\n", b"=10\n-5000000000000\nfoo\n"):
        cache = at.cache()
        cache.put(KEY, {}, b"x")
        (at.root / "v1" / ledger.NAME).write_bytes(text)
        cache.put(OTHER, {}, b"y")
        assert (at.root / "v1" / ledger.NAME).read_bytes().startswith(b"=")
    assert at.notes == []


def test_abandoned_files_are_swept(at: Fixture) -> None:
    at.cache().put(KEY, {}, b"x")
    old, young = at.file(KEY).with_name(".old.tmp"), at.file(KEY).with_name(".young.tmp")
    for path in (old, young):
        path.write_bytes(b"half")
    used(old, 2 * ledger.ABANDONED)
    ledger.trim(at.root / "v1", CAP)
    assert not old.exists() and young.exists()


def test_clear_and_stats(at: Fixture) -> None:
    cache = at.cache()
    for number in range(5):
        cache.put(key_of(str(number)), {}, b"x" * 100)
    cache.get(key_of("0"))
    cache.get(key_of("none"))
    stats = cache.stats()
    assert (stats.entries, stats.hits, stats.misses, stats.writes) == (5, 1, 1, 5)
    assert cache.clear() == (5, stats.size)
    assert cache.stats().entries == 0 and cache.get(key_of("0")) is None and at.notes == []


def test_memory_alone(tmp_path: Path) -> None:
    cache = Cache(None, CAP)
    cache.put(KEY, {}, b"x")
    found = cache.get(KEY)
    assert found is not None and found.payload == b"x"
    assert cache.stats().entries == 0 and cache.clear() == (0, 0) and cache.get(KEY) is None


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oxidepy.cache.store.REMEMBERED_BYTES", 10_000)
    cache = Cache(None, CAP)
    for number in range(100):
        cache.put(key_of(str(number)), {}, bytes(1000))
    assert cache.get(key_of("0")) is None and cache.get(key_of("99")) is not None
    assert sum(cache.get(key_of(str(number))) is not None for number in range(100)) == 10


# ---- many at once

WORKER = """
import hashlib, random, sys
from pathlib import Path
from oxidepy.cache import Cache
root, seed = Path(sys.argv[1]), int(sys.argv[2])
keys = [hashlib.sha256(f"k{n}".encode()).hexdigest() for n in range(8)]
random.Random(seed).shuffle(keys)
right = wrong = 0
notes = []
for round in range(20):
    for key in keys:
        cache = Cache(root, 1 << 30, notes.append)
        want = random.Random(key).randbytes(20000)
        found = cache.get(key)
        if found is None:
            cache.put(key, {"key": key}, want)
            found = Cache(root, 1 << 30, notes.append).get(key)
        ok = found is not None and found.payload == want and found.meta == {"key": key}
        if round == 0:
            right += ok
        wrong += not ok
print(right, wrong, len(notes))
"""


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_eight_processes_eight_keys(at: Fixture) -> None:
    workers = [start(WORKER, str(at.root), str(seed)) for seed in range(8)]
    said = [worker.communicate(timeout=120) for worker in workers]
    assert [out.split() for out, _ in said] == [["8", "0", "0"]] * 8, said
    assert at.cache().stats().entries == 8


WRITER = """
import sys
from pathlib import Path
from oxidepy.cache import Cache
print("ready", flush=True)
number = 0
while True:
    number += 1
    for digit in "0123456789abcdef":
        Cache(Path(sys.argv[1]), 1 << 30).put(digit * 64, {}, bytes([number % 256]) * 2_000_000)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_killed_in_the_middle_of_a_write(at: Fixture) -> None:
    for wait in (0.0, 0.02, 0.05, 0.11):
        writer = start(WRITER, str(at.root))
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
        time.sleep(0.05 + wait)
        writer.kill()
        writer.communicate()
        cache = at.cache()
        for digit in "0123456789abcdef":
            found = cache.get(digit * 64)
            assert found is None or (len(set(found.payload)) == 1 and len(found.payload) == 2_000_000)
        cache.put(KEY, {}, b"fine")
    found = at.cache().get(KEY)
    assert found is not None and found.payload == b"fine" and at.notes == []


def test_clear_while_others_write(at: Fixture) -> None:
    stop = threading.Event()
    wrong: list[str] = []

    def write(seed: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            key = key_of(f"{seed}/{number % 10}")
            cache = at.cache()
            cache.put(key, {}, payload_of(key))
            found = at.cache().get(key)
            if found is not None and found.payload != payload_of(key):
                wrong.append(key)

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(30):
        at.cache().clear()
        time.sleep(0.005)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == [] and at.notes == []


# ---- the cache of this user


def test_the_environment_is_honoured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(tmp_path / "here"))
    monkeypatch.setenv("OXIDEPY_CACHE_SIZE", "3M")
    cache = default_cache()
    assert (cache.root, cache.max_bytes) == (tmp_path / "here", 3 << 20)
    assert default_cache() is cache
    monkeypatch.setenv("OXIDEPY_CACHE_SIZE", "0")
    assert default_cache().max_bytes == 0


HOMELESS = """
import sys
if "no user" in sys.argv:
    import pwd
    def getpwuid(_):
        raise KeyError("no such user")
    pwd.getpwuid = getpwuid
from oxidepy.cache import default_cache
for _ in range(3):
    cache = default_cache()
    cache.put("a" * 64, {}, b"x")
    assert cache.get("a" * 64).payload == b"x"
print("root", cache.root)
"""


def homeless(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in ("HOME", "OXIDEPY_CACHE_DIR", "XDG_CACHE_HOME")}
    command = [sys.executable, "-c", HOMELESS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**inherited, **environment}, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.skipif(sys.platform != "linux", reason="HOME is of Linux")
def test_no_home(tmp_path: Path) -> None:
    done = homeless(tmp_path, "no user")
    assert done.stdout == "root None\n"
    assert done.stderr.count("note:") == 1 and "no home folder" in done.stderr
    assert not list(tmp_path.iterdir())
    done = homeless(tmp_path, XDG_CACHE_HOME=str(tmp_path / "xdg"))
    assert done.stdout == f"root {tmp_path / 'xdg' / 'oxidepy'}\n" and done.stderr == ""


def test_the_log_level_silences_the_note(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    place = str(blocked / "cache")
    assert homeless(tmp_path, OXIDEPY_CACHE_DIR=place).stderr.count("note:") == 1
    assert homeless(tmp_path, OXIDEPY_CACHE_DIR=place, OXIDEPY_LOG="off").stderr == ""
