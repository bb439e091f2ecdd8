"""How warps touch memory: each pattern with its sectors, passes and words, in the analysis and in the report of a kernel."""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass

import pytest

from oxidepy import (
    D2,
    ConstantSlice,
    DisjointSlice,
    Runs,
    Runtime2D,
    Slice,
    SliceMut,
    atomic,
    block,
    f32,
    f64,
    i32,
    kernel,
    launch_contract,
    shared,
    struct,
    swizzle,
    thread,
    u8,
    unroll,
    unsafe,
    warp,
)
from oxidepy.analysis.coalescing import Pattern, patterns
from oxidepy.compiler.driver import check_kernel
from oxidepy.ir.banks import passes, sectors
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


def found(one) -> list[Pattern]:
    return list(patterns(check_kernel(one.definition, Specialisation(), CodegenOptions()).module))


def said(one) -> list[str]:
    return [f"{each.action} {each.memory} {each.cost()}" for each in found(one)]


@struct
@dataclass(frozen=True)
class Point:
    x: f32
    y: f32
    z: f32


@kernel
def orders(x: Slice[f32], at: Slice[i32], big: Slice[f64], small: Slice[u8], k: ConstantSlice[f32], n: i32, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        i = idx.get()
        a = x[i] + x[i + 1] + x[2 * i] + x[n] + x[1000 - i]
        b = x[at[i]] + x[i * n] + f32(big[i]) + f32(small[i]) + k[3]
        y[idx] = a + b + x[i // 32] + x[i // 4 * 4 + 3 - i % 4]


def test_orders_of_global_memory() -> None:
    assert said(orders) == [
        "reads x coalesced: 4 sectors",
        "reads x coalesced: 5 sectors where 4 would do",
        "reads x strided by 2: 8 sectors where 4 would do",
        "reads x broadcast: 1 sectors",
        "reads x coalesced: 5 sectors where 4 would do",
        "reads at coalesced: 4 sectors",
        "reads x scattered",
        "reads x strided by n: 32 sectors where 4 would do",
        "reads big coalesced: 8 sectors",
        "reads small coalesced: 1 sectors",
        "reads x broadcast: 1 sectors",
        "reads x coalesced: 4 sectors",
        "writes y coalesced: 4 sectors",
    ]


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def matrices(a: Slice[f32, D2], y: DisjointSlice[f32, Runtime2D]) -> None:
    idx = thread.index_2d_runtime(y)
    if idx in y:
        total = a[idx.col, idx.row]
        for k in range(a.shape[1]):
            total += a[idx.row, k]
        y[idx] = total


def test_two_axes_and_loops() -> None:
    first, second, third = found(matrices)
    assert (first.kind, first.sectors, first.least) == ("uneven", 16, 4)
    assert (second.kind, second.sectors, second.good) == ("uneven", 2, False)
    assert (third.kind, third.sectors, third.good) == ("coalesced", 4, True)


@kernel
def neighbours(p: Slice[Point], x: Slice[f32], y: DisjointSlice[f32, Runs[4]], q: SliceMut[Point]) -> None:
    run = thread.index_run(4)
    if run in y:
        for k in unroll(range(4)):
            y[run, k] = x[run, k]
    i = thread.index_1d().get()
    if i < len(p) and i < len(q):
        q[i] = p[i]


def test_neighbours_of_a_lane_go_together() -> None:
    of = found(neighbours)
    runs, structs = of[:8], of[8:]
    assert {(one.kind, one.neighbours, one.sectors, one.good) for one in runs} == {("coalesced", 4, 16, True)}
    assert [one.memory for one in structs] == ["p"] * 3 + ["q"] * 3
    assert {str(one.cost()) for one in structs} == {"coalesced, 3 neighbours a lane: 12 sectors"}


@kernel
def clipped(x: Slice[f32], y: DisjointSlice[f32, Runs[4]], n: i32) -> None:
    run = thread.index_run(4)
    if run in y:
        y[run] = x[run]
    else:
        for idx in run.clip(y):
            y[idx] = x[idx]
    if 4 * n <= len(x) and n >= 1024:
        for idx in run.clip(y):
            y[idx] = x[2 * idx.get()]


def test_what_is_done_at_the_edge_alone_is_no_waste() -> None:
    of = found(clipped)
    assert [one.good for one in of] == [True] * 10 + [False, False]
    assert [one.rare for one in of] == [False] * 8 + [True, True, False, False]
    assert "strided by 4, at the edge alone: 16 sectors where 4 would do" in of[8].cost()


@kernel
def one_field(p: Slice[Point], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in p:
        y[idx] = p[idx].y


def test_one_field_of_a_struct() -> None:
    assert said(one_field)[0] == "reads p strided by 12 bytes: 12 sectors where 4 would do"


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def banks(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, 2048)
    padded = shared.array(f32, (64, 33))
    pairs = shared.array(f64, 64)
    order = swizzle.xor(5)
    t, idx = thread.idx.x, thread.index_1d()
    s[t] = 1.0
    block.sync()
    s[32 * t] = 2.0
    block.sync()
    s[2 * t + 64] = 3.0
    block.sync()
    padded[t, 0] = 4.0
    pairs[t] = 5.0
    s[order.apply(32 * t)] = 6.0
    block.sync()
    value = s[7] + s[t ^ 16] + padded[0, warp.lane]
    block.sync()
    atomic.add(s, 0, value)
    if idx in y:
        y[idx] = value


def test_banks_of_shared_memory() -> None:
    assert said(banks)[:-1] == [
        "writes s coalesced: no conflict of banks",
        "writes s strided by 32: 32 passes, a conflict of banks",
        "writes s strided by 2: 2 passes, a conflict of banks",
        "writes padded strided by 33: no conflict of banks",
        "writes pairs coalesced: no conflict of banks",
        "writes s strided by 33: no conflict of banks",
        "reads s broadcast: no conflict of banks",
        "reads s in an uneven order: no conflict of banks",
        "reads padded coalesced: no conflict of banks",
        "updates s broadcast: no conflict of banks",
    ]


@kernel
@launch_contract(domain=1, block=(8, 1, 1))
def few(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]


def test_a_block_of_few_threads() -> None:
    assert said(few) == ["reads x coalesced: 1 sectors", "writes y coalesced: 1 sectors"]


@pytest.mark.parametrize(
    ("places", "size", "want"),
    [
        ([0] * 32, 4, 1),
        (list(range(0, 256, 8)), 8, 1),
        (list(range(0, 512, 16)), 16, 1),
        (list(range(0, 256, 8)), 4, 2),
        ([], 4, 0),
        ([0, 1, 2], 1, 1),
    ],
)
def test_passes(places: list[int], size: int, want: int) -> None:
    assert passes(places, size) == want


def test_sectors() -> None:
    assert sectors(range(0, 128, 4), 4) == (4, 4) and sectors(range(16, 144, 4), 4) == (5, 4) and sectors([30], 4) == (2, 1)


def test_the_report_tells_them() -> None:
    from oxidepy.compiler.report import report

    told = report("k", check_kernel(orders.definition, Specialisation(), CodegenOptions()), 1.0)
    text = str(told)
    line = next(one.line for one in told.memory if one.kind == "scattered")
    assert "memory       10 of 13 accesses without waste" in text
    assert f"line {line} reads `x` scattered" in text
    assert [one["kind"] for one in told.to_json()["memory"]].count("strided") == 2


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def by_ticket(x: Slice[f32], ticket: SliceMut[i32], y: SliceMut[f32]) -> None:
    mine = shared.array(i32, 1)
    if thread.idx.x == 0:
        mine[0] = atomic.add(ticket, 0, 1)
    block.sync()
    i = mine[0] * 64 + thread.idx.x
    if i < len(x) and i < len(y):
        with unsafe("each block has a ticket of its own"):
            y[i] = x[i]


def test_what_a_block_reads_from_one_place_is_the_same_for_its_lanes() -> None:
    assert {one for one in said(by_ticket) if " x " in one or " y " in one} == {
        "reads x coalesced: 4 sectors",
        "writes y coalesced: 4 sectors",
    }
