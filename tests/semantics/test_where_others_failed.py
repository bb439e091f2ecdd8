"""Kernels on which other compilers gave wrong results, hung, or accepted what they should not have: each with what has to come out."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    DisjointSlice,
    LaunchConfig1D,
    LaunchConfig2D,
    Slice,
    SliceMut,
    atomic,
    block,
    cooperative_launch,
    f16,
    f32,
    f64,
    grid,
    i32,
    i64,
    kernel,
    launch_contract,
    shared,
    thread,
    u8,
    u32,
)


def ran(stream, one, config, *args):
    one.prepare(stream.context, config)(stream, *args)
    stream.synchronize()


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def conversions(a: u8, b: bool, c: f32, out: SliceMut[f64], ints: SliceMut[i64]) -> None:
    if thread.index_1d().get() == 0:
        out[0] = f64(a)  # 200, not -56
        out[1] = f64(f32(a))
        ints[0] = i64(i32(b))  # 1, not -1
        ints[1] = i64(u32(c))  # 4e9 does not fit an i32
        out[2] = f64(u32(c))
        ints[2] = i64(3) + i64(a) * i64(1 << 33)  # no sum of 64 bits is kept in 8


def test_conversions(stream):
    out, ints = ox.DeviceBuffer.zeros(stream, 3, f64), ox.DeviceBuffer.zeros(stream, 3, i64)
    ran(stream, conversions, 1, np.uint8(200), True, 4e9, out, ints)
    assert out.to_host(stream).tolist() == [200.0, 200.0, 4e9]
    assert ints.to_host(stream).tolist() == [1, 4_000_000_000, 3 + 200 * (1 << 33)]


@kernel
@launch_contract(domain=1, block=(64, 1, 1), dynamic_shared=(0, 4096))
def shared_arrays(n: i32, out: SliceMut[i32]) -> None:
    first, second = shared.dynamic(i32, count=n), shared.dynamic(i32, count=n)
    fixed, other = shared.array(i32, 64), shared.array(i32, 64)
    t = thread.idx.x
    if t < n:
        first[t], second[t] = 1, 2
    fixed[t], other[t] = 3, 4
    block.sync()
    if t == 0 and n == 64 and block.idx.x == 0:
        out[0], out[1], out[2], out[3] = first[63], second[0], fixed[63], other[0]


def test_shared_arrays_do_not_overlap(stream):
    out = ox.DeviceBuffer.zeros(stream, 4, i32)
    ran(stream, shared_arrays, LaunchConfig1D(1, 64, dynamic_shared=512), 64, out)
    assert out.to_host(stream).tolist() == [1, 2, 3, 4]


@kernel
@launch_contract(domain=1, block=(1024, 1, 1))
def block_sum(x: Slice[i32], out: SliceMut[i32]) -> None:
    s = shared.array(i32, 1024)
    t = thread.idx.x
    s[t] = x[thread.index_1d().get()]
    block.sync()
    step = 512
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        block.sync()
        step //= 2
    if t == 0 and block.idx.x < len(out):
        out[block.idx.x] = s[0]


def test_block_sum(stream):
    x, out = ox.DeviceBuffer.from_host(stream, np.arange(1024, dtype=np.int32)), ox.DeviceBuffer.zeros(stream, 1, i32)
    ran(stream, block_sum, 1024, x, out)
    assert out.to_host(stream).tolist() == [523776]


@kernel
@cooperative_launch
@launch_contract(domain=2, block=(8, 4, 1))
def counted(count: SliceMut[i32], seen: SliceMut[i32]) -> None:
    atomic.add(count, 0, 1)
    grid.sync()
    x, y = thread.index_2d(24).col, thread.index_2d(24).row
    if x < 24 and y * 24 + x < len(seen):
        seen[y * 24 + x] = count[0]


def test_a_grid_of_two_axes_waits_for_all_of_it(stream):
    count, seen = ox.DeviceBuffer.zeros(stream, 1, i32), ox.DeviceBuffer.zeros(stream, 6 * 32, i32)
    config = LaunchConfig2D(grid=(3, 2), block=(8, 4))
    if stream.context.kind == "cpu":
        with pytest.raises(ox.CompileError, match="OX6001"):
            ran(stream, counted, config, count, seen)
        return
    ran(stream, counted, config, count, seen)
    assert set(seen.to_host(stream).tolist()) == {6 * 32}


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def last_values(out: SliceMut[i64]) -> None:
    if thread.index_1d().get() == 0:
        rounds, last = i64(0), 0
        for i in range(2147483645, 2147483647):  # ends at the largest number of its type
            rounds += 1
            last = i
        out[0], out[1] = rounds, i64(last)
        changing = i32(1)
        total = i64(0)
        for _ in range(5):
            total += i64(changing)  # not taken out of the loop: it changes
            changing *= 3
        out[2] = total


def test_loops(stream):
    out = ox.DeviceBuffer.zeros(stream, 3, i64)
    ran(stream, last_values, 1, out)
    assert out.to_host(stream).tolist() == [2, 2147483646, 1 + 3 + 9 + 27 + 81]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def stores(x: Slice[f16], y: SliceMut[f16], z: SliceMut[i32]) -> None:
    t = thread.idx.x
    s = shared.array(i32, 64)
    s[t] = t
    before = s[t]
    block.sync()
    s[63 - t] = before * 10
    block.sync()
    if block.idx.x == 0 and t < len(y) and t < len(x) and t < len(z):
        y[t] = f16(0)
        y[t] = x[t] + f16(1)  # the second store of a half stays
        z[t] = before + s[t]  # loaded anew behind the barrier


def test_stores_and_reloads_stay(stream):
    x = ox.DeviceBuffer.from_host(stream, np.arange(64, dtype=np.float16))
    y, z = ox.DeviceBuffer.zeros(stream, 64, f16), ox.DeviceBuffer.zeros(stream, 64, i32)
    ran(stream, stores, 64, x, y, z)
    assert y.to_host(stream).tolist() == [float(i + 1) for i in range(64)]
    assert z.to_host(stream).tolist() == [i + 10 * (63 - i) for i in range(64)]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def scaled(a: f32, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = a * f32(idx.get() + 1)


def test_a_python_float_arrives(stream):
    y = ox.DeviceBuffer.zeros(stream, 4, f32)
    scaled.launch(stream, 0.5, y)
    assert y.to_host(stream).tolist() == [0.5, 1.0, 1.5, 2.0]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def convergence(x: Slice[i32], y: SliceMut[i32]) -> None:
    """An opaque branch, then operations of all lanes: no branch may be threaded past them."""
    t = thread.idx.x
    own = x[t]
    if own > 2:
        own = own * 2
    else:
        own = own - 1
    total = ox.warp.reduce_sum(own)
    for _ in range(3):
        if own % 2 == 0:
            own += 1
        block.sync()
    if block.idx.x == 0:
        y[t] = total + own


def test_opaque_branches_keep_convergence(stream):
    values = (np.arange(64, dtype=np.int32) * 7) % 5
    x, y = ox.DeviceBuffer.from_host(stream, values), ox.DeviceBuffer.zeros(stream, 64, i32)
    ran(stream, convergence, 64, x, y)
    own = np.where(values > 2, values * 2, values - 1)
    odd = np.where(own % 2 == 0, own + 1, own)
    assert y.to_host(stream).tolist() == (np.repeat([own[:32].sum(), own[32:].sum()], 32) + odd).tolist()


# ---- what has to be refused


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def some_wait(y: SliceMut[i32]) -> None:
    t = thread.idx.x
    if t < 48:
        block.sync()
    y[t] = t


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def some_go_on(y: SliceMut[i32]) -> None:
    t = thread.idx.x
    for i in range(4):
        if t == i:
            continue
        block.sync()
    y[t] = t


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def gives_back(y: SliceMut[i32]):
    return thread.idx.x


@pytest.mark.parametrize(("one", "code"), [(some_wait, "OX3001"), (some_go_on, "OX3001"), (gives_back, "OX1003")])
def test_refused(one, code):
    with pytest.raises(ox.CompileError) as caught:
        one.prepare(ox.Context("interp"), 64)
    assert caught.value.code == code


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def neighbours(a: Slice[f32], b: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in b:
        i = idx.get()
        if 0 < i < len(a) - 1:
            b[idx] = a[i - 1] + a[i + 1]


def test_a_stencil_in_place_is_refused(stream):
    a = ox.DeviceBuffer.zeros(stream, 64, f32)
    with pytest.raises(ox.BorrowError, match="OX0502"):
        neighbours.launch(stream, a, a)
