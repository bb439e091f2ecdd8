"""PTX to machine code: the driver's linker once, whose result is kept for this device and driver."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oxidepy.runtime.cuda.api import bindings, error_name
from oxidepy.runtime.refusal import device_error

if TYPE_CHECKING:
    from oxidepy.cache import Cache
    from oxidepy.ir.images import Image

Blame = Callable[[str], None]  # given the log of a refusal

_FIRST = b".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry first() { ret; }"
LOG_BYTES = 16 << 10
_REGISTERS = re.compile(r"Used (\d+) registers")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_STACK = re.compile(r"(\d+) bytes stack frame")
INPUTS = {  # kinds of files → what the driver calls them
    "ptx": "CU_JIT_INPUT_PTX",
    "cubin": "CU_JIT_INPUT_CUBIN",
    "fatbin": "CU_JIT_INPUT_FATBINARY",
    "object": "CU_JIT_INPUT_OBJECT",
    "library": "CU_JIT_INPUT_LIBRARY",
}


@dataclass(frozen=True)
class Linked:
    """Machine code for one device. `facts`: registers, spills, stack as far as the linker's log tells. `cached`: no linking was needed."""

    cubin: bytes
    facts: dict[str, int]
    cached: bool


def cubin_key(
    ptx: bytes, device: str, compute_capability: tuple[int, int], driver_version: int, lineinfo: bool, images: Sequence[Image] = ()
) -> str:
    """What the machine code depends on."""
    parts = ["cubin", hashlib.sha256(ptx).hexdigest(), device, repr(compute_capability), str(driver_version), str(lineinfo)]
    parts += [one.digest for one in images]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def link_cached(
    ptx: bytes, key: str, lineinfo: bool, cache: Cache | None, blame: Blame | None = None, images: Sequence[Image] = ()
) -> Linked:
    """The machine code, from the cache where it is there."""
    entry = cache.get(key) if cache is not None else None
    if entry is not None:
        return Linked(entry.payload, {name: int(value) for name, value in entry.meta.get("facts", {}).items()}, True)
    made = link(ptx, lineinfo, blame, images)
    if cache is not None:
        cache.put(key, {"facts": made.facts}, made.cubin)
    return made


def prepare() -> None:
    """Have the driver compile once for the current context, whatever it says: a first time takes longer, for what it loads."""
    cu = bindings()
    status, state = cu.cuLinkCreate(0, [], [])
    if not int(status):
        text = _fresh(_FIRST) + b"\0"
        cu.cuLinkAddData(state, cu.CUjitInputType.CU_JIT_INPUT_PTX, text, len(text), b"first", 0, [], [])
        cu.cuLinkDestroy(state)


def link(ptx: bytes, lineinfo: bool, blame: Blame | None = None, images: Sequence[Image] = ()) -> Linked:
    """Link PTX, with the files of functions from elsewhere, for the current context. DeviceError OX6002 if the driver is older than the
    PTX, OX6001 where a file has no code for this device, OX6004 on any other refusal, with the log, unless `blame` of the log raises a
    better one."""
    if any(one.kind == "ltoir" for one in images):
        from oxidepy.runtime.cuda import lto

        return Linked(lto.link(ptx, lineinfo, blame or (lambda _: None), images), {}, False)
    cu = bindings()
    info, errors = bytearray(LOG_BYTES), bytearray(LOG_BYTES)
    option = cu.CUjit_option
    options = {
        option.CU_JIT_INFO_LOG_BUFFER: info,
        option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: LOG_BYTES,
        option.CU_JIT_ERROR_LOG_BUFFER: errors,
        option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: LOG_BYTES,
        option.CU_JIT_LOG_VERBOSE: 1,
        option.CU_JIT_GENERATE_LINE_INFO: int(lineinfo),
    }
    status, state = cu.cuLinkCreate(len(options), list(options), list(options.values()))
    _expect(status, errors, blame)
    try:
        for number, image in enumerate((None, *images)):
            kind, name, data = ("ptx", "kernel.ptx", ptx) if image is None else (image.kind, f"{number}: {image.name}", image.data)
            if image is None:
                data = _fresh(data)
            text = data + b"\0" if kind == "ptx" else data
            (status,) = cu.cuLinkAddData(state, getattr(cu.CUjitInputType, INPUTS[kind]), text, len(text), name.encode(), 0, [], [])
            if image is None:
                _expect(status, errors, blame)
            else:
                accept(status, image.name, text_of(errors))
        status, address, size = cu.cuLinkComplete(state)
        if images:
            _together(status, images, errors, blame)
        _expect(status, errors, blame)
        import ctypes

        cubin = ctypes.string_at(int(address), int(size))  # the linker owns it and takes it along
        if images and blame is not None:  # a function that is missing may be no error to it
            blame(f"{text_of(info)}\n{text_of(errors)}")
    finally:
        cu.cuLinkDestroy(state)
    return Linked(cubin, read_log(text_of(info)), False)


