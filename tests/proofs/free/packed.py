"""Triangles of which each row is one longer than the one before, packed row behind row: `i * (i + 1) // 2 + j`."""

from __future__ import annotations

from oxidepy import D2, Slice, SliceMut, block, f32, i32, i64, kernel, launch_contract, require, thread


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def lower(x: Slice[f32, D2], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < x.shape[0] and j <= i:
        y[i * (i + 1) // 2 + j] = x[i, j]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def of_a_size(x: Slice[f32, D2], y: SliceMut[f32], n: i32) -> None:
    require(n > 0, len(y) == n * (n + 1) // 2, x.shape[0] == n, x.shape[1] == n)
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < n and j <= i:
        y[i * (i + 1) // 2 + j] = x[i, j]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def upper(x: Slice[f32, D2], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if j < x.shape[1] and i <= j:
        y[j * (j + 1) // 2 + i] = x[i, j]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def distances(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < len(x) and j < i:
        y[i * (i - 1) // 2 + j] = abs(x[i] - x[j])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def a_row_each(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(x):
        for j in range(i + 1):
            y[i * (i + 1) // 2 + j] = x[i] * x[j]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def update(x: Slice[f32], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < len(x) and j <= i:
        k = j + i * (i + 1) // 2
        if k < len(y):
            y[k] = y[k] + x[i] * x[j]


@kernel
@launch_contract(domain=2, block=(16, 16, 1), coordinates=i64)
def in_64_bits(x: Slice[f32, D2], y: SliceMut[f32]) -> None:
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < x.shape[0] and j <= i:
        y[i * (i + 1) // 2 + j] = x[i, j]
