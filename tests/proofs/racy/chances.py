"""One edit away from race-free: option prices, random walks, samples."""

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
    math,
    random,
    require,
    shared,
    thread,
    u32,
)

B = 256


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def binomial_tree_one_barrier(strikes: Slice[f32], out: SliceMut[f32], up: f32, down: f32) -> None:
    require(len(strikes) == grid.dim.x, len(out) == grid.dim.x)
    v = shared.array(f32, B + 1)
    t = thread.idx.x
    v[t] = max(f32(t) - strikes[block.idx.x], 0.0)
    if t == 0:
        v[B] = max(f32(B) - strikes[block.idx.x], 0.0)
    block.sync()
    for step in range(B, 0, -1):
        a = f32(0)
        if t < step:
            a = up * v[t + 1] + down * v[t]
        if t < step:
            v[t] = a  # <- OX4001
        block.sync()
    if t == 0:
        out[block.idx.x] = v[0]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def binomial_tree_last_barrier_dropped(strikes: Slice[f32], out: SliceMut[f32], up: f32, down: f32) -> None:
    require(len(strikes) == grid.dim.x, len(out) == grid.dim.x)
    v = shared.array(f32, B + 1)
    t = thread.idx.x
    v[t] = max(f32(t) - strikes[block.idx.x], 0.0)
    if t == 0:
        v[B] = max(f32(B) - strikes[block.idx.x], 0.0)
    block.sync()
    for step in range(B, 0, -1):
        a = f32(0)
        if t < step:
            a = up * v[t + 1] + down * v[t]
        block.sync()
        if t < step:
            v[t] = a  # <- OX4001
    if t == 0:
        out[block.idx.x] = v[0]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def estimate_pi_every_thread_writes(hits: SliceMut[u32], seed: u32, rounds: i32) -> None:
    require(len(hits) == grid.dim.x)
    own = u32(0)
    for r in range(rounds):
        a, b, _, _ = random.philox((seed, u32(0)), (u32(thread.index_1d().get()), u32(r), u32(0), u32(0)))
        x = f32(a >> 8) * 5.9604645e-08
        y = f32(b >> 8) * 5.9604645e-08
        if x * x + y * y < 1.0:
            own += u32(1)
    own = block.reduce_sum(own)
    if thread.idx.x < 2:
        hits[block.idx.x] = own  # <- OX4002


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def walks_step_forgotten(out: SliceMut[f32], count: i32, steps: i32, seed: u32) -> None:
    require(count >= 0, steps >= 0, len(out) == count * steps)
    i = thread.index_1d().get()
    if i < count:
        at = f32(0)
        for k in range(steps):
            a, _, _, _ = random.philox((seed, u32(1)), (u32(i), u32(k), u32(0), u32(0)))
            at += f32(1) if (a & 1) == u32(0) else f32(-1)
            out[k + i] = at  # <- OX4002


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def pairs_of_samples_pairs_overlap(u: Slice[f32], out: SliceMut[f32]) -> None:
    require(len(u) == len(out), len(u) % 2 == 0)
    i = thread.index_1d().get()
    if i < len(out) // 2:
        r = math.sqrt(u[2 * i] + 1.0)
        out[2 * i] = r * u[2 * i + 1]
        out[i + 1] = r * (1.0 - u[2 * i + 1])  # <- OX4002


@kernel
@launch_contract(domain=2, block=(64, 1, 1))
def direction_numbers_without_barrier(v: Slice[u32], out: SliceMut[u32], count: i32) -> None:
    require(count >= 0, len(v) == grid.dim.y * 32, len(out) == grid.dim.y * count)
    s = shared.array(u32, 32)
    if thread.idx.x < 32:
        s[thread.idx.x] = v[block.idx.y * 32 + thread.idx.x]
    for i in range(block.idx.x * 64 + thread.idx.x, count, grid.dim.x * 64):
        value = u32(0)
        for k in range(32):
            if ((i >> k) & 1) == 1:
                value = value ^ s[k]  # <- OX4001
        out[block.idx.y * count + i] = value


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def average_payoff_without_barrier(paths: Slice[f32], mean: SliceMut[f32], per_option: i32) -> None:
    require(per_option >= 1, len(paths) == grid.dim.x * per_option, len(mean) == grid.dim.x)
    s = shared.array(f32, B)
    t = thread.idx.x
    acc = f32(0)
    for i in range(t, per_option, B):
        acc += max(paths[block.idx.x * per_option + i] - 1.0, 0.0)
    s[t] = acc
    half = B // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]  # <- OX4001
        half = half // 2
    if t == 0:
        mean[block.idx.x] = s[0] / f32(per_option)
