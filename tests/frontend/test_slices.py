"""Elements of slices: integers of every type as indices, axes, checks, structs, and what only the thread's own index may do."""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from frontend.running import every, findings, lowered, ops, refused, results, run, text

from oxidepy import (
    D2,
    D3,
    DisjointSlice,
    Index2D,
    Runtime2D,
    Slice,
    SliceMut,
    ThreadIndex,
    f32,
    i8,
    i32,
    i64,
    kernel,
    launch_contract,
    math,
    struct,
    thread,
    u8,
    u32,
    u64,
)

ONE = (1, 1, 1)
NEGATIVE = -2


@kernel
@launch_contract(domain=1, block=ONE)
def index_types(y: SliceMut[f32], x: Slice[f32], a: i64, b: u64, c: u8, d: u32, e: i8) -> None:
    y[0] = x[a]
    y[1] = x[b]
    y[2] = x[c]
    y[3] = x[d]
    y[4] = x[e]
    y[5] = f32(len(x))


def test_an_index_may_be_of_any_integer_type() -> None:
    x = np.arange(10, dtype=np.float32)
    assert results(index_types, np.float32, 6, x, 1, 2, 3, 4, 5) == [1, 2, 3, 4, 5, 10]


@pytest.mark.parametrize(
    ("args", "line", "index"),
    [
        ((1 << 32, 0, 0, 0, 0), 3, 1 << 32),
        ((-1, 0, 0, 0, 0), 3, -1),
        ((0, 1 << 63, 0, 0, 0), 4, 1 << 63),
        ((0, (1 << 32) + 1, 0, 0, 0), 4, (1 << 32) + 1),
        ((0, 0, 255, 0, 0), 5, 255),
        ((0, 0, 0, (1 << 32) - 1, 0), 6, (1 << 32) - 1),
        ((0, 0, 0, 0, -1), 7, -1),
    ],
)
def test_no_index_becomes_another_one(args: tuple[int, ...], line: int, index: int) -> None:
    panic = run(index_types, np.zeros(6, np.float32), np.arange(10, dtype=np.float32), *args)
    assert panic is not None and panic.site.span is not None
    assert panic.site.attrs["code"] == "OX7001"
    assert panic.site.span.line - index_types.definition.function.__code__.co_firstlineno == line
    assert (panic.index, panic.length) == (index, 10)


@kernel
@launch_contract(domain=1, block=ONE)
def negative_constants(y: SliceMut[f32], x: Slice[f32]) -> None:
    y[0] = x[-1]
    y[NEGATIVE] = 1.0
    k = -3
    y[1] = x[k]
    y[2] = x[1 - 2]
    t = (x[0], x[1])
    y[3] = t[-1]


def test_a_negative_constant_is_refused() -> None:
    found = findings(negative_constants)
    assert [one.code for one in found] == ["OX5003"] * 5
    assert found[0].help == "count from the front: `x[len(x) - 1]`"


@kernel
@launch_contract(domain=1, block=ONE)
def wrong_indices(y: SliceMut[f32], x: Slice[f32], f: f32, p: bool) -> None:
    y[0] = x[f]
    y[0] = x[p]
    y[0] = x[1.0]
    y[0] = x[0, 1]
    y[0] = x[0:2]
    x[0] = 1.0
    y[0] = f[0]
    y.shape[0] = 1


def test_what_is_no_index_or_no_place() -> None:
    found = findings(wrong_indices)
    assert [one.code for one in found] == ["OX0308"] * 7 + ["OX0658"]
    assert "`x` is a `Slice`, which is read-only" in found[5].message
    assert found[5].help is not None and "DisjointSlice[f32]" in found[5].help


@kernel
@launch_contract(domain=1, block=ONE)
def axes(y: SliceMut[f32, D2], x: Slice[f32, D3], i: i32) -> None:
    rows, columns = y.shape
    for r in range(rows):
        for c in range(columns):
            y[r, c] = x[i, r, c] * 10.0
    y[0, 0] = f32(x.shape[0] * 10000 + x.shape[1] * 100 + x.shape[2])
    y[0, 1] = f32(len(x))


def test_slices_of_two_and_three_axes() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    y = np.zeros((3, 4), np.float32)
    assert run(axes, y, x, 1) is None
    wanted = x[1] * 10
    wanted[0, :2] = [20304, 2]
    np.testing.assert_array_equal(y, wanted)


