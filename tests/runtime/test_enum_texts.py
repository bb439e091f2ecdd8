"""Members of enums as text: what Python prints of the same functions, for constants and for what a launch brings."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble

import oxidepy as ox
from oxidepy import (
    Const,
    ConstantSlice,
    DisjointSlice,
    Ptr,
    Slice,
    SliceMut,
    block,
    f32,
    i32,
    kernel,
    launch_contract,
    local,
    shared,
    struct,
    thread,
    unsafe,
    warp,
)


class Colour(enum.Enum):
    RED = 1
    BLUE = 7
    AZURE = 7  # noqa: PIE796 - another name of BLUE


class Level(enum.IntEnum):
    LOW = -2
    HIGH = 5


class Spoken(enum.Enum):
    YES = 3
    NO = 4

    def __str__(self) -> str:
        return f"«{self.name.lower()}»"


class Wide(enum.Enum):
    LARGE = 1 << 40


class Word(enum.Enum):
    FAST = "fast"
    SLOW = "slow"


@struct
@dataclass(frozen=True)
class State:
    level: Level
    colours: tuple[Colour, Colour]
    weight: f32
    hidden: i32 = field(default=3, repr=False)


def plain(c: Colour, v: Level, s: Spoken, w: Wide) -> None:
    print(c, v, s, w, Colour.RED, Level.HIGH, Spoken.NO, sep="; ")
    print(f"{c}|{c!r}|{c!s:>14}|{c:>14}|{c!a}|{v}|{v:4d}|{v:x}|{v!r}|{s}|{s!r}|{s:^9}|{w:<15}|{c=}")
    print(c.value, v.value + 1, c.name, f"{s.name}", Colour.AZURE)
    print((c, v), ((s,), w))
    print("-" * 12 + "x" + 2 * "yz" + "" * -3, len("abc") * 2, "a" + f"{v + 1}" + "b" + f"{s}", end="<" + ">" * 3 + "\n")
    print(v + 1, -v, v * 2, v == 5, c == Colour.BLUE, c is Colour.BLUE)


def flowing(c: Colour, v: Level, n: i32) -> None:
    for _ in range(3):
        c = Colour.RED if c == Colour.BLUE else Colour.BLUE
        print(c)
    both = Level.LOW if v == Level.HIGH else v
    print(both, f"{both!r}", (Level.LOW, v)[n])
    first = Colour.RED
    while first == Colour.RED:
        print(first)
        first = Colour.BLUE
    print(first, f"{passed(first)!r}", passed(passed(c)))
    lost = v
    for k in range(2):
        if k == 0:
            print(f"{lost!r}")
        lost = Level.HIGH
    print(f"{lost!r}", f"{turned(v, 3)!r}")
    match c:
        case Colour.BLUE:
            print("blue", c)
        case other:
            print("other", other)


def passed(c: Colour) -> Colour:
    return Colour.RED if c == Colour.BLUE else c


def turned(v: Level, n: i32) -> Level:
    return v if n == 0 else turned(Level.LOW if v == Level.HIGH else Level.HIGH, n - 1)


def held(s: State) -> None:
    print(s.level, s.colours[1], f"{s.level!r} {s.colours[0]!r}")
    print(s.colours, s)
    print(State(Level.LOW, (Colour.BLUE, s.colours[0]), s.weight).colours)


@kernel(unsafe="one thread writes")
@launch_contract(domain=1, block=(1, 1, 1))
def told(
    c: Colour, v: Level, s: Spoken, w: Wide, n: i32, state: State, x: Slice[State], pair: tuple[Level, f32], word: Const[Word]
) -> None:
    plain(c, v, s, w)
    flowing(c, v, n)
    held(state)
    held(x[n])
    print(pair, pair[0], word, f"{word!r}", word.name, word.value)
    assert n == 5, f"it is {c}, {v!r}, {s}"


def by_python(c: Colour, v: Level, s: Spoken, w: Wide, n: int, state: State, x: list[State], pair: tuple[Level, float], word: Word) -> None:
    plain(c, v, s, w)
    flowing(c, v, n)
    held(state)
    held(x[n])
    print(pair, pair[0], word, f"{word!r}", word.name, word.value)


CASES = [
    (Colour.BLUE, Level.HIGH, Spoken.YES, Wide.LARGE, 0, State(Level.LOW, (Colour.RED, Colour.BLUE), 1.5), Word.FAST),
    (Colour.RED, Level.LOW, Spoken.NO, Wide.LARGE, 1, State(Level.HIGH, (Colour.BLUE, Colour.BLUE), -2.0), Word.SLOW),
]


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
@pytest.mark.parametrize("case", CASES, ids=("first", "second"))
def test_texts(device: str, case: tuple, capsys: pytest.CaptureFixture[str]) -> None:
    stream = ox.Context(device).new_stream()
    c, v, s, w, n, state, word = case
    states = [state, State(Level.LOW, (Colour.RED, Colour.RED), 0.25)]
    buffer = ox.DeviceBuffer.zeros(stream, 2, State)
    rows = np.array([(one.level.value, tuple(each.value for each in one.colours), one.weight, one.hidden) for one in states], buffer.dtype)
    buffer.copy_from_host(stream, rows)
    by_python(c, v, s, w, n, state, states, (v, 2.5), word)
    wanted = capsys.readouterr().out
    launched = told.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))
    launched(stream, c, v, s, w, n, state, buffer, (v, 2.5), word)
    with pytest.raises(ox.DevicePanic) as caught:
        stream.synchronize()
    assert capsys.readouterr().out == wanted
    assert caught.value.diagnostic.message == f"it is {c}, {v!r}, {s}"


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def elements(x: Slice[Level], w: ConstantSlice[Wide], y: DisjointSlice[Level]) -> None:
    near, own = shared.array(Level, 4), local.array(Wide, 2)
    idx, t = thread.index_1d(), thread.idx.x
    near[t] = x[idx] if idx in y else Level.LOW
    own[t % 2] = w[0]
    block.sync()
    if idx in y:
        y[idx] = Level.HIGH if near[3 - t] is Level.LOW else near[t]
        print(f"{x[idx]!r} {near[3 - t]!r} {y[idx]!r}", own[t % 2])
        for one in x[:2]:
            print(one.name, end=" ")
        print(f"{x[t]!r}")


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_elements(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    stream = ox.Context(device).new_stream()
    held = [Level.HIGH, Level.LOW, Level.LOW, Level.HIGH]
    x = ox.DeviceBuffer.from_host(stream, np.array(held, np.int32))
    w, y = ox.DeviceBuffer.from_host(stream, np.array([1 << 40])), ox.DeviceBuffer.zeros(stream, 4, Level)
    elements.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=4))(stream, x, w, y)
    made = [Level.HIGH if held[3 - t] is Level.LOW else held[t] for t in range(4)]
    assert y.to_host(stream).tolist() == made
    wanted = [(f"{held[t]!r} {held[3 - t]!r} {made[t]!r} {Wide.LARGE}", f"HIGH LOW {held[t]!r}") for t in range(4)]
    assert capsys.readouterr().out.splitlines() == [line for pair in wanted for line in pair]


@kernel(unsafe="there are two")
@launch_contract(domain=1, block=(1, 1, 1))
def pointed(p: Ptr[Level], n: i32) -> None:
    q, number = p + n, p.cast(i32)
    print(p[n], q[0].name, Slice.from_ptr(q, 1)[0], number[n], number.cast(Level)[n], warp.active.shuffle(p[n], 0))


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_by_way_of_pointers(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    stream = ox.Context(device).new_stream()
    held = ox.DeviceBuffer.from_host(stream, np.array([Level.LOW, Level.HIGH], np.int32))
    pointed.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))(stream, held, 1)
    stream.synchronize()
    one = Level.HIGH
    assert capsys.readouterr().out == f"{one} {one.name} {one} {one.value} {one} {one}\n"


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def strange(x: Slice[State], y: SliceMut[i32]) -> None:
    with unsafe("one thread"):
        y[0] = x[0].level
        print(x[0].level, f"{x[0].colours[0]:>5}", x[0].colours[0] == Colour.RED)


@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_a_number_of_no_member(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Memory may hold any: it is told as it is."""
    stream = ox.Context(device).new_stream()
    y = ox.DeviceBuffer.zeros(stream, 1, i32)
    strange.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))(stream, ox.DeviceBuffer.zeros(stream, 1, State), y)
    stream.synchronize()
    assert capsys.readouterr().out == "0 0 False\n"


@pytest.mark.parametrize("arch", ARCHES)
def test_it_assembles(arch: str) -> None:
    assemble(strange.ptx(arch), arch)


def test_a_format_that_python_refuses() -> None:
    def refused(c: Colour, y: SliceMut[i32]) -> None:
        print(f"{c:d}")

    with pytest.raises(ox.CompileError, match="is no format of `c`"):
        kernel(refused).ptx("sm_80")
