"""Swizzles: the same order on the host and in kernels, its banks and conflicts, and the proof of kernels that use one."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest
from frontend.running import findings, lowered, refused, results
from frontend.running import run as interpret
from loading import defined

from oxidepy import (
    D2,
    CompileError,
    Const,
    DisjointSlice,
    Slice,
    SliceMut,
    block,
    f32,
    i32,
    i64,
    kernel,
    launch_contract,
    shared,
    static_assert,
    swizzle,
    thread,
    u8,
)
from oxidepy.analysis import guards
from oxidepy.analysis.races import prove
from oxidepy.lang.definition import Specialisation

ORDERS = [swizzle.xor(0), swizzle.xor(1, 0, 1), swizzle.xor(3, 2, 3), swizzle.xor(5, 0, 5), swizzle.xor(2, 1, 5), swizzle.xor(3, 4, 7)]
ORDER = swizzle.xor(5, 0, 5)


# ---- on the host


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_an_order_has_every_place_once(order: swizzle.Swizzle) -> None:
    size = 1 << (order.bits + order.base + order.shift)
    places = [order.apply(i) for i in range(2 * size)]
    assert sorted(places[:size]) == list(range(size)) and places[size:] == [size + one for one in places[:size]]
    assert [order.undo(one) for one in places] == list(range(2 * size))
    run = 1 << order.base
    assert all(order.apply(i) + 1 == order.apply(i + 1) for i in range(2 * size - 1) if (i + 1) % run)


@pytest.mark.parametrize("order", ORDERS, ids=str)
@pytest.mark.parametrize(
    ("stride", "start", "size"), [(1, 0, 4), (32, 0, 4), (33, 5, 4), (2, 1, 4), (1, 0, 1), (7, 0, 2), (1, 0, 8), (16, 3, 8), (4, 0, 16)]
)
def test_conflicts_are_counted(order: swizzle.Swizzle, stride: int, start: int, size: int) -> None:
    """Against a plain count: words of one bank in the lanes that are served together."""
    places = np.array([order.apply(start + lane * stride) for lane in range(32)])
    together = 128 // max(size, 4)
    most = 0
    for part in places.reshape(-1, together):
        words = np.unique((part[:, None] * size + np.arange(size)[None, :]).reshape(-1) // 4)
        most = max(most, np.bincount(words % 32).max())
    assert order.conflict_degree(stride, start=start, size=size) == most


def test_known_conflicts() -> None:
    plain = swizzle.xor(0)
    assert [plain.conflict_degree(stride) for stride in (1, 2, 4, 32, 33, 0)] == [1, 2, 4, 32, 1, 1]
    assert [plain.conflict_degree(1, size=size) for size in (1, 2, 4, 8, 16)] == [1] * 5
    assert ORDER.conflict_degree(32) == ORDER.conflict_degree(1, start=96) == 1
    assert swizzle.xor(3, 2, 3).conflict_degree(32) == 4
    assert swizzle.conflict_degree([0, 32, 64, 64]) == 3 and swizzle.conflict_degree([]) == 0
    assert [swizzle.bank_of(33), swizzle.bank_of(3, 8), ORDER.bank_of(32), ORDER.mask] == [1, 6, 1, 31]


@pytest.mark.parametrize(
    ("bits", "base", "shift", "words"),
    [(-1, 0, 5, "bits"), (3, 0, 2, "at least 3"), (5, 20, 9, "at most 31"), (True, 0, 5, "bits"), (2, 1.0, 5, "base")],
)
def test_what_is_no_swizzle(bits, base, shift, words: str) -> None:
    with pytest.raises(CompileError, match=words) as caught:
        swizzle.xor(bits, base, shift)
    (found,) = caught.value.diagnostics
    assert found.code == "OX0308" and found.help and found.span is not None and found.span.file == __file__


# ---- in kernels


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def places(y: SliceMut[i32], z: SliceMut[i64], n: i32, wide: i64) -> None:
    static_assert(ORDER.conflict_degree(32, size=4) == 1 and ORDER.bits + ORDER.shift == 10)
    other = swizzle.xor(3, 2, 4)
    y[0] = ORDER.apply(n)
    y[1] = other.apply(n)
    y[2] = other.undo(other.apply(n))
    y[3] = ORDER.bank_of(n)
    y[4] = other.bank_of(n, size=8)
    y[5] = swizzle.bank_of(n)
    y[6] = ORDER.apply(77) + swizzle.xor(0).apply(n)
    z[0] = ORDER.apply(wide)


@pytest.mark.parametrize("n", [0, 1, 33, 1000, 1023, 123456, 2**31 - 1])
def test_kernels_compute_the_same(n: int) -> None:
    other, wide = swizzle.xor(3, 2, 4), n << 7
    z = np.zeros(1, np.int64)
    found = results(places, np.int32, 7, z, n, wide)
    size8 = (other.apply(n) * 8 + 2**31) % 2**32 - 2**31
    size4 = (ORDER.apply(n) * 4 + 2**31) % 2**32 - 2**31
    plain = (n * 4 + 2**31) % 2**32 - 2**31
    total = (ORDER.apply(77) + n + 2**31) % 2**32 - 2**31
    assert found == [ORDER.apply(n), other.apply(n), n, size4 // 4 % 32, size8 // 4 % 32, plain // 4 % 32, total]
    assert z[0] == ORDER.apply(wide)


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def transpose(x: Slice[f32, D2], y: SliceMut[f32, D2]) -> None:
    s = shared.array(f32, 1024)
    tx, ty = thread.idx.x, thread.idx.y
    left, top = 32 * block.idx.x, 32 * block.idx.y
    for k in range(0, 32, 8):
        if top + ty + k < x.shape[0] and left + tx < x.shape[1]:
            s[ORDER.apply(32 * (ty + k) + tx)] = x[top + ty + k, left + tx]
    block.sync()
    for k in range(0, 32, 8):
        if left + ty + k < y.shape[0] and top + tx < y.shape[1]:
            y[left + ty + k, top + tx] = s[ORDER.apply(32 * tx + ty + k)]


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def squashed(y: SliceMut[f32, D2]) -> None:
    """Rows of 16: two of them share a place."""
    s = shared.array(f32, 1024)
    s[ORDER.apply(16 * thread.idx.y + thread.idx.x)] = 1.0
    block.sync()
    y[thread.idx.y, thread.idx.x] = s[0]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def rows_of_sixteen(y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, 256)
    order = swizzle.xor(3, 1, 4)
    t = thread.idx.x
    s[order.apply(t)] = f32(t)
    block.sync()
    idx = thread.index_1d()
    if idx in y:
        y[idx] = s[order.apply(255 - t)]


def test_the_proof_follows_swizzles() -> None:
    for one in (transpose, rows_of_sixteen):
        found = prove(lowered(one))
        assert not found.diagnostics and not found.asked, one.name
    assert {one.code for one in prove(lowered(squashed)).diagnostics} <= {"OX4001", "OX4003", "OX4002"} != set()
    assert prove(lowered(squashed)).diagnostics
    x, y = np.random.rand(40, 70).astype(np.float32), np.zeros((70, 40), np.float32)
    assert interpret(transpose, x, y, grid=(3, 2, 1)) is None and (y == x.T).all()


def test_a_swizzled_index_is_known_to_be_inside() -> None:
    found = guards.prove(lowered(rows_of_sixteen))
    assert found.checked == 0


@kernel
def for_policies(y: DisjointSlice[i32], rows: Const[int]) -> None:
    order = swizzle.xor(3, 0, rows)
    static_assert(order.conflict_degree(32, lanes=8) == 1, "eight rows meet")
    idx = thread.index_1d()
    if idx in y:
        y[idx] = order.apply(idx.get())


def test_orders_of_compile_time_values() -> None:
    y = np.zeros(64, np.int32)
    assert interpret(for_policies, y, 5, specialisation=Specialisation(constants=(("rows", 5),))) is None
    assert y.tolist() == [swizzle.xor(3, 0, 5).apply(i) for i in range(64)]
    (found,) = findings(for_policies, Specialisation(constants=(("rows", 8),)))
    assert found.code == "OX7002" and "eight rows meet" in found.message


def _body(text: str):
    source = f"def k(y, n, b):\n    {text}\n"
    function = defined(source, {"swizzle": swizzle, "ORDER": ORDER, "static_assert": static_assert})["k"]
    function.__annotations__ = {"y": SliceMut[f32], "n": i32, "b": u8, "return": None}
    return kernel(function)


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("swizzle.xor(n)", "OX0308", "`bits` of `swizzle.xor` is an integer known at compile time"),
        ("swizzle.xor(5, 0, 3)", "OX0308", "a swizzle of 5 bits by 3 could not be undone"),
        ("swizzle.xor()", "OX0308", "lacks `bits`"),
        ("swizzle.xor(1, bits=2)", "OX0308", "is given `bits` twice"),
        ("swizzle.xor(1, rows=2)", "OX0425", "has no parameter `rows`"),
        ("ORDER.apply(b)", "OX0308", "an integer of 32 or 64 bits"),
        ("ORDER.apply(1.5)", "OX0308", "an integer of 32 or 64 bits"),
        ("ORDER.conflict_degree(n)", "OX0308", "is an integer known at compile time"),
        ("ORDER.conflict_degree(1, size=0)", "OX0308", "is at least 1"),
        ("static_assert(ORDER.conflict_degree(64) == 1)", "OX7002", "static assertion failed"),
        ("ORDER.turn(n)", "OX0425", "has no `turn`"),
    ],
)
def test_refused(text: str, code: str, words: str) -> None:
    found = refused(_body(text))
    assert found.code == code and words in found.message, (found.code, found.message)
