"""Control flow, memory and functions: the CPU gives what the interpreter gives, and the PTX assembles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from backend.assembler import assemble
from backend.kernels import NO_LINES, NUMPY_OF, OPTIONS, CpuKernel, parse, raw

from oxidepy.backend import nvptx
from oxidepy.backend.targets import nvptx_target
from oxidepy.ir.interpreter import run
from oxidepy.ir.types import SCALARS

THREADS = 64
HEAD = """kernel @k(
  %n: mem<i32, global, shared> = memory "n",
  %out: mem<i32, global, exclusive> = memory "out",
  %len: i32 = length "out"
) domain 1 block 32x1x1 {
  %i = intrinsic "thread.global_id.x" : i32
  %c0 = const 0 : i32
  %c1 = const 1 : i32
  %c2 = const 2 : i32
  %c5 = const 5 : i32
  %x = load %n, %i [offset = 0] : i32
"""

BODIES = {
    "branch with values": """
      %p = gt %x, %c2 : bool
      %r = if %p : i32 {
        %d = mul %x, %x : i32
        yield %d
      } else {
        %q = lt %x, %c0 : bool
        %e = if %q : i32 {
          yield %c5
        } else {
          yield %x
        }
        yield %e
      }
      store %out, %i, %r [offset = 0]
    """,
    "while with leaves": """
      scope "return" {
        %sum = scope "break" : i32 {
          %r, %r2 = while %c0, %c0 : i32, i32 (%k: i32, %acc: i32) {
            %true = const true : bool
            condition %true, %k, %acc
          } do (%k1: i32, %acc1: i32) {
            %next = scope "continue" : i32 {
              %p = gt %k1, %x : bool
              if %p {
                leave "break" %acc1
              } else {
                yield
              }
              %odd = and %k1, %c1 : i32
              %q = ne %odd, %c0 : bool
              if %q {
                leave "continue" %acc1
              } else {
                yield
              }
              %c6 = const 6 : i32
              %e = eq %k1, %c6 : bool
              if %e {
                %m = const -1 : i32
                store %out, %i, %m [offset = 0]
                leave "return"
              } else {
                yield
              }
              %a = add %acc1, %k1 : i32
              yield %a
            }
            %k3 = add %k1, %c1 : i32
            yield %k3, %next
          }
          yield %c5
        }
        store %out, %i, %sum [offset = 0]
        yield
      }
    """,
    "a scope left on all paths": """
      %v = scope "s" : i32 {
        %p = gt %x, %c2 : bool
        if %p {
          leave "s" %x
        } else {
          leave "s" %c5
        }
        yield %c0
      }
      store %out, %i, %v [offset = 0]
    """,
    "a loop that never comes round": """
      %v = scope "s" : i32 {
        %w = for %c0, %x, %c1, %c2 [positive = true] : i32 (%k: i32, %acc: i32) {
          %t = add %acc, %x : i32
          leave "s" %t
        }
        yield %w
      }
      store %out, %i, %v [offset = 0]
    """,
    "nested loops": """
      %s = for %c0, %x, %c2, %c0 [positive = true] : i32 (%k: i32, %acc: i32) {
        %m1 = const -1 : i32
        %t = for %k, %m1, %m1, %acc [positive = false] : i32 (%j: i32, %inner: i32) {
          %u = mul %inner, %c5 : i32
          %w = add %u, %j : i32
          yield %w
        }
        yield %t
      }
      store %out, %i, %s [offset = 0]
    """,
}


def both(text: str, numbers: list[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the CPU and the interpreter leave in `out`."""
    module = parse(text)
    given = np.resize(np.asarray(numbers, np.int32), THREADS)
    out = [np.full(THREADS, -99, np.int32) for _ in range(2)]
    args = [[given.view(np.uint8), one.view(np.uint8), THREADS] for one in out]
    assert run(module, args[1], (THREADS // 32, 1, 1), (32, 1, 1)) is None
    assert CpuKernel(module).run(args[0], (THREADS // 32, 1, 1))[0] == 0
    return out[0], out[1]


@pytest.mark.parametrize("name", BODIES)
def test_control_flow(name: str) -> None:
    text = HEAD + BODIES[name] + "  return\n}\n"
    got, wanted = both(text, [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, -1, -7])
    assert got.tolist() == wanted.tolist()
    assert len(set(wanted.tolist())) > 2
    assemble(nvptx.emit(parse(text), nvptx_target("sm_80"), NO_LINES).code.decode(), "sm_80")


RANGES = {
    "i8": [-128, -127, -5, -1, 0, 1, 3, 100, 126, 127],
    "u8": [0, 1, 2, 100, 200, 254, 255],
    "i32": [-(2**31), -(2**31) + 3, -4, 0, 5, 2**31 - 4, 2**31 - 1],
    "u64": [0, 3, 2**64 - 5, 2**64 - 1],
    "i64": [-(2**63), -(2**63) + 2, -1, 0, 2, 2**63 - 3, 2**63 - 1],
}
STEPS = {
    "i8": [1, 2, 3, 100, 127, -1, -3, -128],
    "u8": [1, 3, 255],
    "i32": [1, 3, 2**30, -1, -(2**30), -(2**31)],
    "u64": [1, 2, 2**63 + 1],
    "i64": [1, 2, -2, -(2**63)],
}


def range_text(type_: str, step: str, positive: str) -> str:
    """Counts the rounds of range(a, b, s), at most 300, and mixes the variable's values."""
    return f"""kernel @k(
  %a: mem<{type_}, global, shared> = memory "a",
  %b: mem<{type_}, global, shared> = memory "b",
  %s: mem<{type_}, global, shared> = memory "s",
  %out: mem<{type_}, global, disjoint> = memory "out",
  %count: mem<i32, global, disjoint> = memory "count"
) domain 1 block 32x1x1 {{
  %i = intrinsic "thread.global_id.x" : i32
  %start = load %a, %i [offset = 0] : {type_}
  %stop = load %b, %i [offset = 0] : {type_}
  %one = const 1 : i32
  %zero = const 0 : i32
  %seven = const 7 : {type_}
  %most = const 300 : i32
  {step}
  %rounds, %mixed = scope "done" : i32, {type_} {{
    %r, %m = for %start, %stop, %step, %zero, %seven [positive = {positive}] : i32, {type_} (%k: {type_}, %n: i32, %acc: {type_}) {{
      %full = ge %n, %most : bool
      if %full {{
        leave "done" %n, %acc
      }} else {{
        yield
      }}
      %n1 = add %n, %one : i32
      %x0 = mul %acc, %seven : {type_}
      %x1 = add %x0, %k : {type_}
      yield %n1, %x1
    }}
    yield %r, %m
  }}
  store %out, %i, %mixed [offset = 0]
  store %count, %i, %rounds [offset = 0]
  return
}}
"""


def constants_and_variable(type_: str) -> list[tuple[str, str | int]]:
    return [(type_, "run time"), *((type_, step) for step in STEPS[type_])]


@pytest.mark.parametrize(("type_", "step"), [one for type_ in RANGES for one in constants_and_variable(type_)])
def test_ranges_never_wrap(type_: str, step: str | int) -> None:
    steps = STEPS[type_] if step == "run time" else [step]
    triples = list(itertools.product(RANGES[type_], RANGES[type_], steps))
    threads = -(-len(triples) // 32) * 32
    triples += [triples[0]] * (threads - len(triples))
    positive = "true" if type_.startswith("u") else "false"
    line = f"%step = load %s, %i [offset = 0] : {type_}" if step == "run time" else f"%step = const {step} : {type_}"
    module = parse(range_text(type_, line, positive))
    scalar = SCALARS[type_]
    columns = [raw(scalar, np.array([one[axis] for one in triples], NUMPY_OF[type_])) for axis in range(3)]
    mixed, counts = np.zeros(threads, NUMPY_OF[type_]), np.zeros(threads, np.int32)
    assert CpuKernel(module, OPTIONS).run([*columns, mixed.view(np.uint8), counts.view(np.uint8)], (threads // 32, 1, 1))[0] == 0
    for (start, stop, by), got, count in zip(triples, mixed, counts, strict=True):
        acc, rounds = 7, 0
        for value in range(start, stop, by):
            if rounds >= 300:
                break
            acc, rounds = acc * 7 + value, rounds + 1
        wrapped = (acc - scalar.min) % (1 << scalar.bits) + scalar.min
        assert (int(count), int(got)) == (rounds, wrapped), f"range({start}, {stop}, {by})"


FUNCTIONS = """func @twice(%x: f32) -> (f32) {
  %y = add %x, %x : f32
  return %y
}
func @split(%x: f32, %p: bool) -> (f32, i32, bool) {
  %two = call "twice" %x : f32
  %n = cast %two : i32
  %q = not %p : bool
  return %two, %n, %q
}
func @down(%n: i32, %acc: i32) -> (i32) {
  %c0 = const 0 : i32
  %c1 = const 1 : i32
  %p = le %n, %c0 : bool
  %r = if %p : i32 {
    yield %acc
  } else {
    %m = sub %n, %c1 : i32
    %a = add %acc, %n : i32
    %s = call "down" %m, %a : i32
    yield %s
  }
  return %r
}
kernel @k(
  %a: mem<f32, global, shared> = memory "a",
  %flags: mem<bool, global, exclusive> = memory "flags",
  %out: mem<i32, global, disjoint> = memory "out"
) domain 1 block 32x1x1 {
  %i = intrinsic "thread.global_id.x" : i32
  %x = load %a, %i [offset = 0] : f32
  %p = load %flags, %i [offset = 0] : bool
  %two, %n, %q = call "split" %x, %p : f32, i32, bool
  %c0 = const 0 : i32
  %d = call "down" %n, %c0 : i32
  %t = cast %two : i32
  %sum = add %d, %t : i32
  store %out, %i, %sum [offset = 0]
  store %flags, %i, %q [offset = 0]
  return
}
"""


def test_functions_recursion_and_bools() -> None:
    module = parse(FUNCTIONS)
    numbers = np.arange(64, dtype=np.float32) / 2 - 3
    before, out = np.arange(64, dtype=np.uint8) % 3 % 2, np.zeros(64, np.int32)
    flags = before.copy()
    assert CpuKernel(module).run([numbers.view(np.uint8), flags, out.view(np.uint8)], (2, 1, 1))[0] == 0
    doubled = [int(one * 2) for one in numbers.tolist()]
    assert flags.tolist() == (1 - before).tolist()
    assert out.tolist() == [sum(range(max(one, 0) + 1)) + one for one in doubled]
    assemble(nvptx.emit(module, nvptx_target("sm_90a"), OPTIONS).code.decode(), "sm_90a")


STRUCTS = """struct !s0 = "P" (x: f32 @ 0, k: u8 @ 4, w: f64 @ 8) size 16 align 8
kernel @k(
  %a: mem<!s0, global, shared> = memory "a",
  %out: mem<!s0, global, disjoint> = memory "out",
  %n: i32 = length "out",
  %h: f16 = scalar "h",
  %b: bool = scalar "b"
) domain 2 block 4x2x1 {
  %x = intrinsic "thread.global_id.x" : i32
  %y = intrinsic "thread.global_id.y" : i32
  %w = intrinsic "grid.dim.x" : i32
  %bx = intrinsic "block.dim.x" : i32
  %row = mul %w, %bx : i32
  %start = mul %y, %row : i32
  %i = add %start, %x : i32
  %p = inbounds %i, %n : bool
  if %p {
    %v = load %a, %i [offset = 0] : f32
    %k = load %a, %i [offset = 4] : u8
    %d = load %a, %i [offset = 8] : f64
    %hf = cast %h : f32
    %v2 = mul %v, %hf : f32
    %one = const 1 : u8
    %zero = const 0 : u8
    %step = select %b, %one, %zero : u8
    %k2 = add %k, %step : u8
    store %out, %i, %v2 [offset = 0]
    store %out, %i, %k2 [offset = 4]
    store %out, %i, %d [offset = 8]
    yield
  } else {
    yield
  }
  return
}
"""


def test_structs_scalars_and_two_dimensions() -> None:
    module = parse(STRUCTS.replace("x: f32", '"x": f32').replace("k: u8 @", '"k": u8 @').replace("w: f64", '"w": f64'))
    layout = np.dtype({"names": ["x", "k", "w"], "formats": ["f4", "u1", "f8"], "offsets": [0, 4, 8], "itemsize": 16})
    given, out = np.zeros(47, layout), np.zeros(48, layout)
    given["x"], given["k"], given["w"] = np.arange(47), np.arange(47) + 230, np.arange(47) / 3
    status, _ = CpuKernel(module).run([given.view(np.uint8), out.view(np.uint8), 47, np.float16(1.5), 1], (3, 2, 1))
    assert status == 0
    assert out["x"].tolist() == [*(given["x"] * 1.5), 0]
    assert out["k"].tolist() == [*((np.arange(47) + 231) % 256), 0]
    assert out["w"].tolist() == [*given["w"], 0]
    assemble(nvptx.emit(module, nvptx_target("sm_80"), OPTIONS).code.decode(), "sm_80")
