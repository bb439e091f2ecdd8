"""Makes a module ready: every operation becomes a step over numbered slots, constants are filled in ahead."""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.interpreter.arithmetic import Pure, pure
from oxidepy.ir.interpreter.atomics import TWO_WORDS, Atomic
from oxidepy.ir.interpreter.barriers import ClusterWait, Exchange, Wait
from oxidepy.ir.interpreter.control import For, If, Region, Scope, Step, While
from oxidepy.ir.interpreter.hardware import Instruction, Together, refuse
from oxidepy.ir.interpreter.mbarrier import BarrierWait, at_work
from oxidepy.ir.interpreter.memory import Leaf, Remote, leaf, scratch
from oxidepy.ir.interpreter.misuse import Misuse
from oxidepy.ir.interpreter.state import Frame
from oxidepy.ir.interpreter.values import Mask, dtype_of, full
from oxidepy.ir.interpreter.waiting import SplitFor, SplitIf, SplitScope, SplitWhile
from oxidepy.ir.interpreter.watch import Watcher, watched
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.intrinsics.barrier import TESTS, WAITS
from oxidepy.ir.types import Scalar, words


@dataclass
class Body:
    """The body of a kernel or function over its own slots."""

    params: list[int]
    region: Region
    count: int
    constants: list[tuple[int, Scalar, bool | int | float]]
    filled: tuple[int, list[Any]] | None = None  # number of threads, and the slots with which they begin

    def fresh(self, threads: int) -> list[Any]:
        """Slots for a run over `threads` threads, constants filled in: those of the run before, for no step writes into an array."""
        filled = self.filled
        if filled is None or filled[0] != threads:
            slots: list[Any] = [None] * self.count
            for slot, type_, value in self.constants:
                slots[slot] = full(threads, type_, value)
                slots[slot].flags.writeable = False
            self.filled = filled = threads, slots
        return filled[1].copy()


class Compute(Step):
    kind = "pure"

    def __init__(self, function: Pure, operands: Sequence[int], result: int) -> None:
        self.function, self.operands, self.result = function, operands, result

    def values(self, frame: Frame) -> None:
        slots = frame.slots
        slots[self.result] = self.function(*[slots[one] for one in self.operands])


class Coordinate(Step):
    """A coordinate of the running thread."""

    kind = "pure"

    def __init__(self, name: str, type_: Scalar, result: int) -> None:
        self.name, self.dtype, self.result = name, dtype_of(type_), result

    def values(self, frame: Frame) -> None:
        frame.slots[self.result] = frame.state.coordinates[self.name].astype(self.dtype)


class Load(Step):
    kind = "masked"

    def __init__(self, leaf: Leaf, memory: int, index: int, result: int) -> None:
        self.leaf, self.memory, self.index, self.result = leaf, memory, index, result

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        slots = frame.slots
        slots[self.result] = self.leaf.load(slots[self.memory], slots[self.index], mask)
        return mask


class Store(Step):
    kind = "masked"

    def __init__(self, leaf: Leaf, memory: int, index: int, value: int) -> None:
        self.leaf, self.memory, self.index, self.value = leaf, memory, index, value

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        slots = frame.slots
        self.leaf.store(slots[self.memory], slots[self.index], slots[self.value], mask)
        frame.state.progress.count += 1
        return mask


class Raw(Step):
    """An access through a pointer, which nothing has tested: only here is it known to be outside."""

    kind = "masked"

    def __init__(self, op: Op, inner: Step, leaf: Leaf, memory: int, index: int) -> None:
        self.op, self.inner, self.leaf, self.memory, self.index = op, inner, leaf, memory, index

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        index = frame.slots[self.index]
        first, end = self.leaf.bounds(frame.slots[self.memory], len(mask))
        outside = mask & ((index < first) | (index >= end))
        if outside.any():
            thread = int(np.argmax(outside))
            at, name = int(index[thread]), self.op.attrs["raw"]
            there = f"at elements {first} to {end - 1}" if end > first else "at no element"
            message = f"index out of bounds: `{name}` points {there}, and this is {at}"
            help = "nothing tests an access through a pointer on the other devices: there it reads or writes what belongs to others"
            raise Misuse(self.op, frame.state, thread, "OX7001", message, help, at, end)
        return self.inner.masked(frame, mask)


class Alloc(Step):
    """Scratch memory of the block: the same object at every evaluation."""

    kind = "masked"

    def __init__(self, op: Op, count: int | None, result: int) -> None:
        self.op, self.count, self.result = op, count, result

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        found = frame.state.scratch.get(self.op)
        if found is None:
            count = self.op.attrs["count"] if self.count is None else max(int(frame.slots[self.count][mask][0]), 0)
            memory, state = self.op.result.memory, frame.state
            if state.cluster is not None and memory.space == "shared":
                found = state.cluster.of(self.op, state.rank, lambda: scratch(memory, count, len(mask)))
            else:
                found = scratch(memory, count, len(mask))
            state.scratch[self.op] = found
        frame.slots[self.result] = found
        return mask


