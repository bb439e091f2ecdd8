"""Programs with tensor maps of every type of element, swizzle and reduction, over the edges of their arrays."""

# mypy: ignore-errors
from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

import oxidepy as ox
from oxidepy import (
    D2,
    Slice,
    SliceMut,
    barrier,
    bf16,
    block,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    kernel,
    launch_contract,
    shared,
    thread,
    tma,
    u8,
    u16,
    u32,
    u64,
    unsafe,
)
from oxidepy.ir.intrinsics.tma import RUN_REDUCTIONS

Pair = tuple[Any, Any]
WHY = "the barrier's phase is over when the box has come, and the copy out is waited for"
TYPES = {one.scalar.name: one for one in (i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64)}
DTYPES = {name: ml_dtypes.bfloat16 if name == "bf16" else one.dtype for name, one in TYPES.items()}
ROWS = 8


def moved(type_: Any, columns: int) -> Any:
    """A kernel that takes a box from one place of an array to another place of another one."""
    size = type_.dtype.itemsize
    P: Any = enum.Enum("P", {"STEP": max(16 // size, 1), "COUNT": ROWS * columns, "BYTES": ROWS * columns * size})

    @kernel
    @launch_contract(domain=1, block=(32, 1, 1))
    def one(x: tma.TensorMap[type_, D2], y: tma.TensorMapMut[type_, D2], row: i32, column: i32) -> None:  # type: ignore[valid-type]
        s = shared.array(type_, P.COUNT, align=1024)
        bars = barrier.array(1)
        with unsafe(WHY):
            if thread.idx.x == 0:
                barrier.init(bars, 0, 1)
                barrier.fence_init()
                tma.load(s, 0, x, (row, column), bars, 0)
                barrier.arrive_expect_tx(bars, 0, P.BYTES)
                barrier.wait_parity(bars, 0, 0)
                tma.store(y, (abs(column), abs(row) * P.STEP), s, 0)
                tma.commit()
                tma.wait()

    return one


def move(ctx: ox.Context, name: str, columns: int, swizzle: int = 0, fill: str = "zero") -> tuple[np.ndarray, np.ndarray]:
    """Boxes inside, over each edge and outside of the array."""
    type_, dtype = TYPES[name], DTYPES[name]
    stream = ctx.default_stream()
    step = max(16 // np.dtype(dtype).itemsize, 1)
    rows, width = 3 * ROWS, 3 * columns + step
    rng = np.random.default_rng(len(name) + columns)
    host = rng.integers(1, 100, (rows, width)).astype(dtype)
    one = moved(type_, columns)
    x = ox.DeviceBuffer.from_host(stream, host)
    found, wanted = [], []
    for row, column in ((0, 0), (-3, -step), (rows - 5, width - columns + step), (4, step), (-ROWS, 0), (2, width), (-1, -columns)):
        y = ox.DeviceBuffer.from_host(stream, np.full((rows, width), 3, dtype))
        maps = tma.tensor_map(x, (ROWS, columns), swizzle=swizzle, fill=fill), tma.tensor_map(y, (ROWS, columns), swizzle=swizzle)
        one.prepare(ctx, 32)(stream, *maps, row, column)
        padded = np.full((rows + 2 * ROWS, width + 2 * columns), np.nan if fill == "nan" else 0, np.float64)
        padded[ROWS : ROWS + rows, columns : columns + width] = host
        box = padded[ROWS + row : 2 * ROWS + row, columns + column : 2 * columns + column]
        out = np.full((rows + 2 * ROWS, width + 2 * columns), 3, np.float64)
        down, to = abs(column), abs(row) * step
        if down < rows and to < width:
            placed = out[ROWS + down : 2 * ROWS + down, columns + to : 2 * columns + to]
            placed[: box.shape[0], : box.shape[1]] = box[: placed.shape[0], : placed.shape[1]]
        found.append(y.to_host(stream).astype(np.float64))
        wanted.append(out[ROWS : ROWS + rows, columns : columns + width])
    return np.concatenate(found), np.concatenate(wanted)


def every_type(ctx: ox.Context) -> Pair:
    pairs = [move(ctx, name, max(16 // one.dtype.itemsize, 1) * 2) for name, one in TYPES.items()]
    return tuple(np.concatenate([one.reshape(-1) for one in side]) for side in zip(*pairs, strict=True))


def every_swizzle(ctx: ox.Context) -> Pair:
    """Rows are as long as the pattern."""
    pairs = [
        move(ctx, name, swizzle // TYPES[name].dtype.itemsize, swizzle) for name in ("u8", "f16", "f32", "f64") for swizzle in (32, 64, 128)
    ]
    return tuple(np.concatenate([one.reshape(-1) for one in side]) for side in zip(*pairs, strict=True))


def outside_is_nan(ctx: ox.Context) -> Pair:
    pairs = [move(ctx, name, max(16 // TYPES[name].dtype.itemsize, 1), fill="nan") for name in ("f16", "bf16", "f32", "f64")]
    return tuple(np.concatenate([one.reshape(-1) for one in side]) for side in zip(*pairs, strict=True))


COMBINED = {
    "i32": ("add", "min", "max", "and", "or", "xor"),
    "u32": ("add", "min", "max", "and", "or", "xor", "inc", "dec"),
    "i64": ("min", "max"),
    "u64": ("add", "min", "max", "and", "or", "xor"),
    "f16": ("add", "min", "max"),
    "bf16": ("add", "min", "max"),
    "f32": ("add",),
}


def combined(type_: Any, how: str) -> Any:
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def one(x: ox.Slice[type_], y: tma.TensorMapMut[type_]) -> None:  # type: ignore[valid-type]
        s = shared.array(type_, 64, align=128)
        t = thread.idx.x
        with unsafe("the fence and the barrier stand between writing and copying"):
            s[t] = x[t]
            barrier.fence_proxy_async("shared")
            block.sync()
            if t == 0:
                tma.reduce(y, 0, s, 0, how)
                tma.commit()
                tma.wait()

    return one


def values(name: str, rng: np.random.Generator) -> np.ndarray:
    dtype = DTYPES[name]
    if name[0] in "iu":
        info = np.iinfo(dtype)
        drawn = rng.integers(info.min, info.max, 64, dtype=dtype, endpoint=True)
        return np.where(rng.random(64) < 0.5, rng.integers(0, 9, 64), drawn).astype(dtype)
    return (rng.integers(-40, 40, 64) / 8).astype(dtype)


def every_reduction(ctx: ox.Context) -> Pair:
    rng = np.random.default_rng(12)
    stream = ctx.default_stream()
    found, wanted = [], []
    for name, operations in COMBINED.items():
        for how in operations:
            new, old = values(name, rng), values(name, rng)
            y = ox.DeviceBuffer.from_host(stream, old)
            combined(TYPES[name], how).prepare(ctx, 64)(stream, ox.DeviceBuffer.from_host(stream, new), tma.tensor_map(y, 64))
            plain = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
            if how == "inc":
                due = np.where(old >= new, 0, old.astype(np.int64) + 1)
            elif how == "dec":
                due = np.where((old == 0) | (old > new), new, old.astype(np.int64) - 1)
            else:
                with np.errstate(over="ignore"):
                    due = plain[how](old, new)
            found += y.to_host(stream).tolist()
            wanted += due.astype(DTYPES[name]).tolist()
    return found, wanted


# ---- runs of every type and operation

_REDUCED = {one.scalar.name: one for one in (i32, u32, i64, u64, f16, bf16, f32, f64)}
_MEANING: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "inc": lambda old, most: np.where(old >= most, 0, old + 1).astype(old.dtype),
    "dec": lambda old, most: np.where((old == 0) | (old > most), most, old - 1).astype(old.dtype),
}


def run_combined(operation: str, name: str) -> Any:
    """A kernel that combines a run of elements with those that are there."""
    T = _REDUCED[name]

    @kernel
    @launch_contract(domain=1, block=(32, 1, 1))
    def one(x: Slice[T], y: SliceMut[T]) -> None:  # type: ignore[valid-type]
        s = shared.array(T, 32, align=16)
        t = thread.idx.x
        with unsafe("the fence and the barrier stand between writing and copying, and each block's run is combined indivisibly"):
            s[t] = x[block.idx.x * 32 + t]
            barrier.fence_proxy_async("shared")
            block.sync()
            if t == 0:
                tma.reduce_run(y, 16, s, 16, 16, operation)
                tma.commit()
                tma.wait()

    return one


COMBINED_RUNS = {pair: run_combined(*pair) for pair in RUN_REDUCTIONS}


def run_reductions(ctx: ox.Context) -> Pair:
    """Every operation of every type; numbers whose sums are exact, so that the order of the blocks does not show."""
    stream = ctx.default_stream()
    found, wanted = [], []
    for number, (pair, one) in enumerate(COMBINED_RUNS.items()):
        operation, name = pair
        rng = np.random.default_rng(number)
        low = 0 if name[0] == "u" or operation in ("inc", "dec") else -9
        host, start = (
            rng.integers(low, 9, count).astype(np.dtype(DTYPES[name])) for count in (32 if operation in ("inc", "dec") else 96, 48)
        )
        words = [np.ascontiguousarray(each).view(np.uint8) for each in (host, start)]
        x, y = (ox.DeviceBuffer.from_host(stream, each).reinterpret(_REDUCED[name]) for each in words)
        one.prepare(ctx, len(host))(stream, x, y)
        found += y.reinterpret(ox.u8).to_host(stream).view(host.dtype).astype(np.float64).tolist()
        due = start.copy()
        for each in host.reshape(-1, 32):
            due[16:32] = _MEANING[operation](due[16:32], each[16:])
        wanted += due.astype(np.float64).tolist()
    return found, wanted


PROGRAMS: dict[str, Callable[[ox.Context], Pair]] = {
    one.__name__: one for one in (every_type, every_swizzle, outside_is_nan, every_reduction, run_reductions)
}
