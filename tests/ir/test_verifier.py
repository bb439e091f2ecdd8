"""The verifier: one broken module for each rule."""

from __future__ import annotations

import pytest

from oxidepy.ir.core import Block, Op
from oxidepy.ir.parser import parse_module
from oxidepy.ir.types import F32, I32
from oxidepy.ir.verifier import InvalidIR, verify

TEXT = """\
struct !s0 = "P" ("x": f32 @ 0, "n": i32 @ 4) size 8 align 4
func @half(%x: f32) -> (f32) {
  %h = const 0.5 : f32
  %y = mul %x, %h : f32
  return %y
}
kernel @k(
  %a: mem<f32, global, shared> = memory "a",
  %a.len: i32 = length "a",
  %p: mem<!s0, global, disjoint> = memory "p",
  %b: bool = scalar "b",
  %f: f32 = scalar "f"
) domain 1 block 256x1x1 coordinates i32 {
  %i = intrinsic "thread.global_id.x" : i32
  %c = const 1 : i32
  %l = const 1 : i64
  %ok = inbounds %i, %a.len : bool
  check "OX7001" %ok, %i, %a.len [message = "m"]
  %v = load %a, %i [offset = 0] : f32
  %w = load %p, %i [offset = 4] : i32
  store %p, %i, %v [offset = 0]
  %h = call "half" %v : f32
  %s = select %b, %v, %h : f32
  %q = cast %s : i32
  %u = bitcast %s : u32
  %r = if %b : f32 {
    yield %v
  } else {
    yield %h
  }
  %t = for %c, %i, %c, %v [positive = true] : f32 (%k: i32, %acc: f32) {
    yield %acc
  }
  %z = scope "out" : f32 {
    %e = while %c : i32 (%m: i32) {
      condition %b, %m
    } do (%d: i32) {
      if %b {
        leave "out" %t
      } else {
        yield
      }
      yield %d
    }
    yield %r
  }
  return
}
"""

BROKEN = [
    ("%q = cast %s : i32", "%q = add %s, %c : f32", "operands are (f32, i32), wanted (f32, f32)"),
    ("%q = cast %s : i32", "%q = add %s, %s : i32", "results are (i32), wanted (f32)"),
    ("%q = cast %s : i32", "%q = add %s : f32", "has 1 operands, wanted 2"),
    ("%q = cast %s : i32", "%q = div %c, %c : i32", "does not take i32"),
    ("%q = cast %s : i32", "%q = and %s, %s : f32", "does not take f32"),
    ("%q = cast %s : i32", "%q = sqrt %c : i32", "does not take i32"),
    ("%q = cast %s : i32", "%q = shl %c, %l : i32", "operands are (i32, i64)"),
    ("%q = cast %s : i32", "%q = eq %c, %c : i32", "results are (i32), wanted (bool)"),
    ("%q = cast %s : i32", "%q = lt %b, %b : bool", "does not take bool"),
    ("%q = cast %s : i32", "%q = neg %a : f32", "does not take mem<"),
    ("%u = bitcast %s : u32", "%u = bitcast %s : u64", "changes the width"),
    ("%c = const 1 : i32", "%c = const 1.0 : i32", "holds a float, wanted int"),
    ("%c = const 1 : i32", "%c = const true : i32", "holds a bool, wanted int"),
    ("%c = const 1 : i32", "%c = const 2147483648 : i32", "does not fit i32"),
    ("%h = const 0.5 : f32", "%h = const 1 : f32", "holds a int, wanted float"),
    ("select %b, %v, %h", "select %c, %v, %h", "operands are (i32, f32, f32)"),
    ("load %a, %i [offset = 0]", "load %a, %i [offset = 2]", "has no field at byte 2"),
    ("load %a, %i [offset = 0]", "load %a, %i", "lacks offset"),
    ("load %a, %i [offset = 0]", "load %a, %f [offset = 0]", "is indexed by f32"),
    ("load %a, %i [offset = 0]", "load %i, %i [offset = 0]", "accesses a i32, not memory"),
    ("load %p, %i [offset = 4] : i32", "load %p, %i [offset = 4] : f32", "results are (f32), wanted (i32)"),
    ("store %p, %i, %v [offset = 0]", "store %a, %i, %v [offset = 0]", "writes read-only memory"),
    ("store %p, %i, %v [offset = 0]", "store %p, %i, %w [offset = 0]", "values are (i32), wanted (f32)"),
    ('call "half" %v : f32', 'call "half" %w : f32', "operands are (i32), wanted (f32)"),
    ('call "half" %v : f32', 'call "whole" %v : f32', "calls no function of the module"),
    ('intrinsic "thread.global_id.x" : i32', 'intrinsic "thread.global_id.w" : i32', "names no row"),
    ('intrinsic "thread.global_id.x" : i32', 'intrinsic "thread.global_id.x" : i64', "results are (i64), wanted (i32)"),
    ('check "OX7001" %ok, %i, %a.len', 'check "OX7001" %ok, %i', "takes a condition, or a condition, an index and a length"),
    ('check "OX7001" %ok, %i, %a.len', 'check "OX7001" %i', "condition are (i32)"),
    ("yield %h\n", "yield %w\n", "operands are (i32), wanted (f32)"),
    ("yield %h\n", "yield\n", "operands are (), wanted (f32)"),
    ("yield %h\n", "return\n", "must end in leave or yield"),
    ("for %c, %i, %c, %v", "for %c, %i, %l, %v", "operands are (i32, i32, i64, f32)"),
    ("(%k: i32, %acc: f32)", "(%k: i64, %acc: f32)", "arguments of region 0 are (i64, f32)"),
    ("condition %b, %m", "condition %c, %m", "operands are (i32, i32), wanted (bool, i32)"),
    ("condition %b, %m", "yield %m", "must end in condition or leave"),
    ("yield %d", "yield %f", "operands are (f32), wanted (i32)"),
    ('leave "out" %t', 'leave "in" %t', "leaves no scope around it"),
    ('leave "out" %t', 'leave "out" %c', "operands are (i32), wanted (f32)"),
    ("%y = mul %x, %h : f32", '%y = mul %x, %h : f32\n  check "OX7002" %x [message = "m"]', "is not allowed in a function"),
    ("return %y", "return", "operands are (), wanted (f32)"),
    ('%b: bool = scalar "b"', '%b: bool = memory "b"', "has the role 'memory'"),
    ('%a.len: i32 = length "a"', '%a.len: i64 = length "a"', "not of the coordinate type"),
]


