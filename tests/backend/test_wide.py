"""Wide accesses: 16 bytes at once where the launcher holds memory to multiples of 16 bytes, and the plain form for everybody else."""

# pyright: basic
from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from backend.assembler import assemble
from loading import ROOT, load

from oxidepy import (
    ConstantSlice,
    DisjointSlice,
    Runs,
    Slice,
    SliceMut,
    block,
    f16,
    f32,
    f64,
    i32,
    kernel,
    launch_contract,
    shared,
    struct,
    thread,
    u8,
    unroll,
)
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


@struct
@dataclass(frozen=True)
class Four:
    x: f32
    y: f32
    z: f32
    w: f32


runs = load(ROOT / "benchmarks" / "gpu_wide.py").runs


@kernel
def strided_runs(x: Slice[i32], y: DisjointSlice[i32, Runs[8]]) -> None:
    for run in thread.grid_stride(y):
        if run in y:
            a, b, c, d, e, f, g, h = x[run]
            y[run] = (h, g, f, e, d, c, b, a)


@kernel
def in_place(y: DisjointSlice[f32, Runs[4]]) -> None:
    run = thread.index_run(4)
    if run in y:
        a, b, c, d = y[run]
        y[run] = (a + 1.0, b + 1.0, c + 1.0, d + 1.0)


@kernel
def structs(x: Slice[Four], y: DisjointSlice[Four]) -> None:
    idx = thread.index_1d()
    if idx in y:
        one = x[idx]
        y[idx] = Four(one.w, one.z, one.y, one.x)


@kernel
def doubles(x: Slice[f64], y: DisjointSlice[f64, Runs[2]]) -> None:
    run = thread.index_run(2)
    if run in y:
        a, b = x[run]
        y[run] = (b, a)


@kernel
def bytes_of(x: Slice[u8], y: DisjointSlice[u8, Runs[16]]) -> None:
    run = thread.index_run(16)
    if run in y:
        for k in unroll(range(16)):
            y[run, k] = x[run, k]


@kernel
def halves(k: ConstantSlice[f32], y: DisjointSlice[f16, Runs[8]]) -> None:
    run = thread.index_run(8)
    if run in y:
        for j in unroll(range(8)):
            y[run, j] = y[run, j] * 2.0 + f16(k[j // 2])


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def through_shared_memory(x: Slice[f32], y: DisjointSlice[f32, Runs[4]]) -> None:
    s = shared.array(f32, 256)
    run = thread.index_run(4)
    t = thread.idx.x
    if run in x:
        mine = s[4 * t : 4 * t + 4]
        for k in unroll(range(4)):
            mine[k] = x[run, k]
    block.sync()
    if run in y:
        part = s[4 * (63 - t) : 4 * (63 - t) + 4]
        for k in unroll(range(4)):
            y[run, k] = part[3 - k]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def plain_code(x: Slice[f32], y: SliceMut[f32], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n and n <= 1024 and 4 * n <= len(x) and n <= len(y):
        total = f32(0)
        for k in range(4):
            total += x[4 * i + k]
        y[i] = total


@kernel
def single(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx]


WIDTHS = {  # kernel → instructions of the launched form
    runs: ["ld.global.nc.v4", "st.global.v4"],
    strided_runs: ["ld.global.nc.v4", "ld.global.nc.v4", "st.global.v4", "st.global.v4"],
    in_place: ["ld.global.v4", "st.global.v4"],
    structs: ["ld.global.nc.v4", "st.global.v4"],
    bytes_of: ["ld.global.nc.v4", "st.global.v4"],
    halves: ["ld.const.v4", "ld.global.v4", "st.global.v4"],
    through_shared_memory: ["ld.global.nc.v4", "ld.shared.v4", "st.global.v4", "st.shared.v4"],
    plain_code: ["ld.global.nc.v4"],
    doubles: ["ld.global.nc.v2", "st.global.v2"],
}


def ptx(kernel, arch: str = "sm_80", *, aligned: bool = True, coarsen: bool = False):
    made = compile_kernel(kernel.definition, Specialisation(), nvptx_target(arch), CodegenOptions(), usual=aligned, coarsen=coarsen)
    return made.artefact.code.decode(), made.artefact.facts


def wide(text: str) -> list[str]:
    return sorted(re.findall(r"(?:ld|st)\.(?:global(?:\.nc)?|const|shared)\.v[248]", text))


@pytest.mark.parametrize("one", WIDTHS, ids=lambda one: one.name)
def test_neighbours_move_together(one) -> None:
    text, facts = ptx(one)
    assert wide(text) == WIDTHS[one] and facts["aligned"] == 16


@pytest.mark.parametrize("one", WIDTHS, ids=lambda one: one.name)
def test_what_others_launch_takes_any_address(one) -> None:
    text, facts = ptx(one, aligned=False)
    own = [each for each in WIDTHS[one] if "shared" in each]  # of which the kernel knows by itself where it begins
    assert wide(text) == own == wide(one.ptx("sm_80")) and "aligned" not in facts


def test_where_nothing_is_gained_nothing_is_asked_of_the_launch() -> None:
    text, facts = ptx(single, coarsen=True)
    assert "aligned" not in facts and not wide(text)


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_they_assemble(arch: str) -> None:
    for one in WIDTHS:
        text, _ = ptx(one, arch)
        assert len(wide(text)) == len(WIDTHS[one]), (one.name, arch)
        assert "Used" in assemble(text, arch)
