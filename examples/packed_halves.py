"""Packed halves: a polynomial of two f16 at a time by fused products, summed for each parity by packed atomics."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, SliceMut, atomic, block, f16, f16x2, f32, kernel, launch_contract, thread, unroll

COEFFICIENTS = (0.125, -0.5, 0.25, 1.0)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def horner(x: Slice[f16x2], y: DisjointSlice[f16x2], total: SliceMut[f16x2]) -> None:
    idx = thread.index_1d()
    at = x[idx.get()]
    value = at * 0
    for c in unroll(COEFFICIENTS):
        value = value * at + c  # one fma.rn.f16x2
    if idx in y:
        y[idx] = value
    first, second = block.reduce_sum(f32(value.x)), block.reduce_sum(f32(value.y))
    if thread.idx.x == 0:
        atomic.add(total, 0, f16x2(f16(first), f16(second)))


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.linspace(-1, 1, 4096, dtype=np.float16)
    x = ox.DeviceBuffer.from_host(stream, host.view([("x", np.float16), ("y", np.float16)]))
    y = ox.DeviceBuffer.zeros(stream, 2048, f16x2)
    total = ox.DeviceBuffer.zeros(stream, 1, f16x2)
    horner.prepare(ctx, ox.LaunchConfig1D.for_num_elems(2048, block=128))(stream, x, y, total)

    wide = host.astype(np.float64)
    wanted = np.polyval(COEFFICIENTS, wide)
    np.testing.assert_allclose(y.to_host(stream).view(np.float16), wanted, rtol=5e-3)
    sums = total.to_host(stream).view(np.float16)
    np.testing.assert_allclose(sums, [wanted[::2].sum(), wanted[1::2].sum()], rtol=1e-2)
    print("PASSED: 4096 values of a polynomial, two at a time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
