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


PROGRAMS: dict[str, Callable[[ox.Context], Pair]] = {
    **{f"boxes_{rank}d": boxes_of(rank) for rank in RANKS},
    "looks": looks,
    "filled_up": filled_up,
    "registers": registers,
    "pairs_from_afar": pairs_from_afar,
}
KERNELS = {80: (cut_short,), 90: (*BOXED.values(), looked_at, paired)}
