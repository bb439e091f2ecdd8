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
    at every launch, and one that fails is OX2005. `milliseconds`: the whole check."""

    kernel: str
    races: Races
    convergence: Convergence
    bounds: Bounds
    conditions: tuple[str, ...]
    unsafe: tuple[UnsafeBlock, ...]
    milliseconds: float

    def to_json(self) -> dict[str, Any]:
        """The same as plain values."""
        return asdict(self)

    def rows(self) -> list[tuple[str, str]]:
        """The report as names and texts, of which some have several lines."""
        named: list[tuple[str, object]] = [("races", self.races), ("convergence", self.convergence), ("bounds", self.bounds)]
        named += [("condition", one) for one in self.conditions]
        named += [("unsafe", one) for one in self.unsafe]
        return [(name, str(one)) for name, one in named]

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
        tuple(dict.fromkeys(one.text for one in met.staked)),
        tuple(map(_block, checked.unsafe)),
        milliseconds,
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
