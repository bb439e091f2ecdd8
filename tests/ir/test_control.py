"""Control flow, memory, checks and launches of the interpreter."""

from __future__ import annotations

import time

import numpy as np
import pytest
from ir.build import map_kernel, run_map

from oxidepy.ir.core import Block
from oxidepy.ir.interpreter import Fault, Program, run
from oxidepy.ir.parser import parse_module
from oxidepy.ir.types import F32, I8, I32, I64, U8, U64, Scalar
from oxidepy.ir.verifier import verify

HEADER = """kernel @k(
  %n: mem<i32, global, shared> = memory "n",
  %out: mem<i32, global, exclusive> = memory "out",
  %len: i32 = length "out"
) domain 1 block 8x1x1 {
  %i = intrinsic "thread.global_id.x" : i32
  %c0 = const 0 : i32
  %c1 = const 1 : i32
  %c2 = const 2 : i32
  %c5 = const 5 : i32
  %x = load %n, %i [offset = 0] : i32
"""


def run_body(body: str, inputs: list[int], block: int | None = None) -> tuple[list[int], object]:
    """Run `body`, which may use %x = n[i] and stores to %out."""
    module = parse_module(HEADER + body + "  return\n}\n")
    verify(module)
    n, out = np.array(inputs, np.int32), np.full(len(inputs), -99, np.int32)
    threads = block or len(inputs)
    panic = run(module, [n.view(np.uint8), out.view(np.uint8), len(inputs)], (len(inputs) // threads, 1, 1), (threads, 1, 1))
    return out.tolist(), panic


def test_branches_merge_by_thread() -> None:
    body = """
      %p = gt %x, %c2 : bool
      %r = if %p : i32 {
        %d = add %x, %x : i32
        yield %d
      } else {
        yield %c5
      }
      store %out, %i, %r [offset = 0]
    """
    assert run_body(body, [0, 1, 2, 3, 4])[0] == [5, 5, 5, 6, 8]
    assert run_body(body, [3, 4])[0] == [6, 8]
    assert run_body(body, [0, 1])[0] == [5, 5]


def test_for_counts_by_thread() -> None:
    body = """
      %s = for %c0, %x, %c1, %c0 [positive = true] : i32 (%k: i32, %acc: i32) {
        %t = add %acc, %k : i32
        yield %t
      }
      store %out, %i, %s [offset = 0]
    """
    assert run_body(body, [0, 1, 5, -3, 10])[0] == [0, 0, 10, 0, 45]


def test_while_with_break_continue_and_early_return() -> None:
    # while True: k += 1; if k > x: break; if k odd: continue; if k == 6: out = -1, return; acc += k
    body = """
      scope "return" {
        %acc2 = scope "break" : i32 {
          %r = while %c0, %c0 : i32, i32 (%k: i32, %acc: i32) {
            %true = const true : bool
            condition %true, %k, %acc
          } do (%k1: i32, %acc1: i32) {
            %next = scope "continue" : i32 {
              %k2.in = add %k1, %c1 : i32
              %p = gt %k2.in, %x : bool
              if %p {
                leave "break" %acc1
              } else {
                yield
              }
              %odd = and %k2.in, %c1 : i32
              %q = ne %odd, %c0 : bool
              if %q {
                leave "continue" %acc1
              } else {
                yield
              }
              %c6 = const 6 : i32
              %e = eq %k2.in, %c6 : bool
              if %e {
                %m = const -1 : i32
                store %out, %i, %m [offset = 0]
                leave "return"
              } else {
                yield
              }
              %a = add %acc1, %k2.in : i32
              yield %a
            }
            %k3 = add %k1, %c1 : i32
            yield %k3, %next
          }
          yield %c5
        }
        store %out, %i, %acc2 [offset = 0]
        yield
      }
    """.replace("%r = while", "%r, %r2 = while")
    assert run_body(body, [0, 1, 2, 3, 4, 5, 6, 7])[0] == [0, 0, 2, 2, 6, 6, -1, -1]


def test_a_scope_left_on_all_paths() -> None:
    body = """
      %v = scope "s" : i32 {
        %p = gt %x, %c2 : bool
        if %p {
          leave "s" %c1
        } else {
          leave "s" %c2
        }
        %u = undef : i32
        yield %u
      }
      store %out, %i, %v [offset = 0]
    """
    assert run_body(body, [1, 5, 2])[0] == [2, 1, 2]


def test_a_failed_check_ends_its_thread_only_and_the_lowest_is_told() -> None:
    body = """
      %p = inbounds %x, %c5 : bool
      check "OX7001" %p, %x, %c5 [message = "m"]
      store %out, %i, %x [offset = 0]
    """
    out, panic = run_body(body, [0, 1, 2, 3, 4, 9, 2, -7], block=2)
    assert out == [0, 1, 2, 3, 4, -99, 2, -99]
    assert panic.site.attrs["code"] == "OX7001"
    assert (panic.block, panic.thread, panic.index, panic.length) == ((2, 0, 0), (1, 0, 0), 9, 5)
    assert run_body(body, [0, 1])[1] is None


def test_the_lowest_thread_counts_not_the_first_check() -> None:
    body = """
      %p = ne %x, %c1 : bool
      check "OX7003" %p [message = "a"]
      %q = ne %x, %c2 : bool
      check "OX7002" %q [message = "b"]
    """
    panic = run_body(body, [0, 2, 1])[1]
    assert (panic.site.attrs["code"], panic.thread, panic.index) == ("OX7002", (1, 0, 0), None)


def test_a_check_in_a_loop_lets_the_others_go_on() -> None:
    body = """
      %s = for %c0, %c5, %c1, %c0 [positive = true] : i32 (%k: i32, %acc: i32) {
        %p = ne %k, %x : bool
        check "OX7002" %p [message = "m"]
        %t = add %acc, %k : i32
        yield %t
      }
      store %out, %i, %s [offset = 0]
    """
    out, panic = run_body(body, [7, 3, 7, 1])
    assert out == [10, -99, 10, -99] and panic.thread == (1, 0, 0)
    assert run_body(body, [0, 0])[0] == [-99, -99]


@pytest.mark.parametrize(
    ("type_", "ranges"),
    [
        (I8, [(-128, 127, 1), (0, 127, 50), (127, -128, -1), (-128, 127, 127), (5, 5, 3), (5, 0, 1)]),
        (I8, [(0, 5, -1), (127, -128, -128), (-128, 127, 100)]),
        (U8, [(0, 255, 1), (250, 255, 3), (255, 0, 1), (0, 255, 255), (0, 254, 128)]),
        (I64, [(2**63 - 3, 2**63 - 1, 1), (-(2**63), 2**63 - 1, 2**62), (2**63 - 1, -(2**63), -(2**63)), (0, 10, 2**63 - 1)]),
        (U64, [(2**64 - 5, 2**64 - 1, 2), (0, 2**64 - 1, 2**63)]),
    ],
)
def test_a_range_never_wraps(type_: Scalar, ranges: list[tuple[int, int, int]]) -> None:
    """Count and sum of the values (wrapping) of range(start, stop, step)."""

    def body(build, values):
        zero, one = build.const(type_, 0), build.const(I32, 1)
        loop = build.emit("for", [*values, build.const(I32, 0), zero], (I32, type_), {"positive": False}, [block(build, one)])
        wide = build.value("cast", loop.results[1], type=I64)
        shifted = build.value("shl", build.value("cast", loop.results[0], type=I64), build.const(I64, 40))
        return build.value("add", shifted, build.value("and", wide, build.const(I64, (1 << 40) - 1)))

    def block(build, one):
        inner = Block((type_, I32, type_))
        with build.at(inner):
            variable, count, total = inner.args
            build.emit("yield", [build.value("add", count, one), build.value("add", total, variable)])
        return inner

    module = map_kernel((type_,) * 3, I64, body)
    dtype = f"{'i' if type_.signed else 'u'}{type_.size}"
    got = run_map(module, (type_,) * 3, I64, *(np.array([one[at] for one in ranges], dtype) for at in range(3)))
    for value, bounds in zip(got.tolist(), ranges, strict=True):
        assert value >> 40 == len(range(*bounds)), bounds
        assert (value - sum(range(*bounds))) % (1 << min(type_.bits, 40)) == 0, bounds


def test_structs_and_bools_in_memory() -> None:
    text = """struct !s0 = "P" ("tag": u8 @ 0, "x": f64 @ 8, "on": bool @ 16) size 24 align 8
kernel @k(
  %p: mem<!s0, global, exclusive> = memory "p"
) domain 1 block 4x1x1 {
  %i = intrinsic "thread.global_id.x" : i32
  %t = load %p, %i [offset = 0] : u8
  %x = load %p, %i [offset = 8] : f64
  %on = load %p, %i [offset = 16] : bool
  %tf = cast %t : f64
  %s = add %x, %tf : f64
  %v = select %on, %s, %x : f64
  %no = not %on : bool
  store %p, %i, %v [offset = 8]
  store %p, %i, %no [offset = 16]
  return
}
"""
    dtype = np.dtype({"names": ["tag", "x", "on"], "formats": ["u1", "f8", "?"], "offsets": [0, 8, 16], "itemsize": 24})
    data = np.array([(1, 0.5, True), (2, 1.5, False), (255, -1.0, True)], dtype)
    module = parse_module(text)
    verify(module)
    assert run(module, [data.view(np.uint8)], (1, 1, 1), (3, 1, 1)) is None
    assert data["x"].tolist() == [1.5, 1.5, 254.0] and data["on"].tolist() == [False, True, False] and data["tag"].tolist() == [1, 2, 255]


def test_an_access_outside_is_a_fault_of_the_compiler() -> None:
    with pytest.raises(Fault, match="element 9 of a buffer of 2 elements"):
        run_body("  store %out, %x, %x [offset = 0]\n", [1, 9])


COORDINATES = ("thread.idx", "block.idx", "block.dim", "grid.dim", "thread.global_id")


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("name", COORDINATES)
def test_coordinates(name: str, axis: str) -> None:
    text = f"""kernel @k(
  %out: mem<i32, global, exclusive> = memory "out"
) domain 3 block 4x3x2 {{
  %v = intrinsic "{name}.{axis}" : i32
  %size = intrinsic "grid.size" : i32
  %gx = intrinsic "thread.global_id.x" : i32
  %gy = intrinsic "thread.global_id.y" : i32
  %gz = intrinsic "thread.global_id.z" : i32
  %nx = const 8 : i32
  %ny = const 9 : i32
  %a = mul %gz, %ny : i32
  %b = add %a, %gy : i32
  %c = mul %b, %nx : i32
  %d = add %c, %gx : i32
  store %out, %d, %v [offset = 0]
  return
}}
"""
    module = parse_module(text)
    verify(module)
    grid, block = (2, 3, 2), (4, 3, 2)
    out = np.full((4, 9, 8), -1, np.int32)
    run(module, [out.reshape(-1).view(np.uint8)], grid, block)
    at = "xyz".index(axis)
    place = np.indices(out.shape)[2 - at]
    want = {
        "thread.idx": place % block[at],
        "block.idx": place // block[at],
        "block.dim": np.full_like(place, block[at]),
        "grid.dim": np.full_like(place, grid[at]),
        "thread.global_id": place,
    }[name]
    assert (out == want).all()


def test_functions_are_called_with_their_own_values() -> None:
    text = """func @clamp(%x: f32) -> (f32) {
  %one = const 1.0 : f32
  %r = scope "r" : f32 {
    %p = gt %x, %one : bool
    if %p {
      leave "r" %one
    } else {
      yield
    }
    yield %x
  }
  return %r
}
kernel @k(
  %a: mem<f32, global, exclusive> = memory "a"
) domain 1 block 4x1x1 {
  %i = intrinsic "thread.global_id.x" : i32
  %x = load %a, %i [offset = 0] : f32
  %y = call "clamp" %x : f32
  %z = add %y, %y : f32
  %w = call "clamp" %z : f32
  store %a, %i, %w [offset = 0]
  return
}
"""
    data = np.array([0.25, 0.75, 3.0], np.float32)
    module = parse_module(text)
    verify(module)
    run(module, [data.view(np.uint8)], (1, 1, 1), (3, 1, 1))
    assert data.tolist() == [0.5, 1.0, 1.0]


def test_speed() -> None:
    """1024 threads times 20 operations in a few milliseconds (a bound with much room: the machine may be busy)."""

    def body(build, values):
        value = values[0]
        for number in range(20):
            value = build.value(("add", "mul", "sub")[number % 3], value, values[1])
        return value

    program = Program(map_kernel((F32, F32), F32, body))
    data = [np.ones(1024, np.float32).view(np.uint8) for _ in range(3)]
    best = min(_timed(lambda: program.run(data, (4, 1, 1), (256, 1, 1))) for _ in range(5))
    assert best < 0.02


def _timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
