"""One edit away from race-free: changes of layout: interleaving, padding, permuting, rolling, repeating."""

from __future__ import annotations

from oxidepy import (
    D2,
    Slice,
    SliceMut,
    block,
    f32,
    i32,
    kernel,
    launch_contract,
    require,
    thread,
    unroll,
)


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def planes_to_points_two_apart(x: Slice[f32], y: Slice[f32], z: Slice[f32], points: SliceMut[f32]) -> None:
    require(len(x) == len(y), len(x) == len(z), len(points) == 3 * len(x))
    i = thread.index_1d().get()
    if i < len(x):
        points[3 * i] = x[i]
        points[3 * i + 1] = y[i]
        points[2 * i + 2] = z[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(96, 1, 1))
def points_to_planes_wrong_plane(points: Slice[f32], out: SliceMut[f32]) -> None:
    require(len(points) == len(out), len(out) % 3 == 0)
    i = thread.index_1d().get()
    if i < len(points):
        out[i % 2 * (len(out) // 3) + i // 3] = points[i]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def pad_rows_pitch_may_be_short(src: Slice[f32], dst: SliceMut[f32], rows: i32, cols: i32, pitch: i32) -> None:
    require(rows >= 0, cols >= 0, pitch >= 0, len(src) == rows * cols, len(dst) == rows * pitch)
    c = block.idx.x * 32 + thread.idx.x
    r = block.idx.y * 8 + thread.idx.y
    if r < rows and c < cols:
        dst[r * pitch + c] = src[r * cols + c]  # <- OX4002


@kernel
@launch_contract(domain=3, block=(8, 8, 8))
def permute_axes_wrong_extent(src: Slice[f32], dst: SliceMut[f32], a: i32, b: i32, c: i32) -> None:
    require(a >= 0, b >= 0, c >= 0, len(src) == a * b * c, len(dst) == a * b * c)
    k = block.idx.x * 8 + thread.idx.x
    j = block.idx.y * 8 + thread.idx.y
    i = block.idx.z * 8 + thread.idx.z
    if i < a and j < b and k < c:
        dst[(k * b + i) * b + j] = src[(i * b + j) * c + k]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def roll_wrong_modulus(x: Slice[f32], y: SliceMut[f32], by: i32) -> None:
    require(len(x) == len(y), by >= 0, by < len(y), len(y) <= 1073741824)
    i = thread.index_1d().get()
    if i < len(x):
        y[(i + by) % 256] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def double_size_step_of_one(src: Slice[f32, D2], dst: SliceMut[f32, D2]) -> None:
    require(dst.shape[0] == 2 * src.shape[0], dst.shape[1] == 2 * src.shape[1])
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < src.shape[0] and j < src.shape[1]:
        for di in unroll((0, 1)):
            for dj in unroll((0, 1)):
                dst[i + di, 2 * j + dj] = src[i, j]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def joined_offset_forgotten(a: Slice[i32], b: Slice[i32], out: SliceMut[i32]) -> None:
    require(len(out) == len(a) + len(b))
    i = thread.index_1d().get()
    if i < len(a):
        out[i] = a[i]
    if i < len(b):
        out[len(b) + i] = b[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def patches_to_columns_patches_overlap(src: Slice[f32], out: SliceMut[f32], width: i32, height: i32) -> None:
    require(width >= 3, height >= 3, len(src) == width * height, len(out) == 9 * (width - 2) * (height - 2))
    p = thread.index_1d().get()
    count = (width - 2) * (height - 2)
    if p < count:
        x = p % (width - 2)
        y = p // (width - 2)
        for k in unroll(range(9)):
            out[k * (width - 2) + p] = src[(y + k // 3) * width + x + k % 3]  # <- OX4002
