"""Programs with clusters: each runs on the context that it is given, and gives what comes out and what should."""

# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import oxidepy as ox
from oxidepy import D3, SliceMut, atomic, block, cluster, cluster_launch, f32, i32, kernel, launch_contract, shared, thread, u32, unsafe

Pair = tuple[Any, Any]


@kernel
@cluster_launch(2, 3)
@launch_contract(domain=2, block=(4, 2, 1))
def places(y: SliceMut[i32, D3]) -> None:
    row, column = block.idx.y, block.idx.x
    with unsafe("one thread of each block, and a place for each block"):
        if thread.idx.x + thread.idx.y == 0:
            y[row, column, 0] = cluster.idx.x
            y[row, column, 1] = cluster.idx.y
            y[row, column, 2] = cluster.idx.z
            y[row, column, 3] = cluster.dim.x
            y[row, column, 4] = cluster.dim.y
            y[row, column, 5] = cluster.dim.z
            y[row, column, 6] = cluster.rank
            y[row, column, 7] = cluster.size


def coordinates(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, (6, 4, 8), i32)
    places.prepare(ctx, ox.LaunchConfig2D(grid=(4, 6), block=(4, 2)))(stream, y)
    wanted = [[x % 2, row % 3, 0, 2, 3, 1, x % 2 + 2 * (row % 3), 6] for row in range(6) for x in range(4)]
    return (y.to_host(stream).reshape(-1, 8), wanted)


@kernel
@cluster_launch(4)
@launch_contract(domain=1, block=(64, 1, 1))
def around(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = cluster.rank * 100 + t
    cluster.sync()
    with unsafe("the cluster's barriers stand before and behind"):
        following = cluster.map_shared(s, (cluster.rank + 1) % cluster.size)
        seen = following[63 - t]
        cluster.sync()
        following[t] = -t
        cluster.arrive()
        cluster.wait()
        if i < len(y):
            y[i] = seen * 1000 + s[t]


def ring(ctx: ox.Context) -> Pair:
    """Each block reads what the next one wrote, then writes there."""
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 512, i32)
    around.prepare(ctx, 512)(stream, y)
    t, rank = np.arange(512) % 64, np.arange(512) // 64 % 4
    return (y.to_host(stream), ((rank + 1) % 4 * 100 + 63 - t) * 1000 - t)


@kernel
@cluster_launch(4)
@launch_contract(domain=1, block=(64, 1, 1))
def each_its_own(y: SliceMut[i32]) -> None:
    s = shared.array(i32, (4, 16))
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t // 16, t % 16] = cluster.rank * 1000 + t
    cluster.sync()
    with unsafe("nobody writes between the barriers"):
        far = cluster.map_shared(s, t % 4)  # another block for each thread
        value = far[3 - t // 16, t % 16]
        cluster.sync()
        if i < len(y):
            y[i] = value


def ranks_of_threads(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 256, i32)
    each_its_own.prepare(ctx, 256)(stream, y)
    t = np.arange(256) % 64
    return (y.to_host(stream), t % 4 * 1000 + (3 - t // 16) * 16 + t % 16)


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(128, 1, 1))
def counted(bins: SliceMut[u32], sums: SliceMut[f32]) -> None:
    counts = shared.array(u32, 8)
    totals = shared.array(f32, 1)
    t = thread.idx.x
    if t < 8:
        counts[t] = 0
    if t == 0:
        totals[0] = 0
    cluster.sync()
    with unsafe("all meet in the first block's arrays by atomics, between the cluster's barriers"):
        atomic.add(cluster.map_shared(counts, 0), (t + cluster.rank) % 8, u32(1), scope="cluster")
        atomic.add(cluster.map_shared(totals, 0), 0, f32(t), scope="cluster")
        cluster.sync()
        number = block.idx.x // cluster.size
        if cluster.rank == 0:
            if t < 8:
                bins[number * 8 + t] = counts[t]
            if t == 0:
                sums[number] = totals[0]


def atomics(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    bins, sums = ox.DeviceBuffer.zeros(stream, 24, u32), ox.DeviceBuffer.zeros(stream, 3, f32)
    counted.prepare(ctx, 768)(stream, bins, sums)
    return [*bins.to_host(stream), *sums.to_host(stream)], [32] * 24 + [2 * sum(range(128))] * 3


PROGRAMS: dict[str, Callable[[ox.Context], Pair]] = {one.__name__: one for one in (coordinates, ring, ranks_of_threads, atomics)}
