"""Programs with tensor maps whose boxes skip elements, and with columns of pixels for convolutions."""

# mypy: ignore-errors
from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import oxidepy as ox
from oxidepy import (
    D2,
    D3,
    SliceMut,
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
    tma,
    unsafe,
)

Pair = tuple[Any, Any]
WHY = "the barrier's phase is over when the box has come, and nobody reads before"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def skipping(
    x: tma.TensorMap[i32, D3], y: tma.TensorMapMut[i32, D3], sums: tma.TensorMapMut[i32, D3], plane: i32, row: i32, column: i32
) -> None:
    s = shared.array(i32, 3 * 4 * 8, align=128)
    bars = barrier.array(1)
    with unsafe(WHY):
        if thread.idx.x == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
            tma.load(s, 0, x, (plane, row, column), bars, 0)
            barrier.arrive_expect_tx(bars, 0, 3 * 4 * 8 * 4)
            barrier.wait_parity(bars, 0, 0)
            tma.store(y, (0, 1, 0), s, 0)
            tma.reduce(sums, (1, 2, 4), s, 0)
            tma.commit()
            tma.wait()


def steps(ctx: ox.Context) -> Pair:
    """Every second plane and third row, in and out, over the edges too."""
    stream = ctx.default_stream()
    host = np.arange(1, 1 + 6 * 13 * 16, dtype=np.int32).reshape(6, 13, 16)
    box, ins, outs = (3, 4, 8), (2, 3, 1), (1, 2, 1)
    x = ox.DeviceBuffer.from_host(stream, host)
    found, wanted = [], []
    for at in ((0, 0, 0), (1, 2, 4), (-1, -4, 8), (4, 6, -4)):
        y, sums = ox.DeviceBuffer.zeros(stream, host.shape, i32), ox.DeviceBuffer.from_host(stream, host)
        maps = [tma.tensor_map(one, box, steps=by) for one, by in ((x, ins), (y, outs), (sums, ins))]
        skipping.prepare(ctx, 32)(stream, *maps, *at)
        found += [y.to_host(stream), sums.to_host(stream)]
        results = [np.zeros_like(host), host.copy()]
        for k in np.ndindex(box):
            source = np.add(at, np.multiply(k, ins))
            value = host[tuple(source)] if (source >= 0).all() and (source < host.shape).all() else 0
            for out, begin, by in zip(results, ((0, 1, 0), (1, 2, 4)), (outs, ins), strict=True):
                to = np.add(begin, np.multiply(k, by))
                if (to < host.shape).all():
                    out[tuple(to)] += value
        wanted += results
    return np.concatenate([one.reshape(-1) for one in found]), np.concatenate([one.reshape(-1) for one in wanted])


PIXELS, CHANNELS = 24, 8
# number of axes → the coordinates and the offsets that a map of so many takes
AT: dict[int, Callable[..., Any]] = {
    3: lambda n, d, h, w, c: (n, w, c),
    4: lambda n, d, h, w, c: (n, h, w, c),
    5: lambda n, d, h, w, c: (n, d, h, w, c),
}
BY: dict[int, Callable[..., Any]] = {3: lambda d, h, w: w, 4: lambda d, h, w: (h, w), 5: lambda d, h, w: (d, h, w)}


