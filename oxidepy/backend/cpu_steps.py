"""How far apart neighbouring threads touch memory: what an index grows by from thread to thread along x, and from block to block."""

from __future__ import annotations

from oxidepy.ir.core import Block, Kernel, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import Memory

NEAR = 8  # elements between neighbours that still share most lines of the caches
_SAME = (0, 0)

Step = tuple[int, int]


class Steps:
    """`of` gives a value's two steps, in the same round of each thread; None where they are not the same for all threads, or not known."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.found: dict[Value, Step | None] = {}
        self.variables: dict[Value, tuple[Value, Value]] = {}  # of a `for`: where it starts, and its step
        for op in kernel.body.walk():
            if op.name == "for":
                self.variables[op.regions[0].args[0]] = (op.operands[0], op.operands[2])

    def near(self, op: Op) -> bool:
        """Whether an operation touches no global memory, or neighbouring threads touch what is near."""
        memory = next((one for one in op.operands if isinstance(one.type, Memory)), None)
        if memory is None or memory.memory.space != "global" or op.name not in ("load", "store", "atomic"):
            return True
        step = self.of(op.operands[1])
        return step is not None and abs(step[0]) <= NEAR and abs(step[1]) <= NEAR * self.kernel.block[0]

    def of(self, value: Value) -> Step | None:
        if value not in self.found:
            self.found[value] = None  # of what is being looked at
            self.found[value] = self._of(value)
        return self.found[value]

    def _of(self, value: Value) -> Step | None:
        op = value.owner
        if op is None:
            return _SAME
        if isinstance(op, Block):
            if value not in self.variables:
                return None
            start, step = self.variables[value]
            return self.of(start) if self.of(step) == _SAME else None
        if op.regions or op.name == "call" or OPS[op.name].effect != "pure":
            return None
        if op.name == "intrinsic":
            return self._coordinate(ROWS[op.attrs["row"]].cpu)
        steps = [self.of(one) for one in op.operands]
        if all(one == _SAME for one in steps):
            return _SAME
        if any(one is None for one in steps):
            return None
        return self._sum(op, [one for one in steps if one is not None])

    def _sum(self, op: Op, steps: list[Step]) -> Step | None:
        if op.name == "cast":
            return steps[0] if not op.result.scalar.is_float else None
        if op.name in ("add", "sub"):
            (a, b), (c, d) = steps
            return (a + c, b + d) if op.name == "add" else (a - c, b - d)
        if op.name == "mul":
            for own, other in (steps, op.operands[1]), (steps[::-1], op.operands[0]):
                factor = self._number(other)
                if factor is not None:
                    return own[0][0] * factor, own[0][1] * factor
        return None

    def _number(self, value: Value) -> int | None:
        """A value that is the same in every launch."""
        op = value.owner
        if isinstance(op, Op) and op.name == "intrinsic" and ROWS[op.attrs["row"]].cpu.startswith("ntid."):
            return self.kernel.block["xyz".index(ROWS[op.attrs["row"]].cpu[-1])]
        return int(value.constant) if value.constant is not None else None

    def _coordinate(self, name: str) -> Step | None:
        if name == "tid.x":
            return (1, 0)
        if name == "global_id.x":
            return (1, self.kernel.block[0])
        if name == "ctaid.x":
            return (0, 1)
        space, _, axis = name.partition(".")
        return _SAME if axis in ("y", "z") or space in ("ntid", "nctaid", "grid_size") else None
