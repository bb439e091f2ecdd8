"""Threads that wait: barriers in all kinds of control flow, divergent waits, deadlocks."""

from __future__ import annotations

import numpy as np
import pytest
from ir.simt import run_text

from oxidepy.ir.interpreter import Deadlock
from oxidepy.ir.interpreter.activity import BlockRun

SYNC = 'intrinsic "block.sync"'
CONSTANTS = "\n".join(f"%c{number} = const {number} : i32" for number in (0, 1, 2, 3, 8, 15, 16, 31, 32, 48, 63))
S = '%s = alloc "s" [count = 64, align = 4] : mem<i32, shared, exclusive>\n' + CONSTANTS


def zeros(count: int = 64) -> np.ndarray:
    return np.zeros(count, np.int32)


def run_i32(body: str, block: int = 64, grid: int = 1, **more: np.ndarray):
    args = {"out": zeros(block * grid), **more}
    out, panic = run_text(dict.fromkeys(args, "i32[]"), S + body, args, grid=grid, block=block)
    return out, panic


def test_a_store_is_seen_behind_the_barrier() -> None:
    out, _ = run_i32(f"""
      store %s, %tid, %tid [offset = 0]
      {SYNC}
      %at = sub %c63, %tid : i32
      %v = load %s, %at [offset = 0] : i32
      store %out, %i, %v [offset = 0]
    """)
    assert out["out"].tolist() == list(range(63, -1, -1))


def test_barriers_in_a_loop_with_values_carried() -> None:
    # each round: s[t] = acc; barrier; acc += s[(t + 1) % 64]; barrier
    out, _ = run_i32(f"""
      %acc = for %c0, %c3, %c1, %tid [positive = true] : i32 (%k: i32, %a: i32) {{
        store %s, %tid, %a [offset = 0]
        {SYNC}
        %n = add %tid, %c1 : i32
        %m = and %n, %c63 : i32
        %v = load %s, %m [offset = 0] : i32
        %b = add %a, %v : i32
        {SYNC}
        yield %b
      }}
      store %out, %i, %acc [offset = 0]
    """)
    a = np.arange(64)
    for _ in range(3):
        a = a + np.roll(a, -1)
    assert out["out"].tolist() == a.tolist()


def test_barriers_in_a_while_whose_rounds_are_counted_in_shared_memory() -> None:
    out, _ = run_i32(f"""
      store %s, %tid, %c0 [offset = 0]
      {SYNC}
      %r = while %c0 : i32 (%k0: i32) {{
        %v = load %s, %c0 [offset = 0] : i32
        {SYNC}
        %p = lt %v, %c8 : bool
        condition %p, %k0
      }} do (%k: i32) {{
        %first = eq %tid, %c0 : bool
        if %first {{
          %v2 = load %s, %c0 [offset = 0] : i32
          %v3 = add %v2, %c2 : i32
          store %s, %c0, %v3 [offset = 0]
          yield
        }} else {{
          yield
        }}
        {SYNC}
        %k2 = add %k, %c1 : i32
        yield %k2
      }}
      store %out, %i, %r [offset = 0]
    """)
    assert set(out["out"].tolist()) == {4}


def test_break_and_continue_around_barriers() -> None:
    # uniform: for k in range(8): if k == 2: continue; sync; if k == 5: break; acc += s[0]
    out, _ = run_i32(f"""
      store %s, %tid, %c1 [offset = 0]
      %c5 = const 5 : i32
      %r = scope "break" : i32 {{
        %acc = for %c0, %c8, %c1, %c0 [positive = true] : i32 (%k: i32, %a: i32) {{
          %next = scope "continue" : i32 {{
            %two = eq %k, %c2 : bool
            if %two {{
              leave "continue" %a
            }} else {{
              yield
            }}
            {SYNC}
            %five = eq %k, %c5 : bool
            if %five {{
              leave "break" %a
            }} else {{
              yield
            }}
            %v = load %s, %c0 [offset = 0] : i32
            %b = add %a, %v : i32
            yield %b
          }}
          yield %next
        }}
        yield %acc
      }}
      store %out, %i, %r [offset = 0]
    """)
    assert set(out["out"].tolist()) == {4}


