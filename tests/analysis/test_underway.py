"""Accumulators of products that are under way are not read before a wait has handed them on."""

from __future__ import annotations

from typing import Any

import pytest

from oxidepy import SliceMut, f32, kernel, launch_contract, thread, u32, u64, unsafe, wgmma
from oxidepy.analysis.underway import check
from oxidepy.frontend.lower import lower
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def waits(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.zeros(8)
        for _ in range(n):
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
            acc = wgmma.m64n8k16.f32.f16(a, b, acc, n > 2)
            wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)
        y[thread.idx.x] = acc[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def at_once(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.m64n8k16.f32.f16(a, b, wgmma.zeros(8))
        y[thread.idx.x] = acc[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def behind_a_loop(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.zeros(8)
        for _ in range(n):
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
        y[thread.idx.x] = acc[3] + 1.0


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def in_the_next_round(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.zeros(8)
        while n > 2:
            y[thread.idx.x] = acc[2]
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
            n -= 1
        wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def of_a_branch(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.zeros(8)
        if n > 2:
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
            if n > 3:
                return
        y[thread.idx.x] = acc[1]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def the_old_one(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.m64n8k16.f32.f16(a, b, wgmma.zeros(8))
        wgmma.commit_group()
        done = wgmma.wait_group(0, acc)
        y[thread.idx.x] = acc[1] + done[1]


def found(one: Any) -> list[tuple[str, str]]:
    module = lower(one.definition, Specialisation(), CodegenOptions()).module
    return [(diagnostic.code, diagnostic.message) for diagnostic in check(module)]


def test_behind_a_wait_they_are_there() -> None:
    assert found(waits) == []


@pytest.mark.parametrize("one", [at_once, behind_a_loop, in_the_next_round, of_a_branch, the_old_one], ids=lambda one: one.definition.name)
def test_before_the_wait_they_are_not(one: Any) -> None:
    assert found(one) == [("OX0381", "an accumulator of `wgmma.m64n8k16.f32.f16` is read before the product is done")]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_fence(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        acc = wgmma.zeros(8)
        for _ in range(n):
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
        wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)
        y[thread.idx.x] = acc[1]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_group(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.m64n8k16.f32.f16(a, b, wgmma.zeros(8))
        acc = wgmma.wait_group(0, acc)
        y[thread.idx.x] = acc[1]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def no_group_in_rounds(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.zeros(8)
        wgmma.commit_group()
        for _ in range(n):
            acc = wgmma.sparse.m64n8k32.f32.f16(a, b, acc, u32(0x4444))
        acc = wgmma.wait_group(0, acc)
        y[thread.idx.x] = acc[1]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def one_group_waits(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    """The next products are under way while the last ones' sums are taken."""
    with unsafe("a test"):
        if n > 1:
            wgmma.fence()
        one = wgmma.m64n8k16.f32.f16(a, b, wgmma.zeros(8))
        wgmma.commit_group()
        for _ in range(n):
            two = wgmma.m64n8k16.f32.f16(a, b, wgmma.zeros(8))
            wgmma.commit_group()
            one = wgmma.wait_group(1, one)
            y[thread.idx.x] = one[0]
            one = two
        one = wgmma.wait_group(0, one)
        y[thread.idx.x] = one[1]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def sometimes(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        wgmma.fence()
        acc = wgmma.zeros(8)
        for k in range(n):
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
            if k % 4 == 3:
                wgmma.commit_group()
        wgmma.commit_group()
        acc = wgmma.wait_group(0, acc)
        y[thread.idx.x] = acc[1]


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (no_fence, "`wgmma.m64n8k16.f32.f16` without a fence before it"),
        (no_group, "the wait for `wgmma.m64n8k16.f32.f16` stands before its group is made"),
        (no_group_in_rounds, "the wait for `wgmma.sparse.m64n8k32.f32.f16` stands before its group is made"),
    ],
    ids=lambda one: getattr(getattr(one, "definition", None), "name", ""),
)
def test_fences_and_groups_have_their_places(one: Any, message: str) -> None:
    assert found(one) == [("OX0381", message)]


@pytest.mark.parametrize("one", [one_group_waits, sometimes], ids=lambda one: one.definition.name)
def test_groups_in_turn_are_fine(one: Any) -> None:
    assert found(one) == []
