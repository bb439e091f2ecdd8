"""A launch: the module made ready once, then block after block."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oxidepy.ir.core import Module
from oxidepy.ir.depth import deep
from oxidepy.ir.interpreter.control import Waiting
from oxidepy.ir.interpreter.memory import Fault
from oxidepy.ir.interpreter.prepare import Body, prepare_module
from oxidepy.ir.interpreter.state import BlockState, Frame
from oxidepy.ir.interpreter.state import Panic as Panic
from oxidepy.ir.interpreter.values import Array, Mask, full
from oxidepy.ir.types import Memory

Triple = tuple[int, int, int]


@dataclass
class Activity:
    """Threads that run together: where they are is the generator's state."""

    mask: Mask
    steps: Waiting
    waits_for: str = ""

    def advance(self) -> bool:
        """Run on; whether it now waits (else it is done)."""
        try:
            self.waits_for = next(self.steps)
        except StopIteration:
            return False
        return True


class Program:
    """A module made ready to be run many times."""

    def __init__(self, module: Module) -> None:
        self.kernel = module.kernel
        with deep():
            self.body: Body = prepare_module(module)

    def run(self, args: Sequence[Any], grid: Triple, block: Triple) -> Panic | None:
        """Run all blocks in order; the panic of the lowest (block, thread), or None.

        `args` in the order of the kernel's parameters: memory as 1-D uint8 arrays (written in place), scalars as Python
        numbers. Fault on what checked IR never does.
        """
        threads = block[0] * block[1] * block[2]
        with np.errstate(all="ignore"), deep():
            slots = self.body.fresh(threads)
            for param, slot, value in zip(self.kernel.params, self.body.params, args, strict=True):
                slots[slot] = value if isinstance(param.type, Memory) else full(threads, param.scalar, value)
            launch = _launch_coordinates(grid, block)
            first: Panic | None = None
            for number in range(grid[0] * grid[1] * grid[2]):
                place = _coordinates(number, grid)
                state = BlockState(_block_coordinates(launch, place, block))
                self._run_block(Frame(slots.copy(), state), threads)
                if first is None and state.panic is not None:
                    found = state.panic
                    where = place if found.block is None else (found.block, *place[1:])
                    first = Panic(found.site, where, _coordinates(found.thread, block), found.index, found.length)
        return first

    def _run_block(self, frame: Frame, threads: int) -> None:
        mask = np.ones(threads, np.bool_)
        runnable = deque([Activity(mask, self.body.region.run(frame, mask))])
        waiting: list[Activity] = []
        while runnable:
            activity = runnable.popleft()
            if activity.advance():
                waiting.append(activity)
        if waiting:
            raise Fault("no thread can go on: all wait for " + " and ".join(sorted({one.waits_for for one in waiting})))


def run(module: Module, args: Sequence[Any], grid: Triple, block: Triple) -> Panic | None:
    """Run a module once; see `Program.run`."""
    return Program(module).run(args, grid, block)


def _coordinates(number: int, extents: Triple) -> Triple:
    """The coordinates of a linear number, x fastest."""
    x, y, _ = extents
    return number % x, number // x % y, number // (x * y)


def _launch_coordinates(grid: Triple, block: Triple) -> dict[str, Array]:
    """What is the same for every block: thread coordinates, sizes."""
    threads = np.arange(block[0] * block[1] * block[2], dtype=np.int64)
    out: dict[str, Array] = {}
    stride = 1
    for axis, extent, blocks in zip("xyz", block, grid, strict=True):
        out[f"tid.{axis}"] = threads // stride % extent
        out[f"ntid.{axis}"] = np.full_like(threads, extent)
        out[f"nctaid.{axis}"] = np.full_like(threads, blocks)
        stride *= extent
    out["grid_size"] = np.full_like(threads, stride * grid[0] * grid[1] * grid[2])
    return out


def _block_coordinates(launch: dict[str, Array], place: Triple, block: Triple) -> dict[str, Array]:
    out = dict(launch)
    for axis, at, extent in zip("xyz", place, block, strict=True):
        out[f"ctaid.{axis}"] = np.full_like(launch["grid_size"], at)
        out[f"global_id.{axis}"] = launch[f"tid.{axis}"] + at * extent
    return out
