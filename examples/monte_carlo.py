"""Counter-based random numbers: pi by Monte Carlo with `random.uniform`, the same points on every device."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, SliceMut, atomic, block, f32, kernel, launch_contract, random, require, thread, u32

BLOCKS = 32


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def hits(seed: u32, inside: SliceMut[u32]) -> None:
    require(len(inside) == 1)
    a, b, c, d = random.uniform((seed, 0), (u32(thread.index_1d().get()), 0, 0, 0))
    count = in_circle(a, b) + in_circle(c, d)
    count = block.reduce_sum(count)
    if thread.idx.x == 0:
        atomic.add(inside, 0, count)


def in_circle(x: f32, y: f32) -> u32:
    return u32(1) if x * x + y * y < 1 else u32(0)


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    inside = ox.DeviceBuffer.zeros(stream, 1, u32)
    hits.prepare(ctx, LaunchConfig1D(grid=BLOCKS, block=128))(stream, u32(42), inside)
    points = BLOCKS * 128 * 2
    pi = 4 * int(inside.to_host(stream)[0]) / points
    assert abs(pi - np.pi) < 0.05, pi
    print(f"PASSED: pi is about {pi:.3f} by {points} points")
    return 0


if __name__ == "__main__":
    sys.exit(main())
