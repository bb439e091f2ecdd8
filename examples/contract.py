"""What a kernel requires of its launch: `require` is checked by the host, and a fact for the compiler's proofs."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchError, Slice, f32, kernel, launch_contract, require, thread


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def add(a: Slice[f32], b: Slice[f32], c: DisjointSlice[f32]) -> None:
    require(len(a) == len(c), len(b) == len(c))
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + b[idx]  # inside of `a` and `b` too: nothing is checked here


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.arange(100, dtype=np.float32)
    a, short, c = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 99, f32), ox.DeviceBuffer.zeros(stream, 100, f32)
    add.launch(stream, a, a, c)
    np.testing.assert_array_equal(c.to_host(stream), 2 * host)
    try:
        add.launch(stream, a, short, c)
    except LaunchError as error:
        assert error.code == "OX2005", error
        print(error)
    else:
        raise AssertionError("a launch that breaks the contract")
    print("PASSED: 100 sums, and a launch of unequal lengths refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
