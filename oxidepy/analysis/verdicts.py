"""What is known of a kernel's bounds checks, and what becomes of its IR by that. How it is found out: `guards`, `bounds`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Block, Module, Op, Require
from oxidepy.ir.ops import EXACT

BOUNDS, DIVISOR = "OX7001", "OX7003"
VERSION = 8  # of the rules: a verdict of another version is made anew

Verdict = tuple[Require, ...] | None  # relations from which the index is inside, none if it always is; None: it is not known


@dataclass
class Verdicts:
    """Of the kernel's checks of indices and divisors by their number (`numbered`): the proven, and the hoisted with the relations that
    they rest on.

    `reasons`: why another one stays, as a clause for a message. `exact`: operations, by their number in the walk over the kernel, whose
    result never leaves the range of its type.
    """

    proven: set[int] = field(default_factory=set[int])
    hoisted: dict[int, tuple[Require, ...]] = field(default_factory=dict[int, tuple[Require, ...]])
    reasons: dict[int, str] = field(default_factory=dict[int, str])
    exact: list[int] = field(default_factory=list[int])

    @property
    def relations(self) -> tuple[Require, ...]:
        """All that the hoisted checks rest on, each once, and of those that differ in a number alone the one that implies the others."""
        least: dict[Any, tuple[int, Require]] = {}
        for one in (one for relations in self.hoisted.values() for one in relations):
            what, room = _room(one.expr)
            if what not in least or room < least[what][0]:
                least[what] = room, one
        return tuple(one for _, one in least.values())


def _room(expr: tuple[Any, ...]) -> tuple[Any, int]:
    """A relation as what it relates and a number: a + 3 <= b + 5 is a <= b with room for 2. One of another form is itself, with none."""
    if expr[0] != "<=":
        return expr, 0
    sides: list[tuple[Any, ...]] = []
    numbers: list[int] = []
    for side in expr[1:]:
        terms = list(_terms(side))
        numbers.append(sum(one[1] for one in terms if one[0] == "int"))
        sides.append(tuple(one for one in terms if one[0] != "int"))
    return tuple(sides), numbers[1] - numbers[0]


def _terms(expr: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """What is added up."""
    if expr[0] == "+":
        yield from _terms(expr[1])
        yield from _terms(expr[2])
    else:
        yield expr


def numbered(module: Module) -> list[Op]:
    """The checks of indices and divisors of the kernel in order."""
    return [op for op in module.kernel.body.walk() if op.name == "check" and op.attrs["code"] in (BOUNDS, DIVISOR)]


def apply(module: Module, verdicts: Verdicts, *, hoist: bool) -> None:
    """Take the proven checks out of the kernel, in place, and with `hoist` the hoisted; mark the operations that are exact."""
    ops = list(module.kernel.body.walk())
    for number in verdicts.exact:
        ops[number].attrs[EXACT] = True
    checks = numbered(module)
    gone = {checks[number] for number in (*verdicts.proven, *(verdicts.hoisted if hoist else ()))}
    pending = [module.kernel.body]
    while pending:
        block: Block = pending.pop()
        block.ops = [op for op in block.ops if op not in gone]
        pending += [region for op in block.ops for region in op.regions]


def denied(op: Op, why: str) -> Diagnostic:
    """The error of a check that stays in a kernel with deny_checks=True."""
    return Diagnostic(
        "OX5004",
        "a bounds check remains in a kernel with deny_checks=True",
        op.span,
        label=why,
        help="guard the access, for instance `if 0 <= i and i < len(a):`, or give the relation to `require(...)`",
    )
