"""Device memory: who owns it, the stream that used it last, its end in stream order."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from oxidepy.runtime.refusal import device_error, launch_error

if TYPE_CHECKING:
    from oxidepy.runtime.context import Context
    from oxidepy.runtime.stream import Stream

MOST = 1 << 62  # bytes; beyond, what allocates on a device cannot even be asked


class Memory:
    """A piece of device memory, shared by a buffer and the views of it.

    `stream` used it last, or None once it is released. Collected without having been released, it goes back in the order of that stream.
    """

    __slots__ = ("__weakref__", "_end", "_holder", "address", "context", "nbytes", "owner", "stream")

    def __init__(self, context: Context, address: int, nbytes: int, stream: Stream, *, owner: Any = None) -> None:
        self.context = context
        self.address = address
        self.nbytes = nbytes
        self.owner = owner  # the object of another library that owns the memory, or None
        self.stream: Stream | None = stream
        # the finaliser must know the last stream without knowing this object
        self._holder: list[Any] = [stream]
        self._end = weakref.finalize(self, _end, self._holder, address, nbytes, owner)
        self._end.atexit = False

    @staticmethod
    def allocate(stream: Stream, nbytes: int) -> Memory:
        """Memory that may be used on `stream` at once. DeviceError OX6004 when there is not enough."""
        if nbytes >= MOST:
            raise device_error(
                "OX6004", f"{stream.context.name} has no {nbytes} bytes of memory", help="look at the shape: it multiplies up"
            )
        return Memory(stream.context, stream.driver.allocate(stream, nbytes) if nbytes else 0, nbytes, stream)

    def use(self, stream: Stream) -> None:
        """From now on `stream` uses it: what the last stream did with it comes first."""
        last = self.stream
        if last is stream:
            return
        if last is None:
            raise launch_error("OX2007", "the buffer has been released", help="make a new one, or `free` later")
        stream.driver.order(stream, last)
        self.stream = stream
        self._holder[0] = stream

    def release(self, stream: Stream) -> None:
        """Give it back when the work of `stream` is done. LaunchError OX2007 the second time."""
        if self.stream is None:
            raise launch_error("OX2007", "the buffer has been released already", help="free a buffer once; views of it end with it")
        self.use(stream)
        self.stream = self.owner = None
        self._end()


def _end(holder: list[Any], address: int, nbytes: int, owner: Any) -> None:
    stream: Stream | None = holder[0]
    if stream is not None and stream.driver.lost is None:
        _give_back(stream, address, nbytes, owner)


def _give_back(stream: Stream, address: int, nbytes: int, owner: Any) -> None:
    if owner is not None:
        stream.driver.retire(stream, owner)
    elif nbytes:
        stream.driver.release(stream, address)
