"""Runs small kernels thread by thread and finds the races that happen: the judge of what the prover accepts.

Written apart from the interpreter and the prover: integers are Python's, each thread is a generator that stops at barriers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.types import Scalar


class Ended(Exception):
    """A failed check ended the thread."""


class Misused(Exception):
    """The halves of the cluster's barrier do not take turns: such a run says nothing."""


class Leave(Exception):
    def __init__(self, label: str, values: list[Any]) -> None:
        super().__init__(label)
        self.label, self.values = label, values


@dataclass(frozen=True)
class Touch:
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    warp: int
    phases: tuple[int, int, int]  # barriers passed: of the grid, the block, the warp
    cluster: tuple[int, int, int]
    halves: int  # of the cluster's barrier, passed
    first: int
    last: int
    writes: bool
    atomic: str  # the scope, "" for a plain access
    op: Op


@dataclass
class Run:
    """One launch. `arrays`: contents of memory parameters by name (lists of numbers); `scalars`: of the others."""

    module: Module
    grid: tuple[int, int, int]
    arrays: dict[str, list[Any]]
    scalars: dict[str, Any]
    touches: dict[Any, list[Touch]] = field(default_factory=lambda: defaultdict(list))
    divergent: bool = False
    wrapped: set[Op] = field(default_factory=set[Op])  # operations whose result left the range of its type
    failed: set[Op] = field(default_factory=set[Op])  # checks that some thread did not pass

    def go(self) -> None:
        try:
            self._go()
        except Misused:
            self.touches.clear()

    def _go(self) -> None:
        x, y, z = self.module.kernel.block
        self.threads: list[Thread] = []
        for block in product(*(range(extent) for extent in self.grid)):
            shared: dict[Any, dict[int, Any]] = defaultdict(dict)
            for at_z, at_y, at_x in product(range(z), range(y), range(x)):
                self.threads.append(Thread(self, block, (at_x, at_y, at_z), shared))
        waiting: dict[Thread, str] = dict.fromkeys(self.threads, "")
        while waiting:
            for thread in list(waiting):
                if not self._released(thread, waiting):
                    continue
                try:
                    waiting[thread] = next(thread.steps)
                except (StopIteration, Ended):
                    del waiting[thread]
                if waiting.get(thread):
                    self.arrived[thread] = True
            if not self._release(waiting):
                break

    def __post_init__(self) -> None:
        self.arrived: dict[Thread, bool] = {}

    def _released(self, thread: Thread, waiting: dict[Thread, str]) -> bool:
        return not self.arrived.get(thread)

    def _release(self, waiting: dict[Thread, str]) -> bool:
        """Let groups go on of which all live threads wait at the same barrier. Whether any went on."""
        moved = False
        groups: dict[Any, list[Thread]] = defaultdict(list)
        for thread, kind in waiting.items():
            groups[kind, thread.group(kind)].append(thread)
        for (kind, _), members in groups.items():
            everyone = [thread for thread in waiting if thread.group(kind) == members[0].group(kind)]
            if len(everyone) == len(members):
                for thread in members:
                    thread.passed(kind)
                    self.arrived[thread] = False
                moved = True
        if not moved and waiting:
            self.divergent = True
        return moved


