"""Structured control: a branch with both its sides, and a scope that can be left early."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from contextlib import contextmanager

from oxidepy.frontend.convert import source
from oxidepy.frontend.dispatch import translate
from oxidepy.frontend.frame import RESULT, Binding, Exits, Frame, State
from oxidepy.frontend.merge import join, resolve
from oxidepy.frontend.methods import special
from oxidepy.frontend.values import Cell, Front, Literal, SliceValue, StructValue, Text, TupleValue, Typed, Weak, Witness, describe
from oxidepy.ir.core import Block, Op, Value
from oxidepy.ir.types import BOOL


def branch(frame: Frame, condition: Value, then: Callable[[], Front | None], orelse: Callable[[], Front | None]) -> Front | None:
    """An `if`. Each side may bind names and give a value; the two meet behind it. Refused if the two values have different types."""
    before = frame.bindings
    blocks = (Block(), Block())
    states: list[State] = []
    dead: list[Block] = []
    gives = False
    for block, side in zip(blocks, (then, orelse), strict=True):
        with frame.region(block):
            value = side()
            if value is not None:
                gives = True
                frame.bindings[RESULT] = Binding(value, frame.builder.span)
            collect(frame, block, states, dead)
    join(frame, _append(frame, Op("if", (condition,), (), None, blocks, frame.builder.span)), states, before, dead)
    return resolve(frame, RESULT) if gives else None


def collect(frame: Frame, block: Block, states: list[State], dead: list[Block]) -> None:
    """End a region that yields: it is one of the ways that meet, or its end is never reached."""
    left = block.terminated
    state = frame.end("yield", block)
    if state is not None:
        states.append(state)
    elif not left:
        dead.append(block)


def _append(frame: Frame, op: Op) -> Op:
    frame.builder.block.ops.append(op)
    return op


@contextmanager
def scope(frame: Frame, what: str) -> Generator[Exits]:
    """Translate the body of the `with` into a scope that `frame.leave` can end; if nothing does, its operations stand by themselves."""
    before = frame.bindings
    outer, block = frame.builder.block, Block()
    states: list[State] = []
    dead: list[Block] = []
    with frame.exits(what) as exits:
        with frame.region(block):
            yield exits
            if not exits.states and not block.terminated:
                bindings, live = frame.bindings, frame.live
            else:
                bindings, live = None, True
                collect(frame, block, states, dead)
    if bindings is not None:
        outer.ops.extend(block.ops)
        frame.bindings, frame.live = bindings, live
        return
    op = _append(frame, Op("scope", (), (), {"label": exits.label}, (block,), frame.builder.span))
    join(frame, op, [*exits.states, *states], before, dead)


def condition(frame: Frame, node: ast.expr) -> Value | bool:
    """A truth value: True or False where it is known at compile time. OX0308 for anything but a bool."""
    value = translate(frame, node)
    if (found := special(frame, node, value, "__bool__")) is not None:
        value = found
    if isinstance(value, Typed) and value.type == BOOL:
        return value.value
    if isinstance(value, Literal) and isinstance(value.value, bool):
        return value.value
    text = f"({source(node)})" if isinstance(node, ast.IfExp) else source(node)
    if isinstance(value, (Typed, Literal, Weak)):
        raise frame.refuse(
            node,
            "OX0308",
            f"mismatched types: a condition is a `bool`, and this is {describe(value)}",
            help=f"write what is meant: `{text} != 0`",
        )
    ways: dict[type[Front], str] = {Witness: f"`{text} in c`", Cell: f"`{text} is not None`"}
    ways |= dict.fromkeys((SliceValue, TupleValue, Text), f"`len({text}) != 0`")
    if isinstance(value, StructValue):
        ways[StructValue] = f"`{text}.{value.layout.fields[0].name} != 0`, or a method `__bool__` of `{value.layout.name}`"
    help = ways.get(type(value))
    raise frame.refuse(
        node,
        "OX0308",
        f"mismatched types: a condition is a `bool`, and this is {describe(value)}",
        help=help and f"write what is meant: {help}",
    )


def as_value(frame: Frame, flag: Value | bool) -> Value:
    return frame.builder.const(BOOL, flag) if isinstance(flag, bool) else flag