def test_each_axis_is_checked_by_itself() -> None:
    panic = run(axes, np.zeros((2, 4), np.float32), np.zeros((2, 3, 3), np.float32), 0)
    assert panic is not None and (panic.index, panic.length) == (3, 3)


@kernel
@launch_contract(domain=1, block=ONE)
def wrong_rank(y: SliceMut[f32, D2]) -> None:
    y[0] = 1.0


def test_the_number_of_indices_is_that_of_the_axes() -> None:
    assert refused(wrong_rank).message == "`y` has 2 axes, and this names 1 index"


@kernel
@launch_contract(domain=1, block=ONE)
def augmented(y: SliceMut[i32], n: i32) -> None:
    y[n // 2] += 5
    y[1] -= n
    y[2] *= n
    y[3] //= n
    y[4] %= n
    y[5] <<= 1
    y[6] |= 8


def test_augmented_assignment_finds_its_place_once() -> None:
    out = np.full(7, 7, np.int32)
    assert run(augmented, out, 3) is None
    assert out.tolist() == [7, 7 + 5 - 3, 21, 2, 1, 14, 15]
    assert ops(augmented).count("floordiv") == 2


# ---- the thread's own element


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def by_number(y: DisjointSlice[f32], i: i32) -> None:
    y[i] = 1.0


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def by_nothing(y: DisjointSlice[f32]) -> None:
    y[()] = 1.0


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def number_in(y: DisjointSlice[f32], i: i32) -> None:
    if i in y:
        y[thread.index_1d()] = 1.0


def test_a_disjoint_slice_is_indexed_by_a_witness() -> None:
    for kernel_, this in ((by_number, "`i32`"), (by_nothing, "a tuple of 0")):
        found = refused(kernel_)
        assert found.code == "OX0308" and f"is indexed by a `ThreadIndex[Index1D]`, and this is {this}" in found.message
    assert [one.code for one in findings(number_in)] == ["OX0308"]


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def arithmetic(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx < len(y):
        y[idx + 1] = 1.0


def test_a_witness_is_no_number() -> None:
    found = findings(arithmetic)
    assert {one.code for one in found} == {"OX0308"}
    assert found[0].help == "`idx.get()` is its number, and `idx in c` the bounds test"


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def cells(y: DisjointSlice[f32], x: Slice[f32]) -> None:
    if (cell := y.get_mut(thread.index_1d())) is not None:
        cell.value = x[thread.index_1d()] + cell.value
        cell.value += 1.0


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def cells_other(y: DisjointSlice[f32]) -> None:
    cell = y.get_mut(thread.index_1d())
    if cell is None:
        return
    cell.value = 2.0


def test_cells() -> None:
    y, x = np.full(3, 5, np.float32), np.arange(3, dtype=np.float32)
    assert run(cells, y, x) is None
    assert y.tolist() == [6, 7, 8]
    assert findings(cells) == [] and findings(cells_other) == []


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def cell_unguarded(y: DisjointSlice[f32]) -> None:
    cell = y.get_mut(thread.index_1d())
    cell.value = 2.0


def test_a_cell_that_may_be_none() -> None:
    assert refused(cell_unguarded).code == "OX5002"


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def guards_(y: DisjointSlice[f32], z: DisjointSlice[f32], flag: bool) -> None:
    idx = thread.index_1d()
    i = idx.get()
    if flag and idx in y:
        y[idx] = 1.0
    z[idx] = (y[idx] if idx in y else 0.0) if idx in z else 0.0
    if i < len(z):
        z[idx] = 2.0


def test_what_guards_and_what_does_not() -> None:
    found = refused(guards_)
    assert found.code == "OX5002" and "`z[idx]` may be outside" in found.message
    assert found.span is not None and found.span.line - guards_.definition.function.__code__.co_firstlineno == 7


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def strided(y: DisjointSlice[i32], x: Slice[i32]) -> None:
    for idx in thread.grid_stride(y):
        y[idx] = x[idx] + idx.get()


def test_grid_stride() -> None:
    y, x = np.zeros(19, np.int32), np.arange(19, dtype=np.int32)
    assert run(strided, y, x, grid=(2, 1, 1)) is None
    assert y.tolist() == (2 * x).tolist()
    assert findings(strided) == []


@kernel
@launch_contract(domain=2, block=(4, 4, 1))
def two_dimensions(y: DisjointSlice[i32, Index2D[5]], x: Slice[i32]) -> None:
    idx = thread.index_2d(5)
    if idx in y:
        y[idx] = x[idx] * 1000 + idx.row * 100 + idx.col * 10 + idx.get()


def test_two_dimensions() -> None:
    y, x = np.zeros(13, np.int32), np.arange(13, dtype=np.int32)
    assert run(two_dimensions, y, x, grid=(2, 1, 1)) is None
    assert y.tolist() == [i * 1000 + i // 5 * 100 + i % 5 * 10 + i for i in range(13)]
    assert findings(two_dimensions) == []


@kernel
@launch_contract(domain=2, block=(4, 4, 1))
def runtime_rows(y: DisjointSlice[i32, Runtime2D], z: DisjointSlice[i32, Runtime2D], x: Slice[i32, D2]) -> None:
    idx = thread.index_2d_runtime(y)
    if idx in y:
        y[idx] = x[idx] + idx.get()
    if idx in z:
        z[idx] = idx.row * 10 + idx.col


def test_rows_known_at_run_time() -> None:
    x = np.arange(18, dtype=np.int32).reshape(3, 6)
    y, z = np.zeros((3, 6), np.int32), np.zeros((4, 2), np.int32)
    assert run(runtime_rows, y, z, x, grid=(2, 1, 1)) is None
    np.testing.assert_array_equal(y, 2 * x)
    np.testing.assert_array_equal(z, np.arange(4)[:, None] * 10 + np.arange(2))
    assert findings(runtime_rows) == []


def put(y: DisjointSlice[i32, Runtime2D], idx: ThreadIndex[Runtime2D], x: Slice[i32, D2]) -> None:
    if idx in y:
        y[idx] = x[idx]


@kernel
@launch_contract(domain=2, block=(4, 4, 1))
def helped(y: DisjointSlice[i32, Runtime2D], x: Slice[i32, D2]) -> None:
    put(y, thread.index_2d_runtime(y), x)


@kernel
def other_slices(y: DisjointSlice[i32], x: Slice[i32]) -> None:
    put(y, thread.index_1d(), x)


def test_a_helper_takes_rows_known_at_run_time() -> None:
    x, y = np.arange(18, dtype=np.int32).reshape(3, 6), np.zeros((3, 6), np.int32)
    assert run(helped, y, x, grid=(2, 1, 1)) is None
    np.testing.assert_array_equal(y, x)
    found = refused(other_slices)
    assert found.message == "mismatched types: parameter `y` of `put` is `DisjointSlice[i32, Runtime2D]`, and this is `DisjointSlice[i32]`"
    assert found.help == "annotate it as `DisjointSlice[i32]`"


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def other_width(y: DisjointSlice[i32, Index2D[128]]) -> None:
    y[thread.index_2d(64)] = 1
    idx = thread.index_2d(256)
    if idx in y:
        y[idx] = 1
        y[idx] += 2


def test_a_witness_of_another_space_is_said_once() -> None:
    found = findings(other_width)
    assert [one.code for one in found] == ["OX0308", "OX0308"]
    assert "`ThreadIndex[Index2D[128]]`, and `idx` is a `ThreadIndex[Index2D[256]]`" in found[1].message


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def runtime_width(y: DisjointSlice[i32, Index2D[128]], w: i32) -> None:
    y[thread.index_2d(w)] = 1


def test_a_width_known_only_at_run_time_proves_nothing() -> None:
    assert refused(runtime_width).code == "OX0308"


@kernel
@launch_contract(domain=1, block=(16, 1, 1))
def wrong_domains(y: DisjointSlice[i32], n: i64) -> None:
    idx = thread.index_2d(16)
    if idx in y:
        y[idx] = n


@kernel
def uncontracted(y: DisjointSlice[i32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(y)
    if idx in y:
        y[idx] = 1


def test_a_witness_of_another_rank_is_one_error() -> None:
    (found,) = findings(wrong_domains)
    assert found.code == "OX2004"
    assert found.help == "set `domain=2` in the contract, or use `thread.index_1d()`"
    (found,) = findings(uncontracted)
    assert found.help == "write `@launch_contract(domain=2, block=(16, 16, 1))`, or use `thread.index_1d()`"


# ---- structs


@struct
@dataclass(frozen=True)
class Vector:
    x: f32
    y: f32


@struct
@dataclass(frozen=True)
class Particle:
    flag: bool
    position: Vector
    mass: f32
    tag: i64 = 7


DTYPE = np.dtype(
    {"names": ["flag", "x", "y", "mass", "tag"], "formats": ["?", "f4", "f4", "f4", "i8"], "offsets": [0, 4, 8, 12, 16], "itemsize": 24}
)


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def move(out: DisjointSlice[Particle], given: Slice[Particle], shift: Vector, dt: f32) -> None:
    idx = thread.index_1d()
    if idx in out:
        p = given[idx]
        v = Vector(p.position.x + shift.x * dt, y=p.position.y + shift.y * dt)
        q = p if p.flag else Particle(True, v, 2)
        out[idx] = q
        out[idx].mass += 1.0
        out[idx].position.x *= 2.0


def test_structs() -> None:
    given, out = np.zeros(3, DTYPE), np.zeros(3, DTYPE)
    given["flag"] = [True, False, True]
    given["x"], given["y"], given["mass"], given["tag"] = [1, 2, 3], [4, 5, 6], 9, 5
    assert run(move, out, given, {"x": 1.0, "y": 2.0}, 0.5) is None
    assert out["flag"].tolist() == [True, True, True]
    assert out["x"].tolist() == [2, 5, 6] and out["y"].tolist() == [4, 6, 6]
    assert out["mass"].tolist() == [10, 3, 10] and out["tag"].tolist() == [5, 7, 5]


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def one_field(y: DisjointSlice[f32], given: Slice[Particle]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = given[idx].position.y


def test_only_the_field_that_is_used_is_read() -> None:
    assert [op.attrs["offset"] for op in every(one_field) if op.name == "load"] == [8]


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def struct_mistakes(out: SliceMut[Particle], given: Slice[Particle], v: Vector) -> None:
    out[0] = v
    out[0].position.z = 1.0
    out[0].mass = given[0].masss
    v.x = 1.0
    out[0] = Particle(True, v)
    out[0] = Particle(True, v, 1.0, 2.5)
    out[0] = Particle(True, v, 1.0, weight=2)


def test_mistakes_with_structs() -> None:
    found = findings(struct_mistakes)
    assert [one.code for one in found] == ["OX0308", "OX0425", "OX0425", "OX0658", "OX0308", "OX0308", "OX0425"]
    assert found[2].help == "did you mean `mass`?"


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def tuple_parameter(y: SliceMut[f32], pair: tuple[f32, i32]) -> None:
    a, b = pair
    y[0] = a
    y[1] = f32(b)
    y[2] = pair[0] * 2.0


def test_a_tuple_parameter() -> None:
    assert results(tuple_parameter, np.float32, 3, {"0": 1.5, "1": 4}) == [1.5, 4, 3]


# ---- scopes


@kernel
@launch_contract(domain=2, block=(4, 2, 1), coordinates=i64)
def where(y: SliceMut[i64]) -> None:
    i = thread.idx.x + 4 * (thread.idx.y + 2 * (block_x() + 2 * block_y()))
    y[i] = thread.idx.x + 10 * thread.idx.y + 100 * block_x() + 1000 * block_y() + 10000 * dims()


def block_x() -> i64:
    from_module = ox_block.idx.x
    return from_module


def block_y() -> i64:
    return ox_block.idx.y


def dims() -> i64:
    return ox_block.dim.x + ox_grid.dim.x + ox_grid.size


from oxidepy import block as ox_block  # noqa: E402
from oxidepy import grid as ox_grid  # noqa: E402


def test_coordinates_have_the_type_of_the_contract() -> None:
    y = np.zeros(24, np.int64)
    assert run(where, y, grid=(2, 1, 1)) is None
    assert y[:16].tolist() == [x + 10 * r + 100 * b + 10000 * (4 + 2 + 16) for b in range(2) for r in range(2) for x in range(4)]
    kernel_ = lowered(where).kernel
    assert {str(param.type) for param, info in zip(kernel_.params, kernel_.infos, strict=True) if info.role == "length"} == {"i64"}
    assert text(where).count('intrinsic "thread.idx.x"') == 1


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def same_index(y: DisjointSlice[f32], x: Slice[f32]) -> None:
    if thread.index_1d() in y:
        y[thread.index_1d()] = math.sqrt(x[thread.index_1d()])


def test_the_thread_has_one_index_however_often_it_is_asked_for() -> None:
    assert findings(same_index) == []
