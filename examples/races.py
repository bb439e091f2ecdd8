"""What the proof refuses: a missing barrier (OX4001), two threads on one element (OX4002), a barrier not all reach (OX3001)."""

from __future__ import annotations

import sys
from collections.abc import Callable

import oxidepy as ox
from oxidepy import LaunchConfig1D, Slice, SliceMut, block, f32, kernel, launch_contract, shared, thread


def refused(code: str, prepare: Callable[[], object]) -> None:
    try:
        prepare()
    except ox.CompileError as error:
        assert error.code == code, error
        print(error, end="\n\n")
        return
    raise AssertionError(f"{code} was not found")


def main() -> int:
    # inside of a function, since `oxidepy run` refuses a file with such kernels before it runs
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def no_barrier(x: Slice[f32], y: SliceMut[f32]) -> None:
        s = shared.array(f32, 64)
        t = thread.idx.x
        i = thread.index_1d().get()
        s[t] = x[i] if i < len(x) else f32(0)
        if i < len(y):
            y[i] = s[63 - t]  # another thread writes it, maybe later

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def same_element(x: Slice[f32], y: SliceMut[f32]) -> None:
        i = thread.index_1d().get()
        if i < len(x) and i // 2 < len(y):
            y[i // 2] = x[i]

    @kernel
    @launch_contract(domain=1, block=(64, 1, 1))
    def lone_barrier(y: SliceMut[f32]) -> None:
        i = thread.index_1d().get()
        if i < len(y):
            block.sync()
            y[i] = f32(1)

    ctx = ox.Context()
    config = LaunchConfig1D.for_num_elems(256, block=64)
    refused("OX4001", lambda: no_barrier.prepare(ctx, config))
    refused("OX4002", lambda: same_element.prepare(ctx, config))
    refused("OX3001", lambda: lone_barrier.prepare(ctx, config))
    print("PASSED: three kernels refused before they could run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
