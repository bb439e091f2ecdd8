"""One edit away from race-free: write indices that come from memory, inside a part that is the thread's or the block's own."""

from __future__ import annotations

from oxidepy import (
    D2,
    Slice,
    SliceMut,
    atomic,
    block,
    cdiv,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    u8,
    u32,
)

B = 64


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def private_histograms_columns_shared(x: Slice[u8], bins: SliceMut[u32]) -> None:
    require(len(bins) == 64)
    own = shared.array(u8, (64, B))
    t = thread.idx.x
    for b in range(64):
        own[b, t] = u8(0)
    for k in range(16):
        i = (block.idx.x * 16 + k) * B + t
        if i < len(x):
            own[i32(x[i]) // 4, t // 2] += u8(1)  # <- OX4001
    block.sync()
    total = u32(0)
    for k in range(B):
        total += u32(own[t, k])
    atomic.add(bins, t, total)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def one_hot_rows_row_from_memory(labels: Slice[i32], out: SliceMut[f32, D2]) -> None:
    require(out.shape[0] == len(labels))
    r = thread.index_1d().get()
    if r < len(labels):
        c = labels[r]
        if 0 <= c and c < out.shape[1]:
            out[c, r % out.shape[1]] = f32(1)  # <- OX4003


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def scatter_in_own_row_rows_overlap(where: Slice[i32], x: Slice[f32], out: SliceMut[f32], rows: i32) -> None:
    require(rows >= 0, len(where) == rows * 8, len(x) == rows * 8, len(out) == rows * 8)
    r = thread.index_1d().get()
    if r < rows:
        for k in range(8):
            c = where[r * 8 + k]
            if 0 <= c and c < 8:
                out[r * 4 + c] = x[r * 8 + k]  # <- OX4003


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def masked_slot_mask_too_wide(where: Slice[i32], x: Slice[f32], out: SliceMut[f32]) -> None:
    require(len(where) == len(x), grid.dim.x <= cdiv(len(out), 512))
    i = thread.index_1d().get()
    if i < len(x) and i * 4 + 3 < len(out):
        out[i * 4 + (where[i] & 7)] = x[i]  # <- OX4003
