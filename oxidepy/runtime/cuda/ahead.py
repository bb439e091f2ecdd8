"""While the CUDA driver starts, which takes longer than all our imports and needs no Python, a thread imports what a first launch needs."""

from __future__ import annotations

import os
import threading
from importlib import import_module

_NEEDED = ("oxidepy.compiler.driver", "oxidepy.cache", "oxidepy.runtime.cuda.link", "oxidepy.backend.nvptx")
_threads: list[threading.Thread] = []


def start() -> None:
    """Begin, once in a process. Not a daemon: the interpreter ends it in order."""
    if not _threads:
        thread = threading.Thread(target=_import, name="oxidepy imports")
        _threads.append(thread)
        thread.start()


def join() -> None:
    """Wait until the imports are done."""
    for thread in _threads:
        thread.join()


def _import() -> None:
    for name in _NEEDED:
        try:
            import_module(name)
        except ImportError:
            return  # whoever needs the module imports it again, and there it is an error that is told
    from oxidepy.backend.llvm import engine

    engine.prepare()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=join)  # a child would find modules locked by a thread that it does not have
