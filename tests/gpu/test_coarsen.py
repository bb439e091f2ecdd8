"""Kernels that run several blocks as one, on a CUDA GPU: the same numbers and panics as if they did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DevicePanic,
    DisjointSlice,
    LaunchConfig,
    LaunchConfig1D,
    Slice,
    block,
    f32,
    f64,
    i16,
    i32,
    kernel,
    launch_contract,
    struct,
    thread,
    u8,
    unsafe,
)

pytestmark = pytest.mark.gpu
SIZES = (1, 255, 256, 1023, 1024, 1025, 4097, (1 << 20) + 3)


@struct
@dataclass(frozen=True)
class Pair:
    x: f32
    y: f32


@kernel
@launch_contract(domain=1, block=256)
def add(a: Slice[f32], b: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + b[idx]


@kernel
@launch_contract(domain=1, block=256)
def saxpy(alpha: f32, x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = alpha * x[idx] + y[idx]


@kernel
@launch_contract(domain=1, block=256)
def grow(k: f32, n: i32, p: DisjointSlice[Pair]) -> None:
    idx = thread.index_1d()
    if idx not in p or idx.get() >= n:
        return
    p[idx].x += k
    p[idx].y -= p[idx].x


@kernel
@launch_contract(domain=1, block=256)
def widen(x: Slice[u8], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = i32(x[idx]) + block.idx.x * 1000 + thread.idx.x


@kernel
@launch_contract(domain=1, block=256)
def shorts(x: Slice[i16], y: DisjointSlice[i16]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] + x[idx]


@kernel
@launch_contract(domain=1, block=256)
def doubles(x: Slice[f64], y: DisjointSlice[f64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] if x[idx] > 0.0 else x[idx] * 0.5


@pytest.fixture(scope="module")
def ctx() -> ox.Context:
    return ox.Context("cuda:0")


@pytest.fixture(scope="module")
def stream(ctx: ox.Context) -> ox.Stream:
    return ctx.new_stream()


def floats(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(n).astype(np.float32)


def factor(made: Any) -> int:
    found: int = made.loaded()[-1][2].facts.get("coarsen", 1)
    return found


@pytest.mark.parametrize("n", SIZES)
def test_every_size(stream: ox.Stream, n: int) -> None:
    a, b = floats(n, 1), floats(n, 2)
    da, db, dc = DeviceBuffer.from_host(stream, a), DeviceBuffer.from_host(stream, b), DeviceBuffer.zeros(stream, n, f32)
    add.launch(stream, da, db, dc)
    np.testing.assert_array_equal(dc.to_host(stream), a + b)
    saxpy.launch(stream, 0.5, da, db)
    np.testing.assert_array_equal(db.to_host(stream), a * np.float32(0.5) + b)  # exact: half of a float is one
    small = np.arange(n).astype(np.uint8)
    wide = DeviceBuffer.zeros(stream, n, i32)
    widen.launch(stream, DeviceBuffer.from_host(stream, small), wide)
    np.testing.assert_array_equal(wide.to_host(stream), small + np.arange(n) // 256 * 1000 + np.arange(n) % 256)
    for made, dtype, work in ((shorts, np.int16, lambda x: x + x), (doubles, np.float64, lambda x: np.where(x > 0, x, x * 0.5))):
        x = (floats(n, 3) * 100).astype(dtype)
        y = DeviceBuffer.from_host(stream, np.zeros(n, dtype))
        made.launch(stream, DeviceBuffer.from_host(stream, x), y)
        np.testing.assert_array_equal(y.to_host(stream), work(x))
    assert [factor(one) for one in (add, saxpy, widen, shorts, doubles)] == [4, 4, 8, 8, 2]


@pytest.mark.parametrize("n", SIZES)
def test_structs_in_place(stream: ox.Stream, n: int) -> None:
    host = np.zeros(n, [("x", np.float32), ("y", np.float32)])
    host["x"], host["y"] = np.arange(n), 1
    pairs = DeviceBuffer.from_host(stream, host)
    some = max(n - 300, 0)
    grow.launch(stream, 2.0, some, pairs)
    host["x"][:some] += 2
    host["y"][:some] -= host["x"][:some]
    np.testing.assert_array_equal(pairs.to_host(stream), host)
    assert factor(grow) == 2


@pytest.mark.parametrize(("start", "stop"), [(0, 1024), (1, 1026), (3, 5000), (1023, 5119), (4999, 5000)])
def test_sub_buffers_leave_the_rest_alone(stream: ox.Stream, start: int, stop: int) -> None:
    a, b = floats(6000, 4), floats(6000, 5)
    da, db, dc = DeviceBuffer.from_host(stream, a), DeviceBuffer.from_host(stream, b), DeviceBuffer.zeros(stream, 6000, f32)
    add.launch(stream, da[start:stop], db[start - 1 if start else 0 : stop], dc[start:stop])
    wanted = np.zeros(6000, np.float32)
    wanted[start:stop] = a[start:stop] + b[start - 1 if start else 0 :][: stop - start]
    np.testing.assert_array_equal(dc.to_host(stream), wanted)


@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 5, 7, 8, 9, 20])
def test_only_the_blocks_of_the_grid_run(ctx: ox.Context, stream: ox.Stream, blocks: int) -> None:
    """The buffers are longer than the grid."""
    a = floats(256 * 20, 6)
    da, dc = DeviceBuffer.from_host(stream, a), DeviceBuffer.zeros(stream, len(a), f32)
    add.prepare(ctx, LaunchConfig1D(blocks, 256))(stream, da, da, dc)
    wanted = np.where(np.arange(len(a)) < blocks * 256, a + a, np.float32(0))
    np.testing.assert_array_equal(dc.to_host(stream), wanted)
    with unsafe("the buffers are apart, one thread an element"):
        dc.fill(stream, 0.0)
        add.launch_unchecked(stream, LaunchConfig(grid=(blocks, 1, 1), block=(256, 1, 1)), da, da, dc)
    np.testing.assert_array_equal(dc.to_host(stream), wanted)


@pytest.mark.parametrize("short", [0, 1, 255, 1024, 4000, 9999, 10_239])
@pytest.mark.parametrize("which", [0, 1])
def test_a_short_input_panics_where_it_ends_and_the_context_lives_on(stream: ox.Stream, short: int, which: int) -> None:
    n = 10_240
    inputs = [DeviceBuffer.zeros(stream, n, f32), DeviceBuffer.zeros(stream, n, f32)]
    c = DeviceBuffer.zeros(stream, n, f32)
    given = list(inputs)
    given[which] = inputs[which][:short]
    add.launch(stream, *given, c)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    panic = caught.value
    assert (panic.code, panic.kernel, panic.length) == ("OX7001", "add", short)
    assert panic.line == add.definition.function.__code__.co_firstlineno + 5
    assert panic.index is not None and short <= panic.index < n
    assert panic.block == (panic.index // 256, 0, 0) and panic.thread == (panic.index % 256, 0, 0)
    add.launch(stream, *inputs, c)
    assert not c.to_host(stream).any()


def test_threads_that_do_not_fail_do_their_work(stream: ox.Stream) -> None:
    """A failed check skips one element, not the others of the same thread of the hardware."""
    n, short = 10_240, 5000
    a, c = DeviceBuffer.from_host(stream, np.ones(n, np.float32)), DeviceBuffer.zeros(stream, n, f32)
    add.launch(stream, a, a[:short], c)
    with pytest.raises(DevicePanic):
        stream.synchronize()
    np.testing.assert_array_equal(c.to_host(stream)[: short // 256 * 256], 2)


def test_many_failing_threads(stream: ox.Stream) -> None:
    a, c = DeviceBuffer.zeros(stream, 10, f32), DeviceBuffer.zeros(stream, 1 << 22, f32)
    add.launch(stream, a, a, c)
    with pytest.raises(DevicePanic):
        stream.synchronize()
    stream.synchronize()
