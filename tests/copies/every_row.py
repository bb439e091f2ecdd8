"""Programs with the rows of barriers and copies that the others leave out: boxes of every rank, and every way to look at a phase."""

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
    async_copy,
    atomic,
    barrier,
    block,
    cluster,
    cluster_launch,
    f16x2,
    f64,
    i32,
    kernel,
    launch_contract,
    shared,
    thread,
    tma,
    u32,
    unroll,
    unsafe,
    wgmma,
)

Pair = tuple[Any, Any]
RANKS: dict[int, Any] = {1: D1, 2: D2, 3: D3, 4: tma.D4, 5: tma.D5}
PLACES: dict[int, Callable[[], Any]] = {
    1: lambda: 4,
    2: lambda: (1, 4),
    3: lambda: (1, 1, 4),
    4: lambda: (1, 1, 1, 4),
    5: lambda: (1, 1, 1, 1, 4),
}


def boxed(rank: int) -> Any:
    """A box comes to both blocks of a cluster; both add it, and one of them writes it."""
    D, at, BYTES = RANKS[rank], PLACES[rank], 32 << rank - 1

    @kernel
    @cluster_launch(2)
    @launch_contract(domain=1, block=(32, 1, 1))
    def moved(x: tma.TensorMap[i32, D], sums: tma.TensorMapMut[i32, D], y: tma.TensorMapMut[i32, D]) -> None:  # type: ignore[valid-type]
        s = shared.array(i32, 128, align=128)
        bars = barrier.array(1)
        t = thread.idx.x
        with unsafe("the box has come when the phase is over, and both blocks live until it has been written"):
            if t == 0:
                barrier.init(bars, 0, 1)
                barrier.fence_init()
                barrier.arrive_expect_tx(bars, 0, BYTES)
            cluster.sync()
            if t == 0:
                if cluster.rank == 0:
                    tma.prefetch(x, at())
                    tma.load(s, 0, x, at(), bars, 0, blocks=3)
                barrier.wait_parity(bars, 0, 0)
                tma.reduce(sums, at(), s, 0)
                if cluster.rank == 1:
                    tma.store(y, at(), s, 0)
                tma.commit()
                tma.wait()
            cluster.sync()

    return moved


BOXED = {rank: boxed(rank) for rank in RANKS}


def boxes_of(rank: int) -> Callable[[ox.Context], Pair]:
    def program(ctx: ox.Context) -> Pair:
        stream = ctx.default_stream()
        shape, box = (3,) * (rank - 1) + (16,), (2,) * (rank - 1) + (8,)
        host = np.arange(1, 1 + 3 ** (rank - 1) * 16, dtype=np.int32).reshape(shape)
        given = ox.DeviceBuffer.from_host(stream, host.reshape(-1))
        outs = [ox.DeviceBuffer.zeros(stream, host.size, i32) for _ in range(2)]
        BOXED[rank].prepare(ctx, 64)(stream, *(tma.tensor_map(one, box, shape=shape) for one in (given, *outs)))
        wanted = np.zeros_like(host)
        inside = (*(slice(1, 3) for _ in range(rank - 1)), slice(4, 12))
        wanted[inside] = host[inside]
        return [one.to_host(stream) for one in outs], [2 * wanted.reshape(-1), wanted.reshape(-1)]

    program.__name__ = f"boxes_{rank}d"
    return program


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def looked_at(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64)
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe("each round stands between two phases"):
        if t == 0:
            barrier.init(bars, 0, 64)
        block.sync()
        for k in range(4):
            s[t] = t * (k + 1)
            token = barrier.arrive(bars, 0)
            while not barrier.try_wait(bars, 0, token):
                barrier.nanosleep(10)
            y[t] += s[63 - t]
            barrier.arrive(bars, 0)
            while not barrier.test_wait_parity(bars, 0, u32(1)):
                pass


def looks(ctx: ox.Context) -> Pair:
    """Whether a phase is over, by its token and by its parity."""
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 64, i32)
    looked_at.prepare(ctx, 64)(stream, y)
    return y.to_host(stream), (63 - np.arange(64)) * 10


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def cut_short(x: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 128)
    t = thread.idx.x
    with unsafe("all is read behind the wait and the barrier"):
        async_copy.copy(s, t * 4, x, t * 4, cache="cg", valid=max(0, min(4, len(x) - t * 4)))
        async_copy.wait_all()
        block.sync()
        for j in unroll(range(4)):
            y[j * 32 + t] = s[j * 32 + t]


