"""`match` over tuples, structs, enums and truth values: what Python does with the same function."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from frontend.running import refused, results
from loading import defined

import oxidepy as ox
from oxidepy import SliceMut, f32, i8, i32, i64, kernel, launch_contract, struct


class Colour(enum.Enum):
    RED = 1
    BLUE = 7


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 5


@struct
@dataclass(frozen=True)
class Point:
    x: i32
    y: i32


@struct
@dataclass(frozen=True)
class Line:
    start: Point
    end: Point
    level: Level


def tuples(a: i32, b: i32, c: bool) -> i32:
    match (a, (b, c)):
        case (0, _):
            return 1
        case (1, (2 | 3, flag)) if flag:
            return 2
        case (n, (2, True)):
            return n + 10
        case (n, (m, True)) if n == m:
            return n * 100
        case (1 | 2 as n, (m, False)):
            return -n - m
        case (_, (m, _)):
            return m + 1000


def structs(line: Line) -> i32:
    match line:
        case Line(Point(0, 0), end=Point(x, y)):
            return x * 10 + y
        case Line(Point(x=a), Point(x=b), Level.HIGH) if a == b:
            return a
        case Line(Point(), Point(1 | 2 as x) as end):
            return x + end.y
        case Line(level=Level.LOW):
            return -1
        case Point(_, _):
            return -3
        case _:
            return -2


def enums(colour: Colour, level: Level) -> i32:
    match colour, level:
        case Colour.RED, Level.LOW:
            return 1
        case Colour.BLUE, Level.LOW | Level.HIGH:
            return 2
        case other, Level.HIGH:
            return 3 if other is Colour.RED and other is not Colour.BLUE else 4
        case _:
            return 5


def truths(a: bool, b: bool) -> i32:
    match a:
        case True:
            x = 1
        case False:
            x = 2
    match b:
        case False if a:
            y = 10
        case False:
            y = 20
        case True:
            y = 30
    return x + y


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def matched(y: SliceMut[i32], a: i32, b: i32, c: bool, line: Line, colour: Colour, level: Level) -> None:
    with ox.unsafe("one thread"):
        y[0] = tuples(a, b, c)
        y[1] = structs(line)
        y[2] = enums(colour, level)
        y[3] = truths(c, a == b)


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_against_python(device: str) -> None:
    stream = ox.Context(device).default_stream()
    y = ox.DeviceBuffer.zeros(stream, 4, i32)
    launched = matched.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))
    points = [Point(0, 0), Point(1, 4), Point(2, 5), Point(3, 3)]
    lines = itertools.cycle(Line(a, b, level) for a in points for b in points for level in Level)
    for a, b, c, colour, level in itertools.product(range(-1, 4), range(1, 5), (False, True), Colour, Level):
        line = next(lines)
        launched(stream, y, a, b, c, line, colour, level)
        wanted = [tuples(a, b, c), structs(line), enums(colour, level), truths(c, a == b)]
        assert y.to_host(stream).tolist() == wanted, (a, b, c, line, colour, level)


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("match (n, m):\n        case (a, *rest):\n            y[0] = a", "OX0658", "this pattern"),
        ("match n:\n        case {'a': 1}:\n            y[0] = n", "OX0658", "this pattern"),
        ("match (n, m):\n        case (a, 1) | (1, a):\n            y[0] = a", "OX0658", "a name inside of `|`"),
        ("match n:\n        case int():\n            y[0] = n", "OX0658", "a pattern of"),
        ("match n:\n        case Point(a, b):\n            y[0] = n", "OX0308", "the pattern is of a struct, and this is `i32`"),
        ("match p:\n        case Point(a, b, c):\n            y[0] = a", "OX0308", "has 2 fields, and is given 3 patterns"),
        ("match p:\n        case Point(z=a):\n            y[0] = a", "OX0425", "`Point` has no field `z`"),
        ("match n:\n        case 'one':\n            y[0] = n", "OX0308", "string"),
        (
            "match n == 1:\n        case True if m == 1:\n            x = 1\n        case False:\n            x = 2\n    y[0] = x",
            "OX0381",
            "`x`",
        ),
    ],
)
def test_refused(body: str, code: str, part: str) -> None:
    source = f"@kernel(unsafe='t')\ndef k(y: SliceMut[i32], n: i32, m: i32, p: Point) -> None:\n    {body}\n"
    names = {"kernel": kernel, "SliceMut": SliceMut, "i32": i32, "Point": Point, "f32": f32}
    found = refused(defined(source, names)["k"])
    assert found.code == code and part in found.message, found


@kernel(unsafe="one thread writes")
@launch_contract(domain=1, block=(1, 1, 1))
def gone_through(y: SliceMut[i32], n: i32, m: i32) -> None:
    total = len(Colour)
    for one in Colour:
        total = total * 10 + one.value
    for number, level in enumerate(Level):
        total += number if level is Level.HIGH else 0
    y[0] = total
    y[1] = (1 if n in range(10) else 0) + (2 if n in range(-3, m, 4) else 0) + (4 if n not in range(m, -9, -3) else 0)
    y[2] = (1 if n in range(m, 8) else 0) + (2 if i64(n) in range(-(1 << 40), 1 << 40, 7) else 0) + (4 if 3 in range(n) else 0)
    y[3] = 1 if i8(n) in range(i8(-128), i8(127), 5) else 0


@pytest.mark.parametrize("device", ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_members_and_ranges(device: str) -> None:
    """An enum is gone through, and `in` looks into ranges."""
    stream = ox.Context(device).default_stream()
    y = ox.DeviceBuffer.zeros(stream, 4, i32)
    launched = gone_through.prepare(stream.context, ox.LaunchConfig1D(grid=1, block=1))
    for n, m in itertools.product(range(-14, 15), (-5, 0, 7)):
        launched(stream, y, n, m)
        second = (n in range(10)) + 2 * (n in range(-3, m, 4)) + 4 * (n not in range(m, -9, -3))
        third = (n in range(m, 8)) + 2 * (n in range(-(1 << 40), 1 << 40, 7)) + 4 * (3 in range(n))
        assert y.to_host(stream).tolist() == [218, second, third, n in range(-128, 127, 5)], (n, m)


def test_a_range_with_an_unknown_step() -> None:
    def sought(y: SliceMut[i32], n: i32) -> None:
        y[0] = 1 if n in range(0, 9, n) else 0

    found = refused(kernel(sought))
    assert found.code == "OX0658" and "whose step is known only at run time" in found.message


class Edge(enum.IntEnum):
    CLAMP = 0
    WRAP = 4
    MIRROR = 9


def number_of(edge: Edge) -> i32:
    match edge:
        case Edge.WRAP:
            return 1
        case Edge.CLAMP | Edge.MIRROR as other:
            return 10 + other


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def every_member(y: SliceMut[i32], edge: Edge, n: i32) -> None:
    match edge:
        case Edge.CLAMP:
            x = 1
        case Edge.WRAP if n > 0:
            x = 2
        case Edge.MIRROR:
            x = 3
        case Edge.WRAP:
            x = 4
    y[0] = x * 100 + number_of(edge)


@pytest.mark.parametrize(("edge", "n", "wanted"), [(0, 0, 110), (4, 1, 201), (4, 0, 401), (9, 5, 319)])
def test_cases_of_all_members_leave_nothing_out(edge: int, n: int, wanted: int) -> None:
    assert results(every_member, np.int32, 1, edge, n) == [wanted]


def test_a_member_that_is_left_out() -> None:
    def body(y: SliceMut[i32], edge: Edge, n: i32) -> None:
        match edge:
            case Edge.CLAMP:
                x = 1
            case Edge.WRAP:
                x = 2
            case Edge.MIRROR if n > 0:
                x = 3
        y[0] = x

    assert refused(kernel(launch_contract(domain=1, block=(1, 1, 1))(body))).code == "OX0381"
