"""The two halves of the cluster's barrier take turns: a wait before any arrival is OX0381, a second arrival before the wait OX0382.

All threads of a cluster come to each of them together (OX3001), so one way through the kernel stands for all threads. Only what is certain
is refused: on every way that comes there, the other half is what has to come next. A loop is taken to have a second round.
"""

from __future__ import annotations

from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Block, Module, Op

ARRIVE, WAIT, SYNC = "cluster.arrive", "cluster.wait", "cluster.sync"
_States = frozenset["Op | None"]  # what may hold: the arrival that has no wait yet, or None
_IDLE: _States = frozenset((None,))
_NOWHERE: _States = frozenset()


def analyse(module: Module) -> tuple[Diagnostic, ...]:
    """The findings of a kernel, each once."""
    walk = _Walk()
    if any(op.attrs.get("row") in (ARRIVE, WAIT) for op in module.kernel.body.walk()):
        walk.block(module.kernel.body, _IDLE)
    return tuple(walk.found.values())


class _Walk:
    def __init__(self) -> None:
        self.found: dict[Op, Diagnostic] = {}
        self.left: dict[str, _States] = {}  # with what the ends of scopes are reached

    def block(self, block: Block, states: _States) -> _States:
        """What may hold at the end of the block; nothing if it has no end."""
        for op in block.ops:
            if op.name == "leave":
                label = op.attrs["label"]
                self.left[label] = self.left.get(label, _NOWHERE) | states
                return _NOWHERE
            if op.name == "intrinsic":
                states = self.half(op, states)
            elif op.regions:
                states = self.control(op, states)
        return states

    def control(self, op: Op, states: _States) -> _States:
        if op.name == "if":
            return _NOWHERE.union(*(self.block(region, states) for region in op.regions))
        if op.name == "scope":
            ended = self.block(op.regions[0], states)
            return ended | self.left.pop(op.attrs["label"], _NOWHERE)
        every = states if op.name == "for" else _NOWHERE
        for _ in range(2):  # the second round begins as the first one ended
            for number, region in enumerate(op.regions):
                states = self.block(region, states)
                every |= states if op.name == "for" or number == 0 else _NOWHERE
        return every if op.name == "for" else every | self.block(op.regions[0], states)

    def half(self, op: Op, states: _States) -> _States:
        row = op.attrs["row"]
        if row not in (ARRIVE, WAIT, SYNC) or not states:
            return states
        if row == WAIT:
            if states == _IDLE:
                help = "`cluster.arrive()` comes first, once for each wait"
                self.found.setdefault(op, Diagnostic("OX0381", f"`{WAIT}` before `{ARRIVE}`", op.span, help=help))
            return _IDLE
        if None not in states:
            places = [one.span for one in states if one is not None and one.span is not None]
            labels = tuple(Label(one, "these threads have come here") for one in sorted(set(places), key=lambda one: one.line)[:1])
            message = f"`{row}` where `{WAIT}` has to come next"
            self.found.setdefault(op, Diagnostic("OX0382", message, op.span, labels=labels, help=f"write `{WAIT}()` before it"))
        return frozenset((op,)) if row == ARRIVE else _IDLE
