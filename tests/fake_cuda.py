"""A CUDA driver made of Python, for tests without a GPU: memory is the host's, work happens when it is put in, every call is noted."""

from __future__ import annotations

import ctypes
import itertools
from types import SimpleNamespace
from typing import Any

NAMES = {
    0: "CUDA_SUCCESS",
    1: "CUDA_ERROR_INVALID_VALUE",
    2: "CUDA_ERROR_OUT_OF_MEMORY",
    200: "CUDA_ERROR_INVALID_IMAGE",
    209: "CUDA_ERROR_NO_BINARY_FOR_GPU",
    222: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    500: "CUDA_ERROR_NOT_FOUND",
    600: "CUDA_ERROR_NOT_READY",
    700: "CUDA_ERROR_ILLEGAL_ADDRESS",
    801: "CUDA_ERROR_NOT_SUPPORTED",
}
RESULTS = {  # beside the status, of the functions that tests let fail
    "cuMemAllocFromPoolAsync": 1, "cuStreamCreate": 1, "cuModuleLoadData": 1, "cuModuleLoadDataEx": 1, "cuModuleGetFunction": 1,
    "cuFuncGetParamInfo": 2, "cuFuncGetParamCount": 1, "cuLinkComplete": 2, "cuLinkCreate": 1,
}  # fmt: skip


class Status(int):
    @property
    def name(self) -> str:
        return NAMES[int(self)]


class Enum:
    """Any member is asked for by name and is that name."""

    def __getattr__(self, name: str) -> str:
        return name