class MapShared(Step):
    """A shared object of the blocks that the threads name by rank."""

    kind = "masked"

    def __init__(self, op: Op, rank: int, result: int) -> None:
        self.op, self.rank, self.result = op, rank, result
        alloc = op.operands[0].owner
        assert isinstance(alloc, Op)
        self.alloc = alloc

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        state, ranks = frame.state, frame.slots[self.rank]
        cluster = state.cluster
        assert cluster is not None
        every = cluster.shared[self.alloc]
        frame.slots[self.result] = Remote(every.reshape(-1), every.shape[1], ranks, lambda users: at_work(self.op, state, ranks, users))
        return mask


class Arrive(Step):
    """The first half of the cluster's barrier."""

    kind = "masked"

    def __init__(self, op: Op) -> None:
        self.op = op

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        state = frame.state
        if (again := np.flatnonzero(mask & (state.arrived != state.waited))).size:
            message = "`cluster.arrive` where `cluster.wait` has to come next"
            raise Misuse(self.op, state, int(again[0]), "OX0382", message, "write `cluster.wait()` before it")
        state.arrived[mask] += 1
        frame.state.progress.count += 1
        return mask


class Check(Step):
    kind = "masked"

    def __init__(self, op: Op, operands: Sequence[int]) -> None:
        self.op, self.condition, self.facts = op, operands[0], operands[1:]

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        condition = frame.slots[self.condition]
        failed = mask & ~condition
        if not failed.any():
            return mask
        index, length = (frame.slots[one] for one in self.facts) if self.facts else (None, None)
        frame.state.fail(self.op, failed, index, length)
        rest = mask & condition
        return rest if rest.any() else None


class Fail(Step):
    """The record of a failed check, for a block that is not the running one."""

    kind = "masked"

    def __init__(self, op: Op, operands: Sequence[int]) -> None:
        self.op, self.block, self.facts = op, operands[0], operands[1:]

    def masked(self, frame: Frame, mask: Mask) -> Mask:
        index, length = (frame.slots[one] for one in self.facts) if self.facts else (None, None)
        frame.state.fail(self.op, mask, index, length, frame.slots[self.block])
        return mask


class Call(Step):
    """A function of the module, over slots of its own."""

    kind = "masked"

    def __init__(self, body: Body, operands: Sequence[int], results: Sequence[int]) -> None:
        self.body, self.operands, self.results = body, operands, results

    def masked(self, frame: Frame, mask: Mask) -> Mask | None:
        inner = Frame(self.body.fresh(len(mask)), frame.state)
        inner.write(self.body.params, [frame.slots[one] for one in self.operands])
        reached = self.body.region.run(inner, mask)
        if reached is not None:
            frame.write(self.results, self.body.region.ends(inner))
        return reached


def prepare_module(module: Module, watcher: Watcher | None = None) -> Body:
    """The kernel's body, with every function that it calls made ready too. `watcher` is told what the kernel does.

    CompileError OX6001: an instruction without a meaning here.
    """
    refuse(module)
    bodies: dict[str, Body] = {}

    def body_of(name: str) -> Body:
        if name not in bodies:
            function = module.functions[name]
            made = bodies[name] = Body([], Region([], [], [], None), 0, [])  # a function that calls itself meets it unfinished
            body = _Preparer(body_of).body(function.params, function.body)
            made.params, made.region, made.count, made.constants = body.params, body.region, body.count, body.constants
        return bodies[name]

    return _Preparer(body_of, watcher).body(module.kernel.params, module.kernel.body)