def column_of(rank: int) -> Any:
    D: Any = {3: D3, 4: tma.D4, 5: tma.D5}[rank]
    at, by = AT[rank], BY[rank]

    @kernel
    @cluster_launch(2)
    @launch_contract(domain=1, block=(32, 1, 1))
    def column(x: tma.Im2colMap[f32, D], y: SliceMut[f32, D2], n: i32, d: i32, h: i32, w: i32, c: i32, dd: i32, dh: i32, dw: i32) -> None:  # type: ignore[valid-type]
        s = shared.array(f32, PIXELS * CHANNELS, align=256)
        bars = barrier.array(1)
        t = thread.idx.x
        with unsafe("the column has come when the phase is over, and both blocks live until it has"):
            if t == 0:
                barrier.init(bars, 0, 1)
                barrier.fence_init()
                barrier.arrive_expect_tx(bars, 0, PIXELS * CHANNELS * 4)
            cluster.sync()
            if t == 0:
                tma.prefetch_map(x)
                if block.idx.x == 2:  # the first block of the second cluster, for both of its blocks
                    tma.prefetch(x, at(n, d, h, w, c), offsets=by(dd, dh, dw))
                    tma.load(s, 0, x, at(n, d, h, w, c), bars, 0, offsets=by(dd, dh, dw), blocks=3)
                if block.idx.x < 2:
                    tma.load(s, 0, x, at(n, d, h, w, c), bars, 0, offsets=by(dd, dh, dw))
            barrier.wait_parity(bars, 0, 0)
            for k in range(PIXELS * CHANNELS // 32):
                y[block.idx.x, k * 32 + t] = s[k * 32 + t]
            cluster.sync()

    return column


BOXED = {rank: column_of(rank) for rank in AT}


def filters(shape: tuple[int, ...], taps: tuple[int, ...], padding: int, by: tuple[int, ...], dilation: int) -> Any:
    """Where the filter begins over images of that shape, pixel by pixel, as a convolution goes."""
    axes = [
        range(-padding, extent - 1 + padding - (count - 1) * dilation + 1, step)
        for extent, count, step in zip(shape[1:-1], taps, by, strict=True)
    ]
    return itertools.product(range(shape[0] + 2), *axes)


def columns_of(rank: int) -> Callable[[ox.Context], Pair]:
    """Convolutions with padding, strides and dilation: what every place of the filter meets, from some pixel on."""

    def program(ctx: ox.Context) -> Pair:
        stream = ctx.default_stream()
        shape = {3: (5, 13, 16), 4: (3, 5, 7, 16), 5: (2, 3, 4, 5, 16)}[rank]
        taps = (2, 1, 3)[3 - (rank - 2) :]
        host = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
        x = ox.DeviceBuffer.from_host(stream, host.reshape(-1))
        found, wanted = [], []
        for padding, by, dilation, swizzle in ((0, (1, 1, 1), 1, 0), (1, (1, 1, 1), 1, 32), (2, (1, 3, 2), 2, 0)):
            by = by[3 - (rank - 2) :]
            lower = (-padding,) * (rank - 2)
            upper = tuple(padding - (count - 1) * dilation for count in taps)
            map = tma.im2col_map(x, (PIXELS, CHANNELS), shape=shape, lower=lower, upper=upper, steps=(1, *by, 1), swizzle=swizzle)
            at16 = np.arange(PIXELS * 2) ^ (np.arange(PIXELS * 2) >> 3 & (swizzle == 32))  # where each 16 bytes lie
            begins = [*filters(shape, taps, padding, by, dilation)]
            last = tuple(count - 1 for count in taps)
            for first, place in ((0, (0,) * (rank - 2)), (3, last), (len(begins) // 2, last)):
                offsets = tuple(one * dilation for one in place)
                pixel = begins[first]
                full = {3: lambda t: (0, 0, *t), 4: lambda t: (0, *t), 5: lambda t: t}[rank]
                y = ox.DeviceBuffer.zeros(stream, (4, PIXELS * CHANNELS), f32)
                BOXED[rank].prepare(ctx, 128)(stream, map, y, pixel[0], *full(pixel[1:]), 8, *full(offsets))
                found.append(y.to_host(stream))
                out = np.zeros((PIXELS, CHANNELS), np.float32)
                for number, (image, *begin) in enumerate(begins[first : first + PIXELS]):
                    at = (image, *np.add(begin, offsets))
                    if all(0 <= one < extent for one, extent in zip(at, shape[:-1], strict=True)):
                        out[number] = host[at][8:16]
                assert first + PIXELS <= len(begins)
                wanted.append(np.tile(out.reshape(-1, 4)[at16].reshape(-1), (4, 1)))
        return np.concatenate(found), np.concatenate(wanted)

    program.__name__ = f"columns_{rank}d"
    return program


PROGRAMS: dict[str, Callable[[ox.Context], Pair]] = {"steps": steps, **{f"columns_{rank}d": columns_of(rank) for rank in AT}}
KERNELS = (skipping, *BOXED.values())
