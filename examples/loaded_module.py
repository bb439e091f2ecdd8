"""A kernel of CUDA C++ from a file, on our streams and buffers; where no GPU is there, one of our own in its place."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import oxidepy as ox
from oxidepy import DeviceError, DisjointSlice, LaunchConfig, Ptr, Slice, f32, i32, kernel, thread, unsafe

FILE = Path(__file__).with_name("foreign_code.ptx")


def saxpy(n: i32, a: f32, x: Ptr[f32], y: Ptr[f32]) -> None: ...  # as `foreign_code.cu` declares it


@kernel
def portable(x: Slice[f32], y: DisjointSlice[f32], a: f32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] += a * x[idx]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng, n = np.random.default_rng(7), 1000
    x_host, y_host = rng.random(n, np.float32), rng.random(n, np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, x_host), ox.DeviceBuffer.from_host(stream, y_host)
    try:
        there = ctx.load_module(FILE).kernel(saxpy)
    except DeviceError as error:
        assert ctx.kind != "cuda" and error.code == "OX6001", error
        print(error)
        portable.launch(stream, x, y, 2.5)
    else:
        with unsafe("x and y have n elements, and the kernel tests its index"):
            there.launch_unchecked(stream, LaunchConfig(grid=(ox.cdiv(n, 256), 1, 1), block=(256, 1, 1)), n, 2.5, x, y)
    np.testing.assert_allclose(y.to_host(stream), 2.5 * x_host + y_host, rtol=1e-6)
    print("PASSED: a x + y of 1000 elements")
    return 0


if __name__ == "__main__":
    sys.exit(main())
