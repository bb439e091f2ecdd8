"""The cache of this user: where OXIDEPY_CACHE_DIR says or in the system's folder for caches, as large as the settings allow."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

from oxidepy.cache.store import Cache
from oxidepy.settings.active import active_settings

_lock = threading.Lock()
_caches: dict[tuple[Path | None, int], Cache] = {}
_told: set[str] = set()


def default_cache() -> Cache:
    """The cache that all commands and launches of this process share. SettingsError OX8001 or OX8002 on a malformed setting."""
    settings = active_settings()
    root = _root(settings.cache_dir)
    if root is None:
        _tell("there is no home folder for the cache: compiled kernels are not kept; OXIDEPY_CACHE_DIR names a place for them")
    with _lock:
        key = (root, settings.cache_size)
        if key not in _caches:
            _caches[key] = Cache(root, settings.cache_size, _tell)
        return _caches[key]


def _root(said: str | None) -> Path | None:
    if said is not None:
        return Path(os.path.abspath(os.path.expanduser(said)))
    from platformdirs import user_cache_dir

    try:
        folder = Path(user_cache_dir("oxidepy", appauthor=False))
    except (OSError, RuntimeError, KeyError):  # no home folder, and no user of whom one could be asked
        return None
    return folder if folder.is_absolute() else None  # "~" stays as it is where there is no home


def _tell(text: str) -> None:
    with _lock:
        if text in _told:
            return
        _told.add(text)
    if active_settings().log not in ("off", "error"):
        print(f"note: {text}", file=sys.stderr)
