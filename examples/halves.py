"""Numbers of 16 bits: a softmax that reads and writes f16, adds in f32, and counts what it wrote by an atomic of halves."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Slice, SliceMut, atomic, block, f16, f32, kernel, launch_contract, math, thread

COLUMNS = 256


@kernel
@launch_contract(domain=1, block=(COLUMNS, 1, 1))
def softmax(x: Slice[f16], y: DisjointSlice[f16], large: SliceMut[f16]) -> None:
    idx = thread.index_1d()
    value = x[idx.get()]
    power = math.exp(f32(value - block.reduce_max(value)))
    share = f16(power / block.reduce_sum(power))  # a sum of 256 halves would be rounded 255 times
    if idx in y:
        y[idx] = share
    if share > 0.01:
        atomic.add(large, 0, 1.0)


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    x_host = np.random.default_rng(5).normal(0, 2, 64 * COLUMNS).astype(np.float16)
    y = ox.DeviceBuffer.zeros(stream, len(x_host), f16)
    large = ox.DeviceBuffer.zeros(stream, 1, f16)
    softmax.prepare(ctx, LaunchConfig1D(grid=64, block=COLUMNS))(stream, ox.DeviceBuffer.from_host(stream, x_host), y, large)

    rows = x_host.astype(np.float64).reshape(64, COLUMNS)
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    wanted = powers / powers.sum(axis=1, keepdims=True)
    got = y.to_host(stream).reshape(64, COLUMNS)
    np.testing.assert_allclose(got, wanted, rtol=1e-2, atol=1e-4)
    assert large.to_host(stream)[0] == min(np.count_nonzero(got > np.float16(0.01)), 2048)  # where f16 stops counting by ones
    print("PASSED: 64 rows in f16 come to one")
    return 0


if __name__ == "__main__":
    sys.exit(main())
