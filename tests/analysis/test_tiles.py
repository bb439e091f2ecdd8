"""Tiles of a warp on ways of their own: their operations wait for the lanes of the tile, and no others."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import re
from typing import Any, TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.test_halves import DEVICES, launched, ptx
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import CompileError, Const, Slice, SliceMut, atomic, bits, f32, i32, i64, kernel, launch_contract, shared, thread, u32, warp

T = TypeVar("T", f32, i32, i64)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def rounds(counts: Slice[i32], x: Slice[T], y: SliceMut[T], WIDTH: Const[int]) -> None:
    """Each tile goes through as many rounds as its item says, with exchanges in each."""
    tile = warp.tiled_partition(WIDTH)
    i = thread.index_1d().get()
    item = i // WIDTH
    if item < len(counts):
        value = x[i] if i < len(x) else x[0]
        for n in range(counts[item]):
            value += tile.shuffle_xor(value, 1) + tile.shuffle(value, n % WIDTH)
            if tile.any(value > 1000):
                value = tile.reduce_min(value) + tile.scan_sum(value, exclusive=True)
                break
            if tile.lane == n:
                value += 1
            value += tile.reduce_max(value)
            tile.sync()
        if tile.all(value != 0) and tile.elect():
            value = -value
        if i < len(y):
            y[i] = value


def expected(counts: np.ndarray, x: np.ndarray, width: int) -> np.ndarray:
    out = np.zeros_like(x)
    for item, count in enumerate(counts):
        value = x[item * width : (item + 1) * width].copy()
        lane = np.arange(width)
        for n in range(count):
            value = value + (value[lane ^ 1] if width > 1 else value) + value[n % width]
            if (value > 1000).any():
                value = value.min() + np.cumsum(value, dtype=x.dtype) - value
                break
            value = value + (lane == n).astype(x.dtype)
            value = value + value.max()
        if (value != 0).all():
            value[0] = -value[0]
        out[item * width : (item + 1) * width] = value
    return out


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("width", "dtype"),
    [*((width, np.int32) for width in (2, 4, 8, 16, 32)), (2, np.int64), (16, np.int64), (8, np.float32), (32, np.float32)],
)
def test_each_tile_goes_its_own_way(width: int, dtype: type, device: str) -> None:
    rng = np.random.default_rng(width)
    counts = rng.integers(0, 9, 128 // width).astype(np.int32)
    x = rng.integers(0, 5, 128).astype(dtype)
    found = launched(rounds, device, counts, x, np.zeros(128, dtype), width, grid_=2, block_=64)[2]
    np.testing.assert_array_equal(found, expected(counts, x, width))


def made(width: int) -> Any:
    """A kernel whose items belong to so many lanes, in tiles of 8."""
    body = f"""tile = warp.tiled_partition(8)
