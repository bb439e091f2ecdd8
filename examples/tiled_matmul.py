"""A matrix product: tiles of both factors in shared memory, two barriers for each step along k."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig2D, Slice, SliceMut, block, f32, i32, kernel, launch_contract, require, shared, thread

T = 16


@kernel
@launch_contract(domain=2, block=(T, T, 1))
def matmul(a: Slice[f32], b: Slice[f32], c: SliceMut[f32], m: i32, n: i32, k: i32) -> None:
    require(len(a) == m * k, len(b) == k * n, len(c) == m * n)
    sa = shared.array(f32, (T, T))
    sb = shared.array(f32, (T, T))
    tx, ty = thread.idx.x, thread.idx.y
    row = block.idx.y * T + ty
    col = block.idx.x * T + tx
    acc = f32(0)
    for step in range(0, k, T):
        sa[ty, tx] = a[row * k + step + tx] if row < m and step + tx < k else f32(0)
        sb[ty, tx] = b[(step + ty) * n + col] if step + ty < k and col < n else f32(0)
        block.sync()
        for q in range(T):
            acc += sa[ty, q] * sb[q, tx]
        block.sync()
    if row < m and col < n:
        c[row * n + col] = acc


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(1)
    m, n, k = 35, 20, 40
    a_host = rng.integers(-4, 5, (m, k)).astype(np.float32)
    b_host = rng.integers(-4, 5, (k, n)).astype(np.float32)
    a = ox.DeviceBuffer.from_host(stream, a_host.ravel())
    b = ox.DeviceBuffer.from_host(stream, b_host.ravel())
    c = ox.DeviceBuffer.zeros(stream, m * n, f32)
    config = LaunchConfig2D(grid=(ox.cdiv(n, T), ox.cdiv(m, T)), block=(T, T))
    matmul.prepare(ctx, config)(stream, a, b, c, m, n, k)
    np.testing.assert_array_equal(c.to_host(stream).reshape(m, n), a_host @ b_host)
    print("PASSED: 35 x 40 times 40 x 20")
    return 0


if __name__ == "__main__":
    sys.exit(main())
