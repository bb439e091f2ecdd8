"""Whole kernels with shared memory, barriers, exchanges and atomics, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from ir.simt import run_text

RNG = np.random.default_rng(7)
SYNC = 'intrinsic "block.sync"'


def test_tree_reduction() -> None:
    body = f"""
      %s = alloc "s" [count = 256, align = 4] : mem<f32, shared, exclusive>
      %c0 = const 0 : i32
      %c1 = const 1 : i32
      %half = const 128 : i32
      %in = inbounds %i, %n : bool
      %v = if %in : f32 {{
        %x0 = load %x, %i [offset = 0] : f32
        yield %x0
      }} else {{
        %none = const 0.0 : f32
        yield %none
      }}
      store %s, %tid, %v [offset = 0]
      {SYNC}
      %end = while %half : i32 (%step: i32) {{
        %p = gt %step, %c0 : bool
        condition %p, %step
      }} do (%step.1: i32) {{
        %q = lt %tid, %step.1 : bool
        if %q {{
          %o = add %tid, %step.1 : i32
          %a = load %s, %tid [offset = 0] : f32
          %b = load %s, %o [offset = 0] : f32
          %c = add %a, %b : f32
          store %s, %tid, %c [offset = 0]
          yield
        }} else {{
          yield
        }}
        {SYNC}
        %next = shr %step.1, %c1 : i32
        yield %next
      }}
      %first = eq %tid, %c0 : bool
      if %first {{
        %b0 = intrinsic "block.idx.x" : i32
        %sum = load %s, %c0 [offset = 0] : f32
        store %partial, %b0, %sum [offset = 0]
        yield
      }} else {{
        yield
      }}
    """
    for x in (np.arange(1024, dtype=np.float32), RNG.integers(0, 100, 700).astype(np.float32), RNG.standard_normal(512).astype(np.float32)):
        blocks = -(-len(x) // 256)
        args = {"x": x, "partial": np.zeros(blocks, np.float32), "n": len(x)}
        out, panic = run_text({"x": "f32[]", "partial": "f32[]", "n": "i32"}, body, args, grid=blocks, block=256)
        assert panic is None
        tree = np.zeros(blocks * 256, np.float32)
        tree[: len(x)] = x
        tree = tree.reshape(blocks, 256)
        while tree.shape[1] > 1:  # the same order of additions
            half = tree.shape[1] // 2
            tree = tree[:, :half] + tree[:, half:]
        assert out["partial"].tolist() == tree[:, 0].tolist()
    assert np.arange(1024).sum() == 523776


def transpose(padding: int) -> str:
    def copy(number: int, width: str, height: str, inner: str) -> str:
        steps = []
        for k in range(0, 32, 8):
            name = f"{number}.{k}"
            steps.append(f"""
              %k{name} = const {k} : i32
              %t{name} = add %ty, %k{name} : i32
              %x{name} = add %bx.{number}, %tx : i32
              %y{name} = add %by.{number}, %t{name} : i32
              %p{name} = lt %x{name}, {width} : bool
              %q{name} = lt %y{name}, {height} : bool
              %r{name} = and %p{name}, %q{name} : bool
              if %r{name} {{
                %m{name} = mul %y{name}, {width} : i32
                %g{name} = add %m{name}, %x{name} : i32
                {inner.replace("@", name)}
                yield
              }} else {{
                yield
              }}
            """)
        return "\n".join(steps)

    stride = 32 + padding
    load = """%w@ = mul %t@, %stride : i32
                %l@ = add %w@, %tx : i32
                %v@ = load %src, %g@ [offset = 0] : f32
                store %tile, %l@, %v@ [offset = 0]"""
    store = """%w@ = mul %tx, %stride : i32
                %l@ = add %w@, %t@ : i32
                %v@ = load %tile, %l@ [offset = 0] : f32
                store %dst, %g@, %v@ [offset = 0]"""
    return f"""
      %tile = alloc "tile" [count = {32 * stride}, align = 4] : mem<f32, shared, exclusive>
      %c32 = const 32 : i32
      %stride = const {stride} : i32
      %tx = intrinsic "thread.idx.x" : i32
      %ty = intrinsic "thread.idx.y" : i32
      %bx = intrinsic "block.idx.x" : i32
      %by = intrinsic "block.idx.y" : i32
      %bx.0 = mul %bx, %c32 : i32
      %by.0 = mul %by, %c32 : i32
      %bx.1 = mul %by, %c32 : i32
      %by.1 = mul %bx, %c32 : i32
      {copy(0, "%width", "%height", load)}
      {SYNC}
      {copy(1, "%height", "%width", store)}
    """


@pytest.mark.parametrize("padding", [0, 1])
def test_transpose(padding: int) -> None:
    a = RNG.standard_normal((45, 70)).astype(np.float32)
    args = {"src": a.ravel(), "dst": np.zeros(a.size, np.float32), "width": 70, "height": 45}
    facts = "domain 2 block 32x8x1 coordinates i32"
    params = {"src": "f32[]", "dst": "f32[]", "width": "i32", "height": "i32"}
    out, _ = run_text(params, transpose(padding), args, grid=(3, 2, 1), block=(32, 8, 1), facts=facts)
    assert (out["dst"].reshape(70, 45) == a.T).all()


def test_matrix_product_with_two_barriers_a_step() -> None:
    body = f"""
      %sa = alloc "sa" [count = 64, align = 4] : mem<f32, shared, exclusive>
      %sb = alloc "sb" [count = 64, align = 4] : mem<f32, shared, exclusive>
      %c0 = const 0 : i32
      %c1 = const 1 : i32
      %t8 = const 8 : i32
      %zero = const 0.0 : f32
      %tx = intrinsic "thread.idx.x" : i32
      %ty = intrinsic "thread.idx.y" : i32
      %col = intrinsic "thread.global_id.x" : i32
      %row = intrinsic "thread.global_id.y" : i32
      %w = mul %ty, %t8 : i32
      %here = add %w, %tx : i32
      %ak = mul %row, %k : i32
      %acc = for %c0, %k, %t8, %zero [positive = true] : f32 (%step: i32, %sum: f32) {{
        %a1 = add %ak, %step : i32
        %a2 = add %a1, %tx : i32
        %va = load %a, %a2 [offset = 0] : f32
        store %sa, %here, %va [offset = 0]
        %b1 = add %step, %ty : i32
        %b2 = mul %b1, %n : i32
        %b3 = add %b2, %col : i32
        %vb = load %b, %b3 [offset = 0] : f32
        store %sb, %here, %vb [offset = 0]
        {SYNC}
        %inner = for %c0, %t8, %c1, %sum [positive = true] : f32 (%q: i32, %sum1: f32) {{
          %i1 = add %w, %q : i32
          %i2 = mul %q, %t8 : i32
          %i3 = add %i2, %tx : i32
          %x = load %sa, %i1 [offset = 0] : f32
          %y = load %sb, %i3 [offset = 0] : f32
          %z = fma %x, %y, %sum1 : f32
          yield %z
        }}
        {SYNC}
        yield %inner
      }}
      %o1 = mul %row, %n : i32
      %o = add %o1, %col : i32
      store %c, %o, %acc [offset = 0]
    """
    a, b = RNG.integers(-4, 5, (16, 40)).astype(np.float32), RNG.integers(-4, 5, (40, 24)).astype(np.float32)
    args = {"a": a.ravel(), "b": b.ravel(), "c": np.zeros(16 * 24, np.float32), "n": 24, "k": 40}
    params = {"a": "f32[]", "b": "f32[]", "c": "f32[]", "n": "i32", "k": "i32"}
    out, _ = run_text(params, body, args, grid=(3, 2, 1), block=(8, 8, 1), facts="domain 2 block 8x8x1 coordinates i32")
    assert (out["c"].reshape(16, 24) == a @ b).all()


def test_histogram_through_shared_and_global_atomics() -> None:
    body = f"""
      %h = alloc "h" [count = 64, align = 4] : mem<u32, shared, exclusive>
      %zero = const 0 : u32
      %one = const 1 : u32
      store %h, %tid, %zero [offset = 0]
      {SYNC}
      %gx = intrinsic "grid.size" : i32
      %end = while %i : i32 (%at: i32) {{
        %p = lt %at, %n : bool
        condition %p, %at
      }} do (%at.1: i32) {{
        %b = load %x, %at.1 [offset = 0] : u8
        %w = cast %b : i32
        %o = atomic "add" %h, %w, %one [offset = 0, order = "relaxed", scope = "block"] : u32
        %next = add %at.1, %gx : i32
        yield %next
      }}
      {SYNC}
      %mine = load %h, %tid [offset = 0] : u32
      %o2 = atomic "add" %bins, %tid, %mine [offset = 0, order = "relaxed", scope = "device"] : u32
    """
    x = RNG.integers(0, 64, 1801).astype(np.uint8)
    args = {"x": x, "bins": np.zeros(64, np.uint32), "n": len(x)}
    out, _ = run_text({"x": "u8[]", "bins": "u32[]", "n": "i32"}, body, args, grid=3, block=64)
    assert out["bins"].tolist() == np.bincount(x, minlength=64).tolist()


@pytest.mark.parametrize("width", [4, 16, 32])
def test_scan_of_a_warp_by_shuffles(width: int) -> None:
    steps, value = [], "%v"
    for step in (one for one in (1, 2, 4, 8, 16) if one < width):
        steps.append(f"""
          %c{step} = const {step} : i32
          %o{step} = intrinsic "warp.shuffle_up" {value}, %c{step} [mask = "full", width = {width}] : i32
          %p{step} = ge %lane, %c{step} : bool
          %z{step} = select %p{step}, %o{step}, %none : i32
          %v{step} = add {value}, %z{step} : i32
        """)
        value = f"%v{step}"
    body = f"""
      %l = intrinsic "warp.lane" : i32
      %last = const {width - 1} : i32
      %lane = and %l, %last : i32
      %none = const 0 : i32
      %v = load %x, %i [offset = 0] : i32
      {"".join(steps)}
      store %x, %i, {value} [offset = 0]
    """
    x = RNG.integers(-50, 50, 128).astype(np.int32)
    out, _ = run_text({"x": "i32[]"}, body, {"x": x}, grid=2, block=64)
    assert (out["x"].reshape(-1, width) == np.cumsum(x.reshape(-1, width), axis=1)).all()


def test_two_shared_objects_do_not_overlap() -> None:
    body = """
      %a = alloc "a" [count = 1, align = 4] : mem<i32, shared, exclusive>
      %b = alloc "b" [count = 1, align = 4] : mem<i32, shared, exclusive>
      %c0 = const 0 : i32
      %c1 = const 1 : i32
      %c2 = const 2 : i32
      store %a, %c0, %c1 [offset = 0]
      store %b, %c0, %c2 [offset = 0]
      %x = load %a, %c0 [offset = 0] : i32
      %y = load %b, %c0 [offset = 0] : i32
      store %out, %c0, %x [offset = 0]
      store %out, %c1, %y [offset = 0]
    """
    assert run_text({"out": "i32[]"}, body, {"out": np.zeros(2, np.int32)}, block=1)[0]["out"].tolist() == [1, 2]


def test_static_and_dynamic_shared_memory_never_overlap() -> None:
    # two dynamic objects of n and 2n elements and a static one; every thread fills its part of each
    body = f"""
      %n2 = add %n, %n : i32
      %a = alloc "a" %n [count = 0, align = 4] : mem<i32, shared, exclusive>
      %s = alloc "s" [count = 16, align = 8] : mem<i64, shared, exclusive>
      %b = alloc "b" %n2 [count = 0, align = 16] : mem<i16, shared, exclusive>
      %c100 = const 100 : i32
      %c1000 = const 1000 : i32
      %next = add %tid, %n : i32
      %va = add %tid, %c100 : i32
      %w = add %tid, %c1000 : i32
      %vs = cast %w : i64
      %vb = cast %tid : i16
      store %a, %tid, %va [offset = 0]
      store %s, %tid, %vs [offset = 0]
      store %b, %tid, %vb [offset = 0]
      store %b, %next, %vb [offset = 0]
      {SYNC}
      %ra = load %a, %tid [offset = 0] : i32
      %rs = load %s, %tid [offset = 0] : i64
      %rb = load %b, %next [offset = 0] : i16
      %ts = cast %rs : i32
      %tb = cast %rb : i32
      %t = add %ra, %ts : i32
      %u = add %t, %tb : i32
      store %out, %i, %u [offset = 0]
    """
    out, _ = run_text({"out": "i32[]", "n": "i32"}, body, {"out": np.zeros(32, np.int32), "n": 16}, grid=2, block=16)
    assert out["out"].tolist() == [1100 + 3 * (one % 16) for one in range(32)]


def test_a_store_of_half_a_word_is_not_lost() -> None:
    body = f"""
      %s = alloc "s" [count = 64, align = 4] : mem<f16, shared, exclusive>
      %c1 = const 1 : i32
      %v = cast %tid : f16
      store %s, %tid, %v [offset = 0]
      {SYNC}
      %odd = and %tid, %c1 : i32
      %p = eq %odd, %c1 : bool
      if %p {{
        %new = neg %v : f16
        store %s, %tid, %new [offset = 0]
        yield
      }} else {{
        yield
      }}
      {SYNC}
      %at = xor %tid, %c1 : i32
      %r = load %s, %at [offset = 0] : f16
      store %out, %i, %r [offset = 0]
    """
    out, _ = run_text({"out": "f16[]"}, body, {"out": np.zeros(64, np.float16)}, block=64)
    assert out["out"].tolist() == [-(one ^ 1) if one % 2 == 0 else one ^ 1 for one in range(64)]


def test_local_memory_belongs_to_one_thread() -> None:
    body = """
      %l = alloc "l" [count = 4, align = 4] : mem<i32, local, exclusive>
      %c0 = const 0 : i32
      %c1 = const 1 : i32
      %c4 = const 4 : i32
      for %c0, %c4, %c1 [positive = true] (%k: i32) {
        %v = mul %tid, %k : i32
        store %l, %k, %v [offset = 0]
        intrinsic "block.sync"
        yield
      }
      %sum = for %c0, %c4, %c1, %c0 [positive = true] : i32 (%k: i32, %acc: i32) {
        %w = load %l, %k [offset = 0] : i32
        %t = add %acc, %w : i32
        yield %t
      }
      store %out, %i, %sum [offset = 0]
    """.replace("(%k: i32, %acc", "(%k2: i32, %acc").replace("load %l, %k ", "load %l, %k2 ")
    out, _ = run_text({"out": "i32[]"}, body, {"out": np.zeros(32, np.int32)})
    assert out["out"].tolist() == [6 * one for one in range(32)]


def test_scratch_memory_begins_as_a_pattern_in_every_block() -> None:
    body = """
      %s = alloc "s" [count = 8, align = 4] : mem<u32, shared, exclusive>
      %l = alloc "l" [count = 1, align = 2] : mem<u16, local, exclusive>
      %c0 = const 0 : i32
      %a = load %s, %tid [offset = 0] : u32
      %b = load %l, %c0 [offset = 0] : u16
      %w = cast %b : u32
      store %out, %i, %a [offset = 0]
      store %s, %tid, %w [offset = 0]
      store %more, %i, %w [offset = 0]
    """
    args = {"out": np.zeros(16, np.uint32), "more": np.zeros(16, np.uint32)}
    out, _ = run_text({"out": "u32[]", "more": "u32[]"}, body, args, grid=2, block=8)
    assert set(out["out"].tolist()) == {0xCDCDCDCD} and set(out["more"].tolist()) == {0xCDCD}


def test_a_shared_object_is_the_same_at_every_evaluation() -> None:
    body = """
      %c0 = const 0 : i32
      %c1 = const 1 : i32
      %c5 = const 5 : i32
      %sum = for %c0, %c5, %c1, %c0 [positive = true] : i32 (%k: i32, %acc: i32) {
        %s = alloc "s" [count = 32, align = 4] : mem<i32, shared, exclusive>
        %first = eq %k, %c0 : bool
        %old = load %s, %tid [offset = 0] : i32
        %from = select %first, %c0, %old : i32
        %new = add %from, %k : i32
        store %s, %tid, %new [offset = 0]
        yield %new
      }
      store %out, %i, %sum [offset = 0]
    """
    assert set(run_text({"out": "i32[]"}, body, {"out": np.zeros(32, np.int32)})[0]["out"].tolist()) == {10}


def test_an_in_place_rotation_keeps_what_a_barrier_separates() -> None:
    # x[i] = x[i + 1] after all have read: the reload behind the barrier sees the other threads' stores
    body = f"""
      %c1 = const 1 : i32
      %c63 = const 63 : i32
      %n = add %tid, %c1 : i32
      %at = and %n, %c63 : i32
      %v = load %x, %at [offset = 0] : i32
      {SYNC}
      store %x, %tid, %v [offset = 0]
      {SYNC}
      %w = load %x, %at [offset = 0] : i32
      store %out, %i, %w [offset = 0]
    """
    x = RNG.integers(0, 1000, 64).astype(np.int32)
    out, _ = run_text({"x": "i32[]", "out": "i32[]"}, body, {"x": x, "out": np.zeros(64, np.int32)}, block=64)
    assert out["x"].tolist() == np.roll(x, -1).tolist() and out["out"].tolist() == np.roll(x, -2).tolist()
