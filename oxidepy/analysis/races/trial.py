"""Small launches on the interpreter, for accesses of which the symbols do not say whether they meet: two threads that are seen to clash do.

Only a kernel that is refused anyway is tried, with memory of zeros and ones and a few launches that keep to what it requires. How much is
run does not depend on the machine. What is not seen says nothing.
"""

# NumPy types some of its methods and operators only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

from oxidepy.analysis.races.accesses import OTHER_BLOCK, SAME_BLOCK, SAME_CLUSTER, SAME_WARP
from oxidepy.analysis.races.certain import Reckoning
from oxidepy.analysis.races.launch import Launch
from oxidepy.analysis.races.terms import Atom, every_atom
from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import I32, Memory

LAUNCHES, THROWS = 8, 120  # that are run, and that are looked at for some that keep to what is required
SIZES = (64, 1, 256, 2, 3, 40, 17, 100, 8, 33)
SMALL = (3, 2, 5, 1, 4)
BLOCKS = (2, 3, 0, 1)  # of the grid along an axis; 0: as many as the longest memory asks for
MOST_BLOCKS = 512
BYTES = 1 << 20  # of one memory object
STEPS, LANES = 6_000, 60_000  # accesses of a block, and of single threads, in all
KEPT = 3  # accesses of one element by one operation that are held against others
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Seen:
    """An access of one thread. `phases`: barriers of grid, cluster, block and warp that it has passed."""

    op: Op
    block: Triple
    thread: Triple
    cluster: Triple
    warp: int
    phases: tuple[int, int, int, int]
    index: int

    def relation(self, other: Seen) -> str | None:
        """How the two threads stand to each other; None for one thread, or where a barrier is between the two accesses."""
        if (self.block, self.thread) == (other.block, other.thread):
            return None
        near = self.block == other.block
        relation = SAME_CLUSTER if self.cluster == other.cluster else OTHER_BLOCK
        if near:
            relation = SAME_WARP if self.warp == other.warp else SAME_BLOCK
        count = {OTHER_BLOCK: 1, SAME_CLUSTER: 2, SAME_BLOCK: 3, SAME_WARP: 4}[relation]
        return relation if self.phases[:count] == other.phases[:count] else None


class Enough(Exception):
    """As much was run as may be."""


class Trial:
    """The clashes of one kernel, seen once it is asked for them."""

    def __init__(self, module: Module, launch: Launch, tracked: set[Value]) -> None:
        self.module = module
        self.launch = launch
        self.tracked = tracked
        self._found: dict[tuple[Op, Op, str], tuple[Seen, Seen]] | None = None

    def clash(self, first: Op, second: Op, relations: set[str]) -> tuple[Seen, Seen] | None:
        """Two threads that stand so to each other and touch one element with these accesses."""
        if self._found is None:
            self._found = _run(self.module, self.launch, self.tracked) if _may_run(self.module) else {}
        for relation in sorted(relations):
            if (found := self._found.get((first, second, relation))) is not None:
                return found
            if (found := self._found.get((second, first, relation))) is not None:
                return found[1], found[0]
        return None


def _may_run(module: Module) -> bool:
    """Whether all of it is said by the interpreter alone, and no loop can go on without an access that is counted."""
    if any(op.name in ("while", "for") for function in module.functions.values() for op in function.body.walk()):
        return False
    for op in module.kernel.body.walk():
        if op.name in ("ptx", "extern", "print") or (op.name == "intrinsic" and ROWS[op.attrs["row"]].assembly is not None):
            return False
    return all(info.role in ("memory", "length", "scalar") for info in module.kernel.infos)


def _run(module: Module, launch: Launch, tracked: set[Value]) -> dict[tuple[Op, Op, str], tuple[Seen, Seen]]:
    from oxidepy.ir.interpreter import Deadlock, Fault, Misuse, Program

    watch = _Watch(module, tracked)
    with _counted(module), suppress(Enough):
        program = Program(module, watch)
        for args, grid in _launches(module, launch):
            watch.begin()
            with suppress(Deadlock, Fault, Misuse):
                program.run(args, grid, module.kernel.block)
    return watch.found


