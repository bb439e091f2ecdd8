"""Barriers in shared memory: one warp fills buffers, another one empties them (a GPU, or the interpreter)."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import Slice, SliceMut, barrier, block, f32, kernel, launch_contract, shared, thread, unroll, unsafe

STAGES = 2


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def piped(x: Slice[f32], y: SliceMut[f32]) -> None:
    s = shared.array(f32, (STAGES, 32))
    full, empty = barrier.array(STAGES), barrier.array(STAGES)
    t = thread.idx.x
    rounds = len(x) // 32
    with unsafe("a buffer is written when it is empty and read when it is full, as the barriers' phases say"):
        if t == 0:
            for k in unroll(range(STAGES)):
                barrier.init(full, k, 32)
                barrier.init(empty, k, 32)
        block.sync()
        for k in range(rounds):
            stage, turn = k % STAGES, k // STAGES % 2
            if t < 32:  # the producer
                barrier.wait_parity(empty, stage, 1 - turn)
                s[stage, t] = x[k * 32 + t]
                barrier.arrive(full, stage)
            else:  # the consumer
                barrier.wait_parity(full, stage, turn)
                y[k * 32 + 63 - t] = s[stage, t - 32] * 2
                barrier.arrive(empty, stage)


def main() -> int:
    ctx = ox.Context()
    if ctx.kind == "cpu":  # where a warp cannot wait for another one
        ctx = ox.Context("interp")
    stream = ctx.default_stream()
    host = np.random.default_rng(8).random(320, np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 320, f32)
    piped.prepare(ctx, 64)(stream, x, y)
    np.testing.assert_array_equal(y.to_host(stream), host.reshape(10, 32)[:, ::-1].reshape(-1) * 2)
    print(f"PASSED: 10 rounds through {STAGES} buffers, from one warp to the other")
    return 0


if __name__ == "__main__":
    sys.exit(main())
