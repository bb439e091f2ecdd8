"""Votes of a block are barriers: neighbours trade places in shared memory until `block.any` says that none did."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, SliceMut, block, i32, kernel, launch_contract, require, shared, thread

N = 64


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def odd_even_sort(x: SliceMut[i32], rounds: SliceMut[i32]) -> None:
    require(len(x) == N, len(rounds) == 1)
    s = shared.array(i32, N)
    t = thread.idx.x
    if block.idx.x != 0:  # the same in all threads of the block
        return
    s[t] = x[t]
    block.sync()
    count = i32(0)
    again = True
    while again:
        moved = False
        if t % 2 == 0 and s[t] > s[t + 1]:
            s[t], s[t + 1] = s[t + 1], s[t]
            moved = True
        block.sync()
        if t % 2 == 1 and t < N - 1 and s[t] > s[t + 1]:
            s[t], s[t + 1] = s[t + 1], s[t]
            moved = True
        again = block.any(moved)
        count += 1
    x[t] = s[t]
    if t == 0:
        rounds[0] = count


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.random.default_rng(20).integers(0, 1000, N).astype(np.int32)
    x, rounds = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 1, i32)
    odd_even_sort.prepare(ctx, LaunchConfig1D(grid=1, block=N))(stream, x, rounds)
    np.testing.assert_array_equal(x.to_host(stream), np.sort(host))
    assert 1 <= rounds.to_host(stream)[0] <= N
    print(f"PASSED: 64 numbers sorted in {rounds.to_host(stream)[0]} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
