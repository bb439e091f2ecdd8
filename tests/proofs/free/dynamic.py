"""Dynamic programming: diagonals, rows, path finding."""

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
    require,
    shared,
    thread,
    u8,
)

B = 16


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def alignment_tile(scores: Slice[i32, D2], table: SliceMut[i32, D2], penalty: i32) -> None:
    require(scores.shape[0] == B, scores.shape[1] == B, table.shape[0] == B + 1, table.shape[1] == B + 1, grid.dim.x == 1)
    s = shared.array(i32, (B + 1, B + 1))
    t = thread.idx.x
    s[t + 1, 0] = table[t + 1, 0]
    s[0, t + 1] = table[0, t + 1]
    if t == 0:
        s[0, 0] = table[0, 0]
    block.sync()
    for d in range(2 * B - 1):
        row = t + 1
        col = d - t + 1
        if col >= 1 and col <= B:
            best = s[row - 1, col - 1] + scores[row - 1, col - 1]
            best = max(best, s[row, col - 1] - penalty)
            best = max(best, s[row - 1, col] - penalty)
            s[row, col] = best
        block.sync()
    for r in range(1, B + 1):
        table[r, t + 1] = s[r, t + 1]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def path_rows(wall: Slice[i32], result: SliceMut[i32], cols: i32, rows: i32) -> None:
    require(rows >= 1, cols == 256, len(wall) == rows * cols, len(result) == cols, grid.dim.x == 1)
    above = shared.array(i32, 256)
    below = shared.array(i32, 256)
    t = thread.idx.x
    above[t] = wall[t]
    block.sync()
    for r in range(1, rows):
        best = above[t]
        if t > 0:
            best = min(best, above[t - 1])
        if t < 255:
            best = min(best, above[t + 1])
        below[t] = best + wall[r * 256 + t]
        block.sync()
        above[t] = below[t]
        block.sync()
    result[t] = above[t]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def common_subsequence_diagonal(a: Slice[u8], b: Slice[u8], table: SliceMut[i32, D2], d: i32) -> None:
    require(d >= 2, table.shape[0] == len(a) + 1, table.shape[1] == len(b) + 1)
    row = thread.index_1d().get() + 1
    col = d - row
    if row <= len(a) and col >= 1 and col <= len(b):
        if a[row - 1] == b[col - 1]:
            table[row, col] = table[row - 1, col - 1] + 1
        else:
            table[row, col] = max(table[row - 1, col], table[row, col - 1])


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def shortest_paths_step(d: SliceMut[i32], n: i32, k: i32) -> None:
    require(n >= 1, k >= 0, k < n, len(d) == n * n)
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < n and j < n and i != k and j != k:
        d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def knapsack_row(before: Slice[i32], after: SliceMut[i32], weight: i32, value: i32) -> None:
    require(weight >= 1, len(before) == len(after))
    w = thread.index_1d().get()
    if w < len(after):
        best = before[w]
        if w >= weight:
            best = max(best, before[w - weight] + value)
        after[w] = best


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def viterbi_in_shared(emission: Slice[f32], transition: Slice[f32], back: SliceMut[i32], steps: i32) -> None:
    require(steps >= 1, len(emission) == steps * 64, len(transition) == 4096, len(back) == steps * 64, grid.dim.x == 1)
    p = shared.array(f32, (2, 64))
    t = thread.idx.x
    p[0, t] = emission[t]
    block.sync()
    for k in range(1, steps):
        best = f32(float("-inf"))
        place = i32(0)
        for q in range(64):
            v = p[(k - 1) % 2, q] + transition[q * 64 + t]
            if v > best:
                best = v
                place = q
        p[k % 2, t] = best + emission[k * 64 + t]
        back[k * 64 + t] = place
        block.sync()
