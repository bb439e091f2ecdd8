"""Instructions of PTX that have no name here are written as inline PTX: each as the table of docs/parity.md says it, assembled."""

# pyright: basic
from __future__ import annotations

import re
from pathlib import Path

import pytest
from backend.assembler import assemble, ptxas
from loading import defined

import oxidepy as ox
from oxidepy.backend import nvptx
from oxidepy.backend.targets import RELEASES, nvptx_target
from oxidepy.compiler.driver import check_kernel
from oxidepy.ir.intrinsics.inline import ISAS
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions

PAGE = (Path(__file__).parents[2] / "docs" / "parity.md").read_text(encoding="utf-8")
HEAD = """\
from oxidepy import *
from oxidepy import barrier, bits, tma

@kernel
@cluster_launch(2)
@launch_contract(domain=1, block=(128, 1, 1))
def k(x: Slice[f32], y: SliceMut[f32], words: SliceMut[u32], map: tma.TensorMap[f32, D2]) -> None:
    t = thread.idx.x
    s = shared.array(f32, 512, align=16)
    counts = shared.array(u32, 4)
    bars = barrier.array(1)
    with unsafe("only its code is looked at"):
        if t == 0:
            barrier.init(bars, 0, 1)
        there, far, sums = cluster.map_shared(bars, 0), cluster.map_shared(s, 0), cluster.map_shared(counts, 0)
"""
EVERY = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
SINCE_90 = EVERY[1:]
# the first word of a row of the page → lines that hold its instruction, and the architectures that have it
FORMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "ld.global.cs": (
        'y[t] = ptx("ld.global.cs.f32 {out}, [{0}];", (x, t), result=f32)\n'
        'a, b, c, d = ptx("ld.global.cs.v4.f32 {{{out0}, {out1}, {out2}, {out3}}}, [{0}];", (x, t * 4), result=(f32, f32, f32, f32))\n'
        'y[t] = a + b + c + d + ptx("ld.global.nc.L1::no_allocate.f32 {out}, [{0}];", (x, t), result=f32, isa=(7, 4))',
        EVERY,
    ),
    "st.global.cs": ('ptx("st.global.cs.f32 [{0}], {1};", (y, t), 1.0)', EVERY),
    "createpolicy": (
        'p = ptx("createpolicy.fractional.L2::evict_first.b64 {out}, 1.0;", result=u64, isa=(7, 4))\n'
        'y[t] = ptx("ld.global.L2::cache_hint.f32 {out}, [{0}], {1};", (x, t), p, result=f32, isa=(7, 4))',
        EVERY,
    ),
    "prefetch": ('ptx("prefetch.global.L2 [{0}];", (x, t))', EVERY),
    "discard": ('ptx("discard.global.L2 [{0}], 128;", (y, t * 32), isa=(7, 4))', EVERY),
    "applypriority": (
        'ptx("applypriority.global.L2::evict_normal [{0}], 128;", (y, t * 32), isa=(7, 4))',
        EVERY,
    ),
    "st.async": (
        'ptx("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [{0}], {1}, [{2}];", (far, t), 1.0, (there, 0), isa=(8, 1))',
        SINCE_90,
    ),
    "red.async": (
        'ptx("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [{0}], {1}, [{2}];", '
        "(sums, 0), u32(1), (there, 0), isa=(8, 1))",
        SINCE_90,
    ),
    "red.global.add.v4": (
        'ptx("red.global.add.v4.f32 [{0}], {{{1}, {2}, {3}, {4}}};", (y, t * 4), 1.0, 2.0, 3.0, 4.0, isa=(8, 1))',
        SINCE_90,
    ),
    "cp.async.bulk.tensor": (
        'p = ptx("createpolicy.fractional.L2::evict_first.b64 {out}, 1.0;", result=u64)\n'
        'ptx("cp.async.bulk.prefetch.tensor.2d.L2.global.tile.L2::cache_hint [{0}, {{{1}, {2}}}], {3};", map, t * 4, t, p)',
        SINCE_90,
    ),
    "mbarrier.try_wait": (
        'words[t] = ptx("{{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [{0}], {1}, 1000; selp.u32 {out}, 1, 0, p; }}", '
        "(bars, 0), barrier.arrive(bars, 0), result=u32)",
        SINCE_90,
    ),
    "griddepcontrol": ('ptx("griddepcontrol.wait;")\nptx("griddepcontrol.launch_dependents;")', SINCE_90),
    "fns": ('words[t] = ptx("fns.b32 {out}, {0}, 0, 2;", words[t], result=u32)', EVERY),
    "lop3": (
        'words[t] = ptx("lop3.b32 {out}, {0}, {1}, {2}, 0x96;", words[t], words[t + 1], words[t + 2], result=u32)',
        EVERY,
    ),
    "shf.l.clamp": (
        'words[t] = ptx("shf.l.clamp.b32 {out}, {0}, {1}, {2};", words[t], words[t + 1], words[t + 2], result=u32)',
        EVERY,
    ),
    "%warpid": ('words[t] = ptx("mov.u32 {out}, %warpid;", result=u32)', EVERY),
    "fence.proxy.alias": ('ptx("fence.proxy.alias;", isa=(7, 5))', EVERY),
    "tanh.approx.f16x2": (
        'words[t] = ptx("tanh.approx.f16x2 {out}, {0};", words[t], result=u32)\n'
        'words[t] = ptx("ex2.approx.f16x2 {out}, {0};", words[t], result=u32)',
        EVERY,
    ),
    "redux.sync.max.f32": ('y[t] = ptx("redux.sync.max.f32 {out}, {0}, 0xffffffff;", y[t], result=f32)', ("sm_100a",)),
    "cp.async with a hint": (
        'ptx("cp.async.cg.shared.global.L2::128B [{0}], [{1}], 16;", (s, t * 4), (x, t * 4), isa=(7, 4))',
        EVERY,
    ),
}


