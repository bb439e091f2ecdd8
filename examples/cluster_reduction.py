"""A reduction over a cluster: every block adds into the first one's shared memory (a GPU from sm_90 on, or the interpreter)."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import Slice, SliceMut, atomic, block, cluster, cluster_launch, f32, kernel, launch_contract, shared, thread, unsafe

BLOCKS = 4


@kernel
@cluster_launch(BLOCKS)
@launch_contract(domain=1, block=(64, 1, 1))
def sums(x: Slice[f32], y: SliceMut[f32]) -> None:
    total = shared.array(f32, 1)
    i = thread.index_1d().get()
    mine = block.reduce_sum(x[i] if i < len(x) else f32(0))
    if thread.idx.x == 0:
        total[0] = 0
    cluster.sync()  # the first block's total is zero, and all blocks are at work
    with unsafe("between the two barriers of the cluster all meet in the total by atomics alone"):
        if thread.idx.x == 0:
            atomic.add(cluster.map_shared(total, 0), 0, mine, scope="cluster")
        cluster.sync()  # all have added, and no block ends before
        if cluster.rank == 0 and thread.idx.x == 0:
            y[block.idx.x // BLOCKS] = total[0]


def context() -> ox.Context:
    """The device that was asked for, if it has clusters."""
    ctx = ox.Context()
    fits = ctx.kind == "interp" or (ctx.compute_capability or (0, 0)) >= (9, 0)
    return ctx if fits else ox.Context("interp")


def main() -> int:
    ctx = context()
    stream = ctx.default_stream()
    host = np.random.default_rng(7).integers(0, 100, 1000).astype(np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 4, f32)
    sums.prepare(ctx, 1000)(stream, x, y)
    padded = np.pad(host, (0, 24)).reshape(4, 256)
    np.testing.assert_array_equal(y.to_host(stream), padded.sum(axis=1))
    print(f"PASSED: 1000 elements in clusters of {BLOCKS} blocks, each with one sum")
    return 0


if __name__ == "__main__":
    sys.exit(main())
