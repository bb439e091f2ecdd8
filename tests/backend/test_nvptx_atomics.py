"""Atomic accesses and fences in PTX: operation × type × order × scope × space, each the instruction that it has to be."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from backend.assembler import assemble
from backend.simt import SCOPES, accesses, atomic_types, atomics, kernel
from filecheck import check
from frontend.running import lowered

from oxidepy import (
    SliceMut,
    atomic,
    bf16x2,
    cluster,
    cluster_launch,
    f16x2,
    f32,
    launch_contract,
    shared,
    unsafe,
)
from oxidepy import kernel as kernel_of
from oxidepy.backend import nvptx
from oxidepy.backend.targets import nvptx_target
from oxidepy.ir.core import Module
from oxidepy.ir.ops import ATOMICS, ORDERS
from oxidepy.settings.options import CodegenOptions

ARCHES = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
SPACES = ("global", "shared", "cluster")
NO_LINES = CodegenOptions(lineinfo=False)
CLUSTER = "domain 1 block 64x1x1 cluster 2x1x1"


def ptx(module: Module, arch: str = "sm_90a") -> str:
    return nvptx.emit(module, nvptx_target(arch), NO_LINES).code.decode()


PTX_SCOPES = {"block": "cta", "cluster": "cluster", "device": "gpu", "system": "sys"}
SPELT = {"cluster": "shared::cluster"}
WIDE = {"32": "32", "64": "64"}


def native(kind: str, type_: str, arch: int) -> str | None:
    """The operation of `atom` that the hardware has, else None."""
    bits, integer = type_.lstrip("iufb"), type_[0] in "iu"
    if kind == "compare_exchange":
        return f"cas.b{bits}" if bits != "8" else None
    if kind == "exchange":
        return f"exch.b{bits}" if bits in WIDE else None
    if kind in ("add", "sub"):
        if integer:
            return f"add.u{bits}" if bits in WIDE else None
        if type_ == "bf16" and arch < 90:
            return None
        return {"f32": "add.f32", "f64": "add.f64", "f16": "add.noftz.f16", "bf16": "add.noftz.bf16"}[type_]
    if not integer or bits not in WIDE:
        return None
    return f"{kind}.b{bits}" if kind in ("and", "or", "xor") else f"{kind}.{'s' if type_[0] == 'i' else 'u'}{bits}"


def wanted(kind: str, type_: str, space: str, scopes: tuple[str, ...], arch: int) -> list[str]:
    bits = type_.lstrip("iufb")
    out: list[str] = []
    for order, scope in accesses(kind):
        if scope not in scopes:
            continue
        where = f"{PTX_SCOPES[scope]}.{SPELT.get(space, space)}"
        if order == "seq_cst":
            out.append(f"fence.sc.{PTX_SCOPES[scope]}")
        if kind in ("load", "store"):
            letters, strong = ("ld", "acquire") if kind == "load" else ("st", "release")
            out.append(f"{letters}.{strong if order == 'seq_cst' else order}.{where}.{'u8' if bits == '8' else f'b{bits}'}")
            continue
        sem = "acq_rel" if order == "seq_cst" else order
        operation = native(kind, type_, arch)
        if operation is None:
            width = max(int(bits), 16)
            first = "acquire" if bits == "8" and sem in ("acquire", "acq_rel") else "relaxed"
            out.append(f"ld.{first}.{where}.b{width}")
            operation = f"cas.b{width}"
        if operation == "add.f32" and space != "shared":  # small values, by a loop that keeps denormals
            out += [f"ld.{'acquire' if sem == 'acquire' else 'relaxed'}.{where}.b32", f"atom.{sem}.{where}.cas.b32"]
        out.append(f"atom.{sem}.{where}.{operation}")
    return out


def found(text: str) -> list[str]:
    pattern = r"^\t((?:atom|fence|ld|st)\.(?:relaxed|acquire|release|acq_rel|sc)\S*?)(?:;| )"
    return re.findall(pattern, text.split(".entry", 1)[1], re.MULTILINE)


def given(module: Module, arch: str) -> list[str]:
    """The instructions as LLVM is given them, in the order of the text; it does not change what they are."""
    text = nvptx.llvm_text(module, nvptx_target(arch), NO_LINES)
    return re.findall(r'"((?:atom|fence|ld|st)\.(?:relaxed|acquire|release|acq_rel|sc)\S*?)(?:;| )', text)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("kind", ATOMICS)
def test_each_atomic_access_is_the_instruction_of_its_order_scope_and_space(kind: str, space: str) -> None:
    """All types, orders and scopes; older architectures have neither clusters nor their scope."""
    facts = CLUSTER if space == "cluster" else "domain 1 block 64x1x1"
    for type_ in atomic_types(kind):
        module = atomics(kind, type_, space, SCOPES, facts)
        assert found(ptx(module)) == wanted(kind, type_, space, SCOPES, 90), (kind, type_)
        for arch in ("sm_90a", "sm_100a", "sm_120a"):
            assert given(module, arch) == wanted(kind, type_, space, SCOPES, 90), (kind, type_, arch)
        if space != "cluster":
            module = atomics(kind, type_, space, OLD_SCOPES)
            assert given(module, "sm_80") == wanted(kind, type_, space, OLD_SCOPES, 80), (kind, type_, "sm_80")


OLD_SCOPES = ("block", "device", "system")


@pytest.mark.parametrize("kind", ATOMICS)
def test_llvm_changes_no_access_on_older_architectures(kind: str) -> None:
    for type_ in ("u8", "bf16", "i64"):
        if type_ in atomic_types(kind):
            assert found(ptx(atomics(kind, type_, "global", OLD_SCOPES), "sm_80")) == wanted(kind, type_, "global", OLD_SCOPES, 80)


def test_the_product_is_the_whole_product() -> None:
    """What the test above goes through: nothing that the tables of the IR have is left out."""
    from oxidepy.ir import ops, types, verifier

    assert {*SCOPES} == {*ops.SCOPES} == {*PTX_SCOPES}
    numbers = {one for one in types.SCALARS if one != "bool"}
    for kind in ATOMICS:
        assert {*atomic_types(kind)} == {one for one in numbers if kind not in ("and", "or", "xor") or one[0] in "iu"}
        orders = verifier._ATOMIC_ORDERS.get(kind, ORDERS)
        assert {*accesses(kind)} == {*product(orders, SCOPES)}


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("kind", ATOMICS)
def test_atomic_accesses_assemble(kind: str, arch: str) -> None:
    scopes = SCOPES if arch != "sm_80" else ("block", "device", "system")
    types = [one for one in atomic_types(kind) if arch == "sm_90a" or one in ("u8", "i32", "u64", "bf16", "f32")]
    texts = [ptx(atomics(kind, type_, "global", scopes), arch) for type_ in types]
    texts.append(ptx(atomics(kind, atomic_types(kind)[0], "shared", scopes), arch))
    texts += [ptx(atomics(kind, one, "cluster", scopes, CLUSTER), arch) for one in types[-2:] if arch != "sm_80"]
    head = texts[0][: texts[0].index("\t// .globl")]
    bodies = [re.sub(r"\bk(_param_\d+|_s)?\b", rf"k{number}\1", text[len(head) :]) for number, text in enumerate(texts)]
    assert "Used" in assemble(head + "".join(re.sub(r"\$L__BB0", f"$L{n}BB", one) for n, one in enumerate(bodies)), arch)


def test_a_compare_and_swap_loop_keeps_the_rules_of_min() -> None:
    check(
        ptx(atomics("min", "f32", "global", ("device",))),
        """
        CHECK: ld.relaxed.gpu.global.b32 [[GUESS:%r\\d+]]
        CHECK: mov.b32 [[OLD:%r\\d+]], [[GUESS]];
        CHECK-NEXT: min.f32 [[NEW:%r\\d+]], [[OLD]],
        CHECK: atom.relaxed.gpu.global.cas.b32 [[SEEN:%r\\d+]], [{{%rd\\d+}}], [[OLD]], [[NEW]];
        CHECK: setp.ne.b32 {{%p\\d+}}, [[SEEN]], [[OLD]];
        """,
    )


def test_small_values_of_f32_are_added_by_a_loop_that_keeps_denormals() -> None:
    """What changes nothing is not written, so that additions of 0 do not wait for each other."""
    text = ptx(atomics("add", "f32", "global", ("device",)))
    check(
        text[text.index(".entry") :],
        """
        CHECK: abs.f32 [[SIZE:%r\\d+]], [[VALUE:%r\\d+]];
        CHECK-NEXT: setp.geu.f32 {{%p\\d+}}, [[SIZE]], 0f0D000000;
        CHECK: ld.relaxed.gpu.global.b32 [[GUESS:%r\\d+]]
        CHECK: add.rn.f32 [[NEW:%r\\d+]], [[VALUE]], [[GUESS]];
        CHECK-NEXT: setp.eq.b32 [[SAME:%p\\d+]], [[GUESS]], [[NEW]];
        CHECK-NEXT: @[[SAME]] bra
        CHECK: atom.relaxed.gpu.global.cas.b32 {{%r\\d+}}, [{{%rd\\d+}}], [[GUESS]], [[NEW]];
        """,
    )

    @kernel_of
    @launch_contract(domain=1, block=(64, 1, 1))
    def ones(y: SliceMut[f32]) -> None:
        atomic.add(y, 0, 1.0)

    assert [one for one in found(ptx(lowered(ones))) if "b32" in one] == [], "a number that is known to be large has no loop"


def test_fences() -> None:
    body = "\n".join(f'  fence "{scope}"' for scope in SCOPES)
    assert found(ptx(kernel("n: i32", body))) == [f"fence.acq_rel.{one}" for one in ("cta", "cluster", "gpu", "sys")]


# ---- pairs of halves


def adding(pair: Any) -> Module:
    """An addition to a pair in each memory, in the order of `SPACES`."""

    @kernel_of
    @cluster_launch(2)
    @launch_contract(domain=1, block=(64, 1, 1))
    def added(x: SliceMut[pair], y: SliceMut[pair]) -> None:  # type: ignore[valid-type]
        s = shared.array(pair, 4)
        with unsafe("a test of the code alone"):
            y[0] = atomic.add(y, 1, x[0])
            y[1] = atomic.add(s, 1, x[1])
            y[2] = atomic.add(cluster.map_shared(s, 0), 1, x[2])

    return lowered(added)


@pytest.mark.parametrize("half", ["f16", "bf16"])
def test_both_halves_are_added_at_once_with_the_order_and_scope(half: str) -> None:
    """Under seq_cst they are two accesses, each behind its own fence; and in another block's memory, where the hardware is wrong."""
    module = adding({"f16": f16x2, "bf16": bf16x2}[half])
    accessed = [op for op in module.kernel.body.walk() if op.name == "atomic"]
    assert [op.operands[0].memory.space for op in accessed] == [space for space in SPACES for _ in range(2)]
    assert ["unsafe" in op.attrs for op in accessed[4:]] == [True, True]  # nothing is proven of another block's memory
    for order, scope in product(ORDERS, SCOPES):
        for op in accessed:
            op.attrs.update(order=order, scope=scope)
        due: list[str] = []
        for space in SPACES:
            where = f"{PTX_SCOPES[scope]}.{SPELT.get(space, space)}.add.noftz"
            if order == "seq_cst":
                due += [f"fence.sc.{PTX_SCOPES[scope]}", f"atom.acq_rel.{where}.{half}"] * 2
            elif space == "cluster":
                due += [f"atom.{order}.{where}.{half}"] * 2
            else:
                due.append(f"atom.{order}.{where}.{half}x2")
        for arch in ("sm_90a", "sm_100a", "sm_120a"):
            assert given(module, arch) == due, (order, scope, arch)
        assert found(ptx(module)) == due
    assemble(ptx(module), "sm_90a")
