"""The SIMT layer in PTX: which instructions stand for what, what memory is asked for, what never crosses a barrier, what a target lacks."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from backend.assembler import assemble
from backend.simt import NUMBERS, atomics, exchanges, kernel, reductions, votes
from filecheck import check

from oxidepy.backend import nvptx
from oxidepy.backend.shared_size import dynamic_bytes
from oxidepy.backend.targets import Target, nvptx_target
from oxidepy.diagnostics import CompileError
from oxidepy.ir.core import Module
from oxidepy.ir.intrinsics import ROWS
from oxidepy.settings.options import CodegenOptions

ARCHES = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
NO_LINES = CodegenOptions(lineinfo=False)
GLOBAL = "x: mem<i32, global, shared>; n: i32; out: mem<i32, global, exclusive>"
THREAD = '  %i = intrinsic "thread.idx.x" : i32\n'


def ptx(module: Module, arch: str = "sm_90a") -> str:
    return nvptx.emit(module, nvptx_target(arch), NO_LINES).code.decode()


# ---- exchanges


@pytest.mark.parametrize("mask", ["full", "active"])
@pytest.mark.parametrize("arch", ARCHES)
def test_exchanges_and_votes_assemble(arch: str, mask: str) -> None:
    for type_ in NUMBERS if arch == "sm_90a" else ("u8", "bf16", "f64"):
        assert "Used" in assemble(ptx(exchanges(type_, mask), arch), arch)
    assert "Used" in assemble(ptx(votes(mask), arch), arch)
    assert "Used" in assemble(ptx(reductions(mask), arch), arch)


def _shuffle(row: str, step: str, mask: str = "full", width: int = 32, type_: str = "i32", block: str = "64x1x1") -> str:
    body = THREAD + (f"  %c = const {step} : i32\n" if step.lstrip("-").isdigit() else "  %c = load %x, %i [offset = 0] : i32\n")
    body += f"  %v = load %y, %i [offset = 0] : {type_}\n"
    body += f'  %r = intrinsic "warp.{row}" %v, %c [mask = "{mask}", width = {width}] : {type_}\n  store %out, %i, %r [offset = 0]\n'
    params = f"x: mem<i32, global, shared>; y: mem<{type_}, global, shared>; out: mem<{type_}, global, exclusive>"
    return ptx(kernel(params, body, f"domain 1 block {block}"))


@pytest.mark.parametrize(
    ("row", "step", "width", "form"),
    [
        ("shuffle", "3", 32, "idx.b32 {}, {}, 3, 31, -1"),
        ("shuffle", "3", 8, "idx.b32 {}, {}, 3, 6175, -1"),
        ("shuffle_xor", "16", 32, "bfly.b32 {}, {}, 16, 31, -1"),
        ("shuffle_down", "1", 32, "down.b32 {}, {}, 1, 31, -1"),
        ("shuffle_down", "-2", 32, "up.b32 {}, {}, 2, 0, -1"),
        ("shuffle_up", "1", 16, "up.b32 {}, {}, 1, 4096, -1"),
    ],
)
def test_a_constant_step_is_one_instruction(row: str, step: str, width: int, form: str) -> None:
    text = _shuffle(row, step, width=width)
    assert re.search("shfl.sync." + re.escape(form).replace(r"\{\}", r"%r\d+").replace(r"\ ", r"\s+"), text), text
    assert "selp" not in text


@pytest.mark.parametrize(
    ("row", "step"), [("shuffle", "32"), ("shuffle", "-1"), ("shuffle_xor", "32"), ("shuffle_down", "32"), ("shuffle_up", "40")]
)
def test_a_step_out_of_the_warp_is_the_own_value(row: str, step: str) -> None:
    assert "shfl" not in _shuffle(row, step)


@pytest.mark.parametrize("row", ["shuffle", "shuffle_xor", "shuffle_down", "shuffle_up"])
def test_a_step_that_is_not_known_is_never_taken_modulo_the_warp(row: str) -> None:
    text = _shuffle(row, "x", width=8)
    assert re.search(r"setp\.lt\.u32\s+%p\d+, %r\d+, 8;", text)
    assert re.search(r"selp\.b32", text)
    assert re.search(r"shfl\.sync\.idx\.b32\s+%r\d+, %r\d+, %r\d+, 31, -1;", text)


def test_words_of_a_shuffle() -> None:
    assert len(re.findall("shfl.sync", _shuffle("shuffle_xor", "1", type_="f64"))) == 2
    for type_ in ("u8", "i16", "bf16", "f16", "f32"):
        assert len(re.findall("shfl.sync", _shuffle("shuffle_xor", "1", type_=type_))) == 1


def test_active_lanes_are_asked_for_and_the_others_give_the_own_value() -> None:
    text = _shuffle("shuffle_down", "1", mask="active")
    check(
        text,
        """
        CHECK: activemask.b32 [[MASK:%r\\d+]];
        CHECK: shr.u32 {{%r\\d+}}, [[MASK]], [[LANE:%r\\d+]];
        CHECK: selp.b32
        CHECK: shfl.sync.idx.b32 {{.*}}, 31, [[MASK]];
        """,
    )
    assert "activemask" not in _shuffle("shuffle_down", "1")
    assert "activemask" in _shuffle("shuffle_down", "1", block="48x1x1")  # the last warp has no 32 lanes


def test_votes_of_tiles_are_cut_out_of_the_warps() -> None:
    body = THREAD + "  %v = load %x, %i [offset = 0] : i32\n  %p = gt %v, %n : bool\n"
    body += '  %b = intrinsic "warp.ballot" %p [mask = "full", width = 8] : u32\n  %r = cast %b : i32\n  store %out, %i, %r [offset = 0]\n'
    check(
        ptx(kernel(GLOBAL, body)),
        """
        CHECK: vote.sync.ballot.b32 [[ALL:%r\\d+]], {{%p\\d+}}, -1;
        CHECK: and.b32 [[BASE:%r\\d+]], {{%r\\d+}}, 24;
        CHECK: shr.u32 [[CUT:%r\\d+]], [[ALL]], [[BASE]];
        CHECK: and.b32 {{%r\\d+}}, [[CUT]], 255;
        """,
    )


def test_lane_and_warp_follow_the_linear_index() -> None:
    body = '  %l = intrinsic "warp.lane" : i32\n  %w = intrinsic "warp.id" : i32\n  store %out, %l, %w [offset = 0]\n'
    text = ptx(kernel(GLOBAL, body, "domain 2 block 24x6x1"))
    assert re.search(r"mad\.lo\.s32\s+(%r\d+), %r\d+, 24, %r\d+;", text)
    assert re.search(r"and\.b32\s+%r\d+, %r\d+, 31;", text) and re.search(r"shr\.u32\s+%r\d+, %r\d+, 5;", text)


# ---- barriers

BARRIERS = {
    "block.sync": ('  intrinsic "block.sync"\n', r"\tbar(rier)?\.sync"),
    "block.any": ('  %any = intrinsic "block.any" %p : bool\n', r"\tbar(rier)?\.(cta\.)?red\.or"),
    "block.all": ('  %all = intrinsic "block.all" %p : bool\n', r"\tbar(rier)?\.(cta\.)?red\.and"),
    "block.count": ('  %count = intrinsic "block.count" %p : i32\n', r"\tbar(rier)?\.(cta\.)?red\.popc"),
    "warp.sync": ('  %lanes = const 4294967295 : u32\n  intrinsic "warp.sync" %lanes\n', r"\tbar\.warp\.sync"),
    "grid.sync": ('  intrinsic "grid.sync"\n', r"ld\.acquire\.gpu\.global\.u32"),
    "cluster.sync": ('  intrinsic "cluster.sync"\n', r"barrier\.cluster\.wait"),
    "fence": ('  fence "device"\n', r"fence\.acq_rel\.gpu"),
    "acquire": ('  %q = atomic "load" %flag, %zero [offset = 0, order = "acquire", scope = "device"] : i32\n', r"ld\.acquire"),
}


@pytest.mark.parametrize("space", ["shared", "global", "dynamic"])
@pytest.mark.parametrize("barrier", BARRIERS)
def test_a_reload_behind_a_barrier_stays_and_a_store_before_it_too(barrier: str, space: str) -> None:
    """The thread reads the element that it wrote itself: another thread may have written it in between."""
    operation, mnemonic = BARRIERS[barrier]
    other = '  %s2 = alloc "other" [count = 64, align = 4] : mem<i32, shared, exclusive>\n'
    alloc = {
        "shared": other + '  %s = alloc "s" [count = 64, align = 4] : mem<i32, shared, exclusive>\n',
        "dynamic": other + '  %s = alloc "s" %n [count = 0, align = 4] : mem<i32, shared, exclusive>\n',
        "global": other,
    }[space]
    memory = "%m" if space == "global" else "%s"
    body = THREAD + alloc + "  %zero = const 0 : i32\n  %p = gt %i, %n : bool\n  %v = load %x, %i [offset = 0] : i32\n"
    body += f"  store {memory}, %i, %v [offset = 0]\n  store %s2, %i, %v [offset = 0]\n{operation}"
    body += f"  %r = load {memory}, %i [offset = 0] : i32\n  store %out, %i, %r [offset = 0]\n"
    params = GLOBAL + "; m: mem<i32, global, exclusive>; flag: mem<i32, global, exclusive>"
    text = ptx(kernel(params, body))
    kind = "global" if space == "global" else "shared"
    before, after = text[: re.search(mnemonic, text).start()], text[re.search(mnemonic, text).end() :]  # type: ignore[union-attr]
    assert f"st.{kind}.b32" in before
    assert f"ld.{kind}.b32" in after, text
    if barrier in ("block.sync", "grid.sync"):
        assemble(text, "sm_90a")


@pytest.mark.parametrize("memory", ["%s", "%m"])
def test_without_a_barrier_the_reload_is_the_stored_value(memory: str) -> None:
    """What the test above looks for is something that LLVM does take away."""
    body = THREAD + ALLOC + "  %v = load %x, %i [offset = 0] : i32\n"
    body += f"  store {memory}, %i, %v [offset = 0]\n  %r = load {memory}, %i [offset = 0] : i32\n  store %out, %i, %r [offset = 0]\n"
    assert not re.search(r"ld\.(shared|global)\.b32", ptx(kernel(GLOBAL + "; m: mem<i32, global, exclusive>", body)))


def test_objects_do_not_overlap_so_a_store_to_one_leaves_the_other() -> None:
    body = THREAD + '  %a = alloc "a" [count = 64, align = 4] : mem<i32, shared, exclusive>\n'
    body += '  %b = alloc "b" %n [count = 0, align = 4] : mem<i32, shared, exclusive>\n'
    body += '  %c = alloc "c" %n [count = 0, align = 4] : mem<i32, shared, exclusive>\n  intrinsic "block.sync"\n'
    body += "  %v = load %x, %i [offset = 0] : i32\n"
    for one in "abc":
        body += f"  %{one}0 = load %{one}, %i [offset = 0] : i32\n"
    body += "".join(f"  store %{one}, %n, %v [offset = 0]\n" for one in "abc")
    body += "  %a1 = load %a, %i [offset = 0] : i32\n  %s = add %a0, %a1 : i32\n  %t = add %b0, %c0 : i32\n  %u = add %s, %t : i32\n"
    text = nvptx.llvm_text(kernel(GLOBAL, body + "  store %out, %i, %u [offset = 0]"), nvptx_target("sm_90a"), NO_LINES)
    accesses_ = [line for line in text.splitlines() if "addrspace(3) %" in line and (" load " in line or "store " in line)]
    assert len(accesses_) == 7 and all("!alias.scope" in one and "!noalias" in one for one in accesses_)
    assert len({re.search(r"!alias\.scope (!\d+)", one)[1] for one in accesses_}) == 3  # type: ignore[index]


def test_memory_that_is_accessed_atomically_has_no_scope() -> None:
    body = THREAD + '  %a = alloc "a" [count = 64, align = 4] : mem<i32, shared, exclusive>\n'
    body += '  %b = alloc "b" [count = 64, align = 4] : mem<i32, shared, exclusive>\n'
    body += '  %o = atomic "add" %a, %i, %n [offset = 0, order = "relaxed", scope = "block"] : i32\n'
    body += "  %v = load %a, %i [offset = 0] : i32\n  store %b, %i, %v [offset = 0]\n  store %out, %i, %o [offset = 0]\n"
    text = nvptx.llvm_text(kernel(GLOBAL, body), nvptx_target("sm_90a"), NO_LINES)
    tails = ["!alias.scope" in line for line in text.splitlines() if "load i32, ptr addrspace(3)" in line or "store i32" in line]
    assert tails == [False, True, True]


OPAQUE = """  %z = const 0 : i32
  %c = gt %n, %z : bool
  if %c {
    %v = load %x, %i [offset = 0] : i32
    store %s, %i, %v [offset = 0]
    yield
  } else {
    %w = load %x, %n [offset = 0] : i32
    store %s, %i, %w [offset = 0]
    yield
  }
  intrinsic "block.sync"
  %r = intrinsic "warp.shuffle_xor" %i, %n [mask = "full", width = 32] : i32
  if %c {
    %a = load %s, %r [offset = 0] : i32
    store %out, %i, %a [offset = 0]
    yield
  } else {
    store %out, %i, %r [offset = 0]
    yield
  }
  intrinsic "block.sync"
  %k = load %s, %n [offset = 0] : i32
  store %out, %n, %k [offset = 0]"""
ALLOC = '  %s = alloc "s" [count = 64, align = 4] : mem<i32, shared, exclusive>\n'
LOOP = """  %one = const 1 : i32
  %z = const 0 : i32
  %e = for %z, %n, %one, %z [positive = true] : i32 (%j: i32, %acc: i32) {
    %inv = gt %n, %i : bool
    %p = intrinsic "block.count" %inv : i32
    %same = gt %n, %one : bool
    %t = if %same : i32 {
      %q = add %acc, %p : i32
      yield %q
    } else {
      yield %acc
    }
    store %s, %i, %t [offset = 0]
    intrinsic "block.sync"
    %l = load %s, %j [offset = 0] : i32
    yield %l
  }
  store %out, %i, %e [offset = 0]"""


def test_a_branch_on_the_same_condition_around_a_barrier_does_not_double_it() -> None:
    """Jump threading and tail duplication would make two copies, at which the threads no longer meet."""
    text = ptx(kernel(GLOBAL, THREAD + ALLOC + OPAQUE))
    assert Counter(re.findall(r"\b(?:bar\.sync|shfl\.sync)", text)) == {"bar.sync": 2, "shfl.sync": 1}
    assemble(text, "sm_90a")


def test_a_loop_with_barriers_is_neither_unswitched_nor_unrolled_apart() -> None:
    text = ptx(kernel(GLOBAL, THREAD + ALLOC + LOOP))
    counts = Counter(re.findall(r"\bbar\.(?:sync|red)", text))
    assert counts["bar.sync"] == counts["bar.red"] == 1, text
    assemble(text, "sm_90a")


def test_the_same_exchange_in_both_arms_stays_in_both() -> None:
    arm = '    %{0} = intrinsic "warp.ballot" %p [mask = "active", width = 32] : u32\n    %c{0} = cast %{0} : i32\n    yield %c{0}\n'
    body = THREAD + "  %v = load %x, %i [offset = 0] : i32\n  %p = gt %v, %n : bool\n  %d = gt %i, %v : bool\n"
    body += f"  %r = if %d : i32 {{\n{arm.format('a')}  }} else {{\n{arm.format('b')}  }}\n  store %out, %i, %r [offset = 0]\n"
    text = ptx(kernel(GLOBAL, body))
    assert text.count("activemask") == text.count("vote.sync.ballot") == 2


def test_what_we_emit_is_convergent() -> None:
    text = nvptx.llvm_text(atomics("min", "f32", "shared"), nvptx_target("sm_90a"), NO_LINES)
    lines = [line for line in text.splitlines() if " asm " in line]
    assert lines and all("convergent" in line for line in lines)
    assert "atomicrmw" not in text and "cmpxchg" not in text


# ---- the grid


def test_the_grid_barrier_is_a_parameter_and_looks_at_the_record() -> None:
    body = (
        THREAD + '  %p = gt %i, %n : bool\n  check "OX7002" %p [message = "m"]\n  intrinsic "grid.sync"\n  store %out, %i, %n [offset = 0]'
    )
    module = kernel(GLOBAL, body, "domain 2 block 32x4x1")
    artefact = nvptx.emit(module, nvptx_target("sm_90a"), NO_LINES)
    text = artefact.code.decode()
    assert artefact.facts["grid_barrier"] is True and artefact.panic
    assert "k_param_4" in text and "k_param_5" not in text  # three of its own, the record, the barrier
    check(
        text,
        """
        CHECK: bar.sync
        CHECK: bar.red.or.pred
        CHECK: ld.param.b64 [[BARRIER:%rd\\d+]], [k_param_4];
        CHECK: atom.release.gpu.global.add.u32 {{%r\\d+}}, [[[BARRIER]]]
        CHECK: ld.acquire.gpu.global.u32 {{%r\\d+}}, [[[BARRIER]]]
        CHECK: ld.relaxed.sys.global.u32
        """,
    )
    plain = nvptx.emit(kernel(GLOBAL, '  intrinsic "grid.sync"\n'), nvptx_target("sm_80"), NO_LINES)
    assert "ld.relaxed.sys" not in plain.code.decode() and plain.code.decode().count("bar.sync") == 2
    for arch in ARCHES:
        assemble(ptx(module, arch), arch)


def test_a_loop_that_waits_for_another_thread_looks_at_the_record() -> None:
    wait = """  %p = gt %i, %n : bool
  check "OX7002" %p [message = "m"]
  while {
    %f = atomic "load" %out, %n [offset = 0, order = "acquire", scope = "device"] : i32
    %go = gt %f, %n : bool
    condition %go
  } do {
    yield
  }"""
    text = ptx(kernel(GLOBAL, THREAD + wait))
    assert "ld.relaxed.sys.global" in text and ".local" not in text
    assemble(text, "sm_90a")
    assert "ld.relaxed.sys" not in ptx(kernel(GLOBAL, THREAD + wait.replace('  check "OX7002" %p [message = "m"]\n', "")))


# ---- scratch memory


def _facts(module: Module) -> dict[str, object]:
    facts = nvptx.emit(module, nvptx_target("sm_90a"), NO_LINES).facts
    return {key: facts[key] for key in ("shared_static", "shared_dynamic") if key in facts}


def _scratch(*allocs: str) -> Module:
    body = THREAD + "  %n2 = add %n, %n : i32\n" + "".join(f"  %s{number} = {one}\n" for number, one in enumerate(allocs))
    for number, one in enumerate(allocs):
        type_ = re.search(r"mem<(\w+),", one)[1]  # type: ignore[index]
        body += f"  %v{number} = cast %i : {type_}\n  store %s{number}, %i, %v{number} [offset = 0]\n"
    body += '  intrinsic "block.sync"\n'
    for number, one in enumerate(allocs):
        type_ = re.search(r"mem<(\w+),", one)[1]  # type: ignore[index]
        body += f"  %l{number} = load %s{number}, %n [offset = 0] : {type_}\n  %c{number} = cast %l{number} : i32\n"
        body += f"  %k{number} = const {number} : i32\n  store %out, %k{number}, %c{number} [offset = 0]\n"
    return kernel(GLOBAL, body)


def test_static_objects_are_variables_of_the_module() -> None:
    module = _scratch(
        'alloc "a" [count = 3, align = 1] : mem<i8, shared, exclusive>', 'alloc "a" [count = 33, align = 128] : mem<f32, shared, exclusive>'
    )
    assert _facts(module) == {"shared_static": 128 + 132}
    text = ptx(module)
    assert re.search(r"\.shared \.align 1 \.b8 k_a\[3\]", text) and re.search(r"\.shared \.align 128 \.b8 k_a_2\[132\]", text)
    report = assemble(text, "sm_90a")
    assert int(re.search(r"(\d+) bytes smem", report)[1]) >= 135  # type: ignore[index]


def test_static_objects_beyond_48_kib_move_into_the_dynamic_part() -> None:
    half = 'alloc "x" [count = 6144, align = 16] : mem<f32, shared, exclusive>'
    assert _facts(_scratch(half, half)) == {"shared_static": 49152}
    module = _scratch(half, half, 'alloc "d" %n [count = 0, align = 8] : mem<f64, shared, exclusive>',
                      'alloc "y" [count = 1, align = 4] : mem<i32, shared, exclusive>')  # fmt: skip
    facts = _facts(module)
    assert facts == {"shared_dynamic": [[6144, 4, 16], [6144, 4, 16], [1, 4, 4], [["param", 1, "i32"], 8, 8]]}
    assert dynamic_bytes(facts["shared_dynamic"], [0, 10, 0], (1, 1, 1)) == 49160 + 80  # type: ignore[arg-type]
    text = ptx(module)
    assert re.search(r"\.extern \.shared \.align 16 \.b8 k_dynamic\[\]", text)
    assert not re.search(r"\.shared \.align \d+ \.b8 k_[xy]", text)
    for offset in (24576, 49152, 49160):
        assert re.search(rf"\+{offset}\]|, {offset};", text), offset
    assert " 0 bytes smem" in assemble(text, "sm_90a") or "bytes smem" not in assemble(text, "sm_90a")


COUNTS = {
    "%n": (lambda n: n, "  %c = add %n, %zero : i32\n"),
    "n * 2 + 1": (lambda n: 2 * n + 1, "  %m = mul %n, %two : i32\n  %c = add %m, %one : i32\n"),
    "n // 2": (lambda n: n // 2, "  %c = floordiv %n, %two : i32\n"),
    "max(n % 7, 3)": (lambda n: max(n % 7, 3), "  %m = mod %n, %seven : i32\n  %c = max %m, %three : i32\n"),
    "i64(n) << 1": (lambda n: n << 1, "  %w = cast %n : i64\n  %o = const 1 : i64\n  %c = shl %w, %o : i64\n"),
    "grid.dim.x * block.dim.x": (
        lambda n: 5 * 64,
        '  %g = intrinsic "grid.dim.x" : i32\n  %b = intrinsic "block.dim.x" : i32\n  %c = mul %g, %b : i32\n',
    ),
    "grid.size": (lambda n: 5 * 64, '  %c = intrinsic "grid.size" : i32\n'),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTS)
def test_the_host_evaluates_the_counts_of_dynamic_memory(name: str) -> None:
    meant, text = COUNTS[name]
    consts = "".join(f"  %{word} = const {n} : i32\n" for word, n in (("zero", 0), ("one", 1), ("two", 2), ("three", 3), ("seven", 7)))
    body = THREAD + consts + text + '  %s = alloc "s" %c [count = 0, align = 4] : mem<i32, shared, exclusive>\n'
    body += '  %t = alloc "t" %c [count = 0, align = 16] : mem<f64, shared, exclusive>\n  %v = cast %i : f64\n'
    body += '  store %s, %i, %i [offset = 0]\n  store %t, %i, %v [offset = 0]\n  intrinsic "block.sync"\n'
    body += "  %a = load %s, %n [offset = 0] : i32\n  %b2 = load %t, %n [offset = 0] : f64\n  %c2 = cast %b2 : i32\n"
    module = kernel(GLOBAL, body + "  store %out, %a, %c2 [offset = 0]")
    pieces = _facts(module)["shared_dynamic"]
    for n in (0, 1, 6, 33, 1000):
        count = meant(n)
        assert dynamic_bytes(pieces, [0, n, 0], (5, 1, 1)) == (4 * count + 15) // 16 * 16 + 8 * count  # type: ignore[arg-type]
    assemble(ptx(module), "sm_90a")


def test_a_negative_count_is_none_and_sums_wrap_as_on_the_device() -> None:
    assert dynamic_bytes([[["param", 0, "i32"], 4, 4], [3, 8, 8]], [-5], (1, 1, 1)) == 24
    assert dynamic_bytes([[["add", "i32", ["param", 0, "i32"], 1], 1, 1]], [2**31 - 1], (1, 1, 1)) == 0


def test_a_dynamic_object_in_one_branch_lies_behind_those_of_the_others() -> None:
    """The count of the first is not there in the second arm: it is computed at the entry."""
    arm = '    %s{0} = alloc "s{0}" %c{0} [count = 0, align = 4] : mem<i32, shared, exclusive>\n    store %s{0}, %i, %n [offset = 0]\n    intrinsic "block.sync"\n    %l{0} = load %s{0}, %n [offset = 0] : i32\n    yield %l{0}\n'  # noqa: E501
    body = THREAD + "  %z = const 0 : i32\n  %p = gt %n, %z : bool\n  %r = if %p : i32 {\n    %ca = add %n, %n : i32\n"
    body += arm.format("a") + "  } else {\n    %cb = mul %n, %n : i32\n" + arm.format("b") + "  }\n  store %out, %i, %r [offset = 0]\n"
    module = kernel(GLOBAL, body)
    facts = _facts(module)["shared_dynamic"]
    assert dynamic_bytes(facts, [0, 10, 0], (1, 1, 1)) == 4 * 20 + 4 * 100  # type: ignore[arg-type]
    text = ptx(module)
    assert re.search(r"max\.s32", text), text  # the offset of the second
    assemble(text, "sm_90a")


def test_a_count_that_the_host_does_not_know_is_refused() -> None:
    body = THREAD + '  %c = load %x, %n [offset = 0] : i32\n  %s = alloc "s" %c [count = 0, align = 4] : mem<i32, shared, exclusive>\n'
    with pytest.raises(CompileError) as caught:
        ptx(kernel(GLOBAL, body + "  store %s, %i, %n [offset = 0]"))
    assert caught.value.code == "OX0658"


def test_a_half_store_is_never_dropped() -> None:
    body = THREAD + '  %s = alloc "s" [count = 64, align = 2] : mem<f16, shared, exclusive>\n  %a = cast %n : f16\n  %b = cast %i : f16\n'
    body += '  store %s, %i, %a [offset = 0]\n  intrinsic "block.sync"\n  store %s, %n, %b [offset = 0]\n  intrinsic "block.sync"\n'
    body += "  %l = load %s, %i [offset = 0] : f16\n  %c = cast %l : i32\n  store %out, %i, %c [offset = 0]"
    text = ptx(kernel(GLOBAL, body))
    assert text.count("st.shared.b16") == 2 and text.count("ld.shared.b16") == 1


def test_local_memory_is_the_threads_own() -> None:
    alloc = '  %s = alloc "s" [count = 8, align = 4] : mem<i32, local, exclusive>\n'
    body = THREAD + alloc + "  %one = const 1 : i32\n  store %s, %one, %i [offset = 0]\n"
    fixed = ptx(kernel(GLOBAL, body + "  %l = load %s, %one [offset = 0] : i32\n  store %out, %i, %l [offset = 0]"))
    assert ".local" not in fixed  # in a register
    moving = ptx(
        kernel(GLOBAL, body + "  store %s, %n, %n [offset = 0]\n  %l = load %s, %one [offset = 0] : i32\n  store %out, %i, %l [offset = 0]")
    )
    assert re.search(r"\.local \.align \d+ \.b8\s+__local_depot0\[32\]", moving)
    assemble(moving, "sm_90a")


def test_what_was_never_written_is_some_value_and_no_licence() -> None:
    alloc = '  %s = alloc "s" [count = 8, align = 4] : mem<i32, SPACE, exclusive>\n'
    body = THREAD + alloc + '  %l = load %s, %n [offset = 0] : i32\n  %p = gt %l, %n : bool\n  check "OX7002" %p [message = "m"]\n'
    for space in ("local", "shared"):
        text = ptx(kernel(GLOBAL, body.replace("SPACE", space) + "  store %out, %i, %n [offset = 0]"))
        assert "st.global" in text and "oxidepy_panic" in text  # neither outcome was chosen by LLVM


# ---- targets


@pytest.mark.parametrize(
    ("body", "facts", "feature"),
    [
        *((f'  intrinsic "{name}"', "", f"`{name}`") for name in ROWS if ROWS[name].assembly is None and ROWS[name].minimum_arch > 75),
        ('  fence "cluster"', "", '`scope="cluster"` of a fence'),
        (
            '  %o = atomic "add" %out, %n, %n [offset = 0, order = "relaxed", scope = "cluster"] : i32',
            "",
            '`scope="cluster"` of an atomic access',
        ),
        ("  store %out, %n, %n [offset = 0]", " cluster 2x1x1", "`cluster_launch`"),
    ],
)  # fmt: skip
def test_below_its_architecture_a_feature_is_refused_by_name(body: str, facts: str, feature: str) -> None:
    module = kernel(GLOBAL, body, "domain 1 block 64x1x1" + facts)
    with pytest.raises(CompileError) as caught:
        ptx(module, "sm_89")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "OX6001"
    assert diagnostic.message == f"{feature} needs sm_90; this is compiled for sm_89"
    assemble(ptx(module, "sm_90"), "sm_90")


def test_a_driver_without_its_ptx_isa_is_named() -> None:
    module = kernel(GLOBAL, '  intrinsic "block.sync"')
    with pytest.raises(CompileError) as caught:
        nvptx.emit(module, Target("nvptx", "sm_75", (6, 0), "+ptx60", newest=(6, 0)), NO_LINES)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("OX6002", "`block.sync` needs PTX ISA 6.3; this driver takes 6.0")
    assert "410.48" in str(diagnostic.help)


def test_a_kernel_is_written_in_the_ptx_isa_that_it_needs() -> None:
    module = kernel(GLOBAL, '  intrinsic "block.sync"')
    code = nvptx.emit(module, Target("nvptx", "sm_75", (6, 0), "+ptx60", newest=(9, 0)), NO_LINES).code.decode()
    check(code, "CHECK: .version 6.3")


def test_the_shape_of_a_cluster() -> None:
    text = ptx(kernel(GLOBAL, '  intrinsic "cluster.sync"', "domain 2 block 32x2x1 cluster 2x4x1"))
    check(text, "CHECK: .reqnctapercluster 2, 4, 1\nCHECK: barrier.cluster.arrive.aligned\nCHECK: barrier.cluster.wait.aligned")


@pytest.mark.parametrize("arch", ARCHES)
def test_barriers_assemble(arch: str) -> None:
    body = THREAD + "  %zero = const 0 : i32\n  %p = gt %i, %n : bool\n"
    left_out = ("acquire", "cluster.sync") if arch == "sm_80" else ("acquire",)
    body += "".join(text for name, (text, _) in BARRIERS.items() if name not in left_out)
    assert "used 1 barriers" in assemble(ptx(kernel(GLOBAL, body), arch), arch)


BOXED = "domain 3 block 32x2x2"
ROW_NAMES = [row.name for row in ROWS.values() if row.assembly is None]
BEFORE_ROWS = THREAD + "  %p = gt %i, %n : bool\n  %u = cast %i : u32\n  store %out, %i, %i [offset = 0]\n"


def _row(name: str, number: int = 0) -> str:
    """The row called with values of its types, and its result stored."""
    row = ROWS[name]
    known = {"i32": "%i", "bool": "%p", "u32": "%u", "T": "%i"}
    attrs = ", ".join(f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in row.attrs)
    result = {"coord": "i32", "T": "i32"}.get(row.result, row.result)
    call = f'intrinsic "{name}" ' + ", ".join(known[one] for one in row.operands) + (f" [{attrs}]" if attrs else "")
    if result == "none":
        return f"  {call}\n"
    store = f"  %a{number} = add %n, %k{number} : i32\n  store %out, %a{number}, %w{number} [offset = 0]\n"
    return f"  %r{number} = {call} : {result}\n  %w{number} = cast %r{number} : i32\n  %k{number} = const {number} : i32\n{store}"


@pytest.mark.parametrize("name", ROW_NAMES)
def test_every_row_has_its_instruction(name: str) -> None:
    assert ptx(kernel(GLOBAL, BEFORE_ROWS + _row(name), BOXED)) != ptx(kernel(GLOBAL, BEFORE_ROWS, BOXED))


@pytest.mark.parametrize("arch", ARCHES)
def test_every_row_assembles(arch: str) -> None:
    there = [name for name in ROW_NAMES if ROWS[name].minimum_arch <= int(arch[3:].rstrip("a"))]
    body = BEFORE_ROWS + "".join(_row(name, number) for number, name in enumerate(there))
    assert "Used" in assemble(ptx(kernel(GLOBAL, body, BOXED), arch), arch)


def test_one_kernel_has_all_its_refusals_at_once() -> None:
    with pytest.raises(CompileError) as caught:
        ptx(kernel(GLOBAL, '  intrinsic "cluster.sync"\n  fence "cluster"\n  intrinsic "cluster.sync"'), "sm_80")
    assert [one.code for one in caught.value.diagnostics] == ["OX6001"] * 2
    for first, second in pairwise(caught.value.diagnostics):
        assert first.message != second.message
