"""Shared, dynamic and local arrays: shapes, elements, checks, one object for each place."""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest
from frontend.running import every, lowered, refused, results, run
from frontend.test_refused import compiled

from oxidepy import (
    D2,
    D3,
    Const,
    DisjointSlice,
    Slice,
    SliceMut,
    block,
    cdiv,
    f32,
    f64,
    i32,
    i64,
    kernel,
    launch_contract,
    local,
    shared,
    struct,
    thread,
    u8,
    unroll,
)
from oxidepy.lang.definition import Specialisation

T = TypeVar("T", i32, f32, f64)
ROWS, COLUMNS = 4, 8


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def transposed(y: SliceMut[i32], x: Slice[i32]) -> None:
    tile = shared.array(i32, (COLUMNS, ROWS))
    t = thread.idx.x
    tile[t % COLUMNS, t // COLUMNS] = x[t]
    block.sync()
    y[t] = tile[t // ROWS, t % ROWS]


def test_two_axes_are_row_major() -> None:
    x = np.arange(32, dtype=np.int32)
    assert results(transposed, np.int32, 32, x) == x.reshape(ROWS, COLUMNS).T.ravel().tolist()
    (memory,) = [op for op in every(transposed) if op.name == "alloc"]
    assert (memory.attrs["name"], memory.attrs["count"], memory.attrs["align"]) == ("tile", 32, 16)
    assert memory.result.memory.space == "shared"


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def cube(y: SliceMut[i32]) -> None:
    s = shared.array(i32, (2, 3, 5))
    a = local.array(i32, 3)
    for i in range(2):
        for j in range(3):
            for k in range(5):
                s[i, j, k] = i * 100 + j * 10 + k
    for j in range(3):
        a[j] = s[1, j, 4]
    at = (1, 2, 3)
    y[0] = a[0] + a[1] + a[2]
    y[1] = s[at]
    y[2] = len(s) * 100 + s.shape[1] * 10 + s.shape[2]
    y[3] = len(a)


def test_three_axes_and_local_arrays() -> None:
    assert results(cube, np.int32, 4) == [104 + 114 + 124, 123, 235, 3]


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def outside(y: SliceMut[i32], i: i32, j: i32) -> None:
    s = shared.array(i32, (4, 4))
    s[i, j] = 1
    y[0] = s[i, j]


@pytest.mark.parametrize(("i", "j", "index"), [(4, 0, 4), (0, 4, 4), (-1, 0, -1), (0, 5, 5), (2, -3, -3)])
def test_every_axis_is_checked(i: int, j: int, index: int) -> None:
    panic = run(outside, np.zeros(1, np.int32), i, j)
    assert panic is not None
    assert (panic.site.attrs["code"], panic.site.attrs["message"]) == ("OX7001", "index out of bounds of `s`")
    assert (panic.index, panic.length) == (index, 4)


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("s = shared.array(f32, n)", "OX0308", "known only at run time"),
        ("s = shared.array(f32, 0)", "OX0308", "0 elements"),
        ("s = shared.array(f32, (4, -1))", "OX0308", "-1 elements"),
        ("s = shared.array(f32, ())", "OX0308", "without axes"),
        ("s = shared.array(f32, 2.0)", "OX0308", "the literal `2.0`"),
        ("s = shared.array(n, 4)", "OX0308", "the first argument is a type"),
        ("s = shared.array(f32, 1 << 30)", "OX2003", "larger than any shared memory"),
        ("s = shared.array(f32, 58113)", "OX2003", "232452 bytes is larger than any shared memory: no device has more than 232448"),
        ("s = local.array(f32, 1 << 18)", "OX2003", "larger than any local memory"),
        ("s = shared.array(f32, 4, align=0)", "OX0308", "a power of two from 4 to 1024"),
        ("s = shared.array(f32, 4, align=3)", "OX0308", "a power of two"),
        ("s = shared.array(f32, 4, align=2)", "OX0308", "a power of two"),
        ("s = shared.array(f32, 4, pitch=2)", "OX0425", "no parameter `pitch`"),
        ("s = shared.array(f32, 4)\ny[0] = s[-1]", "OX5003", "negative index"),
        ("s = shared.array(f32, (4, 4))\ny[0] = s[1]", "OX0308", "`s` has 2 axes, and this names 1 index"),
        ("s = shared.array(f32, 4)\ny[0] = s[1, 2]", "OX0308", "`s` has 1 axis, and this names 2 indices"),
        ("s = shared.array(f32, 4)\ns[0] = n", "OX0308", "`f32` and `i32`"),
        ("s = shared.array(f32, 4)\ny[0] = s", "OX0308", "a shared array"),
        ("s = local.array(f32, 4)\ny[0] = s", "OX0308", "a local array"),
        ("s = shared.dynamic(f32)", "OX0308", "does not say how many"),
        ("s = shared.dynamic(f32, 4, count=4)", "OX0308", "twice"),
        ("s = shared.dynamic(f32, count=-1)", "OX0308", "-1 elements"),
        ("s = shared.dynamic(f32, count=i32(x[0]))", "OX0308", "follows from parameters"),
        ("s = shared.dynamic(f32, count=i32(f))", "OX0308", "follows from parameters"),
        ("s = shared.dynamic(f32, count=8 // n)", "OX0308", "follows from parameters"),
        ("m = 4\nif n > 3:\n    m = 5\ns = shared.dynamic(f32, count=m)", "OX0308", "follows from parameters"),
        (
            "if n > 0:\n    s = shared.array(f32, 4)\nelse:\n    s = shared.array(f32, 8)\ny[0] = s[0]",
            "OX0658",
            "choosing between two slices",
        ),
    ],
)
def test_what_is_refused(body: str, code: str, part: str) -> None:
    found = refused(compiled(body, shared=shared, local=local))
    assert (found.code, part in found.message) == (code, True), (found.code, found.message)


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def dynamic(y: SliceMut[i32], n: i32) -> None:
    first = shared.dynamic(i32, count=n)
    second = shared.dynamic(u8, count=2 * len(y) + cdiv(len(y), 4))
    third = shared.array(i32, 4)
    t = thread.idx.x
    first[t] = t
    second[t] = u8(10)
    third[t] = 100
    block.sync()
    y[t] = first[3 - t] + i32(second[t]) + third[t]
    if t == 0:
        y[3] = len(first) * 1000 + len(second)


