"""`print` and f-strings in a kernel: each step of a bisection, with the types' own texts, block by block and thread by thread."""

from __future__ import annotations

import contextlib
import io
import sys

import numpy as np

import oxidepy as ox
from oxidepy import DevicePanic, DisjointSlice, Slice, f32, i32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(2, 1, 1))
def roots(squares: Slice[f32], y: DisjointSlice[f32], rounds: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        square = squares[idx]
        assert square >= 0.0, f"{square} (item {idx.get()}) has no root"
        low, high = f32(0.0), max(square, 1.0)
        for step in range(rounds):
            middle = (low + high) / 2.0
            if middle * middle < square:
                low = middle
            else:
                high = middle
            if step % 8 == 0:
                print(f"{square:>5}: {step=:2} in [{low:.6f}, {high:.6f}]")
        y[idx] = high
        print("root of", square, "is", high, "or so; its square is", f"{high * high:.3e}")


def main() -> int:
    stream = ox.Context().default_stream()
    host = np.array([2.0, 9.0, 0.5], np.float32)
    y = ox.DeviceBuffer.zeros(stream, len(host), f32)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        roots.launch(stream, ox.DeviceBuffer.from_host(stream, host), y, 24)
        found = y.to_host(stream)  # what was printed comes with the first synchronisation
    print(printed.getvalue(), end="")
    np.testing.assert_allclose(found, np.sqrt(host), rtol=1e-6)
    lines = printed.getvalue().splitlines()
    assert len(lines) == 3 * 4 and lines[0] == "  2.0: step= 0 in [1.000000, 2.000000]", lines[0]
    assert [line.split()[2] for line in lines if line.startswith("root")] == ["2.0", "9.0", "0.5"]

    host[1] = -host[1]
    roots.launch(stream, ox.DeviceBuffer.from_host(stream, host), y, 24)
    try:
        stream.synchronize()
    except DevicePanic as panic:
        assert panic.diagnostic.message == "-9.0 (item 1) has no root", panic
    print("PASSED: twelve lines, in order")
    return 0


if __name__ == "__main__":
    sys.exit(main())
