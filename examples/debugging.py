"""Looking into a kernel: a clock around a part of it, a trap with its place, an assertion with its values, a stop for a debugger."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DevicePanic, DisjointSlice, Slice, debug, f32, kernel, launch_contract, math, thread, u64


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def measured(x: Slice[f32], y: DisjointSlice[f32], cycles: DisjointSlice[u64]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in cycles:
        v = x[idx]
        before = debug.clock()
        v = math.sin(v) * math.exp(v)
        cycles[idx] = debug.clock() - before
        debug.breakpoint()  # nothing, unless it is run with `--device-debug`
        y[idx] = v


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def stepped(x: Slice[f32], y: DisjointSlice[f32], mode: Slice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        kind = mode[0]
        if kind == 0.0:
            y[idx] = math.sqrt(x[idx])
        elif kind == 1.0:
            assert x[idx] <= 60.0, f"x[{idx.get()}] is {x[idx]:.1f}, and the table ends at {60.0}"
            y[idx] = x[idx]
        else:
            debug.trap()  # no such kind


def failure(stream: ox.Stream) -> DevicePanic | None:
    try:
        stream.synchronize()
    except DevicePanic as panic:
        return panic
    return None


def main() -> int:
    stream = ox.Context().default_stream()
    host = (np.arange(100) / 1.5).astype(np.float32)
    x, y = ox.DeviceBuffer.from_host(stream, host), ox.DeviceBuffer.zeros(stream, 100, f32)
    cycles = ox.DeviceBuffer.zeros(stream, 100, u64)
    measured.launch(stream, x, y, cycles)
    np.testing.assert_allclose(y.to_host(stream), np.sin(host) * np.exp(host), rtol=1e-5)
    print(f"sine and exponential: {np.median(cycles.to_host(stream)):.0f} ticks of the clock between the two readings")

    expected = {0.0: None, 1.0: "x[91] is 60.7, and the table ends at 60.0", 2.0: "debug.trap()"}
    for kind, text in expected.items():
        stepped.launch(stream, x, y, ox.DeviceBuffer.from_host(stream, np.array([kind], np.float32)))
        panic = failure(stream)
        assert (panic is None) == (text is None), panic
        if panic is not None:
            print(panic, end="\n\n")
            found = panic.diagnostic.message
            assert found == text or (kind == 1.0 and found.endswith("and the table ends at 60.0")), found  # a GPU tells of any thread
    print("PASSED: a clock, an assertion and a trap")
    return 0


if __name__ == "__main__":
    sys.exit(main())
