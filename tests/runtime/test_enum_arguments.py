"""A parameter that an enum annotates takes its members and their numbers, at the first launch and at those that follow in the fast way."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DisjointSlice, LaunchError, f32, i32, kernel, struct, thread


class Edge(enum.IntEnum):
    CLAMP = 1
    WRAP = 2


class Mode(enum.Enum):
    FAST = 1
    SLOW = 2


@struct
@dataclass(frozen=True)
class Filter:
    edge: Edge
    modes: tuple[Mode, Mode]


@kernel
def told(edge: Edge, mode: Mode, both: tuple[f32, Edge], filter: Filter, y: DisjointSlice[i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = edge.value * 1000 + mode.value * 100 + both[1].value * 10 + filter.edge.value + filter.modes[1].value


PLAIN: dict[str, Any] = {
    "edge": Edge.WRAP,
    "mode": Mode.FAST,
    "both": (0.5, Edge.CLAMP),
    "filter": Filter(Edge.CLAMP, (Mode.FAST, Mode.SLOW)),
}


def launched(**other: Any) -> int:
    stream = ox.Context("cpu").default_stream()
    y = ox.DeviceBuffer.zeros(stream, 1, i32)
    launch: Any = told.launch
    launch(stream, *{**PLAIN, **other}.values(), y)
    return int(y.to_host(stream)[0])


@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        ({}, 2113),
        ({"edge": 1}, 1113),
        ({"edge": np.int32(1)}, 1113),
        ({"mode": 2}, 2213),
        ({"mode": Mode.SLOW}, 2213),
        ({"both": (0.5, 2)}, 2123),
        ({"filter": Filter(Edge.WRAP, (Mode.FAST, Mode.FAST))}, 2113),
    ],
)
def test_members_and_their_numbers(other: dict[str, Any], wanted: int) -> None:
    assert [launched(**other) for _ in range(3)] == [wanted] * 3


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"edge": 3}, "`edge` of `told` wants Edge, got int 3"),
        ({"edge": np.int32(0)}, "`edge` of `told` wants Edge"),
        ({"edge": Mode.FAST}, "`edge` of `told` wants Edge, got Mode"),
        ({"mode": Edge.WRAP}, "`mode` of `told` wants Mode, got Edge"),
        ({"mode": 3}, "hand over a member: `Mode.FAST`"),
        ({"both": (0.5, 7)}, "wants Edge, got int 7"),
        ({"filter": Filter(Mode.FAST, (Mode.FAST, Mode.FAST))}, "`.edge` (Edge) = Mode"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        ({"filter": Filter(Edge.WRAP, (Mode.FAST, 5))}, "int 5"),  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    ],
)
def test_what_is_no_member(other: dict[str, Any], said: str) -> None:
    for _ in range(2):
        with pytest.raises(LaunchError, match="OX2007") as info:
            launched(**other)
        assert said in str(info.value)
        name, value = next(iter(other.items()))
        if type(value) is int:  # a number of a member, then one that is none: of one type
            launched(**{name: 1})
        launched()
