"""Physics on grids: heat, lattice Boltzmann, electromagnetic fields, diffusion of images."""

from __future__ import annotations

from oxidepy import (
    D2,
    D3,
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
    unroll,
)


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def heat(temperature: Slice[f32], power: Slice[f32], out: SliceMut[f32], rows: i32, cols: i32, rate: f32) -> None:
    require(rows >= 1, cols >= 1, len(temperature) == rows * cols, len(power) == rows * cols, len(out) == rows * cols)
    t = shared.array(f32, (16, 16))
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * 14 + tx - 1
    y = block.idx.y * 14 + ty - 1
    cx = min(max(x, 0), cols - 1)
    cy = min(max(y, 0), rows - 1)
    t[ty, tx] = temperature[cy * cols + cx]
    block.sync()
    if tx >= 1 and tx <= 14 and ty >= 1 and ty <= 14 and x < cols and y < rows:
        lap = t[ty - 1, tx] + t[ty + 1, tx] + t[ty, tx - 1] + t[ty, tx + 1] - 4.0 * t[ty, tx]
        out[y * cols + x] = t[ty, tx] + rate * (lap + power[y * cols + x])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def lattice_push(f: Slice[f32], out: SliceMut[f32], n: i32) -> None:
    require(n >= 1, len(f) == 3 * n, len(out) == 3 * n)
    i = thread.index_1d().get()
    if i < n:
        rho = f[i] + f[n + i] + f[2 * n + i]
        out[i] = f[i] - 0.1 * (f[i] - rho * 0.5)
        out[n + (i + 1) % n] = f[n + i] - 0.1 * (f[n + i] - rho * 0.25)
        out[2 * n + (i + n - 1) % n] = f[2 * n + i] - 0.1 * (f[2 * n + i] - rho * 0.25)


@kernel
@launch_contract(domain=2, block=(32, 4, 1))
def lattice_pull(f: Slice[f32, D3], out: SliceMut[f32, D3]) -> None:
    require(f.shape[0] == 5, out.shape[0] == 5, f.shape[1] == out.shape[1], f.shape[2] == out.shape[2])
    x = block.idx.x * 32 + thread.idx.x
    y = block.idx.y * 4 + thread.idx.y
    if y < out.shape[1] and x < out.shape[2]:
        for q, dx, dy in unroll(((0, 0, 0), (1, 1, 0), (2, -1, 0), (3, 0, 1), (4, 0, -1))):
            out[q, y, x] = f[q, (y - dy) % f.shape[1], (x - dx) % f.shape[2]]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def electric_field(e: SliceMut[f32], h: Slice[f32], c: f32) -> None:
    require(len(e) == len(h))
    i = thread.index_1d().get()
    if i >= 1 and i < len(e):
        e[i] += c * (h[i] - h[i - 1])


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
@cooperative_launch
def both_fields(e: SliceMut[f32], h: SliceMut[f32], c: f32, steps: i32) -> None:
    require(len(e) == len(h))
    i = thread.index_1d().get()
    for _ in range(steps):
        if i >= 1 and i < len(e):
            e[i] += c * (h[i] - h[i - 1])
        grid.sync()
        if i < len(h) - 1:
            h[i] += c * (e[i + 1] - e[i])
        grid.sync()


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def diffusion_coefficients(image: Slice[f32, D2], c: SliceMut[f32, D2], dn: SliceMut[f32, D2], q0: f32) -> None:
    require(image.shape[0] == c.shape[0], image.shape[1] == c.shape[1], image.shape[0] == dn.shape[0], image.shape[1] == dn.shape[1])
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < c.shape[0] and j < c.shape[1]:
        here = image[i, j]
        north = image[max(i - 1, 0), j] - here
        east = image[i, min(j + 1, image.shape[1] - 1)] - here
        g = (north * north + east * east) / (here * here + 1.0)
        c[i, j] = 1.0 / (1.0 + g / q0)
        dn[i, j] = north


@kernel
@launch_contract(domain=3, block=(32, 4, 1))
def wave_3d(now: Slice[f32, D3], before: SliceMut[f32, D3], k: f32) -> None:
    require(now.shape[0] == before.shape[0], now.shape[1] == before.shape[1], now.shape[2] == before.shape[2])
    x = block.idx.x * 32 + thread.idx.x
    y = block.idx.y * 4 + thread.idx.y
    z = block.idx.z
    inside = z >= 1 and z < now.shape[0] - 1 and y >= 1 and y < now.shape[1] - 1 and x >= 1 and x < now.shape[2] - 1
    if inside:
        lap = now[z - 1, y, x] + now[z + 1, y, x] + now[z, y - 1, x] + now[z, y + 1, x] + now[z, y, x - 1] + now[z, y, x + 1]
        before[z, y, x] = 2.0 * now[z, y, x] - before[z, y, x] + k * (lap - 6.0 * now[z, y, x])


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def columns_of_fluid(depth: SliceMut[f32, D2], flux: Slice[f32, D2], dt: f32) -> None:
    require(flux.shape[0] == depth.shape[0], flux.shape[1] == depth.shape[1] + 1)
    x = thread.index_1d().get()
    if x < depth.shape[1]:
        for y in range(depth.shape[0]):
            depth[y, x] -= dt * (flux[y, x + 1] - flux[y, x])
