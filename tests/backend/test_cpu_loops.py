"""Loops over threads on the CPU: what LLVM may take them for, in which order they go, what is fetched before it is needed."""

from __future__ import annotations

import numpy as np
import pytest
from backend.kernels import CpuKernel
from backend.simt import kernel
from backend.test_cpu_simt import OUT, THREAD, X, assert_same

from oxidepy.backend import cpu
from oxidepy.backend.cpu_plan import Plan
from oxidepy.backend.targets import cpu_target
from oxidepy.settings.options import CodegenOptions


def test_indices_of_few_bits_are_not_taken_for_longer_ones() -> None:
    """LLVM's loop vectoriser would read `a[i & 3]` as `a[i]` beside `b[i & 127]`."""
    body = (
        THREAD
        + """
      %three = const 3 : i32
      %many = const 128 : i32
      %low = and %i, %three : i32
      %mid = mod %i, %many : i32
      %u = cast %i : u8
      %byte = cast %u : i32
      %a = load %x, %low [offset = 0] : i32
      %b = load %x, %mid [offset = 0] : i32
      %c = load %x, %byte [offset = 0] : i32
      %ten = const 1000 : i32
      %d = mul %a, %ten : i32
      %e = add %d, %b : i32
      %f = mul %e, %ten : i32
      %g = add %f, %c : i32
      store %out, %i, %g [offset = 0]
    """
    )
    for access in ("exclusive", "disjoint"):
        module = kernel(f"{X}; {OUT.replace('exclusive', access)}", body, "domain 1 block 256x1x1 coordinates i32")
        args, _ = assert_same(module, [np.arange(256, dtype=np.int32), np.zeros(1024, np.int32)], (4, 1, 1))
        i = np.arange(1024)
        assert args[1].tolist() == ((i % 4 * 1000 + i % 128) * 1000 + i % 256).astype(np.int32).tolist()


STRIDES = {
    "for": """
      %n = for %i, %len, %stride, %zero [positive = true] : i32 (%now: i32, %sum: i32) {
        %v = load %x, %now [offset = 0] : i32
        %fine = ne %v, %bad : bool
        check "OX7002" %fine, %now, %v [message = "bad"]
        store %out, %now, %v [offset = 0]
        %more = add %sum, %v : i32
        yield %more
      }
      store %sums, %i, %n [offset = 0]
    """,
    "while": """
      %end, %n = while %i, %zero : i32, i32 (%at: i32, %sofar: i32) {
        %goes = lt %at, %len : bool
        condition %goes, %at, %sofar
      } do (%now: i32, %sum: i32) {
        %v = load %x, %now [offset = 0] : i32
        %fine = ne %v, %bad : bool
        check "OX7002" %fine, %now, %v [message = "bad"]
        store %out, %now, %v [offset = 0]
        %more = add %sum, %v : i32
        %next = add %now, %stride : i32
        yield %next, %more
      }
      store %sums, %i, %n [offset = 0]
    """,
}


@pytest.mark.parametrize("loop", STRIDES)
@pytest.mark.parametrize("barrier", [False, True])
def test_loops_in_steps_as_wide_as_the_grid_go_side_by_side(loop: str, barrier: bool) -> None:
    body = THREAD + '  %stride = intrinsic "grid.size" : i32\n' + STRIDES[loop] + ('  intrinsic "block.sync"\n' if barrier else "")
    parameters = f"{X}; len: i32; bad: i32; {OUT}; sums: mem<i32, global, exclusive>"
    compiled = CpuKernel(kernel(parameters, body, "domain 1 block 96x1x1 coordinates i32"))
    x = np.arange(5000, dtype=np.int32)
    for length in (0, 1, 95, 96, 191, 192, 193, 4999):
        args, panic = assert_same(compiled, [x, length, -1, np.zeros(5000, np.int32), np.zeros(192, np.int32)], (2, 1, 1))
        assert panic is None
        assert args[3].tolist() == [*range(length), *[0] * (5000 - length)]
        assert args[4].tolist() == [sum(range(i, length, 192)) for i in range(192)]
    for bad in (0, 37, 200, 4000):
        _, panic = assert_same(compiled, [x, 4500, bad, np.zeros(5000, np.int32), np.zeros(192, np.int32)], (2, 1, 1))
        assert panic is not None


