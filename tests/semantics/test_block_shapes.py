"""Blocks of odd shapes: barriers, votes, reductions, local and shared memory come out as NumPy says, on every device."""

# pyright: basic
from __future__ import annotations

import time

import numpy as np
import pytest
from frontend.running import lowered

import oxidepy as ox
from oxidepy import (
    LaunchConfig1D,
    LaunchConfig2D,
    LaunchConfig3D,
    Slice,
    SliceMut,
    block,
    i32,
    kernel,
    launch_contract,
    local,
    shared,
    thread,
    warp,
)
from oxidepy.backend.cpu import llvm_text
from oxidepy.backend.llvm import engine
from oxidepy.backend.targets import cpu_target
from oxidepy.settings.options import CodegenOptions


def rounds(t: i32, n: i32, x: Slice[i32], out: SliceMut[i32]) -> None:
    """Each thread changes elements with others in every round, and keeps numbers of its own across the barriers."""
    threads = block.dim.x * block.dim.y * block.dim.z
    s = shared.array(i32, 128)
    own = local.array(i32, 3)
    value = x[t]
    own[t % 3] = value
    own[(t + 1) % 3] = 1
    own[(t + 2) % 3] = t
    for r in range(n):
        s[(t + r) % threads] = value + r
        block.sync()
        value = s[threads - 1 - t] + own[r % 3]
        block.sync()
    even = block.count(value % 2 == 0)
    before = block.scan_sum(value, exclusive=True)
    most = block.reduce_max(value if t > n else -value)
    beside = warp.active.shuffle_xor(value, 1)
    out[t] = value
    out[128 + t] = even
    out[256 + t] = before
    out[384 + t] = most
    out[512 + t] = beside


@kernel(unsafe="one block")
@launch_contract(domain=1, block=(1, 1, 1))
def single(n: i32, x: Slice[i32], out: SliceMut[i32]) -> None:
    rounds(thread.idx.x, n, x, out)


@kernel(unsafe="one block")
@launch_contract(domain=2, block=(1, 33, 1))
def upright(n: i32, x: Slice[i32], out: SliceMut[i32]) -> None:
    rounds(thread.idx.y, n, x, out)


@kernel(unsafe="one block")
@launch_contract(domain=3, block=(7, 5, 3))
def odd(n: i32, x: Slice[i32], out: SliceMut[i32]) -> None:
    rounds(thread.idx.x + 7 * thread.idx.y + 35 * thread.idx.z, n, x, out)


@pytest.mark.parametrize("n", [0, 4])
@pytest.mark.parametrize(
    ("one", "config"),
    [
        (single, LaunchConfig1D(1, 1)),
        (upright, LaunchConfig2D((1, 1), (1, 33))),
        (odd, LaunchConfig3D((1, 1, 1), (7, 5, 3))),
    ],
    ids=["1", "1x33", "7x5x3"],
)
def test_blocks_of_any_shape(stream, one, config, n):
    threads = int(np.prod(config.block))
    t, value = np.arange(threads), np.arange(threads) * 37 % 101 - 20
    x = ox.DeviceBuffer.from_host(stream, value.astype(np.int32))
    out = ox.DeviceBuffer.zeros(stream, 640, i32)
    one.prepare(stream.context, config)(stream, n, x, out)
    own = np.zeros((threads, 3), int)
    own[t, t % 3], own[t, (t + 1) % 3], own[t, (t + 2) % 3] = value, 1, t
    for r in range(n):
        s = np.zeros(threads, int)
        s[(t + r) % threads] = value + r
        value = s[::-1] + own[:, r % 3]
    got = out.to_host(stream).reshape(5, 128)[:, :threads]
    np.testing.assert_array_equal(got[0], value)
    np.testing.assert_array_equal(got[1], np.full(threads, (value % 2 == 0).sum()))
    np.testing.assert_array_equal(got[2], np.cumsum(value) - value)
    np.testing.assert_array_equal(got[3], np.full(threads, np.where(t > n, value, -value).max()))
    np.testing.assert_array_equal(got[4], value[np.where((t ^ 1) < threads, t ^ 1, t)])


def test_blocks_of_three_odd_axes_compile_in_no_time():
    """Three loops over threads that LLVM wrote out inside each other took ten seconds of this kernel."""
    text = llvm_text(lowered(odd), cpu_target(), CodegenOptions())
    begin = time.process_time()
    engine.object_code(text, *engine.host(), 3, False)
    assert time.process_time() - begin < 6
