"""What is known of a kernel's bounds checks, and what becomes of its IR by that. How it is found out: `guards`, `bounds`."""

from __future__ import annotations

from dataclasses import dataclass, field

from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Block, Module, Op, Require
from oxidepy.ir.ops import EXACT

BOUNDS = "OX7001"
VERSION = 4  # of the rules: a verdict of another version is made anew

Verdict = tuple[Require, ...] | None  # relations from which the index is inside, none if it always is; None: it is not known


@dataclass
class Verdicts:
    """Of the kernel's bounds checks by their number (`numbered`): the proven, and the hoisted with the relations that they rest on.

    `reasons`: why another one stays, as a clause for a message. `exact`: operations, by their number in the walk over the kernel, whose
    result never leaves the range of its type.
    """

    proven: set[int] = field(default_factory=set[int])
    hoisted: dict[int, tuple[Require, ...]] = field(default_factory=dict[int, tuple[Require, ...]])
    reasons: dict[int, str] = field(default_factory=dict[int, str])
    exact: list[int] = field(default_factory=list[int])

    @property
    def relations(self) -> tuple[Require, ...]:
        """All that the hoisted checks rest on, each once."""
        return tuple({one.expr: one for relations in self.hoisted.values() for one in relations}.values())


def numbered(module: Module) -> list[Op]:
    """The bounds checks of the kernel in order."""
    return [op for op in module.kernel.body.walk() if is_bounds(op)]


def is_bounds(op: Op) -> bool:
    return op.name == "check" and op.attrs["code"] == BOUNDS


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
