"""Compaction: a ballot and a count of bits place the elements of a warp, shared memory those of a block."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, atomic, bits, block, i32, kernel, launch_contract, shared, thread, u32, warp

BLOCK = 128


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def keep_positive(x: Slice[i32], kept: SliceMut[i32], counts: SliceMut[i32]) -> None:
    s = shared.array(i32, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    v = x[i] if i < len(x) else i32(0)
    keep = v > 0
    ballot = warp.ballot(keep)
    in_warp = i32(bits.popcount(ballot & ((u32(1) << u32(warp.lane)) - u32(1))))
    first = block.scan_sum(i32(bits.popcount(ballot)) if warp.lane == 0 else i32(0)) - i32(bits.popcount(ballot))
    s[t] = i32(0)
    block.sync()
    if keep:
        atomic.store(s, first + in_warp, v)
    block.sync()
    count = block.count(keep)
    if i < len(kept):
        kept[i] = s[t]
    if t == 0 and block.idx.x < len(counts):
        counts[block.idx.x] = i32(count)


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.random.default_rng(11).integers(-5, 6, 500).astype(np.int32)
    config = LaunchConfig1D.for_num_elems(len(host), block=BLOCK)
    kept = ox.DeviceBuffer.zeros(stream, len(host), i32)
    counts = ox.DeviceBuffer.zeros(stream, config.grid, i32)
    keep_positive.prepare(ctx, config)(stream, ox.DeviceBuffer.from_host(stream, host), kept, counts)
    parts = [kept.to_host(stream)[k * BLOCK :][:n] for k, n in enumerate(counts.to_host(stream))]
    np.testing.assert_array_equal(np.concatenate(parts), host[host > 0])
    print(f"PASSED: {sum(len(part) for part in parts)} of 500 elements kept, in their order")
    return 0


if __name__ == "__main__":
    sys.exit(main())
