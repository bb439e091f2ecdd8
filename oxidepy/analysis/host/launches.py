"""What launches and operations ask of their arguments: that memory is there, not given away, not taken twice."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from oxidepy.analysis.host.model import (
    UNKNOWN,
    Buffer,
    Items,
    KernelShape,
    Operation,
    Param,
    Thing,
    Value,
    overlap,
)

if TYPE_CHECKING:
    from oxidepy.analysis.host.expressions import Evaluator
    from oxidepy.analysis.host.findings import Findings

Argument = tuple[Param, ast.expr, Value]


class Launches:
    def __init__(self, evaluator: Evaluator, findings: Findings) -> None:
        self.eval = evaluator
        self.findings = findings
        self.values: dict[ast.expr, Value] = {}  # of the arguments of the call that is looked at

    # ---- launches

    def launch(self, shape: KernelShape, node: ast.Call, *, checked: bool) -> Value:
        """`kernel.launch(stream, …)`, a prepared launch, or one that is not checked (and takes a configuration behind the stream)."""
        bound = self._bound(shape, node, node.args[1 if checked else 2 :], node.keywords)
        usable = [self.usable(value, place) for _, place, value in bound or ()]
        if bound and checked and all(usable):
            self._borrows(shape, node, bound)
        return UNKNOWN

    def operation(self, shape: KernelShape, node: ast.Call, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> Value:
        """An operation that runs the kernel later. What it writes belongs to it from now on; it gives back all that it took."""
        bound = self._bound(shape, node, args, keywords)
        state = self.eval.walker.state
        if bound is None or state is None:
            return Operation(shape.name, UNKNOWN, ())
        gives: list[Value] = []
        holds: list[Thing] = []
        usable = [self.usable(value, place) for _, place, value in bound]
        if all(usable):
            self._borrows(shape, node, bound)
        for param, _, value in bound:
            if isinstance(value, Buffer):
                holds.append(value.region)
                state.held[value.region] = node
                if param.mode in ("exclusive", "pointer"):
                    state.given[value.owner] = (node, f"the operation of `{shape.name}`")
                    value = replace(value, owner=Thing())
            gives.append(value)
        return Operation(shape.name, gives[0] if len(gives) == 1 else Items(tuple(gives)), tuple(holds))

    def _bound(
        self, shape: KernelShape, node: ast.Call, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]
    ) -> list[Argument] | None:
        """The arguments by parameter; None where they cannot be told, or do not fit (which is said)."""
        if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in keywords):
            return None
        params = {one.name: one for one in shape.params}
        places = dict(zip(params, args, strict=False))
        wrong = next((one for one in keywords if one.arg not in params or one.arg in places), None)
        places.update({one.arg: one.value for one in keywords if one.arg is not None})
        missing = [name for name, one in params.items() if name not in places and not one.optional]
        if len(args) > len(params) or wrong is not None or missing:
            if shape.params:
                self.findings.arity(node, shape, missing, wrong.arg if wrong is not None else None, len(args))
            return None
        bound: list[Argument] = []
        for name, place in places.items():
            bound.append((params[name], place, self.values.get(place, UNKNOWN)))
        unfit = [self._unfit(shape, one) for one in bound]
        return None if any(unfit) else bound

    def _unfit(self, shape: KernelShape, argument: Argument) -> bool:
        """Say what an argument is that the parameter does not take, where both are known."""
        param, place, value = argument
        if isinstance(value, Buffer) and value.kind == "buffer":
            if param.mode == "scalar":
                self.findings.unfit(place, shape, param, "a DeviceBuffer", "hand over a number, such as `b.to_host(stream)[0]`")
                return True
            if param.element is not None and value.element is not None and param.element != value.element:
                help = f"make it of {param.element}; `b.reinterpret({param.element})` takes its bytes for such"
                self.findings.unfit(place, shape, param, f"a DeviceBuffer of {value.element}", help)
                return True
        if type(value) in (int, str) and param.mode in ("shared", "exclusive", "pointer"):
            self.findings.unfit(place, shape, param, f"{value!r}", "hand over a buffer: `DeviceBuffer.from_host(stream, array)`")
            return True
        return False

    def _borrows(self, shape: KernelShape, node: ast.Call, bound: Sequence[Argument]) -> None:
        memory = [one for one in bound if one[0].mode in ("shared", "exclusive")]
        for number, second in enumerate(memory):
            for first in memory[:number]:
                modes = (first[0].mode, second[0].mode)
                if "exclusive" in modes and overlap(first[2], second[2]):
                    self.findings.aliased(node, shape, first[:2], second[:2])
                    return

    # ---- one use of memory

    def usable(self, value: Value, place: ast.expr) -> bool:
        """Whether memory may be used here; if it was given away, or freed, that is said."""
        state = self.eval.walker.state
        if state is None or not isinstance(value, Buffer):
            return True
        if value.owner in state.given:
            where, what = state.given[value.owner]
            self.findings.moved(place, where, what)
        elif value.region in state.released:
            self.findings.used_after_free(place, state.released[value.region])
        return value.owner not in state.given and value.region not in state.released

    def free(self, buffer: Buffer, place: ast.expr, node: ast.Call) -> None:
        state = self.eval.walker.state
        if state is None:
            return
        if buffer.region in state.held:
            self.findings.freed_in_use(node, state.held[buffer.region])
            return
        self.usable(buffer, place)
        state.released[buffer.region] = node

    def copied(self, buffer: Buffer, other: Value, node: ast.Call) -> None:
        if overlap(buffer, other):
            self.findings.copied(node)
