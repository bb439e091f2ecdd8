"""One visit to the doctor: what is asked of this machine, and the child processes that the checks share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from oxidepy.doctor.child import Child
from oxidepy.doctor.model import Capability

T = TypeVar("T")

# nothing that a probe compiles is kept, by us, Python or the driver: the doctor leaves no trace, and a cached answer proves little
NO_TRACE = {"OXIDEPY_CACHE_SIZE": "0", "CUDA_CACHE_DISABLE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
# probe → its stages in their order, with the seconds each may take; a machine of eight cards without persistence needs 15 s for "init"
PROBES: dict[str, dict[str, float]] = {
    "numbers": {"numpy": 20},
    "imports": {"import": 20},
    "llvm": {"version": 20, "arches": 30},
    "kernels": {"import": 20, "ptx": 20, "cpu": 20},
    "driver": {"library": 20, "version": 15, "init": 20, "devices": 10, "isa": 20, "launch": 60},
}


class Examination:
    """`require`: capabilities that must be there. `place`: where the project is looked for, None: the working directory."""

    def __init__(
        self, require: Iterable[Capability] = (), place: Path | None = None, probes: Mapping[str, Mapping[str, float]] = PROBES
    ) -> None:
        self.require = frozenset(require)
        self.place = place
        # settings have checks of their own: a malformed one is not to be the finding of every probe as well
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("OXIDEPY_")}
        self._children = {name: Child(name, stages, {**inherited, **NO_TRACE}) for name, stages in probes.items()}
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._shared: dict[str, Any] = {}

    def child(self, probe: str) -> Child:
        return self._children[probe]

    def shared(self, name: str, make: Callable[[], T]) -> T:
        """What several checks need and is made once."""
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._shared:
                self._shared[name] = make()
            return cast("T", self._shared[name])

    def close(self) -> None:
        """End every child that still runs."""
        for child in self._children.values():
            child.stop()
