"""One edit away from race-free: copies, maps, gathers and fills, with contracts."""

from __future__ import annotations

from oxidepy import (
    D3,
    Slice,
    SliceMut,
    block,
    cdiv,
    f32,
    f64,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    thread,
    unroll,
)

SCALE = 3


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def vector_add_half_index(a: Slice[f32], b: Slice[f32], c: SliceMut[f32]) -> None:
    require(len(a) == len(c), len(b) == len(c))
    i = thread.index_1d().get()
    if i < len(c):
        c[i // 2] = a[i] + b[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def copy_while_stride_of_a_block(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y))
    i = thread.index_1d().get()
    while i < len(x):
        y[i] = x[i]  # <- OX4002
        i += block.dim.x


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def copy_range_start_in_block(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) <= len(y))
    for i in range(thread.idx.x, len(x), grid.dim.x * 256):
        y[i] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def copy_four_five_written(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y))
    i = thread.index_1d().get()
    if i < len(y) // 4:
        for k in unroll(range(5)):
            y[4 * i + k] = x[4 * i + k]  # <- OX4002
    if i < len(y) % 4:
        y[len(y) // 4 * 4 + i] = x[len(y) // 4 * 4 + i]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def coalesced_four_blocks_overlap(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y), grid.dim.x <= cdiv(len(y), 1024))
    first = block.idx.x * 512 + thread.idx.x
    for k in unroll(range(4)):
        i = first + k * 256
        if i < len(y):
            y[i] = x[i] * f32(2)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def scale_in_place_neighbour_read(y: SliceMut[f64], factor: f64) -> None:
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = y[max(i - 1, 0)] * factor  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def fill_plane_pitch_too_small(y: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(y) == width * height)
    col = block.idx.x * 16 + thread.idx.x
    row = block.idx.y * 16 + thread.idx.y
    if col < width and row < height:
        y[row * (width - 1) + col] = f32(row - col)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def strided_write_stride_may_be_zero(x: Slice[i32], y: SliceMut[i32], stride: i32) -> None:
    require(stride >= 0, len(y) >= len(x) * stride)
    i = thread.index_1d().get()
    if i < len(x):
        y[i * stride] = x[i] * SCALE  # <- OX4002


@kernel
@launch_contract(domain=3, block=(8, 8, 4))
def map_volume_axis_forgotten(x: Slice[f32, D3], y: SliceMut[f32, D3]) -> None:
    require(x.shape[0] == y.shape[0], x.shape[1] == y.shape[1], x.shape[2] == y.shape[2])
    i = block.idx.x * 8 + thread.idx.x
    j = block.idx.y * 8 + thread.idx.y
    k = block.idx.z * 4 + thread.idx.z
    if k < y.shape[0] and j < y.shape[1] and i < y.shape[2]:
        y[k, j, 0] = x[k, j, i] + f32(1)  # <- OX4002
