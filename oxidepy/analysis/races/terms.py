"""Exact integers as polynomials over atoms, and conditions over these.

An atom is a symbol (a coordinate, a launch value, a loaded value, …) or a function of polynomials that is not one itself (a quotient, a
choice, a value of read-only memory). Atoms are made once: two that are made alike are one object. A condition is a nested tuple in negation
normal form: ("ge", p) p >= 0 · ("eq", p) · ("ne", p) · ("is", atom, bool) · ("and", …) · ("or", …) · TRUE · FALSE.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

Number = int | float  # a float only as an infinity
Interval = tuple[Number, Number]
Cond = tuple[Any, ...]
INF = math.inf
FAR = 1 << 128  # what may be beyond is without a bound: floats, as which infinities are calculated with, hold no integer of any size
TRUE: Cond = ("true",)
FALSE: Cond = ("false",)
MAX_TERMS = 64  # a product of more monomials becomes an atom


class Atom:
    """`kind`: symbol, div, quotient, ite, load, bits, brev. `level`: the group over which it is equal. `origin`: whence a symbol comes."""

    __slots__ = ("args", "high", "kind", "level", "low", "name", "order", "origin", "weight")

    def __init__(self, kind: str, args: tuple[Any, ...], level: int, bounds: Interval, order: int, name: str, origin: str) -> None:
        self.kind, self.args, self.level, self.order, self.name, self.origin = kind, args, level, order, name, origin
        self.low, self.high = bounds
        self.weight: int = 1 + (sum(one.weight for one in inner_atoms(args)) if kind != "symbol" else 0)

    def __repr__(self) -> str:
        return self.name or f"{self.kind}{self.args}"


Mono = tuple[Atom, ...]


class Poly:
    """A polynomial with integer coefficients: monomial (sorted atoms) → coefficient. Never changed after it was made."""

    __slots__ = ("_hash", "_moving", "terms")

    def __init__(self, terms: dict[Mono, int]) -> None:
        self.terms = terms
        self._hash = 0
        self._moving: Poly | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if not self._hash:
            self._hash = hash(frozenset(self.terms.items())) or 1
        return self._hash

    def __add__(self, other: Poly | int) -> Poly:
        out = dict(self.terms)
        for mono, coef in (other.terms if isinstance(other, Poly) else {(): other}).items():
            total = out.get(mono, 0) + coef
            if total:
                out[mono] = total
            else:
                out.pop(mono, None)
        return Poly(out)

    def __neg__(self) -> Poly:
        return Poly({mono: -coef for mono, coef in self.terms.items()})

    def __sub__(self, other: Poly | int) -> Poly:
        return self + (-other)

    def __mul__(self, other: Poly | int) -> Poly:
        if isinstance(other, int):
            return Poly({mono: coef * other for mono, coef in self.terms.items()}) if other else ZERO
        out: dict[Mono, int] = {}
        for left, one in self.terms.items():
            for right, two in other.terms.items():
                mono = joined(left, right)
                out[mono] = out.get(mono, 0) + one * two
        return Poly({mono: coef for mono, coef in out.items() if coef})

    @property
    def constant(self) -> int | None:
        """The value of a polynomial without atoms, else None."""
        if not self.terms:
            return 0
        return self.terms.get((), None) if len(self.terms) == 1 else None

    @property
    def free(self) -> int:
        return self.terms.get((), 0)

    def atoms(self) -> Iterator[Atom]:
        return (atom for mono in self.terms for atom in mono)

    @property
    def moving(self) -> Poly:
        """It without its constant."""
        if () not in self.terms:
            return self
        if self._moving is None:
            self._moving = Poly({mono: coef for mono, coef in self.terms.items() if mono})
        return self._moving

    def divided(self, by: int) -> Poly:
        """Of a polynomial whose coefficients are multiples of `by`."""
        return Poly({mono: coef // by for mono, coef in self.terms.items()})

    def split(self, by: Poly) -> tuple[Poly, Poly]:
        """(whole, rest) with self = by * whole + rest: what is easily seen to be a multiple, the largest products first."""
        lead = max(by.terms, key=_degree)
        whole, rest = ZERO, self
        for _ in range(MAX_TERMS):
            found = [
                (mono, left) for mono, coef in rest.terms.items() if (left := without(mono, lead)) is not None and not coef % by.terms[lead]
            ]
            if not found:
                break
            mono, left = max(found, key=lambda one: _degree(one[0]))
            times = Poly({left: rest.terms[mono] // by.terms[lead]})
            whole, rest = whole + times, rest - by * times
        return whole, rest

    def ratio(self, by: Poly) -> Poly | None:
        """self / by where that is a polynomial again, else None."""
        whole, rest = self.split(by)
        return None if rest.terms else whole

    def __repr__(self) -> str:
        return (
            " + ".join("*".join(map(repr, (*(() if coef == 1 and mono else (coef,)), *mono))) for mono, coef in self.terms.items()) or "0"
        )


def joined(left: Mono, right: Mono) -> Mono:
    """The product of two."""
    return tuple(sorted(left + right, key=_order)) if left and right else left or right


def without(mono: Mono, part: Mono) -> Mono | None:
    """What the part of a product leaves of it; None if it is no part."""
    left = list(mono)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _degree(mono: Mono) -> tuple[int, list[int]]:
    """Of a product, what orders it among others so that the order stays when both are multiplied."""
    return len(mono), [-atom.order for atom in mono]


def _made(poly: Poly) -> list[tuple[list[int], int]]:
    """An order of polynomials that is the same in every run."""
    return sorted(([atom.order for atom in mono], coef) for mono, coef in poly.terms.items())


def weight(term: Any) -> int:
    """How much there is to a term: its atoms, those inside of them included, each time that they stand there."""
    return sum(one.weight for one in inner_atoms((term,)))


def of_launch(atom: Atom) -> bool:
    return atom.kind == "symbol" and atom.origin == "launch"


def _order(atom: Atom) -> int:
    return atom.order


ZERO = Poly({})
ONE = Poly({(): 1})


def _single(poly: Poly, kind: str) -> Atom | None:
    """The atom of that kind, if the polynomial is nothing else."""
    for mono, coef in poly.terms.items():
        if len(poly.terms) == len(mono) == coef == 1 and mono[0].kind == kind:
            return mono[0]
    return None


def put(poly: Poly, symbol: Atom, meaning: Poly) -> Poly:
    """The polynomial with the symbol replaced, but not inside of atoms."""
    total = Poly({})
    for mono, coef in poly.terms.items():
        left: Mono = tuple(atom for atom in mono if atom is not symbol)
        part = Poly({left: coef})
        for _ in range(len(mono) - len(left)):
            part = part * meaning
        total = total + part
    return total


def strongest(conds: Sequence[Cond]) -> list[Cond]:
    """The conditions without those that follow from another one by its constant: of p - 8 >= 0 and p >= 0 the first."""
    least = Facts(conds).least
    return [cond for cond in dict.fromkeys(conds) if cond[0] != "ge" or least[cond[1].moving] == cond[1].free]


class Facts:
    """Conditions that hold together, to be compared with others."""

    def __init__(self, conds: Iterable[Cond]) -> None:
        self.least: dict[Poly, int] = {}
        rest: list[Cond] = []
        for cond in conds:
            if cond[0] == "ge":
                moving, free = cond[1].moving, cond[1].free
                self.least[moving] = min(self.least.get(moving, free), free)
            else:
                rest.append(cond)
        self.rest = frozenset(rest)

    def say(self, other: Facts) -> bool:
        """Whether all of the other ones follow, one from one, by a constant at most."""
        least = self.least
        return other.rest <= self.rest and all(least.get(moving, INF) <= free for moving, free in other.least.items())


def number(value: int) -> Poly:
    return Poly({(): value}) if value else ZERO


def times(left: Interval, right: Interval) -> Interval:
    (a, b), (c, d) = left, right
    if a >= 0 and c >= 0:
        return _by(a, c), _by(b, d)
    corners = (_by(a, c), _by(a, d), _by(b, c), _by(b, d))
    return min(corners), max(corners)


def _by(a: Number, b: Number) -> Number:
    return a * b if a and b else 0  # nothing of an infinite amount is nothing


def part(mono: Mono, coef: int, bounds: Callable[[Atom], Interval]) -> Interval:
    """The interval of one monomial."""
    if not mono:
        return coef, coef
    found = bounds(mono[0])
    for atom in mono[1:]:
        found = times(found, bounds(atom))
    low, high = found
    return (_by(low, coef), _by(high, coef)) if coef > 0 else (_by(high, coef), _by(low, coef))


def interval(poly: Poly, bounds: Callable[[Atom], Interval]) -> Interval:
    """The least interval that follows from the bounds of the atoms, taken one by one."""
    low: Number = 0
    high: Number = 0
    for mono, coef in poly.terms.items():
        least, most = part(mono, coef, bounds)
        low, high = low + least, high + most
    return low, high


def own(atom: Atom) -> Interval:
    return atom.low, atom.high


class Terms:
    """Makes atoms, polynomials and conditions of one kernel."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Atom] = {}
        self._inside: dict[Cond, frozenset[Atom]] = {}
        self.count = 0
        self.quotients: dict[Poly, dict[Atom, Poly]] = {}  # by what is divided: its quotients by what is no constant, and by what
        self.wraps: set[Atom] = set()  # quotients that say how often a value wrapped around the range of its type

    # ---- atoms

    def symbol(self, name: str, level: int, bounds: Interval, origin: str) -> Atom:
        self.count += 1
        return Atom("symbol", (), level, bounds, self.count, name, origin)

    def atom(self, kind: str, args: tuple[Any, ...], bounds: Interval, name: str = "", origin: str = "") -> Atom:
        key = (kind, *args)
        found = self._made.get(key)
        if found is None:
            self.count += 1
            level = min((one.level for one in inner_atoms(args)), default=9)
            low, high = bounds
            limits = (low if low >= -FAR else -INF, high if high <= FAR else INF)
            found = self._made[key] = Atom(kind, args, level, limits, self.count, name, origin)
        return found

    def copy(self, atom: Atom, number: int) -> Atom:
        """The symbol for thread `number` of the two."""
        key = ("copy", atom, number)
        found = self._made.get(key)
        if found is None:
            self.count += 1
            name = f"{atom.name}{'₁₂'[number]}"
            found = self._made[key] = Atom("symbol", (atom, number), atom.level, own(atom), self.count, name, atom.origin)
        return found

    def of(self, atom: Atom) -> Poly:
        return Poly({(atom,): 1})

    def inside(self, cond: Cond) -> frozenset[Atom]:
        """All atoms of a condition, those inside of others included."""
        found = self._inside.get(cond)
        if found is None:
            found = self._inside[cond] = frozenset(every_atom([cond]))
        return found

    # ---- functions

    def div(self, poly: Poly, by: int, bounds: Callable[[Atom], Interval] = own) -> Poly:
        """poly // by, rounded down; `by` is positive."""
        if by == 1:
            return poly
        whole: dict[Mono, int] = {}
        rest: dict[Mono, int] = {}
        for mono, coef in poly.terms.items():
            if not mono:
                if coef // by:
                    whole[mono] = coef // by
                if coef % by:
                    rest[mono] = coef % by
            elif coef % by == 0:
                whole[mono] = coef // by
            else:
                rest[mono] = coef
        left = Poly(rest)
        common = math.gcd(by, *(coef for mono, coef in rest.items() if mono))
        if common > 1:  # (g*p + k) // (g*d) = (p + k//g) // d
            left, by = Poly({mono: coef // common for mono, coef in rest.items() if coef // common}), by // common
        low, high = interval(left, bounds)
        if low > -INF and high < INF and low // by == high // by:
            return Poly(whole) + int(low // by)
        if (inner := self._deeper(left)) is not None and (isinstance(inner[1], Poly) or len(left.moving.terms) == 1):
            deeper, divisor, _ = inner  # (p // c + k) // d = (p + k*c) // (c*d)
            return Poly(whole) + (
                self.quotient(deeper, divisor * by) if isinstance(divisor, Poly) else self.div(deeper, divisor * by, bounds)
            )
        turned = _single(left, "brev")
        if turned is not None and by & (by - 1) == 0:  # the low bits of a reversed number are the high ones of the number
            inner, width = turned.args
            kept = width - by.bit_length() + 1
            low, high = interval(inner, bounds)
            if kept > 0 and low >= 0 and high < 1 << kept:
                return Poly(whole) + self.reversed(inner, kept)
        low, high = interval(left, own)
        limits = (low // by if low > -INF else low, high // by if high < INF else high)
        return Poly(whole) + self.of(self.atom("div", (left, by), limits))

    def turns(self, poly: Poly, by: int, bounds: Callable[[Atom], Interval] = own) -> Poly:
        """poly // by, of a value that wraps by the range of its type."""
        found = self.div(poly, by, bounds)
        self.wraps.update(mono[0] for mono, coef in found.terms.items() if len(mono) == 1 and coef == 1 and mono[0].kind == "div")
        return found

    def quotient(self, poly: Poly, by: Poly, *, positive: bool = False) -> Poly:
        """poly // by where `by` is no constant, rounded down (meaning nothing where it is 0). `positive`: `by` is known to be so."""
        constant = by.constant
        if constant:
            return self.div(poly, constant) if constant > 0 else self.div(-poly, -constant)
        if constant == 0:  # nobody comes there
            return self.of(self.atom("quotient", (poly, by), (-INF, INF)))
        whole, rest = poly.split(by)
        if len(rest.terms) < len(poly.terms):  # (k*n + p) // n = k + p // n
            return whole + (self.quotient(rest, by, positive=positive) if rest.terms else ZERO)
        (low, high), (least, _) = interval(poly, own), interval(by, own)
        if (positive or least >= 1) and (inner := self._deeper(poly)) is not None:
            return self.quotient(inner[0], by * inner[1], positive=least >= 1 and inner[2])
        common = math.gcd(*by.terms.values())
        large = Poly({mono: coef for mono, coef in poly.terms.items() if coef % common == 0})
        small = interval(poly - large, own)
        if common > 1 and (small == (0, 0) or ((positive or least >= 1) and small[0] >= 0 and small[1] < common)):
            # (g*p + k) // (g*n) = p // n
            return self.quotient(large.divided(common), by.divided(common), positive=positive)
        bounds = (0 if low >= 0 else low, max(high, -1)) if least >= 1 else (-INF, INF)
        found = self.atom("quotient", (poly, by), bounds)
        self.quotients.setdefault(poly, {})[found] = by
        return self.of(found)

    def _deeper(self, poly: Poly) -> tuple[Poly, int | Poly, bool] | None:
        """(p, n, whether n > 0) of a polynomial that is p // n: of k + q // n too, where that makes nothing longer."""
        for mono, coef in poly.terms.items():
            if len(mono) == coef == 1 and mono[0].kind in ("div", "quotient"):
                inner, by = mono[0].args
                inner = inner + (poly - self.of(mono[0])) * by
                if len(poly.terms) == 1 or (mono[0].kind == "div" and len(inner.terms) <= len(poly.terms)):
                    return inner, by, mono[0].kind == "div" or interval(by, own)[0] >= 1
        return None

    def reversed(self, poly: Poly, width: int) -> Poly:
        """The last `width` bits of a number that has no others, the first one last."""
        return self.of(self.atom("brev", (poly, width), (0, (1 << width) - 1)))

    def remainder(self, quotient: Atom, by: Poly) -> Atom:
        """The symbol for what is left of a quotient by that divisor: at least 0, as it is positive."""
        return self._part(("remainder", quotient, by), interval(by, own)[1] - 1)

    def digit(self, symbol: Atom, place: int, most: int) -> Atom:
        """The symbol for symbol // place, less what the larger digits make of it."""
        return self._part(("digit", symbol, place, most), most)

    def _part(self, key: tuple[Any, ...], most: Number) -> Atom:
        found = self._made.get(key)
        if found is None:
            self.count += 1
            found = self._made[key] = Atom("symbol", (), key[1].level, (0, most), self.count, f"a part of {key[1]!r}", "computed")
        return found

    def product(self, left: Poly, right: Poly) -> Poly | None:
        """None where the product is too large to be followed."""
        return left * right if len(left.terms) * len(right.terms) <= MAX_TERMS else None

    def choice(self, cond: Cond, then: Poly, other: Poly) -> Poly:
        if cond == TRUE or then == other:
            return then
        if cond == FALSE:
            return other
        one, two = interval(then, own), interval(other, own)
        return self.of(self.atom("ite", (cond, then, other), (min(one[0], two[0]), max(one[1], two[1]))))

    def bits(self, op: str, left: Poly, right: Poly, width: int, signed: bool) -> Poly:
        """and, or, xor of two values in the type's range; with a constant it is linear in quotients."""
        if left.constant is not None:
            left, right = right, left
        mask = right.constant
        if mask is not None:
            both = self._masked(left, mask)
            return both if op == "and" else left + right - both if op == "or" else left + right - both * 2
        first, second = interval(left, own), interval(right, own)
        bounds: Interval = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
        if first[0] >= 0 and second[0] >= 0:
            first_top, second_top = min(first[1], bounds[1]), min(second[1], bounds[1])  # a value lies in its type's range
            top = (1 << int(max(first_top, second_top)).bit_length()) - 1
            bounds = (0, min(first_top, second_top) if op == "and" else top)
        if left == right:
            return left if op in ("and", "or") else ZERO
        if op == "xor":  # (a ^ c) ^ c is a
            for one, two in ((left, right), (right, left)):
                inner = _single(one, "bits")
                if inner is not None and inner.args[0] == "xor" and inner.args[3] == width and two in inner.args[1:3]:
                    other: Poly = inner.args[2] if two == inner.args[1] else inner.args[1]
                    return other
        for one, two in ((left, right), (right, left)):
            upper, lower = self._apart(one, two)
            if upper.terms:  # above the highest bit of the other one nothing changes, or nothing stays
                return (ZERO if op == "and" else upper) + self.bits(op, lower, two, width, signed)
        return self.of(self.atom("bits", (op, *sorted((left, right), key=_made), width), bounds))

    def _apart(self, poly: Poly, other: Poly) -> tuple[Poly, Poly]:
        """The part of a number above the highest bit of another one that is not negative, and the part below it."""
        low, high = interval(other, own)
        if low < 0 or high == INF:
            return ZERO, poly
        unit = 1 << int(high).bit_length()
        upper = Poly({mono: coef if mono else coef // unit * unit for mono, coef in poly.terms.items() if coef % unit == 0 or not mono})
        upper = Poly({mono: coef for mono, coef in upper.terms.items() if coef})
        lower = poly - upper
        least, most = interval(lower, own)
        return (upper, lower) if least >= 0 and most < unit else (ZERO, poly)

    def _masked(self, poly: Poly, mask: int) -> Poly:
        """poly & mask, by the runs of ones of the mask, in two's complement."""
        if mask < 0:
            return poly - self._masked(poly, ~mask)
        total, place = ZERO, 0
        while mask >> place:
            if not mask >> place & 1:
                place += 1
                continue
            end = place
            while mask >> end & 1:
                end += 1
            total = total + (self.div(poly, 1 << place) * (1 << place) - self.div(poly, 1 << end) * (1 << end))
            place = end
        return total


# ---- conditions


def at_least_zero(poly: Poly, bounds: Callable[[Atom], Interval] = own) -> Cond:
    """poly >= 0, decided where the bounds of the atoms decide it."""
    low, high = interval(poly, bounds)
    if low >= 0:
        return TRUE
    if high < 0:
        return FALSE
    common = math.gcd(*(coef for mono, coef in poly.terms.items() if mono))
    if common > 1:
        poly = Poly({mono: coef // common for mono, coef in poly.terms.items() if coef // common})
    return ("ge", poly)


def is_zero(poly: Poly, bounds: Callable[[Atom], Interval] = own) -> Cond:
    low, high = interval(poly, bounds)
    if low > 0 or high < 0:
        return FALSE
    if low == high == 0:
        return TRUE
    common = math.gcd(*(coef for mono, coef in poly.terms.items() if mono))
    if poly.free % common:
        return FALSE
    poly = poly.divided(common)
    first = min((mono for mono in poly.terms if mono), key=lambda mono: [atom.order for atom in mono])
    return ("eq", -poly if poly.terms[first] < 0 else poly)


def negated(cond: Cond) -> Cond:
    return _NEGATE[cond[0]](cond)


_NEGATE: dict[str, Callable[[Cond], Cond]] = {
    "true": lambda cond: FALSE,
    "false": lambda cond: TRUE,
    "ge": lambda cond: at_least_zero(-cond[1] - 1),
    "eq": lambda cond: ("ne", cond[1]),
    "ne": lambda cond: ("eq", cond[1]),
    "is": lambda cond: ("is", cond[1], not cond[2]),
    "and": lambda cond: any_of(*map(negated, cond[1:])),
    "or": lambda cond: all_of(*map(negated, cond[1:])),
}


def _joined(kind: str, neutral: Cond, deciding: Cond, conds: Iterable[Cond]) -> Cond:
    found: dict[Cond, None] = {}
    for cond in conds:
        if cond == deciding:
            return deciding
        for part in cond[1:] if cond[0] == kind else (cond,) if cond != neutral else ():
            found[part] = None
    if len(found) <= 8 and any(negated(one) in found for one in found if one[0] in ("is", "eq", "ge")):
        return deciding
    return neutral if not found else next(iter(found)) if len(found) == 1 else (kind, *found)


def all_of(*conds: Cond) -> Cond:
    return _joined("and", TRUE, FALSE, conds)


def any_of(*conds: Cond) -> Cond:
    return _joined("or", FALSE, TRUE, conds)


def chosen(cond: Cond, then: Cond, other: Cond) -> Cond:
    """The condition that is `then` where `cond` holds and `other` elsewhere."""
    if then == other:
        return then
    if TRUE in (then, other):  # as `a or b` comes: not as `a or (not a and b)`, whose contrary says of b less than that it is false
        return any_of(cond, other) if then == TRUE else any_of(negated(cond), then)
    return any_of(all_of(cond, then), all_of(negated(cond), other))


def inner_atoms(args: Iterable[Any]) -> Iterator[Atom]:
    """The atoms that the arguments of an atom, or a condition, are made of: one layer."""
    for one in args:
        if isinstance(one, Poly):
            yield from one.atoms()
        elif isinstance(one, Atom):
            yield one
        elif isinstance(one, tuple):
            yield from inner_atoms(cast("tuple[Any, ...]", one))


def every_atom(args: Iterable[Any]) -> set[Atom]:
    """All atoms, those inside of atoms included. Copies of symbols do not contain what they are copies of."""
    found: set[Atom] = set()
    waiting = list(inner_atoms(args))
    while waiting:
        atom = waiting.pop()
        if atom not in found:
            found.add(atom)
            if atom.kind != "symbol":
                waiting.extend(inner_atoms(atom.args))
    return found
