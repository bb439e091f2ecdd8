"""One edit away from race-free: stencils with halos in one to three dimensions."""

from __future__ import annotations

from oxidepy import (
    D3,
    DisjointSlice,
    Slice,
    SliceMut,
    block,
    cooperative_launch,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    u8,
    unroll,
)

RADIUS = 3
BLOCK = 128
T = 16


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def halo_1d_without_barrier(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, BLOCK + 2 * RADIUS)
    t = thread.idx.x
    idx = thread.index_1d()
    i = idx.get()
    s[t + RADIUS] = x[i] if i < len(x) else f32(0)
    if t < RADIUS:
        s[t] = x[i - RADIUS] if i >= RADIUS and i - RADIUS < len(x) else f32(0)
        s[t + BLOCK + RADIUS] = x[i + BLOCK] if i + BLOCK < len(x) else f32(0)
    if idx in y:
        acc = f32(0)
        for k in unroll(range(2 * RADIUS + 1)):
            acc += s[t + k]  # <- OX4001
        y[idx] = acc


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def halo_1d_halo_overlaps(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, BLOCK + 2 * RADIUS)
    t = thread.idx.x
    idx = thread.index_1d()
    i = idx.get()
    s[t + RADIUS] = x[i] if i < len(x) else f32(0)
    if t < RADIUS:
        s[t] = x[i - RADIUS] if i >= RADIUS and i - RADIUS < len(x) else f32(0)
        s[t + BLOCK] = x[i + BLOCK] if i + BLOCK < len(x) else f32(0)  # <- OX4001
    block.sync()
    if idx in y:
        acc = f32(0)
        for k in unroll(range(2 * RADIUS + 1)):
            acc += s[t + k]
        y[idx] = acc


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def halo_1d_barrier_in_the_guard(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, BLOCK + 2 * RADIUS)
    t = thread.idx.x
    idx = thread.index_1d()
    i = idx.get()
    s[t + RADIUS] = x[i] if i < len(x) else f32(0)
    if t < RADIUS:
        s[t] = x[i - RADIUS] if i >= RADIUS and i - RADIUS < len(x) else f32(0)
        s[t + BLOCK + RADIUS] = x[i + BLOCK] if i + BLOCK < len(x) else f32(0)
    if idx in y:
        block.sync()  # <- OX3001
        acc = f32(0)
        for k in unroll(range(2 * RADIUS + 1)):
            acc += s[t + k]
        y[idx] = acc


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def five_point_tile_halo_column_shifted(u: Slice[f32], v: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(u) == width * height, len(v) == width * height)
    s = shared.array(f32, (T + 2, T + 2))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * T + tx
    y = block.idx.y * T + ty
    inside = x < width and y < height
    s[ty + 1, tx + 1] = u[y * width + x] if inside else f32(0)
    if tx == 0:
        s[ty + 1, 0] = u[y * width + x - 1] if inside and x > 0 else f32(0)
    if tx == T - 1:
        s[ty + 1, T - 1] = u[y * width + x + 1] if y < height and x + 1 < width else f32(0)  # <- OX4001
    if ty == 0:
        s[0, tx + 1] = u[(y - 1) * width + x] if inside and y > 0 else f32(0)
    if ty == T - 1:
        s[T + 1, tx + 1] = u[(y + 1) * width + x] if x < width and y + 1 < height else f32(0)
    block.sync()
    if inside:
        v[y * width + x] = s[ty, tx + 1] + s[ty + 2, tx + 1] + s[ty + 1, tx] + s[ty + 1, tx + 2] - 4.0 * s[ty + 1, tx + 1]


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def five_point_tile_without_barrier(u: Slice[f32], v: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(u) == width * height, len(v) == width * height)
    s = shared.array(f32, (T + 2, T + 2))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * T + tx
    y = block.idx.y * T + ty
    inside = x < width and y < height
    s[ty + 1, tx + 1] = u[y * width + x] if inside else f32(0)
    if tx == 0:
        s[ty + 1, 0] = u[y * width + x - 1] if inside and x > 0 else f32(0)
    if tx == T - 1:
        s[ty + 1, T + 1] = u[y * width + x + 1] if y < height and x + 1 < width else f32(0)
    if ty == 0:
        s[0, tx + 1] = u[(y - 1) * width + x] if inside and y > 0 else f32(0)
    if ty == T - 1:
        s[T + 1, tx + 1] = u[(y + 1) * width + x] if x < width and y + 1 < height else f32(0)
    if inside:
        v[y * width + x] = s[ty, tx + 1] + s[ty + 2, tx + 1] + s[ty + 1, tx] + s[ty + 1, tx + 2] - 4.0 * s[ty + 1, tx + 1]  # <- OX4001


