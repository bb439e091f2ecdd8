"""A sum in one launch: blocks leave their sums and take tickets, and the block with the last one (`order="acq_rel"`) adds the sums up."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import (
    LaunchConfig1D,
    Slice,
    SliceMut,
    atomic,
    block,
    f64,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    thread,
)

N = 128


@kernel
@launch_contract(domain=1, block=(N, 1, 1))
def total(x: Slice[f64], sums: SliceMut[f64], tickets: SliceMut[i32], result: SliceMut[f64]) -> None:
    require(len(sums) == grid.dim.x, len(tickets) == 1, len(result) == 1)
    ticket = shared.array(i32, 1)
    t = thread.idx.x
    mine = f64(0)
    for idx in thread.grid_stride(x):
        mine += x[idx]
    mine = block.reduce_sum(mine)
    if t == 0:
        atomic.store(sums, block.idx.x, mine)
        ticket[0] = atomic.add(tickets, 0, 1, order="acq_rel")  # who gets a later one sees the sum
    block.sync()
    if ticket[0] == grid.dim.x - 1:  # the same in all threads of the block
        mine = f64(0)
        for i in range(t, len(sums), N):
            mine += atomic.load(sums, i)
        mine = block.reduce_sum(mine)
        if t == 0:
            atomic.store(result, 0, mine)
            atomic.store(tickets, 0, 0)  # for the next launch


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    blocks = 12
    host = np.random.default_rng(6).random(10_007)
    x, sums = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, blocks, f64)
    tickets, result = ox.DeviceBuffer.zeros(stream, 1, i32), ox.DeviceBuffer.zeros(stream, 1, f64)
    prepared = total.prepare(ctx, LaunchConfig1D(grid=blocks, block=N))
    found: list[float] = []
    for _ in range(3):  # without atomics on numbers, in one order: the same bits each time
        prepared(stream, x, sums, tickets, result)
        found.append(float(result.to_host(stream)[0]))
    assert len(set(found)) == 1 and np.isclose(found[0], host.sum(), rtol=1e-12), found
    print(f"PASSED: three times {found[0]:.6f}, of {blocks} blocks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
