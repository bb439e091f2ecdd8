"""How a kernel with waits is cut for the CPU: which operations run in one loop over threads, and which values live beyond it.

Control flow that contains a wait for the block is emitted once for the block, its straight parts are loops over the block's threads
(`Run`). A part with warp operations is a loop over warps (`Run.warps`), cut in the same way into loops over lanes. Three kinds of values:
uniform ones (equal in all threads of the block: computed once, as scalars), cheap ones (computed anew in each run that wants them), and
those that lie in an array, a place a thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from oxidepy.backend.cpu_chosen import pinned
from oxidepy.backend.cpu_uniform import BLOCK, LANE, WARP, Uniform, wait_of
from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.ops import OPS
from oxidepy.ir.types import Memory, Scalar

_CHEAP = frozenset(
    ("add", "sub", "mul", "and", "or", "xor", "not", "shl", "shr", "eq", "ne", "lt", "le", "gt", "ge", "inbounds", "cast", "const")
)
_CHEAP_SIZE = 8  # operations


def updates(op: Op) -> bool:
    """Whether threads update what others update too, one after the other."""
    return any(one.name == "atomic" for one in op.walk())


@dataclass(eq=False)
class Run:
    """Operations in a row without waits. `copies`: (value, where it is needed) at the end. `home`: the loop over warps that it is in.

    `warps`: the items of a loop over warps; then `ops` is empty.
    """

    ops: list[Op] = field(default_factory=list[Op])
    copies: list[tuple[Value, Value]] = field(default_factory=list[tuple[Value, Value]])
    home: Run | None = None
    warps: list[Item] | None = None
    spills: list[Value] = field(default_factory=list[Value])
    loads: list[Value] = field(default_factory=list[Value])
    leaves: set[str] = field(default_factory=set[str])  # labels of scopes around it
    checks: bool = False
    pinned: dict[str, int] = field(default_factory=dict[str, int])  # the one place along an axis of the threads that do something


Item = Run | Op


class Plan:
    """The cuts of one kernel."""

    def __init__(self, module: Module) -> None:
        found = Uniform(module)
        self.kernel = module.kernel
        self.levels, self.uniform, self.scalar, self.ops = found.levels, found.uniform, found.scalar, found.ops
        self.made, self.strided, self.origins = found.made, found.strided, found.origins
        self.ahead, self.in_step = found.ahead, found.in_step
        self.items: dict[Block, list[Item]] = {}
        self.exits: dict[Op, set[str]] = {}  # what threads leave for from inside of it; "" is their end by a failed check
        self.runs: list[Run] = []
        self.places: dict[Value, Value] = {}  # values that share the array of another one
        self.slots: dict[Value, bool] = {}  # values in arrays; whether they live within one loop over warps
        self.shown: set[Value] = set()  # values whose arrays other threads, or the block's control flow, read
        self.targets: dict[str, list[Value]] = {}
        self.left: set[str] = set()  # scopes that some threads leave without the others
        self._homes: dict[Value, set[Run | None]] = {}
        self.cut(module.kernel.body, None, None)
        self._cross()

    # ---- cuts

    def cut(self, block: Block, home: Run | None, around: Op | None) -> set[str]:
        """Cut a region: of the block (no home), or inside of a loop over warps. Gives where threads leave to."""
        cutter = _Cutter(self, home, around)
        for op in self.ops(block):
            cutter.take(op)
        cutter.flush()
        self.items[block] = cutter.items
        return cutter.exits

    def control(self, op: Op, home: Run | None) -> set[str]:
        """Cut the regions of an operation."""
        exits: set[str] = set()
        if op.name == "scope":
            self.targets[op.attrs["label"]] = op.results
        elif op.name in ("for", "while"):
            args = op.regions[0].args[1:] if op.name == "for" else op.regions[1].args
            self.places.update({result: arg for result, arg in zip(op.results, args, strict=True) if result not in self.uniform})
        for value in {"if": op.operands, "for": op.operands[:3]}.get(op.name, ()):
            self.show(value, home)
        for region in op.regions:
            exits |= self.cut(region, home, op)
        self.exits[op] = exits - {op.attrs["label"]} if op.name == "scope" else exits
        return self.exits[op]

    def entering(self, op: Op) -> list[tuple[Value, Value]]:
        """Where what goes into a loop is needed."""
        pairs: list[tuple[Value, Value]] = []
        if op.name == "for":
            pairs = list(zip(op.operands[3:], op.regions[0].args[1:], strict=True))
        elif op.name == "while":
            pairs = list(zip(op.operands, op.regions[0].args, strict=True))
        return [(value, target) for value, target in pairs if target not in self.uniform]

    def ending(self, op: Op, around: Op | None) -> list[tuple[Value, Value]]:
        """Where what a terminator passes is needed, as far as it differs between threads."""
        if op.name == "leave":
            into, values = self.targets[op.attrs["label"]], op.operands
        elif op.name == "condition" and around is not None:
            into, values = around.regions[1].args, op.operands[1:]
        elif op.name == "yield" and around is not None:
            first = around.regions[0].args
            into = {"if": around.results, "scope": around.results, "for": first[1:], "while": first}[around.name]
            values = op.operands
        else:
            return []
        return [(value, target) for value, target in zip(values, into, strict=True) if target not in self.uniform]

    # ---- values beyond their run

    def show(self, value: Value, home: Run | None) -> None:
        """An array of the value is read by the block's or the warp's own code."""
        if value not in self.uniform and not isinstance(value.type, Memory):
            self.shown.add(value)
            self._note(value, home)

    def place(self, value: Value) -> Value:
        """The value whose array it shares."""
        return self.places.get(value, value)

    def _note(self, value: Value, home: Run | None) -> None:
        self._homes.setdefault(self.place(value), set()).add(home)

    def keep(self, value: Value, home: Run | None) -> None:
        """Give the value an array, if it differs between threads."""
        if value not in self.uniform:
            self.slots[self.place(value)] = False
            self._note(value, home)

    def _cross(self) -> None:
        wanted = [(run, value) for run in self.runs for value in self._free(run)]
        for run in self.runs:
            for target in (*(one for _, one in run.copies), *(one for label in run.leaves for one in self.targets[label])):
                self.keep(target, run.home)
        for value in self.shown:
            self.slots[self.place(value)] = False
        for run, value in wanted:
            run.loads.append(value)
            if value in self.shown or not self.cheap(value):
                self.keep(value, run.home)
        for run in self.runs:
            for value in (result for op in run.ops for result in op.results):
                if value in self.slots:
                    run.spills.append(value)
                    self._note(value, run.home)
        for value in self.slots:
            homes = self._homes[value]
            self.slots[value] = len(homes) == 1 and None not in homes

    def _free(self, run: Run) -> list[Value]:
        """Values that differ between threads and that the run does not make itself."""
        inner = [one for op in run.ops for one in op.walk()]
        own = {result for one in inner for result in one.results} | {arg for one in inner for region in one.regions for arg in region.args}
        used = dict.fromkeys([value for one in inner for value in one.operands] + [value for value, _ in run.copies])
        return [one for one in used if one not in own and one not in self.uniform and not isinstance(one.type, Memory)]

    def cheap(self, value: Value) -> bool:
        """Whether a value is rather computed anew than kept."""
        return self._cost(value, _CHEAP_SIZE) <= _CHEAP_SIZE

    def _cost(self, value: Value, limit: int) -> int:
        """Operations that make the value from uniform ones and coordinates; above the limit if it is not to be done."""
        if value in self.uniform:
            return 0
        op = value.owner
        if not isinstance(op, Op) or limit < 0:
            return _CHEAP_SIZE + 1
        if op.name == "intrinsic" and wait_of(op) == LANE and ROWS[op.attrs["row"]].assembly is None:
            return 1
        if op.name not in _CHEAP or any(isinstance(one.type, Memory) or one.scalar.is_float for one in (*op.operands, *op.results)):
            return _CHEAP_SIZE + 1
        total = 1
        for operand in op.operands:
            total += self._cost(operand, limit - total)
        return total


class _Cutter:
    """Gathers the items of one region."""

    def __init__(self, plan: Plan, home: Run | None, around: Op | None) -> None:
        self.plan = plan
        self.home = home
        self.around = around
        self.floor = BLOCK if home is None else WARP  # operations from this level on are items of their own
        self.items: list[Item] = []
        self.exits: set[str] = set()
        self.pending: list[Op] = []
        self.copies: list[tuple[Value, Value]] = []

    def take(self, op: Op) -> None:
        plan = self.plan
        if op in plan.scalar:
            self.items.append(op)  # ahead of what is pending, which it does not depend on
            return
        if not op.is_terminator and plan.levels[op] < self.floor:
            place = pinned(op, plan.kernel) if self.home is None else {}
            if self.home is None and updates(op) and self._calculates():
                self.flush()
            if place:
                asked = [self.pending.pop()] if self._asks(op) else []
                self.flush()
                self.pending += asked
            self.pending.append(op)
            if place:
                self.flush(place)
            return
        self.copies += plan.ending(op, self.around) if op.is_terminator else plan.entering(op)
        self.flush()
        self.items.append(op)
        if op.name == "condition":
            plan.show(op.operands[0], self.home)
        elif op.name == "leave" and self.home is not None:
            self.exits.add(op.attrs["label"])  # lanes leave, one warp at a time
            plan.left.add(op.attrs["label"])
        elif op.regions:
            self.exits |= plan.control(op, self.home)
        elif op.name == "intrinsic":
            for value in op.operands:
                plan.show(value, self.home)
            for value in op.results:
                plan.keep(value, self.home)

    def _calculates(self) -> bool:
        """Whether what is pending calculates with floats, which is worth vectors, and updates nothing, of which there are none."""
        floats = any(isinstance(one.type, Scalar) and one.scalar.is_float for op in self.pending for one in op.operands)
        return floats and not any(updates(op) for op in self.pending)

    def _asks(self, op: Op) -> bool:
        """Whether the operation before makes what an `if` asks, and may be done by fewer threads."""
        before = self.pending[-1] if self.pending else None
        if before is None or before.results != op.operands:
            return False
        return all(OPS[one.name].effect in ("pure", "control") for one in before.walk())

    def flush(self, place: dict[str, int] | None = None) -> None:
        """Make a run of what is pending; `place`: of the threads that it is for."""
        if not self.pending and not self.copies:
            return
        ops, copies = self.pending, self.copies
        self.pending, self.copies = [], []
        run = Run(ops, copies, self.home, pinned=place or {})
        if any(self.plan.levels[op] >= WARP for op in ops):
            inside = _Cutter(self.plan, run, self.around)
            for op in ops:
                inside.take(op)
            inside.copies += copies
            inside.flush()
            run.ops, run.copies, run.warps = [], [], inside.items
            run.leaves, run.checks = inside.exits - {""}, "" in inside.exits
        else:
            self.plan.runs.append(run)
            labels = {one.attrs["label"] for op in ops for one in op.walk() if one.name == "scope"}
            run.leaves = {one.attrs["label"] for op in ops for one in op.walk() if one.name == "leave"} - labels
            run.checks = any(one.name == "check" for op in ops for one in op.walk())
        self.plan.left |= run.leaves
        self.exits |= run.leaves | ({""} if run.checks else set())
        self.items.append(run)