i = thread.index_1d().get()
if i // {width} < n:
    value = i32(x[i]) if i < len(x) else 0
    total = i32(tile.ballot(value > 0)) + tile.reduce_sum(value)
    if i < len(y):
        y[i] = f32(total)"""
    return compiled(body, warp=warp, thread=thread)


@pytest.mark.parametrize("arch", ARCHES)
def test_they_name_their_own_lanes(arch: str) -> None:
    text = ptx(made(8), arch)
    assemble(text, arch)
    assert not re.search(r"\b(vote|shfl)\.sync\.\S+ .*, -1;", text) and "activemask" not in text
    assert text.count("vote.sync.ballot") == 1 and text.count("shfl.sync.bfly") == 3


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def together(x: Slice[i32], y: SliceMut[i32]) -> None:
    tile = warp.tiled_partition(8)
    i = thread.index_1d().get()
    total = tile.reduce_sum(x[i] if i < len(x) else 0)
    if i < len(y):
        y[i] = total


def test_where_the_warp_is_together_nothing_is_computed() -> None:
    assert "-1;" in ptx(together, "sm_80")


@pytest.mark.parametrize("width", [4, 12, 1])
def test_smaller_parts_than_the_tile_are_refused(width: int) -> None:
    with pytest.raises(CompileError) as caught:
        made(width).report()
    assert {one.code for one in caught.value.diagnostics} == {"OX3002"}
    assert "needs every lane of the tile of 8, and not all of them come here" in str(caught.value)


def accepted(kernel_: Any) -> bool:
    try:
        kernel_.report()
    except CompileError as error:
        assert {one.code for one in error.diagnostics} == {"OX3002"}, error
        return False
    return True


def test_which_conditions_hold_for_a_tile() -> None:
    def variant(condition: str) -> Any:
        return compiled(
            f"tile = warp.tiled_partition(8)\nt = thread.idx.x\nif {condition}:\n    tile.any(f > 0.0)", warp=warp, thread=thread
        )

    fine = ("t // 8 == n", "t >> 3 == n", "t < 24", "t >= 8", "(t & ~7) == n", "t & -16 == n", "thread.index_1d().get() // 24 == n",
            "(n * 8 + t) // 8 == 3", "warp.lane // 16 == 1", "tile.shuffle(t, 0) == n", "tile.reduce_sum(t) == n", "tile.any(t == n)",
            "x[t // 8] > 0.0")  # fmt: skip
    for one in fine:
        assert accepted(variant(one)), one
    for one in ("t // 4 == n", "t >> 2 == n", "t < 12", "t % 8 == n", "(t & 7) == n", "(n + t) // 8 == 3", "(t + 4) // 8 == n",
                "tile.shuffle(t, t) == n", "tile.shuffle(t, 9) == n", "tile.scan_sum(t) == n", "warp.active.any(t == n)", "x[t] > 0.0",
                "warp.tiled_partition(4).any(t == n)", "t // n == 0", "(t + i32(f32(n * 8))) // 8 == 3", "(t + i32(bool(n * 8))) // 8 == 3"):  # fmt: skip
        assert not accepted(variant(one)), one


@kernel
@launch_contract(domain=2, block=(8, 8, 1))
def rows(x: Slice[i32], y: SliceMut[i32]) -> None:
    tile = warp.tiled_partition(8)
    if thread.idx.y < len(x):
        found = tile.reduce_sum(x[thread.idx.y])
        if tile.lane == 0 and thread.idx.y < len(y):
            atomic.add(y, thread.idx.y, found)


@pytest.mark.parametrize("device", DEVICES)
def test_rows_of_a_block_are_tiles(device: str) -> None:
    stream = ox.Context(device).default_stream()
    x = ox.DeviceBuffer.from_host(stream, np.arange(5, dtype=np.int32))
    y = ox.DeviceBuffer.zeros(stream, 8, i32)
    rows.prepare(stream.context, ox.LaunchConfig2D(grid=(1, 1), block=(8, 8)))(stream, x, y)
    assert y.to_host(stream).tolist() == [0, 8, 16, 24, 32, 0, 0, 0]


@pytest.mark.parametrize("device", DEVICES)
def test_blocks_that_are_no_whole_warps(device: str) -> None:
    found = launched(small, device, np.arange(80, dtype=np.int32), np.zeros(80, np.int32), grid_=2, block_=40)[1]
    assert found.tolist() == np.repeat(np.arange(80).reshape(10, 8).sum(1), 8).tolist()


def test_they_name_their_tiles() -> None:
    for arch in ARCHES:
        text = ptx(small, arch)
        assemble(text, arch)
        assert "-1;" not in text and "activemask" not in text


def test_blocks_that_are_no_whole_tiles() -> None:
    with pytest.raises(CompileError, match=r"the last tile of 16 of a block of .* threads has only 8") as caught:
        smaller.report()
    assert caught.value.code == "OX3002"


@kernel
@launch_contract(domain=1, block=(40, 1, 1))
def small(x: Slice[i32], y: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    total = warp.tiled_partition(8).reduce_sum(x[i] if i < len(x) else 0)
    if i < len(y):
        y[i] = total


@kernel
@launch_contract(domain=1, block=(40, 1, 1))
def smaller(x: Slice[i32], y: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    total = warp.tiled_partition(16).shuffle_xor(x[i] if i < len(x) else 0, 1)
    if i < len(y):
        y[i] = total


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def turned(x: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64)
    tile = warp.tiled_partition(8)
    t, i = thread.idx.x, thread.index_1d().get()
    s[t] = x[i] if i < len(x) else 0
    tile.sync()
    if i < len(y):
        y[i] = s[t - tile.lane + (tile.lane + 1) % 8]


@pytest.mark.parametrize("device", DEVICES)
def test_a_barrier_of_tiles_that_are_together_orders_memory(device: str) -> None:
    found = launched(turned, device, np.arange(64, dtype=np.int32), np.zeros(64, np.int32), block_=64)[1]
    assert found.tolist() == np.roll(np.arange(64).reshape(8, 8), -1, axis=1).ravel().tolist()
    assert "bar.warp.sync" in ptx(turned, "sm_80") and "-1;" in ptx(turned, "sm_80")


def test_the_rest_of_the_warp_is_together_again() -> None:
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def after(x: Slice[i32], y: SliceMut[u32]) -> None:
        i = thread.index_1d().get()
        found = u32(0)
        if i // 8 < len(x):
            found = warp.tiled_partition(8).ballot(x[i // 8] > 0)
        every = warp.reduce_sum(bits.popcount(found))
        if i < len(y):
            y[i] = u32(every)

    assert accepted(after)
