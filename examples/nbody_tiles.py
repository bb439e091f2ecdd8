"""All pairs of bodies: a block stages positions in shared memory, tile after tile, for all of its threads."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, block, f32, kernel, launch_contract, math, shared, thread

BLOCK = 64
SOFT = 0.01


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def pull(x: Slice[f32], mass: Slice[f32], force: DisjointSlice[f32]) -> None:
    sx = shared.array(f32, BLOCK)
    sm = shared.array(f32, BLOCK)
    idx = thread.index_1d()
    t = thread.idx.x
    mine = x[idx.get()] if idx.get() < len(x) else f32(0)
    acc = f32(0)
    for start in range(0, len(x), BLOCK):
        at = start + t
        sx[t] = x[at] if at < len(x) else f32(0)
        sm[t] = mass[at] if at < len(mass) else f32(0)  # bodies that are not there weigh nothing
        block.sync()
        for k in range(BLOCK):
            d = sx[k] - mine
            square = d * d + SOFT
            acc += sm[k] * d / (square * math.sqrt(square))
        block.sync()
    if idx in force:
        force[idx] = acc


def main() -> int:
    stream = ox.Context().default_stream()
    rng = np.random.default_rng(15)
    x_host, mass_host = rng.random(150, dtype=np.float32), rng.random(150, dtype=np.float32)
    force = ox.DeviceBuffer.zeros(stream, 150, f32)
    pull.launch(stream, ox.DeviceBuffer.from_host(stream, x_host), ox.DeviceBuffer.from_host(stream, mass_host), force)
    d = x_host[None, :].astype(np.float64) - x_host[:, None]
    expected = (mass_host * d / (d * d + SOFT) ** 1.5).sum(axis=1)
    np.testing.assert_allclose(force.to_host(stream), expected, rtol=1e-3, atol=1e-2)
    print("PASSED: 150 bodies pull each other")
    return 0


if __name__ == "__main__":
    sys.exit(main())