def test_opaque_branches_twice_in_different_orders() -> None:
    # `if opaque: barrier` twice; the condition is loaded, equal in all threads
    branch = """
      %v{0} = load %flags, %c{0} [offset = 0] : i32
      %p{0} = ne %v{0}, %c0 : bool
      %r{0} = if %p{0} : i32 {{
        intrinsic "block.sync"
        %x{0} = load %s, %c{1} [offset = 0] : i32
        yield %x{0}
      }} else {{
        %y{0} = load %s, %c{2} [offset = 0] : i32
        intrinsic "block.sync"
        yield %y{0}
      }}
    """
    for flags in ((0, 0), (0, 1), (1, 0), (1, 1)):
        body = f"""
          store %s, %tid, %tid [offset = 0]
          {SYNC}
          {branch.format(0, 1, 2)}
          {branch.format(1, 3, 8)}
          %t = mul %r0, %c16 : i32
          %u = add %t, %r1 : i32
          store %out, %i, %u [offset = 0]
        """
        out, _ = run_i32(body, flags=np.array(flags, np.int32))
        assert set(out["out"].tolist()) == {(1 if flags[0] else 2) * 16 + (3 if flags[1] else 8)}


def test_a_divergent_barrier_and_threads_that_are_through() -> None:
    # `if t < 48: barrier` of 64: the others end, so nobody is missing
    body = f"""
      %p = lt %tid, %c48 : bool
      if %p {{
        store %s, %tid, %tid [offset = 0]
        {SYNC}
        %at = xor %tid, %c1 : i32
        %v = load %s, %at [offset = 0] : i32
        store %out, %i, %v [offset = 0]
        yield
      }} else {{
        yield
      }}
    """
    out, panic = run_i32(body)
    assert panic is None
    assert out["out"].tolist() == [one ^ 1 if one < 48 else 0 for one in range(64)]
    # the same by an early return from a scope
    out, _ = run_i32("""
      %q = const true : bool
      scope "return" {
        %p = ge %tid, %c48 : bool
        if %p {
          leave "return"
        } else {
          yield
        }
        %n = intrinsic "block.count" %q : i32
        store %out, %i, %n [offset = 0]
        yield
      }
    """)
    assert out["out"].tolist() == [48] * 48 + [0] * 16


DIVERGED = f"""
      %p = lt %tid, %c48 : bool
      if %p {{
        {SYNC} loc("k.py":7:9-7:21)
        yield
      }} else {{
        yield
      }}
      {SYNC} loc("k.py":8:5-8:17)
"""


def test_a_deadlock_names_both_places() -> None:
    with pytest.raises(Deadlock) as caught:
        run_i32(DIVERGED)
    waiters = caught.value.waiters
    assert sorted((one.op.span.line, one.count, one.thread) for one in waiters) == [(7, 48, (0, 0, 0)), (8, 16, (48, 0, 0))]
    said = caught.value.diagnostic()
    assert said.code == "OX7004"
    assert {said.span.line, *(one.span.line for one in said.labels)} == {7, 8}
    assert "48 threads wait here" in (said.label, *(one.text for one in said.labels))


def test_a_panic_explains_a_wait_that_has_no_end() -> None:
    body = f"""
      %p = ne %tid, %c3 : bool
      check "OX7002" %p [message = "three"]
      {DIVERGED.replace("%p =", "%q =").replace("if %p", "if %q")}
    """
    _, panic = run_i32(body)
    assert panic is not None and panic.thread == (3, 0, 0)


def test_panics_before_and_between_barriers_do_not_count_as_missing() -> None:
    body = f"""
      store %s, %tid, %c1 [offset = 0]
      %p = ne %tid, %c8 : bool
      check "OX7002" %p [message = "eight"]
      {SYNC}
      %q = ge %tid, %c3 : bool
      if %q {{
        yield
      }} else {{
        %no = const false : bool
        check "OX7002" %no [message = "early"]
        yield
      }}
      {SYNC}
      %yes = const true : bool
      %n = intrinsic "block.count" %yes : i32
      store %out, %i, %n [offset = 0]
    """
    out, panic = run_i32(body)
    assert panic is not None and panic.thread == (0, 0, 0) and panic.site.attrs["message"] == "early"
    assert out["out"].tolist() == [0 if one in (0, 1, 2, 8) else 60 for one in range(64)]


