"""Sums, extrema and dot products over blocks, rows, columns and whole grids."""

from __future__ import annotations

from oxidepy import (
    D2,
    Slice,
    SliceMut,
    atomic,
    block,
    cooperative_launch,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    unroll,
    warp,
)

BLOCK = 256
WARPS = BLOCK // 32


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def tree_sum(x: Slice[f32], partial: SliceMut[f32]) -> None:
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
def interleaved_sum(x: Slice[i32], partial: SliceMut[i32]) -> None:
    s = shared.array(i32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else 0
    block.sync()
    step = 1
    while step < BLOCK:
        if t % (2 * step) == 0:
            s[t] += s[t + step]
        block.sync()
        step *= 2
    if t == 0 and block.idx.x < len(partial):
        partial[block.idx.x] = s[0]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def compact_threads_sum(x: Slice[i32], partial: SliceMut[i32]) -> None:
    s = shared.array(i32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else 0
    block.sync()
    step = 1
    while step < BLOCK:
        at = 2 * step * t
        if at < BLOCK:
            s[at] += s[at + step]
        block.sync()
        step *= 2
    if t == 0 and block.idx.x < len(partial):
        partial[block.idx.x] = s[0]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def add_on_load_sum(x: Slice[f32], partial: SliceMut[f32]) -> None:
    s = shared.array(f32, BLOCK)
    t = thread.idx.x
    i = block.idx.x * (2 * BLOCK) + t
    v = x[i] if i < len(x) else f32(0)
    if i + BLOCK < len(x):
        v += x[i + BLOCK]
    s[t] = v
    block.sync()
    for step in unroll((128, 64, 32, 16, 8, 4, 2, 1)):
        if t < step:
            s[t] = s[t] + s[t + step]
        block.sync()
    if t == 0 and block.idx.x < len(partial):
        partial[block.idx.x] = s[0]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def last_warp_sum(x: Slice[f32], partial: SliceMut[f32]) -> None:
    s = shared.array(f32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else f32(0)
    block.sync()
    for step in unroll((128, 64, 32)):
        if t < step:
            s[t] += s[t + step]
        block.sync()
    if t < 32:
        for step in unroll((16, 8, 4, 2, 1)):
            if t < step:
                s[t] += s[t + step]
            warp.sync()
    if t == 0 and block.idx.x < len(partial):
        partial[block.idx.x] = s[0]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def shuffle_sum(x: Slice[f32], partial: SliceMut[f32]) -> None:
    sums = shared.array(f32, WARPS)
    i = thread.index_1d().get()
    v = x[i] if i < len(x) else f32(0)
    for step in unroll((16, 8, 4, 2, 1)):
        v += warp.shuffle_down(v, step)
    if warp.lane == 0:
        sums[warp.id] = v
    block.sync()
    if thread.idx.x == 0 and block.idx.x < len(partial):
        total = f32(0)
        for w in range(WARPS):
            total += sums[w]
        partial[block.idx.x] = total


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def library_max(x: Slice[f32], partial: SliceMut[f32]) -> None:
    best = f32(float("-inf"))
    for i in range(thread.index_1d().get(), len(x), grid.dim.x * BLOCK):
        best = max(best, x[i])
    best = block.reduce_max(best)
    if thread.idx.x == 0 and block.idx.x < len(partial):
        partial[block.idx.x] = best


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def dot_product(a: Slice[f32], b: Slice[f32], result: SliceMut[f32]) -> None:
    require(len(a) == len(b), len(result) >= 1)
    s = shared.array(f32, BLOCK)
    t = thread.idx.x
    acc = f32(0)
    for i in range(thread.index_1d().get(), len(a), grid.dim.x * BLOCK):
        acc += a[i] * b[i]
    s[t] = acc
    block.sync()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        block.sync()
        half //= 2
    if t == 0:
        atomic.add(result, 0, s[0])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def argmax(x: Slice[f32], values: SliceMut[f32], places: SliceMut[i32]) -> None:
    best = shared.array(f32, 128)
    where = shared.array(i32, 128)
    t = thread.idx.x
    i = thread.index_1d().get()
    best[t] = x[i] if i < len(x) else f32(float("-inf"))
    where[t] = i
    block.sync()
    step = 64
    while step > 0:
        if t < step and best[t + step] > best[t]:
            best[t] = best[t + step]
            where[t] = where[t + step]
        block.sync()
        step //= 2
    if t == 0 and block.idx.x < len(values) and block.idx.x < len(places):
        values[block.idx.x] = best[0]
        places[block.idx.x] = where[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def row_sums(a: Slice[f32], sums: SliceMut[f32], cols: i32) -> None:
    require(len(a) == len(sums) * cols, cols >= 0)
    s = shared.array(f32, 128)
    t = thread.idx.x
    row = block.idx.x
    acc = f32(0)
    if row < len(sums):
        for c in range(t, cols, 128):
            acc += a[row * cols + c]
    s[t] = acc
    block.sync()
    for step in unroll((64, 32, 16, 8, 4, 2, 1)):
        if t < step:
            s[t] += s[t + step]
        block.sync()
    if t == 0 and row < len(sums):
        sums[row] = s[0]


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def column_sums(a: Slice[f32, D2], sums: SliceMut[f32]) -> None:
    require(len(sums) == a.shape[1], grid.dim.y == 1)
    s = shared.array(f32, (8, 32))
    tx, ty = thread.idx.x, thread.idx.y
    col = block.idx.x * 32 + tx
    acc = f32(0)
    if col < a.shape[1]:
        for row in range(ty, a.shape[0], 8):
            acc += a[row, col]
    s[ty, tx] = acc
    block.sync()
    if ty == 0 and col < len(sums):
        total = f32(0)
        for r in range(8):
            total += s[r, tx]
        sums[col] = total


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
@cooperative_launch
def grid_sum(x: Slice[f32], partial: SliceMut[f32], result: SliceMut[f32]) -> None:
    require(len(partial) >= grid.dim.x, len(result) >= 1)
    acc = f32(0)
    for i in range(thread.index_1d().get(), len(x), grid.dim.x * BLOCK):
        acc += x[i]
    acc = block.reduce_sum(acc)
    if thread.idx.x == 0:
        partial[block.idx.x] = acc
    grid.sync()
    if block.idx.x == 0 and thread.idx.x == 0:
        total = f32(0)
        for b in range(grid.dim.x):
            total += partial[b]
        result[0] = total
