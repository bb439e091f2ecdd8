"""Coarse kernels in PTX: every load before the first store, one question, a loop beside it; every assembler takes them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from analysis.test_coarsen import add, checked, choose, divide, exponential, in_place, pairs, twice
from backend.assembler import ARCHES, assemble
from filecheck import check

from oxidepy.analysis.coarse_code import coarse
from oxidepy.analysis.coarsen import plan
from oxidepy.backend import nvptx
from oxidepy.backend.abi import abi_params
from oxidepy.backend.artefact import Artefact
from oxidepy.backend.targets import cpu_target, nvptx_target
from oxidepy.compiler.driver import Compiled, compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


def emitted(kernel: object, arch: str = "sm_90a", **options: bool) -> Artefact:
    module = checked(kernel)
    return nvptx.emit(coarse(module, plan(module)), nvptx_target(arch), CodegenOptions(**options))


def test_vector_add_in_ptx() -> None:
    artefact = emitted(add, lineinfo=False)
    text = artefact.code.decode()
    check(
        text,
        """
        CHECK: .entry add(
        CHECK: .param .u32 add_param_6,
        CHECK: .param .u64 .ptr .global .align 1 add_param_7
        CHECK: @%p{{\\d+}} bra [[GENERAL:\\$L__BB0_\\d+]];
        CHECK-NOT: setp
        CHECK: ld.global.nc.b32 {{.*}} [[[A:%rd\\d+]]];
        CHECK-NEXT: ld.global.nc.b32 {{.*}} [[[A]]+128];
        CHECK-NEXT: ld.global.nc.b32 {{.*}} [[[A]]+256];
        CHECK-NEXT: ld.global.nc.b32 {{.*}} [[[A]]+384];
        CHECK-COUNT-4: ld.global.nc.b32
        CHECK-COUNT-4: st.global.b32
        CHECK: ret;
        CHECK: [[GENERAL]]:
        CHECK-COUNT-2: ld.global.nc.b32
        CHECK-NEXT: add.rn.f32
        CHECK: st.global.b32
        CHECK: bra
        CHECK: call.uni oxidepy_report
        """.replace("[[[A:%rd\\d+]]]", "{{\\[}}[[A:%rd\\d+]]{{\\]}}").replace("[[[A]]+", "{{\\[}}[[A]]+"),
    )
    fast = text[text.index("bra ") : text.index("ret;", text.index("bra "))]
    assert "st." not in fast[: fast.rindex("ld.global")] and "bra" not in fast[4:]
    assert text.count("st.global.b32") == 5  # the loop is not unrolled
    assert len(artefact.params) == 6 and artefact.params == abi_params(checked(add).kernel)
    assert artefact.panic and [site.indexed for site in artefact.sites] == [True, True]


def test_the_loop_of_the_general_way_is_not_unrolled() -> None:
    made = compile_kernel(add.definition, Specialisation(), nvptx_target("sm_90a"), CodegenOptions(), coarsen=True, usual=True)
    text = made.artefact.code.decode()
    assert "oxidepy_report" not in text  # the host has tested what a check would, which would keep LLVM from unrolling
    assert text.count("st.global.b32") == 5


def test_lines_of_both_ways() -> None:
    text = emitted(add).code.decode()
    line = add.definition.function.__code__.co_firstlineno + 5
    current, lines = 0, []
    for one in text.splitlines():
        if found := re.match(r"\s*\.loc\s+\d+ (\d+)", one):
            current = int(found[1])
        elif "ld.global" in one or re.match(r"\s*st\.global", one):
            lines.append(current)
    assert len(lines) == 15 and set(lines) == {line}


@pytest.mark.parametrize("arch", [one for one in ARCHES if one != "sm_75"])
def test_every_assembler_takes_them(arch: str) -> None:
    for kernel in (add, in_place, choose, pairs, exponential, twice, divide):
        said = assemble(emitted(kernel, arch).code.decode(), arch)
        (registers,) = re.findall(r"Used (\d+) registers", said)
        assert int(registers) <= 32, kernel.name  # so that as many threads are resident as the hardware takes
        assert "0 bytes spill stores" in said


@pytest.fixture
def compiled() -> Callable[..., Compiled]:
    def compile_(coarsen: bool, target: str = "sm_90a", **options: bool) -> Compiled:
        chosen = cpu_target() if target == "cpu" else nvptx_target(target)
        return compile_kernel(add.definition, Specialisation(), chosen, CodegenOptions(**options), cache=_CACHE, coarsen=coarsen)

    return compile_


class _Cache:
    """A cache in memory."""

    def __init__(self) -> None:
        self.kept: dict[str, object] = {}

    def get(self, key: str) -> object:
        return self.kept.get(key)

    def put(self, key: str, meta: object, payload: bytes) -> None:
        self.kept[key] = type("Entry", (), {"meta": meta, "payload": payload})()


_CACHE = _Cache()


def test_only_who_asks_gets_a_coarse_kernel(compiled: Callable[..., Compiled]) -> None:
    for _ in range(2):  # compiled, then from the cache
        large, plain = compiled(True), compiled(False)
        assert large.artefact.facts["coarsen"] == 4 and "coarsen" not in plain.artefact.facts
        assert large.artefact.params == plain.artefact.params and large.artefact.sites == plain.artefact.sites
        assert b"oxidepy_report" in large.artefact.code and b"oxidepy_report" not in plain.artefact.code
    assert large.cached and plain.cached
    assert "coarsen" not in compiled(True, device_debug=True).artefact.facts
    assert "coarsen" not in compiled(True, "cpu").artefact.facts
    assert b"param_7" not in add.ptx("sm_90a").encode() and "oxidepy_report" not in add.ptx("sm_90a")
