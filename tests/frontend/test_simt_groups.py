"""Barriers, votes, exchanges, reductions and scans of blocks, warps, tiles and the lanes that run a statement."""

# pyright: basic
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from frontend.running import every, lowered, refused, results
from frontend.test_refused import compiled

from oxidepy import (
    Slice,
    SliceMut,
    block,
    cluster,
    cluster_launch,
    cooperative_launch,
    f32,
    grid,
    i32,
    i64,
    kernel,
    launch_contract,
    struct,
    thread,
    u32,
    warp,
)
from oxidepy.analysis import uniformity
from oxidepy.ir.core import Op

LANES = np.arange(32)


def rows(kernel: Any) -> list[tuple[str, Any, Any]]:
    return [(op.attrs["row"], op.attrs.get("mask"), op.attrs.get("width")) for op in every(kernel) if op.name == "intrinsic"]


# ---- barriers and where they may stand


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
@cooperative_launch
def barriers(y: SliceMut[i32]) -> None:
    t = thread.index_1d().get()
    y[t] = t
    block.sync()
    grid.sync()
    warp.sync()
    warp.sync(mask=0xFF)
    warp.sync(u32(3))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
@cluster_launch(2)
def clustered(y: SliceMut[i32]) -> None:
    cluster.sync()


def test_barriers() -> None:
    assert [row for row, _, _ in rows(barriers)] == ["thread.global_id.x", "block.sync", "grid.sync", "warp.sync", "warp.sync", "warp.sync"]
    masks = [op.operands[0].constant for op in every(barriers) if op.name == "intrinsic" and op.attrs["row"] == "warp.sync"]
    assert masks == [0xFFFFFFFF, 0xFF, 3]
    assert [row for row, _, _ in rows(clustered)] == ["cluster.sync"]
    assert lowered(clustered).kernel.cluster == (2, 1, 1)
    assert lowered(barriers).kernel.cluster is None


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("grid.sync()", "OX2001", "all blocks of the grid"),
        ("cluster.sync()", "OX2001", "without clusters"),
        ("block.sync(1)", "OX0308", "takes 0 arguments"),
        ("block.synch()", "OX0425", "has no `synch`"),
        ("a = block.any(n)", "OX0308", "a condition is a `bool`"),
        ("a = block.count()", "OX0308", "takes 1 argument"),
        ("a = warp.shuffle(f, 1.0)", "OX0308", "the float 1.0"),
        ("a = warp.shuffle(f, f)", "OX0308", "`i32` and `f32`"),
        ("a = warp.shuffle(x, 1)", "OX0308", "takes a number"),
        ("a = warp.reduce_sum(n > 1)", "OX0308", "takes a number"),
        ("a = warp.reduce_sum(x)", "OX0308", "takes a number"),
        ("a = block.scan_sum(f, exclusive=n > 1)", "OX0308", "True or False"),
        ("a = block.scan_sum(f, inclusive=True)", "OX0425", "no parameter `inclusive`"),
        ("t = warp.tiled_partition(12)", "OX0308", "and this is 12"),
        ("t = warp.tiled_partition(n)", "OX0308", "known only at run time"),
        ("t = warp.tiled_partition(8).tiled_partition(16)", "OX0308", "a part of a tile of 8 has 1, 2, 4 or 8 lanes, and this is 16"),
        ("t = warp.active.tiled_partition(8)", "OX0425", "`tiled_partition`"),
        ("t = warp.tiled_partition(8)\na = t.shufle(f, 1)", "OX0425", "has no `.shufle`"),
        ("t = warp.tiled_partition(8)\nt.sync(1)", "OX0308", "takes 0 arguments"),
        ("if n > 0:\n    t = warp.tiled_partition(8)\nelse:\n    t = warp.tiled_partition(4)\na = t.lane", "OX0308", "a group of lanes"),
        ("warp.active.sync(1)", "OX0308", "takes 0 arguments"),
    ],
)
def test_what_is_refused(body: str, code: str, part: str) -> None:
    found = refused(compiled(body, block=block, grid=grid, cluster=cluster, warp=warp))
    assert (found.code, part in found.message) == (code, True), (found.code, found.message)


