"""Fourier and Walsh transforms, pass by pass."""

from __future__ import annotations

from oxidepy import (
    Slice,
    SliceMut,
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
    u32,
)

N = 256
HALF = N // 2
LOG = 8


@kernel
@launch_contract(domain=1, block=(HALF, 1, 1))
def radix_two_block(re: SliceMut[f32], im: SliceMut[f32], cosines: Slice[f32], sines: Slice[f32]) -> None:
    require(len(re) == grid.dim.x * N, len(im) == grid.dim.x * N, len(cosines) == HALF, len(sines) == HALF)
    sr = shared.array(f32, N)
    si = shared.array(f32, N)
    t = thread.idx.x
    base = block.idx.x * N
    sr[t] = re[base + t]
    si[t] = im[base + t]
    sr[t + HALF] = re[base + t + HALF]
    si[t + HALF] = im[base + t + HALF]
    block.sync()
    half = 1
    while half < N:
        k = t % half
        a = t // half * (2 * half) + k
        b = a + half
        c, s = cosines[k * (HALF // half)], sines[k * (HALF // half)]
        xr = c * sr[b] - s * si[b]
        xi = c * si[b] + s * sr[b]
        sr[b] = sr[a] - xr
        si[b] = si[a] - xi
        sr[a] += xr
        si[a] += xi
        block.sync()
        half *= 2
    re[base + t] = sr[t]
    im[base + t] = si[t]
    re[base + t + HALF] = sr[t + HALF]
    im[base + t + HALF] = si[t + HALF]


@kernel
@launch_contract(domain=1, block=(HALF, 1, 1))
def stockham_block(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * N, len(y) == grid.dim.x * N)
    s = shared.array(f32, (2, N))
    t = thread.idx.x
    base = block.idx.x * N
    s[0, t] = x[base + t]
    s[0, t + HALF] = x[base + t + HALF]
    block.sync()
    now = 0
    m = 1
    while m < N:
        k = t % m
        u = s[now, t]
        v = s[now, t + HALF]
        out = (t - k) * 2 + k
        s[1 - now, out] = u + v
        s[1 - now, out + m] = u - v
        block.sync()
        now = 1 - now
        m *= 2
    y[base + t] = s[now, t]
    y[base + t + HALF] = s[now, t + HALF]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def butterfly_pass(re: SliceMut[f32], im: SliceMut[f32], half: i32) -> None:
    require(half >= 1, len(re) == len(im))
    t = thread.index_1d().get()
    if t < len(re) // 2:
        a = t // half * (2 * half) + t % half
        b = a + half
        if b < len(re):
            ur, ui, vr, vi = re[a], im[a], re[b], im[b]
            re[a] = ur + vr
            im[a] = ui + vi
            re[b] = ur - vr
            im[b] = ui - vi


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def bit_reversed_copy(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == 65536, len(y) == 65536)
    i = thread.index_1d().get()
    if i < 65536:
        y[i32(bits.brev(u32(i)) >> 16)] = x[i]


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def bit_reversal_in_shared(x: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * N)
    s = shared.array(f32, N)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i]
    block.sync()
    j = i32(bits.brev(u32(t)) >> (32 - LOG))
    x[i] = s[j]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def radix_four_pass(re: Slice[f32], im: Slice[f32], out_re: SliceMut[f32], out_im: SliceMut[f32], quarter: i32) -> None:
    require(quarter >= 1, len(re) == 4 * quarter, len(im) == 4 * quarter, len(out_re) == 4 * quarter, len(out_im) == 4 * quarter)
    t = thread.index_1d().get()
    if t < quarter:
        sum_r = re[t] + re[t + 2 * quarter]
        sum_i = im[t] + im[t + 2 * quarter]
        dif_r = re[t] - re[t + 2 * quarter]
        dif_i = im[t] - im[t + 2 * quarter]
        other_r = re[t + quarter] + re[t + 3 * quarter]
        other_i = im[t + quarter] + im[t + 3 * quarter]
        out_re[4 * t] = sum_r + other_r
        out_im[4 * t] = sum_i + other_i
        out_re[4 * t + 1] = dif_r + other_i
        out_im[4 * t + 1] = dif_i - other_r
        out_re[4 * t + 2] = sum_r - other_r
        out_im[4 * t + 2] = sum_i - other_i
        out_re[4 * t + 3] = dif_r - other_i
        out_im[4 * t + 3] = dif_i + other_r


@kernel
@launch_contract(domain=1, block=(HALF, 1, 1))
def walsh_block(x: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * N)
    s = shared.array(f32, N)
    t = thread.idx.x
    base = block.idx.x * N
    for k in range(t, N, HALF):
        s[k] = x[base + k]
    stride = HALF
    while stride >= 1:
        block.sync()
        low = t & (stride - 1)
        a = 2 * t - low
        u, v = s[a], s[a + stride]
        s[a] = u + v
        s[a + stride] = u - v
        stride //= 2
    block.sync()
    for k in range(t, N, HALF):
        x[base + k] = s[k]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def modulate_halves(re: SliceMut[f32], im: SliceMut[f32], scale: f32) -> None:
    require(len(re) == len(im), len(re) % 2 == 0)
    i = thread.index_1d().get()
    if i > 0 and 2 * i < len(re) and i < len(re) // 2:
        j = len(re) - i
        a, b = re[i], re[j]
        re[i] = 0.5 * (a + b) * scale
        re[j] = 0.5 * (a - b) * scale
        c, d = im[i], im[j]
        im[i] = 0.5 * (c - d) * scale
        im[j] = 0.5 * (c + d) * scale
