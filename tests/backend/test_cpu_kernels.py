"""Whole kernels on the CPU, against the interpreter and against NumPy: reduction, transpose, product, histogram, scan."""

from __future__ import annotations

import numpy as np
import pytest
from backend.simt import kernel
from backend.test_cpu_simt import OUT, THREAD, X, assert_same

REDUCTION = (
    THREAD
    + """
  %s = alloc "s" [count = 256, align = 4] : mem<i32, shared, exclusive>
  %v = load %x, %i [offset = 0] : i32
  store %s, %tid, %v [offset = 0]
  intrinsic "block.sync"
  %half = const 128 : i32
  %two = const 2 : i32
  %n = const 256 : i32
  %last = while %half : i32 (%step: i32) {
    %more = gt %step, %zero : bool
    condition %more, %step
  } do (%now: i32) {
    %below = lt %tid, %now : bool
    if %below {
      %at = add %tid, %now : i32
      %in = inbounds %at, %n : bool
      check "OX7001" %in, %at, %n [message = "index outside"]
      %a = load %s, %tid [offset = 0] : i32
      %b = load %s, %at [offset = 0] : i32
      %c = add %a, %b : i32
      store %s, %tid, %c [offset = 0]
      yield
    } else {
      yield
    }
    intrinsic "block.sync"
    %next = floordiv %now, %two : i32
    yield %next
  }
  %first = eq %tid, %zero : bool
  if %first {
    %total = load %s, %zero [offset = 0] : i32
    %bid = intrinsic "block.idx.x" : i32
    store %out, %bid, %total [offset = 0]
    yield
  } else {
    yield
  }
"""
)


@pytest.mark.parametrize("checked", [True, False])
def test_a_tree_reduction(checked: bool) -> None:
    text = REDUCTION if checked else "\n".join(one for one in REDUCTION.splitlines() if "check" not in one)
    module = kernel(f"{X}; {OUT}", text, "domain 1 block 256x1x1 coordinates i32")
    x = np.random.default_rng(0).integers(-100, 100, 256 * 5).astype(np.int32)
    (_, out), _ = assert_same(module, [x, np.zeros(5, np.int32)], (5, 1, 1))
    assert out.tolist() == x.reshape(5, 256).sum(axis=1).tolist()


def transpose_text() -> str:
    body = """
      %tx = intrinsic "thread.idx.x" : i32
      %ty = intrinsic "thread.idx.y" : i32
      %bx = intrinsic "block.idx.x" : i32
      %by = intrinsic "block.idx.y" : i32
      %tile = alloc "tile" [count = 1056, align = 4] : mem<f32, shared, exclusive>
      %c32 = const 32 : i32
      %c33 = const 33 : i32
      %x0 = mul %bx, %c32 : i32
      %y0 = mul %by, %c32 : i32
      %px = add %x0, %tx : i32
      %qx = add %y0, %tx : i32
    """
    for number, k in enumerate(range(0, 32, 8)):
        body += f"""
          %k{number} = const {k} : i32
          %r{number} = add %ty, %k{number} : i32
          %y{number}a = add %y0, %r{number} : i32
          %inx{number} = lt %px, %width : bool
          %iny{number} = lt %y{number}a, %height : bool
          %in{number} = and %inx{number}, %iny{number} : bool
          if %in{number} {{
            %row{number} = mul %y{number}a, %width : i32
            %at{number} = add %row{number}, %px : i32
            %v{number} = load %src, %at{number} [offset = 0] : f32
            %sr{number} = mul %r{number}, %c33 : i32
            %sat{number} = add %sr{number}, %tx : i32
            store %tile, %sat{number}, %v{number} [offset = 0]
            yield
          }} else {{
            yield
          }}
        """
    body += '      intrinsic "block.sync"\n'
    for number in range(4):
        body += f"""
          %y{number}b = add %x0, %r{number} : i32
          %onx{number} = lt %qx, %height : bool
          %ony{number} = lt %y{number}b, %width : bool
          %on{number} = and %onx{number}, %ony{number} : bool
          if %on{number} {{
            %drow{number} = mul %y{number}b, %height : i32
            %dat{number} = add %drow{number}, %qx : i32
            %tr{number} = mul %tx, %c33 : i32
            %tat{number} = add %tr{number}, %r{number} : i32
            %w{number} = load %tile, %tat{number} [offset = 0] : f32
            store %dst, %dat{number}, %w{number} [offset = 0]
            yield
          }} else {{
            yield
          }}
        """
    return body


