"""Printer and parser: text is stable, complete, and reads back as what it was."""

from __future__ import annotations

import math

import pytest
from filecheck import check

from oxidepy.diagnostics import Span
from oxidepy.ir.core import Block, Builder, Kernel, Module, ParamInfo, Require, Value
from oxidepy.ir.parser import ParseError, parse_module
from oxidepy.ir.printer import print_module, print_op
from oxidepy.ir.types import F32, F64, I32, I64, U8, Memory, Struct

SAXPY = """\
func @half(%x: f32) -> (f32) {
  %0 = const 0.5 : f32
  %1 = mul %x, %0 : f32
  return %1
}
kernel @saxpy(
  %k: f32 = scalar "k",
  %x: mem<f32, global, shared> = memory "x",
  %x.len: i32 = length "x",
  %y: mem<f32, global, disjoint> = memory "y",
  %y.len: i32 = length "y"
) domain 1 block 256x1x1 coordinates i32 launch_bounds 256, 2 min_compute_capability 8, 0
  require "len(x) == len(y)" ("==", ("len", "x", 0), ("len", "y", 0)) {
  %i = intrinsic "thread.global_id.x" : i32
  %0 = inbounds %i, %y.len : bool
  if %0 {
    check "OX7001" %0, %i, %x.len [message = "index out of bounds"]
    %1 = load %x, %i [offset = 0] : f32
    %2 = call "half" %1 : f32
    %3 = fma %k, %2, %1 : f32
    store %y, %i, %3 [offset = 0]
    yield
  } else {
    yield
  }
  return
}
"""

CONTROL = """\
struct !s0 = "Vec" ("x": f64 @ 0, "y": f64 @ 8) size 16 align 8
struct !s1 = "Particle" ("tag": u8 @ 0, "at": !s0 @ 8) size 24 align 8
kernel @"<lambda>"(
  %p: mem<!s1, global, exclusive> = memory "p",
  %p.len.0: i64 = length "p",
  %p.len.1: i64 = length "p" axis 1,
  %q.x: f64 = scalar "q" path "x"
) domain 2 block 16x8x1 coordinates i64 {
  %0 = const 0 : i32
  %1 = const -3 : i32
  %2 = const 1 : i32
  %3 = const nan : f64
  %4 = const -inf : f64
  %5 = const -0.0 : f64
  %6 = const 1e-320 : f64
  %7 = const true : bool
  %8, %9 = scope "loop" : i32, f64 loc("a b\\".py":1:2-3:4) {
    %10, %11 = for %0, %1, %2, %0, %3 [positive = false] : i32, f64 (%i: i32, %n: i32, %s: f64) {
      %12 = lt %i, %n : bool
      if %12 {
        leave "loop" %n, %s
      } else {
        yield
      }
      yield %n, %s
    }
    %13 = while %10 : i32 (%w: i32) {
      %14 = gt %w, %0 : bool
      condition %14, %w
    } do (%v: i32) {
      %15 = sub %v, %2 : i32
      yield %15
    }
    %16 = undef : f64
    yield %13, %16
  }
  return
}
"""


@pytest.mark.parametrize("text", [SAXPY, CONTROL])
def test_text_reads_back_as_itself(text: str) -> None:
    module = parse_module(text)
    assert print_module(module, spans=True) == text
    again = parse_module(print_module(module))
    assert print_module(again) == print_module(module)


def test_attributes_and_facts_survive() -> None:
    module = parse_module(CONTROL)
    kernel = module.kernel
    assert kernel.name == "<lambda>"
    assert kernel.infos[2] == ParamInfo("p", "length", 1) and kernel.infos[3] == ParamInfo("q", "scalar", path="x")
    vec = Struct.of("Vec", (("x", F64), ("y", F64)))
    assert kernel.params[0].type == Memory(Struct.of("Particle", (("tag", U8), ("at", vec))), "global", "exclusive")
    values = [op.attrs["value"] for op in kernel.body.ops if op.name == "const"][3:]
    assert math.isnan(values[0]) and values[1] == -math.inf and math.copysign(1, values[2]) == -1 and values[3:] == [1e-320, True]
    scope = next(op for op in kernel.body.ops if op.name == "scope")
    assert scope.span == Span('a b".py', 1, 2, 3, 4)
    assert parse_module(SAXPY).kernel.requires == (Require("len(x) == len(y)", ("==", ("len", "x", 0), ("len", "y", 0))),)


