"""Dot products of signed bytes, four to a word: `bits.dp4a`, one instruction on a GPU, and a reduction over the warp, another."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, bits, block, i32, kernel, launch_contract, require, thread, warp

ROWS, WORDS = 16, 96


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def products(weights: Slice[i32], x: Slice[i32], y: SliceMut[i32]) -> None:
    """A warp for each row: `weights` has the rows one after the other."""
    require(len(weights) == len(y) * len(x), len(y) > 0)
    row = block.idx.x
    if row >= len(y):
        return
    total = i32(0)
    for at in range(warp.lane, len(x), 32):
        total = bits.dp4a(weights[row * len(x) + at], x[at], total)
    total = warp.reduce_sum(total)
    if thread.idx.x == 0:
        y[row] = total


def packed(values: NDArray[np.int8]) -> NDArray[np.int32]:
    """Four bytes to a word."""
    words: NDArray[np.int32] = np.frombuffer(values.tobytes(), np.int32)
    return words


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(0)
    weights, x = rng.integers(-128, 128, (ROWS, 4 * WORDS), np.int8), rng.integers(-128, 128, 4 * WORDS, np.int8)
    words, factors = ox.DeviceBuffer.from_host(stream, packed(weights)), ox.DeviceBuffer.from_host(stream, packed(x))
    y = ox.DeviceBuffer.zeros(stream, ROWS, i32)
    products.prepare(ctx, LaunchConfig1D(grid=ROWS, block=32))(stream, words, factors, y)
    assert y.to_host(stream).tolist() == (weights.astype(np.int64) @ x.astype(np.int64)).tolist()
    print(f"PASSED: {ROWS} products of {4 * WORDS} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
