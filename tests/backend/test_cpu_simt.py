"""Barriers, warp operations, scratch memory and atomics on the CPU, against the interpreter and against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from backend.kernels import CpuKernel, same
from backend.simt import EXCHANGES, KINDS, REDUCTIONS, VOTES, atomic_types, atomics, exchanges, kernel, reductions, votes
from backend.test_panics import record_of

from oxidepy.backend import cpu
from oxidepy.backend.targets import cpu_target
from oxidepy.diagnostics import CompileError
from oxidepy.ir.core import Module
from oxidepy.ir.interpreter import Panic, run
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import SCALARS, Memory
from oxidepy.settings.options import CodegenOptions

Triple = tuple[int, int, int]
THREAD = """
  %tid = intrinsic "thread.idx.x" : i32
  %i = intrinsic "thread.global_id.x" : i32
  %zero = const 0 : i32
  %one = const 1 : i32
"""
X, OUT = "x: mem<i32, global, shared>", "out: mem<i32, global, exclusive>"


def assert_same(given: Module | CpuKernel, args: list[Any], grid: Triple = (1, 1, 1)) -> tuple[list[Any], Panic | None]:
    """Run on interpreter and CPU: the same memory, the same panic. The arguments as they are afterwards."""
    compiled = given if isinstance(given, CpuKernel) else CpuKernel(given)
    module = compiled.module
    raw = [one.view(np.uint8) if isinstance(one, np.ndarray) else one for one in args]
    wanted, got = ([one.copy() if isinstance(one, np.ndarray) else one for one in raw] for _ in range(2))
    panic = run(module, wanted, grid, module.kernel.block)
    status, record = compiled.run(got, grid)
    assert status == (panic is not None)
    if panic is not None:
        found = record_of(record)
        sites = [op for op in module.kernel.body.walk() if op.name == "check"]
        assert (found["block"], found["thread"]) == (panic.block, panic.thread)
        assert sites[int(str(found["site"]))] is panic.site
        if panic.index is not None:
            assert (found["index"], found["length"]) == (panic.index, panic.length)
    else:
        for param, left, right in zip(module.kernel.params, got, wanted, strict=True):
            if isinstance(param.type, Memory):
                element = param.memory.element
                fine = same(element, left, right) if element.name in SCALARS else left == right
                assert fine.all(), (param.name, np.flatnonzero(~fine)[:8])
    return [one.view(args[at].dtype) if isinstance(one, np.ndarray) else one for at, one in enumerate(got)], panic


# ---- rows of the tables


@pytest.mark.parametrize("mask", ["full", "active"])
@pytest.mark.parametrize("block", ["64x1x1", "16x4x1", "32x2x1"])
def test_votes_and_matches(mask: str, block: str) -> None:
    x = np.random.default_rng(1).integers(-2, 3, 64).astype(np.int32)
    assert_same(votes(mask, f"domain {1 if block.startswith('64') else 2} block {block}"), [x, np.zeros(VOTES * 64, np.uint32)])


@pytest.mark.parametrize("mask", ["full", "active"])
def test_reductions_of_lanes(mask: str) -> None:
    x = np.random.default_rng(4).integers(-(2**31), 2**31, 64).astype(np.int32)
    x[:40] = 7
    assert_same(reductions(mask), [x, np.zeros(REDUCTIONS * 64, np.uint32)])


def test_shuffles_in_tiles_of_every_width() -> None:
    x = np.random.default_rng(2).integers(0, 256, 64 * 8).astype(np.uint8)
    assert_same(exchanges("i64", "full"), [x, 5, np.zeros(EXCHANGES * 64 * 8, np.uint8)])


@pytest.mark.parametrize("type_", ["bool", "u8", "f16", "bf16", "f32", "f64"])
def test_shuffles_of_every_type(type_: str) -> None:
    size = SCALARS[type_].size
    body = (
        THREAD
        + f"""
      %v = load %x, %i [offset = 0] : {type_}
      %a = intrinsic "warp.shuffle" %v, %tid [mask = "active", width = 8] : {type_}
      %b = intrinsic "warp.shuffle_xor" %a, %one [mask = "full", width = 32] : {type_}
      store %out, %i, %b [offset = 0]
    """
    )
    x = np.random.default_rng(2).integers(0, 2 if type_ == "bool" else 256, 64 * size).astype(np.uint8)
    module = kernel(f"x: mem<{type_}, global, shared>; out: mem<{type_}, global, exclusive>", body)
    assert_same(module, [x, np.zeros(64 * size, np.uint8)])


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("kind", KINDS)
def test_atomic_accesses_of_every_type_order_and_scope(kind: str, space: str) -> None:
    random = np.random.default_rng(3)
    for type_ in atomic_types(kind):
        size = SCALARS[type_].size
        args = [random.integers(0, 256, 64 * size).astype(np.uint8) for _ in range(2)]
        assert_same(atomics(kind, type_, space, facts="domain 1 block 1x1x1"), [*args, np.zeros(64 * size, np.uint8)])


@pytest.mark.parametrize("kind", ["min", "max", "add", "compare_exchange"])
@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("type_", ["f16", "bf16", "f32", "f64"])
def test_atomics_of_special_floats(kind: str, space: str, type_: str) -> None:
    special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.0, -1.0, 3e-8], np.float32)
    if type_ == "bf16":
        numbers = (special.view(np.uint32) >> 16).astype(np.uint16)
    else:
        numbers = special.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[type_])
    values = ", %v" if kind != "compare_exchange" else ", %v, %w"
    shared = space == "shared"
    body = (
        THREAD
        + f"""
      %s = alloc "s" [count = 64, align = 8] : mem<{type_}, shared, exclusive>
      %v = load %x, %i [offset = 0] : {type_}
      %w = load %x, %zero [offset = 0] : {type_}
      %b = load %m, %i [offset = 0] : {type_}
      store %s, %i, %b [offset = 0]
      %o = atomic "{kind}" {"%s" if shared else "%m"}, %i{values} [offset = 0, order = "relaxed", scope = "device"] : {type_}
      store %out, %i, %o [offset = 0]
      intrinsic "block.sync"
      %e = load {"%s" if shared else "%m"}, %i [offset = 0] : {type_}
      store %m, %i, %e [offset = 0]
    """
    )
    memory = f"mem<{type_}, global, exclusive>"
    module = kernel(f"x: {memory}; m: {memory}; out: {memory}", body)
    assert_same(module, [np.tile(numbers, 8), np.repeat(numbers, 8), np.zeros(64, numbers.dtype)])


# ---- what crosses a barrier


def test_values_carried_through_a_loop_with_barriers_whose_end_is_read_from_memory() -> None:
    body = (
        THREAD
        + """
      %s = alloc "s" [count = 96, align = 4] : mem<i32, shared, exclusive>
      %mine = load %x, %i [offset = 0] : i32
      %f = const 1.5 : f32
      %r, %k, %g = while %mine, %zero, %f : i32, i32, f32 (%v: i32, %n: i32, %h: f32) {
        %limit = load %x, %zero [offset = 0] : i32
        %more = lt %n, %limit : bool
        condition %more, %v, %n, %h
      } do (%w: i32, %m: i32, %j: f32) {
        store %s, %tid, %w [offset = 0]
        intrinsic "block.sync"
        %c = add %tid, %one : i32
        %size = const 96 : i32
        %next = mod %c, %size : i32
        %other = load %s, %next [offset = 0] : i32
        intrinsic "block.sync"
        %new = add %w, %other : i32
        %up = add %m, %one : i32
        %twice = mul %j, %j : f32
        yield %new, %up, %twice
      }
      %kk = mul %k, %r : i32
      %gi = cast %g : i32
      %sum = add %kk, %gi : i32
      store %out, %i, %sum [offset = 0]
    """
    )
    module = kernel(f"{X}; {OUT}", body, "domain 1 block 96x1x1 coordinates i32")
    x = np.arange(5, 5 + 96, dtype=np.int32)
    assert_same(module, [x, np.zeros(96, np.int32)])


@pytest.mark.parametrize("block", [64, 70])
def test_votes_of_the_block(block: int) -> None:
    body = (
        THREAD
        + """
      %v = load %x, %i [offset = 0] : i32
      %p = gt %v, %zero : bool
      %fine = ne %v, %bad : bool
      check "OX7002" %fine [message = "bad"]
      %n = intrinsic "block.count" %p : i32
      %a = intrinsic "block.all" %p : bool
      %o = intrinsic "block.any" %p : bool
      %ai = cast %a : i32
      %oi = cast %o : i32
      %ten = const 1000 : i32
      %t1 = mul %ai, %ten : i32
      %t2 = add %t1, %n : i32
      %t3 = mul %t2, %ten : i32
      %t4 = add %t3, %oi : i32
      store %out, %i, %t4 [offset = 0]
      if %o {
        intrinsic "block.sync"
        store %out, %i, %n [offset = 0]
        yield
      } else {
        yield
      }
    """
    )
    module = kernel(f"{X}; bad: i32; {OUT}", body, f"domain 1 block {block}x1x1 coordinates i32")
    random = np.random.default_rng(5)
    for low, high in ((-2, 3), (1, 3), (-3, 1)):
        x = random.integers(low, high, 3 * block).astype(np.int32)
        assert_same(module, [x, 77, np.zeros(3 * block, np.int32)], (3, 1, 1))
    x[7] = 77
    assert_same(module, [x, 77, np.zeros(3 * block, np.int32)], (3, 1, 1))


PANICS = (
    THREAD
    + """
  %s = alloc "s" [count = 48, align = 4] : mem<i32, shared, exclusive>
  %lane = intrinsic "warp.lane" : i32
  %v = load %x, %i [offset = 0] : i32
  %c1 = const 1 : i32
  %c2 = const 2 : i32
  %c3 = const 3 : i32
  %a = ne %v, %c1 : bool
  check "OX7002" %a [message = "before"]
  store %s, %tid, %v [offset = 0]
  intrinsic "block.sync"
  %size = const 48 : i32
  %n = add %tid, %one : i32
  %m = mod %n, %size : i32
  %o = load %s, %m [offset = 0] : i32
  %k = intrinsic "warp.shuffle_down" %o, %one [mask = "active", width = 16] : i32
  %b = ne %v, %c2 : bool
  check "OX7001" %b, %v, %o [message = "between"]
  %q = intrinsic "warp.ballot" %b [mask = "active", width = 8] : u32
  %qi = cast %q : i32
  intrinsic "block.sync"
  %c = ne %v, %c3 : bool
  check "OX7002" %c [message = "behind"]
  %r = add %k, %qi : i32
  store %out, %i, %r [offset = 0]
