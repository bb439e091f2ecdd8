"""The CUDA driver, asked through its own library and nothing else; at the end our runtime launches a kernel on each device."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from typing import Any

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
NVML = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
ATTRIBUTES = {"major": 75, "minor": 76, "multiprocessors": 16, "compute_mode": 20}
# the newest first; a version that does not exist is refused like one that is too new
ISAS = tuple((major, minor) for major in (9, 8, 7) for minor in range(9, -1, -1))
PTX = ".version {}.{}\n.target {}\n.address_size 64\n.visible .entry oxidepy_probe() {{ ret; }}\n"
TRIED_ARCH = (7, 5)  # the oldest that we emit; every driver that we can use takes it
LAUNCHES = 1000


def stages() -> Iterator[tuple[str, dict[str, Any]]]:
    if sys.platform not in ("linux", "win32"):
        yield "library", {"found": False, "error": f"there is no CUDA driver for {sys.platform}"}
        return
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        yield "library", {"found": False, "error": str(error)}
        return
    yield "library", {"found": True, "path": mapped_path(library)}
    yield "version", {"cuda": _cuda_version(library), "driver": _driver_release()}
    status = _call(library, "cuInit", 0)
    yield "init", {"status": status, "name": _name(library, status)}
    if status != 0:
        return
    found = _devices(library)
    yield "devices", {"devices": found}
    if not found:
        return
    yield "isa", _isa(library, found[0]["capability"])
    from oxidepy.doctor.probes.launching import launch

    yield "launch", {"launches": [launch(f"cuda:{one['index']}", LAUNCHES) for one in found]}


def mapped_path(library: ctypes.CDLL) -> str | None:
    """Where the loaded library really lies: the name alone does not say which of several was taken."""
    if sys.platform == "win32":
        buffer = ctypes.create_unicode_buffer(4096)
        length = ctypes.windll.kernel32.GetModuleFileNameW(ctypes.c_void_p(library._handle), buffer, len(buffer))
        return buffer.value if length else None
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = line.rstrip("\n").partition("/")[2]
            if path.rpartition("/")[2].startswith("libcuda.so"):
                return "/" + path
    return None


def _cuda_version(library: ctypes.CDLL) -> list[int] | None:
    """The newest CUDA that the driver supports; the driver tells it without being initialised."""
    number = ctypes.c_int(0)
    if not hasattr(library, "cuDriverGetVersion") or _call(library, "cuDriverGetVersion", ctypes.byref(number)) != 0:
        return None
    return [number.value // 1000, number.value % 1000 // 10]


def _call(library: ctypes.CDLL, name: str, *arguments: Any) -> int:
    """The status of a driver call. RuntimeError where there is no such function: the library is not the driver then."""
    try:
        function = getattr(library, name)
    except AttributeError:
        raise RuntimeError(f"{LIBRARY} has no function {name}: it is not the CUDA driver") from None
    function.restype = ctypes.c_int
    return int(function(*arguments))


def _name(library: ctypes.CDLL, status: int) -> str | None:
    text = ctypes.c_char_p()
    if status == 0 or not hasattr(library, "cuGetErrorName") or _call(library, "cuGetErrorName", status, ctypes.byref(text)) != 0:
        return None
    return text.value.decode("ascii", "replace") if text.value else None


def _driver_release() -> str | None:
    """The release of the driver, such as "580.65.06"; asked of NVML, or read where the kernel module tells it."""
    try:
        library = ctypes.CDLL(NVML)
        buffer = ctypes.create_string_buffer(96)
        if library.nvmlInit_v2() == 0 and library.nvmlSystemGetDriverVersion(buffer, len(buffer)) == 0:
            return buffer.value.decode("ascii", "replace")
    except (OSError, AttributeError):  # containers often have the driver without NVML
        pass
    import re

    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            found = re.search(r"\b(\d{3,}\.\d+(\.\d+)?)\b", file.read())
    except OSError:
        return None
    return found[1] if found else None


def _devices(library: ctypes.CDLL) -> list[dict[str, Any]]:
    count = ctypes.c_int(0)
    _check(library, "cuDeviceGetCount", ctypes.byref(count))
    found: list[dict[str, Any]] = []
    for index in range(count.value):
        device = ctypes.c_int(0)
        _check(library, "cuDeviceGet", ctypes.byref(device), index)
        name = ctypes.create_string_buffer(256)
        _check(library, "cuDeviceGetName", name, len(name), device)
        memory = ctypes.c_size_t(0)
        _check(library, "cuDeviceTotalMem_v2", ctypes.byref(memory), device)
        values: dict[str, int] = {}
        for attribute, number in ATTRIBUTES.items():
            value = ctypes.c_int(0)
            _check(library, "cuDeviceGetAttribute", ctypes.byref(value), number, device)
            values[attribute] = value.value
        found.append(
            {
                "index": index,
                "name": name.value.decode("utf-8", "replace"),
                "capability": [values.pop("major"), values.pop("minor")],
                "memory_bytes": memory.value,
                **values,
            }
        )
    return found


def _check(library: ctypes.CDLL, name: str, *arguments: Any) -> None:
    status = _call(library, name, *arguments)
    if status != 0:
        raise RuntimeError(f"{name} gave {status} ({_name(library, status) or 'unknown'})")


def _isa(library: ctypes.CDLL, capability: list[int]) -> dict[str, Any]:
    """The highest PTX ISA that the driver's compiler accepts, found by offering it each; and the one that we emit for the device."""
    device, context = ctypes.c_int(0), ctypes.c_void_p()
    _check(library, "cuDeviceGet", ctypes.byref(device), 0)
    _check(library, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    accepted: tuple[int, int] | None = None
    status = 0
    try:
        _check(library, "cuCtxPushCurrent_v2", context)
        arch = "sm_{}{}".format(*min(tuple(capability), TRIED_ARCH))
        for isa in ISAS:
            module = ctypes.c_void_p()
            status = _call(library, "cuModuleLoadData", ctypes.byref(module), PTX.format(*isa, arch).encode())
            if status == 0:
                accepted = isa
                _check(library, "cuModuleUnload", module)
                break
        _check(library, "cuCtxPopCurrent_v2", ctypes.byref(context))
    finally:
        _check(library, "cuDevicePrimaryCtxRelease_v2", device)
    return {"accepted": accepted and list(accepted), "status": status, "tried": arch, **_ours(capability)}


def _ours(capability: list[int]) -> dict[str, Any]:
    """What our table says for a device: the architecture that we emit for it and its PTX ISA; None where it is too old for us."""
    from oxidepy.backend.targets import arch_of, nvptx_target
    from oxidepy.diagnostics import CompileError

    try:
        arch = arch_of(*capability)
    except CompileError:
        return {"arch": "sm_{}{}".format(*capability), "emitted": None}
    isa = nvptx_target(arch).isa
    return {"arch": arch, "emitted": isa and list(isa)}
