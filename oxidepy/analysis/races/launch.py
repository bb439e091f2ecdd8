"""What every thread of a launch knows: the symbols of coordinates and parameters, and what the host guarantees of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oxidepy.analysis.races.known import Known
from oxidepy.analysis.races.rewriting import Rewriting
from oxidepy.analysis.races.terms import ONE, ZERO, Atom, Cond, Poly, Terms, all_of, any_of, at_least_zero, is_zero, number
from oxidepy.analysis.races.terms import negated as negation
from oxidepy.analysis.uniformity import BLOCK, GRID, THREAD
from oxidepy.ir.core import Kernel, Value
from oxidepy.ir.types import I32

AXES = "xyz"
MAX_GRID = ((1 << 31) - 1, 65535, 65535)  # what every device allows; the host refuses more


class Launch:
    """Symbols of one kernel. `thread`, `block`: coordinates by axis (zero where the axis has one place); `facts`: hold for every thread."""

    def __init__(self, terms: Terms, kernel: Kernel) -> None:
        self.terms = terms
        self.kernel = kernel
        self.scalar = kernel.coordinates or I32
        self.facts: list[Cond] = []
        self.grid: list[Poly] = []
        self.thread: list[Poly] = []
        self.block: list[Poly] = []
        for axis in range(3):
            self._axis(axis)
        self.params: dict[Value, Poly] = {}
        self.symbols: dict[Value, Atom] = {}
        self._leaves: dict[tuple[Any, ...], Value] = {}
        self.shares: dict[Atom, int] = {}  # of launch values that are multiples, the symbol for a part: how many of it they are
        self._shared: dict[Atom, tuple[Any, ...]] = {}
        self._parameters()
        self._products()
        self._require()

    def _axis(self, axis: int) -> None:
        extent, terms = self.kernel.block[axis], self.terms
        name = AXES[axis]
        inside = terms.symbol(f"thread.idx.{name}", THREAD, (0, extent - 1), "coordinate") if extent > 1 else None
        self.thread.append(terms.of(inside) if inside else ZERO)
        if axis >= self.kernel.domain:
            self.grid.append(ONE)
            self.block.append(ZERO)
            return
        most = min(MAX_GRID[axis], self.scalar.max // extent)
        blocks = terms.of(terms.symbol(f"grid.dim.{name}", GRID, (1, most), "launch"))
        here = terms.of(terms.symbol(f"block.idx.{name}", BLOCK, (0, most - 1), "coordinate"))
        self.grid.append(blocks)
        self.block.append(here)
        self.facts.append(at_least_zero(blocks - here - 1))

    def _parameters(self) -> None:
        for value, info in zip(self.kernel.params, self.kernel.infos, strict=True):
            if info.role in ("memory", "tensor_map") or not value.scalar.is_int:
                continue
            low, high = value.scalar.min, value.scalar.max
            if info.role == "length":
                leaf: tuple[Any, ...] = ("len", info.source, info.axis)
                name, low = f"len({info.source})" if info.axis == 0 else f"{info.source}.shape[{info.axis}]", 0
            else:
                leaf = ("field", info.source, info.path) if info.path else ("scalar", info.source)
                name = f"{info.source}.{info.path}" if info.path else info.source
            if info.source:  # the host has no name for what the kernel's own closure holds
                self._leaves[leaf] = value
            symbol = self.symbols[value] = self.terms.symbol(name, GRID, (low, high), "launch")
            self.params[value] = self.terms.of(symbol)

    def _products(self) -> None:
        """The elements of a slice of several axes are as few as those of one axis may be."""
        axes: dict[str, Poly] = {}
        several: set[str] = set()
        for value, info in zip(self.kernel.params, self.kernel.infos, strict=True):
            if info.role == "length":
                if info.source in axes:
                    several.add(info.source)
                axes[info.source] = axes.get(info.source, ONE) * self.params[value]
        self.facts.extend(at_least_zero(-axes[source] + self.scalar.max) for source in several)

    # ---- require

    def _require(self) -> None:
        """Relations become facts; an equation that says what a length is takes the length's place everywhere."""
        own = {atom for poly in self.params.values() for atom in poly.atoms()}
        conds = [self._cond(one.expr) for one in self.kernel.requires if self._readable(one.expr)]
        conds = [part for cond in conds for part in (cond[1:] if cond[0] == "and" else (cond,))]
        for number_ in range(len(conds)):
            cond = conds[number_]
            found = (self._multiple(cond[1]) or _defined(cond[1], own)) if cond[0] == "eq" else None
            if found is None:
                continue
            atom, meaning = found
            rewriting = Rewriting(self.terms, {atom: meaning}.get)
            for bound in (at_least_zero(meaning - int(atom.low)), at_least_zero(-meaning + int(atom.high))):
                self.facts.append(bound)
            self.facts = [rewriting.cond(one) for one in self.facts]
            self.params = {value: rewriting.poly(poly) for value, poly in self.params.items()}
            conds[:] = map(rewriting.cond, conds)
        self.facts = [one for one in dict.fromkeys([*self.facts, *conds]) if one != ("true",)]

    def _multiple(self, poly: Poly) -> tuple[Atom, Poly] | None:
        """n - 16 * (n // 16) == 0 as n == 16 * m, for a value m of its own."""
        for mono, coef in poly.terms.items():
            if len(mono) == 1 and mono[0].kind == "div" and len(poly.terms) == 2:
                inner, by = mono[0].args
                atom = next(inner.atoms())
                leaf = self.leaf(atom)
                if (
                    leaf is not None
                    and inner == self.terms.of(atom)
                    and poly * (-1 if coef > 0 else 1) == inner - self.terms.of(mono[0]) * by
                ):
                    bounds = -(-int(atom.low) // by), int(atom.high) // by
                    part = self.terms.symbol(f"{atom.name} // {by}", GRID, bounds, "launch")
                    self.shares[part], self._shared[part] = by * self.shares.get(atom, 1), leaf
                    return atom, self.terms.of(part) * by
        return None

    def leaf(self, atom: Atom) -> tuple[Any, ...] | None:
        """How a relation that the host evaluates names a launch value, or of one of `shares` the whole; None if it has no name there."""
        if atom in self._shared:
            return self._shared[atom]
        for leaf, value in self._leaves.items():
            if self.symbols.get(value) is atom:
                return leaf
        return next((("grid", axis) for axis, poly in enumerate(self.grid) if (atom,) in poly.terms), None)

    def _readable(self, expr: tuple[Any, ...]) -> bool:
        """Whether all that the relation names are parameters of the kernel."""
        if expr[0] in ("scalar", "len", "field"):
            return expr in self._leaves
        inner: list[tuple[Any, ...]] = [one for one in expr[1:] if isinstance(one, tuple)]
        return all(self._readable(one) for one in inner)

    def _cond(self, expr: tuple[Any, ...]) -> Cond:
        kind = expr[0]
        if kind in ("and", "or"):
            return (all_of if kind == "and" else any_of)(self._cond(expr[1]), self._cond(expr[2]))
        return compare(kind, self._value(expr[1]), self._value(expr[2]))

    def _value(self, expr: tuple[Any, ...]) -> Poly:
        kind = expr[0]
        if kind == "int":
            return number(expr[1])
        if kind in ("scalar", "len", "field"):
            return self.params[self._leaves[expr]]
        if kind == "size":
            product: Poly = ONE
            for leaf, value in self._leaves.items():
                if leaf[:2] == ("len", expr[1]):
                    product = product * self.params[value]
            return product
        if kind == "grid":
            return self.grid[int(expr[1])]
        if kind == "neg":
            return -self._value(expr[1])
        return _ARITHMETIC[kind](self.terms, self._value(expr[1]), self._value(expr[2]))

    # ---- coordinates

    def coordinate(self, row: str) -> Poly | None:
        """The value of a row of the coordinates, in exact integers; None for another row."""
        space, _, axis = row.rpartition(".")
        number_ = AXES.find(axis)
        sources: dict[str, Callable[[int], Poly]] = {
            "thread.idx": lambda at: self.thread[at],
            "block.idx": lambda at: self.block[at],
            "block.dim": lambda at: number(self.kernel.block[at]),
            "grid.dim": lambda at: self.grid[at],
            "thread.global_id": lambda at: self.block[at] * self.kernel.block[at] + self.thread[at],
        }
        if space in sources and number_ >= 0:
            return sources[space](number_)
        if row == "warp.id":
            return self.warp
        if row == "warp.lane":
            return self.linear - self.warp * 32
        if row == "grid.size":
            threads = self.kernel.block[0] * self.kernel.block[1] * self.kernel.block[2]
            return self.grid[0] * self.grid[1] * self.grid[2] * threads
        return None

    def other_lanes(self, mask: int) -> Cond:
        """That the lane of a thread is none of a mask."""
        lane = self.linear - self.warp * 32
        starts = [one for one in range(32) if not mask >> one & 1 and (not one or mask >> (one - 1) & 1)]
        ends = [next(one for one in range(start, 33) if one == 32 or mask >> one & 1) for start in starts]
        return any_of(
            *(all_of(at_least_zero(lane - start), at_least_zero(-lane + end - 1)) for start, end in zip(starts, ends, strict=True))
        )

    @property
    def linear(self) -> Poly:
        x, y, _ = self.kernel.block
        return self.thread[0] + self.thread[1] * x + self.thread[2] * (x * y)

    @property
    def warp(self) -> Poly:
        return self.terms.div(self.linear, 32)

    def known(self) -> Known:
        known = Known()
        for fact in self.facts:
            known.assume(fact)
        known.settle()
        return known


def _defined(poly: Poly, own: set[Atom]) -> tuple[Atom, Poly] | None:
    """poly == 0 as atom == meaning, if it says what a length or else a scalar parameter is; `own`: the atoms of parameters."""
    candidates: list[tuple[bool, int, Atom, int]] = []
    for mono, coef in poly.terms.items():
        if len(mono) == 1 and coef in (1, -1) and mono[0] in own and sum(atom is mono[0] for atom in poly.atoms()) == 1:
            candidates.append((not mono[0].name.startswith("len("), mono[0].order, mono[0], coef))
    if not candidates or any(atom.kind != "symbol" for atom in poly.atoms()):
        return None
    _, _, atom, coef = min(candidates, key=lambda one: one[:2])
    rest = Poly({mono: value for mono, value in poly.terms.items() if mono != (atom,)})
    return atom, -rest if coef == 1 else rest


def compare(kind: str, left: Poly, right: Poly) -> Cond:
    return COMPARE[kind](left, right)


COMPARE: dict[str, Callable[[Poly, Poly], Cond]] = {
    "==": lambda a, b: is_zero(a - b),
    "!=": lambda a, b: negation(is_zero(a - b)),
    "<": lambda a, b: at_least_zero(b - a - 1),
    "<=": lambda a, b: at_least_zero(b - a),
    ">": lambda a, b: at_least_zero(a - b - 1),
    ">=": lambda a, b: at_least_zero(a - b),
}

_ARITHMETIC: dict[str, Callable[[Terms, Poly, Poly], Poly]] = {
    "+": lambda terms, a, b: a + b,
    "-": lambda terms, a, b: a - b,
    "*": lambda terms, a, b: a * b,
    "//": lambda terms, a, b: terms.quotient(a, b) if b.constant != 0 else ZERO,
    "%": lambda terms, a, b: a - b * terms.quotient(a, b) if b.constant != 0 else ZERO,
    "min": lambda terms, a, b: terms.choice(at_least_zero(b - a), a, b),
    "max": lambda terms, a, b: terms.choice(at_least_zero(a - b), a, b),
}
