"""Which values are equal over a warp, block, cluster or grid, and where barriers stand under control flow that is not.

A level says over which group something is equal: `GRID` > `CLUSTER` > `BLOCK` > `WARP` > tiles of 16, 8, 4 and 2 lanes > `THREAD`.
Control flow has a level too: the group whose live threads are all here together. Threads that a failed check ended do not count as missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from oxidepy.analysis import lanes
from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Block, Kernel, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import Memory, Scalar

THREAD = 0  # a tile of 2**n lanes has the level n
WARP, BLOCK, CLUSTER, GRID = range(5, 9)
# of the warps of a warpgroup, those who write the kernel say under `unsafe` that they come together
GROUPS = {"warp": WARP, "warpgroup": WARP, "block": BLOCK, "cluster": CLUSTER, "grid": GRID}
# give every lane of the warp the same
_ALIKE = {
    "warp.ballot",
    "warp.all",
    "warp.any",
    "warp.match_all",
    *(f"warp.reduce_{one}" for one in ("sum", "min", "max", "and", "or", "xor")),
}
_WORDS = {**{level: f"tile of {1 << level}" for level in range(1, WARP)}, WARP: "warp", BLOCK: "block", CLUSTER: "cluster", GRID: "grid"}
LOADED = "a value loaded from memory"


def tile_level(lanes: int) -> int:
    """The level of a tile of so many lanes, a power of two up to 32."""
    return lanes.bit_length() - 1


@dataclass(frozen=True)
class Control:
    """The level of control flow, and the operation at which it fell to that."""

    level: int
    cause: Op | None = None

    def under(self, level: int, cause: Op) -> Control:
        return self if level >= self.level else Control(level, cause)

    def meet(self, other: Control) -> Control:
        return self if self.level <= other.level else other


@dataclass
class Uniformity:
    """`levels` of all scalar values of the kernel, `control` of every operation that threads execute together, and what is wrong."""

    levels: dict[Value, int] = field(default_factory=dict[Value, int])
    control: dict[Op, int] = field(default_factory=dict[Op, int])
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def level(self, value: Value) -> int:
        return self.levels.get(value, THREAD)


def analyse(module: Module, settled: frozenset[Value] = frozenset()) -> Uniformity:
    """Find the levels, and refuse barriers and warp operations that not all of their threads reach (OX3001, OX3002).

    `settled`: memory without races, of which threads of a block that read one place at one operation read the same.
    """
    walk = _Walk(module.kernel, settled)
    walk.block(module.kernel.body, Control(GRID))
    for op in module.kernel.body.walk():
        if op.name == "intrinsic":
            walk.judge(op)
    return walk.result


class _Walk:
    """One pass over the tree; loops are walked until nothing falls any more."""

    def __init__(self, kernel: Kernel, settled: frozenset[Value]) -> None:
        self.kernel = kernel
        self.settled = settled
        self.overwrites = kernel.overwrites()
        # what is equal over so large a tile is equal over the block, which has no other
        self.whole = tile_level(1 << (_threads(kernel) - 1).bit_length()) if _threads(kernel) <= 32 else BLOCK
        self.result = Uniformity()
        self.levels = self.result.levels
        self.scopes: dict[str, list[Control]] = {}  # label → control at each `leave` to it, in the scopes that are open
        self.arrivals: dict[str, list[int]] = {}  # label → level of each of its results, over the leaves so far
        self.reached: dict[Op, Control] = {}
        for param in kernel.params:
            self.levels[param] = GRID

    # ---- values

    def of(self, *values: Value) -> int:
        return min((self.levels.get(value, GRID) for value in values), default=GRID)

    def operation(self, op: Op, control: Control) -> Control:
        if op.regions:
            return self.structured(op, control)
        if op.name == "leave":
            label = op.attrs["label"]
            self.scopes[label].append(control)
            before = self.arrivals.get(label, [GRID] * len(op.operands))
            self.arrivals[label] = [min(one, self.of(value)) for one, value in zip(before, op.operands, strict=True)]
        elif op.results:
            level = self._made(op)
            for result in op.results:
                self.levels[result] = max(level, BLOCK) if level >= self.whole else level
            if op.name == "extern":  # whether it is called is a question of the device
                self.levels[op.results[-1]] = GRID
        if op.name == "intrinsic" and ROWS[op.attrs["row"]].convergence != "none":
            self.reached[op] = control
        return control

    def _made(self, op: Op) -> int:
        if op.name == "intrinsic":
            return self._intrinsic(op)
        if op.name == "load":
            memory = op.operands[0].type
            if "volatile" in op.attrs and op.operands[0].memory.space != "shared":  # somebody else may write it between two threads' looks
                return THREAD
            if isinstance(memory, Memory) and memory.access == "shared" and not self.overwrites:
                return self.of(op.operands[1])
            return min(BLOCK, self.of(op.operands[1])) if op.operands[0] in self.settled else THREAD
        if op.name in ("atomic", "ptx", "extern"):
            return THREAD
        if "alike" in op.attrs:
            return max(tile_level(op.attrs["alike"]), self._common(op))
        if whole := self._by_whole_tiles(op):
            return max(whole, self._common(op))
        if _by_whole_clusters(op, self.kernel):
            return CLUSTER
        return self._common(op)

    def _common(self, op: Op) -> int:
        return self.of(*(value for value in op.operands if not isinstance(value.type, Memory)))

    def _intrinsic(self, op: Op) -> int:
        row = ROWS[op.attrs["row"]]
        if row.assembly is not None:
            return THREAD
        if row.convergence == "block":
            return BLOCK
        if row.convergence == "warp":
            return tile_level(op.attrs["width"]) if op.attrs["mask"] != "active" and _alike(op, row.name) else THREAD
        return coordinate_level(row.name, self.kernel)

    def _by_whole_tiles(self, op: Op) -> int:
        """The largest tile whose lanes get the same, as it compares the number of a thread with a multiple of as many, or divides it."""
        if len(op.operands) != 2:
            return THREAD
        for side, (counted, other) in enumerate((op.operands, op.operands[::-1])):
            edge = other.constant
            if not isinstance(edge, int) or isinstance(edge, bool) or not (most := self._counts_threads(counted)):
                continue
            if op.name in _EDGES[side]:
                return min(most, _twos(edge + _EDGES[side][op.name]))
            if op.name == "and":
                return min(most, _twos(edge))
            if side == 0 and edge > 0 and op.name == "floordiv":
                return min(most, _twos(edge))
            if side == 0 and op.name == "shr" and 0 <= edge < counted.scalar.bits:
                return min(most, edge)
        return THREAD

    def _counts_threads(self, value: Value) -> int:
        """The largest tile whose lanes have as many numbers in a row here, from a multiple of their number on."""
        op = value.owner
        if not isinstance(op, Op):
            return THREAD
        if op.name == "add":
            sides = ((op.operands[0], op.operands[1]), (op.operands[1], op.operands[0]))
            return max(min(self._counts_threads(counted), _multiple(start), self.of(start)) for counted, start in sides)
        if op.name in ("mod", "sub", "and"):  # what such tiles count from stays a multiple
            counted, by = op.operands
            number = by.constant
            if not isinstance(number, int) or isinstance(number, bool) or (op.name != "sub" and number <= 0):
                return THREAD
            kept = number if op.name != "and" else number + 1 if number & (number + 1) == 0 else 1
            return min(self._counts_threads(counted), _twos(kept))
        if op.name == "cast" and op.result.scalar.is_int and isinstance(op.operands[0].type, Scalar) and op.operands[0].scalar.is_int:
            return self._counts_threads(op.operands[0])
        if op.name != "intrinsic":
            return THREAD
        x, y, z = self.kernel.block
        row = op.attrs["row"]
        if row == "warp.lane" or (row == "thread.idx.x" and y == z == 1):
            return WARP
        return _twos(x) if row in ("thread.idx.x", "thread.global_id.x") else THREAD

    # ---- control

    def block(self, block: Block, control: Control) -> Control:
        for op in block.ops:
            control = self.operation(op, control)
        return control

    def structured(self, op: Op, control: Control) -> Control:
        open_before = {label: len(found) for label, found in self.scopes.items()}
        {"if": self.branches, "for": self.for_loop, "while": self.while_loop, "scope": self.scope}[op.name](op, control)
        # who left for a scope outside is missing from here to the end of that scope
        for label, found in self.scopes.items():
            for left in found[open_before.get(label, 0) :]:
                control = control.meet(left)
        return control

    def branches(self, op: Op, control: Control) -> None:
        level = self.of(op.operands[0])
        inside = control.under(level, op)
        for region in op.regions:
            self.block(region, inside)
        ends = [region.terminator.operands for region in op.regions if region.terminator.name == "yield"]
        merged = level if len(ends) == 2 else GRID
        for number, result in enumerate(op.results):
            self.levels[result] = min((self.of(end[number]) for end in ends), default=GRID)
            self.levels[result] = min(self.levels[result], merged if not _same(ends, number) else GRID)

    def for_loop(self, op: Op, control: Control) -> None:
        start, stop, step, *initial = op.operands
        (body,) = op.regions
        trip = self.of(start, stop, step)
        self.levels[body.args[0]] = self.of(start, step)
        self.rounds(op, body.args[1:], initial, body, control, lambda: trip, lambda inside: self.block(body, inside))
        for result, argument in zip(op.results, body.args[1:], strict=True):
            self.levels[result] = min(self.of(argument), trip)

    def while_loop(self, op: Op, control: Control) -> None:
        before, body = op.regions

        def once(inside: Control) -> None:
            self.block(before, inside)
            passed = before.terminator.operands[1:] if before.terminator.name == "condition" else []
            for argument, value in zip(body.args, passed, strict=False):
                self.levels[argument] = self.of(value)
            self.block(body, inside.under(flag(), op))

        def flag() -> int:
            return self.of(before.terminator.operands[0]) if before.terminator.name == "condition" else GRID

        self.rounds(op, before.args, op.operands, body, control, flag, once)
        passed = before.terminator.operands[1:] if before.terminator.name == "condition" else []
        for result, value in zip(op.results, passed, strict=False):
            self.levels[result] = min(self.of(value), flag())

    def rounds(
        self,
        op: Op,
        arguments: list[Value],
        initial: list[Value],
        body: Block,
        control: Control,
        trip: Callable[[], int],
        once: Callable[[Control], object],
    ) -> None:
        """Walk a loop until the levels of what it carries, and of its control flow, fall no further."""
        for argument, value in zip(arguments, initial, strict=True):
            self.levels[argument] = self.of(value)
        open_before = {label: len(found) for label, found in self.scopes.items()}
        while True:
            inside = control.under(trip(), op)
            # a thread that has left in an earlier round is missing in all of the next one
            for label, found in self.scopes.items():
                for left in found[open_before.get(label, 0) :]:
                    inside = inside.meet(left)
            before = ([self.of(argument) for argument in arguments], inside.level)
            once(inside)
            carried = body.terminator.operands if body.terminator.name == "yield" else []
            for argument, value in zip(arguments, carried, strict=False):
                self.levels[argument] = min(self.of(argument), self.of(value))
            after = control.under(trip(), op)
            for label, found in self.scopes.items():
                for left in found[open_before.get(label, 0) :]:
                    after = after.meet(left)
            if before == ([self.of(argument) for argument in arguments], after.level):
                return

    def scope(self, op: Op, control: Control) -> None:
        label, (body,) = op.attrs["label"], op.regions
        outer, self.scopes[label] = self.scopes.get(label), []
        arrived = self.arrivals.pop(label, None)
        self.block(body, control)
        leaves = self.scopes.pop(label)
        levels = self.arrivals.pop(label, [GRID] * len(op.results))
        if body.terminator.name == "yield":
            levels = [min(one, self.of(value)) for one, value in zip(levels, body.terminator.operands, strict=True)]
        # threads come here on several ways or, out of a loop, in several rounds: what they bring is equal only where they came together
        ways = min((left.level for left in leaves), default=GRID)
        for result, level in zip(op.results, levels, strict=True):
            self.levels[result] = min(level, ways)
        if outer is not None:
            self.scopes[label] = outer
        if arrived is not None:
            self.arrivals[label] = arrived

    # ---- judgement

    def judge(self, op: Op) -> None:
        row = ROWS[op.attrs["row"]]
        if row.convergence == "none" or op not in self.reached:
            return
        control = self.reached[op]
        self.result.control[op] = control.level
        needed = tile_level(op.attrs["width"]) if row.convergence == "warp" and "width" in op.attrs else GROUPS[row.convergence]
        if row.convergence == "warp" and op.attrs.get("mask") == "active":
            return
        if row.name == "warp.sync":
            self._named_lanes(op, control)
            return
        name = self.kernel.spoken.get(op.span, row.written()) if op.span is not None else row.written()
        if control.level < needed:
            if op.span is None or all(one.span != op.span for one in self.result.diagnostics):  # once for what several operations make up
                self.result.diagnostics.append(self._diverges(op, name, BLOCK if name.startswith("block.") else needed, control))
        elif row.convergence in _SIZES and _threads(self.kernel) % (size := int(op.attrs.get("width", _SIZES[row.convergence]))):
            group = row.convergence if size >= 32 else _WORDS[needed]
            self.result.diagnostics.append(_partial_group(op, name, group, size, self.kernel))

    def _named_lanes(self, op: Op, control: Control) -> None:
        """OX3002 where the lanes that a `warp.sync` names are not just those that come to it."""
        mask = lanes.named(op)
        if "unsafe" in op.attrs or mask == "active":
            return
        if (width := 32 if mask == lanes.FULL else lanes.tile(op)) is not None:
            if control.level < tile_level(width):
                self.result.diagnostics.append(self._diverges(op, "warp.sync", tile_level(width), control))
            return
        coming = lanes.FULL if control.level >= WARP else lanes.come(self.kernel, op, self._only_cause(op, control))
        if mask is None or mask != coming:
            self.result.diagnostics.append(_other_lanes(op, mask, coming, control))

    def _only_cause(self, op: Op, control: Control) -> Op | None:
        """What made control flow diverge, if nothing else around the operation did so too."""
        around = [one for one in self.kernel.body.walk() if one.regions and any(inner is op for inner in one.walk()) and one is not op]
        several = [one for one in around if one.name in ("for", "while") or (one.name == "if" and self.of(one.operands[0]) < WARP)]
        cause = control.cause
        return cause if several == [cause] and not any(one.name == "leave" for one in several[0].walk()) else None

    def _diverges(self, op: Op, name: str, needed: int, control: Control) -> Diagnostic:
        code = "OX3002" if needed <= WARP else "OX3001"
        group = _WORDS[needed]
        cause = control.cause
        what = f"`{name}` is not reached by all threads of the {group} together"
        if needed <= WARP:
            what = f"`{name}` needs every lane of the {group}, and not all of them come here"
        labels: tuple[Label, ...] = ()
        if cause is not None and cause.span is not None:
            labels = (Label(cause.span, self._began(cause, group)),)
        help = (
            f"move it out of the divergent control flow{_active(name) if needed == WARP else ''}"
            if needed <= WARP
            else "move the barrier to where all threads come, and guard the work instead of the barrier"
        )
        if needed == BLOCK and cause is not None and cause.name != "for" and self._decided_by(cause) == LOADED:
            help += "; or let the block agree on the condition: `block.any(…)`"
        return Diagnostic(code, what, op.span, label="some threads may not come here", labels=labels, help=help)

    def _began(self, cause: Op, group: str) -> str:
        source = self._decided_by(cause)
        word = {"if": "this condition", "for": "the number of rounds", "while": "the number of rounds"}.get(cause.name, "this")
        return f"{word} can differ between the threads of the {group}" + (f": it depends on {source}" if source else "")

    def _decided_by(self, cause: Op) -> str | None:
        """What makes a branch or a loop go differently in different threads, in words."""
        deciding = {"if": cause.operands[:1], "for": cause.operands[:3]}.get(cause.name)
        if cause.name == "while" and cause.regions[0].terminator.name == "condition":
            deciding = cause.regions[0].terminator.operands[:1]
        return next((found for value in deciding or () if (found := self._source(value, set()))), None)

    def _source(self, value: Value, seen: set[Value]) -> str | None:
        """What makes a value differ between threads, in words."""
        if value in seen or self.of(value) >= BLOCK:
            return None
        seen.add(value)
        op = value.owner
        if isinstance(op, Op):
            if op.name == "intrinsic":
                return f"`{op.attrs['row']}`".replace("thread.global_id.x", "thread.index_1d()")
            if op.name in ("load", "atomic"):
                return LOADED
            candidates = list(op.operands) + [one for region in op.regions for one in region.terminator.operands]
        else:
            candidates = self._carried(value)
        return next((found for one in candidates if not isinstance(one.type, Memory) and (found := self._source(one, seen))), None)

    def _carried(self, value: Value) -> list[Value]:
        """Where the argument of a loop's region gets its values from."""
        for op in self.kernel.body.walk():
            for region in op.regions:
                if value in region.args:
                    return [*op.operands, *(one for inner in op.regions for one in inner.terminator.operands)]
        return []


