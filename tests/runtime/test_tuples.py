"""Tuples: nested as parameters, put together, repeated, cut; scalars of ml_dtypes. The same on every device."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from semantics.halves import ml_dtypes, needs_bf16

import oxidepy as ox
from oxidepy import DisjointSlice, bf16, f16, f32, f64, i32, kernel, launch_contract, struct, thread, unroll

HALF = f16(0.5)
if ml_dtypes is not None:
    BRAIN = ml_dtypes.bfloat16(1.5)


@struct
@dataclass(frozen=True)
class Point:
    x: f32
    y: f32


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def nested(t: tuple[f32, tuple[i32, tuple[bool, Point]], Point], y: DisjointSlice[f64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        a, (n, (flag, p)), q = t
        y[idx] = f64(a + p.x * q.y) + f64(n) + (100.0 if flag else 0.0)


def nested_result(t):
    a, (n, (flag, p)), q = t
    return float(np.float32(a) + np.float32(p.x) * np.float32(q.y)) + n + (100 if flag else 0)


def test_nested_parameters(stream: ox.Stream) -> None:
    y = ox.DeviceBuffer.zeros(stream, 2, f64)
    for k in range(5):  # the later ones by the quick way
        t = (k + 0.5, (k, (k % 2 == 0, Point(1.5, k))), Point(k, 2.0))
        nested.launch(stream, t, y)
        assert y.to_host(stream).tolist() == [nested_result(t)] * 2
    given = (np.float32(1), (np.int32(2), (np.bool_(True), Point(3, 4))), Point(5, 6))
    nested.launch(stream, given, y)
    assert y.to_host(stream)[0] == nested_result(given)


@pytest.mark.parametrize(
    ("t", "part"),
    [
        ((1.0, (2, (True, Point(1, 2)))), "wants tuple[f32, tuple[i32, tuple[bool, Point]], Point], got a tuple of 2"),
        ((1.0, (2, True), Point(1, 2)), "`t[1][1]` of `nested` wants tuple[bool, Point], got"),
        ((1.0, (2.5, (True, Point(1, 2))), Point(1, 2)), "`t[1][0]` of `nested` wants i32, got float 2.5"),
        ((1.0, (2, (True, (1, 2))), Point(1, 2)), "`t[1][1][1]` of `nested` wants struct Point, got"),
        ((1.0, (2, (1, Point(1, 2))), Point(1, 2)), "`t[1][1][0]` of `nested` wants bool, got int 1"),
    ],
)
def test_wrong_items(t, part: str, stream: ox.Stream) -> None:
    y = ox.DeviceBuffer.zeros(stream, 2, f64)
    nested.launch(stream, (1.0, (2, (True, Point(1, 2))), Point(1, 2)), y)  # the quick way is there
    with pytest.raises(ox.LaunchError) as caught:
        nested.launch(stream, t, y)
    assert caught.value.code == "OX2007" and part in caught.value.diagnostic.message


def swapped(t: tuple[tuple[i32, i32], f32]) -> tuple[f32, tuple[i32, i32]]:
    (a, b), c = t
    return c, (b, a)


def total(t) -> i32:
    return 0 if len(t) == 0 else t[0] + total(t[1:])


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def made(y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        i = idx.get()
        both = (i, 2) + (3,) * 2 + ((4, i),)
        s = 0
        for k in unroll(range(len(both) - 1)):
            s = s * 10 + both[k]
        c, (b, a) = swapped((both[1:3], 1.5))
        back = (1, 2, 3)[::-1]
        y[idx] = s * 1000 + b * 100 + a * 10 + i32(c) + back[0] + both[4][1] + 10_000_000 * len((both * 2)[:7:2]) + total((i, 2, 3))


def made_result(i):
    both = (i, 2) + (3,) * 2 + ((4, i),)
    s = 0
    for k in range(len(both) - 1):
        s = s * 10 + both[k]
    b, a = both[2], both[1]
    return s * 1000 + b * 100 + a * 10 + 1 + 3 + both[4][1] + 10_000_000 * 4 + i + 5


def test_made_of_others(stream: ox.Stream) -> None:
    y = ox.DeviceBuffer.zeros(stream, 4, i32)
    made.launch(stream, y)
    assert y.to_host(stream).tolist() == [made_result(i) for i in range(4)]


@kernel
def brain(f: Callable[[bf16], bf16], a: bf16, y: DisjointSlice[bf16], z: DisjointSlice[f16]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in z:
        y[idx] = f(a) + BRAIN
        z[idx] = f16(y[idx]) * HALF


@needs_bf16
def test_scalars_of_ml_dtypes(stream: ox.Stream) -> None:
    two = ml_dtypes.bfloat16(2)
    y, z = ox.DeviceBuffer.zeros(stream, 1, ml_dtypes.bfloat16), ox.DeviceBuffer.zeros(stream, 1, f16)
    for a in (ml_dtypes.bfloat16(3), 3.0):
        brain.launch(stream, lambda v: v * two, a, y, z)
        assert (float(y.to_host(stream)[0]), float(z.to_host(stream)[0])) == (7.5, 3.75)
    y.fill(stream, ml_dtypes.bfloat16(2.5))
    assert float(y.to_host(stream)[0]) == 2.5
    with pytest.raises(ox.LaunchError) as caught:
        brain.launch(stream, lambda v: v, np.float16(1), y, z)
    assert caught.value.diagnostic.help == "convert it: `ml_dtypes.bfloat16(1.0)`"
