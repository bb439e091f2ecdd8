"""A row of the table without its tests is found here: its values on every device that has it, its code, and who refuses it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from backend import test_cpu_tensor, test_nvptx_assembly, test_nvptx_simt
from copies import barriers, every_row, test_barriers, test_every_row
from frontend.running import lowered
from gpu import test_copies, test_tensor_cores
from intrinsics import test_rows
from intrinsics.cases import CASES, family
from ir import test_mma
from wgmma_cases import CASES as WGMMA
from wgmma_cases import product_kernel

from oxidepy.backend.targets import ARCHES
from oxidepy.ir.intrinsics import ROWS, Intrinsic
from oxidepy.runtime.kernel import Kernel

TESTS = Path(__file__).parents[1]
FOUR = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
WARPS = (*test_mma.PRODUCTS, *test_mma.SPARSE, *test_mma.QUARTERS, *test_mma.MOVED)  # what tests/ir/test_mma.py has oracles of

# Rows whose values are no function of what they are given: the tests that look at them, for interpreter and CPU and for GPUs
ELSEWHERE: dict[str, tuple[str, str]] = {
    "thread.smid": ("lang/test_machine.py", "lang/test_machine.py"),
    "thread.nsmid": ("lang/test_machine.py", "lang/test_machine.py"),
    "thread.gridid": ("lang/test_machine.py", "lang/test_machine.py"),
    "debug.clock": ("runtime/test_debug.py", "gpu/test_debug.py"),
    "debug.global_timer": ("runtime/test_debug.py", "gpu/test_debug.py"),
    "debug.prof_trigger": ("runtime/test_debug.py", "gpu/test_debug.py"),
    "debug.breakpoint": ("runtime/test_debug.py", ""),  # without a debugger it ends the launch
}


def rows_of(kernels: Iterable[Any]) -> set[str]:
    """The rows that kernels come down to."""
    modules = [lowered(one) for one in kernels]
    return {op.attrs["row"] for module in modules for op in module.kernel.body.walk() if op.name == "intrinsic"}


def kernels_of(module: ModuleType, names: Iterable[str]) -> list[Kernel[Any]]:
    """The kernels that programs of a module name."""
    texts = [inspect.getsource(module.PROGRAMS[name]) for name in names]
    named = [one for name, one in vars(module).items() if isinstance(one, Kernel) and any(f"{name}." in text for text in texts)]
    return [*named, *(module.BOXED.values() if any("BOXED" in text for text in texts) else ())]


@pytest.fixture(scope="module")
def of_copies() -> set[str]:
    """Rows of the programs that the interpreter and GPUs run."""
    return {row for part in test_copies.PARTS for row in rows_of(kernels_of(part, part.PROGRAMS))}


@pytest.fixture(scope="module")
def of_warpgroups() -> set[str]:
    """Families of the products that the interpreter and GPUs multiply."""
    return {family(row) for row in rows_of(product_kernel(case) for case in WGMMA)}


def wanting(names: Iterable[str], known: set[str]) -> list[str]:
    return [name for name in names if name not in known and family(name) not in known]


def test_every_row_has_an_oracle(of_copies: set[str], of_warpgroups: set[str]) -> None:
    known = {*CASES, *WARPS, *of_copies, *of_warpgroups, *ELSEWHERE}
    assert not wanting((name for name, row in ROWS.items() if row.reference), known)


def test_every_row_of_the_cpu_runs_there(of_copies: set[str]) -> None:
    copied = rows_of([*kernels_of(barriers, test_barriers.CPU), *kernels_of(every_row, test_every_row.CPU)])
    looped = {"barrier.nanosleep"}  # nothing, on one thread
    known = {*test_rows.CPU, *test_mma.PRODUCTS, *test_mma.MOVED, *copied, *ELSEWHERE, *looped}
    assert test_cpu_tensor.PRODUCTS is test_mma.PRODUCTS and test_cpu_tensor.MOVES is test_mma.MOVES
    assert not wanting((name for name, row in ROWS.items() if row.cpu), known)


def test_every_row_with_an_oracle_runs_on_a_gpu() -> None:
    """The tests there take the lists that are complete here. No oracle have tensor memory of sm_100a and cluster launch control."""
    cores = test_tensor_cores
    assert (
        cores.PRODUCTS is test_mma.PRODUCTS and cores.SPARSE is test_mma.SPARSE and cores.MOVES is test_mma.MOVES and cores.CASES is WGMMA
    )
    for module in (cores, test_copies):
        assert module.pytestmark.name == "gpu"
    assert any(mark.name == "gpu" for mark in test_rows.test_gpu.pytestmark)  # type: ignore[attr-defined]
    assert {name.partition(".")[0] for name, row in ROWS.items() if not row.reference} == {"tcgen05", "clc"}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_those_that_are_looked_at_elsewhere_are_there(name: str) -> None:
    for place in filter(None, ELSEWHERE[name]):
        assert f"{name}(" in (TESTS / place).read_text(encoding="utf-8"), place
    gpu = ELSEWHERE[name][1]
    assert not gpu or "pytest.mark.gpu" in (TESTS / gpu).read_text(encoding="utf-8")


@pytest.mark.parametrize("arch", FOUR)
def test_every_row_is_assembled_for_every_architecture_that_has_it(arch: str) -> None:
    assembled = {row.name for rows in test_nvptx_assembly.batches() for row in rows if arch in test_nvptx_assembly.targets(rows[0])}
    assembled |= {row.name for row in test_nvptx_assembly.SHAPES} if arch == "sm_90a" else set()
    assembled |= {*test_nvptx_simt.ROW_NAMES} if arch in test_nvptx_simt.ARCHES else set()
    known = {*assembled, *map(family, assembled)}
    assert not wanting((name for name, row in ROWS.items() if has(row, arch)), known)


def has(row: Intrinsic, arch: str) -> bool:
    few = row.assembly.arches if row.assembly is not None else ()
    return arch in few if few else int(arch[3:].rstrip("a")) >= row.minimum_arch


def test_every_row_is_refused_below_its_architecture() -> None:
    """By name, with the architecture that is needed and the one that is asked for: see the tests that take these lists."""
    first = int(next(iter(ARCHES))[3:])
    refused = {row.name for row in test_nvptx_assembly.INSTRUCTIONS} | {*test_nvptx_simt.ROW_NAMES}
    known = {*refused, *map(family, refused)}
    assert not wanting((name for name, row in ROWS.items() if row.minimum_arch > first), known)


def test_a_row_without_tests_is_found() -> None:
    assert wanting(("warp.new", "wgmma.m64n8k64.f32.new"), {*CASES, "wgmma.m64nNk16.f32.f16"}) == ["warp.new", "wgmma.m64n8k64.f32.new"]
    assert family("wgmma.m64n128k16.f32.f16.registers") == "wgmma.m64nNk16.f32.f16.registers"
    assert family("wgmma.wait_group#f32x64") == "wgmma.wait_group#f32xN" and family("mma.m16n8k16.f32.f16") == "mma.m16n8k16.f32.f16"
