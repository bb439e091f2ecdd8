"""Makes a module ready: every operation becomes a step over numbered slots, constants are filled in ahead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.interpreter.arithmetic import Pure, pure
from oxidepy.ir.interpreter.control import For, If, Region, Scope, Step, Waiting, While
from oxidepy.ir.interpreter.memory import Leaf
from oxidepy.ir.interpreter.state import Frame
from oxidepy.ir.interpreter.values import Mask, dtype_of, full
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import Scalar


@dataclass
class Body:
    """The body of a kernel or function over its own slots."""

    params: list[int]
    region: Region
    count: int
    constants: list[tuple[int, Scalar, bool | int | float]]

    def fresh(self, threads: int) -> list[Any]:
        """Slots for a run over `threads` threads, constants filled in."""
        slots: list[Any] = [None] * self.count
        for slot, type_, value in self.constants:
            slots[slot] = full(threads, type_, value)
        return slots


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

    kind = "control"

    def __init__(self, body: Body, operands: Sequence[int], results: Sequence[int]) -> None:
        self.body, self.operands, self.results = body, operands, results

    def control(self, frame: Frame, mask: Mask) -> Waiting:
        inner = Frame(self.body.fresh(len(mask)), frame.state)
        inner.write(self.body.params, [frame.slots[one] for one in self.operands])
        reached = yield from self.body.region.run(inner, mask)
        if reached is not None:
            frame.write(self.results, self.body.region.ends(inner))
        return reached


def prepare_module(module: Module) -> Body:
    """The kernel's body, with every function that it calls made ready too."""
    bodies: dict[str, Body] = {}

    def body_of(name: str) -> Body:
        if name not in bodies:
            function = module.functions[name]
            bodies[name] = _Preparer(body_of).body(function.params, function.body)
        return bodies[name]

    return _Preparer(body_of).body(module.kernel.params, module.kernel.body)


class _Preparer:
    def __init__(self, body_of: Callable[[str], Body]) -> None:
        self.body_of = body_of
        self.slots: dict[Value, int] = {}
        self.constants: list[tuple[int, Scalar, bool | int | float]] = []
        self.makers: dict[str, Callable[[Op], Step]] = {
            "load": self._load,
            "store": self._store,
            "check": lambda op: Check(op, self.of(op.operands)),
            "panic": lambda op: Fail(op, self.of(op.operands)),
            "intrinsic": self._intrinsic,
            "call": lambda op: Call(self.body_of(op.attrs["callee"]), self.of(op.operands), self.of(op.results)),
            "if": lambda op: If(self.slot(op.operands[0]), self.region(op.regions[0]), self.region(op.regions[1]), self.of(op.results)),
            "for": lambda op: For(op.operands[0].scalar, self.of(op.operands), self.region(op.regions[0]), self.of(op.results)),
            "while": lambda op: While(self.of(op.operands), self.region(op.regions[0]), self.region(op.regions[1]), self.of(op.results)),
            "scope": lambda op: Scope(op.attrs["label"], self.region(op.regions[0]), self.of(op.results)),
        }

    def body(self, params: Sequence[Value], block: Block) -> Body:
        slots = self.of(params)
        region = self.region(block)
        return Body(slots, region, len(self.slots), self.constants)

    def slot(self, value: Value) -> int:
        return self.slots.setdefault(value, len(self.slots))

    def of(self, values: Sequence[Value]) -> list[int]:
        return [self.slot(one) for one in values]

    def region(self, block: Block) -> Region:
        args = self.of(block.args)
        steps: list[Step] = []
        for op in block.ops[:-1]:
            if op.name in ("const", "undef"):
                self.constants.append((self.slot(op.result), op.result.scalar, op.attrs.get("value", 0)))
            else:
                steps.append(self._step(op))
        end = block.terminator
        return Region(args, steps, self.of(end.operands), end.attrs["label"] if end.name == "leave" else None)

    def _step(self, op: Op) -> Step:
        function = pure(op)
        if function is not None:
            return Compute(function, self.of(op.operands), self.slot(op.result))
        return self.makers[op.name](op)

    def _load(self, op: Op) -> Step:
        memory, index = op.operands
        return Load(Leaf(memory.memory, op.attrs["offset"], op.result.scalar), self.slot(memory), self.slot(index), self.slot(op.result))

    def _store(self, op: Op) -> Step:
        memory, index, value = op.operands
        return Store(Leaf(memory.memory, op.attrs["offset"], value.scalar), self.slot(memory), self.slot(index), self.slot(value))

    def _intrinsic(self, op: Op) -> Step:
        return Coordinate(ROWS[op.attrs["row"]].reference, op.result.scalar, self.slot(op.result))
