"""`Edge(n)` in a kernel: the member of that number, and a panic where there is none."""

from __future__ import annotations

import enum

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import CompileError, DisjointSlice, Slice, i32, i64, kernel, launch_contract, thread


class Turn(enum.IntEnum):
    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3


class Odd(enum.Enum):
    LOW = -5
    HIGH = 7
    TOP = 40


class Wide(enum.Enum):
    FAR = 1 << 40


class Flags(enum.Flag):
    A = 1


class Word(enum.Enum):
    A = "a"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def turned(by: i32, d: DisjointSlice[Turn]) -> None:
    idx = thread.index_1d()
    if idx in d:
        d[idx] = Turn((d[idx] + by) % 4)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def sorted_out(x: Slice[i32], far: i64, y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        match Odd(x[idx]):
            case Odd.LOW:
                y[idx] = 1
            case Odd.HIGH:
                y[idx] = 2
            case Odd.TOP:
                y[idx] = 3 if Wide(far) is Wide.FAR and Turn(2) is Turn.SOUTH else 4


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_members_by_number(device: str) -> None:
    stream = ox.Context(device).default_stream()
    d = ox.DeviceBuffer.zeros(stream, 4, Turn)
    d.copy_from_host(stream, np.array([0, 1, 2, 3], np.int32))
    turned.launch(stream, 7, d)
    assert d.to_host(stream).tolist() == [3, 0, 1, 2]
    y = ox.DeviceBuffer.zeros(stream, 4, i32)
    sorted_out.launch(stream, ox.DeviceBuffer.from_host(stream, np.array([7, -5, 40, 7], np.int32)), i64(1 << 40), y)
    assert y.to_host(stream).tolist() == [2, 1, 3, 2]
    sorted_out.launch(stream, ox.DeviceBuffer.from_host(stream, np.array([7, -5, 8, 40], np.int32)), i64(1 << 40), y)
    with pytest.raises(ox.DevicePanic, match=r"`x\[idx\]` is no member of `Odd`") as caught:
        y.to_host(stream)
    assert (caught.value.code, caught.value.thread) == ("OX7002", (2, 0, 0))


def test_a_number_that_is_certainly_a_member_is_not_tested() -> None:
    assert turned.report().proofs[0].bounds.checked == 0
    assert sorted_out.report().proofs[0].bounds.checked == 2


@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        ("Turn(4)", "OX0308", "4 is no member of `Turn`"),
        ("Turn(far)", "OX0308", "mismatched types"),
        ("Turn()", "OX0308", "takes 1 argument"),
        ("Flags(1)", "OX0658", "making a member of `Flags`"),
        ("Word('a')", "OX0658", "making a member of `Word`"),
    ],
)
def test_what_is_none(body: str, code: str, text: str) -> None:
    from loading import defined

    source = f"@kernel\ndef k(far: i64, y: DisjointSlice[i32]) -> None:\n    i = thread.index_1d()\n    if i in y:\n        y[i] = {body}\n"
    with pytest.raises(CompileError) as caught:
        defined(source, globals())["k"].ptx("sm_80")
    assert caught.value.code == code and text in caught.value.diagnostics[0].message
