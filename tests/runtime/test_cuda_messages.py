"""What the CUDA driver does for kernels that print and functions that call themselves, on a driver that is none."""

from __future__ import annotations

import ctypes
import gc
from collections import deque

import pytest
from runtime.test_cuda_driver import ctx, fake, shifted, stream

from oxidepy import DeviceBuffer, DeviceError, DisjointSlice, f32, i32, kernel, launch_contract, thread

__all__ = ["ctx", "fake", "stream"]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def telling(y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        print("thread", idx.get())


def _tell(params):
    """What a GPU would write: one record, of thread 5 in block 1."""
    slots = (ctypes.c_void_p * 4).from_address(params)
    buffer, launch = (ctypes.c_uint64.from_address(slot).value for slot in slots[2:])
    words = (ctypes.c_uint64 * 12).from_address(buffer)
    words[0] = 4
    words[4:8] = [5 << 32, launch, 1, 69]


def test_what_a_kernel_tells_is_printed_by_the_wait(fake, stream, capsys):
    y = DeviceBuffer.zeros(stream, 100, i32)
    fake.on_launch = _tell
    for _ in range(2):
        telling.launch(stream, y)
        assert capsys.readouterr().out == ""
        stream.synchronize()
        assert capsys.readouterr().out == "thread 69\n"
    telling.launch(stream, y)
    fake.fail["cuStreamQuery"] = [0, 600]  # somebody launches behind the wait
    stream.synchronize()
    assert capsys.readouterr().out == ""
    stream.synchronize()
    assert capsys.readouterr().out == "thread 69\n"


def test_what_was_told_before_the_device_was_lost(fake, stream, capsys):
    y = DeviceBuffer.zeros(stream, 100, i32)
    fake.on_launch = _tell
    telling.launch(stream, y)
    fake.fail["cuStreamQuery"] = [700]
    with pytest.raises(DeviceError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
        stream.synchronize()
    assert capsys.readouterr().out == "thread 69\n"


def test_a_collected_stream_tells_once_its_work_is_done(fake, ctx, capsys):
    fake.on_launch = _tell
    for _ in range(20):
        stream = ctx.new_stream()
        telling.launch(stream, DeviceBuffer.zeros(stream, 100, i32))
        del stream
        ctx.new_stream().synchronize()
        assert capsys.readouterr().out == "thread 69\n"
    assert len(ctx.driver._pages) == 1  # the buffer is used again


def test_calls_in_each_other_get_their_stack(fake, stream):
    def down(n: i32) -> i32:
        return 0 if n == 0 else down(n - 1) + 1

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def deep(y: DisjointSlice[i32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = down(idx.get())

    fake.log = b"ptxas info : Used 18 registers, 0 bytes stack frame\n40 bytes stack frame, 16 bytes spill stores, 8 bytes spill loads"
    deep.launch(stream, DeviceBuffer.zeros(stream, 100, i32))
    assert 128 * 40 < fake.stack < 128 * 40 + (64 << 10)
    before = fake.stack
    deep.launch(stream, DeviceBuffer.zeros(stream, 100, i32))
    shifted.launch(stream, DeviceBuffer.zeros(stream, 100, f32), DeviceBuffer.zeros(stream, 100, f32), 0)
    assert fake.stack == before


class Robbed(deque):
    """Looked at it is full; another thread has taken what was there when it is asked."""

    def __bool__(self) -> bool:
        return True


def test_threads_of_the_host_that_ask_for_memory_at_once(ctx, stream):
    driver = ctx.driver
    driver._records, driver._limbo, driver._message_memory = Robbed(), Robbed(), {64: Robbed()}
    stream.synchronize()
    host, device, _ = driver.message_memory(64)
    assert host and device and driver.message_memory(64)[0] != host
    assert driver._record() is not driver._record()
    driver._message_memory[64].append((host, device))
    assert driver.message_memory(64)[:2] == (host, device)


def test_what_is_not_done_yet_stays_for_the_next_wait(fake, ctx, capsys):
    fake.on_launch = _tell
    gone = ctx.new_stream()
    telling.launch(gone, DeviceBuffer.zeros(gone, 100, i32))
    del gone
    gc.collect()
    fake.fail["cuEventQuery"] = [600]
    ctx.driver._empty_limbo()
    assert capsys.readouterr().out == "" and ctx.driver._limbo
    ctx.driver._empty_limbo()
    assert capsys.readouterr().out == "thread 69\n" and not ctx.driver._limbo