@kernel
@launch_contract(domain=2, block=(18, 18, 1))
def overlapping_tiles_step_of_fifteen(u: Slice[f32], v: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(u) == width * height, len(v) == width * height)
    s = shared.array(f32, (18, 18))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * 15 + tx - 1
    y = block.idx.y * 16 + ty - 1
    inside = x >= 0 and x < width and y >= 0 and y < height
    s[ty, tx] = u[y * width + x] if inside else f32(0)
    block.sync()
    if inside and tx >= 1 and tx <= 16 and ty >= 1 and ty <= 16:
        v[y * width + x] = 0.5 * s[ty, tx] + 0.125 * (s[ty - 1, tx] + s[ty + 1, tx] + s[ty, tx - 1] + s[ty, tx + 1])  # <- OX4002


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def marching_planes_one_barrier_a_plane(u: Slice[f32, D3], v: SliceMut[f32, D3]) -> None:
    require(u.shape[0] == v.shape[0], u.shape[1] == v.shape[1], u.shape[2] == v.shape[2])
    s = shared.array(f32, (T + 2, T + 2))
    tx, ty = thread.idx.x, thread.idx.y
    i = block.idx.x * T + tx
    j = block.idx.y * T + ty
    for k in range(1, u.shape[0] - 1):
        inside = i < u.shape[2] and j < u.shape[1]
        s[ty + 1, tx + 1] = u[k, j, i] if inside else f32(0)  # <- OX4001
        if tx == 0:
            s[ty + 1, 0] = u[k, j, i - 1] if inside and i > 0 else f32(0)
            s[ty + 1, T + 1] = u[k, j, i + T] if j < u.shape[1] and i + T < u.shape[2] else f32(0)
        if ty == 0:
            s[0, tx + 1] = u[k, j - 1, i] if inside and j > 0 else f32(0)
            s[T + 1, tx + 1] = u[k, j + T, i] if i < u.shape[2] and j + T < u.shape[1] else f32(0)
        block.sync()
        if inside:
            v[k, j, i] = u[k - 1, j, i] + u[k + 1, j, i] + s[ty, tx + 1] + s[ty + 2, tx + 1] + s[ty + 1, tx] + s[ty + 1, tx + 2]


@kernel
@launch_contract(domain=3, block=(8, 8, 4))
def seven_point_plane_forgotten(u: Slice[f32], v: SliceMut[f32], nx: i32, ny: i32, nz: i32) -> None:
    require(nx >= 1, ny >= 1, nz >= 1, len(u) == nx * ny * nz, len(v) == nx * ny * nz)
    i = block.idx.x * 8 + thread.idx.x
    j = block.idx.y * 8 + thread.idx.y
    k = block.idx.z * 4 + thread.idx.z
    if i < nx and j < ny and k < nz:
        c = (k * ny + j) * nx + i
        west = u[c - 1] if i > 0 else u[c]
        east = u[c + 1] if i < nx - 1 else u[c]
        south = u[c - nx] if j > 0 else u[c]
        north = u[c + nx] if j < ny - 1 else u[c]
        below = u[c - nx * ny] if k > 0 else u[c]
        above = u[c + nx * ny] if k < nz - 1 else u[c]
        v[j * nx + i] = (west + east + south + north + below + above) / 6.0  # <- OX4002


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def steps_in_shared_one_barrier_a_step(x: Slice[f32], y: SliceMut[f32], steps: i32) -> None:
    require(len(x) == len(y))
    s = shared.array(f32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else f32(0)
    block.sync()
    for _ in range(steps):
        left = s[t - 1] if t > 0 else s[t]
        right = s[t + 1] if t < BLOCK - 1 else s[t]
        mean = (left + s[t] + right) / 3.0
        s[t] = mean  # <- OX4001
        block.sync()
    if i < len(y):
        y[i] = s[t]


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def life_wrong_pitch(now: Slice[u8], after: SliceMut[u8], width: i32, height: i32) -> None:
    require(width >= 1, height >= 1, len(now) == width * height, len(after) == width * height)
    x = block.idx.x * 32 + thread.idx.x
    y = block.idx.y * 8 + thread.idx.y
    if x < width and y < height:
        alive = i32(0)
        for dy in unroll((-1, 0, 1)):
            for dx in unroll((-1, 0, 1)):
                if dx != 0 or dy != 0:
                    alive += i32(now[(y + dy) % height * width + (x + dx) % width])
        own = now[y * width + x]
        after[y * height + x] = u8(1) if alive == 3 or (alive == 2 and own != u8(0)) else u8(0)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
@cooperative_launch
def jacobi_sweeps_block_barrier_only(a: SliceMut[f32], b: SliceMut[f32], sweeps: i32) -> None:
    require(len(a) == len(b))
    i = thread.index_1d().get()
    inside = i >= 1 and i < len(a) - 1
    for _ in range(sweeps):
        if inside:
            b[i] = 0.5 * (a[i - 1] + a[i + 1])
        block.sync()
        if inside:
            a[i] = 0.5 * (b[i - 1] + b[i + 1])  # <- OX4002
        grid.sync()


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
@cooperative_launch
def jacobi_sweeps_one_buffer(a: SliceMut[f32], b: SliceMut[f32], sweeps: i32) -> None:
    require(len(a) == len(b))
    i = thread.index_1d().get()
    inside = i >= 1 and i < len(a) - 1
    for _ in range(sweeps):
        if inside:
            a[i] = 0.5 * (a[i - 1] + a[i + 1])  # <- OX4002
        grid.sync()
        if inside:
            a[i] = 0.5 * (b[i - 1] + b[i + 1])
        grid.sync()
