"""The report of a kernel: what was proven, what it rests on, what is left to check, what `unsafe` vouches for. Data, and text of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from oxidepy.diagnostics.sources import shown_path
from oxidepy.ir.core import Module
from oxidepy.ir.intrinsics import ROWS

if TYPE_CHECKING:
    from oxidepy.compiler.driver import Checked
    from oxidepy.compiler.vouching import Vouched


@dataclass(frozen=True)
class Races:
    """The proof that no two threads race. `possible`: they may meet at all; else nothing was to be proven and the rest is 0.

    `pairs` of accesses were held against each other, `queries` of the questions went to z3; `cached`: the proof was made before.
    """

    possible: bool
    pairs: int
    queries: int
    milliseconds: float
    cached: bool

    def __str__(self) -> str:
        if not self.possible:
            return "none possible"
        return f"proven in {_count(self.queries, 'query', 'queries')}, " + ("cached" if self.cached else f"{self.milliseconds:.1f} ms")


@dataclass(frozen=True)
class Convergence:
    """Operations for which threads come together, all of them proven to."""

    barriers: int
    warp_operations: int

    def __str__(self) -> str:
        counts = ((self.barriers, "barrier"), (self.warp_operations, "warp operation"))
        return ", ".join(_count(number, one, f"{one}s") for number, one in counts if number) or "nothing to prove"


@dataclass(frozen=True)
class Bounds:
    """Checks of indices, divisors and asserts: `proven` needless, `hoisted` to a condition that the host tests at each launch, `checked` by
    the kernel itself."""

    proven: int
    hoisted: int
    checked: int

    def __str__(self) -> str:
        return f"{self.proven} proven, {self.hoisted} hoisted, {self.checked} checked"


@dataclass(frozen=True)
class MemoryAccess:
    """How the lanes of a warp touch memory at one place: see `analysis.coalescing.Pattern` for the words and numbers.

    `good`: it costs no more than it has to. `text` says the pattern.
    """

    file: str | None
    line: int | None
    action: str
    memory: str
    space: str
    kind: str
    stride: str | None
    sectors: int | None
    least: int | None
    passes: int | None
    neighbours: int
    rare: bool
    good: bool
    text: str

    def __str__(self) -> str:
        return f"line {self.line} {self.action} `{self.memory}` {self.text}"


@dataclass(frozen=True)
class UnsafeBlock:
    """An `unsafe`, its reason, and what would have to be proven without it. `line` is None for the decorator's."""

    reason: str
    file: str | None
    line: int | None
    suspends: tuple[str, ...]

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line is not None else "the whole kernel"
        return f"{where}: {self.reason}" + "".join(f"\n  suspends: {one}" for one in self.suspends or ("nothing",))


@dataclass(frozen=True)
class KernelReport:
    """What is known of one specialised kernel. `conditions` are relations of launch values on which the proof rests: the host tests them
    at every launch, and one that fails is OX2005. `hoisted`: those of which one that fails selects the variant with all of its checks.
    `milliseconds`: the whole check."""

    kernel: str
    races: Races
    convergence: Convergence
    bounds: Bounds
    memory: tuple[MemoryAccess, ...]
    conditions: tuple[str, ...]
    hoisted: tuple[str, ...]
    unsafe: tuple[UnsafeBlock, ...]
    milliseconds: float

    def to_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str]]:
        """The report as names and texts, of which some have several lines."""
        named: list[tuple[str, object]] = [("races", self.races), ("convergence", self.convergence), ("bounds", self.bounds)]
        if self.memory:
            named.append(("memory", self._memory()))
        named += [("condition", one) for one in self.conditions]
        named += [("hoisted to", one) for one in self.hoisted]
        named += [("unsafe", one) for one in self.unsafe]
        return [(name, str(one)) for name, one in named]

    def _memory(self) -> str:
        """How many accesses waste nothing, and the others, each once."""
        good = sum(one.good for one in self.memory)
        shown = dict.fromkeys(f"\n  {one}" for one in self.memory if not one.good)
        return f"{good} of {_count(len(self.memory), 'access', 'accesses')} without waste" + "".join(shown)

    def __str__(self) -> str:
        return "\n".join(f"{name:<11}  {text}".replace("\n", "\n" + " " * 13) for name, text in self.rows())


def report(kernel: str, checked: Checked, milliseconds: float) -> KernelReport:
    """The report of a kernel that was accepted."""
    met = checked.met
    return KernelReport(
        kernel,
        Races(met.possible, met.pairs, met.asked, met.milliseconds, met.cached),
        _convergence(checked.module),
        Bounds(checked.proven, checked.hoisted, checked.checked),
        _memory(checked.module),
        tuple(dict.fromkeys(one.text for one in met.staked)),
        tuple(dict.fromkeys(one.text for one in checked.relations)),
        tuple(map(_block, checked.unsafe)),
        milliseconds,
    )


def _memory(module: Module) -> tuple[MemoryAccess, ...]:
    from oxidepy.analysis.coalescing import patterns

    return tuple(
        MemoryAccess(
            shown_path(one.span.file) if one.span is not None else None,
            one.span.line if one.span is not None else None,
            *(one.action, one.memory, one.space, one.kind, one.stride, one.sectors, one.least, one.passes, one.neighbours, one.rare),
            one.good,
            one.cost(),
        )
        for one in patterns(module)
    )


def _block(one: Vouched) -> UnsafeBlock:
    allowed = ("what stands here needs `unsafe` in any case",) if one.allows else ()
    file, line = (shown_path(one.span.file), one.span.line) if one.span is not None else (None, None)
    return UnsafeBlock(one.reason, file, line, (*one.obligations, *allowed))


def _convergence(module: Module) -> Convergence:
    rows = [ROWS[op.attrs["row"]] for op in module.kernel.body.walk() if op.name == "intrinsic"]
    meeting = [row for row in rows if row.convergence != "none"]
    barriers = sum(row.convergence != "warp" for row in meeting)
    return Convergence(barriers, len(meeting) - barriers)


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
