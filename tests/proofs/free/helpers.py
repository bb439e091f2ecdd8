"""Sizes of the launch, helper functions on memory, structs, returns, witnesses of every kind."""

from __future__ import annotations

from dataclasses import dataclass

from oxidepy import (
    D2,
    DisjointSlice,
    Runtime2D,
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
    struct,
    thread,
)

B = 128


@struct
@dataclass(frozen=True)
class Particle:
    x: f32
    v: f32


def reduce_tree(values: SliceMut[f32], t: i32) -> f32:
    step = B // 2
    while step > 0:
        if t < step:
            values[t] += values[t + step]
        block.sync()
        step //= 2
    return values[0]


def put(out: SliceMut[f32], i: i32, value: f32) -> None:
    if i < len(out):
        out[i] = value


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def tree_in_a_function(x: Slice[f32], sums: SliceMut[f32]) -> None:
    s = shared.array(f32, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else f32(0)
    block.sync()
    total = reduce_tree(s, t)
    if t == 0:
        put(sums, block.idx.x, total)


@kernel
@launch_contract(domain=1, block=(B, 1, 1), dynamic_shared=(0, 49152))
def dynamic_halo(x: Slice[f32], y: DisjointSlice[f32], radius: i32) -> None:
    require(radius >= 0, radius <= 64)
    s = shared.dynamic(f32, count=B + 2 * radius)
    idx = thread.index_1d()
    first = block.idx.x * B - radius
    for k in range(thread.idx.x, B + 2 * radius, B):
        s[k] = x[first + k] if first + k >= 0 and first + k < len(x) else f32(0)
    block.sync()
    if idx in y:
        acc = f32(0)
        for k in range(2 * radius + 1):
            acc += s[thread.idx.x + k]
        y[idx] = acc


@kernel
@launch_contract(domain=1, block=(B, 1, 1), dynamic_shared=(0, 49152))
def two_dynamic_arrays(x: Slice[f32], y: SliceMut[f32], n: i32) -> None:
    require(n >= B, n <= 1024, len(y) == grid.dim.x * B)
    a = shared.dynamic(f32, count=n)
    b = shared.dynamic(f32, count=n)
    t = thread.idx.x
    for k in range(t, n, B):
        a[k] = x[k] if k < len(x) else f32(0)
        b[k] = f32(2)
    block.sync()
    y[block.idx.x * B + t] = a[B - 1 - t] + b[t]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def stride_of_witnesses(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    for idx in thread.grid_stride(y):
        y[idx] = x[idx] * f32(3)


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def plane_of_witnesses(x: Slice[f32, D2], y: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(y)
    if idx in y:
        y[idx] = x[idx.row, idx.col] + f32(1)


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def particles_in_shared(p: SliceMut[Particle], dt: f32) -> None:
    s = shared.array(Particle, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = p[i] if i < len(p) else Particle(f32(0), f32(0))
    block.sync()
    push = f32(0)
    for k in range(B):
        push += s[k].x - s[t].x
    if i < len(p):
        p[i] = Particle(s[t].x + dt * s[t].v, s[t].v + dt * push)


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def fields_apart(p: SliceMut[Particle]) -> None:
    i = thread.index_1d().get()
    if i < 2 * len(p):
        if i % 2 == 0:
            p[i // 2].x = f32(0)
        else:
            p[i // 2].v = f32(0)


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def whole_blocks_return(x: Slice[f32], y: SliceMut[f32], blocks: i32) -> None:
    require(blocks >= 0, len(x) == blocks * B, len(y) == blocks * B)
    s = shared.array(f32, B)
    t = thread.idx.x
    if block.idx.x >= blocks:
        return
    s[t] = x[block.idx.x * B + t]
    block.sync()
    if t >= 64:
        return
    y[block.idx.x * B + t] = s[2 * t]
    y[block.idx.x * B + 64 + t] = s[2 * t + 1]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def roles_by_match(x: Slice[f32], y: SliceMut[f32], mode: i32) -> None:
    require(len(x) == len(y))
    i = thread.index_1d().get()
    if i < len(y):
        match mode:
            case 0:
                y[i] = x[i]
            case 1:
                y[len(y) - 1 - i] = x[i]
            case _:
                y[i] = -x[i]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def block_min_with_break(x: Slice[i32], y: SliceMut[i32]) -> None:
    require(len(y) == grid.dim.x)
    s = shared.array(i32, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else 2147483647
    block.sync()
    step = B
    while True:
        step //= 2
        if step == 0:
            break
        if t < step:
            s[t] = min(s[t], s[t + step])
        block.sync()
    if t == 0:
        y[block.idx.x] = s[0]
