"""The way out that a race is told."""

from __future__ import annotations

from oxidepy import Slice, SliceMut, atomic, block, cluster_launch, f32, grid, i32, kernel, launch_contract, require, shared, thread
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


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def halved_without_barrier(y: SliceMut[f32]) -> None:
    s = shared.array(f32, 64)
    t = thread.idx.x
    s[t] = 1.0
    block.sync()
    step = 32
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        step //= 2


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def shifted(y: SliceMut[f32]) -> None:
    s = shared.array(f32, 65)
    t = thread.idx.x
    s[t] = s[t + 1]


def test_rounds_and_one_round() -> None:
    """What a round wrote is read in the next one: there a barrier ends the round. Within one statement it stands between read and write."""
    (race,) = found(halved_without_barrier.definition)
    assert race.help == f"`block.sync()` after line {race.span.line if race.span else 0}, at the end of the round, orders them"
    (race,) = found(shifted.definition)
    assert race.help == "read into a variable, then `block.sync()`, then write"


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
