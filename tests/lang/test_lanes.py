"""Reductions, scans, matches and masks of lanes against NumPy, on every device; the whole warp's reduction in one instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from backend.assembler import assemble
from frontend.running import refused, results
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import Const, DisjointSlice, Slice, SliceMut, block, f32, f64, i8, i32, i64, kernel, launch_contract, thread, u32, u64, warp

DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]
TYPES: dict[str, Any] = {one.scalar.name: one for one in (i8, i32, i64, u32, u64, f32, f64)}
INTEGERS = [name for name in TYPES if name[0] != "f"]
OPERATIONS: dict[str, np.ufunc] = {
    "sum": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


NUMBERS, MASKS = ("min", "max", "sum"), ("and", "or", "xor")


def values(type_: str, count: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    dtype = np.dtype(TYPES[type_].dtype)
    if dtype.kind == "f":
        return rng.integers(-1000, 1000, count).astype(dtype)  # whose sums are exact
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, count, dtype, endpoint=True)


def launch(device: str, one: Any, columns: list[np.ndarray], *outs: Any, more: tuple[Any, ...] = ()) -> list[np.ndarray]:
    stream = ox.Context(device).default_stream()
    made = [ox.DeviceBuffer.zeros(stream, len(columns[0]), out) for out in outs]
    one.launch(stream, *(ox.DeviceBuffer.from_host(stream, column) for column in columns), *made, *more)
    return [out.to_host(stream) for out in made]


def reducing(group: Any, T: Any, threads: int) -> Any:
    """Every reduction of a group, one after the other: the least, the greatest, the sum, then those of bits."""

    @kernel
    @launch_contract(domain=1, block=(threads, 1, 1))
    def numbers(x: Slice[T], y: SliceMut[T]) -> None:
        i = thread.index_1d().get()
        value = x[i] if i < len(x) else T(0)
        lowest, highest, total = group.reduce_min(value), group.reduce_max(value), group.reduce_sum(value)
        if i < len(x):
            y[3 * i], y[3 * i + 1], y[3 * i + 2] = lowest, highest, total

    return numbers


def reducing_bits(group: Any, T: Any, threads: int) -> Any:
    @kernel
    @launch_contract(domain=1, block=(threads, 1, 1))
    def masks(x: Slice[T], y: SliceMut[T]) -> None:
        i = thread.index_1d().get()
        value = x[i] if i < len(x) else T(0)
        everywhere, somewhere, odd = group.reduce_and(value), group.reduce_or(value), group.reduce_xor(value)
        if i < len(x):
            y[3 * i], y[3 * i + 1], y[3 * i + 2] = everywhere, somewhere, odd

    return masks


def in_threes(device: str, one: Any, x: np.ndarray, threads: int) -> np.ndarray:
    """What a kernel of one thread an element gives, three numbers a thread, as three rows."""
    context = ox.Context(device)
    stream = context.default_stream()
    y = ox.DeviceBuffer.zeros(stream, 3 * len(x), x.dtype)
    prepared = one.prepare(context, ox.LaunchConfig1D.for_num_elems(len(x), block=threads))
    prepared(stream, ox.DeviceBuffer.from_host(stream, x), y)
    return y.to_host(stream).reshape(-1, 3).T


def grouped(operation: str, x: np.ndarray, size: int) -> np.ndarray:
    """Each group's total, for each of its threads."""
    parts = x.reshape(-1, size)
    return np.repeat(OPERATIONS[operation].reduce(parts, axis=1, dtype=x.dtype), size)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", ["i8", "i32", "u32", "u64", "f64"])
def test_reductions_of_warps_and_blocks(type_: str, device: str) -> None:
    x = values(type_, 960)
    with np.errstate(over="ignore"):
        for make, names in ((reducing, NUMBERS), (reducing_bits, MASKS)):
            if names == MASKS and type_ not in INTEGERS:
                continue
            for group, threads, size in ((warp, 96, 32), (block, 96, 96), (block, 80, 80)):
                got = in_threes(device, make(group, TYPES[type_], threads), x, threads)
                for name, row in zip(names, got, strict=True):
                    assert np.array_equal(row, grouped(name, x, size)), (name, threads, size)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", ["i32", "u32", "f32"])