def _small() -> Module:
    params = [Value(I32, "n"), Value(I32, "n"), Value(F32, "a b")]
    kernel = Kernel("k", params, [ParamInfo("n", "scalar"), ParamInfo("m", "scalar"), ParamInfo("x", "scalar")], Block(), coordinates=I32)
    build = Builder(kernel.body)
    build.span = Span("f.py", 1, 1, 1, 2)
    build.const(I32, 4)
    build.const(I64, 4)
    build.emit("return")
    return Module(kernel)


def test_names_are_unique_and_clean() -> None:
    text = print_module(_small())
    assert "%n: i32" in text and "%n.1: i32" in text and "%a_b: f32" in text


@pytest.mark.parametrize(
    "change",
    [
        lambda m: setattr(m.kernel, "name", "other"),
        lambda m: setattr(m.kernel, "domain", 2),
        lambda m: setattr(m.kernel, "block", (128, 1, 1)),
        lambda m: setattr(m.kernel, "coordinates", I64),
        lambda m: setattr(m.kernel, "launch_bounds", (256, 0)),
        lambda m: setattr(m.kernel, "min_compute_capability", (9, 0)),
        lambda m: setattr(m.kernel, "requires", (Require("n > 0", (">", ("scalar", "n"), ("int", 0))),)),
        lambda m: m.kernel.infos.__setitem__(1, ParamInfo("m", "scalar", path="y")),
        lambda m: m.kernel.infos.__setitem__(1, ParamInfo("m", "length", axis=1)),
        lambda m: m.kernel.body.ops[0].attrs.update(value=5),
        lambda m: setattr(m.kernel.body.ops[0].results[0], "type", I64),
        lambda m: setattr(m.kernel.body.ops[0], "span", Span("f.py", 2, 1, 2, 2)),
    ],
)
def test_every_change_of_meaning_changes_the_text(change) -> None:
    module = _small()
    before = print_module(module, spans=True)
    change(module)
    assert print_module(module, spans=True) != before


def test_lines_are_left_out_without_spans() -> None:
    module = _small()
    before = print_module(module)
    module.kernel.body.ops[0].span = Span("g.py", 7, 7, 7, 8)
    assert print_module(module) == before and "loc(" not in before


def test_regions_are_indented_and_loops_name_what_they_carry() -> None:
    check(
        print_module(parse_module(CONTROL)),
        """
        CHECK: struct !s0 = "Vec"
        CHECK: scope "loop" : i32, f64 {
        CHECK-NEXT: [[A:%\\d+]], {{%\\d+}} = for {{.*}} [positive = false] : i32, f64 (%i: i32,
        CHECK-NOT: loc(
        CHECK: while [[A]] : i32 (%w: i32) {
        CHECK-COUNT-2: }
        CHECK: yield
        """,
    )


def test_an_operation_prints_by_itself() -> None:
    module = parse_module(SAXPY)
    branch = next(op for op in module.kernel.body.walk() if op.name == "if")
    assert print_op(branch) == "if %0 { … }"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mul %x, %0", "mul %x, %7", "line 3, column 16: expected a value defined above, found '%7'"),
        ("mul %x", "mal %x", "expected an operation, found 'mal'"),
        (": f32\n  %1", ": f33\n  %1", "expected a scalar type, found 'f33'"),
        ("domain 1", "demesne 1", "expected a fact of the kernel"),
        ("disjoint>", "often>", "expected shared or disjoint or exclusive or raw, found 'often'"),
        ('call "half" %1 : f32', 'call "half" %1', "result types for call"),
        ("  return\n}\n", "  return\n", "expected an operation, found 'the end'"),
        ("const 0.5", "const ?", "expected a token, found '?'"),
    ],
)
def test_what_is_not_ir_is_refused_with_its_place(old: str, new: str, message: str) -> None:
    position = SAXPY.rindex(old)
    with pytest.raises(ParseError, match=message.replace("?", r"\?")):
        parse_module(SAXPY[:position] + new + SAXPY[position + len(old) :])
