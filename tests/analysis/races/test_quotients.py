"""Indices of several axes that are the quotients and remainders of one number by sizes which only the launch tells."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import pytest

from oxidepy import D2, D3, CompileError, Slice, SliceMut, f32, i32, kernel, thread


@kernel
def unrelated_width(b: SliceMut[f32, D2], w: i32) -> None:
    i = thread.index_1d().get()
    if w > 0:
        r, c = i // w, i % w
        if r < b.shape[0] and c < b.shape[1]:
            b[r, c] = 1.0


@kernel
def width_of_another(a: Slice[f32, D2], b: SliceMut[f32, D2]) -> None:
    h, w = a.shape
    i = thread.index_1d().get()
    if i < h * w:
        r, c = divmod(i, w)
        if 0 < r < h - 1 and 0 < c < w - 1:
            b[r, c] = 0.25 * (a[r - 1, c] + a[r + 1, c] + a[r, c - 1] + a[r, c + 1])


@kernel
def turned(a: Slice[f32, D2], b: SliceMut[f32, D2]) -> None:
    h, w = a.shape
    i = thread.index_1d().get()
    if i < h * w:
        r, c = divmod(i, w)
        b[c, r] = a[r, c]


@kernel
def three_axes(b: SliceMut[f32, D3], h: i32, w: i32) -> None:
    i = thread.index_1d().get()
    if w > 0 and h > 0:
        r, x = divmod(i, w)
        z, y = divmod(r, h)
        if z < b.shape[0] and y < b.shape[1] and x < b.shape[2]:
            b[z, y, x] = 1.0


@kernel
def row_twice(b: SliceMut[f32, D2], w: i32) -> None:
    i = thread.index_1d().get()
    if w > 0:
        r, c = i // w, i % w
        if r // 2 < b.shape[0] and c < b.shape[1]:
            b[r // 2, c] = 1.0


@kernel
def column_of_another_width(b: SliceMut[f32, D2], w: i32, v: i32) -> None:
    i = thread.index_1d().get()
    if w > 0 and v > 0:
        r, c = i // w, i % v
        if r < b.shape[0] and c < b.shape[1]:
            b[r, c] = 1.0


@kernel
def negative_width(b: SliceMut[f32, D2], w: i32) -> None:
    i = thread.index_1d().get()
    if w != 0:
        r, c = i // w, i % w
        if 0 <= c and c < 1 and 0 <= r * 0 and b.shape[1] > 1 and len(b) > 0:
            b[0, c] = 1.0


@pytest.mark.parametrize("kernel_", [unrelated_width, width_of_another, turned, three_axes], ids=lambda one: one.name)
def test_proven(kernel_: object) -> None:
    assert kernel_.report().proofs[0].races


@pytest.mark.parametrize("kernel_", [row_twice, column_of_another_width, negative_width], ids=lambda one: one.name)
def test_not_where_two_threads_meet(kernel_: object) -> None:
    with pytest.raises(CompileError) as caught:
        kernel_.report()
    assert caught.value.code in ("OX4002", "OX4003")
