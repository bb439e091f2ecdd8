"""A loop of compare-exchange makes an atomic that the hardware lacks: the product of all elements."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import Slice, SliceMut, atomic, bits, f32, kernel, launch_contract, require, thread, u32


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def product(x: Slice[f32], result: SliceMut[u32]) -> None:
    require(len(result) == 1)
    i = thread.index_1d().get()
    if i < len(x):
        seen = atomic.load(result, 0)
        while True:
            wanted = bits.cast(u32, bits.cast(f32, seen) * x[i])
            found = atomic.compare_exchange(result, 0, seen, wanted)
            if found == seen:
                break
            seen = found


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.where(np.arange(100) % 3 == 0, 2.0, np.where(np.arange(100) % 3 == 1, 0.5, -1.0)).astype(np.float32)
    one = np.full(1, 0x3F800000, np.uint32)  # the bits of 1.0
    result: ox.DeviceBuffer[u32] = ox.DeviceBuffer.from_host(stream, one)
    product.prepare(ctx, ox.LaunchConfig1D.for_num_elems(len(host), block=64))(stream, ox.DeviceBuffer.from_host(stream, host), result)
    assert result.to_host(stream).view(np.float32)[0] == np.prod(host)  # powers of two: exact in any order
    print("PASSED: the product of 100 elements by compare-exchange")
    return 0


if __name__ == "__main__":
    sys.exit(main())
