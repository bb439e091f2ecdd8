"""Quotients by numbers that are not known, in branches that some threads of a vector take: those threads get them, whoever the first is."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DeviceBuffer, DisjointSlice, Slice, i8, i32, i64, kernel, launch_contract, thread, u8, u32, u64


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def wrapped(x: Slice[i32], y: DisjointSlice[i32]) -> None:
    """The same item for all threads of a round, as soon as LLVM has written the loop out."""
    idx = thread.index_1d()
    if idx in y:
        total = 0
        if x[idx] > 2:
            for k in range(0, 24, 5):
                total += x[k % len(x)] * x[idx]
        y[idx] = total


@kernel
@launch_contract(domain=1, block=(64, 1, 1), coordinates=i64)
def wrapped_far(x: Slice[i32], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        total = 0
        if x[idx] > 2:
            for k in range(0, 24, 5):
                total += x[i64(k) % len(x)] * x[idx]
        y[idx] = total


@pytest.mark.parametrize("one", [wrapped, wrapped_far])
def test_items_that_a_branch_reads(one):
    stream = ox.Context("cpu").default_stream()
    x = np.arange(100, dtype=np.int32) % 7
    y = DeviceBuffer.zeros(stream, 100, i32)
    one.launch(stream, DeviceBuffer.from_host(stream, x), y)
    np.testing.assert_array_equal(y.to_host(stream), np.where(x > 2, x * x[np.arange(0, 24, 5)].sum(), 0))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def quotients(x: Slice[i32], a: Slice[i8], b: u8, c: u32, d: u64, e: i32, f: i64, y: DisjointSlice[i64]) -> None:
    idx = thread.index_1d()
    if idx in y:
        found = i64(0)
        if x[idx] % 3 == 1:
            found = i64(200 // b) + 3 * i64(u32(4294967295) // c) + 5 * i64(u64(18446744073709551615) % d)
            found += 7 * i64(x[idx] // e) + 11 * i64(x[idx] % e) + 13 * (i64(x[idx]) // f) + 17 * (i64(x[idx]) % f) + i64(i32(a[idx]) // e)
        y[idx] = found


@pytest.mark.parametrize(
    ("b", "c", "d", "e", "f"), [(7, 3, 10, 3, -4), (255, 4294967295, 18446744073709551615, -1, -1), (1, 1, 1, -7, 2**40)]
)
def test_quotients_of_every_width(b, c, d, e, f):
    x = np.array([-(2**31), 2**31 - 1, -7, 7, 0, 1, -1, 100] * 8, np.int32)[:60] + np.arange(60, dtype=np.int32) % 2
    found = []
    for device in ("interp", "cpu"):
        stream = ox.Context(device).default_stream()
        y = DeviceBuffer.zeros(stream, 60, i64)
        a = DeviceBuffer.from_host(stream, x.astype(np.int8))
        quotients.launch(stream, DeviceBuffer.from_host(stream, x), a, b, c, d, e, f, y)
        found.append(y.to_host(stream))
    np.testing.assert_array_equal(found[0], found[1])
