"""Programs with barriers in shared memory and copies of single threads; each gives what comes out and what should."""

# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import oxidepy as ox
from oxidepy import (
    Slice,
    SliceMut,
    async_copy,
    barrier,
    block,
    cluster,
    cluster_launch,
    f32,
    i32,
    kernel,
    launch_contract,
    shared,
    thread,
    u8,
    u64,
    unroll,
    unsafe,
)

Pair = tuple[Any, Any]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def meet(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64)
    bars = barrier.array()
    t = thread.idx.x
    with unsafe("every access stands between two phases, and the barrier lives from `init` to `inval`"):
        if t == 0:
            barrier.init(bars, 0, 64)
        block.sync()
        for k in range(5):
            s[t] = t + k
            barrier.wait(bars, 0, barrier.arrive(bars, 0))
            y[thread.index_1d().get()] += s[63 - t]
            token = barrier.arrive(bars, 0)
            while not barrier.test_wait(bars, 0, token):
                pass
        block.sync()
        if t == 0:
            barrier.inval(bars, 0)


def phases(ctx: ox.Context) -> Pair:
    """All threads of the block in ten phases."""
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 128, i32)
    meet.prepare(ctx, 128)(stream, y)
    t = np.arange(128) % 64
    return y.to_host(stream), 5 * (63 - t) + 10


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def handed_over(x: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, (2, 32))
    full, empty = barrier.array(2), barrier.array(2)
    t = thread.idx.x
    rounds = len(x) // 32
    with unsafe("a buffer is written when it is empty, and read when it is full"):
        if t == 0:
            for k in unroll(range(2)):
                barrier.init(full, k, 32)
                barrier.init(empty, k, 32)
        block.sync()
        for k in range(rounds):
            slot, turn = k % 2, k // 2 % 2
            if t < 32:
                barrier.wait_parity(empty, slot, 1 - turn)
                s[slot, t] = x[k * 32 + t]
                barrier.arrive(full, slot)
            else:
                barrier.wait_parity(full, slot, turn)
                y[k * 32 + t - 32] = s[slot, 63 - t] * 2
                barrier.arrive(empty, slot)


def producer_and_consumer(ctx: ox.Context) -> Pair:
    """One warp writes two buffers by turns, the other one reads them."""
    stream = ctx.default_stream()
    x = ox.DeviceBuffer.from_host(stream, np.arange(320, dtype=np.int32))
    y = ox.DeviceBuffer.zeros(stream, 320, i32)
    handed_over.prepare(ctx, 64)(stream, x, y)
    return y.to_host(stream), np.arange(320).reshape(10, 32)[:, ::-1].reshape(-1) * 2


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def counted(y: SliceMut[i32]) -> None:
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe("32 arrivals at once by the second warp, the others one by one"):
        if t == 0:
            barrier.init(bars, 0, 64)
        block.sync()
        if t < 32:
            barrier.arrive(bars, 0)
        elif t == 32:
            barrier.arrive_no_complete(bars, 0, 31)
            barrier.arrive(bars, 0)
        barrier.wait_parity(bars, 0, 0)
        y[t] = 1


def counts(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 64, i32)
    counted.prepare(ctx, 64)(stream, y)
    return y.to_host(stream), np.ones(64, np.int32)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def doubled(x: Slice[f32], y: SliceMut[f32]) -> None:
    s = shared.array(f32, (2, 512))
    t = thread.idx.x
    tiles = len(x) // 512
    with unsafe("a tile is read behind the wait for its group and a barrier, and filled behind another one"):
        async_copy.copy(s, (0, t * 4), x, t * 4, cache="cg")
        async_copy.commit()
        for k in range(tiles):
            if k + 1 < tiles:
                async_copy.copy(s, ((k + 1) % 2, t * 4), x, (k + 1) * 512 + t * 4, cache="cg")
            async_copy.commit()
            async_copy.wait(1)
            block.sync()
            for j in unroll(range(4)):
                y[k * 512 + j * 128 + t] = s[k % 2, 511 - (j * 128 + t)]
            block.sync()


def double_buffer(ctx: ox.Context) -> Pair:
    """The next tile comes while this one is worked on."""
    stream = ctx.default_stream()
    host = np.random.default_rng(1).normal(size=2048).astype(np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 2048, f32)
    doubled.prepare(ctx, 128)(stream, x, y)
    return y.to_host(stream), host.reshape(4, 512)[:, ::-1].reshape(-1)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def cut(x: Slice[f32], small: Slice[u8], wide: Slice[u64], y: SliceMut[f32], z: SliceMut[u8], w: SliceMut[u64]) -> None:
    s = shared.array(f32, 128)
    bytes_ = shared.array(u8, 128)
    words = shared.array(u64, 32)
    t = thread.idx.x
    with unsafe("all is read behind the wait and the barrier"):
        async_copy.copy(s, t * 4, x, t * 4, valid=max(0, min(4, len(x) - t * 4)))
        async_copy.copy(bytes_, t * 4, small, t * 4, count=4)
        async_copy.copy(words, t, wide, t, count=1, valid=1 - t % 2)
        async_copy.wait_all()
        block.sync()
        for j in unroll(range(4)):
            y[j * 32 + t] = s[j * 32 + t]
            z[j * 32 + t] = bytes_[127 - (j * 32 + t)]
        w[t] = words[31 - t]