def compiled(body: str, arch: str) -> str:
    head = re.sub("@cluster_launch.*\n|        there, far.*\n|, map: tma[^)]*", "", HEAD) if arch == "sm_80" else HEAD
    return defined(head + "".join(f"        {line}\n" for line in body.splitlines()), {})["k"].ptx(arch)


@pytest.mark.parametrize(("form", "arch"), [(form, arch) for form, (_, arches) in FORMS.items() for arch in arches])
def test_it_assembles(form: str, arch: str) -> None:
    body = FORMS[form][0]
    text = compiled(body, arch)
    first = re.search(r'ptx\("(?:{{ .reg .pred p; )?([\w.:]+)', body)
    assert first is not None and first[1] in text
    assert "registers" in assemble(text, arch)


@pytest.mark.skipif(ptxas() is None, reason="no ptxas on this machine to refuse the PTX")
@pytest.mark.parametrize("form", [form for form, (body, _) in FORMS.items() if "isa=" in body])
def test_without_its_isa_the_message_says_which(form: str) -> None:
    body, (first, *_) = FORMS[form]
    isa = re.findall(r"isa=\(\d, \d\)", body)[-1]
    with pytest.raises(ox.CompileError, match="requires PTX ISA") as caught:
        compiled(body.replace(f", {isa}", ""), first)
    assert f"`ptx(…, {isa})`" in str(caught.value.diagnostics[0].help)


def test_every_isa_is_written() -> None:
    assert {*ISAS} == {isa for _, isa, _ in RELEASES}
    for major, minor in ISAS:
        text = compiled(f'words[t] = ptx("mov.u32 {{out}}, 1;", result=u32, isa=({major}, {minor}))', "sm_80")
        written = max((major, minor), (7, 0))
        assert f".version {written[0]}.{written[1]}\n" in text
        assert "registers" in assemble(text, "sm_80")


@pytest.mark.parametrize("isa", ["(7, 9)", "(9, 5)", "8.1", "(8,)", "(t, 1)"])
def test_other_versions_are_refused(isa: str) -> None:
    with pytest.raises(ox.CompileError, match="is a version of the PTX ISA") as caught:
        compiled(f'words[t] = ptx("mov.u32 {{out}}, 1;", result=u32, isa={isa})', "sm_80")
    assert caught.value.code == "OX0308"


def test_a_driver_that_is_too_old() -> None:
    kernel = defined(HEAD + '        words[t] = ptx("mov.u32 {out}, 1;", result=u32, isa=(8, 8))\n', {})["k"]
    module = check_kernel(kernel.definition, Specialisation(), CodegenOptions()).module
    with pytest.raises(ox.CompileError, match=r"this `ptx` needs PTX ISA 8.8; this driver takes 8.0") as caught:
        nvptx.llvm_text(module, nvptx_target("sm_90a", (8, 0)), CodegenOptions())
    assert caught.value.code == "OX6002"


@pytest.mark.parametrize("form", FORMS)
def test_the_page_has_a_row_for_it(form: str) -> None:
    lines = [line for line in PAGE.partition("## Instructions of PTX")[2].splitlines() if line.startswith("| ")]
    assert any("ptx(" in line and form.split()[0] in line for line in lines)
