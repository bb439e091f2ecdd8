"""Rows that are an instruction of PTX: each assembles from its least architecture on, and is refused below it by name."""

from __future__ import annotations

import re

import pytest
from backend.assembler import assemble
from backend.instructions import calls, module_of

from oxidepy.backend import cpu, nvptx
from oxidepy.backend.targets import ARCHES, cpu_target, nvptx_target
from oxidepy.diagnostics import CompileError
from oxidepy.ir.interpreter import Program
from oxidepy.ir.intrinsics import ROWS, Intrinsic
from oxidepy.ir.intrinsics.form import written
from oxidepy.settings.options import CodegenOptions

FOUR = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
NO_LINES = CodegenOptions(lineinfo=False)
EVERY = [row for row in ROWS.values() if row.assembly is not None]
SHAPES = [row for row in EVERY if row.name.startswith(("wgmma.m64n", "wgmma.sparse."))]
WAITS = [row for row in EVERY if row.name.startswith("wgmma.wait_group#")]
# of what there is in many sizes, one of each kind
SOME = ("wgmma.m64n8k", "wgmma.sparse.m64n8k", "wgmma.wait_group#none", *(f"wgmma.wait_group#{one}x40" for one in ("f32", "i32", "u32")))
MANY = {*SHAPES, *WAITS} - {row for row in EVERY if row.name.startswith(SOME)}
INSTRUCTIONS = [row for row in EVERY if row not in MANY]
DONE = '\nintrinsic "wgmma.commit_group"\nintrinsic "wgmma.wait_group#none" [pending = 0]'


def least(row: Intrinsic) -> str:
    """The first architecture that has it."""
    assert row.assembly is not None
    return row.assembly.arches[0] if row.assembly.arches else next(one for one in ARCHES if int(one[3:].rstrip("af")) >= row.minimum_arch)


def texts(row: Intrinsic, most: int = 4) -> list[str]:
    """The calls of a row; products that are under way are waited for."""
    found = calls(row, most)
    return [f'intrinsic "wgmma.fence"\n{one.splitlines()[0]}{DONE}' for one in found] if row in SHAPES else found


def has(row: Intrinsic, arch: str) -> bool:
    """Whether an architecture has the instruction."""
    assert row.assembly is not None
    return arch in row.assembly.arches if row.assembly.arches else int(arch[3:].rstrip("af")) >= row.minimum_arch


def targets(row: Intrinsic) -> list[str]:
    """Its first architecture, and of the four that are always looked at those that have it."""
    return list(dict.fromkeys((least(row), *(arch for arch in FOUR if has(row, arch)))))


def batches() -> list[list[Intrinsic]]:
    """Rows of the same architectures and PTX ISA, at most 64 together."""
    found: dict[tuple[str | tuple[int, int], ...], list[Intrinsic]] = {}
    for row in INSTRUCTIONS:
        found.setdefault((*targets(row), max(row.minimum_isa, ARCHES[least(row)])), []).append(row)
    return [rows[at : at + 64] for rows in found.values() for at in range(0, len(rows), 64)]


@pytest.mark.parametrize("rows", batches(), ids=lambda rows: f"{least(rows[0])}-{rows[0].name}")
def test_every_instruction_assembles_from_its_first_architecture_on(rows: list[Intrinsic]) -> None:
    every = [text for row in rows for text in texts(row)]
    # a kernel works with one block alone, or with pairs of blocks
    pairs = [text for text in every if re.search(r"group = 2|_masked_pair", text)]
    for parts in ([text for text in every if text not in pairs], pairs):
        if parts:
            module = module_of(parts)
            for target in targets(rows[0]):
                code = nvptx.emit(module, nvptx_target(target), NO_LINES).code.decode()
                assert "used" in assemble(code, target).lower()


def test_every_shape_of_a_warpgroup_assembles() -> None:
    assert len(SHAPES) == 2 * (12 * 32 + 5 * 18) + 2 * 4 * 18 + 2 * (12 * 32 + 8 * 18)  # all, clamped ones, sparse ones
    for at in range(0, len(SHAPES), 64):
        module = module_of([text for row in SHAPES[at : at + 64] for text in texts(row, 1)])
        code = nvptx.emit(module, nvptx_target("sm_90a"), NO_LINES).code.decode()
        assert "serialized" not in assemble(code, "sm_90a")


@pytest.mark.parametrize("name", [row.name for row in INSTRUCTIONS if least(row) != "sm_75"])
def test_below_its_architecture_an_instruction_is_refused_by_name(name: str) -> None:
    row = ROWS[name]
    older = list(ARCHES)[list(ARCHES).index(least(row)) - 1]
    with pytest.raises(CompileError) as caught:
        nvptx.llvm_text(module_of(calls(row)[:1]), nvptx_target(older), NO_LINES)
    # one of another block of the cluster needs clusters as well
    arrivals = [f"barrier.{one}_{form}" for one in ("arrive", "arrive_drop") for form in ("count", "far")]
    spelled = f"`{written(name)}`" + (" of this form" if name in arrivals else "")
    (diagnostic,) = [one for one in caught.value.diagnostics if spelled in one.message]
    assert diagnostic.code == "OX6001"
    assert diagnostic.message.startswith(f"{spelled} needs {least(row)}")
    assert diagnostic.message.endswith(f"; this is compiled for {older}")


@pytest.mark.parametrize("name", [row.name for row in INSTRUCTIONS if not row.cpu])
def test_the_cpu_refuses_an_instruction_that_it_does_not_have(name: str) -> None:
    with pytest.raises(CompileError) as caught:
        cpu.llvm_text(module_of(calls(ROWS[name])[:1]), cpu_target(), NO_LINES)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "OX6001"
    assert diagnostic.message.startswith(f"`{written(name)}` needs a CUDA device")
    assert ("`interp`" in diagnostic.message) == bool(ROWS[name].reference)


@pytest.mark.parametrize("name", [row.name for row in INSTRUCTIONS if not row.reference])
def test_the_interpreter_refuses_an_instruction_without_a_meaning(name: str) -> None:
    with pytest.raises(CompileError) as caught:
        Program(module_of(calls(ROWS[name])[:1]))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "OX6001"
    assert diagnostic.message.startswith(f"`{written(name)}` needs a CUDA device of {least(ROWS[name])}")


def test_a_driver_that_is_too_old_for_the_instruction_is_refused() -> None:
    row = ROWS["mma.m16n8k32.f32.e4m3"]
    with pytest.raises(CompileError) as caught:
        nvptx.llvm_text(module_of(calls(row)), nvptx_target("sm_90", (8, 0)), NO_LINES)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("OX6002", f"`{row.name}` needs PTX ISA 8.4; this driver takes 8.0")
    code = nvptx.emit(module_of(calls(row)), nvptx_target("sm_90", (8, 5)), NO_LINES).code.decode()
    assert ".version 8.4" in code
