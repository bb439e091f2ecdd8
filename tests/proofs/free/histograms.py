"""Histograms through atomics, in one level and two, for several channels."""

from __future__ import annotations

from oxidepy import (
    Slice,
    SliceMut,
    atomic,
    block,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    u8,
    u32,
    unroll,
    warp,
)

BINS = 256


@kernel
@launch_contract(domain=1, block=(BINS, 1, 1))
def two_levels(x: Slice[u8], bins: SliceMut[u32]) -> None:
    own = shared.array(u32, BINS)
    t = thread.idx.x
    own[t] = u32(0)
    block.sync()
    i = thread.index_1d().get()
    while i < len(x):
        atomic.add(own, i32(x[i]), u32(1), scope="block")
        i += grid.dim.x * block.dim.x
    block.sync()
    if t < len(bins):
        atomic.add(bins, t, own[t])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def global_only(x: Slice[i32], bins: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    if i < len(x) and 0 <= x[i] and x[i] < len(bins):
        atomic.add(bins, x[i], 1)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def one_a_warp(x: Slice[u8], partial: SliceMut[u32]) -> None:
    require(len(partial) == grid.dim.x * 64)
    own = shared.array(u32, (4, 64))
    t = thread.idx.x
    for k in range(t, 256, 128):
        own[k // 64, k % 64] = u32(0)
    block.sync()
    for i in range(thread.index_1d().get(), len(x), grid.dim.x * 128):
        atomic.add(own, (warp.id, i32(x[i]) // 4), u32(1), scope="block")
    block.sync()
    if t < 64:
        partial[block.idx.x * 64 + t] = own[0, t] + own[1, t] + own[2, t] + own[3, t]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def merge_partials(partial: Slice[u32], bins: SliceMut[u32], blocks: i32) -> None:
    require(blocks >= 0, len(partial) == blocks * len(bins))
    bin = thread.index_1d().get()
    if bin < len(bins):
        total = u32(0)
        for b in range(blocks):
            total += partial[b * len(bins) + bin]
        bins[bin] = total


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def weighted(x: Slice[f32], weights: Slice[f32], bins: SliceMut[f32], low: f32, scale: f32) -> None:
    require(len(x) == len(weights))
    own = shared.array(f32, 64)
    if thread.idx.x < 64:
        own[thread.idx.x] = f32(0)
    block.sync()
    i = thread.index_1d().get()
    if i < len(x):
        bin = min(max(i32((x[i] - low) * scale), 0), 63)
        atomic.add(own, bin, weights[i], scope="block")
    block.sync()
    if thread.idx.x < 64 and thread.idx.x < len(bins):
        atomic.add(bins, thread.idx.x, own[thread.idx.x])


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def three_channels(pixels: Slice[u8], bins: SliceMut[u32], width: i32, height: i32) -> None:
    require(width >= 0, height >= 0, len(pixels) == width * height * 3, len(bins) == 3 * 256)
    own = shared.array(u32, 3 * 256)
    t = thread.idx.y * 32 + thread.idx.x
    for c in unroll(range(3)):
        own[c * 256 + t] = u32(0)
    block.sync()
    x = block.idx.x * 32 + thread.idx.x
    y = block.idx.y * 8 + thread.idx.y
    if x < width and y < height:
        for c in unroll(range(3)):
            atomic.add(own, c * 256 + i32(pixels[(y * width + x) * 3 + c]), u32(1), scope="block")
    block.sync()
    for c in unroll(range(3)):
        atomic.add(bins, c * 256 + t, own[c * 256 + t])


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def range_of_values(x: Slice[i32], extrema: SliceMut[i32]) -> None:
    require(len(extrema) == 2)
    i = thread.index_1d().get()
    if i < len(x):
        atomic.min(extrema, 0, x[i])
        atomic.max(extrema, 1, x[i])
