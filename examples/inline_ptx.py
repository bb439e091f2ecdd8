"""PTX inside a kernel with typed operands, timed by the device's clock; devices that are no GPU refuse it and name the line."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import CompileError, DisjointSlice, Slice, debug, kernel, launch_contract, ptx, thread, u32, u64, unsafe


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def differences(a: Slice[u32], b: Slice[u32], y: DisjointSlice[u32], cycles: DisjointSlice[u64]) -> None:
    """The sum of the absolute differences of four bytes."""
    idx = thread.index_1d()
    if idx in y and idx in cycles:
        before = debug.clock()
        with unsafe("it reads two registers and writes one"):
            y[idx] = ptx("vabsdiff4.u32.u32.u32.add {out}, {0}, {1}, {2};", a[idx], b[idx], u32(0), result=u32, pure=True)
        cycles[idx] = debug.clock() - before


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def portable(a: Slice[u32], b: Slice[u32], y: DisjointSlice[u32], cycles: DisjointSlice[u64]) -> None:
    """The same for every device."""
    idx = thread.index_1d()
    if idx in y and idx in cycles:
        before = debug.clock()
        total = u32(0)
        for byte in range(4):
            shift = u32(8 * byte)
            one, other = a[idx] >> shift & 255, b[idx] >> shift & 255
            total += max(one, other) - min(one, other)
        y[idx] = total
        cycles[idx] = debug.clock() - before


def main() -> int:
    ctx = ox.Context()
    stream = ctx.default_stream()
    rng = np.random.default_rng(7)
    a_host, b_host = (rng.integers(0, 1 << 32, 1000, dtype=np.uint64).astype(np.uint32) for _ in range(2))
    wanted = sum(abs((a_host >> shift & 255).astype(int) - (b_host >> shift & 255)) for shift in (0, 8, 16, 24))
    a, b = ox.DeviceBuffer.from_host(stream, a_host), ox.DeviceBuffer.from_host(stream, b_host)
    for one in (portable, differences):
        y, cycles = ox.DeviceBuffer.zeros(stream, 1000, u32), ox.DeviceBuffer.zeros(stream, 1000, u64)
        try:
            one.launch(stream, a, b, y, cycles)
        except CompileError as error:
            assert ctx.kind != "cuda" and error.code == "OX6001", error
            print(error)
            continue
        np.testing.assert_array_equal(y.to_host(stream), wanted)
        print(f"{one.name}: {np.median(cycles.to_host(stream)):.0f} cycles")
    print("PASSED: 1000 sums of absolute differences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
