"""A function of CUDA C++ in a kernel, linked on a GPU, its Python body elsewhere; and a function in Python for CUDA C++ to call."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, export, extern, kernel, launch_contract, thread, u32, u64, unsafe


@extern("foreign_code.ptx")
def collatz(n: u64) -> u32:
    """How many steps lead from n to 1: what `foreign_code.cu` says, for devices that are no GPU."""
    steps = u32(0)
    while n != 1:
        n = n * 3 + 1 if n % 2 == 1 else n // 2
        steps += 1
    return steps


@export
def longer(n: u64, m: u64) -> bool:
    """For other code: `oxidepy build --emit ptx` writes it as `extern "C" __device__ bool longer(…)`."""
    with unsafe("collatz takes any positive number"):
        return collatz(n) > collatz(m)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def steps_to_one(y: DisjointSlice[u32], rises: DisjointSlice[u32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in rises:
        n = u64(idx.get() + 1)
        with unsafe("collatz takes any positive number"):
            y[idx] = collatz(n)
        rises[idx] = 1 if longer(n + 1, n) else 0


def expected(n: int) -> int:
    steps = 0
    while n != 1:
        n, steps = 3 * n + 1 if n % 2 else n // 2, steps + 1
    return steps


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    y, rises = (ox.DeviceBuffer.zeros(stream, 500, u32) for _ in range(2))
    steps_to_one.launch(stream, y, rises)
    wanted = np.array([expected(n) for n in range(1, 502)])
    np.testing.assert_array_equal(y.to_host(stream), wanted[:-1])
    np.testing.assert_array_equal(rises.to_host(stream), wanted[1:] > wanted[:-1])
    what = "function of the file" if ctx.kind == "cuda" else "body that stands for it"
    print(f"PASSED: at most {wanted.max()} steps lead to 1, by the {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
