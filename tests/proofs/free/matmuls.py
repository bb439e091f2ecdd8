"""Matrix products: naive, tiled, blocked in registers, double-buffered, batched."""

from __future__ import annotations

from oxidepy import (
    D2,
    D3,
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
    local,
    require,
    shared,
    thread,
    unroll,
)

T = 16


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def tiled(a: Slice[f32], b: Slice[f32], c: SliceMut[f32], m: i32, n: i32, k: i32) -> None:
    require(len(a) == m * k, len(b) == k * n, len(c) == m * n)
    sa = shared.array(f32, (T, T))
    sb = shared.array(f32, (T, T))
    tx, ty = thread.idx.x, thread.idx.y
    row = block.idx.y * T + ty
    col = block.idx.x * T + tx
    acc = f32(0)
    for step in range(0, k, T):
        sa[ty, tx] = a[row * k + step + tx] if row < m and step + tx < k else f32(0)
        sb[ty, tx] = b[(step + ty) * n + col] if step + ty < k and col < n else f32(0)
        block.sync()
        for q in range(T):
            acc += sa[ty, q] * sb[q, tx]
        block.sync()
    if row < m and col < n:
        c[row * n + col] = acc


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def naive(a: Slice[f32, D2], b: Slice[f32, D2], c: SliceMut[f32, D2]) -> None:
    require(a.shape[0] == c.shape[0], b.shape[1] == c.shape[1], a.shape[1] == b.shape[0])
    row = block.idx.y * T + thread.idx.y
    col = block.idx.x * T + thread.idx.x
    if row < c.shape[0] and col < c.shape[1]:
        acc = f32(0)
        for q in range(a.shape[1]):
            acc += a[row, q] * b[q, col]
        c[row, col] = acc


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def four_columns_a_thread(a: Slice[f32], b: Slice[f32], c: SliceMut[f32], m: i32, n: i32, k: i32) -> None:
    require(n >= 0, grid.dim.x <= cdiv(n, 64))
    require(len(a) == m * k, len(b) == k * n, len(c) == m * n)
    sa = shared.array(f32, (T, T))
    sb = shared.array(f32, (T, 4 * T))
    acc = local.array(f32, 4)
    tx, ty = thread.idx.x, thread.idx.y
    row = block.idx.y * T + ty
    first = block.idx.x * (4 * T) + tx
    for j in unroll(range(4)):
        acc[j] = f32(0)
    for step in range(0, k, T):
        sa[ty, tx] = a[row * k + step + tx] if row < m and step + tx < k else f32(0)
        for j in unroll(range(4)):
            col = first + j * T
            sb[ty, tx + j * T] = b[(step + ty) * n + col] if step + ty < k and col < n else f32(0)
        block.sync()
        for q in range(T):
            for j in unroll(range(4)):
                acc[j] += sa[ty, q] * sb[q, tx + j * T]
        block.sync()
    for j in unroll(range(4)):
        if row < m and first + j * T < n:
            c[row * n + first + j * T] = acc[j]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def register_tile(a: Slice[f32, D2], b: Slice[f32, D2], c: SliceMut[f32, D2]) -> None:
    require(a.shape[1] == b.shape[0], a.shape[0] == c.shape[0], b.shape[1] == c.shape[1], grid.dim.x * 64 >= c.shape[1])
    sa = shared.array(f32, (64, 16))
    sb = shared.array(f32, (16, 64))
    acc = local.array(f32, (4, 4))
    t = thread.idx.x
    tx, ty = t % 16, t // 16
    for i in unroll(range(4)):
        for j in unroll(range(4)):
            acc[i, j] = f32(0)
    for step in range(0, a.shape[1], 16):
        for k in unroll(range(4)):
            r = ty + k * 16
            sa[r, tx] = a[r, step + tx] if r < a.shape[0] and step + tx < a.shape[1] else f32(0)
            e = t + k * 256
            col = block.idx.x * 64 + e % 64
            sb[e // 64, e % 64] = b[step + e // 64, col] if step + e // 64 < b.shape[0] and col < b.shape[1] else f32(0)
        block.sync()
        for q in range(16):
            for i in unroll(range(4)):
                for j in unroll(range(4)):
                    acc[i, j] += sa[ty * 4 + i, q] * sb[q, tx * 4 + j]
        block.sync()
    for i in unroll(range(4)):
        for j in unroll(range(4)):
            row = ty * 4 + i
            col = block.idx.x * 64 + tx * 4 + j
            if row < c.shape[0] and col < c.shape[1]:
                c[row, col] = acc[i, j]


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def double_buffered(a: Slice[f32, D2], b: Slice[f32, D2], c: SliceMut[f32, D2], steps: i32) -> None:
    require(a.shape[0] == c.shape[0], b.shape[1] == c.shape[1], a.shape[1] == b.shape[0], a.shape[1] == steps * T, steps >= 1)
    sa = shared.array(f32, (2, T, T))
    sb = shared.array(f32, (2, T, T))
    tx, ty = thread.idx.x, thread.idx.y
    row = block.idx.y * T + ty
    col = block.idx.x * T + tx
    sa[0, ty, tx] = a[row, tx] if row < a.shape[0] else f32(0)
    sb[0, ty, tx] = b[ty, col] if col < b.shape[1] else f32(0)
    block.sync()
    acc = f32(0)
    for step in range(steps):
        now = step % 2
        if step + 1 < steps:
            at = (step + 1) * T
            sa[1 - now, ty, tx] = a[row, at + tx] if row < a.shape[0] else f32(0)
            sb[1 - now, ty, tx] = b[at + ty, col] if col < b.shape[1] else f32(0)
        for q in range(T):
            acc += sa[now, ty, q] * sb[now, q, tx]
        block.sync()
    if row < c.shape[0] and col < c.shape[1]:
        c[row, col] = acc


@kernel
@launch_contract(domain=3, block=(T, T, 1))
def batched(a: Slice[f32, D3], b: Slice[f32, D3], c: SliceMut[f32, D3]) -> None:
    require(
        a.shape[0] == c.shape[0], b.shape[0] == c.shape[0], a.shape[1] == c.shape[1], b.shape[2] == c.shape[2], a.shape[2] == b.shape[1]
    )
    sa = shared.array(f32, (T, T + 1))
    sb = shared.array(f32, (T, T + 1))
    z = block.idx.z
    row = block.idx.y * T + thread.idx.y
    col = block.idx.x * T + thread.idx.x
    acc = f32(0)
    for step in range(0, a.shape[2], T):
        q = step + thread.idx.x
        sa[thread.idx.y, thread.idx.x] = a[z, row, q] if z < a.shape[0] and row < a.shape[1] and q < a.shape[2] else f32(0)
        q = step + thread.idx.y
        sb[thread.idx.y, thread.idx.x] = b[z, q, col] if z < b.shape[0] and q < b.shape[1] and col < b.shape[2] else f32(0)
        block.sync()
        for r in unroll(range(T)):
            acc += sa[thread.idx.y, r] * sb[r, thread.idx.x]
        block.sync()
    if z < c.shape[0] and row < c.shape[1] and col < c.shape[2]:
        c[z, row, col] = acc


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def split_k(a: Slice[f32], b: Slice[f32], c: SliceMut[f32], m: i32, n: i32, k: i32) -> None:
    require(len(a) == m * k, len(b) == k * n, len(c) == m * n, grid.dim.y >= 1)
    col = block.idx.x * 32 + thread.idx.x
    q = block.idx.y * 8 + thread.idx.y
    if col < n and q < k:
        for row in range(m):
            atomic.add(c, row * n + col, a[row * k + q] * b[q * n + col])


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def times_own_transpose(a: Slice[f32, D2], c: SliceMut[f32, D2]) -> None:
    require(a.shape[0] == c.shape[0], a.shape[0] == c.shape[1])
    i = block.idx.y * T + thread.idx.y
    j = block.idx.x * T + thread.idx.x
    if i < a.shape[0] and j <= i:
        acc = f32(0)
        for q in range(a.shape[1]):
            acc += a[i, q] * a[j, q]
        c[i, j] = acc
        if j < i:
            c[j, i] = acc