def test_a_transpose_through_a_padded_tile() -> None:
    memory = "mem<f32, global, {}>"
    params = f"src: {memory.format('shared')}; dst: {memory.format('exclusive')}; width: i32; height: i32"
    module = kernel(params, transpose_text(), "domain 2 block 32x8x1 coordinates i32")
    width, height = 130, 95
    a = np.arange(width * height, dtype=np.float32).reshape(height, width)
    args, _ = assert_same(module, [a.ravel(), np.zeros(a.size, np.float32), width, height], (5, 3, 1))
    assert np.array_equal(args[1].reshape(width, height), a.T)


MATMUL = """
  %tx = intrinsic "thread.idx.x" : i32
  %ty = intrinsic "thread.idx.y" : i32
  %row = intrinsic "thread.global_id.y" : i32
  %col = intrinsic "thread.global_id.x" : i32
  %sa = alloc "sa" [count = 256, align = 4] : mem<f32, shared, exclusive>
  %sb = alloc "sb" [count = 256, align = 4] : mem<f32, shared, exclusive>
  %c0 = const 0 : i32
  %c1 = const 1 : i32
  %c16 = const 16 : i32
  %f0 = const 0.0 : f32
  %sr = mul %ty, %c16 : i32
  %own = add %sr, %tx : i32
  %acc = for %c0, %k, %c16, %f0 [positive = true] : f32 (%step: i32, %sum: f32) {
    %ka = add %step, %tx : i32
    %inr = lt %row, %m : bool
    %inka = lt %ka, %k : bool
    %ina = and %inr, %inka : bool
    %av = if %ina : f32 {
      %ra = mul %row, %k : i32
      %ia = add %ra, %ka : i32
      %la = load %a, %ia [offset = 0] : f32
      yield %la
    } else {
      yield %f0
    }
    store %sa, %own, %av [offset = 0]
    %kb = add %step, %ty : i32
    %inc = lt %col, %n : bool
    %inkb = lt %kb, %k : bool
    %inb = and %inc, %inkb : bool
    %bv = if %inb : f32 {
      %rb = mul %kb, %n : i32
      %ib = add %rb, %col : i32
      %lb = load %b, %ib [offset = 0] : f32
      yield %lb
    } else {
      yield %f0
    }
    store %sb, %own, %bv [offset = 0]
    intrinsic "block.sync"
    %inner = for %c0, %c16, %c1, %sum [positive = true] : f32 (%q: i32, %part: f32) {
      %pa = add %sr, %q : i32
      %xa = load %sa, %pa [offset = 0] : f32
      %rq = mul %q, %c16 : i32
      %pb = add %rq, %tx : i32
      %xb = load %sb, %pb [offset = 0] : f32
      %f = fma %xa, %xb, %part : f32
      yield %f
    }
    intrinsic "block.sync"
    yield %inner
  }
  %ok1 = lt %row, %m : bool
  %ok2 = lt %col, %n : bool
  %ok = and %ok1, %ok2 : bool
  if %ok {
    %rc = mul %row, %n : i32
    %ic = add %rc, %col : i32
    store %c, %ic, %acc [offset = 0]
    yield
  } else {
    yield
  }
"""
MATMUL_PARAMS = "a: mem<f32, global, shared>; b: mem<f32, global, shared>; c: mem<f32, global, exclusive>; m: i32; n: i32; k: i32"


def test_a_matrix_product_with_two_barriers_a_step() -> None:
    module = kernel(MATMUL_PARAMS, MATMUL, "domain 2 block 16x16x1 coordinates i32")
    m, n, k = 70, 50, 90
    random = np.random.default_rng(1)
    a, b = (random.integers(-4, 5, shape).astype(np.float32) for shape in ((m, k), (k, n)))
    args, _ = assert_same(module, [a.ravel(), b.ravel(), np.zeros(m * n, np.float32), m, n, k], (4, 5, 1))
    assert np.array_equal(args[2].reshape(m, n), a @ b)


