"""PTX without a GPU: a kernel compiled for an architecture, its text and the cost of its compilation in hand."""

from __future__ import annotations

import sys

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchConfig1D, Slice, f32, kernel, launch_contract, thread


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def scale(x: Slice[f32], factor: f32, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = factor * x[idx]


def main() -> int:
    for arch in ("sm_80", "sm_90"):
        text = scale.ptx(arch)
        assert f".target {arch}" in text and ".reqntid 128" in text, text
    ctx = ox.Context()
    stream = ctx.default_stream()
    host = np.arange(10, dtype=np.float32)
    y = ox.DeviceBuffer.zeros(stream, 10, f32)
    scale.prepare(ctx, LaunchConfig1D.for_num_elems(10, block=128))(stream, ox.DeviceBuffer.from_host(stream, host), 3.0, y)
    np.testing.assert_array_equal(y.to_host(stream), 3 * host)
    print("PASSED: the same kernel as PTX of two architectures, and run here")
    return 0


if __name__ == "__main__":
    sys.exit(main())
