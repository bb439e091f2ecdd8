"""Write indices out of scans over loaded values and out of counters."""

from __future__ import annotations

from oxidepy import (
    Slice,
    SliceMut,
    atomic,
    bits,
    block,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    u32,
    warp,
)

B = 256


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def block_by_scan(x: Slice[f32], y: SliceMut[f32], limit: f32) -> None:
    require(len(x) == grid.dim.x * B, len(y) == grid.dim.x * B)
    i = thread.index_1d().get()
    keep = 1 if x[i] > limit else 0
    place = block.scan_sum(keep, exclusive=True)
    if keep == 1:
        y[block.idx.x * B + place] = x[i]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def warp_by_ballot(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(x) == grid.dim.x * B, len(y) == grid.dim.x * B)
    i = thread.index_1d().get()
    v = x[i]
    mask = warp.ballot(v != 0)
    before = i32(bits.popcount(mask & ((u32(1) << u32(warp.lane)) - 1)))
    if v != 0:
        y[block.idx.x * B + warp.id * 32 + before] = v


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def split_by_flag(x: Slice[u32], y: SliceMut[u32], bit: u32) -> None:
    require(len(x) == grid.dim.x * B, len(y) == grid.dim.x * B)
    i = thread.index_1d().get()
    v = x[i]
    one = i32((v >> bit) & 1)
    ones_before = block.scan_sum(one, exclusive=True)
    zeros = B - block.reduce_sum(one)
    t = thread.idx.x
    place = zeros + ones_before if one == 1 else t - ones_before
    y[block.idx.x * B + place] = v


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def slots_from_a_counter(x: Slice[f32], y: SliceMut[f32], slots: SliceMut[i32], limit: f32) -> None:
    require(grid.dim.x <= 65535, len(slots) == grid.dim.x)
    next = shared.array(i32, 1)
    i = thread.index_1d().get()
    if thread.idx.x == 0:
        next[0] = 0
    block.sync()
    if i < len(x) and x[i] > limit:
        place = atomic.add(next, 0, 1, scope="block")
        if block.idx.x * B + place < len(y):
            y[block.idx.x * B + place] = x[i]
    block.sync()
    if thread.idx.x == 0:
        slots[block.idx.x] = next[0]
