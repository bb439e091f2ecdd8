"""A launch: the module made ready once, then block after block."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from oxidepy.ir.core import Module
from oxidepy.ir.depth import deep
from oxidepy.ir.interpreter.exchange import WARP
from oxidepy.ir.interpreter.prepare import Body, prepare_module
from oxidepy.ir.interpreter.scheduler import Scheduler
from oxidepy.ir.interpreter.state import BlockState, Clusters, Frame, Progress, Triple, coordinates
from oxidepy.ir.interpreter.state import Panic as Panic
from oxidepy.ir.interpreter.values import Array, full
from oxidepy.ir.interpreter.watch import Watcher
from oxidepy.ir.types import Memory


class Program:
    """A module made ready to be run many times. `watcher` is told what its threads do."""

    def __init__(self, module: Module, watcher: Watcher | None = None) -> None:
        self.kernel = module.kernel
        with deep():
            self.body: Body = prepare_module(module, watcher)

    def run(self, args: Sequence[Any], grid: Triple, block: Triple) -> Panic | None:
        """Run all blocks in order; the panic of the lowest (block, thread), or None.

        `args` in the order of the kernel's parameters: memory as 1-D uint8 arrays (written in place), scalars as Python
        numbers. Deadlock if threads wait for each other for good; Fault on what checked IR never does.
        """
        threads = block[0] * block[1] * block[2]
        with np.errstate(all="ignore"), deep():
            slots = self.body.fresh(threads)
            for param, slot, value in zip(self.kernel.params, self.body.params, args, strict=True):
                slots[slot] = value if isinstance(param.type, Memory) else full(threads, param.scalar, value)
            launch = _launch_coordinates(grid, block)
            everyone = np.ones(threads, np.bool_)
            progress = Progress()
            clusters = Clusters(self.kernel.cluster)

            def begin(number: int) -> Frame:
                place = coordinates(number, grid)
                cluster, rank = clusters.of(place)
                state = BlockState(place, _block_coordinates(launch, place, block), everyone, progress, cluster, rank)
                return Frame(slots.copy(), state)

            if self.body.region.waits:
                state = Scheduler(self.body.region, begin, grid, block, self.kernel.cluster or (1, 1, 1), progress).run()
            else:
                state = self._in_order(begin, grid)
        if state is None or state.panic is None:
            return None
        found, place = state.panic, state.place
        where = place if found.block is None else (found.block, *place[1:])
        return Panic(found.site, where, coordinates(found.thread, block), found.index, found.length)

    def _in_order(self, begin: Callable[[int], Frame], grid: Triple) -> BlockState | None:
        """Run blocks whose threads never wait; the first in which a check failed."""
        first: BlockState | None = None
        for number in range(grid[0] * grid[1] * grid[2]):
            frame = begin(number)
            self.body.region.run(frame, frame.state.live)
            if frame.state.copies is not None:
                frame.state.copies.flush()
            if first is None and frame.state.panic is not None:
                first = frame.state
        return first


def run(module: Module, args: Sequence[Any], grid: Triple, block: Triple) -> Panic | None:
    """Run a module once; see `Program.run`."""
    return Program(module).run(args, grid, block)


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
    out["lane"], out["warp_id"] = threads % WARP, threads // WARP
    out["grid_size"] = np.full_like(threads, stride * grid[0] * grid[1] * grid[2])
    return out


def _block_coordinates(launch: dict[str, Array], place: Triple, block: Triple) -> dict[str, Array]:
    out = dict(launch)
    for axis, at, extent in zip("xyz", place, block, strict=True):
        out[f"ctaid.{axis}"] = np.full_like(launch["grid_size"], at)
        out[f"global_id.{axis}"] = launch[f"tid.{axis}"] + at * extent
    return out