def test_dynamic_arrays() -> None:
    y = np.zeros(4, np.int32)
    assert run(dynamic, y, 7) is None
    assert y.tolist() == [113, 112, 111, 7009]
    panic = run(dynamic, y, 3)
    assert panic is not None and (panic.index, panic.length) == (3, 3)
    sizes = [op for op in every(dynamic) if op.name == "alloc"]
    assert [(op.attrs["name"], op.attrs["count"], len(op.operands)) for op in sizes] == [("first", 0, 1), ("second", 0, 1), ("third", 4, 0)]


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def of_two_axes(y: SliceMut[i32], rows: i32, columns: i32) -> None:
    table = shared.dynamic(i32, count=(rows, columns + 1))
    both = shared.dynamic(i32, count=2 * rows, align=64)
    first, second = both[:rows], both[rows:]
    t = thread.idx.x
    table.row(t)[columns] = 10 * t
    first[t], second[t] = t, 100 * t
    block.sync()
    y[t] = table[3 - t, columns] + first[t] + second[3 - t]
    if t == 0:
        y[3] = table.shape[0] * 100 + table.shape[1] * 10 + len(second)


def test_dynamic_arrays_of_two_axes_and_their_parts() -> None:
    y = np.zeros(4, np.int32)
    assert run(of_two_axes, y, 4, 2) is None
    assert y.tolist() == [330, 221, 112, 434]
    for rows, columns, index in ((3, 2, 3), (4, -1, -1), (0, 2, 0)):
        panic = run(of_two_axes, y, rows, columns)
        assert panic is not None and panic.index in (index, rows), (rows, columns, panic.index)


def bump(values: SliceMut[i32], i: i32) -> i32:
    scratch = local.array(i32, 2)
    scratch[i % 2] = values[i]
    values[i] += 1
    return scratch[i % 2]


def total(values: Slice[i32]) -> i32:
    sum = 0
    for i in range(len(values)):
        sum += values[i]
    return sum


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def passed_on(y: SliceMut[i32]) -> None:
    s = shared.array(i32, 4)
    a = local.array(i32, 3)
    for i in range(4):
        s[i] = i
    for i in range(3):
        a[i] = 10 * i
    y[0] = bump(s, 2) + bump(s, 2) * 10
    y[1] = total(s)
    y[2] = bump(a, 1)
    y[3] = total(a)
    y[4] = bump(y, 0)


def test_functions_take_arrays() -> None:
    assert results(passed_on, np.int32, 5) == [33, 8, 10, 31, 32]
    names = sorted(op.attrs["name"] for op in every(passed_on) if op.name == "alloc")
    assert names == ["a", "s", "scratch", "scratch.2", "scratch.3", "scratch.4"]


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def in_loops(y: SliceMut[i32], n: i32) -> None:
    for i in range(n):
        s = shared.array(i32, 4)
        if i == 0:
            s[3] = 5
        s[3] += i
        y[0] = s[3]
    for k in unroll(range(3)):
        u = shared.array(i32, 2)
        if k == 0:
            u[1] = 7
        u[1] += k
        y[1] = u[1]
    for i in range(3):
        v = shared.array(i32, 2)
        v[0] = i
    y[2] = v[0]


def test_a_place_has_one_array_however_often_it_is_reached() -> None:
    assert results(in_loops, np.int32, 3, 4) == [11, 10, 2]
    assert [op.attrs["name"] for op in every(in_loops) if op.name == "alloc"] == ["s", "u", "v"]


@struct
@dataclass(frozen=True)
class Point:
    x: f32
    y: f64


@struct
@dataclass(frozen=True)
class Body:
    mass: f32
    at: Point


