"""Twins of the same: a size for another one, a factor left out."""

from __future__ import annotations

from oxidepy import D3, Slice, SliceMut, f32, grid, i32, i64, kernel, launch_contract, require, thread, u32


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def planes_sizes_swapped(x: Slice[f32], y: SliceMut[f32, D3], h: i32, w: i32) -> None:
    i = thread.index_1d().get()
    if h > 0 and w > 0 and i < len(x):
        n = i // (h * w)
        r = i // h % w
        c = i % w
        if n < y.shape[0] and r < y.shape[1] and c < y.shape[2]:
            y[n, r, c] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def planes_row_twice(x: Slice[f32], y: SliceMut[f32, D3], h: i32, w: i32) -> None:
    i = thread.index_1d().get()
    if h > 0 and w > 0 and i < len(x):
        n = i // (h * w)
        r = i // w % h // 2
        c = i % w
        if n < y.shape[0] and r < y.shape[1] and c < y.shape[2]:
            y[n, r, c] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def planes_of_a_shape_same_plane(x: Slice[f32, D3], y: SliceMut[f32, D3]) -> None:
    k, h, w = x.shape
    i = thread.index_1d().get()
    if i < k * h * w:
        n = i // (h * w)
        r = i // w % h
        c = i % w
        y[n // 2, r, c] = x[n, r, c]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def row_of_the_rest_by_the_height(x: Slice[f32], y: SliceMut[f32, D3], h: i32, w: i32) -> None:
    i = thread.index_1d().get()
    if h > 0 and w > 0 and i < len(x):
        n = i // (w * h)
        r = i % (h * w) // h
        c = i % w
        if n < y.shape[0] and r < y.shape[1] and c < y.shape[2]:
            y[n, r, c] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def back_to_one_number_height_missing(x: Slice[f32], y: SliceMut[f32], k: i32, h: i32, w: i32) -> None:
    require(h > 0, w > 0, len(y) == k * h * w)
    i = thread.index_1d().get()
    if i < k * h * w:
        n = i // (h * w)
        r = i // w % h
        c = i % w
        y[n * h + r * w + c] = 2.0 * x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def planes_last_width_missing(x: Slice[f32], y: SliceMut[f32], k: i32, h: i32, w: i32) -> None:
    require(k > 0, h > 0, w > 0, len(y) == k * h * w)
    i = thread.index_1d().get()
    if i < k * h * w:
        n = i // (w * h)
        r = i // w % h
        c = i % w
        y[(r + c) * k + n] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def channels_last_height_missing(x: Slice[f32], y: SliceMut[f32], k: i32, channels: i32, h: i32, w: i32) -> None:
    require(k > 0, channels > 0, h > 0, w > 0, len(y) == k * channels * h * w)
    i = thread.index_1d().get()
    if i < len(y):
        n = i // (channels * h * w)
        channel = i // w % channels
        r = i // w % h
        c = i % w
        y[((n * h + r) * w + c) * channels + channel] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def channels_last_half_the_channels(x: Slice[f32], y: SliceMut[f32], k: i32, channels: i32, h: i32, w: i32) -> None:
    require(k > 0, channels > 0, h > 0, w > 0, len(y) == k * channels * h * w)
    i = thread.index_1d().get()
    if i < len(y):
        n = i // (channels * h * w)
        channel = i // (h * w) % channels
        r = i // w % h
        c = i % w
        y[((n * h + r) * w + c) * channels + channel // 2] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def rows_of_sixteen_fifteen_columns(x: Slice[f32], y: SliceMut[f32], k: i32, h: i32) -> None:
    require(h > 0, k > 0, len(y) == k * h * 16)
    i = thread.index_1d().get()
    if i < len(y):
        n = i // (h * 16)
        r = i // 16 % h
        c = i % 15
        y[(c * h + r) * k + n] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def eight_rows_four_rows(x: Slice[f32], y: SliceMut[f32, D3], w: i32) -> None:
    require(w > 0)
    i = thread.index_1d().get()
    if i < len(x):
        n = i // (8 * w)
        r = i // w % 4
        c = i % w
        if n < y.shape[0] and r < y.shape[1] and c < y.shape[2]:
            y[n, r, c] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def unsigned_sizes_sizes_swapped(x: Slice[f32], y: SliceMut[f32, D3], h: u32, w: u32) -> None:
    i = u32(thread.index_1d().get())
    if h > 0 and w > 0 and i < u32(len(x)):
        n = i32(i // (h * w))
        r = i32(i // h % w)
        c = i32(i % w)
        if n < y.shape[0] and r < y.shape[1] and c < y.shape[2]:
            y[n, r, c] = x[i32(i)]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def wide_sizes_column_twice(x: Slice[f32], y: SliceMut[f32], h: i64, w: i64) -> None:
    require(h > 0, w > 0)
    i = i64(thread.index_1d().get())
    if i < i64(len(x)):
        j = (i // (h * w) * h + i // w % h) * w + i % w // 2
        if j < i64(len(y)):
            y[i32(j)] = x[i32(i)]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def pooled_by_strides_one_plane(x: Slice[f32, D3], y: SliceMut[f32, D3]) -> None:
    k, h, w = y.shape
    for i in range(thread.index_1d().get(), k * h * w, grid.size):
        n, r, c = i // (h * w), i // w % h, i % w
        y[n % 2, r, c] = max(x[n, 2 * r, 2 * c], x[n, 2 * r + 1, 2 * c + 1])  # <- OX4002
