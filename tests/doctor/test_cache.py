"""The checks of the cache's folder: what they find, and that they leave nothing behind."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import filelock
import pytest

import oxidepy.cache
from oxidepy.doctor.checks import cache
from oxidepy.doctor.examination import Examination

CHECKS = (cache.folder, cache.lock, cache.space, cache.file_system)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "kept"
    folder.mkdir()
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(folder))
    return folder


def test_good_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "kind_of_file_system", lambda path: "ext4")
    (root / "mine").write_text("stays")
    examination = Examination()
    assert [check(examination).severity for check in CHECKS] == ["ok"] * 4
    assert [one.name for one in root.iterdir()] == ["mine"]


def test_absent_folder_stays_absent(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(root / "a" / "b"))
    examination = Examination()
    found = [check(examination) for check in CHECKS]
    assert found[0].severity == "ok" and found[0].evidence["exists"] is False and found[1].severity == "ok"
    assert list(root.iterdir()) == []


def test_path_is_a_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "file").write_text("x")
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(root / "file" / "kept"))
    examination = Examination()
    found = cache.folder(examination)
    assert found.severity == "warn" and "cannot be written" in found.message and found.fix is not None
    assert cache.lock(examination).blocked_by == "OXD020"
    assert cache.space(examination).evidence["free_bytes"] > 0


def test_read_only(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, data: bytes) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    found = cache.folder(Examination())
    assert found.severity == "warn" and os.strerror(errno.EROFS) in found.message


def test_rename_fails(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: object, target: object) -> None:
        raise OSError(errno.EXDEV, "no rename here")

    monkeypatch.setattr(os, "replace", refuse)
    found = cache.folder(Examination())
    assert found.severity == "warn" and "no rename here" in found.message
    assert list(root.iterdir()) == []


def test_locks_that_keep_nobody_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filelock, "FileLock", lambda path, timeout: nullcontext())
    found = cache.lock(Examination())
    assert found.severity == "warn" and "held at once" in found.message


def test_locks_not_supported(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, timeout: float) -> Any:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(filelock, "FileLock", refuse)
    assert "no locks available" in cache.lock(Examination()).message
    assert list(root.iterdir()) == []


def test_little_space(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=3 << 20))
    found = cache.space(Examination())
    assert found.severity == "warn" and "room for 3 MiB" in found.message and found.evidence["free_bytes"] == 3 << 20


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="this system counts no files")
def test_no_more_files(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=3 << 30))
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_favail=0, f_files=100))
    assert "not one more file" in cache.space(Examination()).message


MOUNTS = r"""
22 27 0:21 / / rw,relatime - ext4 /dev/vda rw
30 22 0:30 / /home rw,relatime shared:1 - nfs4 server:/home rw
31 30 0:31 / /home/ann/my\040disk rw - xfs /dev/vdb rw
32 22 0:32 / /data rw - ext4 /dev/vdc rw
33 22 0:33 / /data rw - fuse.sshfs host: rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/cache", "ext4"),
        ("/home", "nfs4"),
        ("/home/ann", "nfs4"),
        ("/homes", "ext4"),
        ("/home/ann/my disk/x", "xfs"),
        ("/data/x", "fuse.sshfs"),
    ],
)
def test_mounts(path: str, kind: str) -> None:
    assert cache._kind_in(MOUNTS, path) == kind


def test_network_file_system(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "kind_of_file_system", lambda path: "nfs4")
    found = cache.file_system(Examination())
    assert found.severity == "warn" and "(nfs4)" in found.message and found.fix is not None
    monkeypatch.setattr(cache, "kind_of_file_system", lambda path: None)
    assert cache.file_system(Examination()).severity == "ok"


def test_cache_off(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_CACHE_SIZE", "0")
    examination = Examination()
    assert [check(examination).severity for check in CHECKS] == ["info"] * 4


def test_malformed_setting(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OXIDEPY_CACHE_SIZE", "lots")
    examination = Examination()
    assert [check(examination).blocked_by for check in CHECKS] == ["OXD010"] * 4


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oxidepy.cache, "default_cache", lambda: SimpleNamespace(root=None, max_bytes=1))
    found = cache.folder(Examination())
    assert found.severity == "warn" and "no home folder" in found.message
