"""The kernels that the doctor compiles and runs: small, with a bounds test that matters, and with results that are exact."""

from __future__ import annotations

from oxidepy import DisjointSlice, Slice, f32, kernel, launch_contract, thread

COUNT = 1000  # no multiple of the block: the last block has threads without an element
FACTOR = 2.0


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def saxpy(factor: f32, x: Slice[f32], y: Slice[f32], out: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in out:
        out[idx] = factor * x[idx] + y[idx]
