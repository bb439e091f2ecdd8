"""Dynamic shared memory, clusters and cooperative launches: what contract, configuration and device say, on the devices without a GPU."""

from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DisjointSlice,
    LaunchConfig1D,
    LaunchError,
    Slice,
    block,
    cluster_launch,
    cooperative_launch,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    shared,
    thread,
)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def mirrored(x: Slice[f32], y: DisjointSlice[f32], n: i32) -> None:
    s = shared.dynamic(f32, count=n)
    idx = thread.index_1d()
    t = thread.idx.x
    if t < n and idx in y:
        s[t] = x[idx]
    block.sync()
    if t < n and idx in y:
        y[idx] = s[n - 1 - t]


@kernel
@launch_contract(domain=1, block=(64, 1, 1), dynamic_shared=256)
def exact(x: Slice[f32], y: DisjointSlice[f32], n: i32) -> None:
    s = shared.dynamic(f32, count=n)
    idx = thread.index_1d()
    if thread.idx.x < n:
        s[thread.idx.x] = f32(2)
    block.sync()
    if idx in y:
        y[idx] = x[idx] * s[0]


@kernel
@launch_contract(domain=1, block=(64, 1, 1), dynamic_shared=(128, 512))
def ranged(x: Slice[f32], y: DisjointSlice[f32], n: i32) -> None:
    s = shared.dynamic(f32, count=n)
    idx = thread.index_1d()
    if thread.idx.x == 0:
        s[0] = f32(2)
    block.sync()
    if idx in y:
        y[idx] = x[idx] * s[0]


@pytest.fixture(params=["cpu", "interp"])
def ctx(request):
    return ox.Context(request.param)


@pytest.fixture
def stream(ctx):
    return ctx.new_stream()


def pair(stream, n=64):
    return DeviceBuffer.from_host(stream, np.arange(n, dtype=np.float32)), DeviceBuffer.zeros(stream, n, f32)


def test_the_size_follows_from_the_arrays(stream):
    x, y = pair(stream)
    for n in (64, 10):
        mirrored.launch(stream, x, y, n)
        np.testing.assert_array_equal(y.to_host(stream)[:n], np.arange(n)[::-1])


def test_what_the_configuration_gives_is_the_limit(ctx, stream):
    x, y = pair(stream)
    prepared = mirrored.prepare(ctx, LaunchConfig1D(1, 64, dynamic_shared=64))
    prepared(stream, x, y, 16)
    with pytest.raises(LaunchError, match="take 68 bytes of shared memory a block; the launch gives 64") as caught:
        prepared(stream, x, y, 17)
    assert caught.value.code == "OX2003"


@pytest.mark.parametrize(
    ("of", "asked", "text"),
    [
        (exact, 128, "takes 256 bytes of dynamic shared memory, got dynamic_shared=128"),
        (exact, 512, "takes 256 bytes"),
        (ranged, 64, "takes 128 to 512 bytes"),
        (ranged, 513, "takes 128 to 512 bytes"),
    ],
)
def test_the_contract_bounds_the_configuration(ctx, of, asked, text):
    with pytest.raises(LaunchError, match=text) as caught:
        of.prepare(ctx, LaunchConfig1D(1, 64, dynamic_shared=asked))
    assert caught.value.code == "OX2003"


