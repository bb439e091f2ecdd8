"""Three axes: heat spreads through a block of metal, read as `u[i, j, k]` and written by each thread's own index."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import D3, DisjointSlice, Slice, f32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def spread(u: Slice[f32, D3], v: DisjointSlice[f32], rate: f32) -> None:
    idx = thread.index_1d()
    if idx not in v:
        return
    planes, rows, cols = u.shape
    k = idx.get() % cols
    j = idx.get() // cols % rows
    i = idx.get() // (rows * cols)
    here = u[i, j, k]
    around = u[max(i - 1, 0), j, k] + u[min(i + 1, planes - 1), j, k]
    around += u[i, max(j - 1, 0), k] + u[i, min(j + 1, rows - 1), k]
    around += u[i, j, max(k - 1, 0)] + u[i, j, min(k + 1, cols - 1)]
    v[idx] = here + rate * (around - 6 * here)


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(23).random((9, 10, 11), dtype=np.float32)
    v = ox.DeviceBuffer.zeros(stream, host.size, f32)
    spread.launch(stream, ox.DeviceBuffer.from_host(stream, host), v, 0.1)
    wide = np.pad(host, 1, mode="edge")  # nothing flows through the walls
    around = wide[2:, 1:-1, 1:-1] + wide[:-2, 1:-1, 1:-1] + wide[1:-1, 2:, 1:-1]
    around += wide[1:-1, :-2, 1:-1] + wide[1:-1, 1:-1, 2:] + wide[1:-1, 1:-1, :-2]
    np.testing.assert_allclose(v.to_host(stream).reshape(host.shape), host + 0.1 * (around - 6 * host), rtol=1e-5, atol=1e-6)
    print("PASSED: heat in a block of 9 x 10 x 11")
    return 0


if __name__ == "__main__":
    sys.exit(main())
