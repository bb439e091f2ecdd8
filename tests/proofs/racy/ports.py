"""Twins of the ported kernels: a size for another one, a barrier forgotten, chunks that overlap."""

from __future__ import annotations

from oxidepy import (
    D2,
    Slice,
    SliceMut,
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
    u8,
    u32,
    unroll,
)

B = 256


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def srad_gradient_other_row(img: Slice[f32, D2], dn: SliceMut[f32, D2], ds: SliceMut[f32, D2], c: SliceMut[f32, D2], q0: f32) -> None:
    j = block.idx.x * 16 + thread.idx.x
    i = block.idx.y * 16 + thread.idx.y
    h, w = img.shape
    if i < h and j < w:
        up = max(i - 1, 0)
        down = min(i + 1, h - 1)
        v = img[i, j]
        dn[i, j] = img[up, j] - v
        ds[down, j] = img[down, j] - v  # <- OX4002
        c[i, j] = 1.0 / (1.0 + (img[up, j] - v) * q0)


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def stencil_z_march_rows_of_the_height(a: Slice[f32], b: SliceMut[f32], nx: i32, ny: i32, nz: i32) -> None:
    require(nx > 0, ny > 0, nz > 2, len(a) == nx * ny * nz, len(b) == nx * ny * nz)
    i = block.idx.x * 32 + thread.idx.x
    j = block.idx.y * 8 + thread.idx.y
    if i < nx and j < ny:
        below = a[j * nx + i]
        here = a[(ny + j) * nx + i]
        for k in range(1, nz - 1):
            above = a[((k + 1) * ny + j) * nx + i]
            b[(k * ny + j) * ny + i] = below + above - 2.0 * here  # <- OX4002
            below = here
            here = above


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def sobel_rows_lines_overlap(img: Slice[u8], out: SliceMut[u8], w: i32, h: i32) -> None:
    require(w > 0, h > 0, len(img) == w * h, len(out) == w * h)
    row = block.idx.x
    if row < h:
        i = thread.idx.x
        while i < w:
            if row > 0 and row < h - 1 and i > 0 and i < w - 1:
                p = row * w + i
                gx = i32(img[p + 1]) - i32(img[p - 1])
                gy = i32(img[p + w]) - i32(img[p - w])
                out[p] = u8(min(255, abs(gx) + abs(gy)))  # <- OX4002
            else:
                out[row * w + i] = u8(0)
            i += 63


# ---------- matrices


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def gemm_register_tile_rows_overlap(a: Slice[f32], b: Slice[f32], c: SliceMut[f32], m: i32, n: i32, k: i32) -> None:
    require(m % 32 == 0, n % 32 == 0, k % 16 == 0, m > 0, n > 0, k > 0, len(a) == m * k, len(b) == k * n, len(c) == m * n)
    sa = shared.array(f32, (32, 16))
    sb = shared.array(f32, (16, 32))
    tx = thread.idx.x
    ty = thread.idx.y
    row0 = block.idx.y * 32
    col0 = block.idx.x * 32
    if row0 < m and col0 < n:
        acc = local.array(f32, 4)
        for i in unroll(range(4)):
            acc[i] = 0.0
        for kt in range(0, k, 16):
            for i in unroll(range(2)):
                sa[ty + 16 * i, tx] = a[(row0 + ty + 16 * i) * k + kt + tx]
                sb[ty, tx + 16 * i] = b[(kt + ty) * n + col0 + tx + 16 * i]
            block.sync()
            for p in range(16):
                for i in unroll(range(2)):
                    for j in unroll(range(2)):
                        acc[i * 2 + j] += sa[ty + 16 * i, p] * sb[p, tx + 16 * j]
            block.sync()
        for i in unroll(range(2)):
            for j in unroll(range(2)):
                c[(row0 + ty + 15 * i) * n + col0 + tx + 16 * j] = acc[i * 2 + j]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def floyd_diagonal_tile_barrier_forgotten(d: SliceMut[i32], n: i32, b: i32) -> None:
    require(grid.dim.x == 1, grid.dim.y == 1, n > 0, n % 16 == 0, b >= 0, b * 16 < n, len(d) == n * n)
    s = shared.array(i32, (16, 16))
    tx = thread.idx.x
    ty = thread.idx.y
    at = (b * 16 + ty) * n + b * 16 + tx
    s[ty, tx] = d[at]
    block.sync()
    for k in range(16):
        v = min(s[ty, tx], s[ty, k] + s[k, tx])
        s[ty, tx] = v  # <- OX4001
        block.sync()
    d[at] = s[ty, tx]


