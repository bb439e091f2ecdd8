"""Which conditions the lanes of a tile share: never one that they do not, and those that kernels write."""

from __future__ import annotations

import linecache
from types import SimpleNamespace
from typing import Any

import pytest
from frontend.running import lowered

from oxidepy import Slice, SliceMut, i32, i64, kernel, launch_contract, thread, u32, warp
from oxidepy.analysis import uniformity

BLOCK = 64
SEEN = {  # condition → the largest tile of 4, 8 and 16 lanes for which it is seen; 0: for none
    "t % 16 < 8": 8,
    "t % 24 < 8": 8,
    "t % 8 < 4": 4,
    "(t & 15) < 8": 8,
    "(t & 12) == 4": 4,
    "(t & 8) != 0": 8,
    "(t + 4) // 8 == 1": 4,
    "(t - 8) // 8 == 1": 8,
    "t >> 3 == 1": 8,
    "u32(t) >> 3 == 1": 8,
    "i64(t) // 8 == 1": 8,
    "t < 20": 4,
    "t <= 23": 8,
    "t <= 24": 0,
    "t > 8": 0,
    "t == 8": 0,
    "t // 3 == 1": 0,
    "t // 24 == 0": 8,
    "t // 8 % 3 == 1": 8,
    "(t // 8 + n) % 2 == 0": 8,
    "t + n > 8": 0,
    "x[t // 8] > 0": 8,
    "x[t // 4] > 0": 4,
    "warp.lane // 8 == 1": 8,
    "warp.lane < 12": 4,
    "warp.id * 32 + warp.lane < 40": 8,
    "t // 16 * 16 + 8 <= 24": 16,
}


def under(condition: str, lanes: int) -> Any:
    """A kernel with an operation of a tile of so many lanes under a condition."""
    source = (
        f"@kernel\n@launch_contract(domain=1, block=({BLOCK}, 1, 1))\ndef k(x: Slice[i32], y: SliceMut[i32], n: i32) -> None:\n"
        f"    t = thread.idx.x\n    if {condition}:\n        y[t] = warp.tiled_partition({lanes}).reduce_sum(t)\n"
    )
    name = f"<tile {lanes} {condition}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space = {"Slice": Slice, "SliceMut": SliceMut, "i32": i32, "i64": i64, "u32": u32, "kernel": kernel, "launch_contract": launch_contract}
    space |= {"thread": thread, "warp": warp}
    exec(compile(source, name, "exec", dont_inherit=True), space)
    return space["k"]


def shared_by(condition: str, lanes: int) -> bool:
    """Whether the lanes of each tile have one answer, counted out."""
    x = [1, 0, 1, 1, 0, 1, 0, 1] * (BLOCK // 8)
    answers = [
        bool(eval(condition, {"t": t, "n": 3, "x": x, "u32": int, "i64": int, "warp": SimpleNamespace(lane=t % 32, id=t // 32)}))
        for t in range(BLOCK)
    ]
    return all(len(set(answers[start : start + lanes])) == 1 for start in range(0, BLOCK, lanes))


@pytest.mark.parametrize(("condition", "largest"), SEEN.items())
def test_conditions_of_tiles(condition: str, largest: int) -> None:
    for lanes in (4, 8, 16):
        accepted = not uniformity.analyse(lowered(under(condition, lanes))).diagnostics
        assert accepted == (lanes <= largest)
        assert shared_by(condition, lanes) or not accepted
