"""The greatest number and its place: `block.reduce` by a function of one's own, then a compare-exchange of a struct in one piece."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, atomic, block, f32, i32, kernel, launch_contract, require, struct, thread

LOWEST = -3.4e38


@struct
@dataclass(frozen=True)
class Found:
    """Eight bytes without gaps, so that an atomic access moves both fields at once."""

    value: f32
    at: i32


def better(a: Found, b: Found) -> Found:
    return a if a.value > b.value or (a.value == b.value and a.at < b.at) else b


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def argmax(x: Slice[f32], best: SliceMut[Found]) -> None:
    require(len(best) == 1)
    mine = Found(LOWEST, 0)
    for idx in thread.grid_stride(x):
        mine = better(mine, Found(x[idx], idx.get()))
    mine = block.reduce(mine, better)
    if thread.idx.x == 0:
        old = atomic.load(best, 0)
        while better(mine, old) != old:
            seen = atomic.compare_exchange(best, 0, old, mine)
            if seen == old:
                break
            old = seen


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    numbers = np.random.default_rng(3).integers(0, 900, 5003).astype(np.float32)
    x = ox.DeviceBuffer.from_host(stream, numbers)
    best = ox.DeviceBuffer.zeros(stream, 1, Found)
    best.copy_from_host(stream, np.array([(LOWEST, 0)], best.dtype))
    argmax.prepare(ctx, LaunchConfig1D(grid=8, block=128))(stream, x, best)
    value, at = best.to_host(stream)[0]
    assert (value, at) == (numbers.max(), numbers.argmax()), (value, at)
    print(f"PASSED: the first {value:.0f} of 5003 numbers is number {at}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
