"""What PTX must look like where LLVM would go wrong."""

from __future__ import annotations

import pytest
from backend.assembler import assemble
from backend.kernels import NO_LINES, parse
from backend.test_control import BODIES, HEAD
from backend.test_jit import TEXT
from filecheck import check

from oxidepy.backend import nvptx
from oxidepy.backend.targets import nvptx_target


@pytest.mark.parametrize(("op", "type_"), [("shl", "i64"), ("shl", "u64"), ("shr", "u64")])
def test_a_64_bit_count_is_clamped_before_ptx_takes_its_low_half(op: str, type_: str) -> None:
    text = f"""kernel @k(
      %x: mem<{type_}, global, shared> = memory "x",
      %y: mem<{type_}, global, disjoint> = memory "y"
    ) domain 1 block 32x1x1 coordinates i32 {{
      %i = intrinsic "thread.global_id.x" : i32
      %v = load %x, %i [offset = 0] : {type_}
      %r = {op} %v, %v : {type_}
      store %y, %i, %r [offset = 0]
      return
    }}
    """
    ptx = nvptx.emit(parse(text), nvptx_target("sm_80"), NO_LINES).code.decode()
    check(ptx, f"CHECK: min.u64 %count, [[X:%rd[0-9]+]], 64; cvt.u32.u64 %low, %count; {op}.{{{{[bu]64}}}} {{{{%rd[0-9]+}}}}, [[X]], %low;")
    assemble(ptx, "sm_80")


def test_loops_downwards_are_counted() -> None:
    """ptxas 13.0 makes an endless loop of one that ends where an unsigned variable going down passes zero."""
    text = HEAD + BODIES["nested loops"] + "  return\n}\n"
    ptx = nvptx.emit(parse(text), nvptx_target("sm_90a"), NO_LINES).code.decode()
    check(ptx, "CHECK-NOT: setp.lt.u32 {{.*}}, -2;\nCHECK: setp.ne.b32\nCHECK-NOT: setp.lt.u32 {{.*}}, -2;\nCHECK: ret;")


@pytest.mark.parametrize("op", ["neg", "abs"])
def test_16_bits_are_negated_in_a_way_that_ptxas_compiles_rightly(op: str) -> None:
    text = f"""kernel @k(
      %x: mem<i16, global, shared> = memory "x",
      %y: mem<i16, global, disjoint> = memory "y"
    ) domain 1 block 32x1x1 coordinates i32 {{
      %i = intrinsic "thread.global_id.x" : i32
      %v = load %x, %i [offset = 0] : i16
      %n = {op} %v : i16
      %c = const 15 : i16
      %r = shr %n, %c : i16
      store %y, %i, %r [offset = 0]
      return
    }}
    """
    ptx = nvptx.emit(parse(text), nvptx_target("sm_90a"), NO_LINES).code.decode()
    check(ptx, f"CHECK-NOT: {op}.s16\nCHECK: not.b16\nCHECK: add.s16 {{{{.*}}}}, 1;\nCHECK: shr.s16\nCHECK-NOT: {op}.s16\nCHECK: ret;")
    assemble(ptx, "sm_90a")


def test_names_that_ptx_takes_for_none() -> None:
    for name in ("_", "WARP_SZ", "größe", "oxidepy_panic"):
        text = nvptx.emit(parse(TEXT.replace("@NAME", f'@"{name}"')), nvptx_target("sm_80"), NO_LINES).code.decode()
        assemble(text, "sm_80")