@kernel
@launch_contract(domain=1, block=(48, 1, 1))
def ragged(y: SliceMut[i32]) -> None:
    y[thread.idx.x] = warp.reduce_sum(1)
    y[thread.idx.x] = warp.scan_sum(1)


def test_a_partial_warp_is_named_as_the_kernel_names_it() -> None:
    from frontend.running import findings

    found = findings(ragged)
    assert [(one.code, one.message) for one in found] == [
        ("OX3002", "`warp.reduce_sum` needs every lane of the warp, and the last warp of a block of 48 threads has only 16"),
        ("OX3002", "`warp.scan_sum` needs every lane of the warp, and the last warp of a block of 48 threads has only 16"),
    ]
    assert all("warp.active" in (one.help or "") for one in found)


# ---- exchanges


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def shuffles(y: SliceMut[i32], by: i32) -> None:
    t = warp.lane
    y[t] = warp.shuffle(t * 10, by)
    y[32 + t] = warp.shuffle_xor(t * 10, by)
    y[64 + t] = warp.shuffle_down(t * 10, by)
    y[96 + t] = warp.shuffle_up(t * 10, by)


@pytest.mark.parametrize("by", [0, 1, 5, 31, 32, -1, 100])
def test_shuffles(by: int) -> None:
    found = np.array(results(shuffles, np.int32, 128, by)).reshape(4, 32)
    for row, source in zip(found, (np.full(32, by), LANES ^ by, LANES + by, LANES - by), strict=True):
        inside = (source >= 0) & (source < 32)
        assert row.tolist() == (10 * np.where(inside, source, LANES)).tolist()


@struct
@dataclass(frozen=True)
class Pair:
    key: i32
    value: f32


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def of_many_types(y: SliceMut[f32], wide: SliceMut[i64]) -> None:
    t = warp.lane
    pair = warp.shuffle(Pair(t, f32(t) + 0.5), 3)
    a, b = warp.shuffle_up((t, t > 4), 1)
    y[t] = f32(pair.key) + pair.value + f32(a) * 100 + (1000.0 if b else 0.0)
    wide[t] = warp.shuffle_xor(i64(t) << 40, 1)


def test_structs_tuples_and_truth_values_move_too() -> None:
    wide = np.zeros(32, np.int64)
    found = results(of_many_types, np.float32, 32, wide)
    before = [max(t - 1, 0) for t in range(32)]
    assert found == [6.5 + 100 * a + 1000 * (a > 4) for a in before]
    assert wide.tolist() == [(t ^ 1) << 40 for t in range(32)]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def votes(y: SliceMut[u32], m: i32) -> None:
    t = warp.lane
    tile = warp.tiled_partition(8)
    y[t] = warp.ballot(t % m == 0)
    y[32 + t] = tile.ballot(t % m == 0)
    y[64 + t] = u32(warp.any(t == m)) + 2 * u32(warp.all(t < m)) + 4 * u32(tile.any(t == m)) + 8 * u32(tile.all(t < m))
    y[96 + t] = warp.match_any(t % m)
    y[128 + t] = tile.match_any(t % m)
    y[160 + t] = u32(warp.elect()) + 2 * u32(tile.elect()) + 4 * u32(tile.lane)


