"""One edit away from race-free: sorting networks: bitonic, odd-even, in shared memory, in warps, a step a launch."""

from __future__ import annotations

from oxidepy import (
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
    u32,
    unroll,
)

N = 256


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def bitonic_block_both_partners(x: SliceMut[i32]) -> None:
    s = shared.array(i32, N)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else 2147483647
    block.sync()
    k = 2
    while k <= N:
        j = k // 2
        while j > 0:
            other = t ^ j
            if other != t:
                a, b = s[t], s[other]
                if (a > b) == ((t & k) == 0):
                    s[t] = b  # <- OX4001
                    s[other] = a
            block.sync()
            j //= 2
        k *= 2
    if i < len(x):
        x[i] = s[t]


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def bitonic_block_without_barrier(x: SliceMut[i32]) -> None:
    s = shared.array(i32, N)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else 2147483647
    block.sync()
    k = 2
    while k <= N:
        j = k // 2
        while j > 0:
            other = t ^ j
            if other > t:
                a, b = s[t], s[other]
                if (a > b) == ((t & k) == 0):
                    s[t] = b  # <- OX4001
                    s[other] = a
            j //= 2
        k *= 2
    if i < len(x):
        x[i] = s[t]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def bitonic_half_threads_wrong_mask(keys: SliceMut[u32], values: SliceMut[u32]) -> None:
    require(len(keys) == grid.dim.x * 256, len(values) == grid.dim.x * 256)
    k = shared.array(u32, 256)
    v = shared.array(u32, 256)
    t = thread.idx.x
    base = block.idx.x * 256
    k[t] = keys[base + t]
    v[t] = values[base + t]
    k[t + 128] = keys[base + t + 128]
    v[t + 128] = values[base + t + 128]
    size = 2
    while size <= 256:
        up = (t & (size // 2)) == 0
        stride = size // 2
        while stride > 0:
            block.sync()
            pos = 2 * t - (t & stride)
            if (k[pos] > k[pos + stride]) == up:
                k[pos], k[pos + stride] = k[pos + stride], k[pos]  # <- OX4001
                v[pos], v[pos + stride] = v[pos + stride], v[pos]
            stride //= 2
        size *= 2
    block.sync()
    keys[base + t] = k[t]
    values[base + t] = v[t]
    keys[base + t + 128] = k[t + 128]
    values[base + t + 128] = v[t + 128]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def bitonic_half_threads_last_barrier_dropped(keys: SliceMut[u32], values: SliceMut[u32]) -> None:
    require(len(keys) == grid.dim.x * 256, len(values) == grid.dim.x * 256)
    k = shared.array(u32, 256)
    v = shared.array(u32, 256)
    t = thread.idx.x
    base = block.idx.x * 256
    k[t] = keys[base + t]
    v[t] = values[base + t]
    k[t + 128] = keys[base + t + 128]
    v[t + 128] = values[base + t + 128]
    size = 2
    while size <= 256:
        up = (t & (size // 2)) == 0
        stride = size // 2
        while stride > 0:
            block.sync()
            pos = 2 * t - (t & (stride - 1))
            if (k[pos] > k[pos + stride]) == up:
                k[pos], k[pos + stride] = k[pos + stride], k[pos]
                v[pos], v[pos + stride] = v[pos + stride], v[pos]
            stride //= 2
        size *= 2
    keys[base + t] = k[t]  # <- OX4001
    values[base + t] = v[t]
    keys[base + t + 128] = k[t + 128]
    values[base + t + 128] = v[t + 128]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def odd_even_block_every_element(x: SliceMut[f32]) -> None:
    require(len(x) == 256, grid.dim.x == 1)
    s = shared.array(f32, 256)
    t = thread.idx.x
    s[t] = x[t]
    s[t + 128] = x[t + 128]
    block.sync()
    for round in range(256):
        a = t + round % 2
        if a + 1 < 256:
            low = min(s[a], s[a + 1])
            high = max(s[a], s[a + 1])
            s[a] = low  # <- OX4001
            s[a + 1] = high
        block.sync()
    x[t] = s[t]
    x[t + 128] = s[t + 128]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def odd_even_block_without_barrier(x: SliceMut[f32]) -> None:
    require(len(x) == 256, grid.dim.x == 1)
    s = shared.array(f32, 256)
    t = thread.idx.x
    s[t] = x[t]
    s[t + 128] = x[t + 128]
    block.sync()
    for round in range(256):
        a = 2 * t + round % 2
        if a + 1 < 256:
            low = min(s[a], s[a + 1])
            high = max(s[a], s[a + 1])
            s[a] = low  # <- OX4001
            s[a + 1] = high
    x[t] = s[t]
    x[t + 128] = s[t + 128]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def bitonic_global_step_both_partners(x: SliceMut[f32], j: i32, k: i32) -> None:
    require(j >= 1, k >= 2)
    i = thread.index_1d().get()
    other = i ^ j
    if other < len(x) and i < len(x):
        a, b = x[i], x[other]
        if (a > b) == ((i & k) == 0):
            x[i] = b  # <- OX4002
            x[other] = a


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def odd_even_global_step_every_element(x: SliceMut[i32], phase: i32) -> None:
    require(phase >= 0)
    a = thread.index_1d().get() + phase % 2
    if a + 1 < len(x) and x[a] > x[a + 1]:
        x[a], x[a + 1] = x[a + 1], x[a]  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def batcher_block_without_barrier(x: SliceMut[i32]) -> None:
    require(len(x) == grid.dim.x * 256)
    s = shared.array(i32, 256)
    t = thread.idx.x
    base = block.idx.x * 256
    s[t] = x[base + t]
    s[t + 128] = x[base + t + 128]
    size = 2
    while size <= 256:
        stride = size // 2
        offset = t & (stride - 1)
        block.sync()
        pos = 2 * t - (t & (stride - 1))
        if s[pos] > s[pos + stride]:
            s[pos], s[pos + stride] = s[pos + stride], s[pos]
        stride //= 2
        while stride > 0:
            pos = 2 * t - (t & (stride - 1))
            if offset >= stride and s[pos - stride] > s[pos]:
                s[pos - stride], s[pos] = s[pos], s[pos - stride]  # <- OX4001
            stride //= 2
        size *= 2
    block.sync()
    x[base + t] = s[t]
    x[base + t + 128] = s[t + 128]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def insertion_in_registers_step_of_three(x: SliceMut[f32]) -> None:
    require(grid.dim.x <= cdiv(len(x), 256))
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
