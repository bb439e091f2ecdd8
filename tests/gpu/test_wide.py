"""Runs, views and wide accesses on a CUDA GPU: the same numbers at every alignment and length."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest
from backend.test_wide import Four, runs

import oxidepy as ox
from oxidepy import (
    D2,
    DeviceBuffer,
    DevicePanic,
    DisjointSlice,
    LaunchConfig1D,
    Runs,
    Runtime2D,
    Slice,
    f32,
    kernel,
    launch_contract,
    thread,
    u8,
    unroll,
)

pytestmark = pytest.mark.gpu


@kernel
@launch_contract(domain=1, block=128)
def bytes_turned(x: Slice[u8], y: DisjointSlice[u8, Runs[16]]) -> None:
    for run in thread.grid_stride(y):
        if run in y:
            for k in unroll(range(16)):
                y[run, k] = x[run, 15 - k]


@kernel
def swapped(x: Slice[Four], y: DisjointSlice[Four]) -> None:
    idx = thread.index_1d()
    if idx in y:
        one = x[idx]
        y[idx] = Four(one.w, one.z, one.y, one.x)


@kernel
@launch_contract(domain=2, block=(16, 16))
def product(a: Slice[f32, D2], b: Slice[f32, D2], c: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(c)
    if idx in c:
        total = f32(0)
        for x, y in zip(a.row(idx.row), b.col(idx.col), strict=True):
            total += x * y
        c[idx] = total


@pytest.fixture
def ctx():
    return ox.Context("cuda:0")


@pytest.mark.parametrize("n", [0, 1, 3, 4, 1023, 4096, 100_001])
@pytest.mark.parametrize("shift", [0, 1, 2, 3, 4])
def test_every_length_at_every_alignment(ctx, n: int, shift: int) -> None:
    stream = ctx.new_stream()
    host = np.arange(n + shift, dtype=np.float32)
    x, y = DeviceBuffer.from_host(stream, host), DeviceBuffer.zeros(stream, n + 4, f32)
    runs.launch(stream, x[shift:], y[shift : n + shift] if shift < 4 else y[4:])
    place = shift if shift < 4 else 4
    got = y.to_host(stream)
    np.testing.assert_array_equal(got[place : place + n], 2 * host[shift:])
    assert not got[:place].any() and not got[place + n :].any()


def test_both_variants_are_used(ctx) -> None:
    stream = ctx.new_stream()
    x, y = DeviceBuffer.zeros(stream, 64, f32), DeviceBuffer.zeros(stream, 64, f32)
    for part in (x, x[1:], x):
        runs.launch(stream, part, y[: len(part)])
    stream.synchronize()
    facts = [loaded.facts.get("aligned") for context, _, loaded in runs.loaded() if context is ctx]
    assert 16 in facts and None in facts


def test_bytes_and_structs(ctx) -> None:
    stream = ctx.new_stream()
    host = np.random.default_rng(1).integers(0, 255, 160_016).astype(np.uint8)
    x, y = DeviceBuffer.from_host(stream, host), DeviceBuffer.zeros(stream, host.size, u8)
    bytes_turned.prepare(ctx, LaunchConfig1D(grid=8, block=128))(stream, x, y)
    np.testing.assert_array_equal(y.to_host(stream), host.reshape(-1, 16)[:, ::-1].reshape(-1))
    values = np.random.default_rng(2).random((1000, 4)).astype(np.float32)
    dtype = [(name, np.float32) for name in "xyzw"]
    a = DeviceBuffer.from_host(stream, values.view(dtype).reshape(-1))
    b = DeviceBuffer.zeros(stream, 1000, Four)
    swapped.launch(stream, a, b)
    np.testing.assert_array_equal(b.to_host(stream).view(np.float32).reshape(-1, 4), values[:, ::-1])


def test_a_run_outside_is_a_panic(ctx) -> None:
    stream = ctx.new_stream()
    x, y = DeviceBuffer.zeros(stream, 6, f32), DeviceBuffer.zeros(stream, 8, f32)
    runs.launch(stream, x, y)
    with pytest.raises(DevicePanic) as panic:
        y.to_host(stream)
    assert (panic.value.index, panic.value.length, panic.value.thread) == (7, 6, (1, 0, 0))


def test_views(ctx) -> None:
    stream = ctx.new_stream()
    rng = np.random.default_rng(3)
    a, b = rng.random((65, 33)).astype(np.float32), rng.random((33, 70)).astype(np.float32)
    c = DeviceBuffer.zeros(stream, (65, 70), f32)
    product.launch(stream, DeviceBuffer.from_host(stream, a), DeviceBuffer.from_host(stream, b), c)
    np.testing.assert_allclose(c.to_host(stream), a @ b, rtol=1e-5)
