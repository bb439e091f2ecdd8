"""Structs in shared memory: where the least element stands, by a tree of comparisons of value and place."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, block, f32, i32, kernel, launch_contract, shared, struct, thread

BLOCK = 128


@struct
@dataclass(frozen=True)
class Found:
    value: f32
    at: i32


def better(a: Found, b: Found) -> bool:
    return a.value < b.value or (a.value == b.value and a.at < b.at)


@kernel
@launch_contract(domain=1, block=(BLOCK, 1, 1))
def arg_min(x: Slice[f32], found: SliceMut[Found]) -> None:
    s = shared.array(Found, BLOCK)
    t = thread.idx.x
    i = thread.index_1d().get()
    s[t] = Found(x[i], i) if i < len(x) else Found(f32(math.inf), i)
    block.sync()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            one, other = s[t], s[t + step]
            s[t] = other if better(other, one) else one
        block.sync()
        step //= 2
    if t == 0 and block.idx.x < len(found):
        found[block.idx.x] = s[0]


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.random.default_rng(12).random(1000, dtype=np.float32)
    config = LaunchConfig1D.for_num_elems(len(host), block=BLOCK)
    found = ox.DeviceBuffer.zeros(stream, config.grid, Found)
    arg_min.prepare(ctx, config)(stream, ox.DeviceBuffer.from_host(stream, host), found)
    of_blocks = found.to_host(stream)
    least = of_blocks[np.argmin(of_blocks["value"])]
    assert least["at"] == np.argmin(host) and least["value"] == host.min()
    print(f"PASSED: the least of 1000 elements stands at {least['at']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
