"""Clocks, traps, stops and PTX of the kernel's own on a CUDA GPU."""

from __future__ import annotations

import numpy as np
import pytest
from runtime.test_debug import trapped

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DevicePanic,
    DisjointSlice,
    Slice,
    debug,
    f32,
    kernel,
    launch_contract,
    ptx,
    shared,
    thread,
    u32,
    u64,
    unsafe,
)

pytestmark = pytest.mark.gpu


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def clocks(y: DisjointSlice[u64], z: DisjointSlice[u64]) -> None:
    idx = thread.index_1d()
    debug.prof_trigger(1)
    if idx in y and idx in z:
        before = debug.clock()
        z[idx] = debug.global_timer()
        y[idx] = debug.clock() - before


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def spelled(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    s = shared.array(f32, 64)
    s[thread.idx.x] = 3.0
    if idx in y:
        with unsafe("registers, and elements that this thread owns"):
            a = ptx("add.rn.f32 {out}, {0}, {1};", x[idx], 2.5, result=f32)
            low, high = ptx(
                "{{ .reg .u64 t; mul.wide.u32 t, {0}, {1}; mov.b64 {{{out0}, {out1}}}, t; }}",
                u32(1 << 31),
                u32(6),
                result=(u32, u32),
                pure=True,
            )
            b = ptx("ld.shared.f32 {out}, [{0}];", (s, thread.idx.x), result=f32)
            c = ptx("ld.global.f32 {out}, [{0}];", (x, idx.get()), result=f32)
            flag = ptx("set.gt.u32.f32 {out}, {0}, {1};", a, 10.0, result=bool)
            ptx("st.global.f32 [{0}], {1};", (y, idx), a + b + c + f32(low) + f32(high) + (1000.0 if flag else 0.0))


@kernel
def refused(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        with unsafe("to be refused"):
            y[idx] = ptx("addd.rn.f32 {out}, {0}, {0};", y[idx], result=f32)


def test_clocks() -> None:
    stream = ox.Context("cuda:0").default_stream()
    y, z = DeviceBuffer.zeros(stream, 64, u64), DeviceBuffer.zeros(stream, 64, u64)
    clocks.launch(stream, y, z)
    first = z.to_host(stream)
    assert (y.to_host(stream) > 0).all() and (y.to_host(stream) < 1 << 32).all()
    clocks.launch(stream, y, z)
    assert (z.to_host(stream) > first.max()).all()


def test_a_trap_is_a_panic() -> None:
    stream = ox.Context("cuda:0").default_stream()
    trapped.launch(stream, DeviceBuffer.zeros(stream, 50, u64))
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert (caught.value.block, caught.value.thread) == ((1, 0, 0), (8, 0, 0)) and "debug.trap()" in str(caught.value)
    y = DeviceBuffer.zeros(stream, 40, u64)
    trapped.launch(stream, y)
    assert (y.to_host(stream) == 1).all()


def test_ptx() -> None:
    stream = ox.Context("cuda:0").default_stream()
    host = np.arange(100, dtype=np.float32)
    y = DeviceBuffer.zeros(stream, 100, f32)
    spelled.launch(stream, DeviceBuffer.from_host(stream, host), y)
    np.testing.assert_array_equal(y.to_host(stream), host + 2.5 + 3 + host + 3 + np.where(host + 2.5 > 10, 1000, 0))


def test_the_driver_refuses_wrong_ptx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)  # without ptxas
    stream = ox.Context("cuda:0").default_stream()
    with pytest.raises(ox.CompileError) as caught:
        refused.launch(stream, DeviceBuffer.zeros(stream, 4, f32))
    assert caught.value.code == "OX6001" and "addd" in str(caught.value)
