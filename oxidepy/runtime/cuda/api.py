"""The driver API, loaded when a CUDA device is first asked for, and its errors as ours."""

from __future__ import annotations

import functools
import os
from typing import Any

from oxidepy.runtime.cuda import ahead
from oxidepy.runtime.refusal import device_error

# After these the context is of no use any more: the device must be opened by another process.
STICKY = frozenset(
    "CUDA_ERROR_ILLEGAL_ADDRESS CUDA_ERROR_LAUNCH_FAILED CUDA_ERROR_ILLEGAL_INSTRUCTION CUDA_ERROR_MISALIGNED_ADDRESS "
    "CUDA_ERROR_INVALID_ADDRESS_SPACE "
    "CUDA_ERROR_INVALID_PC CUDA_ERROR_HARDWARE_STACK_ERROR CUDA_ERROR_ASSERT CUDA_ERROR_ECC_UNCORRECTABLE CUDA_ERROR_LAUNCH_TIMEOUT "
    "CUDA_ERROR_CONTEXT_IS_DESTROYED CUDA_ERROR_EXTERNAL_DEVICE CUDA_ERROR_DEINITIALIZED".split()
)
_started_in: int | None = None


@functools.cache
def bindings() -> Any:
    """The module `cuda.bindings.driver`. DeviceError OX6003 where the package is not installed."""
    try:
        from importlib import import_module

        return import_module("cuda.bindings.driver")
    except ImportError as error:
        raise device_error("OX6003", f"the package cuda-python cannot be imported: {error}", help="pip install cuda-python") from None


def started() -> Any:
    """The bindings, with the driver initialised in this process."""
    global _started_in
    cu = bindings()
    if _started_in is None:
        ahead.start()
        call(cu.cuInit, 0)
        _started_in = os.getpid()
    elif _started_in != os.getpid():
        from oxidepy.runtime.context import FORKED

        raise device_error("OX6004", FORKED)
    return cu


def device_count() -> int:
    """How many devices the driver gives; 0 where it answers with an error."""
    from oxidepy.diagnostics import DeviceError

    if _started_in not in (None, os.getpid()):
        started()  # says what a forked child cannot do
    try:
        count: int = call(started().cuDeviceGetCount)
    except DeviceError:
        return 0
    return count


def error_name(status: Any) -> str:
    """CUDA_ERROR_…"""
    name: str = getattr(status, "name", "") or f"CUresult {int(status)}"
    return name


def explain(status: Any) -> str:
    """The driver's own sentence for a status."""
    answer = bindings().cuGetErrorString(status)
    text = answer[1] if len(answer) > 1 else b""
    return text.decode() if isinstance(text, bytes) and text else "no further description"


def failed(status: Any, what: str) -> Exception:
    """DeviceError OX6004 for a status that is not success."""
    name = error_name(status)
    return device_error(
        "OX6004",
        f"the CUDA driver refused {what}: {name} ({explain(status)})",
        help=_HELP.get(name, "`oxidepy doctor` examines driver and device"),
    )


_HELP = {
    "CUDA_ERROR_OUT_OF_MEMORY": "free buffers that are not needed any more, or those of other programs on this device",
    "CUDA_ERROR_ILLEGAL_ADDRESS": "memory outside of any buffer was touched, which only `unsafe` code can do; start the program anew",
    "CUDA_ERROR_NO_DEVICE": "OXIDEPY_DEVICE=cpu runs without a GPU; CUDA_VISIBLE_DEVICES may hide the devices",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "the kernel was compiled for another architecture than this device's",
}


def call(function: Any, *args: Any) -> Any:
    """Call a function of the driver; its one result, several as a tuple, or None. DeviceError OX6004."""
    answer = function(*args)
    if int(answer[0]):
        raise failed(answer[0], getattr(function, "__name__", "a call"))
    return answer[1] if len(answer) == 2 else answer[1:] or None
