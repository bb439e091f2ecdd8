"""A tree reduction in shared memory, a barrier after every step, proven free of races."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, block, f32, kernel, launch_contract, shared, thread

BLOCK = 256


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def partial_sums(x: Slice[f32], partial: SliceMut[f32]) -> None:
    s = shared.array(f32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = x[i] if i < len(x) else f32(0)
    block.sync()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        block.sync()
        step //= 2
    if t == 0 and block.idx.x < len(partial):
        partial[block.idx.x] = s[0]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    x_host = np.random.default_rng(0).integers(0, 100, 5000).astype(np.float32)
    config = LaunchConfig1D.for_num_elems(len(x_host), block=BLOCK)
    partial = ox.DeviceBuffer.zeros(stream, config.grid, f32)
    partial_sums.prepare(ctx, config)(stream, ox.DeviceBuffer.from_host(stream, x_host), partial)
    assert partial.to_host(stream).sum() == x_host.sum()  # whole numbers: exact in any order
    print("PASSED: 5000 numbers added by blocks of 256")
    return 0


if __name__ == "__main__":
    sys.exit(main())