@contextmanager
def _counted(module: Module) -> Generator[None]:
    """An access in every round of every loop, while it lasts."""
    body = module.kernel.body
    place = Op("alloc", (), (Memory(I32, "local", "exclusive"),), {"name": "rounds", "count": 1, "align": 4})
    zero = Op("const", (), (I32,), {"value": 0})
    regions: list[Block] = [op.regions[-1] for op in body.walk() if op.name in ("while", "for")]
    for region in regions:
        region.ops.insert(0, Op("load", (place.result, zero.result), (I32,), {"offset": 0}))
    body.ops[:0] = [place, zero]
    try:
        yield
    finally:
        del body.ops[:2]
        for region in regions:
            del region.ops[0]


class _Watch:
    """What the interpreter tells."""

    def __init__(self, module: Module, tracked: set[Value]) -> None:
        self.kernel = module.kernel
        self.tracked = tracked
        x, y, z = module.kernel.block
        self.threads: list[Triple] = [(at_x, at_y, at_z) for at_z, at_y, at_x in product(range(z), range(y), range(x))]
        self.found: dict[tuple[Op, Op, str], tuple[Seen, Seen]] = {}
        self.steps, self.lanes = STEPS, LANES
        self.begin()

    def begin(self) -> None:
        self.elements: dict[Any, dict[Op, list[Seen]]] = defaultdict(lambda: defaultdict(list))
        self.phases: dict[Triple, dict[str, Any]] = {}

    def _phases(self, state: Any) -> dict[str, Any]:
        import numpy

        if state.place not in self.phases:
            self.phases[state.place] = {name: numpy.zeros(len(state.live), numpy.int64) for name in ("grid", "cluster", "block", "warp")}
        return self.phases[state.place]

    def access(self, op: Op, state: Any, mask: Any, buffer: Any, leaf: Any, index: Any) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise Enough
        memory = op.operands[0]
        if memory not in self.tracked or "unsafe" in op.attrs:
            return
        threads = mask.nonzero()[0].tolist()
        self.lanes -= len(threads)
        if self.lanes < 0:
            raise Enough
        phases, block = self._phases(state), state.place
        halves = 2 * phases["cluster"] + state.arrived + state.waited
        passed = zip(*(of[mask].tolist() for of in (phases["grid"], halves, phases["block"], phases["warp"])), strict=True)
        shared = block if memory.memory.space == "shared" else None
        cluster = self._cluster(block)
        for thread, at, barriers in zip(threads, index[mask].tolist(), passed, strict=True):
            self._note((memory, shared, at), Seen(op, block, self.threads[thread], cluster, thread // 32, barriers, at))

    def _note(self, element: Any, seen: Seen) -> None:
        here = self.elements[element]
        for op, others in here.items():
            if not _clash(op, seen.op):
                continue
            for one in others:
                relation = one.relation(seen)
                if relation is not None:
                    self.found.setdefault((op, seen.op, relation), (one, seen))
        mine = here[seen.op]
        if len(mine) >= KEPT:
            del mine[1]
        mine.append(seen)

    def _cluster(self, place: Triple) -> Triple:
        x, y, z = self.kernel.cluster or (1, 1, 1)
        return place[0] // x, place[1] // y, place[2] // z

    def met(self, op: Op, state: Any, mask: Any) -> None:
        row = ROWS[op.attrs["row"]]
        if row.effect == "sync":
            self._phases(state)[row.convergence][mask] += 1

    def failed(self, op: Op, state: Any, failed: Any, index: Any, length: Any) -> None:
        """A thread that ends is none that clashes from then on."""

    def wrapped(self, op: Op, state: Any, mask: Any) -> None:
        """Numbers that wrap are numbers like others."""


def _clash(one: Op, two: Op) -> bool:
    """Whether one of them writes; that bytes overlap and scopes do not reach is known of the pairs that are asked for."""
    return any(op.name == "store" or (op.name == "atomic" and op.attrs["kind"] != "load") for op in (one, two))


# ---- launches


def _launches(module: Module, launch: Launch) -> Iterator[tuple[list[Any], Triple]]:
    source, made = random.Random(0), 0
    for throw in range(THROWS):
        found = _thrown(module, launch, source, throw)
        if found is not None:
            made += 1
            yield found
        if made == LAUNCHES:
            return


def _thrown(module: Module, launch: Launch, source: random.Random, throw: int) -> tuple[list[Any], Triple] | None:
    """Arguments and a grid that keep to what the kernel requires; None for a throw that does not."""
    kernel = module.kernel
    symbols = sorted(
        (one for one in every_atom([*launch.params.values(), *launch.grid, *launch.facts]) if one.kind == "symbol"), key=_order
    )
    size = SIZES[throw // 2 % len(SIZES)]
    values: dict[Atom, int] = {}
    for atom in symbols:
        wanted = source.choice(SIZES) if throw % 2 else size
        if throw % 4 == 3 and not atom.name.startswith("len("):  # long memory that small numbers take apart
            wanted = source.choice(SMALL)
        values[atom] = 0 if atom.origin == "coordinate" else max(int(atom.low), min(wanted, int(atom.high)))
    blocks = BLOCKS[throw // 2 % len(BLOCKS)]
    grid = _grid(launch, values, blocks or 1)
    numbers = _numbers(launch, values)
    if blocks == 0:
        longest = max((number for param, number in numbers.items() if param.name.endswith("len")), default=1)
        grid = _grid(launch, values, min(MOST_BLOCKS, -(-longest // kernel.block[0])))
        numbers = _numbers(launch, values)
    reckoning = Reckoning(dict(values))
    if not all(map(reckoning.cond, launch.facts)) or any(not one.scalar.min <= number <= one.scalar.max for one, number in numbers.items()):
        return None
    args = _arguments(module, numbers, source)
    return None if args is None else (args, grid)


def _order(atom: Atom) -> int:
    return atom.order


def _numbers(launch: Launch, values: dict[Atom, int]) -> dict[Value, int]:
    reckoning = Reckoning(dict(values))
    return {param: reckoning.poly(poly) for param, poly in launch.params.items()}


def _grid(launch: Launch, values: dict[Atom, int], blocks: int) -> Triple:
    """So many blocks, or clusters, along the first axis, two along the others; `values` get them."""
    sizes = launch.kernel.cluster or (1, 1, 1)
    found: list[int] = []
    for axis, (poly, size) in enumerate(zip(launch.grid, sizes, strict=True)):
        number = 1 if poly.constant is not None else (blocks if axis == 0 else min(blocks, 2)) * size
        found.append(number)
        values.update(dict.fromkeys(poly.atoms(), number))
    return found[0], found[1], found[2]


def _arguments(module: Module, numbers: dict[Value, int], source: random.Random) -> list[Any] | None:
    import numpy

    lengths: dict[str, int] = {}
    for param, info in zip(module.kernel.params, module.kernel.infos, strict=True):
        if info.role == "length":
            lengths[info.source] = lengths.get(info.source, 1) * numbers[param]
    if any(length < 0 for length in lengths.values()):
        return None
    out: list[Any] = []
    for param, info in zip(module.kernel.params, module.kernel.infos, strict=True):
        if info.role == "memory":
            count = lengths.get(info.source, 1) * param.memory.element.size
            if count > BYTES:
                return None
            bits = source.getrandbits(8 * count).to_bytes(count, "little") if count else b""
            ones = numpy.frombuffer(bits, numpy.uint8) % 4 == 3  # bytes of which a fourth are 1, the others 0
            out.append(ones.astype(numpy.uint8))
        elif param in numbers:
            out.append(numbers[param])
        else:
            out.append(source.random() < 0.5 if param.scalar.kind == "bool" else source.uniform(-1, 1))
    return out
