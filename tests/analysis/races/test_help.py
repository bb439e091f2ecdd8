"""The way out that a race in global memory is told."""

from __future__ import annotations

from oxidepy import Slice, SliceMut, atomic, cluster_launch, f32, grid, i32, kernel, launch_contract, require, thread
from oxidepy.analysis import races
from oxidepy.diagnostics import Diagnostic
from oxidepy.frontend.lower import lower
from oxidepy.lang.definition import KernelDef, Specialisation
from oxidepy.settings.options import CodegenOptions


def found(of: KernelDef) -> tuple[Diagnostic, ...]:
    return races.prove(lower(of, Specialisation(), CodegenOptions()).module).diagnostics


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def of_one_block(y: SliceMut[f32]) -> None:
    if thread.idx.x < len(y):
        y[thread.idx.x] = 1.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def of_one_block_and_says_so(y: SliceMut[f32]) -> None:
    require(grid.dim.x == 1)
    if thread.idx.x < len(y):
        y[thread.idx.x] = 1.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
@cluster_launch(2)
def of_a_cluster(y: SliceMut[f32]) -> None:
    if thread.idx.x < len(y):
        y[thread.idx.x] = 1.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def added_up(x: Slice[f32], y: SliceMut[f32]) -> None:
    idx = thread.index_1d()
    if idx in x and len(y) > 0:
        y[0] += x[idx]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def relaxed(at: Slice[i32], y: SliceMut[i32], changed: SliceMut[i32]) -> None:
    i = thread.index_1d().get()
    if i < len(at):
        atomic.min(y, at[i], y[i] + 1)
        changed[0] = 1


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def flagged(at: Slice[i32], seen: SliceMut[bool]) -> None:
    i = thread.index_1d().get()
    if i < len(at) and len(seen) > 0:
        seen[0] = True


def test_what_is_plain_beside_an_atomic_is_told_to_be_one() -> None:
    helps = [str(race.help) for race in found(relaxed.definition)]
    assert any(one.startswith("let both be atomic, `atomic.load(y, i)`; or ") for one in helps)
    assert any("`atomic.store(changed, i, v)` where any of the values will do" in one for one in helps)
    assert all("atomic.store" not in str(race.help) for race in found(flagged.definition))


def test_the_same_thread_of_two_blocks() -> None:
    (race,) = found(of_one_block.definition)
    assert race.code == "OX4002" and race.help is not None
    assert race.help.endswith("; or, if it is launched with one block, say so: `require(grid.dim.x == 1)`")
    assert found(of_one_block_and_says_so.definition) == ()


def test_a_cluster_is_never_one_block() -> None:
    assert all("require" not in str(race.help) for race in found(of_a_cluster.definition))


def test_what_is_added_up_is_added_by_an_atomic() -> None:
    (race,) = found(added_up.definition)
    assert race.help is not None and "or use an atomic, such as `atomic.add(y, i, v)`" in race.help
