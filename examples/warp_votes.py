"""Votes of a warp: which lanes hold the same value (`match_any`), whether some or all lanes hold a condition."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, bits, i32, kernel, launch_contract, thread, u32, warp


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def vote(x: Slice[i32], alike: DisjointSlice[i32], flags: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    i = idx.get()
    v = x[i] if i < len(x) else i32(-1)
    same = bits.popcount(warp.match_any(v))
    negative = warp.any(v < 0)
    small = warp.all(v < 10)
    first = warp.ballot(v == 3) & u32(1) != u32(0)
    if idx in alike:
        alike[idx] = i32(same)
    if idx in flags:
        flags[idx] = (1 if negative else 0) + (2 if small else 0) + (4 if first else 0)


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.random.default_rng(13).integers(0, 10, 96).astype(np.int32)
    host[0], host[40], host[70] = 3, -5, 12
    x = ox.DeviceBuffer.from_host(stream, host)
    alike, flags = ox.DeviceBuffer.zeros(stream, 96, i32), ox.DeviceBuffer.zeros(stream, 96, i32)
    vote.launch(stream, x, alike, flags)
    of_warps = host.reshape(3, 32)
    np.testing.assert_array_equal(alike.to_host(stream).reshape(3, 32), [(w[:, None] == w).sum(axis=1) for w in of_warps])
    expected = [(w < 0).any() + 2 * (w < 10).all() + 4 * (w[0] == 3) for w in of_warps]
    np.testing.assert_array_equal(flags.to_host(stream)[::32], expected)
    print("PASSED: votes of 3 warps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
