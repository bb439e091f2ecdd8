"""Failures of checks in kernels: reported once, at the next synchronisation or launch, with place and thread; the context lives on."""

from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DeviceBuffer, DevicePanic, DisjointSlice, Slice, f32, i32, kernel, launch_contract, thread
from oxidepy.backend import panic as layout
from oxidepy.runtime.panics import Fault, Record


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def shifted(x: Slice[f32], y: DisjointSlice[f32], by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx.get() + by]  # OX7001


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def divided(y: DisjointSlice[i32], by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = idx.get() // by  # OX7003


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def asserted(y: DisjointSlice[i32], top: i32) -> None:
    idx = thread.index_1d()
    assert idx.get() < top, "too many threads"  # OX7002
    if idx in y:
        y[idx] = 1


def _line(text: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.rstrip().endswith(f"# {text}"))


def _setup(stream, n=100):
    return DeviceBuffer.from_host(stream, np.arange(n, dtype=np.float32)), DeviceBuffer.zeros(stream, n, f32)


@pytest.mark.parametrize("by", [3, -40])
def test_the_lowest_thread_is_reported(stream, by):
    x, y = _setup(stream)
    shifted.launch(stream, x, y, by)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    panic = caught.value
    thread_number = 97 if by == 3 else 0
    assert (panic.code, panic.kernel, panic.file, panic.line) == ("OX7001", "shifted", __file__, _line("OX7001"))
    assert (panic.index, panic.length) == (thread_number + by, 100)
    assert (panic.block, panic.thread) == ((thread_number // 32, 0, 0), (thread_number % 32, 0, 0))
    assert f"index {panic.index}, length 100" in str(panic) and "block " in str(panic)


def test_once_and_the_context_lives_on(stream):
    x, y = _setup(stream)
    shifted.launch(stream, x, y, 3)
    with pytest.raises(DevicePanic):
        y.to_host(stream)
    y.to_host(stream)
    stream.synchronize()
    shifted.launch(stream, x, y, 0)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(100, dtype=np.float32))


def test_the_next_launch_raises_what_has_been_reported(stream):
    x, y = _setup(stream)
    shifted.launch(stream, x, y, 3)
    with pytest.raises(DevicePanic):
        shifted.launch(stream, x, y, 0)
    assert y.to_host(stream)[0] == 3  # that launch did not run
    shifted.launch(stream, x, y, 0)
    stream.synchronize()


def test_streams_fail_on_their_own(ctx):
    first, second = ctx.new_stream(), ctx.new_stream()
    x, y = _setup(first)
    first.synchronize()
    shifted.launch(first, x, y, 3)
    second.synchronize()
    divided.launch(second, DeviceBuffer.zeros(second, 8, i32), 1)
    second.synchronize()
    with pytest.raises(DevicePanic):
        ctx.synchronize()
    ctx.synchronize()


def test_division_and_assert(stream):
    y = DeviceBuffer.zeros(stream, 100, i32)
    divided.launch(stream, y, 0)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert (caught.value.code, caught.value.line, caught.value.index, caught.value.length) == ("OX7003", _line("OX7003"), None, None)
    asserted.launch(stream, y, 70)
    with pytest.raises(DevicePanic, match="too many threads") as caught:
        stream.synchronize()
    assert (caught.value.code, caught.value.line) == ("OX7002", _line("OX7002"))
    assert (caught.value.block, caught.value.thread) == ((2, 0, 0), (6, 0, 0))


def test_many_blocks_on_many_threads_give_the_lowest():
    stream = ox.Context("cpu").new_stream()
    n = 1 << 18
    x, y = DeviceBuffer.zeros(stream, n, f32), DeviceBuffer.zeros(stream, n, f32)
    shifted.launch(stream, x, y, 0)
    for by in (5, 1000, 100_000):
        shifted.launch(stream, x, y, by)
        with pytest.raises(DevicePanic) as caught:
            stream.synchronize()
        assert caught.value.block[0] * 32 + caught.value.thread[0] == n - by


def test_a_stream_that_is_given_up_tells(ctx, capsys):
    import gc

    stream = ctx.new_stream()
    x, y = _setup(stream)
    shifted.launch(stream, x, y, 3)
    del stream, x, y
    gc.collect()
    assert "OX7001" in capsys.readouterr().err


def test_records():
    import ctypes

    memory = (ctypes.c_char * layout.SIZE)()
    record = Record(ctypes.addressof(memory), 0)
    assert not record.ready and record.take() is None
    ctypes.c_uint32.from_buffer(memory, layout.CLAIM).value = 1
    ctypes.c_uint32.from_buffer(memory, layout.SITE).value = 4
    ctypes.c_int64.from_buffer(memory, layout.INDEX).value = -7
    ctypes.c_int64.from_buffer(memory, layout.LENGTH).value = 1 << 40
    for axis in range(3):
        ctypes.c_uint32.from_buffer(memory, layout.BLOCK + 4 * axis).value = 10 + axis
        ctypes.c_uint32.from_buffer(memory, layout.THREAD + 4 * axis).value = 20 + axis
    assert not record.ready
    ctypes.c_uint32.from_buffer(memory, layout.READY).value = 1
    assert record.ready
    assert record.take() == Fault(4, (10, 11, 12), (20, 21, 22), -7, 1 << 40)
    assert bytes(memory) == bytes(layout.SIZE) and record.take() is None