def filled_up(ctx: ox.Context) -> Pair:
    """What is not there becomes zeros, through the second cache alone."""
    stream = ctx.default_stream()
    x, y = ox.DeviceBuffer.from_host(stream, np.arange(1, 102, dtype=np.int32)), ox.DeviceBuffer.zeros(stream, 128, i32)
    cut_short.prepare(ctx, 32)(stream, x, y)
    return y.to_host(stream), [*range(1, 102), *[0] * 27]


@kernel(max_registers=128)
@launch_contract(domain=1, block=(256, 1, 1))
def handed(x: Slice[i32], y: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    with unsafe("each warpgroup takes one way, and all of its threads take it"):
        if thread.idx.x < 128:
            wgmma.fewer_registers(40)
            y[i] = -x[i]
        else:
            wgmma.more_registers(216)
            y[i] = x[i] * 3
        wgmma.fence()
        wgmma.commit_group()
        wgmma.wait_group(0)


def registers(ctx: ox.Context) -> Pair:
    """One warpgroup gives registers, the other takes them; a group without products is over at once."""
    stream = ctx.default_stream()
    host = np.arange(256, dtype=np.int32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 256, i32)
    handed.prepare(ctx, 256)(stream, x, y)
    return y.to_host(stream), np.where(host < 128, -host, host * 3)


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(64, 1, 1))
def paired(y: SliceMut[i32]) -> None:
    s = shared.array(f16x2, 1)
    if thread.idx.x == 0:
        s[0] = f16x2(0, 0)
    cluster.sync()
    with unsafe("all add to the first block's pair, between two barriers of the cluster"):
        atomic.add(cluster.map_shared(s, 0), 0, f16x2(1, 2), scope="cluster")
        cluster.sync()
        if cluster.rank == 0 and thread.idx.x == 0:
            y[block.idx.x] = i32(s[0].x)
            y[block.idx.x + 1] = i32(s[0].y)


def pairs_from_afar(ctx: ox.Context) -> Pair:
    """Both halves of a pair in another block's memory."""
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 4, i32)
    paired.prepare(ctx, 256)(stream, y)
    return y.to_host(stream), [128, 256, 128, 256]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def leaving(y: SliceMut[i32], seen: SliceMut[u32]) -> None:
    s = shared.array(i32, 64)
    bars = barrier.array(2)
    t = thread.idx.x
    with unsafe("who has dropped out takes no part any more"):
        if t == 0:
            barrier.init(bars, 0, 64)
            barrier.init(bars, 1, 7)
        block.sync()
        s[t] = t
        if t >= 32:
            barrier.arrive_drop(bars, 0)
        else:
            for k in range(3):
                barrier.wait(bars, 0, barrier.arrive(bars, 0))
                y[t] += s[63 - t] + k
        if t == 0:
            seen[0] = barrier.pending_count(barrier.arrive_no_complete(bars, 1, 2))
            seen[1] = barrier.pending_count(barrier.arrive_no_complete(bars, 1, 4))
            barrier.arrive(bars, 1)
            seen[2] = u32(1) if barrier.test_wait_parity(bars, 1, 0) else u32(0)
            seen[3] = barrier.pending_count(barrier.arrive_no_complete(bars, 1, 1))


