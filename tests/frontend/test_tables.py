"""Tuples of constants that are indexed at run time: a few are chosen among, many lie in memory and cost one load."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import enum
import re

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import every, lowered
from frontend.test_halves import DEVICES, launched, ptx

import oxidepy as ox
from oxidepy import SliceMut, bf16, f16, f32, f64, grid, i8, i32, i64, kernel, launch_contract, require, thread, u8, u16, u64
from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module

WORDS = tuple((one * 2654435761) & 0xFFFFFFFFFFFFFFFF for one in range(300))
FLOATS = (*(one / 7 for one in range(20)), float("inf"), -0.0, float("nan"), 1e-42)
FLAGS = tuple(one % 3 == 0 for one in range(20))
PAIRS = tuple((one, -one / 3) for one in range(12))
FEW = (5, 7, 9)


class Direction(enum.IntEnum):
    NORTH = 10
    EAST = 20
    SOUTH = 30
    WEST = 40


ROUTE = (Direction.NORTH, Direction.EAST) * 5


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def looked_up(
    at: SliceMut[i32], words: SliceMut[u64], a: SliceMut[f32], b: SliceMut[f64], c: SliceMut[f16], d: SliceMut[i64], flags: SliceMut[bool]
) -> None:
    require(len(words) >= len(at), len(a) >= len(at), len(b) >= len(at), len(c) >= len(at), len(d) >= len(at), len(flags) >= len(at))
    i = thread.index_1d().get()
    if i < len(at):
        n = at[i]
        words[i] = WORDS[n]
        a[i] = FLOATS[n % 24]
        b[i] = FLOATS[u8(n % 24)] + PAIRS[n % 12][1]
        c[i] = FLOATS[i64(n % 24)]
        d[i] = i64(PAIRS[u16(n % 12)][0]) + FEW[n % 3] + i64(ROUTE[n % 10] == Direction.EAST)
        flags[i] = FLAGS[i8(n % 20)]


@pytest.mark.parametrize("device", DEVICES)
def test_every_type(device: str) -> None:
    n = np.arange(300, dtype=np.int32)
    kinds = (np.uint64, np.float32, np.float64, np.float16, np.int64, np.bool_)
    _, *found = launched(looked_up, device, n, *(np.zeros(300, one) for one in kinds), grid_=5, block_=64)
    floats = np.array(FLOATS)[n % 24]
    with np.errstate(all="ignore"):
        due = (
            np.array(WORDS, np.uint64), floats.astype(np.float32), floats - n % 12 / 3, floats.astype(np.float16),
            n % 12 + np.array(FEW)[n % 3] + n % 2, n % 20 % 3 == 0,
        )  # fmt: skip
    for got, wanted in zip(found, due, strict=True):
        if got.dtype == np.float64:
            np.testing.assert_allclose(got, wanted, rtol=1e-15)
        else:
            np.testing.assert_array_equal(got, wanted.astype(got.dtype))


@pytest.mark.parametrize("arch", ARCHES)
def test_one_load_each(arch: str) -> None:
    text = ptx(looked_up, arch)
    assemble(text, arch)
    assert len(re.findall(r"ld\.global\.nc", text)) == 7  # what is compared with a constant needs none
    assert text.count("selp") < 12


def test_few_are_chosen_among() -> None:
    @kernel
    def few(y: SliceMut[i32]) -> None:
        require(grid.dim.x == 1)
        i = thread.index_1d().get()
        if i < len(y):
            y[i] = FEW[i % 3]

    assert "table" not in [one.name for one in every(few)]


def test_text_of_the_ir() -> None:
    module = lowered(looked_up)
    tables = [one for one in every(looked_up) if one.name == "table"]
    assert len(tables) == 8
    assert print_module(parse_module(print_module(module))) == print_module(module)


@pytest.mark.parametrize("device", DEVICES)
def test_outside_is_a_panic(device: str) -> None:
    with pytest.raises(ox.DevicePanic) as caught:
        launched(
            looked_up,
            device,
            np.array([3, 300], np.int32),
            *(np.zeros(2, one) for one in (np.uint64, np.float32, np.float64, np.float16, np.int64, np.bool_)),
            block_=64,
        )
    assert caught.value.code == "OX7001" and (caught.value.index, caught.value.length) == (300, 300)


@pytest.mark.parametrize("device", DEVICES)
def test_brain_floats(device: str) -> None:
    pytest.importorskip("ml_dtypes")

    @kernel
    @launch_contract(domain=1, block=(32, 1, 1))
    def brain(y: SliceMut[f32]) -> None:
        i = thread.index_1d().get()
        if i < len(y):
            value: bf16 = bf16(0) + FLOATS[i % 20]
            y[i] = f32(value)

    import ml_dtypes

    found = launched(brain, device, np.zeros(20, np.float32), block_=32)[0]
    np.testing.assert_array_equal(found, np.array(FLOATS[:20]).astype(ml_dtypes.bfloat16).astype(np.float32))
