"""Enums, `match` and tuples in kernels: a small machine of four operations on pairs."""

from __future__ import annotations

import sys
from enum import IntEnum

import numpy as np

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, i32, kernel, launch_contract, thread


class Op(IntEnum):
    ADD = 0
    SUB = 1
    MUL = 2
    SWAP = 3


def apply(op: i32, a: i32, b: i32) -> tuple[i32, i32]:
    match op:
        case Op.ADD:
            return a + b, b
        case Op.SUB:
            return a - b, b
        case Op.MUL:
            return a * b, b
        case Op.SWAP:
            return b, a
        case _:
            return a, b


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def run(program: Slice[i32], x: Slice[i32], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        a, b = x[idx], idx.get()
        for pc in range(len(program)):
            a, b = apply(program[pc], a, b)
        y[idx] = a


def main() -> int:
    stream = ox.Context().default_stream()
    program = np.array([Op.ADD, Op.SWAP, Op.MUL, Op.SUB, Op.SWAP], np.int32)
    host = np.arange(50, dtype=np.int32) - 20
    y = ox.DeviceBuffer.zeros(stream, len(host), i32)
    run.launch(stream, ox.DeviceBuffer.from_host(stream, program), ox.DeviceBuffer.from_host(stream, host), y)
    np.testing.assert_array_equal(y.to_host(stream), host + np.arange(50))
    print("PASSED: five operations on 50 pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
