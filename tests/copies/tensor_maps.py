"""Programs with tensor maps and runs of bytes; each gives what comes out and what should."""

# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import oxidepy as ox
from oxidepy import (
    D1,
    D2,
    D3,
    Slice,
    SliceMut,
    barrier,
    block,
    cluster,
    cluster_launch,
    f16,
    f32,
    i32,
    kernel,
    launch_contract,
    shared,
    thread,
    tma,
    u32,
    unroll,
    unsafe,
)

Pair = tuple[Any, Any]
WHY = "the barrier's phase is over when the box has come, and nobody reads before"


@kernel
@launch_contract(domain=2, block=(32, 1, 1))
def transposed(x: tma.TensorMap[f32, D2], y: tma.TensorMapMut[f32, D2]) -> None:
    s = shared.array(f32, (16, 32), align=128)
    turned = shared.array(f32, (32, 16), align=128)
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe(WHY):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
        block.sync()
        if t == 0:
            tma.prefetch_map(x)
            tma.load(s, (0, 0), x, (block.idx.y * 16, block.idx.x * 32), bars, 0)
            barrier.arrive_expect_tx(bars, 0, 16 * 32 * 4)
        barrier.wait_parity(bars, 0, 0)
        for k in unroll(range(16)):
            turned[t, k] = s[k, t]
        barrier.fence_proxy_async("shared")
        block.sync()
        if t == 0:
            tma.store(y, (block.idx.x * 32, block.idx.y * 16), turned, (0, 0))
            tma.commit()
            tma.wait()


def boxes(ctx: ox.Context) -> Pair:
    """Boxes in and out, some of them over the edges."""
    stream = ctx.default_stream()
    host = np.random.default_rng(0).normal(size=(40, 100)).astype(np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, (100, 40), f32)
    maps = tma.tensor_map(x, (16, 32)), tma.tensor_map(y, (32, 16))
    transposed.prepare(ctx, ox.LaunchConfig2D(grid=(4, 3), block=(32, 1)))(stream, *maps)
    return y.to_host(stream), host.T


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def line(x: tma.TensorMap[i32, D1], at: i32, y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64, align=128)
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe(WHY):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
        block.sync()
        if t == 0:
            tma.load(s, 0, x, at, bars, 0)
            barrier.arrive_expect_tx(bars, 0, 256)
        barrier.wait_parity(bars, 0, 0)
        y[t] = s[t]


def outside_is_zero(ctx: ox.Context) -> Pair:
    """One axis, before its beginning and behind its end."""
    stream = ctx.default_stream()
    x, y = ox.DeviceBuffer.from_host(stream, np.arange(1, 101, dtype=np.int32)), ox.DeviceBuffer.zeros(stream, 64, i32)
    map = tma.tensor_map(x, 64)
    found: list[int] = []
    for at in (-8, 0, 72, 200):
        line.prepare(ctx, 64)(stream, map, at, y)
        found += y.to_host(stream).tolist()
    padded = np.zeros(400, np.int64)
    padded[100:200] = np.arange(1, 101)
    return found, [one for at in (-8, 0, 72, 200) for one in padded[100 + at : 164 + at]]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def through(
    a: tma.TensorMap[i32, D3],
    b: tma.TensorMap[i32, tma.D4],
    c: tma.TensorMap[i32, tma.D5],
    d: tma.TensorMapMut[i32, D3],
    e: tma.TensorMapMut[i32, tma.D4],
    f: tma.TensorMapMut[i32, tma.D5],
) -> None:
    s = shared.array(i32, (3, 256), align=128)
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe(WHY):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
            tma.load(s, (0, 0), a, (1, 0, 4), bars, 0)
            tma.load(s, (1, 0), b, (0, 1, -1, 0), bars, 0)
            tma.load(s, (2, 0), c, (0, 1, 0, 2, 0), bars, 0)
            barrier.arrive_expect_tx(bars, 0, (2 * 4 * 8 + 2 * 2 * 3 * 4 + 2 * 2 * 2 * 2 * 4) * 4)
            barrier.wait_parity(bars, 0, 0)
            tma.store(d, (0, 2, 0), s, (0, 0))
            tma.store(e, (1, 0, 1, 0), s, (1, 0))
            tma.commit()
            tma.store(f, (0, 1, 1, 1, 0), s, (2, 0))
            tma.commit()
            tma.wait(1)
            tma.wait()


