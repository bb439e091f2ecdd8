"""Copies, maps, gathers and fills, with contracts."""

from __future__ import annotations

from oxidepy import (
    D3,
    DisjointSlice,
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
def saxpy(a: f32, x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = a * x[idx] + y[idx]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def vector_add(a: Slice[f32], b: Slice[f32], c: SliceMut[f32]) -> None:
    require(len(a) == len(c), len(b) == len(c))
    i = thread.index_1d().get()
    if i < len(c):
        c[i] = a[i] + b[i]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def copy_while(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y))
    i = thread.index_1d().get()
    while i < len(x):
        y[i] = x[i]
        i += grid.dim.x * block.dim.x


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def copy_range(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) <= len(y))
    for i in range(block.idx.x * 256 + thread.idx.x, len(x), grid.dim.x * 256):
        y[i] = x[i]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def copy_four(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y))
    i = thread.index_1d().get()
    if i < len(y) // 4:
        for k in unroll(range(4)):
            y[4 * i + k] = x[4 * i + k]
    if i < len(y) % 4:
        y[len(y) // 4 * 4 + i] = x[len(y) // 4 * 4 + i]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def coalesced_four(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y), grid.dim.x <= cdiv(len(y), 1024))
    first = block.idx.x * 1024 + thread.idx.x
    for k in unroll(range(4)):
        i = first + k * 256
        if i < len(y):
            y[i] = x[i] * f32(2)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def gather(x: Slice[f32], where: Slice[i32], y: SliceMut[f32]) -> None:
    require(len(where) == len(y))
    i = thread.index_1d().get()
    if i < len(y):
        k = where[i]
        y[i] = x[k] if 0 <= k and k < len(x) else f32(0)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def scale_in_place(y: SliceMut[f64], factor: f64) -> None:
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = y[i] * factor


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def fill_plane(y: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(y) == width * height)
    col = block.idx.x * 16 + thread.idx.x
    row = block.idx.y * 16 + thread.idx.y
    if col < width and row < height:
        y[row * width + col] = f32(row - col)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def strided_write(x: Slice[i32], y: SliceMut[i32], stride: i32) -> None:
    require(stride >= 1, len(y) >= len(x) * stride)
    i = thread.index_1d().get()
    if i < len(x):
        y[i * stride] = x[i] * SCALE


@kernel
@launch_contract(domain=3, block=(8, 8, 4))
def map_volume(x: Slice[f32, D3], y: SliceMut[f32, D3]) -> None:
    require(x.shape[0] == y.shape[0], x.shape[1] == y.shape[1], x.shape[2] == y.shape[2])
    i = block.idx.x * 8 + thread.idx.x
    j = block.idx.y * 8 + thread.idx.y
    k = block.idx.z * 4 + thread.idx.z
    if k < y.shape[0] and j < y.shape[1] and i < y.shape[2]:
        y[k, j, i] = x[k, j, i] + f32(1)
