"""Kernels of the SIMT benchmarks: a stencil, and what needs barriers, shared memory and atomics."""

from __future__ import annotations

import sys
from pathlib import Path

from oxidepy import (
    DisjointSlice,
    Index2D,
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
)

sys.path.append(str(Path(__file__).parents[1] / "examples"))
from tiled_matmul import T, matmul

__all__ = ["T", "block_sum", "histogram", "matmul", "stencil", "transpose"]
WIDTH, TILE, ROWS, BLOCK = 4096, 32, 8, 256


@kernel
@launch_contract(domain=2, block=(64, 4, 1))
def stencil(src: Slice[f32], dst: DisjointSlice[f32, Index2D[WIDTH]], height: i32) -> None:
    require(len(src) == WIDTH * height, len(dst) == WIDTH * height)
    idx = thread.index_2d(WIDTH)
    if idx in dst and idx.col > 0 and idx.col < WIDTH - 1 and idx.row > 0 and idx.row < height - 1:
        i = idx.row * WIDTH + idx.col
        dst[idx] = 0.2 * (src[i] + src[i - 1] + src[i + 1] + src[i - WIDTH] + src[i + WIDTH])


@kernel
@launch_contract(domain=2, block=(TILE, ROWS, 1))
def transpose(src: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(dst) == width * height)
    tile = shared.array(f32, (TILE, TILE + 1))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * TILE + tx
    for k in unroll(range(0, TILE, ROWS)):
        y = block.idx.y * TILE + ty + k
        if x < width and y < height:
            tile[ty + k, tx] = src[y * width + x]
    block.sync()
    x = block.idx.y * TILE + tx
    for k in unroll(range(0, TILE, ROWS)):
        y = block.idx.x * TILE + ty + k
        if x < height and y < width:
            dst[y * height + x] = tile[tx, ty + k]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def block_sum(x: Slice[f32], partial: SliceMut[f32]) -> None:
    s = shared.array(f32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else f32(0)
    block.sync()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        block.sync()
        step //= 2
    if t == 0 and block.idx.x < len(partial):
        partial[block.idx.x] = s[0]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def histogram(x: Slice[u8], bins: SliceMut[u32]) -> None:
    local_bins = shared.array(u32, BLOCK)
    t = thread.idx.x
    local_bins[t] = u32(0)
    block.sync()
    i = thread.index_1d().get()
    while i < len(x):
        atomic.add(local_bins, i32(x[i]), u32(1), scope="block")
        i += grid.dim.x * block.dim.x
    block.sync()
    if t < len(bins):
        atomic.add(bins, t, local_bins[t])
