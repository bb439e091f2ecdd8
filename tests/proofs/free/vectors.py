"""Matrix times vector, rank-one updates, triangular and tridiagonal systems."""

from __future__ import annotations

from oxidepy import (
    D2,
    DisjointSlice,
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
)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def row_a_block(a: Slice[f32, D2], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(a.shape[0] == len(y), a.shape[1] == len(x))
    row = block.idx.x
    acc = f32(0)
    if row < len(y):
        for c in range(thread.idx.x, len(x), 128):
            acc += a[row, c] * x[c]
    total = block.reduce_sum(acc)
    if thread.idx.x == 0 and row < len(y):
        y[row] = total


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def vector_in_tiles(a: Slice[f32], x: Slice[f32], y: DisjointSlice[f32], cols: i32) -> None:
    require(cols >= 0, len(x) == cols, len(a) == len(y) * cols)
    s = shared.array(f32, 128)
    t = thread.idx.x
    idx = thread.index_1d()
    row = idx.get()
    acc = f32(0)
    for first in range(0, cols, 128):
        s[t] = x[first + t] if first + t < cols else f32(0)
        block.sync()
        if idx in y:
            for q in range(min(128, cols - first)):
                acc += a[row * cols + first + q] * s[q]
        block.sync()
    if idx in y:
        y[idx] = acc


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def transposed_product(a: Slice[f32, D2], x: Slice[f32], y: SliceMut[f32]) -> None:
    require(a.shape[0] == len(x), a.shape[1] == len(y))
    col = thread.index_1d().get()
    if col < len(y):
        acc = f32(0)
        for r in range(len(x)):
            acc += a[r, col] * x[r]
        y[col] = acc


@kernel
@launch_contract(domain=2, block=(32, 4, 1))
def rank_one_update(a: SliceMut[f32, D2], x: Slice[f32], y: Slice[f32], alpha: f32) -> None:
    require(a.shape[0] == len(x), a.shape[1] == len(y))
    col = block.idx.x * 32 + thread.idx.x
    row = block.idx.y * 4 + thread.idx.y
    if row < len(x) and col < len(y):
        a[row, col] += alpha * x[row] * y[col]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def forward_substitution(lower: Slice[f32], b: Slice[f32], x: SliceMut[f32]) -> None:
    require(len(lower) == 64 * 64, len(b) == 64, len(x) == 64, grid.dim.x == 1)
    s = shared.array(f32, 64)
    t = thread.idx.x
    s[t] = b[t]
    block.sync()
    for k in range(64):
        if t == k:
            s[k] = s[k] / lower[k * 64 + k]
        block.sync()
        if t > k:
            s[t] -= lower[t * 64 + k] * s[k]
        block.sync()
    x[t] = s[t]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def cyclic_reduction(a: Slice[f32], b: Slice[f32], c: Slice[f32], d: Slice[f32], x: SliceMut[f32]) -> None:
    require(len(a) == len(x), len(b) == len(x), len(c) == len(x), len(d) == len(x), grid.dim.x * 128 == len(x))
    sa = shared.array(f32, 128)
    sb = shared.array(f32, 128)
    sc = shared.array(f32, 128)
    sd = shared.array(f32, 128)
    t = thread.idx.x
    i = thread.index_1d().get()
    sa[t] = a[i]
    sb[t] = b[i]
    sc[t] = c[i]
    sd[t] = d[i]
    block.sync()
    step = 1
    while step < 128:
        left = max(t - step, 0)
        right = min(t + step, 127)
        k1 = sa[t] / sb[left]
        k2 = sc[t] / sb[right]
        na = -sa[left] * k1
        nb = sb[t] - sc[left] * k1 - sa[right] * k2
        nc = -sc[right] * k2
        nd = sd[t] - sd[left] * k1 - sd[right] * k2
        block.sync()
        sa[t] = na
        sb[t] = nb
        sc[t] = nc
        sd[t] = nd
        block.sync()
        step *= 2
    x[i] = sd[t] / sb[t]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def plane_rotation(x: SliceMut[f32], y: SliceMut[f32], c: f32, s: f32) -> None:
    require(len(x) == len(y))
    for i in range(thread.index_1d().get(), len(x), grid.size):
        u, v = x[i], y[i]
        x[i] = c * u + s * v
        y[i] = c * v - s * u


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def many_tridiagonal_systems(b: Slice[f32], d: SliceMut[f32], w: SliceMut[f32], systems: i32, size: i32) -> None:
    require(systems >= 1, size >= 1, len(b) == systems * size, len(d) == systems * size, len(w) == systems * size)
    s = thread.index_1d().get()
    if s < systems:
        w[s] = f32(1) / b[s]
        for k in range(1, size):
            m = b[k * systems + s] - w[(k - 1) * systems + s]
            w[k * systems + s] = f32(1) / m
            d[k * systems + s] = (d[k * systems + s] - d[(k - 1) * systems + s]) / m
