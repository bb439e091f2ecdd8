"""`for` and `while`, with `break`, `continue`, `else`, and loops that are written out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from oxidepy.diagnostics import Span
from oxidepy.frontend.carry import Plan, after, settle_loop
from oxidepy.frontend.control import as_value, condition, scope
from oxidepy.frontend.convert import default_type
from oxidepy.frontend.dispatch import assigned, contains, execute, recover, statement, translate
from oxidepy.frontend.frame import Binding, Frame, Loop, State
from oxidepy.frontend.iterate import Counted, Written, iteration, not_unrolled
from oxidepy.frontend.merge import flatten, materialise, rebuild, scalars
from oxidepy.frontend.report import Poisoned, Refused
from oxidepy.frontend.targets import assign
from oxidepy.frontend.values import Conflict, Front, Literal, Missing, Poison, Typed, Weak, enum_of
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.types import Scalar

MOST_UNROLLED_CODE = 1 << 14  # operations of the rounds that are written out in one


def _body(frame: Frame, node: ast.For | ast.While) -> None:
    """One round: `continue` goes to its end."""
    if contains(node.body, ast.Continue, through_loops=False):
        with scope(frame, "continue") as exits:
            frame.loops[-1].continues = exits
            execute(frame, node.body)
        frame.loops[-1].continues = None
    else:
        execute(frame, node.body)


def _around(frame: Frame, node: ast.For | ast.While, run: Callable[[], None]) -> None:
    """The loop and its `else`, which `break` leaves."""
    loop = Loop(None, None)
    frame.loops.append(loop)
    try:
        if contains(node.body, ast.Break, through_loops=False):
            with scope(frame, "break") as exits:
                loop.breaks = exits
                run()
                loop.breaks = None
                _orelse(frame, node)
        else:
            run()
            _orelse(frame, node)
    finally:
        frame.loops.pop()  # not remove: loops without break and continue are equal to one another


def _orelse(frame: Frame, node: ast.For | ast.While) -> None:
    if node.orelse and frame.live:
        inner, frame.loops = frame.loops, frame.loops[:-1]  # break and continue there belong to the loop outside
        try:
            execute(frame, node.orelse)
        finally:
            frame.loops = inner


@statement(ast.Break, ast.Continue)
def _jump(frame: Frame, node: ast.Break | ast.Continue) -> None:
    loop = frame.loops[-1]
    exits = loop.breaks if isinstance(node, ast.Break) else loop.continues
    assert exits is not None, "the loop opened no scope for this"
    frame.leave(exits)


def _places(frame: Frame, node: ast.For | ast.While) -> Callable[[str], tuple[Span, ...]]:
    """Where a name is first bound inside the loop."""

    def find(name: str) -> tuple[Span, ...]:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id == name and isinstance(inner.ctx, ast.Store):
                return (frame.span(inner),)
        return ()

    return find


# ---- for


class _For:
    """A `for` operation over a counter."""

    def __init__(self, frame: Frame, node: ast.For, counted: Counted, names: Sequence[str]) -> None:
        self.frame = frame
        self.node = node
        self.counted = counted
        self.names = names
        self.block = Block()

    def translate(self, plan: Plan) -> State | None:
        frame, node = self.frame, self.node
        self.block = Block([self.counted.start.scalar, *plan.types()])
        with frame.region(self.block):
            variable, *args = self.block.args
            for name in self.names:
                if name not in plan.entry:
                    frame.bindings.pop(name, None)
            plan.enter(frame, args)
            assign(frame, node.target, self.counted.item(frame, variable))
            _body(frame, node)
            return frame.end("yield", self.block)

    def commit(self, plan: Plan, end: State | None) -> None:
        frame, counted = self.frame, self.counted
        if end is not None:
            self.block.ops[-1].operands += plan.pass_on(frame, self.block, end.bindings)
        elif self.block.ops[-1].name == "yield":
            self.block.ops[-1].operands += _undefined(frame, self.block, plan.types())
        operands: list[Value] = [counted.start, counted.stop, counted.step, *plan.initial(frame)]
        attrs: dict[str, Any] = {"positive": counted.positive}
        if counted.unroll > 1 and not self._too_long():
            attrs["unroll"] = counted.unroll
        op = Op("for", operands, plan.types(), attrs, (self.block,), frame.builder.span)
        frame.builder.block.ops.append(op)
        plan.leave(frame, op.results, end.bindings if end else {}, frame.span(self.node.target))
        after(frame, self.names, plan, _places(frame, self.node))

    def _too_long(self) -> bool:
        """Whether the rounds in one would be too much code: then a warning says so, and the loop stays one."""
        rounds, size = self.counted.unroll, _size(self.block)
        if rounds * size <= MOST_UNROLLED_CODE:
            return False
        why = f"{rounds} rounds of it are {rounds * size} operations, of which there may be {MOST_UNROLLED_CODE}"
        not_unrolled(self.frame, self.node.iter, why, "write fewer rounds in one")
        return True


def _size(block: Block) -> int:
    """The operations of a round as they will be written out."""
    return sum(1 + op.attrs.get("unroll", 1) * sum(_size(region) for region in op.regions) for op in block.ops)


def _undefined(frame: Frame, block: Block, types: Sequence[Scalar]) -> list[Value]:
    """Operands for a terminator that is never reached."""
    end = block.ops.pop()
    with frame.builder.at(block):
        values = [frame.builder.value("undef", type=type_) for type_ in types]
    block.ops.append(end)
    return values


@statement(ast.For)
def _for(frame: Frame, node: ast.For) -> None:
    try:
        rounds = iteration(frame, node.iter, translate(frame, node.iter))
    except (Refused, Poisoned) as stop:
        _translate_anyway(frame, node, stop)
        return
    if isinstance(rounds, Written):
        _around(frame, node, lambda: _write_out(frame, node, rounds))
        return
    if rounds.empty:
        _orelse(frame, node)
        return
    names = list(assigned([node.target, *node.body]))
    _around(frame, node, lambda: settle_loop(frame, names, _For(frame, node, rounds, names), certain=rounds.certain))


def _write_out(frame: Frame, node: ast.For, rounds: Written) -> None:
    for item in rounds.items:
        if not frame.live:
            return
        assign(frame, node.target, item, literal=rounds.literal)
        _body(frame, node)


def _translate_anyway(frame: Frame, node: ast.For, stop: Refused | Poisoned) -> None:
    """The loop's header was refused: look for further mistakes in its body, with the variable poisoned."""
    if isinstance(stop, Refused):
        frame.report(stop.diagnostic)
    frame.poison(list(assigned([node])))
    with frame.region(Block()):
        _around(frame, node, lambda: _body(frame, node))
    recover(frame, node)


