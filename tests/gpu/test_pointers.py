"""`Ptr` on a CUDA GPU: arrays of other libraries, one memory for several parameters, loops that wait through a pointer."""

# mypy: ignore-errors
from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DisjointSlice, Ptr, Slice, atomic, block, f32, grid, i32, kernel, launch_contract, thread

pytestmark = pytest.mark.gpu
B = 64


@kernel(unsafe="p may be the memory of x, and n elements lie there")
@launch_contract(domain=1, block=(B, 1, 1))
def twice(x: Slice[f32], p: Ptr[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in x and idx in y:
        before = x[idx]
        p[idx] = before * 2.0
        y[idx] = x[idx] - before


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_arrays_of_other_libraries(library: str) -> None:
    other = pytest.importorskip(library)
    on = {"device": "cuda"} if library == "torch" else {}
    x = other.arange(1000, dtype=other.float32, **on)
    y = other.zeros(1000, dtype=other.float32, **on)
    stream = ox.Context("cuda:0").default_stream()
    launch = twice.prepare(stream.context, 1000)
    for _ in range(3):
        launch(stream, x, x, y)
        launch(stream, x[:500], x[500:], y)
    stream.context.synchronize()
    got = [one.cpu().numpy() if library == "torch" else one.get() for one in (x, y)]
    wanted, last = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    for _ in range(3):
        last[:], wanted[:] = wanted, wanted * 2
        last[:500], wanted[500:] = 0, wanted[:500] * 2
    np.testing.assert_array_equal(got[0], wanted)
    np.testing.assert_array_equal(got[1], last)


@kernel(unsafe="the last block to arrive reads what the others have published by the counter")
@launch_contract(domain=1, block=(B, 1, 1))
def summed(x: Slice[f32], sums: Ptr[f32], arrived: Ptr[i32], y: Ptr[f32]) -> None:
    idx = thread.index_1d()
    total = block.reduce_sum(x[idx] if idx in x else f32(0))
    if thread.idx.x == 0:
        sums[block.idx.x] = total
        if atomic.add(arrived, 0, 1, order="acq_rel") == grid.dim.x - 1:
            whole = f32(0)
            for i in range(grid.dim.x):
                whole += sums[i]
            y[0] = whole


def test_what_blocks_publish_through_pointers() -> None:
    stream = ox.Context("cuda:0").default_stream()
    n = 100_000
    x = ox.DeviceBuffer.from_host(stream, np.ones(n, np.float32))
    for _ in range(20):
        sums, arrived, y = (ox.DeviceBuffer.zeros(stream, n // B + 1, one) for one in (f32, i32, f32))
        summed.prepare(stream.context, n)(stream, x, sums, arrived, y)
        assert y.to_host(stream)[0] == n