class _Preparer:
    def __init__(self, body_of: Callable[[str], Body], watcher: Watcher | None = None) -> None:
        self.body_of = body_of
        self.watcher = watcher
        self.slots: dict[Value | str, int] = {}
        self.constants: list[tuple[int, Scalar, bool | int | float]] = []
        self.makers: dict[str, Callable[[Op], Step]] = {
            "load": self._load,
            "store": self._store,
            "check": lambda op: Check(op, self.of(op.operands)),
            "panic": lambda op: Fail(op, self.of(op.operands)),
            "intrinsic": self._intrinsic,
            "call": lambda op: Call(self.body_of(op.attrs["callee"]), self.of(op.operands), self.of(op.results)),
            "alloc": lambda op: Alloc(op, self.slot(op.operands[0]) if op.operands else None, self.slot(op.result)),
            "map_shared": self._map_shared,
            "atomic": self._atomic,
            "if": self._if,
            "for": self._for,
            "while": self._while,
            "scope": self._scope,
        }

    def body(self, params: Sequence[Value], block: Block) -> Body:
        slots = self.of(params)
        region = self.region(block)
        return Body(slots, region, len(self.slots), self.constants)

    def slot(self, value: Value) -> int:
        return self.slots.setdefault(value, len(self.slots))

    def hidden(self) -> int:
        """A slot that belongs to no value."""
        return self.slots.setdefault(f"hidden {len(self.slots)}", len(self.slots))

    def of(self, values: Sequence[Value]) -> list[int]:
        return [self.slot(one) for one in values]

    def _slots(self, op: Op) -> tuple[list[int], list[int]]:
        return self.of(op.operands), self.of(op.results)

    def region(self, block: Block) -> Region:
        args = self.of(block.args)
        steps: list[Step] = []
        for op in block.ops[:-1]:
            if op.name in ("const", "undef"):
                self.constants.append((self.slot(op.result), op.result.scalar, op.attrs.get("value", 0)))
            elif op.name == "extern":  # never called here
                self.constants += [(self.slot(one), one.scalar, 0) for one in op.results]
            elif op.name != "fence":  # all accesses are in order
                step = self._step(op)
                steps.append(step if self.watcher is None else watched(op, step, self._slots, self.watcher))
        end = block.terminator
        return Region(args, steps, self.of(end.operands), end.attrs["label"] if end.name == "leave" else None)

    def _step(self, op: Op) -> Step:
        function = pure(op)
        if function is not None:
            return Compute(function, self.of(op.operands), self.slot(op.result))
        step = self.makers[op.name](op)
        if "raw" in op.attrs:
            assert isinstance(step, (Load, Store, Atomic))
            return Raw(op, step, step.leaf, self.slot(op.operands[0]), self.slot(op.operands[1]))
        return step

    def _load(self, op: Op) -> Step:
        memory, index = op.operands
        return Load(leaf(memory.memory, op.attrs["offset"], op.result.scalar), self.slot(memory), self.slot(index), self.slot(op.result))

    def _store(self, op: Op) -> Step:
        memory, index, value = op.operands
        return Store(leaf(memory.memory, op.attrs["offset"], value.scalar), self.slot(memory), self.slot(index), self.slot(value))

    def _map_shared(self, op: Op) -> Step:
        return MapShared(op, self.slot(op.operands[1]), self.slot(op.result))

    def _atomic(self, op: Op) -> Step:
        type_ = (op.results or op.operands[2:])[0].scalar
        part = leaf(op.operands[0].memory, op.attrs["offset"], type_)
        if len(words(op.operands[0].memory.element)) == 2 and "whole" in op.attrs:
            part.dtype = TWO_WORDS
        return Atomic(op.attrs["kind"], part, self.of(op.operands), self.of(op.results))

    def _intrinsic(self, op: Op) -> Step:
        row = ROWS[op.attrs["row"]]
        if row.name in WAITS:
            return BarrierWait(op, self.of(op.operands))
        if row.assembly is not None:
            kind = Instruction if row.convergence == "none" else Together
            return kind(op, self.of(op.operands), self.of(op.results))
        if row.convergence == "none":
            return Coordinate(row.reference, op.result.scalar, self.slot(op.result))
        if op.attrs.get("mask") in ("active", "tile"):
            return Exchange(op, self.of(op.operands), self.slot(op.result))
        if row.reference == "cluster.arrive":
            return Arrive(op)
        if row.reference == "cluster.wait":
            return ClusterWait(op)
        return Wait(op, self.of(op.operands), self.slot(op.result) if op.results else None)

    # ---- control flow: with masks, or, where threads may wait inside, with activities

    def _if(self, op: Op) -> Step:
        then, otherwise = self.region(op.regions[0]), self.region(op.regions[1])
        plain = If(self.slot(op.operands[0]), then, otherwise, self.of(op.results))
        return SplitIf(plain) if then.waits or otherwise.waits else plain

    def _for(self, op: Op) -> Step:
        body = self.region(op.regions[0])
        plain = For(op.operands[0].scalar, self.of(op.operands), body, self.of(op.results))
        return SplitFor(plain, self.hidden(), self.hidden()) if body.waits else plain

    def _while(self, op: Op) -> Step:
        test, body = self.region(op.regions[0]), self.region(op.regions[1])
        plain = While(self.of(op.operands), test, body, self.of(op.results))
        polls = next((inner for inner in op.walk() if inner.name == "atomic" or inner.attrs.get("row") in TESTS), None)
        return SplitWhile(plain, polls) if polls is not None or test.waits or body.waits else plain

    def _scope(self, op: Op) -> Step:
        body = self.region(op.regions[0])
        plain = Scope(op.attrs["label"], body, self.of(op.results))
        return SplitScope(plain) if body.waits else plain