def three_to_five_axes(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    rng = np.random.default_rng(3)
    shapes = ((3, 5, 16), (3, 3, 4, 8), (2, 3, 2, 4, 4))
    boxes_ = ((2, 4, 8), (2, 2, 3, 4), (2, 2, 2, 2, 4))
    begins = (((1, 0, 4), (0, 2, 0)), ((0, 1, -1, 0), (1, 0, 1, 0)), ((0, 1, 0, 2, 0), (0, 1, 1, 1, 0)))
    hosts = [rng.integers(1, 1000, size=shape).astype(np.int32) for shape in shapes]
    inputs = [ox.DeviceBuffer.from_host(stream, one.reshape(-1)) for one in hosts]
    outputs = [ox.DeviceBuffer.zeros(stream, one.size, i32) for one in hosts]
    maps = [
        tma.tensor_map(one, box, shape=shape) for group in (inputs, outputs) for one, box, shape in zip(group, boxes_, shapes, strict=True)
    ]
    through.prepare(ctx, 32)(stream, *maps)
    wanted: list[int] = []
    for host, box, (begin, end) in zip(hosts, boxes_, begins, strict=True):
        out = np.zeros_like(host)
        for at in np.ndindex(box):
            source, to = np.add(begin, at), np.add(end, at)
            inside = (source >= 0).all() and (source < host.shape).all()
            if (to < host.shape).all():
                out[tuple(to)] = host[tuple(source)] if inside else 0
        wanted += out.reshape(-1).tolist()
    return [one for out in outputs for one in out.to_host(stream)], wanted


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def swizzled(x: tma.TensorMap[f16, D2], bytes_: i32, y: SliceMut[f16, D2], back: tma.TensorMapMut[f16, D2]) -> None:
    s = shared.array(f16, 64 * 64, align=1024)
    bars = barrier.array(1)
    t = thread.idx.x
    columns = bytes_ // 2
    with unsafe(WHY):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
        block.sync()
        if t == 0:
            tma.load(s, 0, x, (0, 0), bars, 0)
            barrier.arrive_expect_tx(bars, 0, 64 * bytes_)
        barrier.wait_parity(bars, 0, 0)
        for k in range(columns):
            at = t * bytes_ + k * 2
            moved = at ^ ((at >> 7) & (bytes_ // 16 - 1)) << 4
            y[t, k] = s[moved // 2]
        block.sync()
        if t == 0:
            tma.store(back, (0, 0), s, 0)
            tma.commit()
            tma.wait_read()
            tma.wait()


def swizzles(ctx: ox.Context) -> Pair:
    """The three patterns, read by hand and written back."""
    stream = ctx.default_stream()
    found: list[float] = []
    wanted: list[float] = []
    for bytes_ in (32, 64, 128):
        host = np.arange(64 * bytes_ // 2, dtype=np.float16).reshape(64, bytes_ // 2)
        x = ox.DeviceBuffer.from_host(stream, host)
        y, z = ox.DeviceBuffer.zeros(stream, host.shape, f16), ox.DeviceBuffer.zeros(stream, host.shape, f16)
        maps = [tma.tensor_map(one, (64, bytes_ // 2), swizzle=bytes_) for one in (x, z)]
        swizzled.prepare(ctx, 64)(stream, maps[0], bytes_, y, maps[1])
        found += [*y.to_host(stream).reshape(-1), *z.to_host(stream).reshape(-1)]
        wanted += [*host.reshape(-1)] * 2
    return found, wanted


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def added(sums: tma.TensorMapMut[f32, D2], least: tma.TensorMapMut[i32, D1], bits_: tma.TensorMapMut[u32, D1]) -> None:
    s = shared.array(f32, (4, 32), align=128)
    low = shared.array(i32, 32, align=128)
    word = shared.array(u32, 32, align=128)
    t = thread.idx.x
    with unsafe("the fence and the barrier stand between writing and copying"):
        for k in unroll(range(4)):
            s[k, t] = f32(block.idx.x + k)
        low[t] = 100 - block.idx.x * 10 + t
        word[t] = u32(1) << u32(block.idx.x)
        barrier.fence_proxy_async("shared")
        block.sync()
        if t == 0:
            tma.reduce(sums, (0, 0), s, (0, 0))
            tma.reduce(least, 0, low, 0, "min")
            tma.reduce(bits_, 0, word, 0, operation="or")
            tma.commit()
            tma.wait()


def reductions(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    sums = ox.DeviceBuffer.from_host(stream, np.ones((4, 32), np.float32))
    least = ox.DeviceBuffer.from_host(stream, np.full(32, 75, np.int32))
    word = ox.DeviceBuffer.zeros(stream, 32, u32)
    maps = tma.tensor_map(sums, (4, 32)), tma.tensor_map(least, 32), tma.tensor_map(word, 32)
    added.prepare(ctx, 4 * 32)(stream, *maps)
    found = [*sums.to_host(stream).reshape(-1), *least.to_host(stream), *word.to_host(stream)]
    return found, [*(1 + 6 + 4 * k for k in range(4) for _ in range(32)), *(min(75, 70 + t) for t in range(32)), *[15] * 32]


@kernel
@cluster_launch(4)
@launch_contract(domain=1, block=(64, 1, 1))
def spread(x: tma.TensorMap[i32, D2], y: SliceMut[i32]) -> None:
    s = shared.array(i32, (4, 32), align=128)
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe("each block brings a row to all, and the blocks live until all rows have come"):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
            barrier.arrive_expect_tx(bars, 0, 4 * 128)
        cluster.sync()
        if t == 0:
            tma.load(s, (cluster.rank, 0), x, (block.idx.x, 0), bars, 0, blocks=15)
        barrier.wait_parity(bars, 0, 0)
        for k in unroll(range(2)):
            y[block.idx.x * 128 + k * 64 + t] = s[k * 2 + t // 32, t % 32]
        cluster.sync()


def multicast(ctx: ox.Context) -> Pair:
    """Every block of a cluster loads a part for all of them."""
    stream = ctx.default_stream()
    host = np.arange(8 * 32, dtype=np.int32).reshape(8, 32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 8 * 128, i32)
    spread.prepare(ctx, 8 * 64)(stream, tma.tensor_map(x, (1, 32)), y)
    return y.to_host(stream), [*host[:4].reshape(-1)] * 4 + [*host[4:].reshape(-1)] * 4


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(64, 1, 1))
def passed_on(x: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 256, align=128)
    got = shared.array(i32, 256, align=128)
    bars = barrier.array(2)
    t = thread.idx.x
    with unsafe("every run is waited for, and the blocks live until all have come"):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.init(bars, 1, 1)
            barrier.fence_init()
            barrier.arrive_expect_tx(bars, 1, 1024)
        cluster.sync()
        if t == 0:
            tma.prefetch_run(x, block.idx.x * 256, 256)
            tma.copy(s, 0, x, block.idx.x * 256, 256, bars, 0)
            barrier.arrive_expect_tx(bars, 0, 1024)
            barrier.wait_parity(bars, 0, 0)
            tma.copy(cluster.map_shared(got, 1 - cluster.rank), 0, s, 0, 256, cluster.map_shared(bars, 1 - cluster.rank), 1)
            barrier.wait_parity(bars, 1, 0)
            tma.copy(y, block.idx.x * 256, got, 0, 256)
            tma.commit()
            tma.wait()
        cluster.sync()


def runs(ctx: ox.Context) -> Pair:
    """Bytes in, to the other block, and out."""
    stream = ctx.default_stream()
    host = np.arange(1024, dtype=np.int32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 1024, i32)
    passed_on.prepare(ctx, 4 * 64)(stream, x, y)
    return y.to_host(stream), host.reshape(2, 2, 256)[:, ::-1].reshape(-1)


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(32, 1, 1))
def announced(x: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 256, align=128)
    got = shared.array(i32, 256, align=128)
    bars = barrier.array(2)
    with unsafe("every run is announced and waited for, and the blocks live until all have come"):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 3)
            barrier.init(bars, 1, 1)
            barrier.fence_init()
        cluster.sync()
        if thread.idx.x == 0:
            there = cluster.map_shared(bars, 1 - cluster.rank)
            barrier.expect_tx(bars, 0, 1024)
            tma.copy(s, 0, x, block.idx.x * 256, 256, bars, 0)
            barrier.arrive(bars, 0, 3)
            while not barrier.try_wait_parity(bars, 0, 0):
                barrier.nanosleep(20)
            barrier.expect_tx(there, 1, 512)
            barrier.arrive_expect_tx(there, 1, 512)
            tma.copy(cluster.map_shared(got, 1 - cluster.rank), 0, s, 0, 256, there, 1)
            barrier.wait_parity(bars, 1, 0)
            tma.copy(y, block.idx.x * 256, got, 0, 256)
            tma.commit()
            tma.wait()
        cluster.sync()


def bytes_announced_from_afar(ctx: ox.Context) -> Pair:
    """The sender tells the barrier of the receiver how many bytes come."""
    stream = ctx.default_stream()
    host = np.arange(1024, dtype=np.int32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 1024, i32)
    announced.prepare(ctx, 4 * 32)(stream, x, y)
    return y.to_host(stream), host.reshape(2, 2, 256)[:, ::-1].reshape(-1)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def pipelined(x: tma.TensorMap[f32, D2], rows: i32, y: SliceMut[f32]) -> None:
    s = shared.array(f32, (4, 128), align=128)
    full, empty = barrier.array(4), barrier.array(4)
    t = thread.idx.x
    with unsafe("a stage is filled once all have read it, and read once it has come"):
        if t == 0:
            for k in unroll(range(4)):
                barrier.init(full, k, 1)
                barrier.init(empty, k, 128)
            barrier.fence_init()
        block.sync()
        if t == 0:
            for k in range(min(4, rows)):
                barrier.arrive_expect_tx(full, k, 512)
                tma.load(s, (k, 0), x, (k, 0), full, k)
        total = f32(0)
        for k in range(rows):
            stage, turn = k % 4, k // 4 % 2
            barrier.wait_parity(full, stage, turn)
            total += s[stage, 127 - t]
            barrier.arrive(empty, stage)
            if t == 0 and k + 4 < rows:
                barrier.wait_parity(empty, stage, turn)
                barrier.arrive_expect_tx(full, stage, 512)
                tma.load(s, (stage, 0), x, (k + 4, 0), full, stage)
        y[t] = total


def pipeline(ctx: ox.Context) -> Pair:
    """Four stages in turn."""
    stream = ctx.default_stream()
    host = np.random.default_rng(4).integers(0, 100, size=(37, 128)).astype(np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 128, f32)
    pipelined.prepare(ctx, 128)(stream, tma.tensor_map(x, (1, 128)), 37, y)
    return y.to_host(stream), host.sum(axis=0)[::-1]


KERNELS = (transposed, line, through, swizzled, added, spread, passed_on, announced, pipelined)
PROGRAMS: dict[str, Callable[[ox.Context], Pair]] = {
    one.__name__: one
    for one in (boxes, outside_is_zero, three_to_five_axes, swizzles, reductions, multicast, runs, bytes_announced_from_afar, pipeline)
}
