"""fp8: a matrix kept as e4m3 with a scale for each row, a quarter of its size, read back into a product with a vector."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import (
    D2,
    LaunchConfig1D,
    Slice,
    SliceMut,
    block,
    convert,
    f32,
    grid,
    kernel,
    launch_contract,
    require,
    thread,
    u16,
)

COLUMNS = 256


@kernel
@launch_contract(domain=1, block=(COLUMNS // 2, 1, 1))
def pack(x: Slice[f32, D2], codes: SliceMut[u16, D2], scales: SliceMut[f32]) -> None:
    require(x.shape[1] == COLUMNS, codes.shape[1] == COLUMNS // 2, len(x) == grid.dim.x, len(codes) == len(x), len(scales) == len(x))
    row, pair = block.idx.x, thread.idx.x
    a, b = x[row, 2 * pair], x[row, 2 * pair + 1]
    scale = block.reduce_max(max(abs(a), abs(b))) / 448.0  # the largest e4m3
    codes[row, pair] = convert.to_e4m3x2(a / scale, b / scale)
    if pair == 0:
        scales[row] = scale


@kernel
@launch_contract(domain=1, block=(COLUMNS // 2, 1, 1))
def product(codes: Slice[u16, D2], scales: Slice[f32], v: Slice[f32], y: SliceMut[f32]) -> None:
    require(codes.shape[1] == COLUMNS // 2, len(v) == COLUMNS, len(y) == grid.dim.x, len(codes) == len(y), len(scales) == len(y))
    row, pair = block.idx.x, thread.idx.x
    both = convert.from_e4m3x2(codes[row, pair])
    total = block.reduce_sum(f32(both.x) * v[2 * pair] + f32(both.y) * v[2 * pair + 1])
    if pair == 0:
        y[row] = scales[row] * total


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(8)
    rows = 64
    x_host = rng.normal(0, 1, (rows, COLUMNS)).astype(np.float32)
    v_host = rng.normal(0, 1, COLUMNS).astype(np.float32)
    codes = ox.DeviceBuffer.zeros(stream, (rows, COLUMNS // 2), u16)
    scales, y = (ox.DeviceBuffer.zeros(stream, rows, f32) for _ in range(2))
    config = LaunchConfig1D(grid=rows, block=COLUMNS // 2)
    pack.prepare(ctx, config)(stream, ox.DeviceBuffer.from_host(stream, x_host), codes, scales)
    product.prepare(ctx, config)(stream, codes, scales, ox.DeviceBuffer.from_host(stream, v_host), y)

    error = np.abs(y.to_host(stream) - x_host @ v_host).max() / np.abs(x_host @ v_host).max()
    assert codes.nbytes * 4 <= x_host.nbytes * 2 and error < 0.03, error
    print("PASSED: a matrix of 64 rows in fp8, its product within 3 %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