def dropped(ctx: ox.Context) -> Pair:
    """Half of the threads take part in one phase alone; the tokens of arrivals tell what was pending."""
    stream = ctx.default_stream()
    y, seen = ox.DeviceBuffer.zeros(stream, 64, i32), ox.DeviceBuffer.zeros(stream, 4, u32)
    leaving.prepare(ctx, 64)(stream, y, seen)
    wanted = [3 * (63 - t) + 3 if t < 32 else 0 for t in range(64)]
    return [*y.to_host(stream), *seen.to_host(stream)], [*wanted, 7, 5, 1, 7]


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(64, 1, 1))
def told_by_threads(y: SliceMut[i32]) -> None:
    got = shared.array(i32, 64)
    bars = barrier.array(2)
    t = thread.idx.x
    with unsafe("the other block's threads write, and count the bytes, and the blocks live until all have come"):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.init(bars, 1, 64 + 3)
            barrier.fence_init()
            barrier.arrive_expect_tx(bars, 0, 64 * 4)
        cluster.sync()
        other = 1 - cluster.rank
        there = cluster.map_shared(bars, other)
        cluster.map_shared(got, other)[63 - t] = block.idx.x * 100 + t
        cluster.sync()
        barrier.complete_tx(there, 0, 4)
        if t < 3:
            barrier.arrive_drop(there, 1)
        barrier.arrive_drop(there, 1, 1) if t == 3 else barrier.arrive(there, 1)
        barrier.wait_parity(bars, 0, 0)
        barrier.wait_parity(bars, 1, 0)
        if t == 0:
            barrier.expect_tx(bars, 1, 8)
            barrier.complete_tx(bars, 1, 8)
            barrier.arrive(bars, 1, 62)
            barrier.arrive_drop(bars, 1, 1)
        barrier.wait_parity(bars, 1, 1)
        y[block.idx.x * 64 + t] = got[t]
        cluster.sync()


def counted_by_threads(ctx: ox.Context) -> Pair:
    """Bytes that threads bring and count, and arrivals that are dropped from afar."""
    stream = ctx.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 256, i32)
    told_by_threads.prepare(ctx, 256)(stream, y)
    return y.to_host(stream), [(block ^ 1) * 100 + 63 - t for block in range(4) for t in range(64)]


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(64, 1, 1))
def spread_run(x: Slice[i32], y: SliceMut[i32], sums: SliceMut[f64], least: SliceMut[i32]) -> None:
    s = shared.array(i32, 128, align=16)
    ones = shared.array(f64, 64, align=16)
    bars = barrier.array(1)
    t = thread.idx.x
    with unsafe("the run has come when the phase is over; the sums are indivisible, behind a fence and a barrier"):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
            barrier.arrive_expect_tx(bars, 0, 512)
        cluster.sync()
        if t == 0:
            tma.copy(s, cluster.rank * 64, x, block.idx.x * 64, 64, bars, 0, blocks=3)
        ones[t] = f64(t) + 0.5
        barrier.wait_parity(bars, 0, 0)
        y[block.idx.x * 64 + t] = s[t] + s[64 + t]
        barrier.fence_proxy_async("shared")
        block.sync()
        if t == 0:
            tma.reduce_run(sums, 0, ones, 0, 64)
            tma.reduce_run(least, 4, s, 64, 8, operation="min")
            tma.commit()
            tma.wait()
        cluster.sync()


def runs_for_all(ctx: ox.Context) -> Pair:
    """Runs into both blocks of a cluster, and runs that are added up."""
    stream = ctx.default_stream()
    host = np.arange(256, dtype=np.int32) * 3
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 256, i32)
    sums, least = ox.DeviceBuffer.zeros(stream, 64, f64), ox.DeviceBuffer.from_host(stream, np.full(16, 400, np.int32))
    spread_run.prepare(ctx, 256)(stream, x, y, sums, least)
    pairs = host.reshape(2, 2, 64).sum(axis=1)
    low = np.full(16, 400)
    low[4:12] = np.minimum(400, host.reshape(4, 64)[[1, 3], :8].min(axis=0))
    found = [*y.to_host(stream), *sums.to_host(stream), *least.to_host(stream)]
    return found, [*np.repeat(pairs, 2, axis=0).reshape(-1), *(4 * (0.5 + np.arange(64))), *low]


PROGRAMS: dict[str, Callable[[ox.Context], Pair]] = {
    **{f"boxes_{rank}d": boxes_of(rank) for rank in RANKS},
    "looks": looks,
    "filled_up": filled_up,
    "registers": registers,
    "pairs_from_afar": pairs_from_afar,
    "dropped": dropped,
    "counted_by_threads": counted_by_threads,
    "runs_for_all": runs_for_all,
}
KERNELS = {80: (cut_short, leaving), 90: (*BOXED.values(), looked_at, paired, told_by_threads, spread_run)}