def coordinate_level(name: str, kernel: Kernel) -> int:
    """The level of a coordinate, given the contract's block shape and domain."""
    space, _, axis = name.rpartition(".")
    number = "xyz".find(axis)
    threads = _threads(kernel)
    if name in ("warp.lane", "warp.id"):
        single = threads == 1 if name == "warp.lane" else threads <= 32
        return GRID if single else WARP if name == "warp.id" else THREAD
    if space == "thread.idx":
        if kernel.block[number] == 1:
            return GRID
        inner = kernel.block[0] if number == 1 else kernel.block[0] * kernel.block[1]
        return _twos(inner) if number > 0 else THREAD
    if space == "block.idx":
        return BLOCK if number < kernel.domain else GRID
    if space == "thread.global_id":
        return min(coordinate_level(f"thread.idx.{axis}", kernel), coordinate_level(f"block.idx.{axis}", kernel))
    return GRID if space in ("block.dim", "grid.dim") or name == "grid.size" else THREAD


# comparisons of a number with an edge, and what to add to the edge so that all numbers below it are on one side; then of an edge with it
_EDGES = ({"lt": 0, "ge": 0, "gt": 1, "le": 1}, {"gt": 0, "le": 0, "lt": 1, "ge": 1})


def _twos(number: int) -> int:
    """The level of the largest tile of whose lanes it is a multiple."""
    return min(WARP, (number & -number).bit_length() - 1) if number else WARP


