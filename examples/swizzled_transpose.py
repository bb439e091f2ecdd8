"""A transpose through shared memory without padding: a swizzle puts rows and columns of the tile into different banks, and says so."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D2, LaunchConfig2D, Slice, SliceMut, block, f32, kernel, launch_contract, shared, static_assert, swizzle, thread

TILE = 32
ORDER = swizzle.xor(5, base=0, shift=5)  # column and row of a tile of 32 x 32, combined by exclusive or


@kernel
@launch_contract(domain=2, block=(32, 8, 1))
def transpose(x: Slice[f32, D2], y: SliceMut[f32, D2]) -> None:
    static_assert(ORDER.conflict_degree(1) == 1, "the lanes of a warp write a row")
    static_assert(ORDER.conflict_degree(TILE) == 1, "and read a column, each lane from a bank of its own")
    tile = shared.array(f32, TILE * TILE)
    tx, ty = thread.idx.x, thread.idx.y
    left, top = TILE * block.idx.x, TILE * block.idx.y
    for k in range(0, TILE, 8):
        if top + ty + k < x.shape[0] and left + tx < x.shape[1]:
            tile[ORDER.apply(TILE * (ty + k) + tx)] = x[top + ty + k, left + tx]
    block.sync()
    for k in range(0, TILE, 8):
        if left + ty + k < y.shape[0] and top + tx < y.shape[1]:
            y[left + ty + k, top + tx] = tile[ORDER.apply(TILE * tx + ty + k)]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.arange(70 * 45, dtype=np.float32).reshape(70, 45)
    x = ox.DeviceBuffer.from_host(stream, host)
    y = ox.DeviceBuffer.zeros(stream, (45, 70), f32)
    transpose.prepare(ctx, LaunchConfig2D(grid=(2, 3), block=(32, 8)))(stream, x, y)
    np.testing.assert_array_equal(y.to_host(stream), host.T)
    plain = swizzle.xor(0).conflict_degree(TILE)
    print(f"a column of a plain tile takes {plain} passes, of the swizzled one {ORDER.conflict_degree(TILE)}")
    print("PASSED: transposed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
