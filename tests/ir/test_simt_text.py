"""Text and rules of scratch memory, atomic accesses, fences and rows with attributes."""

from __future__ import annotations

import pytest

from oxidepy.ir.parser import parse_module
from oxidepy.ir.printer import print_module
from oxidepy.ir.verifier import InvalidIR, verify

TEXT = """\
struct !s0 = "P" ("x": f32 @ 0, "n": i32 @ 4) size 8 align 4
func @same(%x: f32) -> (f32) {
  return %x
}
kernel @k(
  %a: mem<f32, global, shared> = memory "a",
  %b: mem<i32, global, exclusive> = memory "b",
  %n: i32 = scalar "n",
  %v: f32 = scalar "v",
  %flag: bool = scalar "flag"
) domain 1 block 256x1x1 coordinates i32 cluster 2x1x1 {
  %s = alloc "s" [align = 4, count = 256] : mem<f32, shared, exclusive>
  %p = alloc "p" [align = 16, count = 8] : mem<!s0, shared, exclusive>
  %d = alloc "d" %n [align = 128, count = 0] : mem<f32, shared, exclusive>
  %l = alloc "l" [align = 4, count = 3] : mem<f32, local, exclusive>
  %f = alloc "f" [align = 1, count = 3] : mem<bool, shared, exclusive>
  %i = intrinsic "warp.lane" : i32
  intrinsic "block.sync"
  intrinsic "grid.sync"
  intrinsic "cluster.sync"
  %mask = const 4294967295 : u32
  intrinsic "warp.sync" %mask
  %any = intrinsic "block.any" %flag : bool
  %count = intrinsic "block.count" %flag : i32
  %r = intrinsic "warp.shuffle_up" %v, %i [mask = "full", width = 16] : f32
  %m = intrinsic "warp.match_any" %r [mask = "active", width = 32] : u32
  %o = atomic "add" %s, %i, %r [offset = 0, order = "relaxed", scope = "block"] : f32
  %c = atomic "compare_exchange" %p, %i, %i, %n [offset = 4, order = "acq_rel", scope = "device"] : i32
  %x = atomic "xor" %b, %i, %c [offset = 0, order = "seq_cst", scope = "system"] : i32
  %w = atomic "load" %a, %i [offset = 0, order = "acquire", scope = "cluster"] : f32
  atomic "store" %d, %i, %w [offset = 0, order = "release", scope = "block"]
  fence "device"
  store %l, %i, %o [offset = 0]
  return
}
"""

BROKEN = [
    ("%s, %i, %r [offset = 0, order", "%l, %i, %r [offset = 0, order", "local memory, which no other thread sees"),
    ('"add" %s', '"add" %a', "writes read-only memory"),
    ('"add" %s', '"nand" %s', "no atomic access of the table"),
    ('"add" %s, %i, %r', '"add" %s, %i', "another count of operands"),
    ('"add" %s, %i, %r', '"add" %s, %i, %n', "values are (i32), wanted (f32)"),
    ('"add" %s', '"or" %s', "does not take f32"),
    ('"add" %s, %i', '"add" %s, %r', "is indexed by f32"),
    ('%i, %r [offset = 0, order = "relaxed"', '%i, %r [offset = 2, order = "relaxed"', "has no field at byte 2"),
    ('order = "relaxed"', 'order = "weak"', "has the order 'weak'"),
    ('scope = "cluster"', 'scope = "planet"', "has the scope 'planet'"),
    ('order = "release"', 'order = "acquire"', "has the order 'acquire'"),
    ('order = "acquire"', 'order = "release"', "has the order 'release'"),
    ('order = "relaxed", ', "", "lacks order"),
    ('scope = "system"] : i32', 'scope = "system"] : i64', "results are (i64), wanted (i32)"),
    ('"load" %a, %i [offset = 0, order = "acquire", scope = "cluster"] : f32\n  atomic "store" %d, %i, %w',
     '"load" %f, %i [offset = 0, order = "acquire", scope = "cluster"] : bool\n  atomic "store" %d, %i, %v', "does not take bool"),
    ('fence "device"', 'fence "grid"', "has the scope 'grid'"),
    ("count = 256", "count = 0", "holds 0 elements"),
    ("count = 256", "count = -1", "holds -1 elements"),
    ("align = 16", "align = 12", "wanted a power of two from 4 on"),
    ("align = 16", "align = 2", "wanted a power of two from 4 on"),
    ("count = 0", "count = 1", "takes its count as an operand"),
    ('"d" %n', '"d" %v', "takes its count as an operand"),
    ("[align = 4, count = 3] : mem<f32, local", "[align = 4, count = 3] : mem<f32, global", "shared or local"),
    ("count = 3] : mem<f32, local, exclusive>", "count = 3] : mem<f32, local, shared>", "exclusive memory object"),
    ("width = 16", "width = 12", "has the width 12"),
    ('mask = "active"', 'mask = "some"', "has the mask 'some'"),
    ('%v, %i [mask = "full", width = 16]', "%v, %i", "wants the attributes (mask, width)"),
    ('%v, %i [mask = "full", width = 16]', '%v, %v [mask = "full", width = 16]', "operands are (f32, f32), wanted (f32, i32)"),
    ('%v, %i [mask = "full", width = 16]', '%v [mask = "full", width = 16]', "takes 2 scalars"),
    ('width = 16] : f32', "width = 16] : i32", "results are (i32), wanted (f32)"),
    ('"block.any" %flag', '"block.any" %n', "operands are (i32), wanted (bool)"),
    ('"warp.sync" %mask', '"warp.sync"', "operands are (), wanted (u32)"),
    ("return %x", '%y = intrinsic "warp.shuffle" %x, %z [mask = "full", width = 32] : f32\n  return %y', "not allowed in a function"),
    ("return %x", 'fence "block"\n  return %x', "not allowed in a function"),
    ("return %x", '%y = alloc "y" [align = 4, count = 1] : mem<f32, local, exclusive>\n  return %x', "not allowed in a function"),
]  # fmt: skip


def test_the_text_reads_back_as_itself() -> None:
    module = parse_module(TEXT)
    verify(module)
    assert print_module(module) == TEXT


@pytest.mark.parametrize(("old", "new", "message"), BROKEN, ids=[f"{number}-{one[2]}" for number, one in enumerate(BROKEN)])
def test_each_fault_is_found(old: str, new: str, message: str) -> None:
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    if "%z" in new:
        text = text.replace("%y =", "%z = const 1 : i32\n  %y =")
    with pytest.raises(InvalidIR) as caught:
        verify(parse_module(text))
    assert message in "\n".join(caught.value.findings)


def test_the_front_attribute_may_stand_with_the_others() -> None:
    module = parse_module(TEXT.replace('alloc "s" [align = 4', 'alloc [name = "s", align = 4'))
    assert print_module(module) == TEXT
