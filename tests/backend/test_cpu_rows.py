"""Rows of threads on the CPU: guards that are asked once for a row, blocks that are gone through side by side."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from backend.kernels import CpuKernel
from backend.simt import kernel
from backend.test_cpu_simt import assert_same

from oxidepy.backend import cpu
from oxidepy.backend.targets import cpu_target
from oxidepy.settings.options import CodegenOptions

COORDINATES = ("thread.idx.x", "thread.global_id.x", "block.idx.x", "thread.global_id.y", "thread.idx.y", "block.dim.x")
FACTORS = (1, 1, 2, 3, -1, -5, 16, 1 << 20, 1 << 27, 1 << 30, -(1 << 31))
NUMBERS = (0, 1, 5, 15, 16, 40, -1, -7, 1 << 24, (1 << 31) - 1, -(1 << 31), (1 << 31) - 40)
SEEDS = 16


class Guards:
    """A random guard under which the thread's element grows."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.count = 0

    def value(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def const(self, number: int, type_: str = "i32") -> str:
        return self.value(f"const {number} : {type_}")

    def number(self, depth: int, inner: str) -> str:
        """A number of 32 bits. `inner`: the variable of the loop around, if there is one."""
        pick = self.random.random()
        if depth == 0 or pick < 0.3:
            choice = self.random.choice((*COORDINATES, *COORDINATES[:3], "const", "k", inner))
            if choice == "const":
                return self.const(self.random.choice(NUMBERS))
            if choice == "k" or not choice:
                return "%k"
            return choice if choice == inner else self.value(f'intrinsic [row = "{choice}"] : i32')
        if pick < 0.6:
            return self.value(f"mul {self.number(depth - 1, inner)}, {self.const(self.random.choice(FACTORS))} : i32")
        return self.value(f"{self.random.choice(('add', 'sub'))} {self.number(depth - 1, inner)}, {self.number(depth - 1, inner)} : i32")

    def guard(self, bit: int, inner: str) -> None:
        left, right = self.number(3, inner), self.number(self.random.choice((0, 0, 1)), inner)
        if self.random.random() < 0.4:
            left, right = (self.value(f"cast {one} : i64") for one in (left, right))
            if self.random.random() < 0.5:
                left = self.value(f"add {left}, {self.const(self.random.choice((3, -(1 << 63), (1 << 63) - 20)), 'i64')} : i64")
        name = self.random.choice(("lt", "le", "gt", "ge", "inbounds"))
        holds = self.value(f"{name} {left}, {right} : bool")
        old, new = f"%o{self.count}", f"%n{self.count}"
        self.lines += [
            f"if {holds} {{",
            f"  {old} = load %out, %at [offset = 0] : i32",
            f"  %b{self.count} = const {1 << bit} : i32",
            f"  {new} = add {old}, %b{self.count} : i32",
            f"  store %out, %at, {new} [offset = 0]",
            "  yield",
            "} else {",
            "  yield",
            "}",
        ]

    def body(self, rows: bool, depth: int) -> str:
        x = self.value('intrinsic [row = "thread.global_id.x"] : i32')
        self.lines.append(f"%line = {'mul %y, %width : i32' if rows else 'const 0 : i32'}")
        self.lines.append(f"%at = add %line, {x} : i32")
        if self.random.random() < 0.7:
            self.guard(0, "")
        else:
            self.lines += ["%from = const 2 : i32", "%to = const -4 : i32", "%by = const -3 : i32"]
            self.lines.append("for %from, %to, %by [positive = false] (%round: i32) {")
            self.guard(1, "%round")
            self.lines += ["yield", "}"]
        head = f"""
          %row = intrinsic [row = "thread.global_id.y"] : i32
          %depth = const {depth} : i32
          %first = mul %row, %depth : i32
          %z = intrinsic [row = "thread.idx.z"] : i32
          %y = add %first, %z : i32"""
        return "\n".join((*([head] if rows else []), *self.lines))


@pytest.mark.parametrize(("block", "grid"), [("16x4x1", (5, 2, 1)), ("8x2x2", (1, 2, 1)), ("5x3x1", (4, 3, 1)), ("32x1x1", (3, 1, 1))])
def test_guards(block: str, grid: tuple[int, int, int]) -> None:
    x, y, z = (int(one) for one in block.split("x"))
    domain = 3 if z > 1 else 2 if y > 1 else 1
    for seed in range(SEEDS):
        params = "k: i32; width: i32; out: mem<i32, global, disjoint>"
        module = kernel(params, Guards(seed).body(y > 1, z), f"domain {domain} block {block} coordinates i32")
        compiled = CpuKernel(module)
        width = x * grid[0]
        for k in (0, 17, -3, (1 << 31) - 9):
            assert_same(compiled, [k, width, np.zeros(width * y * grid[1] * z, np.int32)], grid)


def test_parts_of_a_grid() -> None:
    """A worker's share of the blocks begins and ends within a row of them."""
    body = """
      %x = intrinsic [row = "thread.global_id.x"] : i32
      %y = intrinsic [row = "thread.global_id.y"] : i32
      %line = mul %y, %width : i32
      %at = add %line, %x : i32
      %here = lt %x, %k : bool
      if %here {
        %old = load %out, %at [offset = 0] : i32
        %more = add %old, %at : i32
        store %out, %at, %more [offset = 0]
        yield
      } else {
        yield
      }
    """
    compiled = CpuKernel(kernel("k: i32; width: i32; out: mem<i32, global, disjoint>", body, "domain 2 block 16x2x1 coordinates i32"))
    for first, end in ((0, 15), (1, 4), (3, 7), (4, 6), (14, 15), (2, 2), (0, 1)):
        out = np.full((6, 80), -1, np.int32)
        wanted = out.copy()
        for block in range(first, end):
            rows, columns = slice(block // 5 * 2, block // 5 * 2 + 2), slice(block % 5 * 16, min(block % 5 * 16 + 16, 70))
            wanted[rows, columns] += np.arange(480, dtype=np.int32).reshape(6, 80)[rows, columns]
        compiled.run([70, 80, out.reshape(-1).view(np.uint8)], (5, 3, 1), blocks=(first, end))
        np.testing.assert_array_equal(out, wanted)


def test_a_row_has_no_masks() -> None:
    """Of an addition over blocks of 16 x 16 the usual case is one loop over whole vectors."""
    body = """
      %x = intrinsic [row = "thread.global_id.x"] : i32
      %y = intrinsic [row = "thread.global_id.y"] : i32
      %line = mul %y, %width : i32
      %at = add %line, %x : i32
      %wide = lt %x, %width : bool
      %tall = lt %y, %height : bool
      %here = and %wide, %tall : bool
      if %here {
        %a = load %x.values, %at [offset = 0] : f32
        %b = add %a, %a : f32
        store %out, %at, %b [offset = 0]
        yield
      } else {
        yield
      }
    """.replace("%x.values", "%values")
    params = "width: i32; height: i32; values: mem<f32, global, shared>; out: mem<f32, global, disjoint>"
    text = cpu.optimised_llvm(kernel(params, body, "domain 2 block 16x16x1 coordinates i32"), cpu_target(), CodegenOptions())
    plain = [line for line in text.splitlines() if "store <" in line and "masked" not in line]
    assert plain, "no vectors are stored without a mask"


INSIDE = """
      %x = intrinsic [row = "thread.global_id.x"] : i32
      %y = intrinsic [row = "thread.global_id.y"] : i32
      %line = mul %y, %width : i32
      %at = add %line, %x : i32
GUARDS
      if %here {
        %one = const 1 : i32
        store %out, %at, %one [offset = 0]
        yield
      } else {
        yield
      }
"""


def test_nothing_is_divided_ahead_of_the_condition_on_the_divisor() -> None:
    """The check of a divisor is gone where a condition around the division says that it is not 0."""
    guards = """
      %zero = const 0 : i32
      %some = gt %k, %zero : bool
      %here = if %some : bool {
        %stop = mod %width, %k : i32
        %more = floordiv %width, %k : i32
        %all = add %stop, %more : i32
        %is = lt %x, %all : bool
        yield %is
      } else {
        yield %some
      }
    """
    facts = "domain 2 block 8x4x1 coordinates i32"
    compiled = CpuKernel(kernel("k: i32; width: i32; out: mem<i32, global, disjoint>", INSIDE.replace("GUARDS", guards), facts))
    for k in (3, 0, -1):
        assert_same(compiled, [k, 24, np.zeros(24 * 8, np.int32)], (3, 2, 1))


@pytest.mark.parametrize("block", ["5x2x1", "16x2x1"])
def test_threads_that_are_apart_by_more_than_a_number_holds(block: str) -> None:
    guards = """
      %far = const 4611686018427387904 : i64
      %t = intrinsic [row = "thread.idx.x"] : i32
      %b = intrinsic [row = "block.idx.x"] : i32
      %wide = cast %t : i64
      %turned = mul %wide, %far : i64
      %start = cast %b : i64
      %sum = add %start, %turned : i64
      %stop = cast %k : i64
      %here = lt %sum, %stop : bool
    """
    facts, width = f"domain 2 block {block} coordinates i32", 3 * int(block.partition("x")[0])
    compiled = CpuKernel(kernel("k: i32; width: i32; out: mem<i32, global, disjoint>", INSIDE.replace("GUARDS", guards), facts))
    out = assert_same(compiled, [3, width, np.zeros(width * 4, np.int32)], (3, 2, 1))[0][2]
    assert 0 < out.sum() < len(out)
