"""Threads that wait for each other for good are a failure of the launch on `interp`, with both places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DevicePanic,
    DisjointSlice,
    SliceMut,
    atomic,
    barrier,
    block,
    debug,
    i32,
    kernel,
    launch_contract,
    shared,
    thread,
    unsafe,
    warp,
)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def halves(y: DisjointSlice[i32], top: i32) -> None:
    idx = thread.index_1d()
    if thread.idx.x >= 32 and thread.idx.x < top:
        with unsafe("both halves come together"):
            if warp.lane < 16:
                warp.sync(mask=0xFFFF_FFFF)  # here
            else:
                warp.sync(mask=0x0001_0001)  # there
    if idx in y:
        y[idx] = 1


def test_the_first_synchronisation_tells_and_the_context_lives_on() -> None:
    ctx = ox.Context("interp")
    stream = ctx.default_stream()
    y = DeviceBuffer.zeros(stream, 64, i32)
    halves.prepare(ctx, 64)(stream, y, 64)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    error = caught.value
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    places = {number for number, line in enumerate(lines, 1) if line.endswith(("# here", "# there"))}
    assert error.code == "OX7004" and error.kernel == "halves" and error.block == (0, 0, 0)
    assert {error.line, *(one.span.line for one in error.diagnostic.labels)} == places
    assert error.thread in ((32, 0, 0), (48, 0, 0)) and "16 threads wait here" in str(error)
    stream.synchronize()
    halves.prepare(ctx, 64)(stream, y, 0)
    np.testing.assert_array_equal(y.to_host(stream), np.ones(64))


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def polls_a_phase(y: SliceMut[i32], count: i32) -> None:
    bars = barrier.array(1)
    with unsafe("as many arrive as it says, if `count` is 32"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, count)
        block.sync()
        barrier.arrive(bars, 0)
        done = False
        while not done:
            done = barrier.try_wait_parity(bars, 0, 0)  # a phase
            barrier.nanosleep(100)
        y[thread.idx.x] = 1


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def polls_a_flag(y: SliceMut[i32], count: i32) -> None:
    flag = shared.array(i32, 1)
    with unsafe("one block"):
        atomic.store(flag, 0, 0)
        block.sync()
        if thread.idx.x == count - 1:
            atomic.store(flag, 0, 1)
        while atomic.load(flag, 0) == 0:  # a flag
            pass
        y[thread.idx.x] = 1


@pytest.mark.parametrize("polling, mark", [(polls_a_phase, "# a phase"), (polls_a_flag, "# a flag")])
def test_loops_that_look_at_what_nobody_changes_are_told(polling: Any, mark: str) -> None:
    ctx = ox.Context("interp")
    stream = ctx.default_stream()
    y = DeviceBuffer.zeros(stream, 32, i32)
    polling.prepare(ctx, 32)(stream, y, 32)
    np.testing.assert_array_equal(y.to_host(stream), np.ones(32))
    polling.prepare(ctx, 32)(stream, y, 33)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert (caught.value.code, caught.value.thread) == ("OX7004", (0, 0, 0)) and "32 threads wait here" in str(caught.value)
    assert (mark == "# a flag") == ("let some thread change what these look at" in str(caught.value))
    with open(__file__, encoding="utf-8") as file:
        assert caught.value.line is not None and file.read().splitlines()[caught.value.line - 1].endswith(mark)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def gives_up(y: SliceMut[i32]) -> None:
    bars = barrier.array(1)
    with unsafe("nobody arrives, and nobody waits for ever"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 32)
        block.sync()
        began, rounds = debug.global_timer(), 0
        while not barrier.test_wait_parity(bars, 0, 0) and rounds < 100:
            rounds += 1
        while not barrier.test_wait_parity(bars, 0, 0) and debug.global_timer() - began < 2_000_000:
            pass
        y[thread.idx.x] = rounds


def test_loops_that_give_up_go_on() -> None:
    ctx = ox.Context("interp")
    stream = ctx.default_stream()
    y = DeviceBuffer.zeros(stream, 32, i32)
    gives_up.prepare(ctx, 32)(stream, y)
    np.testing.assert_array_equal(y.to_host(stream), np.full(32, 100))
