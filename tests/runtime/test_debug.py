"""`debug`: clocks, a trap, marks and stops."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble

import oxidepy as ox
from oxidepy import DeviceBuffer, DevicePanic, DisjointSlice, debug, f64, kernel, launch_contract, math, thread, u64
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def timed(y: DisjointSlice[u64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        before = debug.clock()
        total = f64(1.0)
        for i in range(200):
            total = math.sqrt(total + f64(i))
        y[idx] = debug.clock() - before + u64(total * 0.0)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def stamped(y: DisjointSlice[u64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = debug.global_timer()


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def trapped(y: DisjointSlice[u64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        if idx.get() == 40:
            debug.trap()
        y[idx] = 1


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def stopped(y: DisjointSlice[u64]) -> None:
    idx = thread.index_1d()
    debug.prof_trigger(3)
    if idx in y:
        if idx.get() % 2 == 0:
            debug.breakpoint()
        y[idx] = 1


def test_the_clock_goes_on(stream: Any) -> None:
    y = DeviceBuffer.zeros(stream, 50, u64)
    timed.launch(stream, y)
    found = y.to_host(stream)
    assert (found > 200).all() and (found < 1 << 40).all()


def test_the_global_timer() -> None:
    stream = ox.Context("interp").default_stream()
    y = DeviceBuffer.zeros(stream, 2, u64)
    stamped.launch(stream, y)
    first = y.to_host(stream)
    stamped.launch(stream, y)
    assert (y.to_host(stream) > first).all()
    stream = ox.Context("cpu").default_stream()
    with pytest.raises(ox.CompileError, match=r"`debug.global_timer` needs a CUDA device or `interp`"):
        stamped.launch(stream, DeviceBuffer.zeros(stream, 2, u64))


def test_a_trap_is_a_panic(stream: Any) -> None:
    y = DeviceBuffer.zeros(stream, 50, u64)
    trapped.launch(stream, y)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    panic = caught.value
    assert (panic.code, panic.block, panic.thread) == ("OX7002", (1, 0, 0), (8, 0, 0))
    assert "debug.trap()" in str(panic) and panic.file == __file__
    y = DeviceBuffer.zeros(stream, 40, u64)
    trapped.launch(stream, y)
    assert (y.to_host(stream) == 1).all()


@pytest.mark.parametrize("arch", ARCHES)
def test_code_of_a_trap_stays_without_asserts(arch: str) -> None:
    made = compile_kernel(trapped.definition, Specialisation(), nvptx_target(arch), CodegenOptions(no_assert=True)).artefact
    assert [one.message for one in made.sites] == ["debug.trap()"]
    assemble(made.code.decode(), arch)
    assert "%clock64" in timed.ptx(arch) and "%globaltimer" in stamped.ptx(arch)
    assemble(timed.ptx(arch), arch)


@pytest.mark.parametrize("device_debug", [False, True])
def test_a_breakpoint_is_there_for_debuggers_only(device_debug: bool) -> None:
    made = compile_kernel(stopped.definition, Specialisation(), nvptx_target("sm_90a"), CodegenOptions(device_debug=device_debug)).artefact
    text = made.code.decode()
    assert ("brkpt" in text) == device_debug and "pmevent 3" in text
    assemble(text, "sm_90a")


def test_pythons_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    from oxidepy.compiler.driver import check_kernel
    from oxidepy.ir import interpreter

    calls: list[int] = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: calls.append(1))
    module = check_kernel(stopped.definition, Specialisation(), CodegenOptions(device_debug=True)).module
    out = np.zeros(64, np.uint64)
    assert interpreter.run(module, [out.view(np.uint8), 64], (2, 1, 1), (32, 1, 1)) is None
    assert (out == 1).all() and len(calls) == 2  # once a block
    stream = ox.Context("interp").default_stream()
    y = DeviceBuffer.zeros(stream, 8, u64)
    stopped.launch(stream, y)
    assert (y.to_host(stream) == 1).all() and len(calls) == 2


def test_an_event_is_known_at_compile_time() -> None:
    @kernel
    def marked(y: DisjointSlice[u64]) -> None:
        debug.prof_trigger(16)

    with pytest.raises(ox.CompileError, match="it is from 0 to 15"):
        marked.ptx("sm_80")
