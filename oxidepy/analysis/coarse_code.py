"""Writes the coarse form of a kernel: `factor` blocks of the grid in one block of the hardware.

    first = block.idx.x * factor
    if all of these blocks are there, and all their threads lie inside:
        every load of every copy, then the rest of each copy
    else:
        for each of the blocks that are there: the kernel as it was

The grid's true size is one more parameter, the last. A check that fails leaves its record under the number of the block it belongs to and
skips the rest of that block's work: what this thread does for the other blocks are other threads of the grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from oxidepy.analysis.coarsen import Plan
from oxidepy.analysis.interior import NUMBER, Interior, used
from oxidepy.ir.core import Block, Builder, Kernel, Module, Op, ParamInfo, Value
from oxidepy.ir.types import I32, I64, Scalar

GRID_ROLE = "grid"  # of the parameter that is the true number of blocks
_SKIP = "slice of the grid"


def coarse(module: Module, plan: Plan) -> Module:
    """The coarse form of a kernel, by its plan; the module itself is not changed."""
    assert plan.interior is not None
    kernel = module.kernel
    body = Block()
    grid = Value(I32, "blocks")
    _Writer(kernel, body, grid, plan.factor).write(plan.interior)
    made = replace(kernel, params=[*kernel.params, grid], infos=[*kernel.infos, ParamInfo("", GRID_ROLE)], body=body)
    return Module(made, module.functions)


class _Writer:
    def __init__(self, kernel: Kernel, body: Block, grid: Value, factor: int) -> None:
        self.kernel = kernel
        self.factor = factor
        self.size = kernel.block[0]
        self.coordinate: Scalar = kernel.coordinates or I32
        self.build = Builder(body)
        self.build.span = next((op.span for op in kernel.body.walk() if op.span is not None), None)
        self.blocks = grid if self.coordinate is I32 else self.build.value("cast", grid, type=self.coordinate)
        hardware = self.row("block.idx.x")
        self.first = self.build.value("mul", hardware, self.const(factor))
        self.thread = self.row("thread.idx.x")
        self.base = self.build.value("mul", self.first, self.const(self.size))

    def const(self, value: int) -> Value:
        return self.build.const(self.coordinate, value)

    def row(self, name: str) -> Value:
        return self.build.value("intrinsic", type=self.coordinate, row=name)

    def write(self, found: Interior) -> None:
        build = self.build
        fast, general = Block(), Block()
        inside = self.all_inside(found)
        build.emit("if", (inside,), (), {"likely": True}, (fast, general))
        build.emit("return")
        with build.at(fast):
            self.fast(found)
            build.emit("yield")
        with build.at(general):
            self.general()
            build.emit("yield")

    def coordinates(self, block: Value, number: Value) -> dict[str, Value]:
        """What the coordinates of a thread are in a copy of the body; the others stay what the hardware says."""
        return {NUMBER: number, "block.idx.x": block, "thread.idx.x": self.thread, "grid.dim.x": self.blocks}

    # ---- the fast way

    def all_inside(self, found: Interior) -> Value:
        """Whether every condition holds for the largest number among these blocks, and so for all; and whether these blocks are there."""
        build = self.build
        # no sum that could wrap: where the blocks are there, the largest number is one of the grid's
        limit = build.value("sub", self.blocks, self.const(self.factor))
        inside = build.value("le", self.first, limit)
        last = build.value("add", self.base, self.const(self.factor * self.size - 1))
        copy = _Copy(self, found, self.coordinates(self.first, last))
        for condition, truth in found.conditions.items():
            held = copy.value_of(condition)
            inside = build.value("and", inside, held if truth else build.value("not", held))
        return inside

    def fast(self, found: Interior) -> None:
        build = self.build
        stores = [op for op in found.line if op.name == "store"]
        needed = used(found, stores)
        line = [op for op in found.line if op in needed]
        number = build.value("add", self.base, self.thread)
        wide = number if self.coordinate is I64 else build.value("cast", number, type=I64)
        copies: list[_Copy] = []
        for place in range(self.factor):
            block = build.value("add", self.first, self.const(place))
            own = build.value("add", number, self.const(place * self.size))
            # the address is the first copy's and a constant: that is seen only in 64 bits, where nothing is widened after the sum
            index = build.value("add", wide, build.const(I64, place * self.size))
            copies.append(_Copy(self, found, self.coordinates(block, own), index))
        written: set[Op] = set()
        for load in (op for op in line if op.name == "load"):
            before = used(found, (load,)) - written
            for op in (op for op in line if op in before):
                for copy in copies:
                    copy.op(op)
            written |= before
        for copy in copies:
            for op in line:
                if op not in written:
                    copy.op(op)

    # ---- the general way

    def general(self) -> None:
        build = self.build
        left = build.value("sub", self.blocks, self.first)
        count = build.value("min", left, self.const(self.factor))
        body = Block((self.coordinate,))
        # only the last blocks of a grid come here: several rounds in one would cost more time to compile than they could ever save
        build.emit("for", (self.const(0), count, self.const(1)), (), {"positive": True, "unroll": 1}, (body,))
        with build.at(body):
            block = build.value("add", self.first, body.args[0])
            start = build.value("mul", block, self.const(self.size))
            number = build.value("add", start, self.thread)
            inner = Block()
            build.emit("scope", (), (), {"label": _SKIP}, (inner,))
            build.emit("yield")
            with build.at(inner):
                _Copy(self, None, self.coordinates(block, number)).block(self.kernel.body)


class _Copy:
    """A copy of operations, with coordinates of its own."""

    def __init__(self, writer: _Writer, found: Interior | None, coordinates: Mapping[str, Value], index: Value | None = None) -> None:
        self.writer = writer
        self.build = writer.build
        self.found = found
        self.coordinates = coordinates
        self.index = index
        self.known: dict[Value, Value] = {one: one for one in writer.kernel.params}

    def value(self, value: Value) -> Value:
        return self.known[self.found.resolve(value) if self.found is not None else value]

    def value_of(self, value: Value) -> Value:
        """A value with all that it is made of."""
        assert self.found is not None
        value = self.found.resolve(value)
        if value not in self.known:
            assert isinstance(value.owner, Op)
            for one in self.found.inputs(value.owner):
                self.value_of(one)
            self.op(value.owner)
        return self.known[value]

    def block(self, block: Block) -> None:
        for op in block.ops:
            self.op(op)

    def op(self, op: Op) -> None:
        build = self.build
        build.span = op.span or build.span
        if op.name == "intrinsic":
            self.known[op.result] = self.intrinsic(op)
        elif op.name == "check":
            self.check(op)
        elif op.name == "load" and self.found is not None and op.result in self.found.same:
            return  # it is known already
        elif op.name == "return":
            build.emit("yield")
        else:
            operands = [self.value(one) for one in op.operands]
            if op.name in ("load", "store") and self.index is not None and operands[1] is self.coordinates[NUMBER]:
                operands[1] = self.index
            regions = [self.region(one) for one in op.regions]
            made = build.emit(op.name, operands, [one.type for one in op.results], dict(op.attrs), regions)
            for old, new in zip(op.results, made.results, strict=True):
                new.name = old.name
                self.known[old] = new

    def region(self, block: Block) -> Block:
        made = Block([one.type for one in block.args])
        self.known.update(zip(block.args, made.args, strict=True))
        with self.build.at(made):
            self.block(block)
        return made

    def intrinsic(self, op: Op) -> Value:
        row = op.attrs["row"]
        found = self.coordinates.get(row)
        if found is not None:
            return found
        if row == "grid.size":
            return self.build.value("mul", self.writer.blocks, self.writer.const(self.writer.size))
        return self.writer.row(row)

    def check(self, op: Op) -> None:
        build = self.build
        condition, *where = (self.value(one) for one in op.operands)
        fine, failed = Block(), Block()
        build.emit("if", (condition,), (), {"likely": True}, (fine, failed))
        with build.at(fine):
            build.emit("yield")
        with build.at(failed):
            build.emit("panic", (self.coordinates["block.idx.x"], *where), (), dict(op.attrs))
            build.emit("leave", (), (), {"label": _SKIP})
