"""Kernels that print, for the tests of the devices."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DisjointSlice,
    Index2D,
    LaunchConfig2D,
    Slice,
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
    struct,
    thread,
    u8,
    u16,
    u32,
    u64,
    warp,
)


class Color(enum.IntEnum):
    RED = 1


@struct
@dataclass(frozen=True)
class Point:
    x: f32
    n: i32


NAME, SCALE, MANY = "it's", 0.1, 1 << 40


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def values(x: Slice[f32], y: DisjointSlice[f32], flag: bool, n: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        i = idx.get()
        y[idx] = x[idx]
        if i % 50 == 1:
            v = x[idx]
            point = Point(v, i)
            print("thread", i, "value", v, flag)
            print(f"{v:.3f}|{v:12.4e}|{v:g}|{v:>14}|{v:+}|{v:010.2f}|{i:5d}|{i:x}|{i:#010b}|{i:<4}|{flag!r:>6}|{v!s:>12}|{v:%}|{i:,}")
            print(f"{n=} {v + 1.0:.1f} {NAME!r} {NAME:>6} {SCALE} {MANY:,} {Color.RED} {{}} {i:{4}}", end=";\n")
            print((i, v, flag), (i,), point, sep=" / ")
            print(i8(i - 100), u8(i), i16(-i), u16(40000), i64(-i) << i64(40), ~u64(0), u32(1) << u32(31), f64(v) / f64(3.0), -0.0 * v)
            print(f16(v / 1e4) / f16(3.0), bf16(v), f"{f16(0.1):.5f} {bf16(0.1)}")
            print(
                "big" if v > 1e7 else "small",
                f"[{'odd' if i % 2 == 1 else 'even':>5}] {1 if flag else 'none'!r} {'a' if MANY > 3 else 'b'}",
            )
            print()


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def special(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]
        print(x[idx])


@kernel
@launch_contract(domain=2, block=(4, 2, 1))
def plane(y: DisjointSlice[i32, Index2D[9]]) -> None:
    idx = thread.index_2d(9)
    if idx in y:
        y[idx] = 1
        print("row", idx.row, "col", idx.col, end=" ")
        if idx.col % 2 == 1:
            print("odd")
        else:
            for k in range(idx.row):
                print(k, end=",")
            print("even")


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def together(y: DisjointSlice[i32]) -> None:
    """Prints between barriers and warp operations."""
    tile = shared.array(i32, 64)
    t = thread.idx.x
    tile[t] = t * t
    block.sync()
    other = tile[63 - t]
    total = warp.reduce_sum(other)
    if warp.lane == 0:
        print("block", block.idx.x, "warp", warp.id, "total", total)
    block.sync()
    idx = thread.index_1d()
    if idx in y:
        y[idx] = total
        if t == 5:
            print(f"{other} at 5")


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def judged(y: DisjointSlice[f32], bad: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        i = idx.get()
        if i == bad:
            print("before", i)
        y[idx] = f32(i) / 2.0
        assert i != bad, f"item {i} has {y[idx]:.2f}, and {bad=}"
        y[idx] = -1.0


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def every(y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 1
        print("here is thread", idx.get())


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def doubted(y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        i = idx.get()
        print("here is thread", i)
        assert i != 63, f"item {i} has {y[idx]}"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def silent(y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 1


SPECIAL = [0.0, -0.0, 1.0, 0.1, 1 / 3, 1e10, 1e16, 1.5e-5, 3.4028235e38, 1e-45, 2.0**-126, np.inf, -np.inf, np.nan, 16777216.0, 2.0**-20]


def told(device: str) -> None:
    """Everything that can be told, on a stream of the device."""
    stream: Any = ox.Context(device).new_stream()
    x = DeviceBuffer.from_host(stream, np.linspace(0, 1e8, 200).astype(np.float32) / 3)
    y = DeviceBuffer.zeros(stream, 200, f32)
    for flag in (True, False):
        values.launch(stream, x, y, flag, 7)
    stream.synchronize()
    print("--")
    special.launch(stream, DeviceBuffer.from_host(stream, np.array(SPECIAL, np.float32)), DeviceBuffer.zeros(stream, len(SPECIAL), f32))
    plane.prepare(stream.context, LaunchConfig2D.for_shape(3, 9, block=(4, 2)))(stream, DeviceBuffer.zeros(stream, 27, i32))
    stream.synchronize()
    out = DeviceBuffer.zeros(stream, 128, i32)
    together.launch(stream, out)
    print(out.to_host(stream)[:2])


def by_threads_of_the_host(stream: ox.Stream, size: int, hosts: int, rounds: int, printed: Callable[[], str]) -> None:
    """Several threads of the host launch and wait on one stream: every line is there, each whole. `printed` gives what came since."""
    y = DeviceBuffer.zeros(stream, size, i32)
    every.launch(stream, y)
    stream.synchronize()
    printed()

    def work() -> None:
        for _ in range(rounds):
            every.launch(stream, y)
            stream.synchronize()

    threads = [threading.Thread(target=work) for _ in range(hosts)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    stream.synchronize()
    lines = printed().splitlines()
    assert sorted(lines) == sorted(f"here is thread {number}" for number in range(size) for _ in range(hosts * rounds))
