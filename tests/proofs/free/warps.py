"""Slabs of shared memory that one warp owns, tiles, votes."""

from __future__ import annotations

from oxidepy import (
    DisjointSlice,
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
    unroll,
    warp,
)

B = 128


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def transpose_in_a_warp(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * 4096, len(y) == len(x))
    s = shared.array(f32, (4, 32, 33))
    base = (block.idx.x * 4 + warp.id) * 1024
    for r in range(32):
        s[warp.id, r, warp.lane] = x[base + r * 32 + warp.lane]
    warp.sync()
    for r in range(32):
        y[base + r * 32 + warp.lane] = s[warp.id, warp.lane, r]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def tree_in_a_warp(x: Slice[i32], sums: SliceMut[i32]) -> None:
    require(len(x) == grid.dim.x * B, len(sums) == grid.dim.x * 4)
    s = shared.array(i32, B)
    t = thread.idx.x
    s[t] = x[block.idx.x * B + t]
    warp.sync()
    for step in unroll((16, 8, 4, 2, 1)):
        if warp.lane < step:
            s[t] += s[t + step]
        warp.sync()
    if warp.lane == 0:
        sums[block.idx.x * 4 + warp.id] = s[t]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def rotate_in_a_warp(x: Slice[f32], y: DisjointSlice[f32], rounds: i32) -> None:
    s = shared.array(f32, (4, 32))
    idx = thread.index_1d()
    i = idx.get()
    v = x[i] if i < len(x) else f32(0)
    for _ in range(rounds):
        s[warp.id, warp.lane] = v
        warp.sync()
        v = 0.5 * (v + s[warp.id, (warp.lane + 1) % 32])
        warp.sync()
    if idx in y:
        y[idx] = v


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def sums_of_tiles(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(y) == grid.dim.x * 8)
    tile = warp.tiled_partition(16)
    i = thread.index_1d().get()
    v = tile.reduce_sum(x[i] if i < len(x) else f32(0))
    if tile.lane == 0:
        y[block.idx.x * 8 + thread.idx.x // 16] = v


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def bit_matrix(x: Slice[u32], y: SliceMut[u32]) -> None:
    require(len(x) == grid.dim.x * B, len(y) == grid.dim.x * B)
    i = thread.index_1d().get()
    v = x[i]
    own = u32(0)
    for k in range(32):
        column = warp.ballot(((v >> u32(k)) & 1) == u32(1))
        if warp.lane == k:
            own = column
    y[i] = own


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def leaders_count(x: Slice[i32], bins: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    v = x[i] % 16 if i < len(x) else -1
    same = warp.match_any(v)
    first = i32(bits.ctz(same))
    if warp.lane == first and v >= 0:
        atomic.add(bins, v, i32(bits.popcount(same)))


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def two_warps_a_pair(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * B, len(y) == grid.dim.x * B)
    s = shared.array(f32, (2, 64))
    t = thread.idx.x
    i = block.idx.x * B + t
    s[t // 64, t % 64] = x[i]
    block.sync()
    y[i] = s[t // 64, 63 - t % 64]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def pairs_in_each_half(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, B)
    idx = thread.index_1d()
    t = thread.idx.x
    v = f32(0)
    s[t] = x[idx] if idx in x else 0.0
    if warp.lane < 16:
        warp.sync(mask=0xFFFF)
        v = s[t ^ 1]
        warp.sync(mask=0xFFFF)
        s[t] = v
    else:
        s[t] = 2.0 * s[t]
        warp.sync(mask=0xFFFF_0000)
        v = s[t ^ 3]
    if idx in y:
        y[idx] = v + s[t]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def all_but_the_last_lane(y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    v = f32(0)
    if thread.idx.x != 31:
        if i < len(y):
            y[i] = 1.0
        warp.sync(mask=0x7FFF_FFFF)
        if thread.idx.x > 0 and i < len(y):
            v = y[i - 1]
        warp.sync(mask=0x7FFF_FFFF)
        if i < len(y):
            y[i] = v