def _multiple(value: Value) -> int:
    """The same of a value, as far as it is seen. A float may be too large for the integer that is made of it, and a truth value is 1."""
    if not value.scalar.is_int:
        return THREAD
    if isinstance(value.constant, int):
        return _twos(value.constant)
    op = value.owner
    if not isinstance(op, Op):
        return THREAD
    if op.name == "mul":
        return min(WARP, sum(map(_multiple, op.operands)))
    if op.name == "shl" and isinstance(op.operands[1].constant, int) and op.operands[1].constant >= 0:
        return min(WARP, _multiple(op.operands[0]) + op.operands[1].constant)
    return min(map(_multiple, op.operands)) if op.name in ("add", "sub", "cast") else THREAD


def _alike(op: Op, row: str) -> bool:
    """Whether all lanes of its tile get the same from an exchange: by what it is, or as they ask one lane that there is."""
    asked = op.operands[1].constant if row == "warp.shuffle" else None
    return row in _ALIKE or (isinstance(asked, int) and 0 <= asked < op.attrs["width"])


def _by_whole_clusters(op: Op, kernel: Kernel) -> bool:
    """Whether it divides the place of the block by the size of its cluster, or a multiple of that."""
    if op.name != "floordiv" or kernel.cluster is None:
        return False
    here, by = op.operands[0].owner, op.operands[1].constant
    if not isinstance(here, Op) or here.name != "intrinsic" or not isinstance(by, int) or by <= 0:
        return False
    space, _, axis = here.attrs["row"].rpartition(".")
    return space == "block.idx" and by % kernel.cluster["xyz".find(axis)] == 0


