"""Object code → callable addresses in this process. Code lives as long as its handle; unloaded, its memory is given back."""

from __future__ import annotations

import atexit
from typing import Any

from oxidepy.backend.llvm import engine

_PER_JIT = 64


class _Jit:
    """One JIT for some objects: LLVM keeps something of every library that it ever linked, so after a number of them it is closed.

    By JITLink, which puts all parts of an object beside each other: the older linker takes memory for each, and ends the process where the
    tables of a kernel come to lie more than 2 GB from its code, as they do in processes with much mapped.
    """

    def __init__(self) -> None:
        self.engine: Any = engine.binding().create_lljit_compiler(use_jit_link=True, suppress_errors=True)
        self.linked = 0
        self.live = 0

    def link(self, code: bytes, entry: str) -> Any:
        """The tracker that keeps the code; `tracker[entry]` is its address."""
        builder = engine.binding().JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(entry)
        tracker = builder.link(self.engine, f"oxidepy.{self.linked}")  # a name is never used twice
        self.linked += 1
        self.live += 1
        return tracker

    @property
    def full(self) -> bool:
        return self.linked >= _PER_JIT

    def dropped(self) -> None:
        """One of its libraries is gone."""
        self.live -= 1
        if not self.live and self.full:
            self.engine.close()


class LoadedCode:
    """One loaded object. `address` is that of the entry; it is valid until `unload`, or until the process ends."""

    def __init__(self, jit: _Jit, tracker: Any, address: int) -> None:
        self._jit = jit
        self._tracker = tracker
        self.address = address

    def unload(self) -> None:
        """Give the memory back. Nobody may be running the code."""
        with engine.LOCK:
            tracker, self._tracker = self._tracker, None
            self.address = 0
            _live.discard(self)
            if tracker is not None and not _state.get("closed"):
                tracker.close()
                self._jit.dropped()

    def keep(self) -> None:
        """Leave the code where it is when the interpreter goes away."""
        if self._tracker is not None:
            self._tracker.detach()


_state: dict[str, Any] = {}  # "jit": the one that takes the next object; "closed": the process is ending
_live: set[LoadedCode] = set()


def load(code: bytes, entry: str) -> LoadedCode:
    """Link an object file into this process and give its entry."""
    with engine.LOCK:
        jit = _jit()
        tracker = jit.link(code, entry)
        found = LoadedCode(jit, tracker, int(tracker[entry]))
        _live.add(found)
        return found


def _jit() -> _Jit:
    found: _Jit | None = _state.get("jit")
    if found is None:
        atexit.register(_leave)
    if found is None or found.full:
        found = _state["jit"] = _Jit()
    return found


def _leave() -> None:
    """At exit: leave the loaded code where it is. Workers may be in it, and the operating system takes it all at once."""
    with engine.LOCK:
        _state["closed"] = True
        for one in _live:
            one.keep()
        for jit in {one._jit for one in _live} | {_state["jit"]}:
            jit.engine.detach()