@pytest.mark.parametrize("loop", STRIDES)
@pytest.mark.parametrize("block, lines", [("96x1x1", 6), ("32x3x1", 0)])
def test_what_later_rounds_read_is_fetched_early_a_line_at_a_time(loop: str, block: str, lines: int) -> None:
    """Of `x` alone, `out` is not read; only where threads lie side by side."""
    body = THREAD + '  %stride = intrinsic "grid.size" : i32\n' + STRIDES[loop]
    module = kernel(f"{X}; len: i32; bad: i32; {OUT}; sums: mem<i32, global, exclusive>", body, f"domain 1 block {block} coordinates i32")
    assert cpu.llvm_text(module, cpu_target(), CodegenOptions()).count("call void @llvm.prefetch") == lines


def test_what_a_warp_gives_alike_is_asked_for_outside_of_its_loop() -> None:
    """The same in all threads, but made once for each warp: by a loop and by a branch around exchanges."""
    body = """
      %i = intrinsic "thread.idx.x" : i32
      %v = load %x, %i [offset = 0] : i32
      %zero = const 0 : i32
      %one = const 1 : i32
      %two = const 2 : i32
      %seven = const 7 : i32
      %n = for %zero, %two, %one, %k [positive = true] : i32 (%a: i32, %b: i32) {
        %s = intrinsic "warp.shuffle_xor" %v, %one [mask = "active", width = 32] : i32
        %at = add %i, %a : i32
        store %out, %i, %s [offset = 0]
        yield %b
      }
      %odd = gt %k, %two : bool
      %m = if %odd : i32 {
        %t = intrinsic "warp.shuffle_up" %v, %one [mask = "active", width = 32] : i32
        store %out, %i, %t [offset = 0]
        yield %seven
      } else {
        yield %k
      }
      %r = mod %n, %seven : i32
      %q = mod %m, %two : i32
      %both = add %r, %q : i32
      %sum = add %both, %v : i32
      intrinsic "block.sync"
      store %out, %i, %sum [offset = 0]
    """
    module = kernel("x: mem<i32, global, shared>; k: i32; out: mem<i32, global, exclusive>", body, "domain 1 block 64x1x1")
    for k in (2, 10):
        got, _ = assert_same(module, [np.arange(64, dtype=np.int32), k, np.zeros(64, np.int32)])
        assert got[-1].tolist() == [k % 7 + (7 if k > 2 else k) % 2 + one for one in range(64)]


GUARDED = """
  %tx = intrinsic "thread.idx.x" : i32
  %bx = intrinsic "block.idx.x" : i32
  %g = intrinsic "thread.global_id.x" : i32
  %two = const 2 : i32
  %size = const 64 : i32
  %start = mul %bx, %size : i32
  %off = add %start, %base : i32
  %number = add %off, %tx : i32
  %twice = mul %number, %two : i32
  %left = sub %limit, %number : i32
  intrinsic "block.sync"
  %fine = {guard} : bool
  if %fine {{
    %v = load %x, %g [offset = 0] : i32
    store %out, %g, %v [offset = 0]
    yield
  }} else {{
    store %out, %g, %number [offset = 0]
    yield
  }}
"""


