"""Haar steps, lifting, cosine transforms of eight, polynomial blocks."""

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
    unroll,
)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def haar_step(x: Slice[f32], out: SliceMut[f32]) -> None:
    require(len(x) == len(out), len(x) % 2 == 0)
    i = thread.index_1d().get()
    half = len(x) // 2
    if i < half:
        out[i] = 0.5 * (x[2 * i] + x[2 * i + 1])
        out[half + i] = 0.5 * (x[2 * i] - x[2 * i + 1])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def haar_levels(x: Slice[f32], out: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * 256, len(out) == grid.dim.x * 256)
    s = shared.array(f32, 256)
    t = thread.idx.x
    base = block.idx.x * 256
    s[t] = x[base + t]
    s[t + 128] = x[base + t + 128]
    block.sync()
    active = 128
    while active > 0:
        a = f32(0)
        d = f32(0)
        if t < active:
            a = 0.5 * (s[2 * t] + s[2 * t + 1])
            d = 0.5 * (s[2 * t] - s[2 * t + 1])
        block.sync()
        if t < active:
            s[t] = a
            out[base + active + t] = d
        block.sync()
        active //= 2
    if t == 0:
        out[base] = s[0]


@kernel
@launch_contract(domain=2, block=(8, 8, 1))
def cosine_eight(src: Slice[f32, D2], basis: Slice[f32, D2], dst: SliceMut[f32, D2]) -> None:
    require(basis.shape[0] == 8, basis.shape[1] == 8, dst.shape[0] == src.shape[0], dst.shape[1] == src.shape[1])
    s = shared.array(f32, (8, 9))
    w = shared.array(f32, (8, 9))
    i, j = thread.idx.y, thread.idx.x
    row = block.idx.y * 8 + i
    col = block.idx.x * 8 + j
    s[i, j] = src[row, col] if row < src.shape[0] and col < src.shape[1] else f32(0)
    block.sync()
    acc = f32(0)
    for k in unroll(range(8)):
        acc += basis[i, k] * s[k, j]
    w[i, j] = acc
    block.sync()
    acc = f32(0)
    for k in unroll(range(8)):
        acc += w[i, k] * basis[j, k]
    if row < dst.shape[0] and col < dst.shape[1]:
        dst[row, col] = acc


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def lifting_in_place(x: SliceMut[f32]) -> None:
    require(len(x) == grid.dim.x * 256)
    s = shared.array(f32, 256)
    t = thread.idx.x
    base = block.idx.x * 256
    s[t] = x[base + t]
    s[t + 128] = x[base + t + 128]
    block.sync()
    right = s[2 * t + 2] if t < 127 else s[2 * t]
    s[2 * t + 1] -= 0.5 * (s[2 * t] + right)
    block.sync()
    left = s[2 * t - 1] if t > 0 else s[1]
    s[2 * t] += 0.25 * (left + s[2 * t + 1])
    block.sync()
    x[base + t] = s[t]
    x[base + t + 128] = s[t + 128]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def walsh_pass(x: SliceMut[f32], stride: i32) -> None:
    require(stride >= 1, len(x) % 4 == 0)
    t = thread.index_1d().get()
    low = t % stride
    i0 = (t - low) * 4 + low
    i1 = i0 + stride
    i2 = i1 + stride
    i3 = i2 + stride
    if t < len(x) // 4 and i3 < len(x):
        a, b, c, d = x[i0], x[i1], x[i2], x[i3]
        x[i0] = a + b + c + d
        x[i1] = a - b + c - d
        x[i2] = a + b - c - d
        x[i3] = a - b - c + d
