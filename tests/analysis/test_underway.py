"""Accumulators of products that are under way are not read before a wait has handed them on."""

from __future__ import annotations

from typing import Any

import pytest

from oxidepy import SliceMut, f32, kernel, launch_contract, thread, u64, unsafe, wgmma
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
        acc = wgmma.m64n8k16.f32.f16(a, b, wgmma.zeros(8))
        y[thread.idx.x] = acc[0]


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def behind_a_loop(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        acc = wgmma.zeros(8)
        for _ in range(n):
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
        y[thread.idx.x] = acc[3] + 1.0


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def in_the_next_round(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
        acc = wgmma.zeros(8)
        while n > 2:
            y[thread.idx.x] = acc[2]
            acc = wgmma.m64n8k16.f32.f16(a, b, acc)
            n -= 1
        acc = wgmma.wait_group(0, acc)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def of_a_branch(y: SliceMut[f32], a: u64, b: u64, n: u64) -> None:
    with unsafe("a test"):
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
