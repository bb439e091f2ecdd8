"""Tiles on ways of their own: eight lanes look at eight slots of a hash map at once, and each tile goes on until it has found its key."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import Slice, SliceMut, atomic, bits, i32, kernel, launch_contract, thread, u32, warp

LANES = 8
EMPTY = 0


def first_group(key: u32, groups: i32) -> i32:
    return i32(key * u32(2654435761) >> u32(8)) % groups


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def insert(keys: Slice[u32], items: Slice[u32], slots: SliceMut[u32], values: SliceMut[u32]) -> None:
    tile = warp.tiled_partition(LANES)
    number = thread.index_1d().get() // LANES
    if number < len(keys):
        key, groups = keys[number], len(slots) // LANES
        group = first_group(key, groups)
        done = False
        while not done:
            free = tile.ballot(atomic.load(slots, group * LANES + tile.lane) == EMPTY)
            if free == 0:
                group = (group + 1) % groups
                continue
            at = group * LANES + i32(bits.ctz(free))
            won = False
            if tile.elect():
                won = atomic.compare_exchange(slots, at, EMPTY, key) == EMPTY
                if won:
                    atomic.store(values, at, items[number])
            done = tile.any(won)  # else another tile was quicker: look again


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def find(keys: Slice[u32], slots: Slice[u32], values: Slice[u32], found: SliceMut[u32]) -> None:
    tile = warp.tiled_partition(LANES)
    number = thread.index_1d().get() // LANES
    if number < len(keys):
        key, groups = keys[number], len(slots) // LANES
        group = first_group(key, groups)
        result = u32(0)
        for _ in range(groups):
            slot = slots[group * LANES + tile.lane]
            hit = tile.ballot(slot == key)
            if hit != 0:
                result = values[group * LANES + i32(bits.ctz(hit))]
            if hit != 0 or tile.any(slot == EMPTY):
                break
            group = (group + 1) % groups
        if tile.elect() and number < len(found):
            found[number] = result


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(5)
    known, absent = np.split(rng.choice(np.arange(1, 1 << 20, dtype=np.uint32), 700, replace=False), [600])
    slots, values = (ox.DeviceBuffer.zeros(stream, 1024, u32) for _ in range(2))
    keys, items = ox.DeviceBuffer.from_host(stream, known), ox.DeviceBuffer.from_host(stream, known * 3)
    insert.prepare(ctx, len(known) * LANES)(stream, keys, items, slots, values)

    asked = np.concatenate([known, absent])
    found = ox.DeviceBuffer.zeros(stream, len(asked), u32)
    find.prepare(ctx, len(asked) * LANES)(stream, ox.DeviceBuffer.from_host(stream, asked), slots, values, found)
    np.testing.assert_array_equal(found.to_host(stream), np.concatenate([known * 3, np.zeros_like(absent)]))
    print("PASSED: 600 keys put in by tiles of 8 lanes, and found; 100 others not")
    return 0


if __name__ == "__main__":
    sys.exit(main())
