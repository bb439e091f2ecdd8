"""One edit away from race-free: compaction as far as every thread writes to places of its own."""

from __future__ import annotations

from oxidepy import (
    Slice,
    SliceMut,
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
def block_counts_in_the_guard(x: Slice[f32], counts: SliceMut[i32], limit: f32) -> None:
    require(len(counts) >= grid.dim.x)
    i = thread.index_1d().get()
    kept = 0
    if i < len(x):
        kept = block.count(i < len(x) and x[min(i, len(x) - 1)] > limit)  # <- OX3001
    if thread.idx.x == 0:
        counts[block.idx.x] = kept


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def ballot_masks_after_return(x: Slice[i32], masks: SliceMut[u32]) -> None:
    require(len(masks) == grid.dim.x * 8)
    i = thread.index_1d().get()
    if i >= len(x):
        return
    v = x[i] if i < len(x) else 0
    mask = warp.ballot(v != 0)  # <- OX3002
    if warp.lane == 0:
        masks[block.idx.x * 8 + warp.id] = mask


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def ballot_masks_warps_overlap(x: Slice[i32], masks: SliceMut[u32]) -> None:
    require(len(masks) == grid.dim.x * 8)
    i = thread.index_1d().get()
    v = x[i] if i < len(x) else 0
    mask = warp.ballot(v != 0)
    if warp.lane == 0:
        masks[block.idx.x * 4 + warp.id] = mask  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def own_segment_segments_overlap(x: Slice[f32], y: SliceMut[f32], counts: SliceMut[i32], limit: f32) -> None:
    require(len(x) == len(counts) * 16, len(y) == len(counts) * 16)
    s = thread.index_1d().get()
    if s < len(counts):
        count = i32(0)
        for k in range(16):
            v = x[s * 16 + k]
            if v > limit and count < 16:
                y[s * 15 + count] = v  # <- OX4002
                count += 1
        counts[s] = count


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def split_even_odd_half_rounded_down(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(x) == len(y))
    i = thread.index_1d().get()
    if i < len(x):
        half = len(x) // 2
        if i % 2 == 0:
            y[i // 2] = x[i]
        else:
            y[half + i // 2] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def every_third_every_second(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(x) and i % 2 == 0 and i // 3 < len(y):
        y[i // 3] = x[i]  # <- OX4002