@pytest.mark.parametrize(("of", "most"), [(exact, 256), (ranged, 512)])
def test_the_contract_bounds_the_arrays(ctx, stream, of, most):
    x, y = pair(stream)
    for config in (64, LaunchConfig1D(1, 64, dynamic_shared=256)):
        of.prepare(ctx, config)(stream, x, y, 64)
        np.testing.assert_array_equal(y.to_host(stream), 2 * np.arange(64))
    with pytest.raises(LaunchError, match=f"the launch gives {most}"):
        of.launch(stream, x, y, most // 4 + 1)


def test_the_device_bounds_both(ctx, stream):
    x, y = pair(stream)
    room = ctx.limits.max_shared_memory_optin
    with pytest.raises(LaunchError, match=f"take {room + 4} bytes of shared memory; {ctx.name} allows {room}") as caught:
        mirrored.launch(stream, x, y, room // 4 + 1)
    assert caught.value.code == "OX2003"
    with pytest.raises(LaunchError, match="bytes of shared memory"):
        mirrored.prepare(ctx, LaunchConfig1D(1, 64, dynamic_shared=room + 1))(stream, x, y, 1)

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def large(y: DisjointSlice[f32]) -> None:
        s, t = shared.array(f32, 1 << 15), shared.array(f32, 1 << 15)
        s[thread.idx.x] = t[thread.idx.x] = f32(1)
        block.sync()
        idx = thread.index_1d()
        if idx in y:
            y[idx] = s[thread.idx.x] + t[thread.idx.x]

    with pytest.raises(LaunchError, match=f"take {1 << 18} bytes of shared memory") as caught:
        large.prepare(ctx, 64)
    assert caught.value.code == "OX2003"


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(64, 1, 1))
def clustered(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f32(grid.dim.x)


def test_grids_are_whole_clusters(ctx, stream):
    y = DeviceBuffer.zeros(stream, 130, f32)
    clustered.launch(stream, y)  # three blocks would do
    np.testing.assert_array_equal(y.to_host(stream), np.full(130, 4))
    clustered.prepare(ctx, 130)(stream, y)
    np.testing.assert_array_equal(y.to_host(stream), np.full(130, 4))
    with pytest.raises(LaunchError, match=r"is 3 along x, no multiple of its clusters of 2(.|\n)*a grid of 4") as caught:
        clustered.prepare(ctx, LaunchConfig1D(3, 64))
    assert caught.value.code == "OX2003"
    clustered.launch(stream, DeviceBuffer.zeros(stream, 0, f32))


@kernel
@cluster_launch(17)
@launch_contract(domain=1, block=(64, 1, 1))
def crowded(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f32(1)


def test_clusters_are_no_larger_than_any_device_takes(ctx):
    with pytest.raises(LaunchError, match="the clusters of `crowded` have 17 blocks; no device takes more than 16") as caught:
        crowded.prepare(ctx, LaunchConfig1D(34, 64))
    assert caught.value.code == "OX2003"


@kernel
@cooperative_launch
@launch_contract(domain=1, block=(64, 1, 1))
def meeting(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] + f32(1)
    grid.sync()


def test_cooperative_launches():
    ctx = ox.Context("interp")
    stream = ctx.new_stream()
    x, y = pair(stream, 200)
    meeting.launch(stream, x, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(200) + 1)
    with pytest.raises(ox.CompileError) as caught:
        meeting.prepare(ox.Context("cpu"), 64)
    assert caught.value.code == "OX6001"


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def table(y: DisjointSlice[f32], rows: i32, columns: i32) -> None:
    s = shared.dynamic(f32, count=(rows, columns))
    idx = thread.index_1d()
    t = thread.idx.x
    if t < rows and columns > 0:
        s[t, columns - 1] = f32(t)
    block.sync()
    if t < rows and columns > 0 and idx in y:
        y[idx] = s[rows - 1 - t, columns - 1]


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_tables_of_a_size_known_at_the_launch(device: str) -> None:
    stream = ox.Context(device).new_stream()
    y = DeviceBuffer.zeros(stream, 64, f32)
    table.launch(stream, y, 64, 3)
    assert y.to_host(stream).tolist() == list(range(63, -1, -1))
    table.launch(stream, y, 0, 1 << 20)
    for rows, columns in ((1 << 16, 1 << 16), (1 << 20, 1 << 12), ((1 << 31) - 1, 2)):
        with pytest.raises(LaunchError) as refused:
            table.launch(stream, y, rows, columns)
        assert refused.value.code in ("OX2003", "OX2005")  # more than there is, or than an index counts


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_a_negative_count_is_none(device: str) -> None:
    stream = ox.Context(device).new_stream()
    x, y = DeviceBuffer.zeros(stream, 64, f32), DeviceBuffer.zeros(stream, 64, f32)
    mirrored.launch(stream, x, y, -1)
    assert not y.to_host(stream).any()
    table.launch(stream, y, -2, -3)
    assert not y.to_host(stream).any()
