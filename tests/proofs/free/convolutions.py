"""Convolutions: separable, direct, tiled, causal, grouped."""

from __future__ import annotations

from oxidepy import (
    D2,
    D3,
    ConstantSlice,
    DisjointSlice,
    Slice,
    SliceMut,
    block,
    f32,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    unroll,
)

R = 4
W = 2 * R + 1


@kernel
@launch_contract(domain=2, block=(64, 4, 1))
def rows_tile(src: Slice[f32], taps: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(dst) == width * height, len(taps) == W)
    s = shared.array(f32, (4, 64 + 2 * R))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * 64 + tx
    y = block.idx.y * 4 + ty
    s[ty, tx + R] = src[y * width + x] if x < width and y < height else f32(0)
    if tx < R:
        s[ty, tx] = src[y * width + x - R] if y < height and x >= R and x - R < width else f32(0)
        s[ty, tx + 64 + R] = src[y * width + x + 64] if y < height and x + 64 < width else f32(0)
    block.sync()
    if x < width and y < height:
        acc = f32(0)
        for k in unroll(range(W)):
            acc += taps[k] * s[ty, tx + k]
        dst[y * width + x] = acc


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def columns_tile(src: Slice[f32], taps: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(dst) == width * height, len(taps) == W)
    s = shared.array(f32, (16 + 2 * R, 16))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * 16 + tx
    y = block.idx.y * 16 + ty
    for row in range(ty, 16 + 2 * R, 16):
        from_row = block.idx.y * 16 + row - R
        s[row, tx] = src[from_row * width + x] if x < width and from_row >= 0 and from_row < height else f32(0)
    block.sync()
    if x < width and y < height:
        acc = f32(0)
        for k in range(W):
            acc += taps[k] * s[ty + k, tx]
        dst[y * width + x] = acc


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def direct_2d(src: Slice[f32, D2], taps: Slice[f32, D2], dst: SliceMut[f32, D2]) -> None:
    require(taps.shape[0] == 3, taps.shape[1] == 3)
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < dst.shape[0] and j < dst.shape[1] and i + 2 < src.shape[0] and j + 2 < src.shape[1]:
        acc = f32(0)
        for di in range(3):
            for dj in range(3):
                acc += taps[di, dj] * src[i + di, j + dj]
        dst[i, j] = acc


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def tile_loaded_in_strides(src: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(dst) == width * height)
    s = shared.array(f32, 20 * 20)
    t = thread.idx.y * 16 + thread.idx.x
    left = block.idx.x * 16 - 2
    top = block.idx.y * 16 - 2
    for k in range(t, 20 * 20, 256):
        x = left + k % 20
        y = top + k // 20
        s[k] = src[y * width + x] if x >= 0 and x < width and y >= 0 and y < height else f32(0)
    block.sync()
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        acc = f32(0)
        for di in range(5):
            for dj in range(5):
                acc += s[(thread.idx.y + di) * 20 + thread.idx.x + dj]
        dst[y * width + x] = acc / 25.0


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def causal_filter(x: Slice[f32], taps: ConstantSlice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        i = idx.get()
        acc = f32(0)
        for k in range(len(taps)):
            if k <= i:
                acc += taps[k] * x[i - k]
        y[idx] = acc


@kernel
@launch_contract(domain=3, block=(16, 16, 1))
def depthwise(src: Slice[f32, D3], taps: Slice[f32, D2], dst: SliceMut[f32, D3]) -> None:
    require(src.shape[0] == dst.shape[0], taps.shape[0] == dst.shape[0], taps.shape[1] == 3, src.shape[1] == dst.shape[1] + 2)
    channel = block.idx.z
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if channel < dst.shape[0] and i < dst.shape[1] and j < dst.shape[2] and j < src.shape[2]:
        acc = f32(0)
        for k in range(3):
            acc += taps[channel, k] * src[channel, i + k, j]
        dst[channel, i, j] = acc


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def taps_in_shared(x: Slice[f32], taps: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(taps) == 32, len(x) >= len(y) + 31)
    w = shared.array(f32, 32)
    t = thread.idx.x
    if t < 32:
        w[t] = taps[31 - t]
    block.sync()
    i = thread.index_1d().get()
    if i < len(y):
        acc = f32(0)
        for k in range(32):
            acc += w[k] * x[i + k]
        y[i] = acc
