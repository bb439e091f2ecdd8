"""`cluster.arrive()` and `cluster.wait()` order what stands before the one against what stands behind the other, and no more than that."""

from __future__ import annotations

from itertools import count

import pytest

from .clustered import search
from .dynamic import Run, races
from .proving import codes, kernel
from .watching import watched

FACTS = "domain 1 block 64x1x1 cluster 2x1x1"
PLACES = """%other = xor %b, #1 : i32
%first = mul %other, #64 : i32
%theirs = add %first, %t : i32
%pair = floordiv %b, #2 : i32
%next0 = add %pair, #1 : i32
%next1 = mul %next0, #128 : i32
%farther = add %next1, %t : i32
%rank = mod %b, #2 : i32
%few = lt %n, #500 : bool
check "OX7002" %few [message = "m"]
%some = gt %n, #2 : bool"""
WORDS = {
    "write": ("%g", "y", "y[%g] = %f"),
    "read": ("%theirs", "y", "%NAME = y[%theirs]"),
    "far": ("%farther", "y", "%NAME = y[%farther]"),
    "own": ("%g", "z", "z[%g] = %t"),
}
LINES = {
    **{half: f'intrinsic "cluster.{half}"' for half in ("arrive", "wait", "sync")},
    "rounds": "for #0, %n, #1 [positive = true] (%round: i32) {",
    "some": "if %some {",
    "end": "yield\n}",
    "else": "yield\n} else {",
}


def body(text: str) -> str:
    """A kernel of words: accesses (each inside its memory), halves, `rounds … end`, `some … else … end`."""
    lines, names = [PLACES], count()
    for word in text.split():
        if word in WORDS:
            index, memory, line = WORDS[word]
            name = next(names)
            lines += [f"%in{name} = inbounds {index}, %{memory}.len : bool"]
            lines += [f'check "OX7001" %in{name}, {index}, %{memory}.len [message = "m"]', line.replace("NAME", f"a{name}")]
        else:
            lines.append(LINES[word])
    return "\n".join(lines)


ORDERED = (
    "write arrive wait read",
    "write arrive own wait read",
    "write arrive wait read arrive wait write",
    "write arrive wait read sync write",
    "write arrive own wait read own sync own write",
    "rounds write arrive wait read arrive wait end",
    "rounds write arrive own wait read arrive wait end write",
    "arrive rounds wait write arrive own wait read arrive end wait write",  # the arrival of a round has its wait in the next one
    "some write arrive wait else arrive wait write end",
    "some write arrive else own arrive end wait some read else end",
)
RACING = (
    "write read",
    "write arrive read",
    "write arrive read wait",
    "arrive write wait read",
    "write arrive wait read write",
    "write arrive wait read arrive write wait",
    "write arrive wait far",
    "write arrive wait far arrive wait write",
    "rounds write arrive wait read end",
    "rounds write arrive read wait end",
    "arrive rounds wait write arrive read end wait",
    "arrive rounds wait write arrive own end read wait",
    "arrive rounds read wait write arrive end wait",
    "some write arrive else arrive write end wait read",
)


def launch(text: str) -> Run:
    arrays = {"x": [0.0] * 256, "w": [0] * 256, "y": [0.0] * 256, "z": [0] * 256}
    return Run(kernel(body(text), FACTS), (4, 1, 1), arrays, {"n": 2, "m": 1})


@pytest.mark.parametrize("text", ORDERED)
def test_what_the_halves_order(text: str) -> None:
    assert codes(body(text), FACTS) == []
    run = launch(text)
    run.go()
    assert run.touches and not races(run)
    assert watched(launch(text)) == set()


@pytest.mark.parametrize("text", RACING)
def test_what_they_do_not(text: str) -> None:
    assert codes(body(text), FACTS) == ["OX4002"]
    run = launch(text)
    run.go()
    assert races(run)
    assert "OX4002" in watched(launch(text))


IRREGULAR = (
    "write wait read",
    "write some arrive else end own some wait else end read",
    "write some arrive wait arrive else end wait read",
    "write arrive arrive wait read",
)


@pytest.mark.parametrize("text", IRREGULAR)
def test_halves_that_not_every_way_has_are_not_followed(text: str) -> None:
    assert codes(body(text), FACTS) == ["OX4003"]


AHEAD = """%base = mul %pair, #1000 : i32
%one = eq %t, #0 : bool
%mine = eq %rank, #0 : bool
intrinsic "cluster.arrive"
for #0, %n, #1 [positive = true] (%round: i32) {
%at = add %base, %round : i32
%in1 = inbounds %at, %y.len : bool
check "OX7001" %in1, %at, %y.len [message = "m"]
if %mine {
yield
} else {
if %one {
%a1 = y[%at]
yield
} else {
yield
}
yield
}
intrinsic "cluster.wait"
intrinsic "cluster.arrive"
%next = add %at, #2 : i32
%in2 = inbounds %next, %y.len : bool
check "OX7001" %in2, %next, %y.len [message = "m"]
if %mine {
if %one {
y[%next] = %f
yield
} else {
yield
}
yield
} else {
yield
}
yield
}
intrinsic "cluster.wait\""""


def test_what_stands_behind_an_arrival_meets_two_rounds_further_on() -> None:
    """The wait of the next round is for the arrival before it, so a thread may be at the begin of the round after that."""
    assert codes(f"{PLACES}\n{AHEAD}", FACTS) == ["OX4002"]
    assert codes(f"{PLACES}\n{AHEAD.replace('add %at, #2', 'add %at, #3')}", FACTS) == []


def test_random_kernels_of_clusters() -> None:
    tally, wrong = search(0, 150)
    assert wrong == []
    assert tally["accepted"] > 30 and tally["run"] > 60 and tally["race"] > 30, tally