"""
)


@pytest.mark.parametrize("seed", range(8))
def test_failed_checks_before_between_and_behind_barriers(seed: int) -> None:
    module = kernel(f"{X}; {OUT}", PANICS, "domain 1 block 48x1x1 coordinates i32")
    random = np.random.default_rng(seed)
    x = np.full(96, 9, np.int32)
    x[random.integers(0, 96, seed % 4)] = random.integers(1, 4, seed % 4)
    assert_same(module, [x, np.zeros(96, np.int32)], (2, 1, 1))


def test_the_other_threads_go_on_through_barriers_and_a_dead_lane_gives_zero() -> None:
    body = PANICS.replace('%o, %one [mask = "active", width = 16', '%v, %one [mask = "full", width = 16').replace("48", "64")
    module = kernel(f"{X}; {OUT}", body, "domain 1 block 64x1x1 coordinates i32")
    x = np.arange(4, 68, dtype=np.int32)
    x[20] = 1
    raw = [x.view(np.uint8), np.zeros(256, np.uint8)]
    wanted = [one.copy() for one in raw]
    assert run(module, wanted, (1, 1, 1), (64, 1, 1)) is not None
    assert CpuKernel(module).run(raw, (1, 1, 1))[0] == 1
    got = raw[1].view(np.int32)
    assert got.tolist() == wanted[1].view(np.int32).tolist()
    assert got[19] == 0xFF - (1 << 4) + 0  # lane 20 is dead: its value is 0, its vote is missing
    assert got[20] == 0


def test_threads_that_leave_early() -> None:
    body = (
        THREAD
        + """
      %s = alloc "s" [count = 64, align = 4] : mem<i32, shared, exclusive>
      %v = load %x, %i [offset = 0] : i32
      %done = scope "all" : i32 {
        store %s, %tid, %v [offset = 0]
        intrinsic "block.sync"
        %r = scope "round" : i32 {
          %odd = and %v, %one : i32
          %leaves = eq %odd, %one : bool
          if %leaves {
            leave "round" %v
          } else {
            yield
          }
          %big = gt %v, %limit : bool
          if %big {
            leave "all" %limit
          } else {
            yield
          }
          %w = mul %v, %v : i32
          yield %w
        }
        %sum = add %r, %one : i32
        yield %sum
      }
      intrinsic "block.sync"
      %c63 = const 63 : i32
      %from = sub %c63, %tid : i32
      %o = load %s, %from [offset = 0] : i32
      %t = add %done, %o : i32
      store %out, %i, %t [offset = 0]
    """
    )
    module = kernel(f"{X}; limit: i32; {OUT}", body, "domain 1 block 64x1x1 coordinates i32")
    x = np.random.default_rng(4).integers(0, 100, 128).astype(np.int32)
    args, _ = assert_same(module, [x, 60, np.zeros(128, np.int32)], (2, 1, 1))
    wanted = np.where(x % 2 == 1, x + 1, np.where(x > 60, 60, x * x + 1)) + x.reshape(2, 64)[:, ::-1].ravel()
    assert args[2].tolist() == wanted.tolist()


@pytest.mark.parametrize("element", ["i32", "f64"])
def test_dynamic_and_static_scratch_memory_never_overlap(element: str) -> None:
    body = (
        THREAD
        + f"""
      %two = const 2 : i32
      %cast = cast %i : {element}
      %a = alloc "a" %n [align = 8, count = 0] : mem<{element}, shared, exclusive>
      %n2 = mul %n, %two : i32
      %b = alloc "b" %n2 [align = 4, count = 0] : mem<u8, shared, exclusive>
      %c = alloc "c" [align = 8, count = 64] : mem<{element}, shared, exclusive>
      %l = alloc "l" [align = 4, count = 3] : mem<i32, local, exclusive>
      store %l, %two, %tid [offset = 0]
      %byte = cast %tid : u8
      store %a, %tid, %cast [offset = 0]
      store %b, %tid, %byte [offset = 0]
      store %c, %tid, %cast [offset = 0]
      %up = add %tid, %n : i32
      store %b, %up, %byte [offset = 0]
      intrinsic "block.sync"
      %c63 = const 63 : i32
      %from = sub %c63, %tid : i32
      %x1 = load %a, %from [offset = 0] : {element}
      %x2 = load %b, %from [offset = 0] : u8
      %x3 = load %c, %from [offset = 0] : {element}
      %up2 = add %from, %n : i32
      %x4 = load %b, %up2 [offset = 0] : u8
      %x5 = load %l, %two [offset = 0] : i32
      %y1 = cast %x1 : i32
      %y2 = cast %x2 : i32
      %y3 = cast %x3 : i32
      %y4 = cast %x4 : i32
      %s1 = add %y1, %y2 : i32
      %s2 = add %y3, %y4 : i32
      %s3 = add %s1, %s2 : i32
      %s4 = mul %s3, %c63 : i32
      %s5 = add %s4, %x5 : i32
      store %out, %i, %s5 [offset = 0]
    """
    )
    module = kernel(f"n: i32; {OUT}", body, "domain 1 block 64x1x1 coordinates i32")
    args, _ = assert_same(module, [64, np.zeros(128, np.int32)], (2, 1, 1))
    assert args[1].tolist() == [
        (2 * (64 * block + 63 - tid) + 2 * (63 - tid)) * 63 + tid for block in range(2) for tid in range(64)
    ]  # fmt: skip


def test_large_local_memory_lives_beside_the_stack() -> None:
    body = (
        THREAD
        + """
      %l = alloc "l" [align = 4, count = 300] : mem<i32, local, exclusive>
      %n = const 300 : i32
      for %zero, %n, %one [positive = true] (%k: i32) {
        %v = mul %k, %i : i32
        store %l, %k, %v [offset = 0]
        yield
      }
      intrinsic "block.sync"
      %m = mod %tid, %n : i32
      %r = load %l, %m [offset = 0] : i32
      store %out, %i, %r [offset = 0]
    """
    )
    module = kernel(OUT, body, "domain 1 block 512x1x1 coordinates i32")
    args, _ = assert_same(module, [np.zeros(1024, np.int32)], (2, 1, 1))
    assert args[0].tolist() == [(i % 512 % 300) * i for i in range(1024)]


@pytest.mark.parametrize("row", [row.name for row in ROWS.values() if row.assembly is None and not row.cpu])
def test_waits_for_other_blocks_are_refused(row: str) -> None:
    module = kernel(OUT, f'  intrinsic "{row}"')
    with pytest.raises(CompileError) as caught:
        cpu.emit(module, cpu_target(), CodegenOptions())
    (found,) = caught.value.diagnostics
    assert found.code == "OX6001"
    assert row in found.message and "interp" in found.message
