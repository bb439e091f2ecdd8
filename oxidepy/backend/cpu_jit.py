"""Object code → callable addresses in this process. Code lives as long as its handle; unloaded, its memory is given back."""

from __future__ import annotations

import atexit
import itertools
from typing import Any

from oxidepy.backend.llvm import engine

_state: dict[str, Any] = {}
_names = itertools.count()


class LoadedCode:
    """One loaded object. `address` is that of the entry; it is valid until `unload`, or until the process ends."""

    def __init__(self, tracker: Any, address: int) -> None:
        self._tracker = tracker
        self.address = address

    def unload(self) -> None:
        """Give the memory back. Nobody may be running the code."""
        with engine.LOCK:
            tracker, self._tracker = self._tracker, None
            self.address = 0
            _live.pop(id(self), None)
            if tracker is not None and not _state.get("closed"):
                tracker.close()


_live: dict[int, LoadedCode] = {}


def load(code: bytes, entry: str) -> LoadedCode:
    """Link an object file into this process and give its entry."""
    with engine.LOCK:
        llvm = engine.binding()
        jit = _jit()
        builder = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(entry)
        tracker = builder.link(jit, f"oxidepy.{next(_names)}")  # a name is never used twice
        found = LoadedCode(tracker, int(tracker[entry]))
        _live[id(found)] = found
        return found


def load_object(code: bytes, entry: str) -> int:
    """The address of `entry` in freshly loaded `code`, which stays for the life of the process."""
    return load(code, entry).address


def _jit() -> Any:
    if "jit" not in _state:
        llvm = engine.binding()
        # code must outlive everything that may call it at exit: the JIT itself is never torn down, the operating system takes it all at once
        _state["jit"] = llvm.create_lljit_compiler(use_jit_link=False, suppress_errors=True)
        atexit.register(_leave)
    return _state["jit"]


def _leave() -> None:
    """At exit: leave the loaded code where it is. Workers may be in it, and the order in which modules go is not ours."""
    with engine.LOCK:
        _state["closed"] = True
        for one in list(_live.values()):
            if one._tracker is not None:
                one._tracker.detach()
        _state["jit"].detach()
