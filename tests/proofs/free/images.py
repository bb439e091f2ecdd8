"""Image filters and geometry on bytes and floats."""

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
    local,
    math,
    require,
    shared,
    thread,
    u8,
    u32,
    unroll,
)


def clamp(v: i32, low: i32, high: i32) -> i32:
    return min(max(v, low), high)


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def gray(rgb: Slice[u8], out: SliceMut[u8], width: i32, height: i32) -> None:
    require(width >= 0, height >= 0, len(rgb) == 3 * width * height, len(out) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        p = 3 * (y * width + x)
        out[y * width + x] = u8((i32(rgb[p]) * 77 + i32(rgb[p + 1]) * 150 + i32(rgb[p + 2]) * 29) // 256)


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def sobel(src: Slice[f32, D2], out: SliceMut[f32, D2]) -> None:
    require(src.shape[0] == out.shape[0], src.shape[1] == out.shape[1])
    s = shared.array(f32, (18, 18))
    tx, ty = thread.idx.x, thread.idx.y
    for k in range(ty * 16 + tx, 18 * 18, 256):
        r = clamp(block.idx.y * 16 + k // 18 - 1, 0, src.shape[0] - 1)
        c = clamp(block.idx.x * 16 + k % 18 - 1, 0, src.shape[1] - 1)
        s[k // 18, k % 18] = src[r, c]
    block.sync()
    row = block.idx.y * 16 + ty
    col = block.idx.x * 16 + tx
    if row < out.shape[0] and col < out.shape[1]:
        gx = s[ty, tx + 2] + 2.0 * s[ty + 1, tx + 2] + s[ty + 2, tx + 2] - s[ty, tx] - 2.0 * s[ty + 1, tx] - s[ty + 2, tx]
        gy = s[ty + 2, tx] + 2.0 * s[ty + 2, tx + 1] + s[ty + 2, tx + 2] - s[ty, tx] - 2.0 * s[ty, tx + 1] - s[ty, tx + 2]
        out[row, col] = math.sqrt(gx * gx + gy * gy)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def box_rows(src: Slice[f32], out: SliceMut[f32], width: i32, height: i32, radius: i32) -> None:
    require(width >= 1, height >= 1, radius >= 0, len(src) == width * height, len(out) == width * height)
    y = thread.index_1d().get()
    if y < height:
        total = f32(0)
        for k in range(min(radius, width)):
            total += src[y * width + k]
        for x in range(width):
            if x + radius < width:
                total += src[y * width + x + radius]
            if x - radius - 1 >= 0:
                total -= src[y * width + x - radius - 1]
            out[y * width + x] = total


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def median(src: Slice[u8], out: SliceMut[u8], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(out) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        v = local.array(u8, 9)
        for k in unroll(range(9)):
            v[k] = src[clamp(y + k // 3 - 1, 0, height - 1) * width + clamp(x + k % 3 - 1, 0, width - 1)]
        for i in range(5):
            for j in range(i + 1, 9):
                if v[j] < v[i]:
                    v[i], v[j] = v[j], v[i]
        out[y * width + x] = v[4]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def mirror_in_place(a: SliceMut[f32], width: i32, height: i32) -> None:
    require(width >= 0, height >= 0, len(a) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width // 2 and y < height:
        left = y * width + x
        right = y * width + width - 1 - x
        a[left], a[right] = a[right], a[left]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def rotate_quarter(src: Slice[u32], out: SliceMut[u32], width: i32, height: i32) -> None:
    require(width >= 0, height >= 0, len(src) == width * height, len(out) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        out[x * height + height - 1 - y] = src[y * width + x]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def halve_size(src: Slice[f32, D2], out: SliceMut[f32, D2]) -> None:
    require(src.shape[0] == 2 * out.shape[0], src.shape[1] == 2 * out.shape[1])
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = 0.25 * (src[2 * i, 2 * j] + src[2 * i, 2 * j + 1] + src[2 * i + 1, 2 * j] + src[2 * i + 1, 2 * j + 1])


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def integral_rows(a: SliceMut[u32], width: i32) -> None:
    require(width >= 1, width <= 256, len(a) == grid.dim.x * width)
    t = thread.idx.x
    at = block.idx.x * width + t
    v = a[at] if t < width else u32(0)
    v = block.scan_sum(v)
    if t < width:
        a[at] = v


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def dilate_tile(src: Slice[u8], out: SliceMut[u8], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(out) == width * height)
    s = shared.array(u8, (10, 34))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * 32 + tx
    y = block.idx.y * 8 + ty
    for r in range(ty, 10, 8):
        for c in range(tx, 34, 32):
            fx = block.idx.x * 32 + c - 1
            fy = block.idx.y * 8 + r - 1
            s[r, c] = src[fy * width + fx] if fx >= 0 and fx < width and fy >= 0 and fy < height else u8(0)
    block.sync()
    if x < width and y < height:
        best = u8(0)
        for r in range(3):
            for c in range(3):
                best = max(best, s[ty + r, tx + c])
        out[y * width + x] = best
