"""Contexts: one object per device and process, through which everything of that device is reached."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from oxidepy.lang.calls import coded, methods
from oxidepy.runtime import devices
from oxidepy.runtime.refusal import device_error

if TYPE_CHECKING:
    from oxidepy.runtime.driver import DeviceKind, Driver, Limits
    from oxidepy.runtime.modules import LoadedModule
    from oxidepy.runtime.stream import Stream

_lock = threading.RLock()
_contexts: dict[str, Context] = {}
_forked = False

FORKED = (
    'this process was forked from one that uses CUDA, and CUDA does not survive a fork: start it with multiprocessing\'s method "spawn"'
)


@methods("ctx", "default_stream", "new_stream", "load_module", "synchronize", made="__new__")
class Context:
    """The device `name`: "cuda:0", "cpu", "interp". Without a name: OXIDEPY_DEVICE, else the first CUDA device, else the CPU.

    The same object each time for one device. LaunchError OX6003 if there is no such device.
    """

    name: str
    kind: DeviceKind
    driver: Driver
    _default: Stream | None

    def __new__(cls, name: str | None = None) -> Context:
        full = name if name in _contexts else devices.resolve(name if name is not None else devices.default_device())
        if _forked and full in _contexts and _contexts[full].kind == "cuda":
            raise device_error("OX6004", FORKED)
        with _lock:
            if full not in _contexts:
                self = super().__new__(cls)
                self.name = full
                self.driver = devices.open_driver(full)
                self.kind = self.driver.kind
                self._default = None
                if not _contexts:
                    atexit.register(_close_all)
                _contexts[full] = self
            return _contexts[full]

    @property
    def limits(self) -> Limits:
        """What a launch may ask of this device."""
        return self.driver.limits

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """(major, minor) of a CUDA device; None on the CPU and the interpreter, which have whatever a kernel that compiles for them
        needs."""
        return self.driver.compute_capability

    @property
    def description(self) -> str:
        """The device's own name, such as "NVIDIA H200"."""
        return self.driver.description

    def default_stream(self) -> Stream:
        """The stream of this context that is used where none is named; the same object each time."""
        if self._default is None:
            with _lock:
                if self._default is None:
                    self._default = self.new_stream()
        return self._default

    def new_stream(self) -> Stream:
        """A new stream, unordered with the others but where memory is shared."""
        from oxidepy.runtime.stream import Stream

        self.driver.check()
        return Stream(self, self.driver.new_stream())

    def load_module(self, source: str | os.PathLike[str] | bytes) -> LoadedModule:
        """Code of another compiler: PTX, a cubin or a fatbin, as a file or as bytes. `module.kernel` gives its kernels.

        OX8010 if the file cannot be read, OX6001 if it is no such code, has none for this device, or this is no CUDA device; OX6002 if the
        driver is too old for it, OX6004 if it is damaged. The context stays as it was.
        """
        from oxidepy.runtime.modules import LoadedModule

        return LoadedModule(self, source)

    def synchronize(self) -> None:
        """Wait for all streams of this context, and raise the first failure among them."""
        for stream in self.driver.streams():
            stream.synchronize()

    def __repr__(self) -> str:
        return f'Context("{self.name}")'

    def __reduce__(self) -> tuple[Any, ...]:
        return Context, (self.name,)


@coded()
def current_stream() -> Stream:
    """The default stream of `Context()`."""
    return Context().default_stream()


def _close_all() -> None:
    """At the interpreter's exit: tell of failures that nobody looked for, then give everything back."""
    for context in list(_contexts.values()):
        if context.driver.lost is not None:
            continue
        for stream in context.driver.streams():
            _last_look(stream)
        context.driver.close()


def _last_look(stream: Stream) -> None:
    from oxidepy.diagnostics import OxideError

    try:
        if not stream.abandoned:
            stream.synchronize()
    except KeyboardInterrupt:
        stream.abandoned = True
    except OxideError as error:
        print(f"{error}\nnote: the program ended without having synchronised the stream of this launch", file=sys.stderr)


def _after_fork() -> None:
    global _lock, _forked
    _lock = threading.RLock()
    _forked = True
    for context in _contexts.values():
        context.driver.after_fork()
        for stream in context.driver.streams():
            stream.told.clear()  # the parent prints what was told before


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
