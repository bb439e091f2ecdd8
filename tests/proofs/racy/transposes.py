"""One edit away from race-free: transposes through tiles and without, in place, in batches, in diagonal order."""

from __future__ import annotations

from oxidepy import (
    D2,
    DisjointSlice,
    Slice,
    SliceMut,
    block,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    unroll,
)

TILE = 32
ROWS = 8


@kernel
@launch_contract(domain=2, block=(TILE, ROWS, 1))
def padded_tile_without_barrier(src: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(dst) == width * height)
    tile = shared.array(f32, (TILE, TILE + 1))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * TILE + tx
    for k in unroll(range(0, TILE, ROWS)):
        y = block.idx.y * TILE + ty + k
        if x < width and y < height:
            tile[ty + k, tx] = src[y * width + x]
    x = block.idx.y * TILE + tx
    for k in unroll(range(0, TILE, ROWS)):
        y = block.idx.x * TILE + ty + k
        if x < height and y < width:
            dst[y * height + x] = tile[tx, ty + k]  # <- OX4001


@kernel
@launch_contract(domain=2, block=(TILE, ROWS, 1))
def padded_tile_rows_overlap(src: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
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
        y = block.idx.x * TILE + ty + k // 2
        if x < height and y < width:
            dst[y * height + x] = tile[tx, ty + k]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def naive_wrong_pitch(src: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(dst) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        dst[x * width + y] = src[y * width + x]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def two_axes_columns_halved(src: Slice[f32, D2], dst: SliceMut[f32, D2]) -> None:
    require(src.shape[0] == dst.shape[1], src.shape[1] == dst.shape[0])
    tile = shared.array(f32, (16, 17))
    tx, ty = thread.idx.x, thread.idx.y
    row = block.idx.y * 16 + ty
    col = block.idx.x * 16 + tx
    if row < src.shape[0] and col < src.shape[1]:
        tile[ty, tx // 2] = src[row, col]  # <- OX4001
    block.sync()
    row = block.idx.x * 16 + ty
    col = block.idx.y * 16 + tx
    if row < dst.shape[0] and col < dst.shape[1]:
        dst[row, col] = tile[tx, ty]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def square_in_place_both_halves(a: SliceMut[f32, D2]) -> None:
    require(a.shape[0] == a.shape[1])
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i != j and i < a.shape[0] and j < a.shape[0]:
        upper = a[i, j]
        a[i, j] = a[j, i]  # <- OX4002
        a[j, i] = upper


@kernel
@launch_contract(domain=2, block=(TILE, ROWS, 1))
def diagonal_order_grid_not_square(src: Slice[f32], dst: SliceMut[f32], n: i32) -> None:
    require(len(src) == n * n, len(dst) == n * n)
    tile = shared.array(f32, (TILE, TILE + 1))
    tx, ty = thread.idx.x, thread.idx.y
    by = block.idx.x
    bx = (block.idx.x + block.idx.y) % grid.dim.x
    for k in unroll(range(0, TILE, ROWS)):
        if bx * TILE + tx < n and by * TILE + ty + k < n:
            tile[ty + k, tx] = src[(by * TILE + ty + k) * n + bx * TILE + tx]
    block.sync()
    for k in unroll(range(0, TILE, ROWS)):
        if by * TILE + tx < n and bx * TILE + ty + k < n:
            dst[(bx * TILE + ty + k) * n + by * TILE + tx] = tile[tx, ty + k]  # <- OX4002


@kernel
@launch_contract(domain=3, block=(16, 16, 1))
def batched_batch_forgotten(src: Slice[f32], dst: SliceMut[f32], width: i32, height: i32, batch: i32) -> None:
    require(width >= 0, height >= 0, batch >= 0, len(src) == batch * height * width, len(dst) == batch * height * width)
    tile = shared.array(f32, (16, 17))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * 16 + tx
    y = block.idx.y * 16 + ty
    z = block.idx.z
    if x < width and y < height and z < batch:
        tile[ty, tx] = src[(z * height + y) * width + x]
    block.sync()
    x = block.idx.y * 16 + tx
    y = block.idx.x * 16 + ty
    if x < height and y < width and z < batch:
        dst[y * height + x] = tile[tx, ty]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def block_of_eight_wrong_pitch(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    tile = shared.array(f32, 64)
    t = thread.idx.x
    idx = thread.index_1d()
    i = idx.get()
    tile[t % 8 * 7 + t // 8] = x[i] if i < len(x) else f32(0)  # <- OX4001
    block.sync()
    if idx in y:
        y[idx] = tile[t]
