"""From the record that a failed check leaves to the exception that says where."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from oxidepy.backend import panic as layout
from oxidepy.backend.artefact import PanicSite
from oxidepy.diagnostics import DevicePanic, Diagnostic

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Fault:
    """What a record holds. `index` and `length` belong to it only where the site says so."""

    site: int
    block: Triple
    thread: Triple
    index: int
    length: int

    @property
    def order(self) -> tuple[int, ...]:
        """Sorts by block, then thread, x running fastest."""
        return (*reversed(self.block), *reversed(self.thread))


class Record:
    """A record in memory of this process that a device writes. `device` is its address there."""

    __slots__ = ("_claim", "_ready", "address", "device")

    def __init__(self, address: int, device: int) -> None:
        self.address = address
        self.device = device
        self._claim = ctypes.c_uint32.from_address(address + layout.CLAIM)
        self._ready = ctypes.c_uint32.from_address(address + layout.READY)

    @property
    def ready(self) -> bool:
        return self._ready.value != 0

    def take(self) -> Fault | None:
        """What was written, leaving the record free for the next fault. Only where no thread that could write it runs any more."""
        if not self._ready.value:
            self._claim.value = 0  # a thread that was ended between claim and record (a lost device) leaves nothing to report
            return None
        fault = read(self.address)
        ctypes.memset(self.address, 0, layout.SIZE)
        return fault


def read(address: int) -> Fault:
    """The fault of a record that is ready."""

    def number(offset: int, type: type[ctypes.c_uint32] | type[ctypes.c_int64] = ctypes.c_uint32) -> int:
        return type.from_address(address + offset).value

    def triple(offset: int) -> Triple:
        return number(offset), number(offset + 4), number(offset + 8)

    return Fault(
        number(layout.SITE),
        triple(layout.BLOCK),
        triple(layout.THREAD),
        number(layout.INDEX, ctypes.c_int64),
        number(layout.LENGTH, ctypes.c_int64),
    )


def device_panic(kernel: str, site: PanicSite, fault: Fault, others: int = 0) -> DevicePanic:
    """The exception. `others` is how many further kernels failed on the stream before anybody looked."""
    message = f"{site.message}: index {fault.index}, length {fault.length}" if site.indexed else site.message
    notes = [f"kernel `{kernel}`, block {fault.block}, thread {fault.thread}"]
    if others:
        notes.append(f"{others} more launch{'es' if others > 1 else ''} on this stream failed too")
    return DevicePanic(
        Diagnostic(site.code, message, site.span, notes=tuple(notes)),
        kernel=kernel,
        block=fault.block,
        thread=fault.thread,
        index=fault.index if site.indexed else None,
        length=fault.length if site.indexed else None,
    )
