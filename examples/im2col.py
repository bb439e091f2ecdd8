"""A convolution whose input comes in columns of pixels by the tensor memory accelerator (a GPU from sm_90 on, or the interpreter)."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import (
    D2,
    D3,
    LaunchConfig1D,
    Slice,
    SliceMut,
    barrier,
    block,
    f32,
    kernel,
    launch_contract,
    local,
    shared,
    thread,
    tma,
    unsafe,
)

IMAGES, ROWS, COLUMNS, CHANNELS, FILTERS = 2, 9, 11, 8, 4
STRIDE, PADDING, TAPS = 2, 1, 3  # of a filter of 3 x 3
OUT_ROWS, OUT_COLUMNS = ((extent + 2 * PADDING - TAPS) // STRIDE + 1 for extent in (ROWS, COLUMNS))
OUT = OUT_ROWS * OUT_COLUMNS
PIXELS = 32  # of a block


@kernel
@launch_contract(domain=1, block=(PIXELS, 1, 1))
def convolve(x: tma.Im2colMap[f32, tma.D4], filters: Slice[f32, D3], y: SliceMut[f32, D2]) -> None:
    column = shared.array(f32, (PIXELS, CHANNELS), align=128)
    sums = local.array(f32, FILTERS)
    bars = barrier.array(1)
    t = thread.idx.x
    first = block.idx.x * PIXELS
    row, col = first % OUT // OUT_COLUMNS * STRIDE - PADDING, first % OUT_COLUMNS * STRIDE - PADDING
    for k in range(FILTERS):
        sums[k] = 0
    with unsafe("a column is read when the barrier's phase is over, and the next one begins behind the barrier of the block"):
        if t == 0:
            barrier.init(bars, 0, 1)
            barrier.fence_init()
        for tap in range(TAPS * TAPS):
            block.sync()
            if t == 0:
                tma.load(column, (0, 0), x, (first // OUT, row, col, 0), bars, 0, offsets=(tap // TAPS, tap % TAPS))
                barrier.arrive_expect_tx(bars, 0, PIXELS * CHANNELS * 4)
            barrier.wait_parity(bars, 0, tap % 2)
            for c in range(CHANNELS):
                for k in range(FILTERS):
                    sums[k] += column[t, c] * filters[tap, c, k]
    if first + t < y.shape[0]:
        for k in range(FILTERS):
            y[first + t, k] = sums[k]


def expected(x: np.ndarray, filters: np.ndarray) -> np.ndarray:
    wide = np.pad(x.astype(np.float64), ((0, 0), (PADDING, PADDING), (PADDING, PADDING), (0, 0)))
    total = np.zeros((IMAGES, OUT_ROWS, OUT_COLUMNS, FILTERS))
    for tap in range(TAPS * TAPS):
        down, right = divmod(tap, TAPS)
        part = wide[:, down : down + STRIDE * OUT_ROWS : STRIDE, right : right + STRIDE * OUT_COLUMNS : STRIDE]
        total += part[:, :OUT_ROWS, :OUT_COLUMNS] @ filters[tap]
    return total.reshape(-1, FILTERS)


def context() -> ox.Context:
    """The device that was asked for, if it has tensor maps."""
    ctx = ox.Context()
    fits = ctx.kind == "interp" or (ctx.compute_capability or (0, 0)) >= (9, 0)
    return ctx if fits else ox.Context("interp")


def main() -> int:
    ctx = context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(5)
    host = rng.random((IMAGES, ROWS, COLUMNS, CHANNELS), np.float32)
    filters = rng.random((TAPS * TAPS, CHANNELS, FILTERS), np.float32)
    x = ox.DeviceBuffer.from_host(stream, host.reshape(-1))
    y = ox.DeviceBuffer.zeros(stream, (IMAGES * OUT, FILTERS), f32)
    corners = (-PADDING,) * 2, (PADDING - TAPS + 1,) * 2
    images = tma.im2col_map(x, (PIXELS, CHANNELS), shape=host.shape, lower=corners[0], upper=corners[1], steps=(1, STRIDE, STRIDE, 1))
    blocks = ox.cdiv(IMAGES * OUT, PIXELS)
    convolve.prepare(ctx, LaunchConfig1D(blocks, PIXELS))(stream, images, ox.DeviceBuffer.from_host(stream, filters), y)
    np.testing.assert_allclose(y.to_host(stream), expected(host, filters), rtol=1e-5)
    print(f"PASSED: {IMAGES} images, {TAPS * TAPS} places of the filter, {IMAGES * OUT} pixels of {FILTERS} channels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
