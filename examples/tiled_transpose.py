"""A transpose through a padded tile of shared memory: rows are read and written whole, and no two threads meet."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig2D, Slice, SliceMut, block, f32, i32, kernel, launch_contract, require, shared, thread, unroll

TILE = 32
ROWS = 8


@kernel
@launch_contract(domain=2, block=(TILE, ROWS, 1))
def transpose(src: Slice[f32], dst: SliceMut[f32], width: i32, height: i32) -> None:
    require(len(src) == width * height, len(dst) == width * height)
    tile = shared.array(f32, (TILE, TILE + 1))  # one more column: a column of the tile lies in 32 banks
    tx, ty = thread.idx.x, thread.idx.y
    x = block.idx.x * TILE + tx
    for k in unroll(range(0, TILE, ROWS)):
        y = block.idx.y * TILE + ty + k
        if x < width and y < height:
            tile[ty + k, tx] = src[y * width + x]
    block.sync()
    x = block.idx.y * TILE + tx
    for k in unroll(range(0, TILE, ROWS)):
        y = block.idx.x * TILE + ty + k
        if x < height and y < width:
            dst[y * height + x] = tile[tx, ty + k]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    width, height = 75, 50
    host = np.arange(width * height, dtype=np.float32).reshape(height, width)
    src = ox.DeviceBuffer.from_host(stream, host.ravel())
    dst = ox.DeviceBuffer.zeros(stream, host.size, f32)
    config = LaunchConfig2D(grid=(ox.cdiv(width, TILE), ox.cdiv(height, TILE)), block=(TILE, ROWS))
    transpose.prepare(ctx, config)(stream, src, dst, width, height)
    np.testing.assert_array_equal(dst.to_host(stream).reshape(width, height), host.T)
    print("PASSED: 50 x 75 transposed in tiles of 32 x 32")
    return 0


if __name__ == "__main__":
    sys.exit(main())
