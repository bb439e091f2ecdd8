"""The small interface behind which the devices sit: memory ordered on streams, events, loaded functions, launches."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from oxidepy.backend.artefact import AbiParam, PanicSite
from oxidepy.lang.definition import Contract
from oxidepy.runtime import alignment
from oxidepy.runtime.config import LaunchConfig
from oxidepy.runtime.packing import Layout
from oxidepy.runtime.refusal import device_error

if TYPE_CHECKING:
    from oxidepy.backend.targets import Target
    from oxidepy.ir.core import Module, Require
    from oxidepy.ir.images import Image
    from oxidepy.lang.definition import KernelDef, Specialisation
    from oxidepy.runtime.messages import Messages
    from oxidepy.runtime.stream import Stream
    from oxidepy.runtime.tma import HostMap
    from oxidepy.settings.options import CodegenOptions

DeviceKind = Literal["cuda", "cpu", "interp"]
Values = Sequence[Any]  # one Python number for each AbiParam, in order: addresses, lengths, scalars
Launcher = Callable[["Stream", Values], None]


@dataclass(frozen=True)
class Limits:
    """What a device allows. Sizes in bytes, the rest counts."""

    max_grid: tuple[int, int, int]
    max_block: tuple[int, int, int]
    max_threads_per_block: int
    max_shared_memory_per_block: int
    max_shared_memory_optin: int
    max_registers_per_block: int
    max_threads_per_multiprocessor: int
    multiprocessors: int
    warp_size: int
    total_memory: int


@dataclass(frozen=True)
class Attributes:
    """What is known of compiled code. `registers` a thread (None where the device has none to speak of), `spills`, `shared` and `local`
    in bytes
    (`local` a thread), `occupancy`: the part of a multiprocessor's threads that can be resident, from 0 to 1."""

    registers: int | None
    spills: int | None
    shared: int
    local: int
    occupancy: float


@dataclass(eq=False)
class Loaded:
    """A kernel on a device. `params` in the order of `Values`; `handle` is the driver's own. `cooperative`: all blocks run at once."""

    kernel: str
    params: tuple[AbiParam, ...]
    sites: tuple[PanicSite, ...]
    panics: bool
    module: Module
    handle: Any
    cached: bool = False
    milliseconds: float = 0.0
    quick: Any = None  # the quick way of a launch (`runtime.fast`), once one has been made
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    contract: Contract = field(default_factory=Contract)
    cooperative: bool = False
    relations: tuple[Require, ...] = ()  # of launch values, which must hold where this code is launched
    messages: int = -1  # under which the runtime knows what the kernel tells, if it does (`runtime.messages`)
    layout: Layout | None = None  # of its values, where a parameter is more than a number
    copied: dict[str, int] = field(default_factory=dict[str, int])  # parameter → bytes of which its address is a multiple

    def __post_init__(self) -> None:
        self.copied = alignment.copied(self.module)
        if self.module.kernel.messages:
            from oxidepy.runtime.messages import register

            self.messages = register(self.module.kernel.messages)


