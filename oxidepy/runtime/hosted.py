"""What the devices whose memory is this process's share: memory, copies, streams that run at once, clocks."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from oxidepy.diagnostics import DevicePanic
from oxidepy.runtime.driver import Driver, Limits, Loaded
from oxidepy.runtime.refusal import device_error
from oxidepy.runtime.settled import time_limit, timed_out

if TYPE_CHECKING:
    from oxidepy.runtime.config import LaunchConfig
    from oxidepy.runtime.messages import Messages
    from oxidepy.runtime.shared import Shared
    from oxidepy.runtime.stream import Stream

ALIGNMENT = 64

# The same as a GPU's, so that a program that runs here asks nothing that it could not ask there.
MAX_GRID = ((1 << 31) - 1, 65535, 65535)
MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
SHARED_MEMORY = 48 << 10
SHARED_MEMORY_OPTIN = 227 << 10  # as much as the GPUs with the most: what fits there runs here


def host_limits() -> Limits:
    """The stated limits of a device that is this machine's CPU."""
    return Limits(MAX_GRID, MAX_BLOCK, MAX_THREADS, SHARED_MEMORY, SHARED_MEMORY_OPTIN, 65536, 2048, cpu_count(), 32, _memory())


def cpu_count() -> int:
    """The processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return 0


@dataclass
class Queue:
    """The handle of a stream. Work runs when it is put in; `running` is what a broken-off wait has left behind."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    panic: DevicePanic | None = None
    running: Background | None = None
    kept: list[Any] = field(default_factory=list[Any])  # memory that the running work may still touch


class Background:
    """Work of a stream in other threads, with the event that tells of its end."""

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.done = threading.Event()
        self.error: BaseException | None = None
        self.panic: DevicePanic | None = None


class HostedDriver(Driver):
    """Base of `cpu` and `interp`."""

    def __init__(self) -> None:
        super().__init__()
        self.limits = host_limits()
        self._memory: dict[int, Any] = {}  # address → what owns it

    # ---- code

    def shared(self, loaded: Loaded, config: LaunchConfig) -> Shared:
        """The shared memory of a variant. A program that runs here asks no more than it could ask of a GPU."""
        from oxidepy.backend.shared_size import shared_memory
        from oxidepy.runtime.shared import Shared

        return Shared(self, loaded, config, *shared_memory(loaded.module.kernel))

    # ---- streams and events

    def new_stream(self) -> Queue:
        return Queue()

    def close_stream(self, handle: Queue, records: dict[Any, Any], told: list[Messages]) -> None:
        if told and handle.running is None:
            told[0].flush()
        if handle.panic is not None:
            unseen(handle.panic)

    def gather(self, stream: Stream) -> None:
        with stream.handle.lock:  # which a launch holds until it is through
            self.wait(stream)
            stream.told[0].gather()

    def tell(self, stream: Stream) -> None:
        with stream.handle.lock:
            stream.told[0].flush()

    def message_memory(self, nbytes: int) -> tuple[int, int, Any]:
        memory = (ctypes.c_uint64 * -(-nbytes // 8))()
        return ctypes.addressof(memory), ctypes.addressof(memory), memory

    def wait(self, stream: Stream) -> None:
        self.check()
        queue: Queue = stream.handle
        if queue.running is not None:
            self.finish(stream, queue.running)
        with queue.lock:
            pass

    def order(self, later: Stream, earlier: Stream) -> None:
        if later is not earlier:
            self.wait(earlier)

    def order_event(self, later: Stream, handle: int) -> None:
        """Events of these devices have happened when they are made."""

    def record_event(self, stream: Stream) -> int:
        self.wait(stream)
        return time.perf_counter_ns()

    def elapsed_ms(self, since: int, until: int) -> float:
        return (until - since) / 1e6

    def wait_event(self, handle: int, stream: Stream) -> None:
        self.check()

    def close_event(self, handle: int) -> None:
        """A time is nothing that could be given back."""

    def finish(self, stream: Stream, work: Background) -> None:
        """Wait for work in other threads; Ctrl-C leaves it running, and so does the time limit."""
        queue: Queue = stream.handle
        queue.running = work
        stream.abandoned = True
        limit = time_limit()
        until = time.monotonic() + limit if limit else None
        while not work.done.wait(0.1 if until is None else max(min(0.1, until - time.monotonic()), 0.001)):
            if limit is not None and until is not None and time.monotonic() >= until:
                raise timed_out(work.kernel, limit)
        stream.abandoned = False
        queue.running = None
        queue.kept.clear()
        if work.panic is not None:
            queue.panic = work.panic
        if work.error is not None:
            raise work.error

    # ---- memory

    def allocate(self, stream: Stream, nbytes: int) -> int:
        import numpy

        self.check()
        try:
            block = numpy.empty(nbytes + ALIGNMENT, numpy.uint8)
        except MemoryError:
            raise device_error(
                "OX6004", f"{self.name} has no {nbytes} bytes of memory left", help="free buffers that are not needed any more"
            ) from None
        address = -(-block.ctypes.data // ALIGNMENT) * ALIGNMENT
        self._memory[address] = block
        return address

    def release(self, stream: Stream, address: int) -> None:
        block = self._memory.pop(address, None)
        if stream.handle.running is not None:
            stream.handle.kept.append(block)

    def retire(self, stream: Stream, owner: Any) -> None:
        if stream.handle.running is not None:
            stream.handle.kept.append(owner)

    def upload(self, stream: Stream, address: int, host: int, nbytes: int) -> None:
        self._move(stream, address, host, nbytes)

    def download(self, stream: Stream, host: int, address: int, nbytes: int) -> None:
        self._move(stream, host, address, nbytes)

    def copy(self, stream: Stream, to: int, source: int, nbytes: int) -> None:
        self._move(stream, to, source, nbytes)

    def _move(self, stream: Stream, to: int, source: int, nbytes: int) -> None:
        self.wait(stream)
        ctypes.memmove(to, source, nbytes)

    def fill(self, stream: Stream, address: int, pattern: bytes, count: int) -> None:
        import numpy

        self.wait(stream)
        if len(set(pattern)) == 1:
            ctypes.memset(address, pattern[0], len(pattern) * count)
            return
        whole = bytes_at(address, len(pattern) * count)
        whole.reshape(count, len(pattern))[:] = numpy.frombuffer(pattern, numpy.uint8)

    # ---- faults, end

    def faults(self, stream: Stream) -> None:
        panic = stream.handle.panic
        if panic is not None:
            stream.handle.panic = None
            raise stream.told[0].completed(panic) if stream.told else panic

    def close(self) -> None:
        self.lost = f"{self.name} has been closed: the interpreter is about to exit"
        self._memory.clear()


def run_aside(work: Background, body: Callable[[], None]) -> None:
    """Run `body` in a thread of its own, as `work`."""

    def run() -> None:
        try:
            body()
        except BaseException as error:  # handed to whoever waits for the work
            work.error = error
        finally:
            work.done.set()

    threading.Thread(target=run, name="oxidepy launch", daemon=True).start()


def bytes_at(address: int, nbytes: int) -> Any:
    """A NumPy array of bytes over memory of this process."""
    import numpy

    if nbytes == 0:
        return numpy.empty(0, numpy.uint8)
    memory: Any = (ctypes.c_uint8 * nbytes).from_address(address)
    return numpy.frombuffer(memory, numpy.uint8)


def unseen(panic: DevicePanic) -> None:
    """A failure of a launch for which nobody can ask any more."""
    print(f"{panic}\nnote: the stream of this launch was given up without having been synchronised", file=sys.stderr)
