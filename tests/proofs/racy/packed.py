"""One edit away from race-free: packed triangles."""

from __future__ import annotations

from oxidepy import D2, Slice, SliceMut, block, f32, i32, i64, kernel, launch_contract, require, thread


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def lower_one_column_more(x: Slice[f32, D2], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < x.shape[0] and j <= i + 1:
        y[i * (i + 1) // 2 + j] = x[i, j]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def lower_rows_of_the_strict_one(x: Slice[f32, D2], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < x.shape[0] and j <= i:
        y[i * (i - 1) // 2 + j] = x[i, j]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def of_a_size_of_both_triangles(x: Slice[f32, D2], y: SliceMut[f32], n: i32) -> None:
    require(n > 0, len(y) == n * (n + 1) // 2, x.shape[0] == n, x.shape[1] == n)
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < n and j < n:
        y[i * (i + 1) // 2 + j] = x[i, j]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def upper_by_quarters(x: Slice[f32, D2], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if j < x.shape[1] and i <= j:
        y[j * (j + 1) // 4 + i] = x[i, j]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def distances_with_the_diagonal(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < len(x) and j <= i:
        y[i * (i - 1) // 2 + j] = abs(x[i] - x[j])  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def a_row_each_too_long(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(x):
        for j in range(min(i + 2, len(x))):
            y[i * (i + 1) // 2 + j] = x[i] * x[j]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def update_beside_another(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < len(x) and j <= i:
        k = j + i * (i + 1) // 2
        if k < len(y):
            y[k] = y[k] + y[k - 1] * x[j]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1), coordinates=i64)
def in_64_bits_half_a_row(x: Slice[f32, D2], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < x.shape[0] and j <= i:
        y[i * i // 2 + j] = x[i, j]  # <- OX4002