@pytest.mark.parametrize("guard", [
    "lt %number, %limit", "le %limit, %number", "gt %twice, %limit", "ge %limit, %twice", "gt %left, %tx", "le %left, %two",
    "lt %two, %left", "lt %tx, %number", "ge %g, %limit",
])  # fmt: skip
def test_guards_are_asked_of_a_block_as_of_its_threads(guard: str) -> None:
    """Where numbers wrap too, which the question of the block must not take for inside."""
    compiled = CpuKernel(kernel(f"{X}; base: i32; limit: i32; {OUT}", GUARDED.format(guard=guard), "domain 1 block 64x1x1 coordinates i32"))
    x = np.arange(1000, 1320, dtype=np.int32)
    edge = 2**31
    for base in (0, -64, 100, edge - 1, edge - 64, edge - 129, edge // 2 - 10, -edge, -edge + 70, -edge // 2 - 90):
        for limit in (0, 63, 64, 65, 200, 319, 320, edge - 1, edge - 64, -edge, -edge + 1, 2 * base % edge):
            assert_same(compiled, [x, base, limit, np.zeros(320, np.int32)], (5, 1, 1))


@pytest.mark.parametrize(
    "guard, versions",
    [("lt %number, %limit", 2), ("gt %limit, %twice", 2), ("lt %tx, %limit", 1), ("eq %number, %limit", 1), ("lt %start, %limit", 1)],
)
def test_code_without_masks_for_blocks_inside(guard: str, versions: int) -> None:
    module = kernel(f"{X}; base: i32; limit: i32; {OUT}", GUARDED.format(guard=guard), "domain 1 block 64x1x1 coordinates i32")
    text = cpu.llvm_text(module, cpu_target(), CodegenOptions())
    assert ("inside" in text, "edge" in text) == (versions == 2, versions == 2)


def test_bounds_that_are_made_of_sums_of_sums_take_no_time() -> None:
    """Forty sums of a number with itself: 2**40 ways from the last to the first."""
    sums = "".join(f"  %s{number + 1} = add %s{number}, %s{number} : i32\n" for number in range(40))
    guarded = GUARDED.format(guard="lt %number, %limit").replace("add %start, %base", "add %s40, %base")
    body = "  %s0 = add %base, %limit : i32\n" + sums + guarded
    module = kernel(f"{X}; base: i32; limit: i32; {OUT}", body, "domain 1 block 64x1x1 coordinates i32")
    assert "inside" not in cpu.llvm_text(module, cpu_target(), CodegenOptions())  # the number is the same in all blocks


@pytest.mark.parametrize("block", ["32x4x1", "64x1x1", "8x4x2"])
def test_what_one_row_or_thread_does(block: str) -> None:
    """Borders of a tile: in loops over these threads alone."""
    x, y, z = (int(one) for one in block.split("x"))
    body = f"""
      %i = intrinsic "thread.global_id.x" : i32
      %j = intrinsic "thread.global_id.y" : i32
      %k = intrinsic "thread.global_id.z" : i32
      %tx = intrinsic "thread.idx.x" : i32
      %ty = intrinsic "thread.idx.y" : i32
      %w = const {2 * x} : i32
      %h = const {2 * y} : i32
      %plane = mul %k, %h : i32
      %row = add %plane, %j : i32
      %line = mul %row, %w : i32
      %at = add %line, %i : i32
      %v = load %x, %at [offset = 0] : i32
      %zero = const 0 : i32
      %last = const {x - 1} : i32
      %left = eq %tx, %zero : bool
      if %left {{
        %a = add %v, %w : i32
        store %out, %at, %a [offset = 0]
        yield
      }} else {{
        yield
      }}
      %right = eq %last, %tx : bool
      %both = if %right : bool {{
        %some = gt %v, %zero : bool
        yield %some
      }} else {{
        %no = const false : bool
        yield %no
      }}
      if %both {{
        %old = load %out, %at [offset = 0] : i32
        %b = add %old, %at : i32
        store %out, %at, %b [offset = 0]
        yield
      }} else {{
        yield
      }}
      %top = eq %ty, %zero : bool
      %corner = and %top, %left : bool
      if %corner {{
        %fine = ne %v, %h : bool
        check "OX7002" %fine, %at, %v [message = "corner"]
        %c = load %out, %at [offset = 0] : i32
        %d = mul %c, %w : i32
        store %out, %at, %d [offset = 0]
        yield
      }} else {{
        yield
      }}
      intrinsic "block.sync"
      %e = load %out, %at [offset = 0] : i32
      %f = add %e, %v : i32
      store %out, %at, %f [offset = 0]
    """
    domain = 3 if z > 1 else 2
    module = kernel(f"{X}; {OUT}", body, f"domain {domain} block {block} coordinates i32")
    grid = (2, 2, 2 if z > 1 else 1)
    count = x * y * z * grid[0] * grid[1] * grid[2]
    compiled = CpuKernel(module)
    for seed in range(3):
        values = np.random.default_rng(seed).integers(-9, 9, count).astype(np.int32)
        if seed == 2:
            values[values == 2 * y] = 1
        assert_same(compiled, [values, np.zeros(count, np.int32)], grid)


@pytest.mark.parametrize("block", ["32x1x1", "8x4x1", "40x1x1"])
def test_long_loops_are_done_round_by_round(block: str) -> None:
    """Loops in loops, what they carry along, a thread's own array, a branch that differs: as if each thread went alone."""
    x, y, _ = (int(one) for one in block.split("x"))
    body = f"""
      %tx = intrinsic "thread.idx.x" : i32
      %ty = intrinsic "thread.idx.y" : i32
      %gx = intrinsic "thread.global_id.x" : i32
      %width = const {2 * x} : i32
      %line = mul %ty, %width : i32
      %at = add %line, %gx : i32
      %own = alloc "own" [count = 4, align = 4] : mem<i32, local, exclusive>
      %zero = const 0 : i32
      %one = const 1 : i32
      %four = const 4 : i32
      for %zero, %four, %one [positive = true] (%n: i32) {{
        store %own, %n, %at [offset = 0]
        yield
      }}
      %sum = for %zero, %count, %by, %zero [positive = false] : i32 (%k: i32, %acc: i32) {{
        %masked = and %k, %one : i32
        %row = mul %masked, %width : i32
        %place = add %row, %gx : i32
        %v = load %x, %place [offset = 0] : i32
        %inner = for %k, %count, %by, %acc [positive = false] : i32 (%m: i32, %so: i32) {{
          %w = load %x, %at [offset = 0] : i32
          %p = mul %so, %w : i32
          %q = add %p, %m : i32
          yield %q
        }}
        %slot = and %k, %three : i32
        %old = load %own, %slot [offset = 0] : i32
        %new = add %old, %v : i32
        store %own, %slot, %new [offset = 0]
        %big = gt %v, %tx : bool
        if %big {{
          store %out, %at, %inner [offset = 0]
          yield
        }} else {{
          yield
        }}
        yield %inner
      }}
      %last = load %own, %one [offset = 0] : i32
      %had = load %out, %at [offset = 0] : i32
      %a = add %sum, %last : i32
      %b = add %a, %had : i32
      store %out, %at, %b [offset = 0]
    """.replace("%four = const", "%three = const 3 : i32\n      %four = const")
    module = kernel(f"{X}; count: i32; by: i32; {OUT}", body, f"domain {2 if y > 1 else 1} block {block} coordinates i32")
    compiled = CpuKernel(module)
    size = 2 * x * y
    values = np.random.default_rng(3).integers(-40, 40, max(size, 4 * x)).astype(np.int32)
    for count, by in ((0, 1), (1, 1), (5, 1), (9, 2), (-7, -2), (3, -1)):
        assert_same(compiled, [values, count, by, np.zeros(size, np.int32)], (2, 1, 1))
    assert Plan(module).strided


def test_loops_under_a_branch_of_the_block() -> None:
    """A row of a matrix for each block, as far as there are rows: the threads of a block go through it in step."""
    body = """
      %t = intrinsic "thread.idx.x" : i32
      %row = intrinsic "block.idx.x" : i32
      %zero = const 0 : i32
      %here = lt %row, %rows : bool
      %sum = if %here : i32 {
        %wide = const 64 : i32
        %found = for %t, %width, %wide, %zero [positive = true] : i32 (%k: i32, %acc: i32) {
          %line = mul %row, %width : i32
          %at = add %line, %k : i32
          %v = load %x, %at [offset = 0] : i32
          %w = mul %v, %k : i32
          %more = add %acc, %w : i32
          yield %more
        }
        yield %found
      } else {
        yield %t
      }
      %i = intrinsic "thread.global_id.x" : i32
      store %out, %i, %sum [offset = 0]
    """
    module = kernel(f"{X}; rows: i32; width: i32; {OUT}", body, "domain 1 block 64x1x1 coordinates i32")
    assert Plan(module).strided
    compiled = CpuKernel(module)
    x = np.random.default_rng(3).integers(-40, 40, 600).astype(np.int32)
    for rows, width in ((0, 200), (2, 300), (3, 200), (3, 64), (3, 5)):
        args, _ = assert_same(compiled, [x, rows, width, np.zeros(192, np.int32)], (3, 1, 1))
        sums = [sum(int(x[row * width + k]) * k for k in range(width)) for row in range(rows)]
        assert args[3].reshape(3, 64)[:rows].sum(axis=1).tolist() == sums


@pytest.mark.parametrize("block", ["16x4x1", "40x1x1"])
def test_a_long_loop_under_a_guard(block: str) -> None:
    """What stands before and behind the loop, what it carries, a thread that fails before it: as if each thread went alone."""
    x, y, _ = (int(one) for one in block.split("x"))
    body = f"""
      %i = intrinsic "thread.global_id.x" : i32
      %j = intrinsic "thread.idx.y" : i32
      %width = const {2 * x} : i32
      %line = mul %j, %width : i32
      %at = add %line, %i : i32
      %here = lt %i, %bound : bool
      if %here {{
        %zero = const 0 : i32
        %one = const 1 : i32
        %rounds = sub %count, %one : i32
        %first = load %x, %at [offset = 0] : i32
        %fine = ne %first, %bad : bool
        check "OX7002" %fine, %at, %first [message = "bad"]
        store %out, %at, %first [offset = 0]
        %sum, %last = for %zero, %rounds, %one, %zero, %first [positive = true] : i32, i32 (%k: i32, %acc: i32, %was: i32) {{
          %v = load %x, %i [offset = 0] : i32
          %p = mul %acc, %first : i32
          %q = add %p, %v : i32
          %r = add %was, %k : i32
          yield %q, %r
        }}
        %old = load %out, %at [offset = 0] : i32
        %a = add %old, %sum : i32
        %b = sub %a, %last : i32
        store %out, %at, %b [offset = 0]
        yield
      }} else {{
        yield
      }}
      %now = load %out, %at [offset = 0] : i32
      %more = add %now, %i : i32
      store %out, %at, %more [offset = 0]
    """
    module = kernel(f"{X}; count: i32; bound: i32; bad: i32; {OUT}", body, f"domain {2 if y > 1 else 1} block {block} coordinates i32")
    assert Plan(module).strided
    compiled = CpuKernel(module)
    size = 2 * x * y
    values = np.random.default_rng(5).integers(-40, 40, size).astype(np.int32)
    for count, bound, bad in (
        (4, 2 * x, 99),
        (4, 2 * x - 3, 99),
        (1, x + 1, 99),
        (0, 2 * x, 99),
        (9, -1, 99),
        (5, 2 * x, 7),
        (5, x - 1, int(values[3])),
    ):
        assert_same(compiled, [values, count, bound, bad, np.zeros(size, np.int32)], (2, 1, 1))
