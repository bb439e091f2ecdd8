"""Random modules with waits put in everywhere mean the same as without: activities against masks.

Every lane waits for itself alone, so nobody ever has to wait, but control flow is split and joined all the same.
"""

from __future__ import annotations

import random

import pytest
from fuzz.modules import random_module
from ir.test_random_modules import run_on_random_data

from oxidepy.ir.core import Block, Builder, Module, Op
from oxidepy.ir.interpreter.activity import BlockRun
from oxidepy.ir.interpreter.barriers import Wait
from oxidepy.ir.types import I32, U32
from oxidepy.ir.verifier import verify


def with_waits(module: Module, seed: int) -> Module:
    """A wait at a random place of about every second region."""
    rng = random.Random(seed)
    head = Block()
    build = Builder(head)
    lane = build.value("cast", build.value("intrinsic", type=I32, row="warp.lane"), type=U32)
    own = build.value("shl", build.const(U32, 1), lane)

    def fill(block: Block) -> None:
        for op in list(block.ops):
            for region in op.regions:
                fill(region)
        if rng.random() < 0.5:
            block.ops.insert(rng.randrange(len(block.ops)), Op("intrinsic", [own], (), {"row": "warp.sync"}))

    fill(module.kernel.body)
    module.kernel.body.ops[:0] = head.ops
    verify(module)
    return module


@pytest.mark.parametrize("parked", [False, True])
@pytest.mark.parametrize("ahead", [False, True])
def test_waits_that_nobody_waits_at_change_nothing(parked: bool, ahead: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if parked:  # every wait goes through the scheduler
        monkeypatch.setattr(Wait, "alone", lambda self, live, mask, frame: False)
    if ahead:  # whoever has come to a join goes on at once, without those that come later
        settle = BlockRun._settle

        def hurry(run: BlockRun, join) -> None:
            settle(run, join)
            if join.arrived is not None and random.random() < 0.5:
                run._go_on(join)

        monkeypatch.setattr(BlockRun, "_settle", hurry)
    else:  # all meet again by themselves
        monkeypatch.setattr(BlockRun, "send_on", lambda self: False)
    random.seed(5)
    for seed in range(40):
        checks = seed % 2 == 0
        plain = run_on_random_data(random_module(seed, checks=checks), seed)
        assert run_on_random_data(with_waits(random_module(seed, checks=checks), seed), seed) == plain, seed


def test_the_modules_do_split() -> None:
    count = sum(
        op.name == "intrinsic" and op.attrs["row"] == "warp.sync"
        for seed in range(40)
        for op in with_waits(random_module(seed), seed).kernel.body.walk()
    )
    assert count > 100