@kernel
@launch_contract(domain=1, block=(16, 1, 1))
def needle_tile_off_the_diagonal(ref: Slice[i32], item: SliceMut[i32], cols: i32, penalty: i32, diag: i32) -> None:
    require(cols > 16, diag >= 0, (diag + 1) * 16 < cols, len(ref) == cols * cols, len(item) == cols * cols, grid.dim.x == 1)
    temp = shared.array(i32, (17, 17))
    t = thread.idx.x
    base = diag * 16 * cols + diag * 16
    temp[t + 1, 0] = item[base + cols * (t + 1)]
    temp[0, t + 1] = item[base + t + 1]
    if t == 0:
        temp[0, 0] = item[base]
    block.sync()
    for m in range(16):
        if t <= m:
            x = t + 1
            y = m - t // 2 + 1
            temp[y, x] = max(
                temp[y - 1, x - 1] + ref[base + cols * y + x], max(temp[y, x - 1] - penalty, temp[y - 1, x] - penalty)
            )  # <- OX4001
        block.sync()
    for m in range(14, -1, -1):
        if t <= m:
            x = t + 16 - m
            y = 16 - t
            temp[y, x] = max(temp[y - 1, x - 1] + ref[base + cols * y + x], max(temp[y, x - 1] - penalty, temp[y - 1, x] - penalty))
        block.sync()
    for i in range(16):
        item[base + cols * (i + 1) + t + 1] = temp[i + 1, t + 1]