class Driver(ABC):
    """One device. Handles of streams and events are the driver's own; sizes are bytes; addresses are plain ints.

    `lost` is None, or the sentence that says why nothing can be done with this device any more.
    """

    kind: DeviceKind
    name: str
    description: str
    limits: Limits
    compute_capability: tuple[int, int] | None = None
    lost: str | None = None

    def __init__(self) -> None:
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()

    def adopt(self, stream: Stream) -> None:
        self._streams.add(stream)

    def check(self) -> None:
        """DeviceError OX6004 if the device is lost."""
        if self.lost is not None:
            raise device_error("OX6004", self.lost)

    def track(self, owner: Any, close: Callable[..., None], *args: Any) -> None:
        """Call `close(*args)` when `owner` is collected, unless the device has been closed before."""
        # not at the interpreter's exit: `close` has given everything back by then, in order
        weakref.finalize(owner, _unless_lost, self, close, *args).atexit = False

    # ---- code

    @abstractmethod
    def target(self) -> Target | None:
        """What kernels are compiled for; None: their IR is run."""

    @abstractmethod
    def load(
        self, definition: KernelDef, specialisation: Specialisation, options: CodegenOptions, *, usual: bool = True
    ) -> tuple[Loaded, tuple[Any, ...]]:
        """Compile a kernel and make it ready. Gives it with the compiler's warnings. CompileError, DeviceError.

        `usual`: the code for launches of the usual kind, in which `Loaded.relations` hold and memory is aligned; else for any launch.
        """

    def tensor_map(self, map: HostMap) -> tuple[Any, Any]:
        """What a launch takes for a tensor map, and what keeps that alive."""
        help = "run it on a GPU of compute capability 9.0 or later, or on `interp`"
        raise device_error("OX6001", f"{self.name} has no tensor maps", help=help)

    def load_module(self, image: Image) -> Any:
        """The driver's own object for code of another compiler."""
        help = "run it on a GPU; in kernels a function of such a file may have a body that stands for it elsewhere (`extern`)"
        raise device_error("OX6001", f"{self.name} runs no code for GPUs: `{image.name}` needs a CUDA device", help=help)

    @abstractmethod
    def launcher(self, loaded: Loaded, config: LaunchConfig) -> Launcher:
        """A function that launches on a stream; everything that does not depend on arguments is settled here."""

    @abstractmethod
    def attributes(self, loaded: Loaded, config: LaunchConfig) -> Attributes: ...

    # ---- streams and events

    @abstractmethod
    def new_stream(self) -> Any: ...

    def adopt_stream(self, handle: int) -> Any:
        """The driver's handle of a CUDA stream that another library owns."""
        raise device_error("OX2006", f"{self.name} has no CUDA streams")

    @abstractmethod
    def close_stream(self, handle: Any, records: dict[Any, Any], told: list[Messages]) -> None:
        """The stream's object has been collected; work that is under way goes on. What it tells is printed. Raises nothing."""

    def gather(self, stream: Stream) -> None:
        """Wait for what the stream does, and empty its buffer of messages, which are kept until they are told."""
        with stream.told[0].lock:  # a launch holds it too, so that none comes in between
            self.wait(stream)
            stream.told[0].gather()

    @abstractmethod
    def tell(self, stream: Stream) -> None:
        """Print what kernels on the stream told. Where another thread of the host has launched again in the meantime, its own wait does."""

    @abstractmethod
    def message_memory(self, nbytes: int) -> tuple[int, int, Any]:
        """Zeroed memory of this process that kernels write: its address here, its address there, and what keeps it."""

    @abstractmethod
    def wait(self, stream: Stream) -> None:
        """Return when the stream's work is done; Ctrl-C and OXIDEPY_TIMEOUT end the wait (DeviceError OX6005)."""

    @abstractmethod
    def order(self, later: Stream, earlier: Stream) -> None:
        """What is put into `later` from now on runs after what is in `earlier`."""

    @abstractmethod
    def order_event(self, later: Stream, handle: Any) -> None:
        """What is put into `later` from now on runs after the event."""

    @abstractmethod
    def record_event(self, stream: Stream) -> Any: ...

    @abstractmethod
    def elapsed_ms(self, since: Any, until: Any) -> float: ...

    @abstractmethod
    def wait_event(self, handle: Any, stream: Stream) -> None: ...

    @abstractmethod
    def close_event(self, handle: Any) -> None: ...

    # ---- memory, ordered on a stream

    @abstractmethod
    def allocate(self, stream: Stream, nbytes: int) -> int: ...

    @abstractmethod
    def release(self, stream: Stream, address: int) -> None:
        """Give memory back once what is in the stream is done. Also called while objects are collected: it raises nothing."""

    @abstractmethod
    def retire(self, stream: Stream, owner: Any) -> None:
        """Keep a foreign object until what is in the stream is done. Raises nothing."""

    @abstractmethod
    def upload(self, stream: Stream, address: int, host: int, nbytes: int) -> None:
        """Host to device; the host memory may be used again when this returns."""

    @abstractmethod
    def download(self, stream: Stream, host: int, address: int, nbytes: int) -> None:
        """Device to host, complete when this returns."""

    @abstractmethod
    def copy(self, stream: Stream, to: int, source: int, nbytes: int) -> None: ...

    @abstractmethod
    def fill(self, stream: Stream, address: int, pattern: bytes, count: int) -> None:
        """`count` times the bytes of `pattern`."""

    # ---- faults, end

    def streams(self) -> list[Stream]:
        """Those that are alive."""
        return list(self._streams)

    def after_fork(self) -> None:
        """Called in the child of a fork, before anything else. A device without threads and handles lives on."""
        self._streams = weakref.WeakSet(self._streams)

    @abstractmethod
    def faults(self, stream: Stream) -> None:
        """Raise the DevicePanic that a launch on this stream has left, once; it waits for nothing unless there is one."""

    @abstractmethod
    def close(self) -> None:
        """Give back everything, in order. Afterwards `lost` is set."""


def _unless_lost(driver: Driver, close: Callable[..., None], *args: Any) -> None:
    if driver.lost is None:
        close(*args)
