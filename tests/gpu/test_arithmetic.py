"""Arithmetic on a CUDA GPU that is an instruction there and something else elsewhere: roundings to the bit, denormals in atomic sums."""

from __future__ import annotations

import numpy as np
import pytest
from lang.test_rounded import COUNTS, MODES, TYPES, compute, values

import oxidepy as ox
from oxidepy import (
    Slice,
    SliceMut,
    atomic,
    block,
    cluster,
    cluster_launch,
    f32,
    grid,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
    unsafe,
)

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("operation", COUNTS)
def test_roundings_give_the_interpreters_bits(operation: str, dtype: type) -> None:
    columns = values(dtype, 1000)
    for mode in ("rn", *MODES):
        first, second = (compute(device, f"{operation}_{mode}", columns) for device in ("interp", "cuda:0"))
        numbers = ~(np.isnan(first) & np.isnan(second))
        assert first[numbers].tobytes() == second[numbers].tobytes(), mode


LEAST = 2.0**-149
SMALL = np.array(
    [0.0, -0.0, LEAST, -LEAST, 2.0**-127, 2.0**-126, -(2.0**-126), 1.2e-38, 2.0**-102, -(2.0**-101), 2.0**-101, 1.0, -3e38, np.inf],
    np.float32,
)


@kernel
@launch_contract(domain=1, block=(196, 1, 1))
def added(y: SliceMut[f32], x: Slice[f32], inside: SliceMut[f32], old: SliceMut[f32]) -> None:
    """Each number of `x` to each of the numbers that are there: in global and in shared memory."""
    require(grid.dim.x == 1)
    s = shared.array(f32, 196)
    t = thread.idx.x
    s[t] = y[t]
    block.sync()
    old[t] = atomic.add(y, t, x[t // 14])
    atomic.add(s, t, x[t // 14])
    block.sync()
    inside[t] = s[t]


@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(196, 1, 1))
def added_far(y: SliceMut[f32], x: Slice[f32]) -> None:
    """The same in the memory of the other block."""
    s = shared.array(f32, 196)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = y[i]
    cluster.sync()
    with unsafe("each element has one thread of the other block"):
        atomic.add(cluster.map_shared(s, 1 - cluster.rank), t, x[t // 14])
    cluster.sync()
    y[i] = s[t]


def sums(device: str, far: bool = False) -> list[np.ndarray]:
    context = ox.Context(device)
    stream = context.default_stream()
    x = ox.DeviceBuffer.from_host(stream, SMALL)
    blocks = 2 if far else 1
    y = ox.DeviceBuffer.from_host(stream, np.tile(SMALL, 14 * blocks))
    if far:
        added_far.prepare(context, ox.LaunchConfig1D(grid=2, block=196))(stream, y, x)
        return [y.to_host(stream)]
    inside, old = ox.DeviceBuffer.zeros(stream, 196, f32), ox.DeviceBuffer.zeros(stream, 196, f32)
    added.prepare(context, ox.LaunchConfig1D(grid=1, block=196))(stream, y, x, inside, old)
    return [one.to_host(stream) for one in (y, inside, old)]


@pytest.mark.parametrize("far", [False, True], ids=["own", "cluster"])
def test_atomic_sums_keep_denormals(far: bool) -> None:
    for wanted, got in zip(sums("interp", far), sums("cuda:0", far), strict=True):
        bits = [np.frombuffer(one.tobytes(), np.uint32) for one in (wanted, got)]
        same = (bits[0] == bits[1]) | (np.isnan(wanted) & np.isnan(got))
        assert same.all(), [(wanted[i], got[i], SMALL[i // 14 % 14], SMALL[i % 14]) for i in np.flatnonzero(~same)]


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def gathered(x: Slice[f32], y: SliceMut[f32]) -> None:
    idx = thread.index_1d()
    if idx in x:
        atomic.add(y, 0, x[idx])


def test_many_small_sums_lose_nothing() -> None:
    context = ox.Context("cuda:0")
    stream = context.default_stream()
    count = 1 << 16
    y = ox.DeviceBuffer.zeros(stream, 1, f32)
    x = np.where(np.arange(count) % 3 == 0, LEAST, 0.0).astype(np.float32)
    gathered.prepare(context, count)(stream, ox.DeviceBuffer.from_host(stream, x), y)
    assert y.to_host(stream)[0] == (count + 2) // 3 * LEAST
