"""The tensor memory accelerator: boxes of a matrix in and out, edges included (a GPU from sm_90 on, or the interpreter)."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, LaunchConfig2D, barrier, block, f32, kernel, launch_contract, shared, thread, tma, unroll, unsafe

ROWS, COLUMNS = 16, 32
WHY = "the box is read when the barrier's phase is over, and written out behind the fence and the barrier of the block"


@kernel
@launch_contract(domain=2, block=(32, 1, 1))
def transpose(x: tma.TensorMap[f32, D2], y: tma.TensorMapMut[f32, D2]) -> None:
    tile = shared.array(f32, (ROWS, COLUMNS), align=128)
    turned = shared.array(f32, (COLUMNS, ROWS), align=128)
    bars = barrier.array(1)
    t = thread.idx.x
    row, column = block.idx.y * ROWS, block.idx.x * COLUMNS
    with unsafe(WHY):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
            tma.load(tile, (0, 0), x, (row, column), bars, 0)
            barrier.arrive_expect_tx(bars, 0, ROWS * COLUMNS * 4)
        block.sync()
        barrier.wait_parity(bars, 0, 0)
        for k in unroll(range(ROWS)):
            turned[t, k] = tile[k, t]
        barrier.fence_proxy_async("shared")
        block.sync()
        if t == 0:
            tma.store(y, (column, row), turned, (0, 0))
            tma.commit()
            tma.wait()


def context() -> ox.Context:
    """The device that was asked for, if it has tensor maps."""
    ctx = ox.Context()
    fits = ctx.kind == "interp" or (ctx.compute_capability or (0, 0)) >= (9, 0)
    return ctx if fits else ox.Context("interp")


def main() -> int:
    ctx = context()
    stream = ctx.default_stream()
    host = np.random.default_rng(6).random((40, 100), np.float32)
    x = ox.DeviceBuffer.from_host(stream, host)
    y = ox.DeviceBuffer.zeros(stream, (100, 40), f32)
    into, out = tma.tensor_map(x, (ROWS, COLUMNS)), tma.tensor_map(y, (COLUMNS, ROWS))
    transpose.prepare(ctx, LaunchConfig2D(grid=(4, 3), block=(32, 1)))(stream, into, out)
    np.testing.assert_array_equal(y.to_host(stream), host.T)
    print("PASSED: 40 x 100 elements in boxes of 16 x 32, those at the edges cut")
    return 0


if __name__ == "__main__":
    sys.exit(main())
