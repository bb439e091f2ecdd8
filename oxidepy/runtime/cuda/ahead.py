"""What a first launch needs, made ready by threads: the imports while the CUDA driver starts, which takes longer than all of them and needs
no Python, and the driver's compiler while LLVM compiles."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from oxidepy.settings.config import TOML

if TYPE_CHECKING:
    from oxidepy.runtime.cuda.driver import CudaDriver

_NEEDED = ("oxidepy.compiler.driver", "oxidepy.cache", "oxidepy.runtime.cuda.link", "oxidepy.backend.nvptx", TOML)
_threads: dict[str, threading.Thread] = {}


def start() -> None:
    """Begin to import."""
    begin("imports", _import)


def compiler(driver: CudaDriver) -> None:
    """Begin to start the driver's own compiler, which will be asked once LLVM is done."""

    def work() -> None:
        from oxidepy.runtime.cuda import link

        with driver.current():
            link.prepare()

    begin("compiler", work)


def begin(name: str, work: Callable[[], None]) -> None:
    """Do some work, once in a process. Not by a daemon: the interpreter ends the thread in order."""
    if name not in _threads:
        thread = threading.Thread(target=work, name=f"oxidepy {name}")
        with suppress(RuntimeError):  # at the end of the process there are no more threads: who needs the work does it
            thread.start()
            _threads[name] = thread


def join() -> None:
    """Wait until all that was begun is done."""
    for thread in list(_threads.values()):
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