@pytest.mark.parametrize("m", [1, 3, 8, 20, 32])
def test_votes_and_matches(m: int) -> None:
    found = np.array(results(votes, np.uint32, 192, m)).reshape(6, 32)

    def mask(flags: Any) -> int:
        return sum(1 << i for i, flag in enumerate(flags) if flag)

    tiles = [range(t // 8 * 8, t // 8 * 8 + 8) for t in range(32)]
    assert found[0].tolist() == [mask(t % m == 0 for t in range(32))] * 32
    assert found[1].tolist() == [mask(t % m == 0 for t in tile) for tile in tiles]
    assert found[2].tolist() == [(m < 32) + 2 * (m == 32) + 4 * (m in tile) + 8 * all(t < m for t in tile) for tile in tiles]
    assert found[3].tolist() == [mask(t % m == own % m for t in range(32)) for own in range(32)]
    assert found[4].tolist() == [mask(t % m == own % m for t in tiles[own]) for own in range(32)]
    assert found[5].tolist() == [(t == 0) + 2 * (t % 8 == 0) + 4 * (t % 8) for t in range(32)]


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def active(y: SliceMut[i32], m: i32) -> None:
    t = warp.lane
    if t % m == 1:
        y[t] = warp.active.reduce_sum(t)
        y[32 + t] = warp.active.scan_sum(t)
        y[64 + t] = warp.active.scan_sum(t, exclusive=True)
        y[96 + t] = i32(warp.active.ballot(True))
        y[128 + t] = warp.active.reduce_max(t) * 100 + warp.active.reduce_min(t)
        y[160 + t] = i32(warp.active.elect())
        warp.active.sync()


@pytest.mark.parametrize("m", [2, 3, 7, 31])
def test_the_lanes_that_run_a_statement(m: int) -> None:
    found = np.array(results(active, np.int32, 192, m)).reshape(6, 32)
    running = [t for t in range(32) if t % m == 1]
    want = np.zeros((6, 32), np.int64)
    for t in running:
        before = [one for one in running if one <= t]
        mask = sum(1 << one for one in running)
        want[:, t] = (
            sum(running),
            sum(before),
            sum(before) - t,
            mask - (1 << 32) * (mask >> 31),
            max(running) * 100 + min(running),
            t == running[0],
        )
    assert found.tolist() == want.tolist()
    assert not uniformity.analyse(lowered(active)).diagnostics


# ---- reductions and scans


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def of_lanes(y: SliceMut[i32], x: Slice[i32]) -> None:
    t = thread.idx.x
    v = x[t]
    tile = warp.tiled_partition(4)
    one = warp.tiled_partition(1)
    y[t] = warp.reduce_sum(v)
    y[64 + t] = warp.reduce_min(v)
    y[128 + t] = warp.reduce_max(v)
    y[192 + t] = warp.scan_sum(v)
    y[256 + t] = warp.scan_sum(v, exclusive=True)
    y[320 + t] = tile.reduce_sum(v)
    y[384 + t] = tile.scan_sum(v, exclusive=True)
    y[448 + t] = one.reduce_sum(v) + one.scan_sum(v) + one.scan_sum(v, exclusive=True)


def scans(x: Any, width: int) -> tuple[Any, Any]:
    inclusive = np.cumsum(x.reshape(-1, width), axis=1).ravel()
    return inclusive, inclusive - x


def test_reductions_and_scans_of_lanes() -> None:
    x = np.random.default_rng(0).integers(-100, 100, 64).astype(np.int32)
    found = np.array(results(of_lanes, np.int32, 512, x)).reshape(8, 64)
    by = x.reshape(2, 32)
    for row, want in zip(found, (by.sum(1), by.min(1), by.max(1)), strict=False):
        assert row.tolist() == np.repeat(want, 32).tolist()
    assert found[3].tolist() == scans(x, 32)[0].tolist()
    assert found[4].tolist() == scans(x, 32)[1].tolist()
    assert found[5].tolist() == np.repeat(x.reshape(-1, 4).sum(1), 4).tolist()
    assert found[6].tolist() == scans(x, 4)[1].tolist()
    assert found[7].tolist() == (2 * x).tolist()


def of_block(shape: tuple[int, int, int], coordinates: Any) -> Any:
    domain = 3 if shape[2] > 1 else 2 if shape[1] > 1 else 1

    @kernel
    @launch_contract(domain=domain, block=shape, coordinates=coordinates)
    def reduced(y: SliceMut[i32], x: Slice[i32], n: i32) -> None:
        t = i32(thread.idx.x + block.dim.x * (thread.idx.y + block.dim.y * thread.idx.z))
        for k in range(2):  # the second round must not see the first one's scratch memory
            v = x[t] + k
            y[t] = block.reduce_sum(v)
            y[n + t] = block.reduce_min(v)
            y[2 * n + t] = block.reduce_max(v)
            y[3 * n + t] = block.scan_sum(v)
            y[4 * n + t] = block.scan_sum(v, exclusive=True)
            y[5 * n + t] = i32(block.any(v == 7)) + 2 * i32(block.all(v > -90)) + 4 * block.count(v > 0)

    return reduced


@pytest.mark.parametrize(
    "shape", [(32, 1, 1), (64, 1, 1), (256, 1, 1), (1, 1, 1), (7, 1, 1), (48, 1, 1), (100, 1, 1), (8, 5, 3), (16, 4, 2)]
)
@pytest.mark.parametrize("coordinates", [i32, i64])
def test_reductions_and_scans_of_blocks(shape: tuple[int, int, int], coordinates: Any) -> None:
    n = int(np.prod(shape))
    x = np.random.default_rng(n).integers(-100, 100, n).astype(np.int32)
    one = of_block(shape, coordinates)
    found = np.array(results(one, np.int32, 6 * n, x, n)).reshape(6, n)
    v = x + 1
    inclusive = np.cumsum(v)
    want = (v.sum(), v.min(), v.max(), inclusive, inclusive - v, (v == 7).any() + 2 * (v > -90).all() + 4 * (v > 0).sum())
    for row, wanted in zip(found, want, strict=True):
        assert row.tolist() == np.broadcast_to(wanted, n).tolist()
    assert not uniformity.analyse(lowered(one)).diagnostics


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def twice(y: SliceMut[f32], x: Slice[f32]) -> None:
    t = thread.idx.x
    a = block.reduce_sum(x[t])
    y[t] = block.reduce_max(x[t] - a)


def test_library_functions_stand_where_they_are_called() -> None:
    ops: list[Op] = every(twice)
    assert {op.span.file for op in ops if op.span} == {__file__}
    assert sorted(op.attrs["name"] for op in ops if op.name == "alloc") == ["sums", "sums.2"]
    assert [op.attrs["message"] for op in ops if op.name == "check"] == [
        "index out of bounds of `x`",
        "index out of bounds of `x`",
        "index out of bounds of `y`",
    ]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def divergent(y: SliceMut[i32]) -> None:
    t = thread.idx.x
    if t < 20:
        y[t] = warp.reduce_sum(t)
        block.sync()


def test_the_analysis_finds_barriers_under_divergent_control_flow() -> None:
    found = uniformity.analyse(lowered(divergent)).diagnostics
    first = divergent.definition.function.__code__.co_firstlineno
    assert {(one.code, one.span.line - first) for one in found if one.span} == {("OX3002", 5), ("OX3001", 6)}


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def parted(x: Slice[f32], y: SliceMut[f32]) -> None:
    t = thread.idx.x
    tile = warp.tiled_partition(8)
    if t < 41:
        y[t] = warp.reduce_sum(x[t])
        y[t] = block.scan_sum(x[t])
        y[t] = tile.reduce_max(x[t])
        y[t] = tile.shuffle(x[t], 2)


def test_what_is_missing_lanes_is_named_once_and_as_the_kernel_names_it() -> None:
    found = uniformity.analyse(lowered(parted)).diagnostics
    assert [(one.code, one.message) for one in found] == [
        ("OX3002", "`warp.reduce_sum` needs every lane of the warp, and not all of them come here"),
        ("OX3001", "`block.scan_sum` is not reached by all threads of the block together"),
        ("OX3002", "`tile.reduce_max` needs every lane of the tile of 8, and not all of them come here"),
        ("OX3002", "`tile.shuffle` needs every lane of the tile of 8, and not all of them come here"),
    ]
    assert ["warp.active" in (one.help or "") for one in found] == [True, False, False, False]


@pytest.mark.parametrize("moved", ["thread.index_1d()", "(n, thread.index_1d())", "thread.index_run(4)"])
def test_an_index_that_no_other_thread_has_does_not_travel(moved: str) -> None:
    found = refused(compiled(f"a = warp.shuffle({moved}, 3)", warp=warp, thread=thread))
    assert (found.code, "takes a number, a struct or a tuple of these" in found.message) == ("OX0308", True)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def parts_of_tiles(y: SliceMut[i32]) -> None:
    t = thread.idx.x
    tile = warp.tiled_partition(16)
    if t // 16 != 2:  # tiles go on ways of their own, and so do their parts
        y[t] = tile.tiled_partition(4).reduce_sum(t) * 100 + tile.tiled_partition(16).reduce_min(t)


def test_tiles_of_tiles() -> None:
    wanted = [sum(range(t // 4 * 4, t // 4 * 4 + 4)) * 100 + t // 16 * 16 if t // 16 != 2 else 0 for t in range(64)]
    assert results(parts_of_tiles, np.int32, 64) == wanted
