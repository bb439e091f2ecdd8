"""Threads that wait for each other for good are a failure of the launch on `interp`, with both places."""

from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DeviceBuffer, DevicePanic, DisjointSlice, i32, kernel, launch_contract, thread, unsafe, warp


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def halves(y: DisjointSlice[i32], top: i32) -> None:
    idx = thread.index_1d()
    if thread.idx.x >= 32 and thread.idx.x < top:
        with unsafe("both halves come together"):
            if warp.lane < 16:
                warp.sync(mask=0xFFFF_FFFF)  # here
            else:
                warp.sync(mask=0x0001_0001)  # there
    if idx in y:
        y[idx] = 1


def test_the_first_synchronisation_tells_and_the_context_lives_on() -> None:
    ctx = ox.Context("interp")
    stream = ctx.default_stream()
    y = DeviceBuffer.zeros(stream, 64, i32)
    halves.prepare(ctx, 64)(stream, y, 64)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    error = caught.value
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    places = {number for number, line in enumerate(lines, 1) if line.endswith(("# here", "# there"))}
    assert error.code == "OX7004" and error.kernel == "halves" and error.block == (0, 0, 0)
    assert {error.line, *(one.span.line for one in error.diagnostic.labels)} == places
    assert error.thread in ((32, 0, 0), (48, 0, 0)) and "16 threads wait here" in str(error)
    stream.synchronize()
    halves.prepare(ctx, 64)(stream, y, 0)
    np.testing.assert_array_equal(y.to_host(stream), np.ones(64))
