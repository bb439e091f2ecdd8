"""One edit away from race-free: kernels that need a condition which they do not state: that no i32 index wraps on a huge grid."""

from __future__ import annotations

from oxidepy import (
    Slice,
    SliceMut,
    block,
    f32,
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
@launch_contract(domain=1, block=(256, 1, 1))
def coalesced_four_blocks_overlap(x: Slice[f32], y: SliceMut[f32]) -> None:
    require(len(x) == len(y))
    first = block.idx.x * 512 + thread.idx.x
    for k in unroll(range(4)):
        i = first + k * 256
        if i < len(y):
            y[i] = x[i] * f32(2)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def four_per_thread_scan_one_barrier_a_step(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(x) == len(y))
    s = shared.array(i32, 128)
    t = thread.idx.x
    first = thread.index_1d().get() * 4
    total = i32(0)
    for k in unroll(range(4)):
        if first + k < len(x):
            total += x[first + k]
    s[t] = total
    block.sync()
    step = 1
    while step < 128:
        before = s[t - step] if t >= step else 0
        s[t] += before  # <- OX4001
        block.sync()
        step *= 2
    running = s[t] - total
    for k in unroll(range(4)):
        if first + k < len(y):
            running += x[first + k]
            y[first + k] = running


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def insertion_in_registers_step_of_three(x: SliceMut[f32]) -> None:
    a = local.array(f32, 4)
    first = thread.index_1d().get() * 3
    if first + 3 < len(x):
        for k in unroll(range(4)):
            a[k] = x[first + k]
        for p, q in unroll(((0, 1), (2, 3), (0, 2), (1, 3), (1, 2))):
            low, high = min(a[p], a[q]), max(a[p], a[q])
            a[p] = low
            a[q] = high
        for k in unroll(range(4)):
            x[first + k] = a[k]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def merge_path_five_a_thread(a: Slice[i32], b: Slice[i32], out: SliceMut[i32]) -> None:
    require(len(out) == len(a) + len(b))
    first = thread.index_1d().get() * 4
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
        for k in unroll(range(5)):
            if first + k < len(out):
                from_a = j >= len(b) or (i < len(a) and a[min(i, len(a) - 1)] <= b[j])
                if from_a:
                    out[first + k] = a[i]  # <- OX4002
                    i += 1
                else:
                    out[first + k] = b[j]
                    j += 1


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def four_columns_a_thread_second_barrier_dropped(a: Slice[f32], b: Slice[f32], c: SliceMut[f32], m: i32, n: i32, k: i32) -> None:
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
                acc[j] += sa[ty, q] * sb[q, tx + j * T]  # <- OX4001
    for j in unroll(range(4)):
        if row < m and first + j * T < n:
            c[row * n + first + j * T] = acc[j]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def roll_halved(x: Slice[f32], y: SliceMut[f32], by: i32) -> None:
    require(len(x) == len(y), by >= 0)
    i = thread.index_1d().get()
    if i < len(x):
        y[(i + by) // 2 % len(y)] = x[i]  # <- OX4002
