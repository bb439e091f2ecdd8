"""What goes wrong on the device becomes a Python exception with line, block and thread, and the context works on."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DevicePanic, DisjointSlice, Slice, f32, i32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def gather(at: Slice[i32], x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[at[idx]]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def divide(a: Slice[i32], b: Slice[i32], q: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in q:
        assert a[idx] >= 0, "only natural numbers"
        q[idx] = a[idx] // b[idx]


def failure(stream: ox.Stream) -> DevicePanic:
    try:
        stream.synchronize()
    except DevicePanic as panic:
        return panic
    raise AssertionError("nothing went wrong")


def main() -> int:
    stream = ox.Context().default_stream()
    x = ox.DeviceBuffer.from_host(stream, np.arange(100, dtype=np.float32))
    at_host = np.arange(100, dtype=np.int32)[::-1].copy()
    at_host[70] = 1000
    y = ox.DeviceBuffer.zeros(stream, 100, f32)
    gather.launch(stream, ox.DeviceBuffer.from_host(stream, at_host), x, y)
    panic = failure(stream)
    assert (panic.code, panic.index, panic.length) == ("OX7001", 1000, 100)
    assert (panic.block, panic.thread) == ((1, 0, 0), (6, 0, 0))
    print(panic, end="\n\n")

    for a, b, code in ((7, 0, "OX7003"), (-7, 2, "OX7002")):
        a_host, b_host = np.full(1, a, np.int32), np.full(1, b, np.int32)
        one, other = ox.DeviceBuffer.from_host(stream, a_host), ox.DeviceBuffer.from_host(stream, b_host)
        divide.launch(stream, one, other, ox.DeviceBuffer.zeros(stream, 1, i32))
        assert failure(stream).code == code

    at_host[70] = 29
    gather.launch(stream, ox.DeviceBuffer.from_host(stream, at_host), x, y)  # the same context, and it is sound
    np.testing.assert_array_equal(y.to_host(stream), np.arange(100, dtype=np.float32)[::-1])
    print("PASSED: three panics caught, and the context works on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