# ---- while


class _While:
    """A `while` operation: its condition is a region of its own, and what it binds goes on into the body and behind the loop."""

    def __init__(self, frame: Frame, node: ast.While, names: Sequence[str]) -> None:
        self.frame = frame
        self.node = node
        self.names = names
        self.head = Block()
        self.body = Block()
        self.endless = False

    def translate(self, plan: Plan) -> State | None:
        frame, node = self.frame, self.node
        self.head = Block(plan.types())
        with frame.region(self.head):
            for name in self.names:
                if name not in plan.entry:
                    frame.bindings.pop(name, None)
            plan.enter(frame, self.head.args)
            flag = condition(frame, node.test)
            self.endless = flag is True
            operand = as_value(frame, flag)
            self.tested = dict(frame.bindings)
            self.head.ops.append(Op("condition", (operand,), span=frame.span(node.test)))
        self.passed = [name for name in self.names if name in self.tested and _known(self.tested[name].value)]
        return self._rounds(plan)

    def _rounds(self, plan: Plan) -> State | None:
        """Translate the body, which starts with what the condition left."""
        frame = self.frame
        self.templates: list[tuple[str, list[Scalar]]] = []
        self.body = Block()
        with frame.region(self.body):
            frame.bindings = dict(self.tested)
            if not plan.open:
                for name in self.passed:
                    self._pass(plan, name)
            _body(frame, self.node)
            return frame.end("yield", self.body)

    def _pass(self, plan: Plan, name: str) -> None:
        """Hand one name from the condition to the body, as arguments."""
        binding = self.tested[name]
        leaves = flatten(binding.value)
        planned = plan.carried.get(name) or [None] * len(leaves)
        types: list[Scalar] = []
        for leaf, wanted in zip(leaves, planned, strict=True):
            assert isinstance(leaf, (Typed, Literal, Weak))
            types.append(leaf.type if isinstance(leaf, Typed) else wanted or default_type(leaf))
        args: list[Front] = []
        for leaf, type_ in zip(leaves, types, strict=True):
            self.head.ops[-1].operands.append(materialise(self.frame, self.head, leaf, type_))
            argument = Value(type_, owner=self.body)
            self.body.args.append(argument)
            args.append(Typed(argument, enum_of(leaf)))
        self.templates.append((name, types))
        self.frame.bindings[name] = Binding(rebuild(binding.value, args), binding.span)

    def commit(self, plan: Plan, end: State | None) -> None:
        frame = self.frame
        if end is not None:
            self.body.ops[-1].operands += plan.pass_on(frame, self.body, end.bindings)
        elif self.body.ops[-1].name == "yield":
            self.body.ops[-1].operands += _undefined(frame, self.body, plan.types())
        types = [type_ for _, types in self.templates for type_ in types]
        op = Op("while", plan.initial(frame), types, None, (self.head, self.body), frame.builder.span)
        frame.builder.block.ops.append(op)
        rest = iter(op.results)
        for name, own in self.templates:
            binding = self.tested[name]
            span = end.bindings[name].span if end is not None and name in end.bindings else binding.span
            leaves = scalars(flatten(binding.value), [next(rest) for _ in own])
            frame.bindings[name] = Binding(rebuild(binding.value, leaves), span)
        for name, binding in plan.unusable.items():
            frame.bindings[name] = binding
        passed = {name for name, _ in self.templates}
        after(frame, [name for name in self.names if name not in passed], plan, _places(frame, self.node))
        frame.live = not self.endless


def _known(value: Front) -> bool:
    return not isinstance(value, (Missing, Poison, Conflict))


@statement(ast.While)
def _while(frame: Frame, node: ast.While) -> None:
    names = list(assigned([node.test, *node.body]))
    _around(frame, node, lambda: settle_loop(frame, names, _While(frame, node, names)))
