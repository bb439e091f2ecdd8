"""Streams and events: queues of work of one device, in order within each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oxidepy.lang.calls import methods
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.driver import Driver
    from oxidepy.runtime.messages import Messages


@methods(
    "stream", "synchronize", "record", "wait", made="__init__", help="`Context().default_stream()` is one, `Context().new_stream()` another"
)
class Stream:
    """A queue of copies and launches of one context; what is put in runs in order. Made by `Context.new_stream()`.

    `handle` is the driver's own (an int-like CUstream on CUDA). A stream that is collected is closed once its work is done.
    """

    __slots__ = ("__weakref__", "abandoned", "context", "driver", "foreign", "handle", "last_kernel", "records", "told")

    def __init__(self, context: Context, handle: Any, *, foreign: Any = None) -> None:
        self.context = context
        self.driver: Driver = context.driver
        self.handle = handle
        self.foreign = foreign  # the object of another library whose stream this is; it owns the handle
        self.last_kernel: str | None = None
        self.abandoned = False  # a wait for it was broken off, so work may still run
        self.records: dict[Any, Any] = {}  # the driver's panic records by loaded kernel
        self.told: list[Messages] = []  # the buffer of what kernels print, once one does
        self.driver.adopt(self)
        if foreign is None:
            self.driver.track(self, self.driver.close_stream, handle, self.records, self.told)

    def synchronize(self) -> None:
        """Wait until everything put in so far is done. Raises the DevicePanic of a launch that failed, DeviceError OX6005 after
        OXIDEPY_TIMEOUT seconds. What kernels have printed comes now."""
        try:
            self.driver.wait(self)
            self.driver.faults(self)
        finally:
            if self.told and not self.abandoned:  # of a device that was lost, too: what was printed before tells why
                self.driver.tell(self)

    @property
    def messages(self) -> Messages:
        """Where kernels on this stream write what they print."""
        if not self.told:
            from oxidepy.runtime.messages import Messages

            self.told.append(Messages(self.driver))
        elif self.told[0].crowded:  # wait rather than lose what the next launch tells
            self.driver.gather(self)
        return self.told[0]

    def record(self) -> Event:
        """An event that happens when everything put in so far is done."""
        return Event(self)

    def wait(self, event: Event) -> None:
        """What is put in from now on runs after `event`."""
        _event("wait", event)
        if event.stream.context is not self.context:
            event.synchronize()  # devices of different kinds have no order but the host's
        else:
            self.driver.order_event(self, event.handle)

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol of cuda.core: other libraries take this stream as it is."""
        if self.context.kind != "cuda":
            raise launch_error(
                "OX2006", f"a stream of {self.context.name} is no CUDA stream", help='make it with `Context("cuda:0").new_stream()`'
            )
        return 0, int(self.handle)

    def __repr__(self) -> str:
        return f"<Stream of {self.context.name}>"


@methods("event", "synchronize", "elapsed_ms", made="__init__", help="`stream.record()` makes one")
class Event:
    """A point in a stream. Made by `Stream.record()`."""

    __slots__ = ("__weakref__", "handle", "stream")

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.handle = stream.driver.record_event(stream)
        stream.driver.track(self, stream.driver.close_event, self.handle)

    def synchronize(self) -> None:
        """Wait until the event has happened. DeviceError OX6005 after OXIDEPY_TIMEOUT seconds."""
        self.stream.driver.wait_event(self.handle, self.stream)

    def elapsed_ms(self, since: Event) -> float:
        """Milliseconds from `since` to this event, by the device's clock; waits for both. Both belong to one context (OX2006)."""
        _event("elapsed_ms", since)
        if since.stream.context is not self.stream.context:
            raise launch_error("OX2006", f"events of {since.stream.context.name} and {self.stream.context.name} have no common clock")
        since.synchronize()
        self.synchronize()
        return self.stream.driver.elapsed_ms(since.handle, self.handle)


def _event(what: str, value: object) -> None:
    if not isinstance(value, Event):
        help = "`stream.record()` makes one" + (": `stream.wait(other.record())`" if isinstance(value, Stream) else "")
        raise launch_error("OX2007", f"`{what}` takes an Event, not {type(value).__name__}", help=help)


_foreign: dict[tuple[Context, int], Stream] = {}  # one Stream of ours for each foreign one, so that its panic records stay with it


def as_stream(stream: Any, context: Context | None = None) -> Stream:
    """A Stream of ours for one of torch, CuPy, cuda.core (`__cuda_stream__`, `.cuda_stream`, `.ptr`). LaunchError OX2007 for anything else.

    `context` is the one that the stream must belong to; OX2006 if it does not.
    """
    if isinstance(stream, Stream):
        if context is not None and stream.context is not context:
            raise launch_error(
                "OX2006",
                f"the stream belongs to {stream.context.name}, the launch to {context.name}",
                help="prepare the kernel for the stream's context: `kernel.prepare(stream.context, …)`",
            )
        return stream
    handle = _handle(stream)
    if handle is None:
        got = (
            "there is none" if stream is None else f"{'a Context' if type(stream).__name__ == 'Context' else type(stream).__name__} is none"
        )
        raise launch_error("OX2007", f"the stream comes first, and {got}", help="hand over `ctx.default_stream()` before the arguments")
    if context is None:
        from oxidepy.runtime.context import Context

        context = Context(f"cuda:{_device(stream)}")
    if context.kind != "cuda":
        raise launch_error("OX2006", f"a CUDA stream, and the launch belongs to {context.name}", help="use `ctx.default_stream()`")
    found = _foreign.get((context, handle))
    if found is None:
        found = Stream(context, context.driver.adopt_stream(handle), foreign=stream)
        _foreign[(context, handle)] = found
    return found


def _handle(stream: Any) -> int | None:
    protocol: Any = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        pair: Any = protocol() if callable(protocol) else protocol
        return int(pair[1])
    for name in ("cuda_stream", "ptr"):  # torch, CuPy
        handle = getattr(stream, name, None)
        if isinstance(handle, int) and not hasattr(stream, "__array_interface__"):
            return handle
    return None


def _device(stream: Any) -> int:
    for name in ("device_id", "device_index"):
        number = getattr(stream, name, None)
        if isinstance(number, int) and number >= 0:
            return number
    device = getattr(stream, "device", None)
    for name in ("index", "device_id", "id"):
        number = getattr(device, name, None)
        if isinstance(number, int):
            return number
    return 0
