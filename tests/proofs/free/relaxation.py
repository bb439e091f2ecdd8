"""Red-black and multigrid relaxation: in place, one colour at a time."""

from __future__ import annotations

from oxidepy import (
    D2,
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
@launch_contract(domain=1, block=(128, 1, 1))
def red_black_line(u: SliceMut[f32], colour: i32) -> None:
    require(colour >= 0, colour <= 1)
    i = 2 * thread.index_1d().get() + colour
    if i >= 1 and i < len(u) - 1:
        u[i] = 0.5 * (u[i - 1] + u[i + 1])


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def red_black_plane(u: SliceMut[f32, D2], f: Slice[f32, D2], colour: i32) -> None:
    require(u.shape[0] == f.shape[0], u.shape[1] == f.shape[1])
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i >= 1 and i < u.shape[0] - 1 and j >= 1 and j < u.shape[1] - 1 and (i + j) % 2 == colour:
        u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def over_relaxation_halved(u: SliceMut[f32], width: i32, height: i32, colour: i32, omega: f32) -> None:
    require(width >= 2, height >= 2, colour >= 0, colour <= 1, len(u) == width * height)
    y = block.idx.y * 16 + thread.idx.y
    x = 2 * (block.idx.x * 16 + thread.idx.x) + ((y + colour) & 1)
    if x >= 1 and x < width - 1 and y >= 1 and y < height - 1:
        c = y * width + x
        mean = 0.25 * (u[c - 1] + u[c + 1] + u[c - width] + u[c + width])
        u[c] += omega * (mean - u[c])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def both_colours_in_shared(u: SliceMut[f32], sweeps: i32) -> None:
    require(len(u) == grid.dim.x * 256)
    s = shared.array(f32, 258)
    t = thread.idx.x
    base = block.idx.x * 256
    s[t + 1] = u[base + t]
    s[t + 129] = u[base + t + 128]
    if t == 0:
        s[0] = f32(0)
        s[257] = f32(0)
    block.sync()
    for _ in range(sweeps):
        red = 2 * t + 1
        s[red] = 0.5 * (s[red - 1] + s[red + 1])
        block.sync()
        black = 2 * t + 2
        s[black] = 0.5 * (s[black - 1] + s[black + 1])
        block.sync()
    u[base + t] = s[t + 1]
    u[base + t + 128] = s[t + 129]


@kernel
@launch_contract(domain=2, block=(8, 8, 1))
def red_black_tile_in_shared(u: Slice[f32, D2], v: SliceMut[f32, D2], sweeps: i32) -> None:
    require(u.shape[0] == v.shape[0], u.shape[1] == v.shape[1])
    s = shared.array(f32, (10, 10))
    tx, ty = thread.idx.x, thread.idx.y
    row = block.idx.y * 8 + ty
    col = block.idx.x * 8 + tx
    for k in range(ty * 8 + tx, 100, 64):
        r = block.idx.y * 8 + k // 10 - 1
        c = block.idx.x * 8 + k % 10 - 1
        s[k // 10, k % 10] = u[r, c] if r >= 0 and c >= 0 and r < u.shape[0] and c < u.shape[1] else f32(0)
    block.sync()
    for _ in range(sweeps):
        for colour in unroll((0, 1)):
            if (tx + ty) % 2 == colour:
                s[ty + 1, tx + 1] = 0.25 * (s[ty, tx + 1] + s[ty + 2, tx + 1] + s[ty + 1, tx] + s[ty + 1, tx + 2])
            block.sync()
    if row < v.shape[0] and col < v.shape[1]:
        v[row, col] = s[ty + 1, tx + 1]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def restrict_line(fine: Slice[f32], coarse: SliceMut[f32]) -> None:
    require(len(fine) == 2 * len(coarse) + 1)
    i = thread.index_1d().get()
    if i < len(coarse):
        coarse[i] = 0.25 * fine[2 * i] + 0.5 * fine[2 * i + 1] + 0.25 * fine[2 * i + 2]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def prolong_line(coarse: Slice[f32], fine: SliceMut[f32]) -> None:
    require(len(fine) == 2 * len(coarse))
    i = thread.index_1d().get()
    if i < len(coarse):
        fine[2 * i] += coarse[i]
        if i + 1 < len(coarse):
            fine[2 * i + 1] += 0.5 * (coarse[i] + coarse[i + 1])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def zebra_lines(u: SliceMut[f32, D2], colour: i32) -> None:
    require(colour >= 0, colour <= 1)
    row = 2 * thread.index_1d().get() + colour
    if row >= 1 and row < u.shape[0] - 1:
        for c in range(1, u.shape[1] - 1):
            u[row, c] = 0.25 * (u[row - 1, c] + u[row + 1, c] + u[row, c - 1] + u[row, c + 1])


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
@cooperative_launch
def red_black_sweeps(u: SliceMut[f32], sweeps: i32) -> None:
    i = thread.index_1d().get()
    for k in range(2 * sweeps):
        if i >= 1 and i < len(u) - 1 and i % 2 == k % 2:
            u[i] = 0.5 * (u[i - 1] + u[i + 1])
        grid.sync()