def test_warps_wait_by_themselves() -> None:
    # warp 1 goes through more warp barriers than warp 0, in a loop of a different length
    body = """
      %w = intrinsic "warp.id" : i32
      %rounds = add %w, %c1 : i32
      %all = const 4294967295 : u32
      %v = for %c0, %rounds, %c1, %tid [positive = true] : i32 (%k: i32, %a: i32) {
        store %s, %tid, %a [offset = 0]
        intrinsic "warp.sync" %all
        %n = xor %tid, %c1 : i32
        %b = load %s, %n [offset = 0] : i32
        intrinsic "warp.sync" %all
        %up = intrinsic "warp.shuffle_xor" %b, %c1 [mask = "full", width = 32] : i32
        %d = add %b, %up : i32
        yield %d
      }
      store %out, %i, %v [offset = 0]
    """
    out, _ = run_i32(body)
    a = np.arange(64)
    for rounds, own in ((1, slice(0, 32)), (2, slice(32, 64))):
        for _ in range(rounds):
            a[own] = (a + a[np.arange(64) ^ 1])[own]
    assert out["out"].tolist() == a.tolist()


def test_half_warps_wait_in_two_branches() -> None:
    # each half names itself; and once both name the whole warp, from different places
    body = """
      %l = intrinsic "warp.lane" : i32
      %p = lt %l, %c16 : bool
      %low = const 65535 : u32
      %high = const 4294901760 : u32
      %all = const 4294967295 : u32
      %r = if %p : i32 {
        store %s, %tid, %tid [offset = 0]
        intrinsic "warp.sync" %low
        %n = xor %tid, %c15 : i32
        %v = load %s, %n [offset = 0] : i32
        intrinsic "warp.sync" %all
        yield %v
      } else {
        intrinsic "warp.sync" %high
        intrinsic "warp.sync" %all
        %m = sub %tid, %c16 : i32
        %v2 = load %s, %m [offset = 0] : i32
        yield %v2
      }
      store %out, %i, %r [offset = 0]
    """
    out, _ = run_i32(body)
    assert out["out"].tolist() == [(one ^ 15) if one % 32 < 16 else one - 16 for one in range(64)]


def test_a_lane_that_names_another_one_which_waits_elsewhere() -> None:
    body = """
      %three = const 3 : u32
      %five = const 5 : u32
      %p = eq %tid, %c0 : bool
      if %p {
        intrinsic "warp.sync" %three
        yield
      } else {
        intrinsic "warp.sync" %five
        yield
      }
    """
    with pytest.raises(Deadlock, match="1 thread waits here"):
        run_i32(body, block=3)


def test_full_warp_operations_gather_lanes_that_come_one_after_the_other() -> None:
    # odd lanes make a detour through a wait of their own
    body = """
      %odd = and %tid, %c1 : i32
      %p = ne %odd, %c0 : bool
      %mine = const 2863311530 : u32
      %v = if %p : i32 {
        intrinsic "warp.sync" %mine
        yield %c2
      } else {
        yield %c1
      }
      %r = intrinsic "warp.shuffle_xor" %v, %c1 [mask = "full", width = 32] : i32
      store %out, %i, %r [offset = 0]
    """
    out, _ = run_i32(body)
    assert out["out"].tolist() == [2, 1] * 32


LOCK = """
      %r = while %c0 : i32 (%k: i32) {
        %got = atomic "compare_exchange" %lock, %c0, %c0, %c1 [offset = 0, order = "acquire", scope = "device"] : i32
        %p = ne %got, %c0 : bool
        condition %p, %k
      } do (%j: i32) {
        yield %j
      }
      %v = load %count, %c0 [offset = 0] : i32
      store %out, %i, %v [offset = 0]
      %w = add %v, %c1 : i32
      store %count, %c0, %w [offset = 0]
      atomic "store" %lock, %c0, %c0 [offset = 0, order = "release", scope = "device"]
"""


