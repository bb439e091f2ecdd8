"""Views: rows, columns, tiles, planes, parts of slices; loops over elements. Everything against NumPy, and what lies outside."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest
from frontend.running import findings, lowered, results
from frontend.running import run as interpret
from loading import defined

from oxidepy import (
    D2,
    D3,
    ConstantSlice,
    DisjointSlice,
    Runs,
    Runtime2D,
    Slice,
    SliceMut,
    atomic,
    block,
    f32,
    i32,
    kernel,
    launch_contract,
    local,
    shared,
    thread,
    unroll,
)
from oxidepy.analysis import guards
from oxidepy.analysis.races import prove

ONE = (1, 1, 1)


@kernel
@launch_contract(domain=1, block=ONE)
def whole_and_parts(y: SliceMut[f32], x: Slice[f32], i: i32, j: i32) -> None:
    part = x[i:j]
    total = f32(0)
    for v in part:
        total += v
    y[0] = total
    y[1] = f32(len(part))
    y[2] = part[0]
    y[3] = x[i:][1] + x[:j][0]
    y[4] = f32(len(x[i:]) + 100 * len(x[:j]) + 10000 * len(x[:]))
    y[5] = x[i:j][1:][1:2][0]


@pytest.mark.parametrize(("i", "j"), [(0, 10), (2, 7), (5, 8), (7, 10)])
def test_parts_of_parts(i: int, j: int) -> None:
    x = np.arange(10, dtype=np.float32) + 1
    part = x[i:j]
    wanted = [part.sum(), len(part), part[0], x[i + 1] + x[0], 10 - i + 100 * j + 100000, part[2]]
    assert results(whole_and_parts, np.float32, 6, x, i, j) == wanted


@pytest.mark.parametrize(
    ("i", "j", "panic"), [(0, 11, (11, 10)), (-1, 4, (-1, 4)), (5, 4, (5, 4)), (11, 11, (11, 10)), (3, -1, (-1, 10)), (3, 3, (0, 0))]
)
def test_a_part_lies_inside(i: int, j: int, panic: tuple[int, int]) -> None:
    found = interpret(whole_and_parts, np.zeros(6, np.float32), np.zeros(10, np.float32), i, j)
    assert found is not None and found.site.attrs["code"] == "OX7001"
    assert (found.index, found.length) == panic


@kernel
@launch_contract(domain=1, block=ONE)
def steps(y: SliceMut[i32], x: Slice[i32], i: i32, j: i32) -> None:
    y[0] = len(x[i:j:3])
    for k, v in enumerate(x[i:j:3]):
        y[1 + k] = v
    y[9] = len(x[2:8:4])


@pytest.mark.parametrize(("i", "j"), [(0, 10), (1, 9), (3, 3), (4, 5), (2, 8)])
def test_steps(i: int, j: int) -> None:
    x = np.arange(10, dtype=np.int32) * 7
    part = x[i:j:3].tolist()
    assert results(steps, np.int32, 10, x, i, j) == [len(part), *part, *[0] * (8 - len(part)), 2]


@kernel
@launch_contract(domain=1, block=ONE)
def rows_and_columns(y: SliceMut[i32], x: Slice[i32, D2], v: ConstantSlice[i32, D3], i: i32, j: i32) -> None:
    row, col = x.row(i), x.col(j)
    y[0] = len(row) + 10 * len(col)
    total = 0
    for a, b in zip(row, col, strict=False):
        total += a * b
    y[1] = total
    y[2] = row[2] + col[1]
    y[3] = x.col(j)[1:3][1] + x.row(i)[1:][1]
    plane = v.plane(i)
    y[4] = plane[1, 2] + plane.row(1)[0] + plane.col(2)[0]
    y[5] = plane.shape[0] + 10 * plane.shape[1]
    for k, a in enumerate(reversed(col), start=6):
        y[k] = a


def test_rows_columns_and_planes() -> None:
    x, v = np.arange(12, dtype=np.int32).reshape(3, 4), np.arange(24, dtype=np.int32).reshape(3, 2, 4) * 3
    for i in range(3):
        for j in range(4):
            row, col, plane = x[i], x[:, j], v[i]
            wanted = [
                4 + 30,
                (row[:3] * col).sum(),
                row[2] + col[1],
                col[2] + row[2],
                plane[1, 2] + plane[1, 0] + plane[0, 2],
                42,
                *col[::-1],
            ]
            assert results(rows_and_columns, np.int32, 9, x, v, i, j) == wanted


@pytest.mark.parametrize(("i", "j", "panic"), [(3, 0, (3, 3)), (-1, 0, (-1, 3)), (0, 4, (4, 4))])
def test_there_is_no_such_row_or_column(i: int, j: int, panic: tuple[int, int]) -> None:
    x, v = np.zeros((3, 4), np.int32), np.zeros((3, 2, 4), np.int32)
    found = interpret(rows_and_columns, np.zeros(9, np.int32), x, v, i, j)
    assert found is not None and (found.index, found.length) == panic


@kernel
@launch_contract(domain=2, block=(2, 2, 1))
def sums_of_tiles(x: Slice[f32, D2], y: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(y)
    if idx in y:
        tile = x.tile(idx.row, idx.col, (3, 5))
        total = f32(0)
        for r in range(tile.shape[0]):
            for v in tile.row(r):
                total += v
        y[idx] = total + f32(100 * tile.shape[0] + 1000 * tile.shape[1])


@pytest.mark.parametrize("shape", [(8, 11), (9, 15), (1, 1)])
def test_tiles_are_smaller_at_the_edges(shape: tuple[int, int]) -> None:
    x = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape)
    y = np.zeros((-(-shape[0] // 3), -(-shape[1] // 5)), np.float32)
    assert interpret(sums_of_tiles, x, y, grid=(2, 2, 1)) is None
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            tile = x[3 * i : 3 * i + 3, 5 * j : 5 * j + 5]
            assert y[i, j] == tile.sum() + 100 * tile.shape[0] + 1000 * tile.shape[1]


def test_there_is_no_such_tile() -> None:
    found = interpret(sums_of_tiles, np.zeros((6, 5), np.float32), np.zeros((3, 1), np.float32), grid=(1, 2, 1))
    assert found is not None and (found.index, found.length) == (2, 2) and "the tiles of x" in found.site.attrs["message"]


# ---- proofs


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def product(a: Slice[f32, D2], b: Slice[f32, D2], c: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(c)
    if idx in c:
        total = f32(0)
        for x, y in zip(a.row(idx.row), b.col(idx.col), strict=False):
            total += x * y
        c[idx] = total


def test_a_loop_over_views_checks_nothing_inside() -> None:
    module = lowered(product)
    found = guards.prove(module)
    assert found.checked == 2  # that there is such a row, and such a column
    (loop,) = (op for op in module.kernel.body.walk() if op.name == "for")
    assert not [op for op in loop.walk() if op.name == "check"]
    a, b, c = np.random.rand(3, 5).astype(np.float32), np.random.rand(4, 6).astype(np.float32), np.zeros((3, 6), np.float32)
    assert interpret(product, a, b, c) is None
    np.testing.assert_allclose(c, a[:, :4] @ b, rtol=1e-6)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def own_rows(x: Slice[f32, D2], y: SliceMut[f32, D2]) -> None:
    i = thread.index_1d().get()
    if i < len(y) and i < len(x):
        for k, v in enumerate(x.row(i)):
            y.row(i)[k] = 2.0 * v


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def shifted_rows(y: SliceMut[f32, D2]) -> None:
    i = thread.index_1d().get()
    if i < len(y) - 1:
        for k, v in enumerate(y.row(i + 1)):
            y.row(i)[k] = v


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def shared_views(x: Slice[f32], y: SliceMut[f32]) -> None:
    s = shared.array(f32, (32, 33))
    t = thread.idx.x
    for k in range(32):
        s.row(k)[t] = x[k * 32 + t]
    block.sync()
    for k, v in enumerate(s.row(t)[0:32]):
        y[block.idx.x * 1024 + t * 32 + k] = v


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def parts_of_threads(y: SliceMut[f32]) -> None:
    t = thread.index_1d().get()
    if t < 1000:
        mine = y[4 * t : 4 * t + 4]
        mine[0], mine[3] = 1.0, f32(t)
        atomic.add(mine, 1, 2.0)


def test_the_proof_sees_through_views() -> None:
    for one in (own_rows, shared_views, parts_of_threads):
        assert not prove(lowered(one)).diagnostics, one.name
    assert [one.code for one in prove(lowered(shifted_rows)).diagnostics] == ["OX4002"]
    x, y = np.random.rand(5, 3).astype(np.float32), np.zeros((5, 3), np.float32)
    assert interpret(own_rows, x, y) is None and (y == 2 * x).all()
    x = np.random.rand(1024).astype(np.float32)
    assert interpret(shared_views, x, out := np.zeros(1024, np.float32)) is None
    assert (out.reshape(32, 32) == x.reshape(32, 32)).all()


def test_parts_that_belong_to_threads() -> None:
    y = np.zeros(128, np.float32)
    assert interpret(parts_of_threads, y) is None
    assert (y.reshape(32, 4) == [[1, 2, 0, t] for t in range(32)]).all()
    found = interpret(parts_of_threads, np.zeros(100, np.float32))
    assert found is not None and found.thread == (25, 0, 0) and (found.index, found.length) == (104, 100)


@kernel
@launch_contract(domain=1, block=ONE)
def strict(y: SliceMut[f32], a: Slice[f32], b: Slice[f32]) -> None:
    for p, q in zip(a, b, strict=True):
        y[0] += p * q


def test_strict_zip() -> None:
    a = np.arange(4, dtype=np.float32)
    assert results(strict, np.float32, 1, a, a) == [14]
    found = interpret(strict, np.zeros(1, np.float32), a, a[:3].copy())
    assert found is not None and found.site.attrs["code"] == "OX7002" and "not equally long" in found.site.attrs["message"]


# ---- where views go


def largest(x: Slice[f32]) -> f32:
    most = x[0]
    for v in x:
        most = max(most, v)
    return most


@kernel
@launch_contract(domain=1, block=ONE)
def travelling(y: SliceMut[f32], x: Slice[f32, D2], flag: bool) -> None:
    y[0] = largest(x.row(1)) + largest(x.col(0)[1:])
    row = x.row(0)
    for k in range(1, len(x)):
        row = x.row(k)
    y[1] = row[0]
    other = x.row(0) if flag else x.row(1)
    y[2] = other[1]
    own = local.array(f32, 8)
    for k in range(8):
        own[k] = f32(k)
    total = f32(0)
    for v in unroll(own[2:6]):
        total = total * 10.0 + v
    y[3] = total
    own[1:3][0] += 5.0
    y[4] = own[1]


def test_views_are_values() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert results(travelling, np.float32, 5, x, True) == [7 + 8, 8, 1, 2345, 6]
    assert results(travelling, np.float32, 5, x, False) == [7 + 8, 8, 5, 2345, 6]


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def runs_of_rows(x: Slice[f32, D2], y: DisjointSlice[f32, Runs[2]]) -> None:
    run = thread.index_run(2)
    row = x.row(1)
    if run in y and run in row:
        a, b = row[run]
        y[run] = (b, a + row[run, 1])


def test_runs_of_a_row() -> None:
    x, y = np.arange(12, dtype=np.float32).reshape(2, 6), np.zeros(6, np.float32)
    assert interpret(runs_of_rows, x, y) is None
    assert y.tolist() == [7, 13, 9, 17, 11, 21]


# ---- refusals


def _body(text: str):
    source = f"def k(x, a, v, y, n):\n    {text}\n"
    function = defined(source, {"thread": thread})["k"]
    function.__annotations__ = {
        "x": Slice[f32],
        "a": Slice[f32, D2],
        "v": Slice[f32, D3],
        "y": DisjointSlice[f32],
        "n": i32,
        "return": None,
    }
    return kernel(function)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("y[0:2]", "OX0308", "`y` is a `DisjointSlice`, which has no views"),
        ("x.row(0)", "OX0308", "`.row` is of slices of 2 axes, and `x` has 1 axis"),
        ("a.plane(0)", "OX0308", "`.plane` is of slices of 3 axes"),
        ("a[0:2]", "OX0658", "slicing `a`, which has 2 axes"),
        ("a[0, :]", "OX0658", "slicing `a`, which has 2 axes"),
        ("x[-2:]", "OX5003", "a negative index of `x`"),
        ("x[::-1]", "OX0308", "the step of a slice is a positive integer known at compile time"),
        ("x[0:4:n]", "OX0308", "the step of a slice is a positive integer known at compile time"),
        ("x[0.5:]", "OX0308", "does not become `i32`"),
        ("x[0:2] = 1.0", "OX0658", "slicing"),
        ("x[0:4][0] = 1.0", "OX0308", "which is read-only"),
        ("a.tile(0, 0, (n, 4))", "OX0308", "the shape of a tile is two positive integers"),
        ("a.tile(0, 0, 4)", "OX0308", "the shape of a tile is two positive integers"),
        ("a.row(-1)", "OX5003", "a negative index"),
        ("a.row(0.5)", "OX0308", "an index is an integer"),
        ("for p, q in zip(x[0:2], (1, 2, 3), strict=True): pass", "OX0308", "of 2 and 3 items"),
        ("for p, q in zip(x, x, strict=n): pass", "OX0308", "`strict` is a truth value"),
        ("for r in a: pass", "OX0308", "`a` has 2 axes, and a `for` goes through one"),
        ("for e in y: pass", "OX0308", "of which a thread has its own elements alone"),
        ("a.col(0)[thread.index_run(2)]", "OX0308", "are no neighbours in memory"),
    ],
)
def test_refused(text: str, code: str, words: str) -> None:
    found = findings(_body(text))
    assert found and found[0].code == code and words in found[0].message, [(one.code, one.message) for one in found]
