"""Enums, `match` with patterns and guards, tuples: a small machine of four operations on pairs, which one thread tells step by step."""

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


def apply(op: Op, a: i32, b: i32) -> tuple[i32, i32]:
    match op, a:
        case Op.ADD | Op.SUB as sign, _:
            return (a + b if sign is Op.ADD else a - b), b
        case Op.MUL, (0 | 1) as factor:
            return (b if factor == 1 else 0), b
        case Op.MUL, factor if factor > 1:
            return factor * b, b
        case Op.MUL, _:
            return -(-a * b), b
        case _, first:
            return b, first


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def run(program: Slice[Op], x: Slice[i32], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        a, b = x[idx], idx.get()
        for op in program:
            a, b = apply(op, a, b)
            if idx.get() == 49:
                print(op.name, (a, b))
        y[idx] = a


def main() -> int:
    stream = ox.Context().default_stream()
    program = np.array([Op.ADD, Op.SWAP, Op.MUL, Op.SUB, Op.SWAP], np.int32)
    host = np.arange(50, dtype=np.int32) - 20
    y = ox.DeviceBuffer.zeros(stream, len(host), i32)
    steps = ox.DeviceBuffer.zeros(stream, len(program), Op)
    steps.copy_from_host(stream, program)
    run.launch(stream, steps, ox.DeviceBuffer.from_host(stream, host), y)
    np.testing.assert_array_equal(y.to_host(stream), host + np.arange(50))
    print("PASSED: five operations on 50 pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