class Thread:
    def __init__(self, run: Run, block: tuple[int, int, int], index: tuple[int, int, int], shared: Any) -> None:
        self.run, self.block, self.index, self.shared = run, block, index, shared
        x, y, _ = run.module.kernel.block
        self.linear = index[0] + index[1] * x + index[2] * x * y
        self.phases = [0, 0, 0]
        sizes = run.module.kernel.cluster or (1, 1, 1)
        self.cluster = (block[0] // sizes[0], block[1] // sizes[1], block[2] // sizes[2])
        self.halves = 0
        self.env: dict[Value, Any] = {}
        for param, info in zip(run.module.kernel.params, run.module.kernel.infos, strict=True):
            if info.role == "length":
                self.env[param] = len(run.arrays[info.source])
            elif info.role == "scalar":
                self.env[param] = run.scalars[info.source]
            else:
                self.env[param] = ("param", info.source)
        self.steps = self.region(run.module.kernel.body)

    def group(self, kind: str) -> Any:
        if kind in ("cluster", "half"):
            return self.cluster
        return {"grid": 0, "block": self.block, "warp": (self.block, self.linear // 32)}[kind]

    def passed(self, kind: str) -> None:
        if kind in ("cluster", "half"):
            self.halves += 2 if kind == "cluster" else 1
            return
        level = ("grid", "block", "warp").index(kind)
        self.phases[level] += 1

    def region(self, block: Block) -> Generator[str, None, list[Any]]:
        for op in block.ops:
            if op.name in ("yield", "condition", "return"):
                return [self.env[value] for value in op.operands]
            yield from self.step(op)
        return []

    def step(self, op: Op) -> Generator[str, None, None]:
        env = self.env
        if op.name == "if":
            values = yield from self.region(op.regions[0 if env[op.operands[0]] else 1])
            env.update(zip(op.results, values, strict=True))
        elif op.name == "for":
            start, stop, stride, *carried = (env[value] for value in op.operands)
            for at in range(start, stop, stride):
                env.update(zip(op.regions[0].args, [at, *carried], strict=True))
                carried = yield from self.region(op.regions[0])
            env.update(zip(op.results, carried, strict=True))
        elif op.name == "while":
            carried = [env[value] for value in op.operands]
            while True:
                env.update(zip(op.regions[0].args, carried, strict=True))
                flag, *passed = yield from self.region(op.regions[0])
                if not flag:
                    break
                env.update(zip(op.regions[1].args, passed, strict=True))
                carried = yield from self.region(op.regions[1])
            env.update(zip(op.results, passed, strict=True))
        elif op.name == "scope":
            try:
                values = yield from self.region(op.regions[0])
            except Leave as left:
                if left.label != op.attrs["label"]:
                    raise
                values = left.values
            env.update(zip(op.results, values, strict=True))
        elif op.name == "leave":
            raise Leave(op.attrs["label"], [env[value] for value in op.operands])
        elif op.name == "check":
            if not env[op.operands[0]]:
                self.run.failed.add(op)
                raise Ended
        elif op.name == "intrinsic" and op.attrs["row"] in ("cluster.arrive", "cluster.wait", "cluster.sync"):
            row = op.attrs["row"]
            if (self.halves % 2 == 1) is not (row == "cluster.wait"):
                raise Misused
            if row == "cluster.arrive":
                self.halves += 1
            else:
                yield "half" if row == "cluster.wait" else "cluster"
        elif op.name == "intrinsic" and op.attrs["row"].endswith(".sync"):
            yield op.attrs["row"].split(".")[0]
        elif op.name in ("load", "store", "atomic"):
            self.access(op)
        elif op.name == "alloc":
            env[op.results[0]] = ("alloc", op)
        else:
            env[op.results[0]] = self.value(op)

    def access(self, op: Op) -> None:
        memory, index = self.env[op.operands[0]], self.env[op.operands[1]]
        scalar: Scalar = op.results[0].scalar if op.results else op.operands[2].scalar
        type_ = op.operands[0].memory
        kind = op.attrs.get("kind", op.name)
        writes = kind not in ("load",)
        where = (memory, self.block) if type_.space == "shared" else memory
        first = index * type_.element.size + op.attrs["offset"]
        scope = op.attrs.get("scope", "")
        phases, last = (self.phases[0], self.phases[1], self.phases[2]), first + scalar.size - 1
        touch = Touch(self.block, self.index, self.linear // 32, phases, self.cluster, self.halves, first, last, writes, scope, op)
        self.run.touches[where].append(touch)
        cells: Any = self.shared[memory[1]] if type_.space == "shared" else self.run.arrays[memory[1]]
        if isinstance(cells, list) and not 0 <= index < len(cells):
            raise Ended  # outside: what happens then is no matter of races
        old = cells.get(index, 0) if isinstance(cells, dict) else cells[index]
        if op.results:
            self.env[op.results[0]] = old
        if writes:
            new = self.env[op.operands[2]]
            cells[index] = wrap(old + new, scalar) if kind == "add" else new

    def value(self, op: Op) -> Any:
        name, scalar = op.name, op.results[0].scalar
        if name == "const":
            return op.attrs["value"]
        if name == "undef":
            return 0
        if name == "intrinsic":
            return self.coordinate(op.attrs["row"])
        parts = [self.env[value] for value in op.operands]
        if name == "shl":
            return wrap(parts[0] << parts[1], scalar) if 0 <= parts[1] < scalar.bits else 0
        if name == "shr":
            return parts[0] >> (parts[1] if 0 <= parts[1] < scalar.bits else scalar.bits)
        if name == "brev":
            return wrap(int(f"{parts[0] % (1 << scalar.bits):0{scalar.bits}b}"[::-1], 2), scalar)
        found = _VALUES[name](*parts)
        if scalar.is_int and found != wrap(found, scalar):
            self.run.wrapped.add(op)
        return wrap(found, scalar) if scalar.is_int else found

    def coordinate(self, row: str) -> int:
        space, _, axis = row.rpartition(".")
        at = "xyz".find(axis)
        extent = self.run.module.kernel.block
        if row == "warp.lane":
            return self.linear % 32
        if row == "warp.id":
            return self.linear // 32
        return {
            "thread.idx": lambda: self.index[at],
            "block.idx": lambda: self.block[at],
            "block.dim": lambda: extent[at],
            "grid.dim": lambda: self.run.grid[at],
            "thread.global_id": lambda: self.block[at] * extent[at] + self.index[at],
        }[space]()


_VALUES: dict[str, Any] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
    "neg": lambda a: -a, "abs": abs, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b, "inbounds": lambda a, b: 0 <= a < b, "select": lambda c, a, b: a if c else b, "cast": lambda a: a,
    "not": lambda a: not a if isinstance(a, bool) else ~a,
}  # fmt: skip


def wrap(value: int, scalar: Scalar) -> int:
    return (int(value) - scalar.min) % (1 << scalar.bits) + scalar.min


def races(run: Run) -> list[tuple[Touch, Touch]]:
    """Pairs of touches that race."""
    found: list[tuple[Touch, Touch]] = []
    for touches in run.touches.values():
        cells: dict[int, list[Touch]] = defaultdict(list)
        for touch in touches:
            for byte in range(touch.first, touch.last + 1):
                cells[byte].append(touch)
        for here in cells.values():
            if any(touch.writes for touch in here):
                found.extend((one, two) for number, one in enumerate(here) for two in here[:number] if clash(one, two))
                if found:
                    return found
    return found


def clash(one: Touch, two: Touch) -> bool:
    if (one.block, one.thread) == (two.block, two.thread) or not (one.writes or two.writes):
        return False
    level = 0 if one.block != two.block else 1 if one.warp != two.warp else 2
    if one.phases[: level + 1] != two.phases[: level + 1]:
        return False
    if one.cluster == two.cluster and (_waited(one, two) or _waited(two, one)):
        return False
    if one.atomic and two.atomic and (one.first, one.last) == (two.first, two.last):
        return one.block != two.block and "block" in (one.atomic, two.atomic)
    return True


def _waited(one: Touch, two: Touch) -> bool:
    """Whether the second came after a wait for the next arrival after the first."""
    return two.halves // 2 > (one.halves + 1) // 2
