"""Loops with steps as wide as the grid on the CPU: rounds that all blocks do together, and what each does alone behind them."""

from __future__ import annotations

import numpy as np
import pytest
from backend.kernels import CpuKernel
from backend.simt import kernel
from backend.test_cpu_simt import assert_same

from oxidepy.backend import cpu
from oxidepy.backend.targets import cpu_target
from oxidepy.settings.options import CodegenOptions

PARAMS = "stop: i32; by: i32; out: mem<i32, global, disjoint>"
START = """
  %i = intrinsic [row = "thread.global_id.x"] : i32
"""
GRID = """
  %blocks = intrinsic [row = "grid.dim.x"] : i32
  %size = intrinsic [row = "block.dim.x"] : i32
  %step = mul %blocks, %size : i32
"""
BY = """
  %zero = const 0 : i32
  %step = add %by, %zero : i32
"""
# the thread's element is multiplied in each round, so that the order of its rounds tells
BODY = """
    %old = load %out, %i [offset = 0] : i32
    %three = const 3 : i32
    %more = mul %old, %three : i32
    %new = add %more, %now : i32
    store %out, %i, %new [offset = 0]
"""
LOOPS = {
    "for": START + "{step}  for %i, %stop, %step [positive = {positive}] (%now: i32) {{" + BODY + "    yield\n  }}",
    "while": START
    + "{step}  %end = while %i : i32 (%at: i32) {{\n    %goes = lt %at, %stop : bool\n    condition %goes, %at\n  }} do (%now: i32) {{"
    + BODY
    + "    %next = add %now, %step : i32\n    yield %next\n  }}",
}


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("step", [GRID, BY], ids=["grid", "parameter"])
def test_rounds(name: str, step: str) -> None:
    text = LOOPS[name].format(step=step, positive="true" if step == GRID else "false")
    compiled = CpuKernel(kernel(PARAMS, text, "domain 1 block 64x1x1 coordinates i32"))
    for blocks in (1, 3):
        for stop in (0, 1, 64, 191, 192, 193, 1000, 5 * 192, 5 * 192 + 1):
            assert_same(compiled, [stop, 192, np.ones(64 * blocks, np.int32)], (blocks, 1, 1))
        if name == "for" and step == BY:
            most = (1 << 31) - 1
            for stop, by in ((-500, -100), (most, 1 << 29), (most - 63, 1 << 30), (-most - 1, -(1 << 30)), (7, most)):
                assert_same(compiled, [stop, by, np.ones(64 * blocks, np.int32)], (blocks, 1, 1))


BEHIND = """
  %none = const 0 : i32
  %one = const 1 : i32
  %sum = for %none, %by, %one, %none [positive = true] : i32 (%k: i32, %acc: i32) {
    %had = load %out, %i [offset = 0] : i32
    %grown = add %had, %k : i32
    store %out, %i, %grown [offset = 0]
    %more.acc = add %acc, %k : i32
    yield %more.acc
  }
  %twice = mul %sum, %by : i32
  %last = load %out, %i [offset = 0] : i32
  %all = add %last, %twice : i32
  store %out, %i, %all [offset = 0]
"""


def test_what_stands_behind_asks_for_what_another_loop_gives() -> None:
    """A sum that is the same in all threads, of a loop that the block goes through in step: no round of the first loop knows it."""
    module = kernel(PARAMS, LOOPS["for"].format(step=GRID, positive="true") + BEHIND, "domain 1 block 64x1x1 coordinates i32")
    assert "together" in cpu.llvm_text(module, cpu_target(), CodegenOptions())
    compiled = CpuKernel(module)
    for stop, by in ((500, 7), (64, 0), (193, 1)):
        assert_same(compiled, [stop, by, np.ones(192, np.int32)], (3, 1, 1))


def test_parts_of_a_grid() -> None:
    """Each call does the rounds of its own blocks."""
    text = LOOPS["while"].format(step=GRID)
    compiled = CpuKernel(kernel(PARAMS, text, "domain 1 block 64x1x1 coordinates i32"))
    whole, parts = (np.ones(320, np.int32) for _ in range(2))
    compiled.run([3000, 0, whole.view(np.uint8)], (5, 1, 1))
    for first, end in ((3, 5), (0, 0), (0, 1), (1, 3)):
        compiled.run([3000, 0, parts.view(np.uint8)], (5, 1, 1), blocks=(first, end))
    np.testing.assert_array_equal(whole, parts)


def test_who_goes_together() -> None:
    """Not where the order of blocks could be told, nor where threads do not begin side by side."""

    def together(text: str) -> bool:
        module = kernel(PARAMS, text, "domain 1 block 64x1x1 coordinates i32")
        return "together" in cpu.llvm_text(module, cpu_target(), CodegenOptions())

    plain = LOOPS["for"].format(step=GRID, positive="true")
    assert together(plain)
    add = '\n    %was = atomic "add" %out, %i, %now [offset = 0, order = "relaxed", scope = "device"] : i32'
    assert not together(plain.replace(BODY, BODY + add))
    assert not together(plain.replace(START, START.replace("%i", "%own") + "  %two = const 2 : i32\n  %i = mul %own, %two : i32\n"))
