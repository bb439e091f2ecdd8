"""Prefix sums of warps, blocks and segments."""

from __future__ import annotations

from oxidepy import (
    DisjointSlice,
    Slice,
    SliceMut,
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
    unroll,
    warp,
)

BLOCK = 256
WARPS = BLOCK // 32


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def double_buffered_scan(x: Slice[i32], y: DisjointSlice[i32]) -> None:
    s = shared.array(i32, (2, BLOCK))
    t = thread.idx.x
    idx = thread.index_1d()
    i = idx.get()
    s[0, t] = x[i] if i < len(x) else 0
    block.sync()
    source = 0
    step = 1
    while step < BLOCK:
        v = s[source, t]
        if t >= step:
            v += s[source, t - step]
        s[1 - source, t] = v
        block.sync()
        source = 1 - source
        step *= 2
    if idx in y:
        y[idx] = s[source, t]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def in_place_scan(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(x) == len(y))
    s = shared.array(i32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else 0
    block.sync()
    step = 1
    while step < BLOCK:
        before = s[t - step] if t >= step else 0
        block.sync()
        s[t] += before
        block.sync()
        step *= 2
    if i < len(y):
        y[i] = s[t]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def work_efficient_scan(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(x) == len(y))
    s = shared.array(i32, 2 * BLOCK)
    t = thread.idx.x
    base = block.idx.x * (2 * BLOCK)
    s[t] = x[base + t] if base + t < len(x) else 0
    s[t + BLOCK] = x[base + t + BLOCK] if base + t + BLOCK < len(x) else 0
    offset = 1
    d = BLOCK
    while d > 0:
        block.sync()
        if t < d:
            s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1]
        offset *= 2
        d //= 2
    if t == 0:
        s[2 * BLOCK - 1] = 0
    d = 1
    while d < 2 * BLOCK:
        offset //= 2
        block.sync()
        if t < d:
            ai = offset * (2 * t + 1) - 1
            bi = offset * (2 * t + 2) - 1
            left = s[ai]
            s[ai] = s[bi]
            s[bi] += left
        d *= 2
    block.sync()
    if base + t < len(y):
        y[base + t] = s[t]
    if base + t + BLOCK < len(y):
        y[base + t + BLOCK] = s[t + BLOCK]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def warp_block_scan(x: Slice[i32], y: DisjointSlice[i32], totals: SliceMut[i32]) -> None:
    sums = shared.array(i32, WARPS)
    idx = thread.index_1d()
    i = idx.get()
    v = x[i] if i < len(x) else 0
    for step in unroll((1, 2, 4, 8, 16)):
        other = warp.shuffle_up(v, step)
        if warp.lane >= step:
            v += other
    if warp.lane == 31:
        sums[warp.id] = v
    block.sync()
    base = i32(0)
    for w in range(WARPS):
        if w < warp.id:
            base += sums[w]
    if idx in y:
        y[idx] = base + v
    if thread.idx.x == BLOCK - 1 and block.idx.x < len(totals):
        totals[block.idx.x] = base + v


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def scan_of_warp_totals(x: Slice[i32], y: DisjointSlice[i32]) -> None:
    sums = shared.array(i32, 32)
    idx = thread.index_1d()
    i = idx.get()
    v = warp.scan_sum(x[i] if i < len(x) else 0)
    if thread.idx.x < 32:
        sums[thread.idx.x] = 0
    block.sync()
    if warp.lane == 31:
        sums[warp.id] = v
    block.sync()
    if warp.id == 0:
        w = sums[warp.lane]
        w = warp.scan_sum(w, exclusive=True)
        sums[warp.lane] = w
    block.sync()
    if idx in y:
        y[idx] = v + sums[warp.id]


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def exclusive_library_scan(x: Slice[i32], y: DisjointSlice[i32], totals: SliceMut[i32]) -> None:
    idx = thread.index_1d()
    i = idx.get()
    own = x[i] if i < len(x) else 0
    before = block.scan_sum(own, exclusive=True)
    if idx in y:
        y[idx] = before
    if thread.idx.x == BLOCK - 1 and block.idx.x < len(totals):
        totals[block.idx.x] = before + own


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def add_block_offsets(y: SliceMut[i32], offsets: Slice[i32]) -> None:
    offset = shared.array(i32, 1)
    i = thread.index_1d().get()
    if thread.idx.x == 0:
        offset[0] = offsets[block.idx.x] if block.idx.x < len(offsets) else 0
    block.sync()
    if i < len(y):
        y[i] += offset[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def segmented_scan(x: Slice[f32], heads: Slice[i32], y: DisjointSlice[f32]) -> None:
    v = shared.array(f32, 128)
    f = shared.array(i32, 128)
    t = thread.idx.x
    idx = thread.index_1d()
    i = idx.get()
    v[t] = x[i] if i < len(x) else f32(0)
    f[t] = heads[i] if i < len(heads) else 1
    block.sync()
    for step in unroll((1, 2, 4, 8, 16, 32, 64)):
        value = v[t]
        flag = f[t]
        if t >= step:
            if flag == 0:
                value += v[t - step]
            flag = flag | f[t - step]
        block.sync()
        v[t] = value
        f[t] = flag
        block.sync()
    if idx in y:
        y[idx] = v[t]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def four_per_thread_scan(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(x) == len(y), grid.dim.x <= cdiv(len(y), 512))
    s = shared.array(i32, 128)
    t = thread.idx.x
    first = thread.index_1d().get() * 4
    total = i32(0)
    for k in unroll(range(4)):
        if first + k < len(x):
            total += x[first + k]
    s[t] = total
    block.sync()
    step = 1
    while step < 128:
        before = s[t - step] if t >= step else 0
        block.sync()
        s[t] += before
        block.sync()
        step *= 2
    running = s[t] - total
    for k in unroll(range(4)):
        if first + k < len(y):
            running += x[first + k]
            y[first + k] = running
