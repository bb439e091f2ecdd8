"""`Const` parameters of every kind: one variant a value, the same text and numbers as Python's, wrong ones refused."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import enum

import numpy as np
import pytest
from loading import defined

import oxidepy as ox
from oxidepy import Const, SliceMut, f32, i32, kernel, launch_contract, math, static_assert, thread, u8, unroll


class Colour(enum.Enum):
    RED = 1
    BLUE = 7


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


class Shape(enum.Enum):
    SMALL = (2, 3)
    BIG = (4, 5)


def scaled(x: f32, mode: Const[Mode], sizes: Const[tuple[int, ...]], name: Const[str]) -> f32:
    static_assert(len(sizes) > 1)
    return x * 2.0 if mode is Mode.FAST else x * sizes[1] if name == "b" else x


@kernel(unsafe="one thread writes")
@launch_contract(domain=1, block=(1, 1, 1))
def policy(
    y: SliceMut[f32],
    colour: Const[Colour],
    mode: Const[Mode],
    name: Const[str],
    pair: Const[tuple[int, float]],
    sizes: Const[tuple[int, ...]],
    flag: Const[bool],
    zero: Const[float],
    shape: Const[Shape],
    nested: Const[tuple[tuple[Colour, bool], str]] = ((Colour.RED, True), "x"),
) -> None:
    print(colour, mode, name, pair, sizes, flag, zero, shape, f"{colour!r} {mode!r} {name:>5}|{name!r}", nested)
    match mode:
        case Mode.FAST:
            print("fast")
        case Mode.SLOW:
            print("slow")
    if flag:
        y[0] = f32(colour.value)
    for i in unroll(range(len(sizes))):
        y[1] += sizes[i]
    y[2] = pair[1] * pair[0] + sizes[thread.idx.x]
    y[3] = scaled(y[0] + 1.0, mode, sizes, name)
    y[4] = math.copysign(1.0, zero)
    rows, cols = shape.value
    y[5] = f32(rows * cols)
    y[6] = 1.0 if nested[0][0] == Colour.RED and nested[0][1] else 0.0


FIRST = (Colour.RED, Mode.FAST, "a", (2, 0.5), (1, 2, 3), True, 0.0, Shape.SMALL)
SECOND = (Colour.BLUE, Mode.SLOW, "b", (1, 2.5), (4, 5), False, -0.0, Shape.BIG, ((Colour.BLUE, True), "y"))


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_every_kind(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    stream = ox.Context(device).new_stream()
    launched = policy.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))
    for args, wanted in ((FIRST, [1, 6, 2, 4, 1, 6, 1]), (SECOND, [0, 9, 6.5, 5, -1, 20, 0])):
        y = ox.DeviceBuffer.zeros(stream, 7, f32)
        launched(stream, y, *args)
        assert y.to_host(stream).tolist() == wanted
        colour, mode, name, pair, sizes, flag, zero, shape, nested = args if len(args) == 9 else (*args, ((Colour.RED, True), "x"))
        print(colour, mode, name, pair, sizes, flag, zero, shape, f"{colour!r} {mode!r} {name:>5}|{name!r}", nested)
        print(mode.value)
        told = capsys.readouterr().out.splitlines()
        assert told[:2] == told[2:]


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def shown(value: Const[tuple[float, ...]], flags: Const[tuple[bool, ...]]) -> None:
    print(value, flags)


@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_equal_values_that_are_not_one(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    stream = ox.Context(device).new_stream()
    launched = shown.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))
    for value in ((0.0,), (-0.0,), (1, 2), (1.0, 2.0)):
        launched(stream, value, (True, False))
        stream.synchronize()
    assert [line.partition(")")[0] for line in capsys.readouterr().out.splitlines()] == ["(0.0,", "(-0.0,", "(1.0, 2.0", "(1.0, 2.0"]


@pytest.mark.parametrize(
    ("position", "value", "part"),
    [
        (0, 1, "a compile-time Colour, got int 1"),
        (0, Mode.FAST, "got Mode"),
        (2, 3, "a compile-time str, got int 3"),
        (3, (2, 0.5, 1), "a compile-time tuple[int, float], got tuple (2, 0.5, 1)"),
        (3, (2.0, 0.5), "got float 2.0"),
        (3, [2, 0.5], "got list"),
        (4, (), "got tuple ()"),
        (4, (1, True), "got bool True"),
        (5, 1, "a compile-time bool, got int 1"),
        (6, np.float32(1), "a compile-time float, got numpy.float32(1.0)"),
    ],
)
def test_wrong_values(position: int, value: object, part: str) -> None:
    stream = ox.Context("interp").new_stream()
    args = [*FIRST]
    args[position] = value
    with pytest.raises(ox.LaunchError) as caught:
        policy.prepare(stream.context, 1)(stream, ox.DeviceBuffer.zeros(stream, 7, f32), *args)
    assert caught.value.code == "OX2007" and part in caught.value.diagnostic.message


def counted(n: Const[int], f: Const[float] = 2, small: Const[u8] = 3, mode: Const[Mode] = Mode.SLOW, c: Const[Colour] = Colour.RED) -> f32:
    return f * f32(n) + f32(small) + f32(c.value) + (1.0 if mode == Mode.FAST else 0.0)


def listed(sizes: Const[tuple[int, ...]], name: Const[str] = "x", pair: Const[tuple[bool, int]] = (True, 1)) -> f32:
    return f32(len(sizes) + len(name) + pair[1])


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("counted(2)", 8.0),
        ("counted(2, 0.5, 255, Mode.FAST, Colour.BLUE)", 264.0),
        ("listed((1, 2), 'abc', (False, 4))", 9.0),
        ("counted(2.5)", "parameter `n` of `counted` is `Const[int]`"),
        ("counted(True)", "parameter `n` of `counted` is `Const[int]`"),
        ("counted(n)", "parameter `n` of `counted` is `Const[int]`"),
        ("counted(1, True)", "parameter `f` of `counted` is `Const[float]`"),
        ("counted(1, small=256)", "parameter `small` of `counted` is `Const[u8]`"),
        ("counted(1, mode=Colour.RED)", "parameter `mode` of `counted` is `Const[Mode]`"),
        ("counted(1, mode='fast')", "parameter `mode` of `counted` is `Const[Mode]`"),
        ("counted(1, c=1)", "parameter `c` of `counted` is `Const[Colour]`"),
        ("listed(())", "parameter `sizes` of `listed` is `Const[tuple[int, ...]]`"),
        ("listed((1, 2.0))", "parameter `sizes` of `listed` is `Const[tuple[int, ...]]`"),
        ("listed((1,), 3)", "parameter `name` of `listed` is `Const[str]`"),
        ("listed((1,), pair=(1, 1))", "parameter `pair` of `listed` is `Const[tuple[bool, int]]`"),
    ],
)
def test_in_functions(call: str, wanted: float | str) -> None:
    source = f"def k(y: SliceMut[f32], n: i32) -> None:\n    y[0] = {call}\n"
    function = defined(source, globals())["k"]
    one = kernel(unsafe="one thread writes")(launch_contract(domain=1, block=(1, 1, 1))(function))
    if isinstance(wanted, str):
        with pytest.raises(ox.CompileError) as caught:
            one.ptx("sm_80")
        (found,) = caught.value.diagnostics
        assert found.code == "OX0308" and wanted in found.message
        return
    stream = ox.Context("cpu").new_stream()
    y = ox.DeviceBuffer.zeros(stream, 1, f32)
    one.prepare(stream.context, 1)(stream, y, 7)
    assert y.to_host(stream)[0] == wanted


def test_what_is_no_compile_time_value() -> None:
    for wrong in (Const[list], Const[tuple[int, list]], Const[tuple]):

        def refused(n: i32, v) -> None: ...

        refused.__annotations__["v"] = wrong
        with pytest.raises(ox.CompileError, match="a compile-time value is a number, a bool, a string"):
            kernel(refused).ptx("sm_80")