@kernel
@launch_contract(domain=1, block=(2, 1, 1))
def structs(y: SliceMut[f64], x: Slice[Body]) -> None:
    s = shared.array(Body, 2)
    p = local.array(Point, 1)
    t = thread.idx.x
    s[t] = x[t]
    block.sync()
    other = s[1 - t]
    p[0] = Point(other.mass, other.at.y)
    s[t].at.x = p[0].x + s[t].mass
    y[t] = f64(s[t].at.x) + p[0].y


def test_structs_lie_in_shared_and_local_memory() -> None:
    dtype = np.dtype([("mass", "f4"), ("at", [("x", "f4"), ("y", "f8")])], align=True)
    x = np.array([(1, (2, 3)), (10, (20, 30))], dtype)
    assert results(structs, np.float64, 2, x) == [11 + 30, 11 + 3]


@kernel
@launch_contract(domain=1, block=(2, 1, 1))
def generic(y: SliceMut[T], x: Slice[T], N: Const[int]) -> None:
    s = shared.array(T, N)
    t = thread.idx.x
    s[t] = x[t] + T(1)
    block.sync()
    y[t] = s[1 - t]


@pytest.mark.parametrize(("scalar", "dtype"), [(i32, np.int32), (f64, np.float64)])
def test_the_element_and_the_shape_may_come_with_the_launch(scalar: object, dtype: type) -> None:
    specialisation = Specialisation(types=(("T", scalar.scalar),), constants=(("N", 2),))  # type: ignore[attr-defined]
    assert results(generic, dtype, 2, np.array([5, 7], dtype), 0, specialisation=specialisation) == [8, 6]


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def planes(y: SliceMut[f32, D3], x: Slice[f32, D2], i: i32, j: i64) -> None:
    y[0, i, j] = x[i, j]


@kernel
@launch_contract(domain=1, block=(1, 1, 1), coordinates=i64)
def wide_planes(y: SliceMut[f32, D3], x: Slice[f32, D2], i: i32, j: i64) -> None:
    y[0, i, j] = x[i, j]


def test_positions_are_computed_in_the_coordinate_type() -> None:
    for one, scalar in ((planes, "i32"), (wide_planes, "i64")):
        assert {str(op.result.type) for op in every(one) if op.name == "mul"} == {scalar}
        y, x = np.zeros((1, 3, 5), np.float32), np.arange(15, dtype=np.float32).reshape(3, 5)
        assert run(one, y, x, 2, 3) is None
        assert y[0, 2, 3] == 13 and np.count_nonzero(y) == 1


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def own(y: DisjointSlice[i32]) -> None:
    s = shared.array(i32, 32)
    idx = thread.index_1d()
    s[idx] = 3
    if idx in y:
        y[idx] = s[idx] + s[idx.get()]


def test_a_witness_indexes_an_array_by_its_number() -> None:
    assert results(own, np.int32, 5) == [6] * 5


def test_arrays_that_nothing_uses_take_no_room() -> None:
    module = lowered(compiled("s = shared.array(f32, 64)\ny[0] = f", shared=shared))
    assert [op.name for op in module.kernel.body.walk()].count("alloc") == 0


def numbered(n: i32) -> SliceMut[i32]:
    a = local.array(i32, 4)
    for j in range(4):
        a[j] = n + j
    return a


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def turns(y: SliceMut[i32]) -> None:
    i = thread.idx.x
    before = numbered(100)
    for n in (0, 10, 20):
        now = numbered(n)
        y[i] = y[i] * 64 + before[i % 4]
        before = now
    for k in unroll(range(3)):
        part = shared.array(i32, 64)
        part[i] = k
    y[i] += part[i]


def test_an_array_that_a_name_still_stands_for_is_not_taken_by_the_next_round() -> None:
    wanted = [((100 + j) * 64 + j) * 64 + 10 + j + 2 for j in range(4)]
    assert results(turns, np.int32, 32) == wanted * 8
    names = [op.attrs["name"] for op in every(turns) if op.name == "alloc"]
    assert names == ["a", "a.2", "a.3", "part"], "one for each that is in use together, and no more"


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("    row = part[:4]\n    row[0] = f\n    y[0] = row[0]", 1),
        ("    y[0] = f\n    row = part[:4]\n    row = row[1:]\n    y[1] = row[0]", 1),
        ("    if k > 0:\n        y[0] = row[0]\n    row = part[:4]", 2),
        ("    row = part[:4]\n    part[0] = f\ny[0] = row[0]", 2),
    ],
)
def test_names_that_a_round_binds_anew_keep_nothing(body: str, count: int) -> None:
    """A view of an earlier round that nobody reads any more is none that needs an array of its own. Behind the loop it may be read."""
    source = f"for k in unroll(range(3)):\n    part = local.array(f32, 8)\n{body}"
    kernel_ = compiled(source, local=local, unroll=unroll, f32=f32)
    assert len([op for op in every(kernel_) if op.name == "alloc"]) == count
