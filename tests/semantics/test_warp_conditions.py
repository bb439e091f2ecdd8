"""Control flow that all lanes of a warp take together, because each has the same result of them all, on every device."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DeviceBuffer, DisjointSlice, Slice, block, f32, f64, i32, kernel, launch_contract, shared, thread, warp


@pytest.fixture(params=["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def stream(request):
    if request.param.startswith("cuda") and not ox.is_available("cuda"):
        pytest.skip("no CUDA device")
    return ox.Context(request.param).default_stream()


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def relaxed(x: Slice[f32], y: DisjointSlice[f32], rounds: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    value = x[idx] if idx in x else 0.0
    n = 0
    while warp.reduce_max(abs(value)) > 0.5:
        value = (value + warp.shuffle_xor(value, 1)) * 0.25
        n += 1
        if warp.shuffle(value, 31) > 100.0:
            value = value * 0.5 + warp.reduce_min(value)
    if idx in y and idx in rounds:
        y[idx] = value
        rounds[idx] = n


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def relaxed_by_blocks(x: Slice[f64], y: DisjointSlice[f64], rounds: DisjointSlice[i32]) -> None:
    """A block of one warp: what is equal in the warp is equal in the block."""
    s = shared.array(f64, 32)
    t = thread.idx.x
    idx = thread.index_1d()
    value = x[idx] if idx in x else 0.0
    n = 0
    while block.reduce_max(abs(value)) > 0.5:
        s[t] = value
        block.sync()
        value = (value + s[(t + 1) % 32]) * 0.25
        block.sync()
        n += 1
    if idx in y and idx in rounds:
        y[idx] = value
        rounds[idx] = n


@pytest.mark.parametrize("one", [relaxed, relaxed_by_blocks])
def test_rounds_until_all_lanes_are_content(stream, one):
    dtype = np.float32 if one is relaxed else np.float64
    x = (np.arange(200) ** 2 % 777).astype(dtype)
    x[150] = np.nan
    y, rounds = DeviceBuffer.zeros(stream, 200, dtype), DeviceBuffer.zeros(stream, 200, i32)
    one.launch(stream, DeviceBuffer.from_host(stream, x), y, rounds)
    t, values, counts = np.arange(32), [], []
    for start in range(0, 200, 32):
        value, n = np.zeros(32, dtype), 0
        inside = x[start : start + 32]
        value[: len(inside)] = inside
        while np.nanmax(np.abs(value)) > 0.5:
            value = (value + value[t ^ 1 if one is relaxed else (t + 1) % 32]) * dtype(0.25)
            n += 1
            if one is relaxed and value[31] > 100:
                value = value * dtype(0.5) + np.nanmin(value)
        values.append(value[: len(inside)])
        counts.append(np.full(len(inside), n))
    np.testing.assert_array_equal(y.to_host(stream), np.concatenate(values))
    np.testing.assert_array_equal(rounds.to_host(stream), np.concatenate(counts))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def halves_of_a_warp(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, 64)
    idx = thread.index_1d()
    t = thread.idx.x
    value = f32(0)
    s[t] = x[idx] if idx in x else 0.0
    if warp.lane < 16:
        warp.sync(mask=0xFFFF)
        value = s[t ^ 1]
        warp.sync(mask=0xFFFF)
        s[t] = value
    else:
        s[t] = 2.0 * s[t]
        warp.sync(mask=0xFFFF_0000)
        value = s[t ^ 3]
    if idx in y:
        y[idx] = value + s[t]


def test_lanes_that_come_together_see_what_they_wrote(stream):
    x = np.arange(192, dtype=np.float32)
    y = DeviceBuffer.zeros(stream, 192, f32)
    halves_of_a_warp.launch(stream, DeviceBuffer.from_host(stream, x), y)
    at = np.arange(192)
    expected = np.where(at % 32 < 16, 2 * x[at ^ 1], 2 * x[at ^ 3] + 2 * x)
    np.testing.assert_array_equal(y.to_host(stream), expected)
