"""One edit away from race-free: merging sorted runs: bitonic, by merge path, run by run."""

from __future__ import annotations

from oxidepy import (
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
    u32,
    unroll,
)

N = 256


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def bitonic_merge_block_half_not_mirrored(x: SliceMut[i32]) -> None:
    require(len(x) == grid.dim.x * N)
    s = shared.array(i32, N)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t if t < N // 2 else N - 1 - t] = x[i]  # <- OX4001
    block.sync()
    j = N // 2
    while j > 0:
        if (t & j) == 0 and s[t] > s[t + j]:
            s[t], s[t + j] = s[t + j], s[t]
        block.sync()
        j //= 2
    x[i] = s[t]


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def bitonic_merge_block_guard_dropped(x: SliceMut[i32]) -> None:
    require(len(x) == grid.dim.x * N)
    s = shared.array(i32, N)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t if t < N // 2 else N + N // 2 - 1 - t] = x[i]
    block.sync()
    j = N // 2
    while j > 0:
        if t + j < N and s[t] > s[t + j]:
            s[t], s[t + j] = s[t + j], s[t]  # <- OX4001
        block.sync()
        j //= 2
    x[i] = s[t]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def merge_path_step_of_three(a: Slice[i32], b: Slice[i32], out: SliceMut[i32]) -> None:
    require(len(out) == len(a) + len(b), grid.dim.x <= cdiv(len(out), 512))
    first = thread.index_1d().get() * 3
    if first < len(out):
        low = max(0, first - len(b))
        high = min(first, len(a))
        while low < high:
            mid = (low + high) // 2
            if a[mid] <= b[first - 1 - mid]:
                low = mid + 1
            else:
                high = mid
        i = low
        j = first - low
        for k in unroll(range(4)):
            if first + k < len(out):
                from_a = j >= len(b) or (i < len(a) and a[min(i, len(a) - 1)] <= b[j])
                if from_a:
                    out[first + k] = a[i]  # <- OX4002
                    i += 1
                else:
                    out[first + k] = b[j]
                    j += 1


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def pairs_of_runs_one_width(x: Slice[f32], y: SliceMut[f32], width: i32) -> None:
    require(width >= 1, len(x) == len(y))
    run = thread.index_1d().get()
    if run < len(x) // (2 * width):
        base = run * width
        i = i32(0)
        j = i32(0)
        for k in range(2 * width):
            left = j >= width or (i < width and x[base + min(i, width - 1)] <= x[base + width + j])
            y[base + k] = x[base + i] if left else x[base + width + j]  # <- OX4002
            if left:
                i += 1
            else:
                j += 1


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def odd_even_merge_step_remainder_forgotten(x: SliceMut[u32], size: i32, stride: i32) -> None:
    require(stride >= 1, size >= 2 * stride)
    t = thread.index_1d().get()
    pos = t // stride * (2 * stride)
    if pos + stride < len(x) and x[pos] > x[pos + stride]:
        low = x[pos + stride]
        x[pos + stride] = x[pos]  # <- OX4002
        x[pos] = low
