"""One edit away from race-free: image filters and geometry on bytes and floats."""

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
    math,
    require,
    shared,
    thread,
    u8,
    u32,
)


def clamp(v: i32, low: i32, high: i32) -> i32:
    return min(max(v, low), high)


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def gray_wrong_pitch(rgb: Slice[u8], out: SliceMut[u8], width: i32, height: i32) -> None:
    require(width >= 0, height >= 0, len(rgb) == 3 * width * height, len(out) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        p = 3 * (y * width + x)
        out[y * height + x] = u8((i32(rgb[p]) * 77 + i32(rgb[p + 1]) * 150 + i32(rgb[p + 2]) * 29) // 256)  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def sobel_without_barrier(src: Slice[f32, D2], out: SliceMut[f32, D2]) -> None:
    require(src.shape[0] == out.shape[0], src.shape[1] == out.shape[1])
    s = shared.array(f32, (18, 18))
    tx, ty = thread.idx.x, thread.idx.y
    for k in range(ty * 16 + tx, 18 * 18, 256):
        r = clamp(block.idx.y * 16 + k // 18 - 1, 0, src.shape[0] - 1)
        c = clamp(block.idx.x * 16 + k % 18 - 1, 0, src.shape[1] - 1)
        s[k // 18, k % 18] = src[r, c]
    row = block.idx.y * 16 + ty
    col = block.idx.x * 16 + tx
    if row < out.shape[0] and col < out.shape[1]:
        gx = s[ty, tx + 2] + 2.0 * s[ty + 1, tx + 2] + s[ty + 2, tx + 2] - s[ty, tx] - 2.0 * s[ty + 1, tx] - s[ty + 2, tx]  # <- OX4001
        gy = s[ty + 2, tx] + 2.0 * s[ty + 2, tx + 1] + s[ty + 2, tx + 2] - s[ty, tx] - 2.0 * s[ty, tx + 1] - s[ty, tx + 2]
        out[row, col] = math.sqrt(gx * gx + gy * gy)


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def sobel_stride_too_small(src: Slice[f32, D2], out: SliceMut[f32, D2]) -> None:
    require(src.shape[0] == out.shape[0], src.shape[1] == out.shape[1])
    s = shared.array(f32, (18, 18))
    tx, ty = thread.idx.x, thread.idx.y
    for k in range(ty * 16 + tx, 18 * 18, 128):
        r = clamp(block.idx.y * 16 + k // 18 - 1, 0, src.shape[0] - 1)
        c = clamp(block.idx.x * 16 + k % 18 - 1, 0, src.shape[1] - 1)
        s[k // 18, k % 18] = src[r, c]  # <- OX4001
    block.sync()
    row = block.idx.y * 16 + ty
    col = block.idx.x * 16 + tx
    if row < out.shape[0] and col < out.shape[1]:
        gx = s[ty, tx + 2] + 2.0 * s[ty + 1, tx + 2] + s[ty + 2, tx + 2] - s[ty, tx] - 2.0 * s[ty + 1, tx] - s[ty + 2, tx]
        gy = s[ty + 2, tx] + 2.0 * s[ty + 2, tx + 1] + s[ty + 2, tx + 2] - s[ty, tx] - 2.0 * s[ty, tx + 1] - s[ty, tx + 2]
        out[row, col] = math.sqrt(gx * gx + gy * gy)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def box_rows_in_rows_of_neighbours(src: Slice[f32], out: SliceMut[f32], width: i32, height: i32, radius: i32) -> None:
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
            out[(y * width + x) // 2] = total  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def mirror_in_place_whole_width(a: SliceMut[f32], width: i32, height: i32) -> None:
    require(width >= 0, height >= 0, len(a) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        left = y * width + x
        right = y * width + width - 1 - x
        a[left], a[right] = a[right], a[left]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def rotate_quarter_wrong_pitch(src: Slice[u32], out: SliceMut[u32], width: i32, height: i32) -> None:
    require(width >= 0, height >= 0, len(src) == width * height, len(out) == width * height)
    x = block.idx.x * 16 + thread.idx.x
    y = block.idx.y * 16 + thread.idx.y
    if x < width and y < height:
        out[x * width + height - 1 - y] = src[y * width + x]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def integral_rows_in_the_guard(a: SliceMut[u32], width: i32) -> None:
    require(width >= 1, width <= 256, len(a) == grid.dim.x * width)
    t = thread.idx.x
    at = block.idx.x * width + t
    v = a[at] if t < width else u32(0)
    if t < width:
        v = block.scan_sum(v)  # <- OX3001
    if t < width:
        a[at] = v


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def integral_rows_rows_overlap(a: SliceMut[u32], width: i32) -> None:
    require(width >= 1, width <= 256, len(a) == grid.dim.x * width)
    t = thread.idx.x
    at = block.idx.x * (width - 1) + t
    v = a[at] if t < width else u32(0)
    v = block.scan_sum(v)
    if t < width:
        a[at] = v  # <- OX4002


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def dilate_tile_without_barrier(src: Slice[u8], out: SliceMut[u8], width: i32, height: i32) -> None:
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
    if x < width and y < height:
        best = u8(0)
        for r in range(3):
            for c in range(3):
                best = max(best, s[ty + r, tx + c])  # <- OX4001
        out[y * width + x] = best
