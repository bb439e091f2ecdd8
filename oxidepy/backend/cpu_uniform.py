"""Which values of a kernel the CPU computes once for all threads of a block, and which operations wait for which group.

Uniform values are those that follow from parameters, the block's coordinates, constants and votes of the block, by operations that may
be done at any time. (`analysis.uniformity` proves more, for people; this is what the code's shape needs.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oxidepy.backend.cpu_lockstep import Ahead, InStep, as_while, in_step, long_loop, stride
from oxidepy.backend.cpu_split import split
from oxidepy.backend.cpu_steps import Steps
from oxidepy.ir.calls import recursive_functions
from oxidepy.ir.core import Block, Kernel, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import Scalar

LANE, WARP, BLOCK, GRID = range(4)
_LEVELS = {"none": LANE, "warp": WARP, "warpgroup": BLOCK, "block": BLOCK, "cluster": GRID, "grid": GRID}


def wait_of(op: Op) -> int:
    """The group that an intrinsic waits for."""
    return _LEVELS[ROWS[op.attrs["row"]].convergence] if op.name == "intrinsic" else LANE


class Uniform:
    """`uniform`: values equal in all threads. `scalar`: operations done once for all. `levels`: the largest group that one waits for."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.kernel = module.kernel
        self.recursive = recursive_functions(module)
        self.levels: dict[Op, int] = {}
        self.uniform: set[Value] = set()
        self.scalar: set[Op] = set()
        self.partial: set[str] = set()  # labels of scopes that some threads leave without the others
        self.leaves: dict[str, list[Op]] = {}
        self.origins: dict[Op, Op] = {}  # of copies
        self.ahead: dict[Block, Ahead] = {}
        self.in_step: list[InStep] = []
        self.strided = False  # whether there are loops that all threads of a block go through in step
        self._whole: list[Op] = []  # control flow to which all threads of the block come
        self._replaced: dict[Op, list[Op]] = {}
        for op in self.kernel.body.ops:
            self._level(op)
        self._partial_leaves(self.kernel.body, True)
        self._find()
        if self._lane_loops() | self._strides() | self._long_loops():
            self._find()

    def ops(self, block: Block) -> list[Op]:
        """The operations of a region that is not done by one thread at a time."""
        return [one for op in block.ops for one in self._replaced.get(op, (op,))]

    @property
    def made(self) -> list[Op]:
        """The operations that stand for others."""
        return [one for ops in self._replaced.values() for one in ops]

    def _level(self, op: Op) -> int:
        found = max((self._level(inner) for region in op.regions for inner in region.ops), default=LANE)
        self.levels[op] = found = max(found, wait_of(op))
        return found

    def _partial_leaves(self, block: Block, whole: bool) -> None:
        """`whole`: the region is entered by all threads of the block."""
        for op in block.ops:
            if op.name == "leave":
                self.leaves.setdefault(op.attrs["label"], []).append(op)
                if not whole:
                    self.partial.add(op.attrs["label"])
            if whole and op.regions:
                self._whole.append(op)
            for region in op.regions:
                self._partial_leaves(region, whole and self.levels[op] >= BLOCK)

    def _find(self) -> None:
        self.uniform = {one for one in self.kernel.params if isinstance(one.type, Scalar)} | {one.offset for one in self.in_step}
        self._used = {value for op in self.levels for value in op.operands}
        self.scalar = set()
        self._block(self.kernel.body)

    def _lane_loops(self) -> bool:
        """Make `while` of every `for` inside of a loop over warps whose lanes may go different numbers of rounds."""
        for op in [one for one in self.levels if one.name == "for" and self.levels[one] == WARP]:
            if not all(one in self.uniform for one in op.operands[:3]):
                self._replaced[op] = as_while(op)
                for one in (inner for made in self._replaced[op] for inner in made.walk()):
                    self.levels.setdefault(one, WARP if one.name == "while" else LANE)
        return bool(self._replaced)

    def _strides(self) -> bool:
        """Let all threads of a block go in step through loops whose steps are wide."""
        uses = {value for op in self.levels for value in op.operands}
        same = set(self.uniform)
        for op, around in list(self._thread_loops(self._whole, [], same)):
            found = stride(op, same, self._total, uses.__contains__)
            if found is not None:
                self._done_by_block(around)
                made = in_step(found)
                self._replaced[op] = made.ops
                self.origins.update(made.origins)
                self.ahead.update(made.ahead)
                self.in_step.append(made)
                for one in self._replaced[op]:
                    self._level(one)
        return self.strided

    def _long_loops(self) -> bool:
        """Let all threads of a block go in step through long loops in which neighbours touch what lies side by side: a round is then
        vectors of threads, where a thread's own rounds would be one after the other."""
        steps, found, same = Steps(self.kernel), False, set(self.uniform)
        left = list(self._thread_loops(self._whole, [], same))
        while left:
            op, around = left.pop()
            if op.name != "for" or op in self._replaced or not same.issuperset(op.operands[:3]) or not long_loop(op, steps, same):
                continue
            self._done_by_block([*around, op])
            found = True
            same.add(op.regions[0].args[0])
            left += self._thread_loops(op.regions[0].ops, [], same)
        return self._under_guards(steps) or found

    def _under_guards(self, steps: Steps) -> bool:
        """Likewise of loops under branches that threads take one by one."""
        found = False
        for op in self._whole:
            if self.levels[op] != LANE or op in self._replaced or op.operands[:1] == [] or op.operands[0] in self.uniform:
                continue
            made = split(op, steps, self.uniform, self._total)
            if made is None:
                continue
            found = True
            self._replaced[op] = made.ops
            self.origins.update(made.origins)
            for one in made.ops:
                self._level(one)
            self._done_by_block([made.loop])
        return found

    def _thread_loops(self, ops: Sequence[Op], around: list[Op], same: set[Value]) -> Iterator[tuple[Op, list[Op]]]:
        """Loops that each thread goes through on its own, at which all threads of the block come together or, for a condition that is the
        same for all, none; with the branches `around` them. What is the same for all on the way goes into `same`."""
        for op in ops:
            if op in self.scalar or self.levels[op] != LANE:
                continue
            if not op.regions and op.results and same.issuperset(op.operands) and self._total(op):
                same.update(op.results)
            if op.name in ("for", "while"):
                yield op, around
            elif op.name == "if" and op.operands[0] in same and not any(one.name == "leave" for one in op.walk()):
                for region in op.regions:
                    yield from self._thread_loops(region.ops, [*around, op], same)

    def _done_by_block(self, ops: list[Op]) -> None:
        """Control flow of the block: its parts are loops over threads."""
        self.strided = True
        self.levels.update(dict.fromkeys(ops, BLOCK))

    # ---- what is uniform

    def _all(self, values: list[Value]) -> bool:
        return all(one in self.uniform for one in values)

    def _block(self, block: Block) -> None:
        for op in self.ops(block):
            self._op(op)

    def _op(self, op: Op) -> None:
        if not op.regions:
            wait = wait_of(op)
            if op.name == "extern":  # never called here
                self._once(op)
            elif wait >= BLOCK:
                self.uniform.update(op.results)
            elif wait == LANE and op.results and self._total(op) and self._all(op.operands):
                self._once(op)
        elif self.levels[op] == LANE:
            if self._pure(op):
                self._once(op)
        else:
            getattr(self, f"_{op.name}")(op)

    def _once(self, op: Op) -> None:
        self.scalar.add(op)
        self.uniform.update(op.results)

    def _total(self, op: Op) -> bool:
        """Whether an operation may be done even if no thread would: no effect, no trap, an end."""
        if op.name == "intrinsic":
            row = ROWS[op.attrs["row"]]
            if row.assembly is not None:
                return row.convergence == "none" and row.effect == "pure"
            return wait_of(op) == LANE and uniform_position(row.cpu, self.kernel)
        if op.name == "call":
            if op.attrs["callee"] in self.recursive:
                return False
            return all(self._total(one) for one in self.module.functions[op.attrs["callee"]].body.walk() if one.name != "return")
        if op.name in ("floordiv", "mod") and not op.operands[1].scalar.is_float:
            return bool(op.operands[1].constant)
        return OPS[op.name].effect == "pure" or op.name in ("if", "for", "scope", "leave", "yield")

    def _pure(self, op: Op) -> bool:
        """Whether control flow without waits is the same for all threads and does nothing but give its results."""
        inner = list(op.walk())
        if not all(self._total(one) for one in inner):
            return False
        labels = {one.attrs["label"] for one in inner if one.name == "scope"}
        if any(one.name == "leave" and one.attrs["label"] not in labels for one in inner):
            return False
        own = {result for one in inner for result in one.results} | {arg for one in inner for region in one.regions for arg in region.args}
        return all(value in own or value in self.uniform for one in inner for value in one.operands)

    # ---- control flow with waits

    def _if(self, op: Op) -> None:
        for region in op.regions:
            self._block(region)
        if self.levels[op] < BLOCK:
            return  # it is done once for each warp, what it gives may be asked for outside of the loop over warps
        ends = [region.terminator.operands for region in op.regions if region.terminator.name == "yield"]
        self.uniform.update(result for number, result in enumerate(op.results) if all(end[number] in self.uniform for end in ends))

    def _for(self, op: Op) -> None:
        (body,) = op.regions
        if self.levels[op] >= BLOCK or self._all(op.operands[:3]):
            self.uniform.add(body.args[0])
        # likewise what a loop of a warp carries, if anybody asks for it afterwards
        kept = [one for one, result in zip(body.args[1:], op.results, strict=True) if self.levels[op] < BLOCK and result in self._used]
        self._rounds(body.args[1:], op.operands[3:], body, lambda: self._block(body), kept)
        self.uniform.update(result for result, arg in zip(op.results, body.args[1:], strict=True) if arg in self.uniform)

    def _while(self, op: Op) -> None:
        test, body = op.regions
        end = test.terminator

        def once() -> None:
            self._block(test)
            # lanes end in different rounds: what the last round passed is the result, in the same place
            if end.name == "condition" and self.levels[op] >= BLOCK:
                self.uniform.update(arg for arg, value in zip(body.args, end.operands[1:], strict=True) if value in self.uniform)
            self._block(body)

        self._rounds(test.args, op.operands, body, once)
        self.uniform.update(result for result, arg in zip(op.results, body.args, strict=True) if arg in self.uniform)

    def _rounds(self, args: list[Value], initial: list[Value], body: Block, once: object, kept: Sequence[Value] = ()) -> None:
        """Suppose that what is carried stays uniform, but for what is `kept` in arrays; drop what does not."""
        assert callable(once)
        hopeful = [arg for arg, value in zip(args, initial, strict=True) if value in self.uniform and arg not in kept]
        before = set(self.uniform), set(self.scalar)
        while True:
            self.uniform, self.scalar = before[0] | set(hopeful), set(before[1])
            once()
            if body.terminator.name != "yield":
                return
            carried = dict(zip(args, body.terminator.operands, strict=True))
            stays = [arg for arg in hopeful if carried[arg] in self.uniform]
            if len(stays) == len(hopeful):
                return
            hopeful = stays

    def _scope(self, op: Op) -> None:
        (body,) = op.regions
        self._block(body)
        label = op.attrs["label"]
        if self.levels[op] < BLOCK or label in self.partial:
            return
        ends = [one.operands for one in self.leaves.get(label, [])]
        if body.terminator.name == "yield":
            ends.append(body.terminator.operands)
        self.uniform.update(result for number, result in enumerate(op.results) if all(end[number] in self.uniform for end in ends))


def uniform_position(name: str, kernel: Kernel) -> bool:
    """Whether a coordinate is the same in all threads of a block."""
    space, _, axis = name.partition(".")
    if space in ("tid", "global_id"):
        return kernel.block["xyz".index(axis)] == 1
    return space in ("ctaid", "ntid", "nctaid", "grid_size")
