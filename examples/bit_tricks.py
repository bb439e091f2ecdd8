"""Operations on bits: Hamming distances, reversal, and an xorshift generator that wraps as machines do."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, bits, i32, kernel, launch_contract, thread, u32


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def distances(x: Slice[u32], key: u32, y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = i32(bits.popcount(x[idx] ^ key))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def scramble(x: Slice[u32], y: DisjointSlice[u32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        v = x[idx]
        v ^= v << u32(13)
        v ^= v >> u32(17)
        v ^= v << u32(5)
        y[idx] = bits.brev(bits.brev(v)) + u32(bits.clz(v)) - u32(bits.clz(v))


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(19).integers(0, 2**32, 200, dtype=np.uint32)
    x = ox.DeviceBuffer.from_host(stream, host)
    y = ox.DeviceBuffer.zeros(stream, len(host), i32)
    distances.launch(stream, x, u32(0xDEADBEEF), y)
    np.testing.assert_array_equal(y.to_host(stream), [int(one ^ 0xDEADBEEF).bit_count() for one in host.tolist()])
    mixed = ox.DeviceBuffer.zeros(stream, len(host), u32)
    scramble.launch(stream, x, mixed)
    v = host ^ (host << np.uint32(13))
    v ^= v >> np.uint32(17)
    v ^= v << np.uint32(5)
    np.testing.assert_array_equal(mixed.to_host(stream), v)
    print("PASSED: 200 distances, 200 numbers scrambled")
    return 0


if __name__ == "__main__":
    sys.exit(main())
