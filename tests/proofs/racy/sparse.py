"""One edit away from race-free: sparse rows in several formats; the rows that are written are the threads' own."""

from __future__ import annotations

from oxidepy import (
    D2,
    Slice,
    SliceMut,
    atomic,
    block,
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


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def csr_row_a_warp_every_lane_writes(rows: Slice[i32], cols: Slice[i32], values: Slice[f32], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(rows) == len(y) + 1, len(cols) == len(values))
    row = block.idx.x * 8 + warp.id
    acc = f32(0)
    if row < len(y):
        for k in range(rows[row] + warp.lane, rows[row + 1], 32):
            acc += values[k] * x[cols[k]]
    acc = warp.reduce_sum(acc)
    if row < len(y):
        y[row] = acc  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def csr_row_a_warp_reduced_in_branch(rows: Slice[i32], cols: Slice[i32], values: Slice[f32], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(rows) == len(y) + 1, len(cols) == len(values))
    row = block.idx.x * 8 + warp.id
    acc = f32(0)
    if row < len(y):
        for k in range(rows[row] + warp.lane, rows[row + 1], 32):
            acc += values[k] * x[cols[k]]
    if warp.lane < 16:
        acc = warp.reduce_sum(acc)  # <- OX3002
    if warp.lane == 0 and row < len(y):
        y[row] = acc


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def csr_row_a_block_without_barrier(rows: Slice[i32], cols: Slice[i32], values: Slice[f32], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(rows) == len(y) + 1, grid.dim.x == len(y), len(cols) == len(values))
    s = shared.array(f32, 128)
    t = thread.idx.x
    row = block.idx.x
    acc = f32(0)
    for k in range(rows[row] + t, rows[row + 1], 128):
        acc += values[k] * x[cols[k]]
    s[t] = acc
    block.sync()
    step = 64
    while step > 0:
        if t < step:
            s[t] += s[t + step]  # <- OX4001
        step //= 2
    if t == 0:
        y[row] = s[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def ellpack_row_halved(cols: Slice[i32], values: Slice[f32], x: Slice[f32], y: SliceMut[f32], width: i32) -> None:
    require(width >= 0, len(cols) == len(y) * width, len(values) == len(y) * width)
    row = thread.index_1d().get()
    if row < len(y):
        acc = f32(0)
        for k in range(width):
            c = cols[k * len(y) + row]
            if c >= 0:
                acc += values[k * len(y) + row] * x[c]
        y[row // 2] = acc  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def coordinates_with_atomics_scope_narrowed(
    rows: Slice[i32], cols: Slice[i32], values: Slice[f32], x: Slice[f32], y: SliceMut[f32]
) -> None:
    require(len(rows) == len(values), len(cols) == len(values))
    for k in range(thread.index_1d().get(), len(values), grid.dim.x * 128):
        atomic.add(y, rows[k], values[k] * x[cols[k]], scope="block")  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def diagonals_one_barrier(offsets: Slice[i32], data: Slice[f32, D2], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(data.shape[0] == len(offsets), data.shape[1] == len(y))
    near = shared.array(i32, 64)
    t = thread.idx.x
    row = thread.index_1d().get()
    acc = f32(0)
    for first in range(0, len(offsets), 64):
        if first + t < len(offsets):
            near[t] = offsets[first + t]  # <- OX4001
        block.sync()
        for d in range(min(64, len(offsets) - first)):
            col = row + near[d]
            if row < len(y) and col >= 0 and col < len(x):
                acc += data[first + d, row] * x[col]
    if row < len(y):
        y[row] = acc


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def blocks_of_four_three_apart(rows: Slice[i32], cols: Slice[i32], values: Slice[f32], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(y) % 4 == 0, len(rows) == len(y) // 4 + 1, len(values) == len(cols) * 16)
    row = block.idx.x * 16 + thread.idx.x // 4
    r = thread.idx.x % 4
    if row < len(y) // 4:
        acc = f32(0)
        for k in range(rows[row], rows[row + 1]):
            for c in unroll(range(4)):
                acc += values[k * 16 + r * 4 + c] * x[cols[k] * 4 + c]
        y[row * 3 + r] = acc  # <- OX4002
