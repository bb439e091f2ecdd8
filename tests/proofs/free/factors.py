"""LU, Cholesky and Gauss-Jordan on tiles, and their updates of whole matrices."""

from __future__ import annotations

from oxidepy import (
    D2,
    D3,
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
)

B = 16


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def multipliers(a: Slice[f32], m: SliceMut[f32], n: i32, k: i32) -> None:
    require(n >= 1, k >= 0, k < n, len(a) == n * n, len(m) == n * n)
    i = thread.index_1d().get()
    if i < n - 1 - k:
        m[(i + k + 1) * n + k] = a[(i + k + 1) * n + k] / a[k * n + k]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def eliminate(a: SliceMut[f32], m: Slice[f32], n: i32, k: i32) -> None:
    require(n >= 1, k >= 0, k < n, len(a) == n * n, len(m) == n * n)
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < n - 1 - k and j < n - k:
        row = i + k + 1
        a[row * n + j + k] -= m[row * n + k] * a[k * n + j + k]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def trailing_update(a: SliceMut[f32, D2], k: i32) -> None:
    require(k >= 0, a.shape[0] == a.shape[1])
    i = block.idx.y * 16 + thread.idx.y + k + 1
    j = block.idx.x * 16 + thread.idx.x + k + 1
    if i < a.shape[0] and j < a.shape[1]:
        a[i, j] -= a[i, k] * a[k, j]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def lu_diagonal_tile(a: SliceMut[f32], n: i32, first: i32) -> None:
    require(first >= 0, first + B <= n, len(a) == n * n, grid.dim.x == 1)
    s = shared.array(f32, (B, B))
    t = thread.idx.x
    for r in range(B):
        s[r, t] = a[(first + r) * n + first + t]
    block.sync()
    for k in range(B - 1):
        if t > k:
            for q in range(k):
                s[t, k] -= s[t, q] * s[q, k]
            s[t, k] = s[t, k] / s[k, k]
        block.sync()
        if t > k:
            for q in range(k + 1):
                s[k + 1, t] -= s[k + 1, q] * s[q, t]
        block.sync()
    for r in range(1, B):
        a[(first + r) * n + first + t] = s[r, t]


@kernel
@launch_contract(domain=2, block=(B, B, 1))
def lu_inner_tile(a: SliceMut[f32], n: i32, first: i32) -> None:
    require(first >= 0, first + B <= n, n % B == 0, len(a) == n * n, (grid.dim.x + 1) * B + first <= n, (grid.dim.y + 1) * B + first <= n)
    left = shared.array(f32, (B, B))
    top = shared.array(f32, (B, B))
    tx, ty = thread.idx.x, thread.idx.y
    row = first + (block.idx.y + 1) * B
    col = first + (block.idx.x + 1) * B
    top[ty, tx] = a[(first + ty) * n + col + tx]
    left[ty, tx] = a[(row + ty) * n + first + tx]
    block.sync()
    acc = f32(0)
    for q in range(B):
        acc += left[ty, q] * top[q, tx]
    a[(row + ty) * n + col + tx] -= acc


@kernel
@launch_contract(domain=2, block=(B, B, 1))
def cholesky_tile(a: SliceMut[f32, D2]) -> None:
    require(a.shape[0] == B, a.shape[1] == B, grid.dim.x == 1, grid.dim.y == 1)
    s = shared.array(f32, (B, B))
    i, j = thread.idx.y, thread.idx.x
    s[i, j] = a[i, j]
    block.sync()
    for k in range(B):
        if i == k and j == k:
            s[k, k] = math.sqrt(s[k, k])
        block.sync()
        if j == k and i > k:
            s[i, k] = s[i, k] / s[k, k]
        block.sync()
        if j > k and i >= j:
            s[i, j] -= s[i, k] * s[j, k]
        block.sync()
    if j <= i:
        a[i, j] = s[i, j]
    else:
        a[i, j] = f32(0)


@kernel
@launch_contract(domain=2, block=(B, B, 1))
def gauss_jordan_tile(a: Slice[f32, D3], inverse: SliceMut[f32, D3]) -> None:
    require(a.shape[1] == B, a.shape[2] == B, inverse.shape[1] == B, inverse.shape[2] == B, grid.dim.y == 1)
    s = shared.array(f32, (B, B))
    v = shared.array(f32, (B, B))
    i, j = thread.idx.y, thread.idx.x
    z = block.idx.x
    s[i, j] = a[z, i, j] if z < a.shape[0] else f32(1)
    v[i, j] = f32(1) if i == j else f32(0)
    block.sync()
    for k in range(B):
        pivot = s[k, k]
        factor = s[i, k]
        row_s = s[k, j] / pivot
        row_v = v[k, j] / pivot
        block.sync()
        s[i, j] = row_s if i == k else s[i, j] - factor * row_s
        v[i, j] = row_v if i == k else v[i, j] - factor * row_v
        block.sync()
    if z < inverse.shape[0]:
        inverse[z, i, j] = v[i, j]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def scale_column(a: SliceMut[f32, D2], pivots: SliceMut[f32], k: i32) -> None:
    require(k >= 0, k < a.shape[1], k < a.shape[0], len(pivots) == a.shape[1])
    i = thread.index_1d().get() + k + 1
    root = math.sqrt(a[k, k])
    if i < a.shape[0]:
        a[i, k] = a[i, k] / root
    if i == k + 1:
        pivots[k] = root
