"""Arithmetic on a CUDA GPU that is an instruction there and something else elsewhere: roundings to the bit, denormals in atomic sums."""

from __future__ import annotations

import numpy as np
import pytest
from lang.test_rounded import COUNTS, MODES, TYPES, compute, values

import oxidepy as ox
from oxidepy import SliceMut, atomic, block, f32, f64, grid, kernel, launch_contract, require, shared, thread

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("operation", COUNTS)
def test_roundings_give_the_interpreters_bits(operation: str, dtype: type) -> None:
    columns = values(dtype, 1000)
    for mode in ("rn", *MODES):
        first, second = (compute(device, f"{operation}_{mode}", columns) for device in ("interp", "cuda:0"))
        numbers = ~(np.isnan(first) & np.isnan(second))
        assert first[numbers].tobytes() == second[numbers].tobytes(), mode


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def sums(y: SliceMut[f32], z: SliceMut[f64], inside: SliceMut[f32]) -> None:
    require(grid.dim.x == 1)
    s = shared.array(f32, 2)
    t = thread.idx.x
    if t == 0:
        s[0] = 0.0
        s[1] = 1e-38
    block.sync()
    if t == 0:
        atomic.add(y, 0, 1e-40)  # a denormal operand
        atomic.add(y, 1, 0.0)  # a denormal in memory
        atomic.add(y, 2, -1.2e-38)  # a denormal sum
        atomic.add(z, 0, 1e-310)
        atomic.add(s, 0, 1e-40)
        atomic.add(s, 1, -9.9e-39)
    block.sync()
    if t < 2:
        inside[t] = s[t]


def added(device: str) -> list[np.ndarray]:
    context = ox.Context(device)
    stream = context.default_stream()
    y = ox.DeviceBuffer.from_host(stream, np.array([0, 1e-40, 1.3e-38], np.float32))
    z, inside = ox.DeviceBuffer.zeros(stream, 1, f64), ox.DeviceBuffer.zeros(stream, 2, f32)
    sums.prepare(context, ox.LaunchConfig1D(grid=1, block=32))(stream, y, z, inside)
    return [one.to_host(stream) for one in (y, z, inside)]


def test_atomic_sums_of_f32_in_global_memory_lose_denormals_and_no_others_do() -> None:
    exact, got = added("interp"), added("cuda:0")
    assert exact[0].all() and exact[1].all() and exact[2].all()
    assert not got[0].any(), "the page on the language says that they are taken for 0"
    assert got[1].tobytes() == exact[1].tobytes() and got[2].tobytes() == exact[2].tobytes()
