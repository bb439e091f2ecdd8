"""On a GPU: every operation has the interpreter's bits, loops never wrap, a failed check leaves its record and the context lives on."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from backend.kernels import NO_LINES, NUMPY_OF, OPTIONS, TYPES, batch, inputs, parse, same
from backend.test_control import BODIES, HEAD
from backend.test_panics import COUNT as PANIC_THREADS
from backend.test_panics import GRID as PANIC_GRID
from backend.test_panics import TEXT as PANIC_TEXT
from backend.test_panics import record_of

from oxidepy.backend import nvptx
from oxidepy.backend.shared_size import dynamic_bytes
from oxidepy.backend.targets import arch_of, driver_isa, nvptx_target
from oxidepy.ir.core import Module
from oxidepy.ir.interpreter import run
from oxidepy.ir.interpreter.values import from_bits
from oxidepy.ir.types import Scalar
from oxidepy.settings.options import CodegenOptions

pytestmark = pytest.mark.gpu
COUNT = 4096


class Gpu:
    """The driver's calls that these tests need, no more."""

    def __init__(self) -> None:
        self.cu = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        version, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, 0)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, 0)
        self.target = nvptx_target(arch_of(major.value, minor.value), driver_isa(version.value))

    def call(self, name: str, *args: Any) -> None:
        status = getattr(self.cu, name)(*args)
        assert status == 0, f"{name}: error {status}"

    def run(self, module: Module, args: Sequence[Any], grid: tuple[int, int, int], options: CodegenOptions = OPTIONS) -> np.ndarray:
        """Launch; memory in `args` is copied there and back. Gives the panic record."""
        artefact = nvptx.emit(module, self.target, options)
        loaded, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(loaded), artefact.code + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), loaded, artefact.entry.encode())
        dynamic = dynamic_bytes(artefact.facts.get("shared_dynamic", ()), args, grid)
        if dynamic + artefact.facts.get("shared_static", 0) > 48 * 1024:
            self.call("cuFuncSetAttribute", function, 8, dynamic)
        host, record = ctypes.c_void_p(), ctypes.c_uint64()
        self.call("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(64), 2)
        ctypes.memset(host, 0, 64)
        self.call("cuMemHostGetDevicePointer_v2", ctypes.byref(record), host, 0)
        values: list[Any] = []
        for param, value in zip(artefact.params, args, strict=True):
            if param.kind == "memory":
                place = ctypes.c_uint64()
                self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(value.nbytes))
                self.call("cuMemcpyHtoD_v2", place, ctypes.c_void_p(value.ctypes.data), ctypes.c_size_t(value.nbytes))
                values.append(place)
            else:
                values.append(ctypes.create_string_buffer(np.array([value], NUMPY_OF[param.type]).tobytes(), 8))
        hidden = [record] if artefact.panic else []
        barrier = ctypes.c_uint64()
        if artefact.facts.get("grid_barrier"):
            self.call("cuMemAlloc_v2", ctypes.byref(barrier), ctypes.c_size_t(8))
            self.call("cuMemsetD8_v2", barrier, 0, ctypes.c_size_t(8))
            hidden.append(barrier)
        table = (ctypes.c_void_p * (len(values) + 2))(*(ctypes.addressof(one) for one in (*values, *hidden)))
        if barrier.value:
            self.call("cuLaunchCooperativeKernel", function, *grid, *module.kernel.block, dynamic, None, table)
        else:
            self.call("cuLaunchKernel", function, *grid, *module.kernel.block, dynamic, None, table, None)
        self.call("cuCtxSynchronize")
        if barrier.value:
            self.call("cuMemFree_v2", barrier)
        for param, value, place in zip(artefact.params, args, values, strict=True):
            if param.kind == "memory":
                self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(value.ctypes.data), place, ctypes.c_size_t(value.nbytes))
                self.call("cuMemFree_v2", place)
        found = np.frombuffer(ctypes.string_at(host, 64), np.uint8).copy()
        self.call("cuMemFreeHost", host)
        self.call("cuModuleUnload", loaded)
        return found


@pytest.fixture(scope="module")
def gpu() -> Iterator[Gpu]:
    yield Gpu()


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_operations_have_the_interpreters_bits(gpu: Gpu, type_: Scalar) -> None:
    module, found = batch(type_)
    arguments = inputs(type_, COUNT)
    wanted = [np.zeros(COUNT * case.result.size, np.uint8) for case in found]
    got = [np.full(COUNT * case.result.size, 0xA5, np.uint8) for case in found]
    assert run(module, [*arguments, *wanted], (COUNT // 256, 1, 1), (256, 1, 1)) is None
    gpu.run(module, [*arguments, *got], (COUNT // 256, 1, 1), NO_LINES)
    wrong: list[str] = []
    for case, left, right in zip(found, got, wanted, strict=True):
        agree = same(case.result, left, right)
        if case.op == "copysign":  # the sign of a NaN is nobody's
            agree |= np.isnan(from_bits(type_, arguments[1].view(f"u{type_.size}")))
        differ = np.flatnonzero(~agree)
        if len(differ):
            operands = [one.reshape(COUNT, -1)[differ[0]].tobytes()[::-1].hex() for one in arguments[:4]]
            pair = [one.reshape(COUNT, -1)[differ[0]].tobytes()[::-1].hex() for one in (left, right)]
            wrong.append(f"{case}: {len(differ)} differ, first at {operands}: got {pair[0]}, want {pair[1]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", BODIES)
def test_control_flow(gpu: Gpu, name: str) -> None:
    module = parse(HEAD + BODIES[name] + "  return\n}\n")
    given = np.resize(np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 11, -1, -7], np.int32), 64)
    got, wanted = np.full(64, -99, np.int32), np.full(64, -99, np.int32)
    assert run(module, [given.view(np.uint8), wanted.view(np.uint8), 64], (2, 1, 1), (32, 1, 1)) is None
    gpu.run(module, [given.view(np.uint8), got.view(np.uint8), 64], (2, 1, 1))
    assert got.tolist() == wanted.tolist()


@pytest.mark.parametrize(("number", "site"), [(40, 0), (-1, 0), (5, 1), (35, 2)])
def test_a_failed_check_leaves_its_record_and_the_context_lives_on(gpu: Gpu, number: int, site: int) -> None:
    module = parse(PANIC_TEXT.replace("ACCESS", "disjoint"))
    numbers, a = np.full(PANIC_THREADS, 8, np.int32), np.arange(40, dtype=np.int32) * 3
    out = np.full(PANIC_THREADS, -7, np.int32)
    numbers[16 * 5 + 11] = number  # block (1, 1), thread (3, 1)
    args = [numbers.view(np.uint8), a.view(np.uint8), 40, out.view(np.uint8)]
    record = record_of(gpu.run(module, args, PANIC_GRID))
    where = {"index": number, "length": 40} if site == 0 else {"index": 0, "length": 0}
    assert record == {"site": site, **where, "block": (1, 1, 0), "thread": (3, 1, 0)}
    assert np.count_nonzero(out == 8) == PANIC_THREADS - 1
    numbers[:] = 8
    assert not gpu.run(module, args, PANIC_GRID).any()
