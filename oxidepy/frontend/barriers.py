"""`barrier`: arrays of barriers in shared memory, arrivals at them, waits for their phases."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from oxidepy.frontend.calls import arguments, keywords
from oxidepy.frontend.convert import convert, source
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.hardware import emit
from oxidepy.frontend.places import BARRIERS, element_at, widen
from oxidepy.frontend.scratch import barriers
from oxidepy.frontend.values import Front, SliceValue, Text, Typed, describe, known_integer
from oxidepy.ir.core import Value
from oxidepy.ir.intrinsics import ROWS
from oxidepy.ir.types import U32, U64, Scalar

MOST = (1 << 20) - 1  # arrivals of a phase, and bytes to come


@call("barrier.array")
def _array(frame: Frame, node: ast.Call) -> Front:
    given = arguments(frame, node, 0, 1)
    number = known_integer(given[0]) if given else 1
    if number is None or not 1 <= number <= 1 << 12:
        raise frame.refuse(
            node, "OX0308", "the number of barriers is from 1 to 4096, known at compile time", help="write `barrier.array(2)`"
        )
    return barriers(frame, node, number, BARRIERS)


def barrier_at(frame: Frame, node: ast.Call, array: Front, index: Front, place: int) -> tuple[str, list[Value]]:
    """The memory space and the address of a barrier, whose array is the argument of that number. OX0308 for anything else."""
    where = node.args[place]
    if not isinstance(array, SliceValue) or array.kind != BARRIERS:
        message = f"mismatched types: `{source(node.func)}` takes an array of barriers, and this is {describe(array)}"
        raise frame.refuse(where, "OX0308", message, help="make one: `bars = barrier.array(1)`")
    found = element_at(frame, node.args[place + 1], replace(array, kind="SliceMut"), index)
    return array.memory.memory.space, [found.slice.memory, found.index]


def _operation(name: str, number: tuple[str, Scalar] | None = None, far: str = "") -> Callable[[Frame, ast.Call], Front]:
    """A call over a barrier, perhaps with a number. `far`: the row for barriers of other blocks of the cluster."""

    def handler(frame: Frame, node: ast.Call) -> Front:
        given = arguments(frame, node, 3 if number else 2)
        space, operands = barrier_at(frame, node, given[0], given[1], 0)
        row = name
        if space == "cluster":
            row = far or _own_alone(frame, node)
        if number is not None:
            value = number_of(frame, node.args[2], given[2], *number)
            _limited(frame, node.args[2], value, number)
            operands.append(_last_bit(frame, value) if number is _PARITY else value)
        return emit(frame, node, ROWS[row], operands)

    return call(name)(handler)


def number_of(frame: Frame, place: ast.AST, value: Front, what: str, scalar: Scalar) -> Value:
    """A number of the hardware: of any integer type the low 32 bits; a token is a u64."""
    if scalar == U32 and isinstance(value, Typed) and value.type.is_int:
        return widen(frame, value.value, U32)
    return convert(frame, place, value, scalar, what)


def _limited(frame: Frame, node: ast.AST, value: Value, number: tuple[str, Scalar]) -> None:
    """OX2003 for a constant that no barrier counts."""
    what, scalar = number
    known = value.constant
    if known is None or scalar != U32:
        return
    if number is _PARITY and known not in (0, 1):
        help = "phases are told apart by their number modulo 2: 0 is the first, 1 the second"
        raise frame.refuse(node, "OX2003", f"the parity is 0 or 1, and this is {known}", help=help)
    if number is not _PARITY and not 1 <= known <= MOST:
        raise frame.refuse(node, "OX2003", f"{what} is from 1 to {MOST}, and this is {known}")


def _last_bit(frame: Frame, parity: Value) -> Value:
    """Of a number that is known at run time only; the hardware says nothing of other bits."""
    return parity if parity.constant is not None else frame.builder.value("and", parity, frame.builder.const(U32, 1))


def _own_alone(frame: Frame, node: ast.Call) -> NoReturn:
    message = f"`{source(node.func)}` is for barriers of the own block"
    raise frame.refuse(node.args[0], "OX0308", message, help="other blocks arrive at a barrier; its own block begins it and waits")


_COUNT, _BYTES, _TOKEN, _PARITY = ("the count", U32), ("the number of bytes", U32), ("the token", U64), ("the parity", U32)
_operation("barrier.init", _COUNT)
_operation("barrier.inval")
_operation("barrier.arrive_no_complete", _COUNT)
_operation("barrier.expect_tx", _BYTES, "barrier.expect_tx_far")
_operation("barrier.arrive_expect_tx", _BYTES, "barrier.arrive_expect_tx_far")
_operation("barrier.complete_tx", _BYTES, "barrier.complete_tx_far")
for _word in ("wait", "test_wait", "try_wait"):
    _operation(f"barrier.{_word}", _TOKEN)
    _operation(f"barrier.{_word}_parity", _PARITY)


def _arrival(name: str) -> None:
    """One arrival is an instruction of its own, which older architectures have too."""

    @call(name)
    def handler(frame: Frame, node: ast.Call) -> Front:
        array, index, *counts = arguments(frame, node, 2, 3)
        space, operands = barrier_at(frame, node, array, index, 0)
        if not counts and space == "shared":
            return emit(frame, node, ROWS[name], operands)
        count = frame.builder.const(U32, 1) if not counts else number_of(frame, node.args[2], counts[0], *_COUNT)
        _limited(frame, node, count, _COUNT)
        return emit(frame, node, ROWS[f"{name}_{'far' if space == 'cluster' else 'count'}"], [*operands, count])


_arrival("barrier.arrive")
_arrival("barrier.arrive_drop")


_SPACES = {"all": "", "shared": ".shared::cta", "cluster": ".shared::cluster", "global": ".global"}


@call("barrier.fence_proxy_async")
def _fence(frame: Frame, node: ast.Call) -> Front:
    given = list(zip(arguments(frame, node, 0, 1, keywords=("space",)), node.args, strict=True)) or list(keywords(frame, node).values())
    space = "all"
    for value, place in given:
        if not isinstance(value, Text) or value.value not in _SPACES:
            help = "it is " + " or ".join(f'"{one}"' for one in _SPACES)
            raise frame.refuse(place, "OX0308", f"mismatched types: the space is {describe(value)}", help=help)
        space = value.value
    return emit(frame, node, ROWS["barrier.fence_proxy_async"], (), {"space": _SPACES[space]})