def test_a_spin_lock_among_the_lanes_of_a_warp() -> None:
    out, _ = run_i32(LOCK, block=40, grid=2, lock=zeros(1), count=zeros(1))
    assert out["count"].tolist() == [80] and sorted(out["out"].tolist()) == list(range(80))


def test_a_thread_spins_for_what_another_one_writes() -> None:
    body = """
      %p = eq %tid, %c0 : bool
      if %p {
        %r = while %c0 : i32 (%k: i32) {
          %f = atomic "load" %flag, %c0 [offset = 0, order = "acquire", scope = "device"] : i32
          %q = eq %f, %c0 : bool
          condition %q, %f
        } do (%j: i32) {
          yield %j
        }
        store %out, %i, %r [offset = 0]
        yield
      } else {
        %last = eq %tid, %c63 : bool
        if %last {
          atomic "store" %flag, %c0, %c8 [offset = 0, order = "release", scope = "device"]
          yield
        } else {
          yield
        }
        yield
      }
    """
    assert run_i32(body, flag=zeros(1))[0]["out"].tolist() == [8] + [0] * 63


def test_blocks_that_spin_for_later_blocks() -> None:
    # block b waits until block b + 1 has written its flag; the last does not wait
    body = """
      %b = intrinsic "block.idx.x" : i32
      %n = add %b, %c1 : i32
      %last = eq %b, %c3 : bool
      %v = if %last : i32 {
        yield %c1
      } else {
        %r = while %c0 : i32 (%k: i32) {
          %f = atomic "load" %flag, %n [offset = 0, order = "acquire", scope = "device"] : i32
          %q = eq %f, %c0 : bool
          condition %q, %f
        } do (%j: i32) {
          yield %j
        }
        yield %r
      }
      %more = add %v, %c1 : i32
      atomic "store" %flag, %b, %more [offset = 0, order = "release", scope = "device"]
      store %out, %i, %more [offset = 0]
    """
    out, _ = run_i32(body, block=1, grid=4, flag=zeros(4))
    assert out["out"].tolist() == [5, 4, 3, 2]


def test_the_grid_waits_together_over_two_axes() -> None:
    # 3 x 2 blocks count in, wait, and all see the whole count
    body = f"""
      {CONSTANTS}
      %o = atomic "add" %count, %c0, %c1 [offset = 0, order = "relaxed", scope = "device"] : i32
      intrinsic "grid.sync"
      %v = load %count, %c0 [offset = 0] : i32
      %bx = intrinsic "block.idx.x" : i32
      %by = intrinsic "block.idx.y" : i32
      %t = mul %by, %c3 : i32
      %b = add %bx, %t : i32
      store %out, %b, %v [offset = 0]
      intrinsic "grid.sync"
      store %count, %c0, %b [offset = 0]
    """
    args = {"out": zeros(6), "count": zeros(1)}
    out, _ = run_text(
        {"out": "i32[]", "count": "i32[]"}, body, args, grid=(3, 2, 1), block=40, facts="domain 2 block 40x1x1 coordinates i32"
    )
    assert out["out"].tolist() == [240] * 6 and out["count"].tolist() == [5]


