"""What the symbols do not decide is run in small launches: a race that shows is told as one, and nothing else is said."""

from __future__ import annotations

from typing import Any

from oxidepy import Slice, SliceMut, block, f32, i32, kernel, launch_contract, shared, thread
from oxidepy.analysis import races
from oxidepy.analysis.races import report
from oxidepy.diagnostics import Diagnostic
from oxidepy.frontend.lower import lower
from oxidepy.ir.printer import print_module
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def halved(w: Slice[i32]) -> None:
    s = shared.array(i32, 64)
    k = thread.idx.x
    while k < len(w) and w[k] > 0:
        k += 64
    s[k % 64 // 2] = k


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def its_own(w: Slice[i32]) -> None:
    s = shared.array(i32, 64)
    k = thread.idx.x
    while k < len(w) and w[k] > 0:
        k += 64
    s[k % 64] = k


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def neighbour(w: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64)
    k = thread.idx.x
    while k < len(w) and w[k] > 0:
        k += 64
    s[k % 64] = k
    v = s[(k + 1) % 64]
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = v


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def neighbour_behind_a_barrier(w: Slice[i32], y: SliceMut[i32]) -> None:
    s = shared.array(i32, 64)
    k = thread.idx.x
    while k < len(w) and w[k] > 0:
        k += 64
    s[k % 64] = k
    block.sync()
    v = s[(k + 1) % 64]
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = v


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def scattered(w: Slice[i32], y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(w) and 0 <= w[i] and w[i] < len(y):
        y[w[i]] = 1.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def endless(w: Slice[i32], n: i32) -> None:
    s = shared.array(i32, 64)
    k = thread.idx.x
    while n >= -5:
        k = k ^ 1
    s[k % 64 // 2] = k


def findings(of: Any, *, trial: bool = True) -> tuple[Diagnostic, ...]:
    module = lower(of.definition, Specialisation(), CodegenOptions()).module
    before = print_module(module)
    found = races.prove(module, trial=trial).diagnostics
    assert print_module(module) == before
    return found


def test_an_index_that_a_loop_carries() -> None:
    (found,) = findings(halved)
    assert found.code == "OX4001" and found.notes == (report.SEEN,)
    case = found.counterexample
    assert case is not None and case.index is not None
    (_, one), (_, two) = case.threads
    assert one != two and one[0] // 2 == two[0] // 2 == case.index
    assert [one.code for one in findings(halved, trial=False)] == ["OX4003"]


def test_what_does_not_show_is_not_proven() -> None:
    (found,) = findings(its_own)
    assert found.code == "OX4003" and found.notes == ()


def test_what_a_barrier_orders_does_not_show() -> None:
    assert {one.code for one in findings(neighbour)} == {"OX4001", "OX4003"}
    assert {one.code for one in findings(neighbour_behind_a_barrier)} == {"OX4003"}


def test_an_index_out_of_memory_stays_unproven() -> None:
    (found,) = findings(scattered)
    assert found.code == "OX4003" and "loaded from memory" in found.message and found.notes == ()


def test_it_ends_where_a_loop_does_not() -> None:
    (found,) = findings(endless)
    assert found.code == "OX4003"
