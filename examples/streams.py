"""Two streams: work on a buffer waits for what the other stream does with it, and events measure on the device's clock."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import BorrowError, DisjointSlice, Slice, f32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def scale(x: Slice[f32], factor: f32, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = factor * x[idx]


def main() -> int:
    ctx = ox.Context()
    first, second = ctx.new_stream(), ctx.new_stream()
    host = np.arange(20_000, dtype=np.float32)
    a = ox.DeviceBuffer.from_host(first, host)
    b, c = (ox.DeviceBuffer.empty_like(first, a) for _ in range(2))
    scale.launch(first, a, 1.0, b)  # compiles
    begin = first.record()
    scale.launch(first, a, 2.0, b)
    end = first.record()
    scale.launch(second, b, 3.0, c)  # reads what `first` writes: the launch waits for it by itself
    np.testing.assert_array_equal(c.to_host(second), 6 * host)
    milliseconds = end.elapsed_ms(begin)
    assert milliseconds >= 0

    half = len(host) // 2
    scale.launch(first, c[:half], 0.5, c[half:])  # parts that do not overlap may be read and written in one launch
    np.testing.assert_array_equal(c.to_host(first)[half:], 3 * host[:half])
    try:
        scale.launch(first, c, 0.5, c)
    except BorrowError as error:
        assert error.code == "OX0502"
    else:
        raise AssertionError("the same buffer was read and written")
    for buffer in (a, b, c):
        buffer.free(first)
    print(f"PASSED: two streams on {ctx.name}, a launch took {milliseconds:.3f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
