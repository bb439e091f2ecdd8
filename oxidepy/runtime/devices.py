"""Which devices there are, and the driver of each. Nothing of CUDA is loaded until a CUDA device is asked for."""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import TYPE_CHECKING

from oxidepy.lang.calls import coded
from oxidepy.runtime.refusal import launch_error
from oxidepy.settings.values import parse_device

if TYPE_CHECKING:
    from oxidepy.runtime.driver import Driver


@functools.cache
def has_cuda_driver() -> bool:
    """Whether the system's CUDA driver library is there; a look that costs no import."""
    if sys.platform not in ("linux", "win32"):
        return False
    try:
        ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return False
    return True


def cuda_count() -> int:
    """How many CUDA devices answer; 0 where there is no driver."""
    if not has_cuda_driver():
        return 0
    from oxidepy.runtime.cuda.api import device_count

    return device_count()


@coded()
def devices() -> list[str]:
    """The names that `Context(name)` takes on this machine, such as ["cuda:0", "cpu", "interp"]."""
    return [*(f"cuda:{number}" for number in range(cuda_count())), "cpu", "interp"]


@coded()
def is_available(kind: str) -> bool:
    """Whether there is a device of that kind or name: "cuda", "cuda:1", "cpu", "interp"."""
    return kind in devices() or (kind == "cuda" and cuda_count() > 0)


def default_device() -> str:
    """OXIDEPY_DEVICE (or `--device`, or the project's `device`), else the first CUDA device, else the CPU."""
    from oxidepy.runtime.settled import settings

    said = settings().device
    return said or ("cuda:0" if cuda_count() else "cpu")


def resolve(name: str) -> str:
    """The full name of a device. LaunchError OX6003 if it is not there, with those that are."""
    try:
        full = parse_device(name if isinstance(name, str) else "")  # pyright: ignore[reportUnnecessaryIsInstance] - a number, say
    except ValueError as form:
        raise launch_error("OX6003", f"{name!r} is not {form}", help=_there()) from None
    if full.startswith("cuda:"):
        count = cuda_count()
        if int(full[5:]) >= count:
            why = "there is no CUDA driver" if not has_cuda_driver() else f"the CUDA driver gives {count} device{'' if count == 1 else 's'}"
            raise launch_error("OX6003", f"the device {full} is not there: {why}", help=_there())
    return full


def _there() -> str:
    return f"the devices of this machine are {', '.join(devices())}"


def open_driver(name: str) -> Driver:
    """The driver of a device that `resolve` has named."""
    if name == "cpu":
        from oxidepy.runtime.cpu.driver import CpuDriver

        return CpuDriver()
    if name == "interp":
        from oxidepy.runtime.interp import InterpDriver

        return InterpDriver()
    from oxidepy.runtime.cuda.driver import CudaDriver

    return CudaDriver(int(name[5:]))
