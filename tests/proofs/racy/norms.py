"""One edit away from race-free: soft maxima and norms of rows."""

from __future__ import annotations

from oxidepy import (
    D2,
    Slice,
    SliceMut,
    block,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    math,
    require,
    shared,
    thread,
    unroll,
    warp,
)

B = 128


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def softmax_row_a_block_columns_overlap(x: Slice[f32, D2], y: SliceMut[f32, D2]) -> None:
    require(x.shape[0] == y.shape[0], x.shape[1] == y.shape[1], grid.dim.x == y.shape[0])
    row = block.idx.x
    best = f32(float("-inf"))
    for c in range(thread.idx.x, x.shape[1], B):
        best = max(best, x[row, c])
    best = block.reduce_max(best)
    total = f32(0)
    for c in range(thread.idx.x, x.shape[1], B):
        total += math.exp(x[row, c] - best)
    total = block.reduce_sum(total)
    for c in range(thread.idx.x, x.shape[1], B):
        y[row, c // 2] = math.exp(x[row, c] - best) / total  # <- OX4002


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def softmax_by_tree_maximum_overwritten(x: Slice[f32], y: SliceMut[f32], cols: i32) -> None:
    require(cols >= 1, len(x) == grid.dim.x * cols, len(y) == len(x))
    s = shared.array(f32, B)
    t = thread.idx.x
    base = block.idx.x * cols
    best = f32(float("-inf"))
    for c in range(t, cols, B):
        best = max(best, x[base + c])
    s[t] = best
    block.sync()
    step = B // 2
    while step > 0:
        if t < step:
            s[t] = max(s[t], s[t + step])
        block.sync()
        step //= 2
    best = s[0]
    total = f32(0)
    for c in range(t, cols, B):
        e = math.exp(x[base + c] - best)
        y[base + c] = e
        total += e
    s[t] = total  # <- OX4001
    block.sync()
    step = B // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        block.sync()
        step //= 2
    for c in range(t, cols, B):
        y[base + c] = y[base + c] / s[0]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def softmax_row_a_warp_rows_shared(x: SliceMut[f32, D2]) -> None:
    row = block.idx.x * 4 + warp.id
    best = f32(float("-inf"))
    if row < x.shape[0]:
        for c in range(warp.lane, x.shape[1], 32):
            best = max(best, x[row, c])
    best = warp.reduce_max(best)
    total = f32(0)
    if row < x.shape[0]:
        for c in range(warp.lane, x.shape[1], 32):
            x[row, c] = math.exp(x[row, c] - best)  # <- OX4002
            total += x[row, c]
    total = warp.reduce_sum(total)
    if row < x.shape[0]:
        for c in range(warp.lane, x.shape[1], 32):
            x[row, c] = x[row, c] / total


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def layer_norm_mean_unordered(x: Slice[f32], gain: Slice[f32], shift: Slice[f32], y: SliceMut[f32], rows: i32) -> None:
    require(rows >= 0, len(gain) == len(shift), len(x) == rows * len(gain), len(y) == rows * len(gain))
    mean_of = shared.array(f32, 1)
    scale_of = shared.array(f32, 1)
    n = len(gain)
    for row in range(block.idx.x, rows, grid.dim.x):
        total = f32(0)
        squares = f32(0)
        for c in range(thread.idx.x, n, B):
            v = x[row * n + c]
            total += v
            squares += v * v
        total = block.reduce_sum(total)
        squares = block.reduce_sum(squares)
        if thread.idx.x == 0:
            mean_of[0] = total / f32(n)  # <- OX4001
            scale_of[0] = 1.0 / math.sqrt(squares / f32(n) + 1e-5)
        for c in range(thread.idx.x, n, B):
            y[row * n + c] = (x[row * n + c] - mean_of[0]) * scale_of[0] * gain[c] + shift[c]
        block.sync()


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def root_mean_square_in_place_neighbour_read(x: SliceMut[f32], cols: i32) -> None:
    require(cols >= 1, len(x) == grid.dim.x * cols)
    base = block.idx.x * cols
    squares = f32(0)
    for c in range(thread.idx.x, cols, B):
        squares += x[base + c] * x[base + c]
    squares = block.reduce_sum(squares)
    for c in range(thread.idx.x, cols, B):
        x[base + c] = x[base + max(c - 1, 0)] / math.sqrt(squares / f32(cols) + 1e-6)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def softmax_row_a_thread_pitch_too_small(x: Slice[f32], y: SliceMut[f32], rows: i32, cols: i32) -> None:
    require(rows >= 0, cols >= 0, len(x) == rows * cols, len(y) == rows * cols)
    row = thread.index_1d().get()
    if row < rows:
        best = f32(float("-inf"))
        total = f32(0)
        for c in range(cols):
            v = x[row * cols + c]
            higher = max(best, v)
            total = total * math.exp(best - higher) + math.exp(v - higher)
            best = higher
        for c in range(cols):
            y[row * (cols - 1) + c] = math.exp(x[row * cols + c] - best) / total  # <- OX4002


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def batch_statistics_barrier_in_branch(x: Slice[f32, D2], mean: SliceMut[f32], square: SliceMut[f32]) -> None:
    require(len(mean) == x.shape[1], len(square) == x.shape[1], grid.dim.y == 1)
    s = shared.array(f32, (8, 32))
    q = shared.array(f32, (8, 32))
    tx, ty = thread.idx.x, thread.idx.y
    c = block.idx.x * 32 + tx
    a = f32(0)
    b = f32(0)
    if c < x.shape[1]:
        for r in range(ty, x.shape[0], 8):
            v = x[r, c]
            a += v
            b += v * v
    s[ty, tx] = a
    q[ty, tx] = b
    block.sync()
    for step in unroll((4, 2, 1)):
        if ty < step:
            s[ty, tx] += s[ty + step, tx]
            q[ty, tx] += q[ty + step, tx]
            block.sync()  # <- OX3001
    if ty == 0 and c < x.shape[1]:
        mean[c] = s[0, tx] / f32(x.shape[0])
        square[c] = q[0, tx] / f32(x.shape[0])