def test_shared_memory_stays_while_the_grid_waits() -> None:
    out, _ = run_i32(
        """
      %b = intrinsic "block.idx.x" : i32
      store %s, %tid, %b [offset = 0]
      intrinsic "grid.sync"
      %v = load %s, %tid [offset = 0] : i32
      store %out, %i, %v [offset = 0]
    """,
        block=8,
        grid=5,
    )
    assert out["out"].tolist() == [one // 8 for one in range(40)]


def test_a_block_that_never_comes_to_the_grid_barrier() -> None:
    body = """
      %b = intrinsic "block.idx.x" : i32
      %p = eq %b, %c1 : bool
      if %p {
        intrinsic "cluster.sync"
        yield
      } else {
        intrinsic "grid.sync"
        yield
      }
    """
    run_i32(body, block=8, grid=3)  # a cluster of one block does not wait for others, and is through then
    with pytest.raises(Deadlock) as caught:
        run_text(
            {"out": "i32[]"}, S + body, {"out": zeros(32)}, grid=4, block=8, facts="domain 1 block 8x1x1 coordinates i32 cluster 2x1x1"
        )
    assert sorted((one.op.attrs["row"], one.count, one.block[0]) for one in caught.value.waiters) == [
        ("cluster.sync", 8, 1),
        ("grid.sync", 24, 0),
    ]


def test_clusters_wait_by_themselves() -> None:
    # blocks 0 and 1 go through the cluster barrier once, 2 and 3 twice
    body = """
      %b = intrinsic "block.idx.x" : i32
      %two = ge %b, %c2 : bool
      %rounds = select %two, %c2, %c1 : i32
      for %c0, %rounds, %c1 [positive = true] (%k: i32) {
        %o = atomic "add" %count, %rounds, %c1 [offset = 0, order = "relaxed", scope = "cluster"] : i32
        intrinsic "cluster.sync"
        yield
      }
      %v = load %count, %rounds [offset = 0] : i32
      store %out, %i, %v [offset = 0]
    """
    args = {"out": zeros(16), "count": zeros(3)}
    out, _ = run_text(
        {"out": "i32[]", "count": "i32[]"},
        CONSTANTS + body,
        args,
        grid=4,
        block=4,
        facts="domain 1 block 4x1x1 coordinates i32 cluster 2x1x1",
    )
    assert out["out"].tolist() == [8] * 8 + [16] * 8


def test_active_lanes_meet_again_behind_a_branch_with_a_wait() -> None:
    body = """
      %p = lt %tid, %c16 : bool
      %low = const 65535 : u32
      %true = const true : bool
      if %p {
        intrinsic "warp.sync" %low
        yield
      } else {
        yield
      }
      %r = intrinsic "warp.ballot" %true [mask = "active", width = 32] : u32
      %v = bitcast %r : i32
      store %out, %i, %v [offset = 0]
    """
    assert set(run_i32(body, block=32)[0]["out"].tolist()) == {-1}


def test_a_warp_goes_on_while_another_one_lacks_a_lane_that_waits_for_it() -> None:
    # thread 32 waits for a flag that thread 0 sets behind its first exchange; the lanes of warp 1 exchange when it comes
    body = """
      %late = eq %tid, %c32 : bool
      %f = if %late : i32 {
        %r = while %c0 : i32 (%k: i32) {
          %g = atomic "load" %flag, %c0 [offset = 0, order = "acquire", scope = "block"] : i32
          %q = eq %g, %c0 : bool
          condition %q, %g
        } do (%j: i32) {
          yield %j
        }
        yield %r
      } else {
        yield %c1
      }
      %v = mul %f, %tid : i32
      %sum = for %c0, %c2, %c1, %v [positive = true] : i32 (%round: i32, %a: i32) {
        %o = intrinsic "warp.shuffle_xor" %a, %c1 [mask = "full", width = 32] : i32
        %b = add %a, %o : i32
        %first = eq %tid, %c0 : bool
        if %first {
          atomic "store" %flag, %c0, %c8 [offset = 0, order = "release", scope = "block"]
          yield
        } else {
          yield
        }
        %more = add %b, %round : i32
        yield %more
      }
      %true = const true : bool
      %there = intrinsic "block.count" %late : i32
      %t = add %sum, %there : i32
      store %out, %i, %t [offset = 0]
    """
    out, _ = run_i32(body, flag=zeros(1))
    v = np.arange(64) * np.where(np.arange(64) == 32, 8, 1)
    for number in range(2):
        v = v + v[np.arange(64) ^ 1] + number
    assert out["out"].tolist() == (v + 1).tolist()


def test_threads_that_leave_a_scope_are_not_waited_for_at_the_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BlockRun, "send_on", lambda self: False)  # nobody may have to be sent ahead
    body = """
      %p = lt %tid, %c16 : bool
      %low = const 65535 : u32
      %true = const true : bool
      %r = scope "s" : u32 {
        if %p {
          intrinsic "warp.sync" %low
          leave "s" %low
        } else {
          yield
        }
        %rest = intrinsic "warp.ballot" %true [mask = "active", width = 32] : u32
        yield %rest
      }
      %v = bitcast %r : i32
      store %out, %i, %v [offset = 0]
    """
    assert run_i32(body, block=32)[0]["out"].tolist() == [0xFFFF] * 16 + [-0x10000] * 16
