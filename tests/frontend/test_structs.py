"""Structs with arrays, enums and bool in them; enums as parameters; complex numbers and textures, which kernels do not have."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import every, lowered, refused
from frontend.test_halves import DEVICES, launched, ptx
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import (
    DisjointSlice,
    Slice,
    SliceMut,
    block,
    f16,
    f32,
    grid,
    i32,
    kernel,
    launch_contract,
    require,
    shared,
    struct,
    thread,
    u8,
    unroll,
)


class Mode(enum.IntEnum):
    ADD = 1
    MUL = 2


class Sign(enum.Enum):
    PLUS = 1
    MINUS = -2


class Wide(enum.IntEnum):
    FAR = 1 << 40


@struct
@dataclass(frozen=True)
class Inner:
    a: u8
    pairs: tuple[tuple[f16, f16], tuple[f16, f16], tuple[f16, f16]]


@struct
@dataclass(frozen=True)
class Outer:
    on: bool
    mode: Mode
    w: tuple[f32, f32, f32, f32]
    inner: tuple[Inner, Inner]


FIXED = Outer(True, Mode.ADD, (1.0, 2.0, 3.0, 4.0), (Inner(1, ((1.0, 2.0),) * 3), Inner(2, ((3.0, 4.0),) * 3)))


def weight(p: Outer, k: i32) -> f32:
    return p.w[k]


def applied(m: Mode, a: f32, b: f32) -> f32:
    match m:
        case Mode.ADD:
            return a + b
        case Mode.MUL:
            return a * b
    return 0.0


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def through(x: Slice[Outer], y: DisjointSlice[Outer], out: SliceMut[f32], p: Outer, mode: Mode, sign: Sign) -> None:
    require(grid.dim.x == 1, len(out) == 4, len(x) == 4)
    i = thread.index_1d()
    t = thread.idx.x
    e = x[t]
    total = 0.0
    for n in range(4):
        total += p.w[n] * x[t].w[n]
    total += x[t].w[2] + f32(x[t].inner[1].pairs[2][0]) + f32(FIXED.inner[1].pairs[0][1]) + weight(e, t)
    if sign == Sign.MINUS and p.on:
        total = -total
    out[t] = applied(mode, total, 2.0) + applied(e.mode, 1.0, 10.0)
    near = shared.array(Outer, 4)
    near[t] = e
    near[t].w[1] = 5.5
    for n in unroll(range(2)):
        near[t].inner[n].pairs[1][0] = f16(n) + 0.5
    block.sync()
    if i in y:
        y[i] = Outer(on=not e.on, mode=Mode.MUL, w=(near[3 - t].w[1], e.w[0], 3, total), inner=near[t].inner)


@pytest.mark.parametrize("device", DEVICES)
def test_arrays_and_enums_in_structs(device: str) -> None:
    stream = ox.Context(device).default_stream()
    layout = ox.DeviceBuffer.zeros(stream, 1, Outer).to_host(stream).dtype
    assert layout["w"].shape == (4,) and layout["inner"].shape == (2,) and layout["mode"] == np.int32 and layout.itemsize == 52
    x = np.zeros(4, layout)
    x["w"] = np.arange(16).reshape(4, 4)
    x["mode"], x["inner"]["pairs"] = Mode.ADD, 1.5
    _, y, out = launched(through, device, x, np.zeros(4, layout), np.zeros(4, np.float32), FIXED, Mode.MUL, Sign.MINUS, block_=4)
    sums = [-(float(row @ (1, 2, 3, 4)) + row[2] + 1.5 + 4 + row[t]) for t, row in enumerate(x["w"].astype(float))]
    assert out.tolist() == [2 * one + 11 for one in sums]
    assert y["on"].all() and (y["mode"] == Mode.MUL).all()
    assert y["w"].tolist() == [[5.5, 4.0 * t, 3.0, one] for t, one in enumerate(sums)]
    assert y["inner"]["pairs"][:, 0, 1].tolist() == [[0.5, 1.5]] * 4 and y["inner"]["pairs"][:, 1, 1].tolist() == [[1.5, 1.5]] * 4


@pytest.mark.parametrize("device", DEVICES)
def test_launches_one_after_another(device: str) -> None:
    """The quick way of a launch like the one before takes other values, and other numbers of items not."""
    stream = ox.Context(device).default_stream()
    layout = ox.DeviceBuffer.zeros(stream, 1, Outer).to_host(stream).dtype
    x = np.zeros(4, layout)
    x["w"], x["mode"] = 1, Mode.ADD
    given = ox.DeviceBuffer.from_host(stream, x)
    y, out = ox.DeviceBuffer.zeros(stream, 4, Outer), ox.DeviceBuffer.zeros(stream, 4, f32)
    prepared = through.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=4))
    for step in range(4):
        p = Outer(True, Mode.ADD, (float(step), 0.0, 0.0, 0.0), FIXED.inner)
        prepared(stream, given, y, out, p, Mode.ADD, Sign.PLUS)
        assert out.to_host(stream).tolist() == [step + 6.0 + 2.0 + 11.0] * 4
    for wrong in ((1.0, 2.0), 1.0, [1.0] * 4):
        with pytest.raises(ox.LaunchError) as error:
            prepared(stream, given, y, out, Outer(True, Mode.ADD, wrong, FIXED.inner), Mode.ADD, Sign.PLUS)
        assert error.value.code == "OX2007" and "`.w` (f32[4])" in str(error.value) and "a tuple of 4" in str(error.value)


def test_only_what_is_used_of_an_array_is_read() -> None:
    @kernel
    @launch_contract(domain=1, block=(1, 1, 1))
    def one(x: Slice[Outer], y: SliceMut[f32]) -> None:
        y[0] = x[0].w[2] + f32(x[0].inner[1].pairs[0][1])

    loads = [op for op in every(one) if op.name == "load"]
    assert [op.attrs["offset"] for op in loads] == [8 + 8, 24 + 14 + 2 + 2]


def test_ptx_assembles() -> None:
    for arch in ARCHES:
        text: Any = ptx(through, arch)
        assemble(text, arch)


def test_a_large_enum_is_wide() -> None:
    @kernel
    @launch_contract(domain=1, block=(1, 1, 1))
    def one(y: SliceMut[f32], w: Wide) -> None:
        require(grid.dim.x == 1)
        y[0] = 1.0 if w == Wide.FAR else 2.0

    assert str(lowered(one).kernel.params[-1].type) == "i64"
    (got,) = launched(one, "interp", np.zeros(1, np.float32), Wide.FAR)
    assert got.tolist() == [1.0]


class Names(enum.Enum):
    A = "a"


class Flags(enum.Flag):
    A = 1
    B = 2


@struct
@dataclass(frozen=True)
class Uneven:
    w: tuple[f32, i32]


@pytest.mark.parametrize(
    ("annotation", "code", "part"),
    [
        ("Names", "OX1002", "members that are no integers"),
        ("Flags", "OX1002", "of flags, which are no integers"),
        ("Slice[Uneven]", "OX1002", "not of one type"),
        ("complex", "OX0425", "kernels have no complex numbers"),
        ("Slice[np.complex64]", "OX0425", "kernels have no complex numbers"),
    ],
)
def test_annotations_that_are_refused(annotation: str, code: str, part: str) -> None:
    def body(y: SliceMut[f32], p: Any) -> None:
        y[0] = 1.0

    body.__annotations__["p"] = annotation
    found = refused(kernel(body))
    assert (found.code, part in found.message, bool(found.help)) == (code, True, True), (found.code, found.message)


@pytest.mark.parametrize(
    ("body", "code", "part", "help"),
    [
        ("a = 1j", "OX0425", "no complex numbers", "`@struct`"),
        ("a = complex(1.0, 2.0)", "OX0425", "no complex numbers", "`@struct`"),
        ("y[0] = tex2D(x, 1.0, 2.0)", "OX0425", "unknown name `tex2D`", "no textures"),
        ("y[0] = ox.texture(x, 1)", "OX0425", "has no `texture`", "no textures"),
        ("s = shared.array(Outer, 2)\ns[0].w[n] = 1.0", "OX0658", "assigning to `s[0].w[n]`", "`unroll`"),
        ("s = shared.array(Outer, 2)\ns[0].w[4] = 1.0", "OX5001", "index 4 is outside", ""),
        ("s = shared.array(Outer, 2)\ny[0] = s[0].w[-1]", "OX5003", "negative", ""),
        ("s = shared.array(Outer, 2)\ns[0].w = (1.0, 2.0)", "OX0308", "a tuple of 2", ""),
        ("s = shared.array(Inner, 2)\nv = s[0]\nv.a = 3", "OX0658", "assigning to an attribute of `Inner`", "`v = replace(v, a=…)`"),
        ("a = Inner(1, (1.0, 2.0, 3.0))", "OX0308", "a tuple of 2", ""),
    ],
)
def test_what_is_refused(body: str, code: str, part: str, help: str) -> None:
    found = refused(compiled(body, ox=ox, shared=shared, Outer=Outer, Inner=Inner))
    assert (found.code, part in found.message) == (code, True), (found.code, found.message)
    assert help in (found.help or "")
