"""Arrays of shared and local memory lie apart, of whatever types, sizes and kinds, on every device."""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    LaunchConfig1D,
    SliceMut,
    bf16,
    block,
    f16,
    f64,
    grid,
    i32,
    i64,
    kernel,
    launch_contract,
    local,
    require,
    shared,
    struct,
    thread,
    u8,
)


@struct
@dataclass(frozen=True)
class Padded:
    a: u8
    b: f64
    c: bool


@struct
@dataclass(frozen=True)
class Small:
    a: u8
    b: tuple[f16, f16, f16]


@kernel
@launch_contract(domain=1, block=(33, 1, 1))
def kinds(n: i32, m: i32, out: SliceMut[f64, ox.D2]) -> None:
    require(grid.dim.x == 1)
    t = thread.idx.x
    a = shared.array(bool, 35)
    b = shared.array(u8, (3, 11))
    d1 = shared.dynamic(u8, count=n)
    c = shared.array(f16, 37)
    s = shared.array(Padded, 33)
    d2 = shared.dynamic(Padded, count=(n, m))
    p = shared.array(Small, 33)
    d3 = shared.dynamic(f16, count=n + m)
    e = shared.array(i64, (1, 33, 1))
    h = shared.array(bf16, 33, align=64)
    a[t] = t % 3 == 0
    b[t // 11, t % 11] = u8(t + 100)
    c[t] = f16(t) + 0.5
    s[t] = Padded(u8(t), f64(t) * 1.25, t % 2 == 1)
    p[t] = Small(u8(t + 7), (f16(t), f16(t + 1), f16(t + 2)))
    e[0, t, 0] = i64(t) << 33
    h[t] = bf16(t)
    if t < n:
        d1[t] = u8(200 - t)
    if t < n * m:
        d2[t // m, t % m] = Padded(u8(t + 1), f64(t) * 3.0, t % 2 == 0)
    if t < n + m:
        d3[t] = f16(t * 2)
    block.sync()
    q = 32 - t
    out[0, t] = 1.0 if a[q] else 0.0
    out[1, t] = f64(b[q // 11, q % 11])
    out[2, t] = f64(c[q])
    out[3, t] = f64(s[q].a) + s[q].b * 1000.0 + (0.5 if s[q].c else 0.0)
    out[4, t] = f64(p[q].a) + f64(p[q].b[1]) * 256.0
    out[5, t] = f64(e[0, q, 0])
    out[6, t] = f64(h[q])
    if t < n:
        out[7, t] = f64(d1[n - 1 - t])
    if t < n * m:
        w = n * m - 1 - t
        out[8, t] = f64(d2[w // m, w % m].a) + d2[w // m, w % m].b * 1000.0 + (0.5 if d2[w // m, w % m].c else 0.0)
    if t < n + m:
        out[9, t] = f64(d3[n + m - 1 - t])


@pytest.mark.parametrize(("n", "m"), [(3, 5), (1, 1), (0, 0), (7, 4), (0, 5)])
def test_static_and_dynamic_arrays_of_every_kind(stream, n, m):
    out = ox.DeviceBuffer.zeros(stream, (10, 33), f64)
    kinds.prepare(stream.context, LaunchConfig1D(1, 33))(stream, n, m, out)
    t, wanted = np.arange(33), np.zeros((10, 33))
    q, w = 32 - t, n * m - 1 - t
    wanted[0], wanted[1], wanted[2] = q % 3 == 0, q + 100, q + 0.5
    wanted[3], wanted[4] = q + q * 1250.0 + 0.5 * (q % 2), q + 7 + 256 * (q + 1)
    wanted[5], wanted[6] = q * 2.0**33, q
    wanted[7] = np.where(t < n, 200 - (n - 1 - t), 0)
    wanted[8] = np.where(t < n * m, w + 1 + 3000.0 * w + 0.5 * (w % 2 == 0), 0)
    wanted[9] = np.where(t < n + m, 2 * (n + m - 1 - t), 0)
    np.testing.assert_array_equal(out.to_host(stream), wanted)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def large(n: i32, out: SliceMut[i32]) -> None:
    """More than 48 KB, which a GPU gives a block beside its dynamic memory alone, and arrays of odd sizes behind it."""
    require(grid.dim.x == 1)
    t = thread.idx.x
    big = shared.array(u8, 160001)
    d = shared.dynamic(u8, count=n)
    e = shared.dynamic(i64, count=n)
    f = shared.dynamic(u8, count=n + 1)
    g = shared.array(f64, 3)
    first, rest = f[:n], f[n:]
    if t < n:
        d[t] = u8(t)
        e[t] = i64(t) * 1000
        first[t] = u8(t + 50)
    if t == 0:
        big[160000] = 7
        rest[0] = 9
    if t < 3:
        g[t] = f64(t)
    block.sync()
    last = n - 1 - t
    own = i32(d[last]) + i32(e[last]) + i32(f[last]) * 3 if t < n else 0
    out[t] = own + i32(big[160000]) * 100000 + i32(f[n]) + i32(g[2])


@pytest.mark.parametrize("n", [0, 5, 7, 31, 32])
def test_large_arrays_and_parts_of_dynamic_ones(stream, n):
    out = ox.DeviceBuffer.zeros(stream, 32, i32)
    large.prepare(stream.context, LaunchConfig1D(1, 32))(stream, n, out)
    t = np.arange(32)
    last = n - 1 - t
    np.testing.assert_array_equal(out.to_host(stream), np.where(t < n, last + 1000 * last + 3 * (last + 50), 0) + 700000 + 9 + 2)


def weighed(t: i32, n: i32) -> i32:
    items = local.array(i32, 4)
    for i in range(4):
        items[i] = t + i * n
    total = 0
    for i in range(4):
        total += items[(i + t) % 4] * (i + 1)
    return total


def other(value: i32) -> i32:
    """Of the thread at the other end of the block."""
    s = shared.array(i32, 64)
    s[thread.idx.x] = value
    block.sync()
    found = s[63 - thread.idx.x]
    block.sync()
    return found


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def called(n: i32, out: SliceMut[i32]) -> None:
    """Arrays of functions that are called twice, and of a loop's rounds, are begun anew or overwritten before they are read."""
    require(grid.dim.x == 1)
    t = thread.idx.x
    total = weighed(t, n) + 3 * weighed(t + 1, n)
    for r in range(3):
        items = local.array(i32, 3)
        for k in range(3):
            items[k] = k + r
        for k in range(5):
            items[(k + t) % 3] += k + t
            total += items[(k + t) % 3]
    out[t] = total + other(total) - other(t * 2)


@pytest.mark.parametrize("n", [1, 7])
def test_arrays_of_functions_and_rounds(stream, n):
    out = ox.DeviceBuffer.zeros(stream, 64, i32)
    called.prepare(stream.context, LaunchConfig1D(1, 64))(stream, n, out)

    def once(t: int) -> int:
        items = [t + i * n for i in range(4)]
        return sum(items[(i + t) % 4] * (i + 1) for i in range(4))

    totals = []
    for t in range(64):
        total = once(t) + 3 * once(t + 1)
        for r in range(3):
            items = [k + r for k in range(3)]
            for k in range(5):
                items[(k + t) % 3] += k + t
                total += items[(k + t) % 3]
        totals.append(total)
    wanted = [totals[t] + totals[63 - t] - (63 - t) * 2 for t in range(64)]
    np.testing.assert_array_equal(out.to_host(stream), wanted)
