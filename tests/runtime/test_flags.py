"""`IntFlag`: sets of bits as parameters, elements, fields, constants; what Python says of them, on every device."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import Const, DisjointSlice, Slice, i32, kernel, launch_contract, shared, struct, thread


class Side(enum.IntFlag):
    LEFT = 1
    RIGHT = 2
    TOP = 4
    BOTTOM = 8
    BOTH = 3


class Plain(enum.Flag):
    A = 1
    B = 2


DRAWN = Side.LEFT | Side.TOP


@struct
@dataclass(frozen=True)
class Box:
    sides: Side
    inner: tuple[Side, Side]


def number(s, box_sides, inner, i):
    out = 0
    if Side.LEFT in s:
        out += 1
    if Side.RIGHT not in s:
        out += 10
    if Side.BOTH in s:
        out += 100
    if (Side.TOP | Side.LEFT) in s:
        out += 50
    if s & Side.TOP != 0:
        out += 1000
    if s == Side.LEFT | Side.BOTTOM:
        out += 10_000
    if (Side(s) | DRAWN) ^ Side(2) == 7:
        out += 100_000
    if (s & ~Side.LEFT) == Side.TOP:
        out += 1_000_000
    if Side.TOP in box_sides and Side.TOP in inner[1]:
        out += 10_000_000
    match s:
        case Side.LEFT:
            out += 3
        case Side.BOTH:
            out += 5
        case _:
            out += 7
    return out + i


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def flags(s: Side, x: Slice[Side], box: Box, how: Const[Side], y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    kept = shared.array(Side, 32)
    if idx in y:
        kept[thread.idx.x] = x[idx] | how
        y[idx] = number(s, box.sides, box.inner, 0) * 2 + number(kept[thread.idx.x], box.sides, box.inner, idx.get())
        print(s, f"{s:03b}", x[idx], box)


def test_sets_of_bits(stream: ox.Stream, capsys: pytest.CaptureFixture[str]) -> None:
    for s in (Side.LEFT, Side.BOTH, Side(0), DRAWN, Side(15), 9):
        given = [Side.RIGHT, Side.LEFT | Side.BOTTOM, Side(0)]
        x = ox.DeviceBuffer.from_host(stream, np.array(given, np.int32))
        y = ox.DeviceBuffer.zeros(stream, 3, i32)
        box = Box(Side.TOP | Side.LEFT, (Side.LEFT, Side.TOP))
        flags.launch(stream, s, x, box, Side.LEFT, y)
        wanted = [number(Side(s), box.sides, box.inner, 0) * 2 + number(one | 1, box.sides, box.inner, i) for i, one in enumerate(given)]
        assert y.to_host(stream).tolist() == wanted
        said = capsys.readouterr().out.splitlines()
        assert said == [f"{int(s)} {int(s):03b} {int(one)} Box(sides=5, inner=(1, 4))" for one in given]


def test_plain_flags_are_told_of_these() -> None:
    @kernel
    def wrong(p: Plain, y: DisjointSlice[i32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = 1

    with pytest.raises(ox.CompileError) as caught:
        wrong.ptx("sm_80")
    (found,) = caught.value.diagnostics
    assert found.code == "OX1002" and "class Plain(enum.IntFlag):" in found.help
