"""Asynchronous copies in two stages: the next tile comes while a block works on this one (on the CPU a copy is done at once)."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, async_copy, block, f32, i32, kernel, launch_contract, shared, thread, unroll, unsafe

TILE = 512


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def smoothed(x: Slice[f32], tiles: i32, y: SliceMut[f32]) -> None:
    s = shared.array(f32, (2, TILE))
    t = thread.idx.x
    first = block.idx.x * tiles
    with unsafe("a tile is read behind the wait for its copies and a barrier, and filled again behind another one"):
        async_copy.copy(s, (0, t * 4), x, first * TILE + t * 4, cache="cg")
        async_copy.commit()
        for k in range(tiles):
            if k + 1 < tiles:
                async_copy.copy(s, ((k + 1) % 2, t * 4), x, (first + k + 1) * TILE + t * 4, cache="cg")
            async_copy.commit()
            async_copy.wait(1)  # all groups but the latest: this tile is there
            block.sync()
            for j in unroll(range(4)):
                i = j * 128 + t
                left, right = s[k % 2, max(i - 1, 0)], s[k % 2, min(i + 1, TILE - 1)]
                y[(first + k) * TILE + i] = (left + s[k % 2, i] + right) * (1 / 3)
            block.sync()


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.random.default_rng(5).random((8, TILE), np.float32)
    x = ox.DeviceBuffer.from_host(stream, host.reshape(-1))
    y = ox.DeviceBuffer.zeros(stream, host.size, f32)
    smoothed.prepare(ctx, LaunchConfig1D(grid=2, block=128))(stream, x, 4, y)
    wide = np.pad(host, ((0, 0), (1, 1)), mode="edge")
    wanted = (wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]) / 3
    np.testing.assert_allclose(y.to_host(stream).reshape(8, TILE), wanted, rtol=1e-5)
    print(f"PASSED: 8 tiles of {TILE} elements, each loaded while the one before it was worked on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