# ---------- k-means, BFS, histogram, compaction


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def im2col_row_of_the_patch_missing(img: Slice[f32], col: SliceMut[f32], channels: i32, h: i32, w: i32, k: i32, ho: i32, wo: i32) -> None:
    require(channels > 0, h > 0, w > 0, k > 0, ho > 0, wo > 0, len(img) == channels * h * w, len(col) == channels * k * k * ho * wo)
    i = thread.index_1d().get()
    if i < channels * ho * wo:
        x = i % wo
        y = i // wo % ho
        c = i // (wo * ho)
        for dy in range(k):
            for dx in range(k):
                r = y + dy - k // 2
                q = x + dx - k // 2
                v = img[(c * h + r) * w + q] if r >= 0 and r < h and q >= 0 and q < w else 0.0
                col[(((c * k + dy) + dx) * ho + y) * wo + x] = v  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def conv2d_clamped_rows_of_the_height(img: Slice[f32], out: SliceMut[f32], h: i32, w: i32) -> None:
    require(h > 0, w > 0, len(img) == h * w, len(out) == h * w)
    i = thread.index_1d().get()
    if i < h * w:
        r = i // w
        c = i % w
        acc = f32(0)
        for dr in range(-1, 2):
            for dc in range(-1, 2):
                rr = min(max(r + dr, 0), h - 1)
                cc = min(max(c + dc, 0), w - 1)
                acc += img[rr * w + cc]
        out[r * h + c] = acc / 9.0  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def pixel_shuffle_column_twice(x: Slice[f32], y: SliceMut[f32], c: i32, h: i32, w: i32) -> None:
    require(c > 0, h > 0, w > 0, len(x) == c * 4 * h * w, len(y) == len(x))
    i = thread.index_1d().get()
    if i < len(x):
        q = i % w
        r = i // w % h
        s = i // (w * h) % 4
        p = i // (w * h * 4)
        y[(p * 2 * h + 2 * r + s % 2) * 2 * w + 2 * q + s % 2] = x[i]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def tridiagonal_cr_forward_two_back(a: SliceMut[f32], b: SliceMut[f32], c: SliceMut[f32], d: SliceMut[f32], stride: i32, n: i32) -> None:
    require(stride > 0, n > 0, n % (2 * stride) == 0, len(a) == n, len(b) == n, len(c) == n, len(d) == n)
    t = thread.index_1d().get()
    i = (t + 1) * 2 * stride - 1
    if t < n // (2 * stride):
        l = i - 2 * stride
        k1 = a[i] / b[l]
        a[i] = -a[l] * k1  # <- OX4002
        b[i] = b[i] - c[l] * k1
        d[i] = d[i] - d[l] * k1


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def chunk_by_blocks_chunks_overlap(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y))
    per = cdiv(len(x), grid.dim.x)
    start = block.idx.x * per
    stop = min(start + per + B, len(x))
    for i in range(start + thread.idx.x, stop, B):
        y[i] = x[i] + 1.0  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def chunked_per_thread_one_more(x: Slice[f32], y: SliceMut[f32], per: i32) -> None:
    require(per > 0, len(x) == len(y))
    start = thread.index_1d().get() * per
    for i in range(start, min(start + per + 1, len(x))):
        y[i] = 2.0 * x[i]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def grid_stride_2d_while_short_stride(a: Slice[f32], b: SliceMut[f32], h: i32, w: i32) -> None:
    require(h > 0, w > 0, len(a) == h * w, len(b) == h * w)
    y = block.idx.y * 8 + thread.idx.y
    while y < h:
        x = block.idx.x * 32 + thread.idx.x
        while x < w:
            b[y * w + x] = 2.0 * a[y * w + x]  # <- OX4002
            x += grid.dim.x * 32
        y += grid.dim.y * 7


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def lcg_states_turned(state: SliceMut[u32], out: SliceMut[f32], per: i32) -> None:
    require(per > 0, len(out) == len(state) * per)
    i = thread.index_1d().get()
    if i < len(state):
        s = state[i]
        for k in range(per):
            s = s * u32(1664525) + u32(1013904223)
            out[i * len(state) + k] = f32(s >> u32(8)) / 16777216.0  # <- OX4002
        state[i] = s


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def conv2d_halo_nineteen_columns(img: Slice[f32, D2], k: Slice[f32], out: SliceMut[f32, D2]) -> None:
    require(len(k) == 25)
    s = shared.array(f32, (20, 20))
    tx = thread.idx.x
    ty = thread.idx.y
    h, w = img.shape
    n = ty * 16 + tx
    while n < 400:
        r = block.idx.y * 16 + n // 20 - 2
        c = block.idx.x * 16 + n % 20 - 2
        s[n // 20, n % 19] = img[r, c] if r >= 0 and r < h and c >= 0 and c < w else 0.0  # <- OX4001
        n += 256
    block.sync()
    y = block.idx.y * 16 + ty
    x = block.idx.x * 16 + tx
    if y < h and x < w:
        acc = f32(0)
        for i in range(5):
            for j in range(5):
                acc += k[i * 5 + j] * s[ty + i, tx + j]
        out[y, x] = acc


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def fft_global_stage_half_a_pair(re: SliceMut[f32], im: SliceMut[f32], half: i32) -> None:
    require(half > 0, len(re) == len(im))
    t = thread.index_1d().get()
    k = t % half
    a = t // half * half + k
    b = a + half
    if b < len(re):
        ur = re[a]
        ui = im[a]
        vr = re[b]
        vi = im[b]
        re[a] = ur + vr  # <- OX4002
        im[a] = ui + vi
        re[b] = ur - vr
        im[b] = ui - vi


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def max_pool_2x2_row_for_all(x: Slice[f32], y: SliceMut[f32], n: i32, h: i32, w: i32) -> None:
    require(n > 0, h > 0, w > 0, len(x) == n * h * 2 * w * 2, len(y) == n * h * w)
    i = thread.index_1d().get()
    if i < len(y):
        c = i % w
        r = (i // w) % h
        p = i // (w * h)
        at = (p * 2 * h + 2 * r) * 2 * w + 2 * c
        y[(p * h + r) * w] = max(max(x[at], x[at + 1]), max(x[at + 2 * w], x[at + 2 * w + 1]))  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def game_of_life_two_rows(a: Slice[u8, D2], b: SliceMut[u8, D2]) -> None:
    h, w = a.shape
    c = block.idx.x * 16 + thread.idx.x
    r = block.idx.y * 16 + thread.idx.y
    if r < h and c < w:
        n = 0
        for dr in unroll(range(-1, 2)):
            for dc in unroll(range(-1, 2)):
                if dr != 0 or dc != 0:
                    n += i32(a[(r + dr + h) % h, (c + dc + w) % w])
        b[(r + 1) % 2, c] = u8(1) if n == 3 or (n == 2 and a[r, c] == u8(1)) else u8(0)  # <- OX4002