class FakeCuda:
    """Stands for the module `cuda.bindings.driver`. `real` is that module, whose signatures the calls are held against, or None."""

    CU_MEMHOSTALLOC_DEVICEMAP = 2
    CU_MEMHOSTALLOC_PORTABLE = 1

    def __init__(self, real: Any, devices: int = 1) -> None:
        self.real = real
        self.devices = devices
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.fail: dict[str, list[int]] = {}  # function → statuses of its next calls
        self.memory: dict[int, Any] = {}
        self.handles = itertools.count(0x1000, 8)
        self.on_launch: Any = None
        self.stack = 1024  # bytes a thread
        self.CUlimit = SimpleNamespace(CU_LIMIT_STACK_SIZE=0)
        self.attributes: dict[str, int] = {}  # of functions, as they were set
        self.clusters = 4  # that the device holds at once
        self.log = b"ptxas info : Used 18 registers, 0 bytes stack frame\n16 bytes spill stores, 8 bytes spill loads"
        self.parameters: list[int] = []  # bytes of those of any kernel that is asked for
        self.errors = b""  # what the linker says of what it refuses
        for enum in ("CUdevice_attribute", "CUfunction_attribute", "CUjit_option", "CUjitInputType", "CUstream_flags", "CUevent_flags",
                     "CUmemPool_attribute",
                     "CUlaunchAttributeID", "CUtensorMapDataType", "CUtensorMapInterleave", "CUtensorMapSwizzle", "CUtensorMapL2promotion",
                     "CUtensorMapFloatOOBfill", "CUmemAllocationType", "CUmemLocationType", "CUpointer_attribute"):  # fmt: skip
            setattr(self, enum, Enum())
        self.CUmemorytype = SimpleNamespace(CU_MEMORYTYPE_HOST=1)

    def CUmemPoolProps(self) -> Any:
        return SimpleNamespace(location=SimpleNamespace())

    def cuuint64_t(self, value: int) -> int:
        return value

    def cuuint32_t(self, value: int) -> int:
        return value

    def CUstream(self, value: int) -> int:
        return value

    def CUlaunchConfig(self) -> Any:
        return SimpleNamespace()

    def CUlaunchAttribute(self) -> Any:
        return SimpleNamespace(value=SimpleNamespace(clusterDim=SimpleNamespace()))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("cu"):
            raise AttributeError(name)
        act = getattr(type(self), "_" + name, None)

        def call(*args: Any) -> tuple[Any, ...]:
            self._arity(name, args)
            self.calls.append((name, args))
            pending = self.fail.get(name)
            if pending and (status := pending.pop(0)):
                return (Status(status), *((None,) * RESULTS.get(name, 0)))
            result = act(self, *args) if act is not None else None
            if isinstance(result, Status):
                return (result, *((None,) * RESULTS.get(name, 0)))
            return (Status(0),) if result is None else (Status(0), *(result if isinstance(result, tuple) else (result,)))

        call.__name__ = name
        return call

    def _arity(self, name: str, args: tuple[Any, ...]) -> None:
        if self.real is None:
            return
        head = getattr(self.real, name).__doc__.splitlines()[0]
        depth, wanted = 0, 0
        inside = head[head.index("(") + 1 : head.rindex(")")]
        for character in inside:
            depth += (character in "[(") - (character in "])")
            wanted += character == "," and depth == 0
        assert len(args) == (wanted + 1 if inside.strip() else 0), f"{name} takes {inside}, got {args}"

    def named(self, name: str) -> list[tuple[Any, ...]]:
        return [args for called, args in self.calls if called == name]

    # ---- what the functions give

    def _cuTensorMapEncodeTiled(self, *args: Any) -> Any:
        memory = (ctypes.c_char * 128)(*repr(args[2]).encode())
        return SimpleNamespace(getPtr=lambda: ctypes.addressof(memory), memory=memory)

    _cuTensorMapEncodeIm2col = _cuTensorMapEncodeTiled

    def _cuDeviceGetCount(self) -> int:
        return self.devices

    def _cuDeviceGet(self, number: int) -> int:
        return number

    def _cuDevicePrimaryCtxRetain(self, device: int) -> int:
        return 0xC000 + device

    def _cuDeviceGetName(self, length: int, device: int) -> bytes:
        return b"Fake GPU\0\0\0"

    def _cuDriverGetVersion(self) -> int:
        return 13000

    def _cuDeviceTotalMem(self, device: int) -> int:
        return 1 << 30

    def _cuDeviceGetAttribute(self, which: str, device: int) -> int:
        known = {"COMPUTE_CAPABILITY_MAJOR": 9, "COMPUTE_CAPABILITY_MINOR": 0, "MAX_GRID_DIM_X": 2**31 - 1, "MAX_GRID_DIM_Y": 65535,
                 "MAX_GRID_DIM_Z": 65535,
                 "MAX_BLOCK_DIM_Z": 64, "WARP_SIZE": 32, "MEMORY_POOLS_SUPPORTED": 1, "MAX_THREADS_PER_MULTIPROCESSOR": 2048,
                 "MAX_SHARED_MEMORY_PER_BLOCK": 48 << 10,
                 "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 227 << 10, "MULTIPROCESSOR_COUNT": 2}  # fmt: skip
        return known.get(which.removeprefix("CU_DEVICE_ATTRIBUTE_"), 1024)

    def _cuMemPoolCreate(self, props: Any) -> str:
        return "pool"

    def _cuStreamCreate(self, flags: Any) -> int:
        return next(self.handles)

    def _cuEventCreate(self, flags: Any) -> int:
        return next(self.handles)

    def _cuEventElapsedTime(self, since: int, until: int) -> float:
        return 1.5

    def _allocate(self, size: int) -> int:
        block = (ctypes.c_uint8 * (size + 256))()
        address = -(-ctypes.addressof(block) // 256) * 256
        self.memory[address] = block
        return address

    def _cuMemAllocFromPoolAsync(self, size: int, pool: Any, stream: int) -> int:
        return self._allocate(size)

    def _cuMemFreeAsync(self, address: int, stream: int) -> None:
        del self.memory[int(address)]

    def _cuMemHostAlloc(self, size: int, flags: int) -> int:
        return self._allocate(size)

    def _cuCtxGetLimit(self, which: Any) -> int:
        return self.stack

    def _cuCtxSetLimit(self, which: Any, value: int) -> None:
        self.stack = value

    def _cuMemFreeHost(self, address: int) -> None:
        del self.memory[address]

    def _cuMemHostGetDevicePointer(self, host: int, flags: int) -> int:
        return host

    def _cuMemcpyHtoDAsync(self, to: int, source: int, size: int, stream: int) -> None:
        ctypes.memmove(to, source, size)

    _cuMemcpyDtoHAsync = _cuMemcpyDtoDAsync = _cuMemcpyHtoDAsync

    def _cuMemsetD8Async(self, to: int, value: int, count: int, stream: int) -> None:
        ctypes.memset(to, value, count)

    def _cuMemsetD16Async(self, to: int, value: int, count: int, stream: int) -> None:
        ctypes.memmove(to, value.to_bytes(2, "little") * count, 2 * count)

    def _cuMemsetD32Async(self, to: int, value: int, count: int, stream: int) -> None:
        ctypes.memmove(to, value.to_bytes(4, "little") * count, 4 * count)

    def _pitched(self, to: int, pitch: int, value: int, width: int, height: int, size: int) -> None:
        for row in range(height):
            ctypes.memmove(to + row * pitch, value.to_bytes(size, "little") * width, size * width)

    def _cuMemsetD2D8Async(self, to: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
        self._pitched(to, pitch, value, width, height, 1)

    def _cuMemsetD2D32Async(self, to: int, pitch: int, value: int, width: int, height: int, stream: int) -> None:
        self._pitched(to, pitch, value, width, height, 4)

    def _cuPointerGetAttribute(self, which: str, address: int) -> int:
        return 0

    def _cuPointerGetAttributes(self, count: int, which: list[str], address: int) -> list[int]:
        assert count == len(which)
        return [0] * count

    def _cuLinkCreate(self, count: int, options: list[Any], values: list[Any]) -> str:
        assert count == len(options) == len(values)
        given = dict(zip(options, values, strict=True))
        for name, told in (("CU_JIT_INFO_LOG_BUFFER", self.log), ("CU_JIT_ERROR_LOG_BUFFER", self.errors)):
            if name in given:
                given[name][: len(told)] = told
        return "link"

    def _cuLinkComplete(self, state: str) -> tuple[int, int]:
        self.cubin = ctypes.create_string_buffer(b"cubin!")
        return ctypes.addressof(self.cubin), 6

    def _cuModuleLoadData(self, image: bytes) -> int:
        assert image == b"cubin!"
        return next(self.handles)

    def _cuModuleGetFunction(self, module: int, name: bytes) -> int:
        return next(self.handles)

    def _cuModuleLoadDataEx(self, image: bytes, count: int, options: list[Any], values: list[Any]) -> int:
        assert count == len(options) == len(values)
        return next(self.handles)

    def _cuFuncGetParamCount(self, function: int) -> int:
        return len(self.parameters)

    def _cuFuncGetParamInfo(self, function: int, number: int) -> Any:
        if number >= len(self.parameters):
            return Status(1)
        return sum(self.parameters[:number]), self.parameters[number]

    def _cuFuncGetAttribute(self, which: str, function: int) -> int:
        known = {"MAX_THREADS_PER_BLOCK": 1024, "NUM_REGS": 18, **self.attributes}
        return known.get(which.removeprefix("CU_FUNC_ATTRIBUTE_"), 0)

    def _cuFuncSetAttribute(self, function: int, which: str, value: int) -> None:
        self.attributes[which.removeprefix("CU_FUNC_ATTRIBUTE_")] = value

    def _cuOccupancyMaxActiveClusters(self, function: int, config: Any) -> int:
        return self.clusters

    def _cuLaunchKernelEx(self, config: Any, function: int, params: int, extra: int) -> None:
        assert config.numAttrs == len(config.attrs)
        if self.on_launch is not None:
            self.on_launch(params)

    def _cuOccupancyMaxActiveBlocksPerMultiprocessor(self, function: int, threads: int, shared: int) -> int:
        return 1024 // threads

    def _cuGetErrorString(self, status: int) -> bytes:
        return b"the reason"

    def _cuLaunchKernel(
        self, function: int, gx: int, gy: int, gz: int, bx: int, by: int, bz: int, shared: int, stream: int, params: int, extra: int
    ) -> None:
        if self.on_launch is not None:
            self.on_launch(params)
