"""The cache's folder: whether it can be written, what its file system is, whether renames and locks hold there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oxidepy.doctor.examination import Examination
from oxidepy.doctor.model import Finding
from oxidepy.settings.errors import SettingsError

LITTLE_SPACE = 100 << 20
# file systems that other machines serve: slow, and not all of them keep the promises of locks and renames
NETWORK = frozenset(
    (
        "nfs nfs4 cifs smb3 smbfs afpfs webdav davfs drvfs "
        "lustre gpfs beegfs ceph afs panfs glusterfs orangefs fuse.sshfs fuse.glusterfs fuse.s3fs"
    ).split()
)
SETTINGS = "OXD010"  # the check of the settings that say where the cache is


@dataclass
class Folder:
    """The cache's folder and what was found in it. `root` None: there is none; `off`: the settings switch the cache off."""

    root: Path | None = None
    off: bool = False
    fault: str | None = None  # of the settings
    made: bool = False  # it was not there and was made for the probe
    write_error: str | None = None
    rename_error: str | None = None
    lock_error: str | None = None


def folder(examination: Examination) -> Finding:
    found = _probed(examination)
    if (other := _without(found)) is not None:
        return other
    evidence: dict[str, Any] = {"folder": str(found.root), "exists": not found.made}
    if found.write_error is not None:
        evidence["error"] = found.write_error
        message = f"the cache's folder {found.root} cannot be written ({found.write_error}): kernels are compiled anew in each process"
        return Finding("warn", message, evidence, _elsewhere())
    if found.rename_error is not None:
        evidence["error"] = found.rename_error
        message = f"a file in {found.root} cannot be replaced in one step ({found.rename_error}): kernels are not kept"
        return Finding("warn", message, evidence, _elsewhere())
    return Finding("ok", f"{found.root} can be written, and files in it are replaced in one step", evidence)


def lock(examination: Examination) -> Finding:
    found = _probed(examination)
    if (other := _without(found)) is not None:
        return other
    evidence: dict[str, Any] = {"folder": str(found.root)}
    if found.write_error is not None:
        return Finding("info", "not examined: the cache's folder cannot be written", evidence, blocked_by="OXD020")
    if found.lock_error is not None:
        evidence["error"] = found.lock_error
        return Finding("warn", f"files in {found.root} cannot be locked: {found.lock_error}", evidence, _elsewhere())
    return Finding("ok", f"a lock on a file in {found.root} keeps others out", evidence)


def space(examination: Examination) -> Finding:
    found = _where(examination)
    if (other := _without(found)) is not None:
        return other
    assert found.root is not None
    place = _nearest(found.root)
    free = shutil.disk_usage(place).free
    evidence: dict[str, Any] = {"folder": str(found.root), "free_bytes": free}
    if hasattr(os, "statvfs"):
        state = os.statvfs(place)
        evidence["free_files"] = state.f_favail if state.f_files else None  # some file systems count no files
    amount = f"{free / (1 << 30):.1f} GiB" if free >= 1 << 30 else f"{free / (1 << 20):.0f} MiB"
    if free < LITTLE_SPACE or evidence.get("free_files") == 0:
        short = amount if free < LITTLE_SPACE else "not one more file"
        return Finding("warn", f"the disk of {found.root} has room for {short}: kernels may not be kept", evidence, _elsewhere())
    return Finding("ok", f"{amount} free at {found.root}", evidence)


def file_system(examination: Examination) -> Finding:
    found = _where(examination)
    if (other := _without(found)) is not None:
        return other
    assert found.root is not None
    kind = kind_of_file_system(_nearest(found.root))
    evidence = {"folder": str(found.root), "type": kind}
    if kind is None:
        return Finding("ok", f"the type of the file system at {found.root} cannot be told here", evidence)
    if kind in NETWORK:
        message = f"{found.root} lies on a network file system ({kind}): a start from the cache is slower, and locks may not hold"
        return Finding("warn", message, evidence, _elsewhere())
    return Finding("ok", f"{found.root} lies on a local file system ({kind})", evidence)


