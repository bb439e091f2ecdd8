"""Four neighbouring elements a thread, moved 16 bytes at a time: `Runs[4]`, the clipped last run, and runs in a grid of fixed size."""

from __future__ import annotations

import sys
from typing import Annotated

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Runs, Slice, Width, f32, kernel, launch_contract, thread, unroll

Out = Annotated[DisjointSlice[f32, Runs], Width(4)]  # to the compiler the same as DisjointSlice[f32, Runs[4]]


def polynomial(x: f32) -> f32:
    return (x * 0.5 - 1.0) * x + 2.0


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def evaluate(x: Slice[f32], y: Out) -> None:
    run = thread.index_run(4)
    if run in y:  # the whole run is inside: one test for four elements
        for k in unroll(range(4)):
            y[run, k] = polynomial(x[run, k])
    else:  # the last run has fewer
        for idx in run.clip(y):
            y[idx] = polynomial(x[idx])


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def swap_pairs(x: Slice[f32], y: Out) -> None:
    for run in thread.grid_stride(y):
        if run in y:
            a, b, c, d = x[run]
            y[run] = (b, a, d, c)
        else:
            for idx in run.clip(y):
                y[idx] = x[idx]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    few = swap_pairs.prepare(ctx, LaunchConfig1D(grid=2, block=128))
    for n in (3, 4096, 5001):
        host = np.linspace(-2, 2, n, dtype=np.float32)
        x = ox.DeviceBuffer.from_host(stream, host)
        y = ox.DeviceBuffer.zeros(stream, n, f32)
        evaluate.launch(stream, x, y)  # a quarter as many threads as elements
        np.testing.assert_allclose(y.to_host(stream), (host * 0.5 - 1) * host + 2, rtol=1e-5, atol=1e-6)
        few(stream, x, y)
        full = n // 4 * 4
        wanted = np.concatenate([host[:full].reshape(-1, 2)[:, ::-1].reshape(-1), host[full:]])
        np.testing.assert_array_equal(y.to_host(stream), wanted)
    print("PASSED: runs of four, whole and clipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
