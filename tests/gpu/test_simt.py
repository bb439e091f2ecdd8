"""The SIMT layer on a CUDA GPU, row by row, against the interpreter: the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from backend.kernels import edges, raw, same
from backend.simt import EXCHANGES, NUMBERS, VOTES, accesses, atomic_types, atomics, exchanges, kernel, votes
from backend.test_gpu import Gpu

from oxidepy.ir.core import Module
from oxidepy.ir.interpreter import run
from oxidepy.ir.ops import ATOMICS
from oxidepy.ir.types import SCALARS

pytestmark = pytest.mark.gpu
FULL, PARTIAL = "domain 1 block 64x1x1", "domain 1 block 43x1x1"
HEAD = "x: mem<i32, global, shared>; n: i32; out: mem<i32, global, exclusive>"
START = '  %i = intrinsic "thread.idx.x" : i32\n  %g = intrinsic "thread.global_id.x" : i32\n  %v = load %x, %g [offset = 0] : i32\n'


@pytest.fixture(scope="module")
def gpu() -> Iterator[Gpu]:
    yield Gpu()


def both(gpu: Gpu, module: Module, args: list[Any], grid: int = 1) -> list[tuple[np.ndarray, np.ndarray]]:
    """Run on both; (got, wanted) of every memory argument."""
    other = [one.copy() if isinstance(one, np.ndarray) else one for one in args]
    assert run(module, other, (grid, 1, 1), module.kernel.block) is None
    record = gpu.run(module, args, (grid, 1, 1))
    assert not record.any()
    return [(a, b) for a, b in zip(args, other, strict=True) if isinstance(a, np.ndarray)]


def i32(*values: int) -> np.ndarray:
    return np.array(values, np.int32).view(np.uint8).copy()


def numbers(count: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(-5, 6, count, dtype=np.int32).view(np.uint8).copy()


def drawn(type_: str, count: int, seed: int = 5) -> np.ndarray:
    """Bytes of values at which operations change their mind."""
    scalar = SCALARS[type_]
    found = edges(scalar)
    random = np.random.default_rng(seed)
    return raw(scalar, found[random.integers(0, len(found), count)])


# ---- exchanges and votes


@pytest.mark.parametrize(("mask", "facts"), [("full", FULL), ("active", FULL), ("active", PARTIAL)])
@pytest.mark.parametrize("type_", NUMBERS)
def test_shuffles(gpu: Gpu, type_: str, mask: str, facts: str) -> None:
    module = exchanges(type_, mask, facts)
    size = SCALARS[type_].size
    for step in (0, 1, 7, 31, 32, -1, 1000, -(2**31)):
        args = [drawn(type_, 64), step, np.zeros(64 * EXCHANGES * size, np.uint8)]
        for got, wanted in both(gpu, module, args):
            assert np.array_equal(got, wanted), np.flatnonzero(got != wanted)[:8] // (64 * size)


@pytest.mark.parametrize(("mask", "facts"), [("full", FULL), ("active", FULL), ("active", PARTIAL)])
def test_votes_and_matches(gpu: Gpu, mask: str, facts: str) -> None:
    module = votes(mask, facts)
    for seed in range(4):
        for got, wanted in both(gpu, module, [numbers(64, seed), np.zeros(64 * VOTES * 4, np.uint8)]):
            assert np.array_equal(got, wanted), np.flatnonzero(got != wanted)[:8] // 256


def test_the_active_lanes_of_an_arm(gpu: Gpu) -> None:
    arm = '    %{0} = intrinsic "warp.ballot" %t [mask = "active", width = 32] : u32\n    %c{0} = cast %{0} : i32\n    yield %c{0}\n'
    body = START + "  %d = gt %v, %n : bool\n  %t = eq %v, %v : bool\n"
    body += f"  %r = if %d : i32 {{\n{arm.format('a')}  }} else {{\n{arm.format('b')}  }}\n  store %out, %i, %r [offset = 0]"
    for got, wanted in both(gpu, kernel(HEAD, body), [numbers(64), 0, np.zeros(256, np.uint8)]):
        assert got.tolist() == wanted.tolist()


# ---- barriers


def test_block_votes_and_positions(gpu: Gpu) -> None:
    body = START + '  %p = gt %v, %n : bool\n  %any = intrinsic "block.any" %p : bool\n  %all = intrinsic "block.all" %p : bool\n'
    body += '  %count = intrinsic "block.count" %p : i32\n  %lane = intrinsic "warp.lane" : i32\n  %id = intrinsic "warp.id" : i32\n'
    body += "  %a = cast %any : i32\n  %b = cast %all : i32\n  %k = const 1000 : i32\n  %s0 = mul %count, %k : i32\n"
    for number, one in enumerate(("%a", "%b", "%lane", "%id")):
        body += f"  %m{number} = mul %s{number}, %k : i32\n  %s{number + 1} = add %m{number}, {one} : i32\n"
    for facts in (FULL, PARTIAL):
        module = kernel(HEAD, body + "  store %out, %g, %s4 [offset = 0]", facts)
        for threshold in (-9, 0, 9):
            for got, wanted in both(gpu, module, [numbers(192), threshold, np.zeros(192 * 4, np.uint8)], 3):
                assert np.array_equal(got, wanted)


TREE = """  %s = alloc "s" [count = 256, align = 4] : mem<i32, shared, exclusive>
  store %s, %i, %v [offset = 0]
  intrinsic "block.sync"
  %half = const 128 : i32
  %zero = const 0 : i32
  %one = const 1 : i32
  %end = while %half : i32 (%w: i32) {
    %more = gt %w, %zero : bool
    condition %more, %w
  } do (%u: i32) {
    %mine = lt %i, %u : bool
    if %mine {
      %j = add %i, %u : i32
      %a = load %s, %i [offset = 0] : i32
      %b = load %s, %j [offset = 0] : i32
      %c = add %a, %b : i32
      store %s, %i, %c [offset = 0]
      yield
    } else {
      yield
    }
    intrinsic "block.sync"
    %next = shr %u, %one : i32
    yield %next
  }
  %r = load %s, %zero [offset = 0] : i32
  store %out, %g, %r [offset = 0]"""


def test_tree_reduction(gpu: Gpu) -> None:
    module = kernel(HEAD, START + TREE, "domain 1 block 256x1x1")
    for got, wanted in both(gpu, module, [numbers(1024), 0, np.zeros(4096, np.uint8)], 4):
        assert np.array_equal(got, wanted)


def test_all_objects_of_shared_memory_are_apart(gpu: Gpu) -> None:
    """Static, moved into the dynamic part, and dynamic ones: each holds its own number to the end."""
    for big in (64, 7000):
        body = START + f'  %a = alloc "a" [count = {big}, align = 4] : mem<i32, shared, exclusive>\n'
        body += f'  %b = alloc "b" [count = {big}, align = 8] : mem<f64, shared, exclusive>\n'
        body += '  %c = alloc "c" %n [count = 0, align = 2] : mem<i16, shared, exclusive>\n'
        body += '  %d = alloc "d" %n [count = 0, align = 8] : mem<i64, shared, exclusive>\n'
        body += '  %e = alloc "e" %n [count = 0, align = 1] : mem<u8, shared, exclusive>\n'
        types = {"a": "i32", "b": "f64", "c": "i16", "d": "i64", "e": "u8"}
        for number, (name, type_) in enumerate(types.items()):
            body += f"  %k{name} = const {number + 1} : i32\n  %t{name} = add %i, %k{name} : i32\n  %v{name} = cast %t{name} : {type_}\n"
            body += f"  store %{name}, %i, %v{name} [offset = 0]\n"
        body += '  intrinsic "block.sync"\n  %last = const 63 : i32\n  %o = sub %last, %i : i32\n  %z = const 0 : i32\n'
        sums = "%z"
        for name in types:
            body += f"  %l{name} = load %{name}, %o [offset = 0] : {types[name]}\n  %i{name} = cast %l{name} : i32\n"
            body += f"  %h{name} = const 100 : i32\n  %p{name} = mul {sums}, %h{name} : i32\n  %s{name} = add %p{name}, %i{name} : i32\n"
            sums = f"%s{name}"
        module = kernel(HEAD, body + f"  store %out, %g, {sums} [offset = 0]")
        for got, wanted in both(gpu, module, [numbers(64), 67, np.zeros(256, np.uint8)]):
            assert np.array_equal(got, wanted)


@pytest.mark.parametrize("check", ["", '  %ok = ge %v, %n : bool\n  check "OX7002" %ok [message = "m"]\n'], ids=["plain", "checked"])
def test_grid_barrier(gpu: Gpu, check: str) -> None:
    """Each block reads what the next one wrote before the barrier, many times over."""
    body = (
        START
        + check
        + """  %blocks = intrinsic "grid.dim.x" : i32
  %size = intrinsic "grid.size" : i32
  %threads = intrinsic "block.dim.x" : i32
  %far = add %g, %threads : i32
  %from = mod %far, %size : i32
  %zero = const 0 : i32
  %one = const 1 : i32
  %rounds = const 20 : i32
  store %out, %g, %v [offset = 0]
  intrinsic "grid.sync"
  for %zero, %rounds, %one [positive = true] (%k: i32) {
    %a = load %out, %from [offset = 0] : i32
    intrinsic "grid.sync"
    %b = mul %a, %blocks : i32
    %c = add %b, %k : i32
    store %out, %g, %c [offset = 0]
    intrinsic "grid.sync"
    yield
  }"""
    )
    for got, wanted in both(gpu, kernel(HEAD, body), [numbers(64 * 17), -100, np.zeros(64 * 17 * 4, np.uint8)], 17):
        assert np.array_equal(got, wanted)


def test_a_panic_ends_those_who_wait_for_the_grid(gpu: Gpu) -> None:
    """All threads of one block fail: it never comes, and the others must not wait for ever."""
    body = (
        START + '  %ok = lt %v, %n : bool\n  check "OX7002" %ok [message = "m"]\n  intrinsic "grid.sync"\n  store %out, %g, %v [offset = 0]'
    )
    values = np.zeros(64 * 9, np.int32)
    values[64 * 3 : 64 * 4] = 5
    record = gpu.run(kernel(HEAD, body), [values.view(np.uint8), 5, np.zeros(values.nbytes, np.uint8)], (9, 1, 1))
    assert record.any()
    values[:] = 0
    assert not gpu.run(kernel(HEAD, body), [values.view(np.uint8), 5, np.zeros(values.nbytes, np.uint8)], (9, 1, 1)).any()


def test_a_panic_ends_a_loop_that_waits(gpu: Gpu) -> None:
    body = (
        START
        + """  %zero = const 0 : i32
  %ok = lt %g, %n : bool
  check "OX7002" %ok [message = "m"]
  while {
    %f = atomic "load" %out, %zero [offset = 0, order = "acquire", scope = "device"] : i32
    %go = eq %f, %zero : bool
    condition %go
  } do {
    yield
  }"""
    )
    assert gpu.run(kernel(HEAD, body), [numbers(128), 100, np.zeros(4, np.uint8)], (2, 1, 1)).any()


def test_cluster_barrier(gpu: Gpu) -> None:
    if gpu.target.compute < 90:
        pytest.skip("clusters begin with sm_90")
    body = (
        START + '  store %out, %g, %v [offset = 0]\n  intrinsic "cluster.sync"\n  %other = const 64 : i32\n  %from = xor %g, %other : i32\n'
    )
    body += '  %r = load %out, %from [offset = 0] : i32\n  intrinsic "cluster.sync"\n  store %out, %g, %r [offset = 0]'
    for got, wanted in both(gpu, kernel(HEAD, body, FULL + " cluster 2x1x1"), [numbers(512), 0, np.zeros(2048, np.uint8)], 8):
        assert np.array_equal(got, wanted)


# ---- atomics


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("kind", ATOMICS)
def test_atomic_accesses(gpu: Gpu, kind: str, space: str) -> None:
    """One thread: old values and what stays in memory."""
    scopes = ("block", "device", "system") + (("cluster",) if gpu.target.compute >= 90 else ())
    for type_ in atomic_types(kind):
        scalar = SCALARS[type_]
        module = atomics(kind, type_, space, scopes, "domain 1 block 1x1x1")
        count = len(list(accesses(kind)))
        for seed in range(12):
            memory = drawn(type_, count, seed)
            x = drawn(type_, 2, seed + 100)
            if kind == "compare_exchange":
                memory[: count // 2 * scalar.size] = np.resize(x[: scalar.size], count // 2 * scalar.size)
            for got, wanted in both(gpu, module, [x, memory, np.zeros(count * scalar.size, np.uint8)]):
                assert same(scalar, got, wanted).all(), (type_, seed)


CONTENDED = [(kind, type_) for kind in ("add", "sub", "min", "max", "and", "or", "xor") for type_ in atomic_types(kind)
             if kind in ("min", "max") or type_[0] in "iu"]  # fmt: skip


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize(("kind", "type_"), CONTENDED)
def test_many_threads_at_seven_elements(gpu: Gpu, kind: str, type_: str, space: str) -> None:
    """What is left does not depend on the order. Neighbouring elements share words."""
    scalar = SCALARS[type_]
    memory = "%m" if space == "global" else "%s"
    body = START.replace("%v = load %x, %g [offset = 0] : i32", f"%v = load %x, %g [offset = 0] : {type_}")
    body += "  %seven = const 7 : i32\n  %at = mod %g, %seven : i32\n"
    body += f'  %s = alloc "s" [count = 7, align = 8] : mem<{type_}, shared, exclusive>\n  %first = lt %i, %seven : bool\n'
    copy = "  if %first {{\n    %{0} = load {1}, %i [offset = 0] : {3}\n    store {2}, %i, %{0} [offset = 0]\n    yield\n  }} else {{\n"
    copy += "    yield\n  }}\n"
    inside = space == "shared"
    body += (copy.format("c", "%m", "%s", type_) + '  intrinsic "block.sync"\n') if inside else ""
    tail = f'[offset = 0, order = "relaxed", scope = "{"block" if inside else "device"}"] : {type_}'
    body += f'  %o = atomic "{kind}" {memory}, %at, %v {tail}\n'
    body += ('  intrinsic "block.sync"\n' + copy.format("d", "%s", "%m", type_)) if inside else ""
    params = f"x: mem<{type_}, global, shared>; m: mem<{type_}, global, exclusive>"
    grid = 1 if inside else 24
    random = np.random.default_rng(11).integers(0, 256, 256 * grid * scalar.size, dtype=np.uint8)
    values = drawn(type_, 256 * grid) if scalar.is_float else random
    module = kernel(params, body, "domain 1 block 256x1x1")
    for got, wanted in both(gpu, module, [values, drawn(type_, 8, 77)], grid):
        assert same(scalar, got, wanted).all()


def test_messages_through_acquire_and_release(gpu: Gpu) -> None:
    """The second block waits for the flag of the first; then it must see the data that were written before it."""
    body = (
        START
        + """  %zero = const 0 : i32
  %one = const 1 : i32
  %b = intrinsic "block.idx.x" : i32
  %lead = eq %b, %zero : bool
  if %lead {
    store %data, %i, %v [offset = 0]
    intrinsic "block.sync"
    %t = eq %i, %zero : bool
    if %t {
      atomic "store" %flag, %zero, %one [offset = 0, order = "release", scope = "device"]
      yield
    } else {
      yield
    }
    yield
  } else {
    while {
      %f = atomic "load" %flag, %zero [offset = 0, order = "acquire", scope = "device"] : i32
      %go = eq %f, %zero : bool
      condition %go
    } do {
      yield
    }
    %r = load %data, %i [offset = 0] : i32
    store %out, %i, %r [offset = 0]
    yield
  }"""
    )
    params = HEAD + "; data: mem<i32, global, exclusive>; flag: mem<i32, global, exclusive>"
    x = numbers(128)
    out, data = np.zeros(256, np.uint8), np.zeros(256, np.uint8)
    gpu.run(kernel(params, body), [x, 0, out, data, i32(0)], (2, 1, 1))
    assert np.array_equal(out, x[:256])
