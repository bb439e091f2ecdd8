"""Removes the checks that control flow already implies, and refuses a DisjointSlice access that nothing guards."""

from __future__ import annotations

from dataclasses import dataclass, field

from oxidepy.analysis.facts import Facts, Keys
from oxidepy.analysis.verdicts import BOUNDS
from oxidepy.diagnostics import Diagnostic
from oxidepy.ir.core import Block, Module, Op, Require

UNGUARDED = "OX5002"
ASSERT = "OX7002"


@dataclass
class Guards:
    """What became of the checks of one kernel: how many were proven, how many stay, what is wrong.

    `relations`: of launch values, from which bounds checks that stay follow.
    """

    proven: int = 0
    checked: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    relations: dict[Op, Require] = field(default_factory=dict[Op, Require])


def prove(module: Module, *, unchecked_indexing: bool = False, no_assert: bool = False) -> Guards:
    """Drop proven checks from the module's kernel, in place. `unchecked_indexing` and `no_assert` drop those checks unproven."""
    dropped = {code for code, drop in ((BOUNDS, unchecked_indexing), (ASSERT, no_assert)) if drop}
    guards = Guards()
    keys = Keys()
    _Walk(keys, guards, dropped).block(module.kernel.body, Facts(keys, module.kernel))
    return guards


class _Walk:
    def __init__(self, keys: Keys, guards: Guards, dropped: set[str]) -> None:
        self.keys = keys
        self.guards = guards
        self.dropped = dropped

    def block(self, block: Block, facts: Facts) -> None:
        kept: list[Op] = []
        for op in block.ops:
            if op.name == "check" and not self.stays(op, facts):
                continue
            kept.append(op)
            if op.name == "if":
                self.branches(op, facts)
            elif op.name == "for":
                self.for_loop(op, facts)
            elif op.name == "while":
                self.while_loop(op, facts)
            elif op.name == "scope":
                self.block(op.regions[0], facts.branch())
        block.ops = kept

    def stays(self, op: Op, facts: Facts) -> bool:
        """Whether the check is needed. After it, its condition is a fact: the thread ends otherwise."""
        condition, code = op.operands[0], op.attrs["code"]
        if facts.holds(condition):
            self.guards.proven += 1
            return False
        if code == UNGUARDED:
            self.guards.diagnostics.append(_unguarded(op))
        elif code in self.dropped and not op.attrs.get("keep"):
            if code == BOUNDS:  # who leaves the check out answers for it
                facts.assume(condition, True)
            return False
        else:
            self.guards.checked += 1
            if code == BOUNDS and (relation := facts.relation(op)) is not None:
                self.guards.relations[op] = relation
        facts.assume(condition, True)
        return bool(code != UNGUARDED)

    def branches(self, op: Op, facts: Facts) -> None:
        for region, truth in zip(op.regions, (True, False), strict=True):
            inside = facts.branch()
            inside.assume(op.operands[0], truth)
            self.block(region, inside)
        for region, truth in zip(op.regions, (False, True), strict=True):
            if region.leaves:  # who goes on did not come this way
                facts.assume(op.operands[0], truth)

    def for_loop(self, op: Op, facts: Facts) -> None:
        start, stop, step = op.operands[:3]
        variable = op.regions[0].args[0]
        inside = facts.branch()
        if op.attrs.get("positive") or facts.interval(step)[0] > 0:
            op.attrs["positive"] = True
            inside.relate("lt", variable, stop)
            inside.relate("le", start, variable)
            if facts.interval(start)[0] >= 0:  # asked for here, with all that is known where the loop begins
                inside.nonnegative(variable)
        elif facts.interval(step)[1] < 0:
            inside.relate("gt", variable, stop)
            inside.relate("le", variable, start)
        self.block(op.regions[0], inside)

    def while_loop(self, op: Op, facts: Facts) -> None:
        before, body = op.regions
        inside = facts.branch()
        self.block(before, inside)
        if before.terminated and before.terminator.name == "condition":
            flag, *passed = before.terminator.operands
            for argument, value in zip(body.args, passed, strict=True):
                self.keys.alias(argument, value)
            inside.assume(flag, True)
        self.block(body, inside)


def _unguarded(op: Op) -> Diagnostic:
    name = op.attrs.get("slice", "")
    index = op.attrs.get("witness", "")
    test = f"`if {index} in {name}:`" if name and index else "`if idx in c:`"
    return Diagnostic(
        UNGUARDED,
        op.attrs["message"],
        op.span,
        label="nothing on the way here says that the index is inside",
        help=f"guard the access: {test}, or use `get_mut`",
    )
