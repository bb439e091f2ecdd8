"""Sorts that move each element to a computed rank."""

from __future__ import annotations

from oxidepy import (
    Slice,
    SliceMut,
    atomic,
    bits,
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
    u32,
)

B = 128


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def rank_sort(x: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * B)
    s = shared.array(i32, B)
    r = shared.array(f32, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    v = x[i]
    s[t] = bits.cast(i32, v)
    block.sync()
    rank = i32(0)
    for k in range(B):
        if s[k] < s[t] or (s[k] == s[t] and k < t):
            rank += 1
    r[rank] = v
    block.sync()
    x[i] = r[t]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def radix_passes(x: SliceMut[u32]) -> None:
    require(len(x) == grid.dim.x * B)
    s = shared.array(u32, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    v = x[i]
    for bit in range(4):
        one = i32((v >> u32(bit)) & 1)
        before = block.scan_sum(one, exclusive=True)
        zeros = B - block.reduce_sum(one)
        s[zeros + before if one == 1 else t - before] = v
        block.sync()
        v = s[t]
        block.sync()
    x[i] = v


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def counting_in_shared(x: Slice[u8], y: SliceMut[u8]) -> None:
    require(len(x) == grid.dim.x * B, len(y) == grid.dim.x * B)
    cursor = shared.array(i32, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    key = i32(x[i]) // 2
    cursor[t] = 0
    block.sync()
    atomic.add(cursor, key, 1, scope="block")
    block.sync()
    first = block.scan_sum(cursor[t], exclusive=True)
    block.sync()
    cursor[t] = first
    block.sync()
    place = atomic.add(cursor, key, 1, scope="block")
    y[block.idx.x * B + place] = x[i]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def merge_by_rank(a: Slice[i32], b: Slice[i32], out: SliceMut[i32]) -> None:
    require(len(a) == B, len(b) == B, len(out) == 2 * B, grid.dim.x == 1)
    t = thread.idx.x
    rank_a = i32(0)
    rank_b = i32(0)
    for k in range(B):
        if a[k] < a[t] or (a[k] == a[t] and k < t):
            rank_a += 1
        if b[k] < a[t]:
            rank_a += 1
        if b[k] < b[t] or (b[k] == b[t] and k < t):
            rank_b += 1
        if a[k] <= b[t]:
            rank_b += 1
    out[rank_a] = a[t]
    out[rank_b] = b[t]