def sizes_and_zeros(ctx: ox.Context) -> Pair:
    """Copies of 4, 8 and 16 bytes, and zeros for what is not there."""
    stream = ctx.default_stream()
    values = np.arange(1, 72, dtype=np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, values), ox.DeviceBuffer.zeros(stream, 128, f32)
    small, z = ox.DeviceBuffer.from_host(stream, np.arange(128, dtype=np.uint8)), ox.DeviceBuffer.zeros(stream, 128, u8)
    wide, w = ox.DeviceBuffer.from_host(stream, np.arange(32, dtype=np.uint64) << 40), ox.DeviceBuffer.zeros(stream, 32, u64)
    cut.prepare(ctx, 32)(stream, x, small, wide, y, z, w)
    words = np.where(np.arange(32) % 2 == 0, np.arange(32, dtype=np.uint64) << 40, 0)
    return [*y.to_host(stream), *z.to_host(stream), *w.to_host(stream)], [*values, *[0] * 57, *range(127, -1, -1), *words[::-1]]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def told(x: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 256)
    bars = barrier.array(2)
    t = thread.idx.x
    with unsafe("both barriers tell of all copies"):
        if t == 0:
            barrier.init(bars, 0, 64)
            barrier.init(bars, 1, 64)
        block.sync()
        async_copy.copy(s, t * 4, x, t * 4)
        async_copy.arrive_noinc(bars, 0)
        async_copy.arrive(bars, 1)
        barrier.arrive(bars, 1)
        barrier.wait_parity(bars, 0, 0)
        y[t] = s[255 - t]
        barrier.wait_parity(bars, 1, 0)
        y[64 + t] = s[t]


def arrivals_of_copies(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    x, y = ox.DeviceBuffer.from_host(stream, np.arange(256, dtype=np.int32)), ox.DeviceBuffer.zeros(stream, 128, i32)
    told.prepare(ctx, 64)(stream, x, y)
    return y.to_host(stream), [*range(255, 191, -1), *range(64)]


@kernel
@cluster_launch(4)
@launch_contract(domain=1, block=(32, 1, 1))
def gathered(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 128)
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe("the first block's barrier waits for one arrival of every thread; its memory lives until the last barrier"):
        if t == 0:
            barrier.init(bars, 0, 128)
            barrier.fence_init()
        cluster.sync()
        home = cluster.map_shared(s, 0)
        home[cluster.rank * 32 + t] = cluster.rank * 100 + t
        barrier.arrive(cluster.map_shared(bars, 0), 0)
        if cluster.rank == 0:
            barrier.wait_parity(bars, 0, 0)
            number = block.idx.x // 4
            for k in unroll(range(4)):
                y[number * 128 + k * 32 + t] = s[127 - (k * 32 + t)]
        cluster.sync()


def arrivals_from_afar(ctx: ox.Context) -> Pair:
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 256, i32)
    gathered.prepare(ctx, 256)(stream, y)
    home = [rank * 100 + t for rank in range(4) for t in range(32)][::-1]
    return y.to_host(stream), home * 2


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def left_alone(x: Slice[i32], y: SliceMut[i32]) -> None:
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe("the thread that fails never arrives"):
        if t == 0:
            barrier.init(bars, 0, 64)
        block.sync()
        value = x[t]
        barrier.wait(bars, 0, barrier.arrive(bars, 0))
        y[t] = value


def panic_of_one(ctx: ox.Context) -> Pair:
    """A failed check ends those who wait for the thread, and the context lives on."""
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 64, i32)
    left_alone.prepare(ctx, 64)(stream, ox.DeviceBuffer.zeros(stream, 63, i32), y)
    code = ""
    try:
        stream.synchronize()
    except ox.DevicePanic as panic:
        code = f"{panic.code} {panic.index} {panic.thread}"
    left_alone.prepare(ctx, 64)(stream, ox.DeviceBuffer.from_host(stream, np.ones(64, np.int32)), y)
    return [code, *y.to_host(stream).tolist()], ["OX7001 63 (63, 0, 0)", *[1] * 64]


OLD: dict[str, Callable[[ox.Context], Pair]] = {  # for GPUs from sm_80 on
    one.__name__: one for one in (phases, producer_and_consumer, counts, double_buffer, sizes_and_zeros, arrivals_of_copies, panic_of_one)
}
PROGRAMS: dict[str, Callable[[ox.Context], Pair]] = {**OLD, "arrivals_from_afar": arrivals_from_afar}
KERNELS = {80: (meet, handed_over, counted, doubled, cut, told), 90: (gathered,)}