def findings(module) -> str:
    with pytest.raises(InvalidIR) as caught:
        verify(module)
    return "\n".join(caught.value.findings)


def test_the_whole_module_is_fine() -> None:
    verify(parse_module(TEXT))


@pytest.mark.parametrize(("old", "new", "message"), BROKEN, ids=[new for _, new, _ in BROKEN])
def test_each_fault_is_found(old: str, new: str, message: str) -> None:
    assert TEXT.count(old) == 1
    assert message in findings(parse_module(TEXT.replace(old, new)))


def _op(module, name: str):
    return next(op for op in module.kernel.body.walk() if op.name == name)


def test_a_value_of_another_branch_is_not_visible() -> None:
    module = parse_module(TEXT)
    loop, select = _op(module, "for"), _op(module, "select")
    select.operands[1] = loop.regions[0].args[1]
    assert "not defined on every path" in findings(module)


def test_a_value_defined_below_is_not_visible() -> None:
    module = parse_module(TEXT)
    _op(module, "select").operands[1] = _op(module, "if").results[0]
    assert "not defined on every path" in findings(module)


def test_terminators_stand_last_and_only_there() -> None:
    module = parse_module(TEXT)
    module.kernel.body.ops.insert(3, module.kernel.body.ops.pop())
    said = findings(module)
    assert "is followed by other operations" in said and "must end in return" in said


def test_an_empty_region() -> None:
    module = parse_module(TEXT)
    _op(module, "if").regions[1].ops.clear()
    assert "is empty" in findings(module)


def test_an_operation_twice_in_the_tree() -> None:
    module = parse_module(TEXT)
    module.kernel.body.ops.insert(1, module.kernel.body.ops[0])
    assert "is defined twice" in findings(module)


def test_unknown_operations_and_missing_regions() -> None:
    module = parse_module(TEXT)
    _op(module, "select").name = "choose"
    _op(module, "if").regions.pop()
    said = findings(module)
    assert "no operation of the table" in said and "has 1 regions, wanted 2" in said


def test_nested_scopes_of_one_label() -> None:
    module = parse_module(TEXT)
    scope = _op(module, "scope")
    inner = Block()
    inner.ops.append(Op("yield", [module.kernel.params[4]]))
    scope.regions[0].ops.insert(0, Op("scope", (), (F32,), {"label": "out"}, [inner]))
    assert "has the label of a scope around it" in findings(module)


def test_functions_are_filed_under_their_names() -> None:
    module = parse_module(TEXT)
    module.functions["other"] = module.functions.pop("half")
    assert "is filed under" in findings(module)


def test_all_findings_are_collected() -> None:
    module = parse_module(TEXT.replace("cast %s : i32", "div %c, %c : i32").replace("yield %d", "yield %f"))
    with pytest.raises(InvalidIR) as caught:
        verify(module)
    assert len(caught.value.findings) == 2
    assert module.kernel.coordinates == I32