HISTOGRAM = (
    THREAD
    + """
  %s = alloc "s" [count = 256, align = 4] : mem<u32, shared, exclusive>
  %u0 = const 0 : u32
  %u1 = const 1 : u32
  store %s, %tid, %u0 [offset = 0]
  intrinsic "block.sync"
  %stride = intrinsic "grid.size" : i32
  %end = while %i : i32 (%at: i32) {
    %more = lt %at, %len : bool
    condition %more, %at
  } do (%now: i32) {
    %v = load %x, %now [offset = 0] : u8
    %bin = cast %v : i32
    %old = atomic "add" %s, %bin, %u1 [offset = 0, order = "relaxed", scope = "block"] : u32
    %next = add %now, %stride : i32
    yield %next
  }
  intrinsic "block.sync"
  %sum = load %s, %tid [offset = 0] : u32
  %o = atomic "add" %bins, %tid, %sum [offset = 0, order = "relaxed", scope = "device"] : u32
"""
)
HISTOGRAM_PARAMS = "x: mem<u8, global, shared>; len: i32; bins: mem<u32, global, exclusive>"


def test_a_histogram_by_shared_and_global_atomics() -> None:
    module = kernel(HISTOGRAM_PARAMS, HISTOGRAM, "domain 1 block 256x1x1 coordinates i32")
    x = np.random.default_rng(3).integers(0, 256, 12_345).astype(np.uint8)
    args, _ = assert_same(module, [x, len(x), np.zeros(256, np.uint32)], (3, 1, 1))
    assert np.array_equal(args[2], np.bincount(x, minlength=256))


def scan_text() -> str:
    body = (
        THREAD
        + """
      %sums = alloc "sums" [count = 8, align = 4] : mem<i32, shared, exclusive>
      %lane = intrinsic "warp.lane" : i32
      %wid = intrinsic "warp.id" : i32
      %in = lt %i, %len : bool
      %v0 = if %in : i32 {
        %l = load %x, %i [offset = 0] : i32
        yield %l
      } else {
        yield %zero
      }
    """
    )
    for number, step in enumerate((1, 2, 4, 8, 16)):
        body += f"""
          %s{number} = const {step} : i32
          %o{number} = intrinsic "warp.shuffle_up" %v{number}, %s{number} [mask = "full", width = 32] : i32
          %ge{number} = ge %lane, %s{number} : bool
          %v{number + 1} = if %ge{number} : i32 {{
            %a{number} = add %v{number}, %o{number} : i32
            yield %a{number}
          }} else {{
            yield %v{number}
          }}
        """
    return (
        body
        + """
      %c31 = const 31 : i32
      %c8 = const 8 : i32
      %last = eq %lane, %c31 : bool
      if %last {
        store %sums, %wid, %v5 [offset = 0]
        yield
      } else {
        yield
      }
      intrinsic "block.sync"
      %base = for %zero, %c8, %one, %zero [positive = true] : i32 (%w: i32, %sum: i32) {
        %before = lt %w, %wid : bool
        %new = if %before : i32 {
          %t = load %sums, %w [offset = 0] : i32
          %n = add %sum, %t : i32
          yield %n
        } else {
          yield %sum
        }
        yield %new
      }
      if %in {
        %r = add %base, %v5 : i32
        store %out, %i, %r [offset = 0]
        yield
      } else {
        yield
      }
    """
    )


def test_a_scan_by_warps() -> None:
    module = kernel(f"{X}; len: i32; {OUT}", scan_text(), "domain 1 block 256x1x1 coordinates i32")
    x = np.random.default_rng(2).integers(-50, 50, 250).astype(np.int32)
    args, _ = assert_same(module, [x, 250, np.zeros(250, np.int32)])
    assert np.array_equal(args[2], np.cumsum(x, dtype=np.int32))