def test_reductions_of_the_lanes_that_run(type_: str, device: str) -> None:
    T = TYPES[type_]
    x = values(type_, 320)
    picked = (np.arange(320) % 7 < 4) & (np.arange(320) // 32 != 3)

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def some(x: Slice[T], on: Slice[i32], y: DisjointSlice[T], z: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y and idx in z and on[idx] != 0:
            value = T(0) + x[idx]
            y[idx] = warp.active.reduce_min(value)
            z[idx] = warp.active.reduce_sum(value)

    for name, got in zip(("min", "sum"), launch(device, some, [x, picked.astype(np.int32)], T, T), strict=True):
        for begin in range(0, 320, 32):
            here = picked[begin : begin + 32]
            due = OPERATIONS[name].reduce(x[begin : begin + 32][here], dtype=x.dtype) if here.any() else 0
            assert np.array_equal(got[begin : begin + 32], np.where(here, due, 0)), name


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", ["i32", "u64"])
def test_reductions_of_tiles(type_: str, device: str) -> None:
    T = TYPES[type_]
    x = values(type_, 320)

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def tiles(x: Slice[T], y: DisjointSlice[T], z: DisjointSlice[T], size: Const[int]) -> None:
        idx = thread.index_1d()
        value = x[idx] if idx in y else T(0)
        tile = warp.tiled_partition(size)
        lowest, all_bits, some_bits, odd = tile.reduce_min(value), tile.reduce_and(value), tile.reduce_or(value), tile.reduce_xor(value)
        if idx in y and idx in z:
            y[idx] = lowest ^ odd
            z[idx] = all_bits ^ some_bits

    for size in (1, 4, 32):
        first, second = launch(device, tiles, [x], T, T, more=(size,))
        assert np.array_equal(first, grouped("min", x, size) ^ grouped("xor", x, size)), size
        assert np.array_equal(second, grouped("and", x, size) ^ grouped("or", x, size)), size


def scanned(name: str, x: np.ndarray, size: int, exclusive: bool) -> np.ndarray:
    parts = x.reshape(-1, size)
    out = OPERATIONS[name].accumulate(parts, axis=1, dtype=x.dtype)
    if exclusive:
        ends = (-np.inf, np.inf) if x.dtype.kind == "f" else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)
        first = {"sum": 0, "min": ends[1], "max": ends[0]}[name]
        out = np.concatenate([np.full((len(parts), 1), first, x.dtype), out[:, :-1]], axis=1)
    return out.reshape(-1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", ["u64", "f32"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_scans(exclusive: bool, type_: str, device: str) -> None:
    x = values(type_, 960)
    with np.errstate(over="ignore"):
        for group, threads, size in ((warp, 96, 32), (warp.active, 96, 32), (block, 96, 96), (block, 80, 80)):
            got = in_threes(device, scanning(group, TYPES[type_], threads, exclusive), x, threads)
            for name, row in zip(NUMBERS, got, strict=True):
                assert np.array_equal(row, scanned(name, x, size, exclusive)), (name, threads, size)


def scanning(group: Any, T: Any, threads: int, exclusive: bool) -> Any:
    @kernel
    @launch_contract(domain=1, block=(threads, 1, 1))
    def inclusive(x: Slice[T], y: SliceMut[T]) -> None:
        i = thread.index_1d().get()
        value = x[i] if i < len(x) else T(0)
        lowest, highest, total = group.scan_min(value), group.scan_max(value), group.scan_sum(value)
        if i < len(x):
            y[3 * i], y[3 * i + 1], y[3 * i + 2] = lowest, highest, total

    @kernel
    @launch_contract(domain=1, block=(threads, 1, 1))
    def without_own(x: Slice[T], y: SliceMut[T]) -> None:
        i = thread.index_1d().get()
        value = x[i] if i < len(x) else T(0)
        lowest, highest, total = (
            group.scan_min(value, exclusive=True),
            group.scan_max(value, exclusive=True),
            group.scan_sum(value, exclusive=True),
        )
        if i < len(x):
            y[3 * i], y[3 * i + 1], y[3 * i + 2] = lowest, highest, total

    return without_own if exclusive else inclusive


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", ["i8", "i32", "u64", "f32"])
def test_whether_all_have_the_same(type_: str, device: str) -> None:
    T = TYPES[type_]

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def matching(x: Slice[T], on: Slice[i32], y: DisjointSlice[i32], z: DisjointSlice[i32], size: Const[int]) -> None:
        idx = thread.index_1d()
        value = x[idx] if idx in y else T(0)
        same = warp.tiled_partition(size).match_all(value)
        if idx in y and idx in z:
            y[idx] = i32(same)
            if on[idx] != 0:
                z[idx] = i32(warp.active.match_all(value))

    x = (np.arange(640) // 24 % 3).astype(TYPES[type_].dtype)
    on = (np.arange(640) % 32 < 9).astype(np.int32)
    for size in (4, 32):
        full, active = launch(device, matching, [x, on], i32, i32, more=(size,))
        parts = x.reshape(-1, size)
        assert full.tolist() == np.repeat((parts == parts[:, :1]).all(axis=1), size).astype(int).tolist()
        heads = x.reshape(-1, 32)[:, :9]
        alike = np.repeat((heads == heads[:, :1]).all(axis=1), 32) & (on != 0)
        assert active.tolist() == alike.astype(int).tolist()


@pytest.mark.parametrize("device", DEVICES)
def test_masks_of_lanes(device: str) -> None:
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def masks(x: Slice[u32], a: DisjointSlice[u32], b: DisjointSlice[u32], c: DisjointSlice[u32], d: DisjointSlice[u32]) -> None:
        idx = thread.index_1d()
        tile = warp.tiled_partition(8)
        if idx in a and idx in b and idx in c and idx in d:
            a[idx] = warp.lanemask_lt
            b[idx] = warp.lanemask_ge ^ warp.lanemask_eq ^ warp.lanemask_gt ^ x[idx]
            c[idx] = tile.lanemask_le | tile.lanemask_gt << 8
            d[idx] = warp.active.lanemask_le

    x = np.full(64, 5, np.uint32)
    a, b, c, d = launch(device, masks, [x], u32, u32, u32, u32)
    for thread_number in range(64):
        lane, place = thread_number % 32, thread_number % 8
        assert a[thread_number] == (1 << lane) - 1
        assert b[thread_number] == 5
        assert c[thread_number] == ((2 << place) - 1) | (255 ^ ((2 << place) - 1)) << 8
        assert d[thread_number] == (2 << lane) - 1


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_the_instruction_of_a_whole_warp(arch: str) -> None:
    for type_, sign in (("i32", "s32"), ("u32", "u32")):
        for group in (warp, block):
            text = reducing(group, TYPES[type_], 64).ptx(arch) + reducing_bits(group, TYPES[type_], 64).ptx(arch)
            for kind in ("add", f"min.{sign}", f"max.{sign}", "and.b32", "or.b32", "xor.b32"):
                assert (f"redux.sync.{kind}" in text) == (arch != "sm_75"), kind
            assert ("shfl.sync.bfly" in text) == (arch == "sm_75")
            assemble(reducing(group, TYPES[type_], 64).ptx(arch), arch)
            assemble(reducing_bits(group, TYPES[type_], 64).ptx(arch), arch)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = warp.reduce_and(f)", "takes an integer, and this is `f32`"),
        ("a = block.reduce_xor(f)", "takes an integer, and this is `f32`"),
        ("a = warp.scan_max(n > 1)", "takes a number"),
        ("a = warp.match_all(x)", "takes a number"),
        ("a = warp.reduce_min(n, exclusive=True)", "has no parameter `exclusive`"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, block=block, warp=warp))
    assert (found.code in ("OX0308", "OX0425"), part in found.message) == (True, True), (found.code, found.message)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def running(y: SliceMut[i32]) -> None:
    t = thread.index_1d().get()
    if t % 3 == 0 and t < len(y):
        y[t] = warp.active.lane * 100 + warp.active.rank


def test_the_lanes_that_run_have_their_numbers_of_the_warp() -> None:
    t = np.arange(64)
    rank = [sum(other % 3 == 0 for other in range(one // 32 * 32, one)) for one in t]
    assert results(running, np.int32, 64) == np.where(t % 3 == 0, t % 32 * 100 + rank, 0).tolist()
