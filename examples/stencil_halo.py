"""A stencil with a halo: a block stages its elements and the neighbours of its ends in shared memory."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, block, f32, kernel, launch_contract, shared, thread, unroll

BLOCK = 128
RADIUS = 3


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def box_blur(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    s = shared.array(f32, BLOCK + 2 * RADIUS)
    idx = thread.index_1d()
    t = thread.idx.x
    i = idx.get()
    s[t + RADIUS] = x[i] if i < len(x) else f32(0)
    if t < RADIUS:
        left = i - RADIUS
        right = i + BLOCK
        s[t] = x[left] if left >= 0 and left < len(x) else f32(0)
        s[t + RADIUS + BLOCK] = x[right] if right < len(x) else f32(0)
    block.sync()
    if idx in y:
        total = f32(0)
        for k in unroll(range(2 * RADIUS + 1)):
            total += s[t + k]
        y[idx] = total


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(5).integers(0, 10, 1000).astype(np.float32)
    y = ox.DeviceBuffer.zeros(stream, len(host), f32)
    box_blur.launch(stream, ox.DeviceBuffer.from_host(stream, host), y)
    np.testing.assert_array_equal(y.to_host(stream), np.convolve(host, np.ones(2 * RADIUS + 1), mode="same").astype(np.float32))
    print("PASSED: sums of 7 neighbours of 1000 elements")
    return 0


if __name__ == "__main__":
    sys.exit(main())