def _same(ends: list[list[Value]], number: int) -> bool:
    return len({id(end[number]) for end in ends}) == 1


def _threads(kernel: Kernel) -> int:
    x, y, z = kernel.block
    return x * y * z


_SIZES = {"warp": 32, "warpgroup": 128}


def _active(name: str) -> str:
    """The other way out, where the operation has one."""
    warp, _, operation = name.rpartition(".")
    return f", or use `warp.active.{operation}`" if warp == "warp" else ""


def _other_lanes(op: Op, mask: int | str | None, coming: int | None, control: Control) -> Diagnostic:
    """OX3002 for a mask that is not the lanes that come."""
    cause = control.cause
    labels = (Label(cause.span, "which lanes come further is decided here"),) if cause is not None and cause.span is not None else ()
    if isinstance(mask, int) and coming is not None:
        what, help = f"`warp.sync` names the lanes {mask:#x}, and those that come here are {coming:#x}", f"name these: `mask={coming:#x}`"
    else:
        what = "`warp.sync` names lanes of which it is not known that they, and no others, come here"
        help = 'use `warp.active.sync()`, or say why they come: `with unsafe("why these lanes, and no others, come here"):`'
    return Diagnostic("OX3002", what, op.span, label="it waits for the lanes of its mask", labels=labels, help=help)


def _partial_group(op: Op, name: str, group: str, size: int, kernel: Kernel) -> Diagnostic:
    shape, lanes = "×".join(str(one) for one in kernel.block), _threads(kernel) % size
    return Diagnostic(
        "OX3002",
        f"`{name}` needs every lane of the {group}, and the last {group} of a block of {shape} threads has only {lanes}",
        op.span,
        help=f"make the block a multiple of {size} threads{_active(name) if size >= 32 else ''}",
    )
