"""One edit away from race-free: producers and consumers: warps with roles, buffers in turn."""

from __future__ import annotations

from oxidepy import (
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
    warp,
)

B = 128
STAGES = 4


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def two_buffers_one_buffer(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(len(y) == grid.dim.x * B, len(x) == steps * B)
    buffer = shared.array(f32, (2, B))
    t = thread.idx.x
    acc = f32(0)
    if steps > 0:
        buffer[0, t] = x[t]
    block.sync()
    for k in range(steps):
        if k + 1 < steps:
            buffer[k % 2, t] = x[(k + 1) * B + t]  # <- OX4001
        acc += buffer[k % 2, B - 1 - t]
        block.sync()
    y[block.idx.x * B + t] = acc


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def two_buffers_without_barrier(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(len(y) == grid.dim.x * B, len(x) == steps * B)
    buffer = shared.array(f32, (2, B))
    t = thread.idx.x
    acc = f32(0)
    if steps > 0:
        buffer[0, t] = x[t]
    block.sync()
    for k in range(steps):
        if k + 1 < steps:
            buffer[(k + 1) % 2, t] = x[(k + 1) * B + t]
        acc += buffer[k % 2, B - 1 - t]  # <- OX4001
    y[block.idx.x * B + t] = acc


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def loader_warp_barrier_for_loaders_only(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(steps >= 1, len(x) == steps * 32, len(y) == grid.dim.x * 96)
    buffer = shared.array(f32, (2, 32))
    acc = f32(0)
    if warp.id == 0:
        buffer[0, warp.lane] = x[warp.lane]
    block.sync()
    for k in range(steps):
        if warp.id == 0:
            block.sync()  # <- OX3001
            if k + 1 < steps:
                buffer[(k + 1) % 2, warp.lane] = x[(k + 1) * 32 + warp.lane]
        else:
            for q in range(32):
                acc += buffer[k % 2, q] * f32(warp.id)
        block.sync()
    if warp.id > 0:
        y[block.idx.x * 96 + thread.idx.x - 32] = acc


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def loader_warp_same_buffer(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(steps >= 1, len(x) == steps * 32, len(y) == grid.dim.x * 96)
    buffer = shared.array(f32, (2, 32))
    acc = f32(0)
    if warp.id == 0:
        buffer[0, warp.lane] = x[warp.lane]
    block.sync()
    for k in range(steps):
        if warp.id == 0:
            if k + 1 < steps:
                buffer[k % 2, warp.lane] = x[(k + 1) * 32 + warp.lane]  # <- OX4001
        else:
            for q in range(32):
                acc += buffer[k % 2, q] * f32(warp.id)
        block.sync()
    if warp.id > 0:
        y[block.idx.x * 96 + thread.idx.x - 32] = acc


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def halves_with_roles_second_barrier_dropped(x: Slice[i32], y: SliceMut[i32], rounds: i32) -> None:
    require(rounds >= 0, len(x) == rounds * 64, len(y) == rounds * 64, grid.dim.x == 1)
    box = shared.array(i32, 64)
    t = thread.idx.x
    for r in range(rounds):
        if t < 64:
            box[t] = x[r * 64 + t] * 3  # <- OX4001
        block.sync()
        if t >= 64:
            y[r * 64 + t - 64] = box[127 - t] + 1


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def halves_with_roles_first_barrier_dropped(x: Slice[i32], y: SliceMut[i32], rounds: i32) -> None:
    require(rounds >= 0, len(x) == rounds * 64, len(y) == rounds * 64, grid.dim.x == 1)
    box = shared.array(i32, 64)
    t = thread.idx.x
    for r in range(rounds):
        if t < 64:
            box[t] = x[r * 64 + t] * 3
        if t >= 64:
            y[r * 64 + t - 64] = box[127 - t] + 1  # <- OX4001
        block.sync()


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def ring_of_four_one_ahead_too_many(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(steps >= STAGES, len(x) == steps * 64, len(y) == grid.dim.x * 64)
    ring = shared.array(f32, (STAGES, 64))
    t = thread.idx.x
    acc = f32(0)
    if t < 64:
        for k in unroll(range(STAGES - 1)):
            ring[k, t] = x[k * 64 + t]
    block.sync()
    for k in range(steps):
        if t < 64:
            ahead = k + STAGES
            if ahead < steps:
                ring[ahead % STAGES, t] = x[ahead * 64 + t]  # <- OX4001
        else:
            acc += ring[k % STAGES, 127 - t]
        block.sync()
    if t >= 64:
        y[block.idx.x * 64 + t - 64] = acc


@kernel
@launch_contract(domain=1, block=(96, 1, 1))
def three_roles_no_second_buffer(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(steps >= 0, len(x) == steps * 32, len(y) == steps * 32, grid.dim.x == 1)
    raw = shared.array(f32, (2, 32))
    done = shared.array(f32, (2, 32))
    for k in range(steps + 2):
        if warp.id == 0 and k < steps:
            raw[k % 2, warp.lane] = x[k * 32 + warp.lane]
        if warp.id == 1 and k >= 1 and k < steps + 1:
            done[0, warp.lane] = raw[(k - 1) % 2, 31 - warp.lane] * 2.0  # <- OX4001
        if warp.id == 2 and k >= 2:
            y[(k - 2) * 32 + warp.lane] = done[(k - 2) % 2, warp.lane]
        block.sync()


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def prefetch_in_register_second_barrier_dropped(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(steps >= 1, len(x) == steps * 64, len(y) == grid.dim.x * 64)
    s = shared.array(f32, 64)
    t = thread.idx.x
    coming = x[t]
    acc = f32(0)
    for k in range(steps):
        s[t] = coming  # <- OX4001
        block.sync()
        if k + 1 < steps:
            coming = x[(k + 1) * 64 + t]
        for q in range(64):
            acc += s[q] * f32(q)
    y[block.idx.x * 64 + t] = acc
