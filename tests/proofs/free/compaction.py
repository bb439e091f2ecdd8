"""Compaction as far as every thread writes to places of its own."""

from __future__ import annotations

from oxidepy import (
    DisjointSlice,
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
    thread,
    u32,
    warp,
)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def mark(x: Slice[f32], flags: DisjointSlice[i32], limit: f32) -> None:
    idx = thread.index_1d()
    if idx in flags:
        flags[idx] = 1 if x[idx] > limit else 0


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def block_counts(x: Slice[f32], counts: SliceMut[i32], limit: f32) -> None:
    require(len(counts) >= grid.dim.x)
    i = thread.index_1d().get()
    kept = block.count(i < len(x) and x[min(i, len(x) - 1)] > limit)
    if thread.idx.x == 0:
        counts[block.idx.x] = kept


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def ballot_masks(x: Slice[i32], masks: SliceMut[u32]) -> None:
    require(len(masks) == grid.dim.x * 8)
    i = thread.index_1d().get()
    v = x[i] if i < len(x) else 0
    mask = warp.ballot(v != 0)
    if warp.lane == 0:
        masks[block.idx.x * 8 + warp.id] = mask


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def own_segment(x: Slice[f32], y: SliceMut[f32], counts: SliceMut[i32], limit: f32) -> None:
    require(len(x) == len(counts) * 16, len(y) == len(counts) * 16)
    s = thread.index_1d().get()
    if s < len(counts):
        count = i32(0)
        for k in range(16):
            v = x[s * 16 + k]
            if v > limit and count < 16:
                y[s * 16 + count] = v
                count += 1
        counts[s] = count


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def split_even_odd(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(x) == len(y))
    i = thread.index_1d().get()
    if i < len(x):
        half = (len(x) + 1) // 2
        if i % 2 == 0:
            y[i // 2] = x[i]
        else:
            y[half + i // 2] = x[i]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def every_third(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(x) and i % 3 == 0 and i // 3 < len(y):
        y[i // 3] = x[i]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def run_starts(x: Slice[i32], starts: SliceMut[i32], tally: SliceMut[i32]) -> None:
    require(len(x) == len(starts), len(tally) == 1)
    i = thread.index_1d().get()
    starting = i < len(x) and (i == 0 or x[max(i, 1) - 1] != x[i])
    here = block.count(starting)
    if i < len(x):
        starts[i] = 1 if starting else 0
    if thread.idx.x == 0:
        atomic.add(tally, 0, here)