def read_log(log: str) -> dict[str, int]:
    """Registers a thread, bytes spilled (stores and loads), bytes of stack (of the kernel, and the most of any function), from the
    linker's log."""
    facts: dict[str, int] = {}
    if found := _REGISTERS.search(log):
        facts["registers"] = int(found[1])
    if found := _SPILLS.search(log):
        facts["spills"] = int(found[1]) + int(found[2])
    if stacks := _STACK.findall(log):
        facts["stack"], facts["frame"] = int(stacks[0]), max(map(int, stacks))
    return facts


def _fresh(ptx: bytes) -> bytes:
    """PTX that the driver has never seen: it keeps code by its text, and tells neither registers nor frames of what it kept."""
    return ptx + b"\n// " + os.urandom(8).hex().encode()


def text_of(log: bytearray) -> str:
    return bytes(log).partition(b"\0")[0].decode(errors="replace").strip()


def _expect(status: Any, errors: bytearray, blame: Blame | None) -> None:
    if not int(status):
        return
    name, log = error_name(status), text_of(errors)
    if blame is not None:
        blame(log)
    notes = log.splitlines()[:4]
    if name == "CUDA_ERROR_UNSUPPORTED_PTX_VERSION":
        raise device_error(
            "OX6002",
            "the driver is too old for the PTX of this kernel",
            notes=notes,
            help="install a newer driver; `oxidepy doctor` names it",
        )
    raise device_error(
        "OX6004",
        f"the driver's linker refused the kernel: {name}",
        notes=notes,
        help="this is a fault of oxidepy: report it with the kernel's source",
    )


def _together(status: Any, images: Sequence[Image], errors: bytearray, blame: Blame | None) -> None:
    """What is wrong between the kernel and the files of its functions."""
    if int(status):
        log = text_of(errors)
        if blame is not None:
            blame(log)
        raise device_error(
            "OX6004",
            f"the driver cannot link the kernel with {', '.join(f'`{one.name}`' for one in images)}: {error_name(status)}",
            notes=log.splitlines()[:4],
            help="compile them as code to be linked (`nvcc -rdc=true`), each function once, with the types that `extern` says",
        )


def accept(status: Any, name: str, log: str) -> None:
    """DeviceError where the driver does not take a file of code from elsewhere: OX6001 if it is for another device, OX6002 if it is for a
    newer driver, OX6004 if it is damaged."""
    if not int(status):
        return
    error, notes = error_name(status), log.splitlines()[:4]
    if "SM version specified by .target" in log:  # to the driver it is merely invalid
        error = "CUDA_ERROR_NO_BINARY_FOR_GPU"
    code, message, help = _REFUSED.get(
        error, ("OX6004", f"the driver does not take `{{}}`: {error}", "make it anew: it is damaged, or no device code")
    )
    raise device_error(code, message.format(name), notes=notes, help=help)


_REFUSED = {
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION": (
        "OX6002",
        "the driver is too old for the PTX of `{}`",
        "install a newer driver; `oxidepy doctor` names it",
    ),
    "CUDA_ERROR_NO_BINARY_FOR_GPU": (
        "OX6001",
        "`{}` has no code for this device",
        "compile it for this device, or as PTX of an older one",
    ),
}
