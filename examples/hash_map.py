"""A hash map that all threads fill at once: compare-exchange claims a slot, open addressing finds the next."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Slice, SliceMut, atomic, i32, kernel, launch_contract, require, thread, u32

CAPACITY = 1024  # slots; key 0 is an empty one


def slot_of(key: u32) -> i32:
    mixed = (key ^ (key >> u32(16))) * u32(0x45D9F3B)
    return i32((mixed ^ (mixed >> u32(16))) % u32(CAPACITY))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def count(words: Slice[u32], keys: SliceMut[u32], counts: SliceMut[u32]) -> None:
    require(len(keys) == CAPACITY, len(counts) == CAPACITY)
    i = thread.index_1d().get()
    if i < len(words):
        key = words[i]
        slot = slot_of(key)
        for _ in range(CAPACITY):
            found = atomic.compare_exchange(keys, slot, u32(0), key)
            if found == 0 or found == key:
                atomic.add(counts, slot, u32(1))
                break
            slot = (slot + 1) % CAPACITY


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def look_up(words: Slice[u32], keys: Slice[u32], counts: Slice[u32], found: DisjointSlice[u32]) -> None:
    idx = thread.index_1d()
    if idx in found:
        slot = slot_of(words[idx])
        while keys[slot] != 0 and keys[slot] != words[idx]:
            slot = (slot + 1) % CAPACITY
        found[idx] = counts[slot]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.random.default_rng(21).integers(1, 300, 2000, dtype=np.uint32) * np.uint32(77_777)
    words = ox.DeviceBuffer.from_host(stream, host)
    keys, counts = ox.DeviceBuffer.zeros(stream, CAPACITY, u32), ox.DeviceBuffer.zeros(stream, CAPACITY, u32)
    count.prepare(ctx, LaunchConfig1D.for_num_elems(len(host), block=64))(stream, words, keys, counts)
    distinct: NDArray[np.uint32] = np.unique(host)
    expected = (host[:, None] == distinct).sum(axis=0)
    found = ox.DeviceBuffer.zeros(stream, len(distinct), u32)
    look_up.launch(stream, ox.DeviceBuffer.from_host(stream, distinct), keys, counts, found)
    np.testing.assert_array_equal(found.to_host(stream), expected)
    print(f"PASSED: 2000 words counted under {len(distinct)} keys")
    return 0


if __name__ == "__main__":
    sys.exit(main())
