"""One edit away from race-free: pairs of particles: forces, potentials, integration, pairwise distances."""

from __future__ import annotations

from oxidepy import (
    D2,
    Slice,
    SliceMut,
    block,
    f32,
    f64,
    i32,
    kernel,
    launch_contract,
    math,
    require,
    shared,
    thread,
    unroll,
)

B = 128


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def forces_one_barrier(px: Slice[f32], py: Slice[f32], mass: Slice[f32], ax: SliceMut[f32], ay: SliceMut[f32]) -> None:
    require(len(px) == len(py), len(px) == len(mass), len(px) == len(ax), len(px) == len(ay))
    sx = shared.array(f32, B)
    sy = shared.array(f32, B)
    sm = shared.array(f32, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    n = len(px)
    x = px[i] if i < n else f32(0)
    y = py[i] if i < n else f32(0)
    fx = f32(0)
    fy = f32(0)
    for first in range(0, n, B):
        j = first + t
        sx[t] = px[j] if j < n else f32(0)  # <- OX4001
        sy[t] = py[j] if j < n else f32(0)
        sm[t] = mass[j] if j < n else f32(0)
        block.sync()
        for k in range(B):
            dx = sx[k] - x
            dy = sy[k] - y
            r2 = dx * dx + dy * dy + 0.01
            w = sm[k] / (r2 * math.sqrt(r2))
            fx += w * dx
            fy += w * dy
    if i < n:
        ax[i] = fx
        ay[i] = fy


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def forces_loaded_unordered(px: Slice[f32], py: Slice[f32], mass: Slice[f32], ax: SliceMut[f32], ay: SliceMut[f32]) -> None:
    require(len(px) == len(py), len(px) == len(mass), len(px) == len(ax), len(px) == len(ay))
    sx = shared.array(f32, B)
    sy = shared.array(f32, B)
    sm = shared.array(f32, B)
    t = thread.idx.x
    i = thread.index_1d().get()
    n = len(px)
    x = px[i] if i < n else f32(0)
    y = py[i] if i < n else f32(0)
    fx = f32(0)
    fy = f32(0)
    for first in range(0, n, B):
        j = first + t
        sx[t] = px[j] if j < n else f32(0)
        sy[t] = py[j] if j < n else f32(0)
        sm[t] = mass[j] if j < n else f32(0)
        for k in range(B):
            dx = sx[k] - x  # <- OX4001
            dy = sy[k] - y
            r2 = dx * dx + dy * dy + 0.01
            w = sm[k] / (r2 * math.sqrt(r2))
            fx += w * dx
            fy += w * dy
        block.sync()
    if i < n:
        ax[i] = fx
        ay[i] = fy


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def integrate_axis_forgotten(p: SliceMut[f32, D2], v: SliceMut[f32, D2], a: Slice[f32, D2], dt: f32) -> None:
    require(p.shape[0] == v.shape[0], p.shape[0] == a.shape[0], p.shape[1] == 3, v.shape[1] == 3, a.shape[1] == 3)
    i = thread.index_1d().get()
    if i < p.shape[0]:
        for axis in unroll(range(3)):
            v[i, axis] += dt * a[i, axis]
            p[0, axis] += dt * v[i, axis]  # <- OX4002


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def distances_symmetric_store(p: Slice[f32, D2], d: SliceMut[f32, D2]) -> None:
    require(d.shape[0] == p.shape[0], d.shape[1] == p.shape[0])
    i = block.idx.y * 16 + thread.idx.y
    j = block.idx.x * 16 + thread.idx.x
    if i < d.shape[0] and j < d.shape[1]:
        acc = f32(0)
        for axis in range(p.shape[1]):
            e = p[i, axis] - p[j, axis]
            acc += e * e
        d[max(i, j), min(i, j)] = math.sqrt(acc)  # <- OX4002


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def potential_grid_one_barrier(atoms: Slice[f32], grid_values: SliceMut[f32], width: i32, spacing: f32) -> None:
    require(width >= 1, len(atoms) % 3 == 0)
    s = shared.array(f32, 3 * 64)
    t = thread.idx.x
    cell = thread.index_1d().get()
    x = f32(cell % width) * spacing
    y = f32(cell // width) * spacing
    energy = f32(0)
    count = len(atoms) // 3
    for first in range(0, count, 64):
        for k in range(t, 192, B):
            s[k] = atoms[first * 3 + k] if first * 3 + k < len(atoms) else f32(0)  # <- OX4001
        block.sync()
        for q in range(64):
            dx = s[3 * q] - x
            dy = s[3 * q + 1] - y
            energy += s[3 * q + 2] / math.sqrt(dx * dx + dy * dy + 1.0)
    if cell < len(grid_values):
        grid_values[cell] += energy


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def neighbour_lists_reaction_added(p: Slice[f32], lists: Slice[i32], f: SliceMut[f32], longest: i32) -> None:
    require(longest >= 1, len(lists) == len(p) * longest, len(f) == len(p))
    i = thread.index_1d().get()
    if i < len(p):
        acc = f32(0)
        for k in range(longest):
            j = lists[k * len(p) + i]
            if 0 <= j and j < len(p):
                r = p[j] - p[i]
                acc += r / (1.0 + r * r)
        f[min(i + 1, len(p) - 1)] = acc  # <- OX4002


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def total_energy_atomic_forgotten(v: Slice[f32], mass: Slice[f32], energy: SliceMut[f64]) -> None:
    require(len(v) == len(mass), len(energy) == 1)
    i = thread.index_1d().get()
    own = f64(0.5 * mass[i] * v[i] * v[i]) if i < len(v) else f64(0)
    own = block.reduce_sum(own)
    if thread.idx.x == 0:
        energy[0] += own  # <- OX4002