def kind_of_file_system(path: Path) -> str | None:
    """Its type as the system names it, such as "ext4" or "nfs4"; None where that cannot be told."""
    if sys.platform == "win32":
        import ctypes

        remote = 4
        drive = os.path.splitdrive(os.path.abspath(path))[0] + "\\"
        return "smbfs" if ctypes.windll.kernel32.GetDriveTypeW(drive) == remote else "local"
    try:
        table = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return _kind_in(table, os.path.realpath(path))


def _kind_in(mountinfo: str, path: str) -> str | None:
    """The type of the innermost mount above `path`; a later line of the table hides an earlier one of the same place."""
    best: tuple[int, str] | None = None
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:
            continue
        point = fields[4].encode("latin-1", "replace").decode("unicode_escape")  # a blank is written \040
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and (best is None or len(point) >= best[0]):
            best = (len(point), after.split()[0])
    return best[1] if best else None


def _where(examination: Examination) -> Folder:
    return examination.shared("cache folder", _find)


def _find() -> Folder:
    from oxidepy.cache import default_cache

    try:
        cache = default_cache()
    except SettingsError as error:
        return Folder(fault=error.message)
    return Folder(root=cache.root, off=cache.max_bytes == 0)


def _without(found: Folder) -> Finding | None:
    """What there is to say where there is no folder to look at."""
    if found.fault is not None:
        return Finding("info", f"not examined: {found.fault}", blocked_by=SETTINGS)
    if found.off:
        return Finding("info", "the cache is switched off by its size of 0", {"size": 0})
    if found.root is None:
        return Finding("warn", "there is no home folder for the cache: kernels are compiled anew in each process", {}, _elsewhere())
    return None


def _probed(examination: Examination) -> Folder:
    return examination.shared("cache probe", lambda: _probe(_where(examination)))


def _probe(found: Folder) -> Folder:
    if found.root is None or found.off:
        return found
    try:
        with _present(found):
            _probe_files(found, found.root / f"doctor-{os.getpid()}-{os.urandom(4).hex()}.probe")
    except OSError as error:
        found.write_error = _why(error)
    return found


@contextmanager
def _present(found: Folder) -> Generator[None]:
    """The folder, made where it is missing; what was made is removed again unless somebody uses it by then."""
    assert found.root is not None
    missing = [one for one in (found.root, *found.root.parents) if not one.exists()]
    found.made = bool(missing)
    made: list[Path] = []
    try:
        for one in reversed(missing):
            one.mkdir(mode=0o700)
            made.append(one)
        yield
    finally:
        for one in reversed(made):
            try:
                one.rmdir()
            except OSError:  # not empty any more: another process keeps its kernels there now
                break


def _probe_files(found: Folder, path: Path) -> None:
    other = path.with_suffix(".other")
    try:
        other.write_bytes(b"old")
        path.write_bytes(b"new")
        try:
            os.replace(path, other)
            if other.read_bytes() != b"new" or path.exists():
                found.rename_error = "the renamed file is not the one that was written"
        except OSError as error:
            found.rename_error = _why(error)
        found.lock_error = _try_lock(path)
    finally:
        for one in (path, other):
            one.unlink(missing_ok=True)


def _try_lock(path: Path) -> str | None:
    """None if a second lock is refused while the first is held, else what is wrong."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(path, timeout=1):
            try:
                with FileLock(path, timeout=0):
                    return "two locks on one file are held at once"
            except Timeout:
                return None
    except Timeout:
        return "a lock on a new file is not given"
    except OSError as error:
        return _why(error)


def _nearest(path: Path) -> Path:
    """The folder itself, or the nearest one above that exists."""
    return next((one for one in (path, *path.parents) if one.is_dir()), Path(path.anchor))


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _elsewhere() -> str:
    if os.name == "nt":
        return "set OXIDEPY_CACHE_DIR=%LOCALAPPDATA%\\oxidepy"
    return "export OXIDEPY_CACHE_DIR=/var/tmp/oxidepy-$(id -u)"
