"""Watches kernels of the interpreter: races, accesses outside, memory that was never written, divergent barriers, overflows."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oxidepy.ir.core import Kernel, Op
from oxidepy.ir.interpreter.memory import Fault
from oxidepy.ir.interpreter.state import BlockState, Triple, coordinates
from oxidepy.ir.intrinsics import ROWS
from oxidepy.runtime.sanitize import findings
from oxidepy.runtime.sanitize.findings import Findings
from oxidepy.runtime.sanitize.memory import Written
from oxidepy.runtime.sanitize.races import BLOCK, CLUSTER, DEVICE, Log

WARP = 32
OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_SCOPES = {"block": BLOCK, "cluster": CLUSTER, "device": DEVICE, "system": DEVICE}


def _hardware(row: str) -> bool:
    return ROWS[row].effect == "write" and not row.startswith("cluster.")


@dataclass
class _Block:
    """What is known of a running block, a number a thread: how many barriers it has passed, and the clocks of its warps."""

    state: BlockState
    number: int
    cluster: int
    phases: dict[str, Any]
    clocks: Any  # what each thread knows of the clocks of its warp's lanes
    snapshot: Any  # the number under which the clocks of its warp were kept last
    failed: Any
    told: set[Op] = field(default_factory=set[Op])


class Watch:
    """The watcher of one kernel. `launch` begins a launch, `end` finishes it and looks for its races."""

    def __init__(self, kernel: Kernel, found: Findings, written: Written, tools: frozenset[str]) -> None:
        self.kernel, self.found, self.written = kernel, found, written
        # what the hardware layer writes, and how its barriers order it, is not followed
        self.hardware = any(op.name == "intrinsic" and _hardware(op.attrs["row"]) for op in kernel.body.walk())
        self.tools = tools - {"racecheck", "initcheck"} if self.hardware else tools
        self.full = False  # a launch made more accesses than are kept, so not all of its races were looked for
        self.names = {param: info.source for param, info in zip(kernel.params, kernel.infos, strict=True)}

    def launch(self, grid: Triple, block: Triple) -> None:
        self.grid, self.block = grid, block
        self.threads = block[0] * block[1] * block[2]
        self.blocks: dict[int, _Block] = {}
        self.log = Log()
        self.scratch: dict[int, tuple[Any, Any]] = {}  # by address: the memory, which stays alive, and what of it was written
        self.bases: dict[Op, set[int]] = {}  # addresses of the memory of an operation, one a block where that is scratch memory
        self.log.snapshots.append(self._clocks()[:WARP])

    def end(self) -> None:
        if "racecheck" in self.tools:
            for race in self.log.races():
                sides = [(side.op, self._place(side.block), coordinates(side.thread, self.block)) for side in (race.first, race.second)]
                element = race.second.op.operands[0].memory.element.size
                base = max(one for one in self.bases[race.second.op] if one <= race.address)
                self.found.add(findings.race(self.name(race.second.op), sides[0], sides[1], (race.address - base) // element, self.kernel))
        if self.hardware:
            self.written.all()
        self.full |= self.log.full
        self.blocks.clear()
        self.scratch.clear()
        self.log = Log()

    def _place(self, number: int) -> Triple:
        return coordinates(number, self.grid)

    def _clocks(self) -> Any:
        lanes = -(-self.threads // WARP) * WARP
        return (np.arange(lanes)[:, None] % WARP == np.arange(WARP)).astype(np.int32)

    def name(self, op: Op) -> str:
        memory = op.operands[0]
        while isinstance(memory.owner, Op) and memory.owner.name == "map_shared":
            memory = memory.owner.operands[0]
        return str(memory.owner.attrs.get("name", "memory")) if isinstance(memory.owner, Op) else self.names.get(memory, "memory")

    def of(self, state: BlockState) -> _Block:
        found = self.blocks.get(id(state))
        if found is None:
            x, y, z = state.place
            number = x + self.grid[0] * (y + self.grid[1] * z)
            cx, cy, cz = self.kernel.cluster or (1, 1, 1)
            cluster = x // cx + self.grid[0] * (y // cy + self.grid[1] * (z // cz))
            phases = {name: np.zeros(self.threads, np.int32) for name in ("grid", "cluster", "block")}
            snapshot, failed = np.zeros(self.threads, np.int32), np.zeros(self.threads, np.bool_)
            found = self.blocks[id(state)] = _Block(state, number, cluster, phases, self._clocks(), snapshot, failed)
        return found

    # ---- what the interpreter tells

    def access(self, op: Op, state: BlockState, mask: Any, buffer: Any, leaf: Any, index: Any) -> None:
        block, threads = self.of(state), np.flatnonzero(mask)
        try:
            buffer, index = leaf.reached(buffer, index, mask)
            at = index[threads].astype(np.int64) * leaf.stride + leaf.offset
            wrong = (at < 0) | (at + leaf.dtype.itemsize > len(buffer))
        except Fault:
            wrong, at = np.ones(len(threads), np.bool_), np.zeros(0, np.int64)
        if wrong.any() and "raw" in op.attrs:
            return  # the interpreter says so
        if wrong.any():  # only where the checks were left out
            self.found.add(findings.outside(op, self.name(op), self._where(state, threads[wrong])))
            return
        base = int(buffer.__array_interface__["data"][0])
        self.bases.setdefault(op, set()).add(base)
        space, kind = op.operands[0].memory.space, op.attrs.get("kind", op.name)
        self._initialised(op, state, space, buffer, base, at, leaf.dtype.itemsize, kind, threads)
        if space != "local" and "racecheck" in self.tools:
            self.log.note(
                op,
                len(threads),
                address=base + at,
                block=block.number,
                cluster=block.cluster,
                thread=threads,
                grid_phase=block.phases["grid"][threads],
                cluster_phase=(2 * block.phases["cluster"] + state.arrived + state.waited)[threads],
                block_phase=block.phases["block"][threads],
                snapshot=block.snapshot[threads],
                epoch=block.clocks[threads, threads % WARP],
                size=leaf.dtype.itemsize,
                writes=kind != "load",
                atomic=_SCOPES[op.attrs["scope"]] if op.name == "atomic" else 0,
            )

    def _initialised(
        self, op: Op, state: BlockState, space: str, buffer: Any, base: int, at: Any, size: int, kind: str, threads: Any
    ) -> None:
        if space in ("shared", "local", "cluster"):
            root = buffer if buffer.base is None or not isinstance(buffer.base, np.ndarray) else buffer.base
            while isinstance(root.base, np.ndarray):
                root = root.base
            start = int(root.__array_interface__["data"][0])
            known = self.scratch.setdefault(start, (root, np.zeros(root.nbytes, np.bool_)))[1]
            at = at + (base - start)
        else:
            start, known = self.written.of(base)
            if known is None:
                return
            at = at + (base - start)
        bytes_ = at[:, None] + np.arange(size)
        if kind not in ("store", "exchange") and "initcheck" in self.tools:
            bare = ~known[bytes_].all(axis=1)
            if bare.any():
                self.found.add(findings.unwritten(op, self.name(op), space, self._where(state, threads[bare])))
        if kind != "load":
            known[bytes_] = True

    def failed(self, op: Op, state: BlockState, failed: Any, index: Any, length: Any) -> None:
        self.of(state).failed |= failed
        if op.attrs["code"] == "OX7001" and "memcheck" in self.tools:
            first = int(np.argmax(failed))
            about = (int(index[first]), int(length[first])) if index is not None else None
            self.found.add(findings.bounds(op, self._where(state, np.flatnonzero(failed)), about))

    def met(self, op: Op, state: BlockState, mask: Any) -> None:
        row, block = op.attrs["row"], self.of(state)
        if ROWS[row].effect != "sync":
            return
        level = ROWS[row].convergence
        if level in ("block", "grid", "cluster"):
            block.phases[level][mask] += 1
            missing = ~mask & ~block.failed
            if level == "block" and missing.any() and op not in block.told and "synccheck" in self.tools:
                block.told.add(op)
                self.found.add(findings.divergent(op, self._where(state, np.flatnonzero(missing)), int(missing.sum())))
        elif row == "warp.sync":
            self._warps(block, mask)

    def _warps(self, block: _Block, mask: Any) -> None:
        for first in range(0, self.threads, WARP):
            lanes = first + np.flatnonzero(mask[first : first + WARP])
            if not len(lanes):
                continue
            block.clocks[lanes] = block.clocks[lanes].max(axis=0)
            block.clocks[lanes, lanes % WARP] += 1
            self.log.snapshots.append(block.clocks[first : first + WARP].copy())
            block.snapshot[first : first + WARP] = len(self.log.snapshots) - 1

    def wrapped(self, op: Op, state: BlockState, mask: Any) -> None:
        if "overflow" in self.tools and op.span is not None and not os.path.abspath(op.span.file).startswith(OURS):
            self.found.add(findings.overflow(op, self._where(state, np.flatnonzero(mask))))

    def _where(self, state: BlockState, threads: Any) -> tuple[Triple, Triple, int, str]:
        """Block and thread of the first of them, how many they are, and the kernel."""
        return state.place, coordinates(int(threads[0]), self.block), len(threads), self.kernel.name
