"""Accumulators of products that are under way: nothing reads them until a wait has handed them on. A fence comes before the products, and a
group is made of them before the wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from oxidepy.diagnostics import Diagnostic, Label
from oxidepy.ir.core import Block, Module, Op, Value
from oxidepy.ir.intrinsics import ROWS

_PRODUCTS = ("wgmma.m64", "wgmma.sparse.")
_PASSING = frozenset(("yield", "leave", "condition", "for", "while"))


def check(module: Module) -> tuple[Diagnostic, ...]:
    """OX0381 for every operation that reads an accumulator between its product and `wgmma.wait_group`, once a product."""
    ops = list(module.kernel.body.walk())
    products = [op for op in ops if op.name == "intrinsic" and op.attrs["row"].startswith(_PRODUCTS)]
    if not products:
        return ()
    origin = _under_way(products, list(_flows(module.kernel.body, {})))
    order = _Order(origin)
    order.block(module.kernel.body, _State())
    found: dict[Op, Diagnostic] = order.found
    for op in ops:
        read = op.operands
        if op.name in _PASSING:
            continue
        if op.name == "intrinsic" and op.attrs["row"].startswith(("wgmma.wait_group", *_PRODUCTS)):
            read = _read(op)
        product = next((origin[one] for one in read if one in origin), None)
        if product is not None and product not in found:
            labels = (Label(product.span, "the product begins here"),) if product.span is not None else ()
            found[product] = Diagnostic(
                "OX0381",
                f"an accumulator of `{product.attrs['row']}` is read before the product is done",
                op.span,
                label="read here",
                labels=labels,
                help="wait first: `wgmma.commit_group()`, then `acc = wgmma.wait_group(0, acc)`",
            )
    return tuple(found.values())


@dataclass(frozen=True)
class _State:
    """What has happened: a fence on some way here, and the products of which no group has been made yet."""

    fenced: bool = False
    open: frozenset[Op] = frozenset()


class _Order:
    """Walks a kernel in order. Of a branch that makes a group it is not asked when it is taken."""

    def __init__(self, origin: dict[Value, Op]) -> None:
        self.origin = origin
        self.found: dict[Op, Diagnostic] = {}

    def block(self, block: Block, state: _State) -> _State:
        for op in block.ops:
            if op.regions:
                state = self.control(op, state)
            elif op.name == "intrinsic" and op.attrs["row"].startswith("wgmma."):
                state = self.step(op, state)
        return state

    def control(self, op: Op, state: _State) -> _State:
        if op.name == "if":
            ends = [self.block(one, state) for one in op.regions]
            ways = [end for end, one in zip(ends, op.regions, strict=True) if not one.leaves] or ends
            everywhere = [product for product in ways[0].open if all(product in one.open for one in ways)]
            return _State(any(one.fenced for one in ways), frozenset(everywhere))
        end = state
        for region in op.regions:
            end = self.block(region, end)
        return end if op.name == "scope" else _State(end.fenced, state.open | end.open)

    def step(self, op: Op, state: _State) -> _State:
        row = op.attrs["row"]
        if row == "wgmma.fence":
            return _State(True, state.open)
        if row == "wgmma.commit_group":
            return _State(state.fenced)
        if row.startswith("wgmma.wait_group"):
            product = next((self.origin[one] for one in op.operands if self.origin.get(one) in state.open), None)
            if product is not None:
                labels = (Label(product.span, "the product begins here"),) if product.span is not None else ()
                message = f"the wait for `{product.attrs['row']}` stands before its group is made"
                help = "make the group first: `wgmma.commit_group()` behind the products"
                self.found.setdefault(product, Diagnostic("OX0381", message, op.span, labels=labels, help=help))
        elif row.startswith(_PRODUCTS):
            if not state.fenced:
                help = "write `wgmma.fence()` before the first product, and behind what writes its sums or registers"
                self.found.setdefault(op, Diagnostic("OX0381", f"`{row}` without a fence before it", op.span, help=help))
            return _State(True, state.open | {op})
        return state


def _read(op: Op) -> list[Value]:
    """What a product or a wait reads at once: all but the accumulators, which it hands on."""
    code = ROWS[op.attrs["row"]].assembly
    assert code is not None
    return [value for one, given in code.given(op.operands) if one.name != "d" for value in given]


def _under_way(products: list[Op], flows: list[tuple[Value, Value]]) -> dict[Value, Op]:
    """Every value that may be such an accumulator, and a product that it comes from."""
    origin = {result: op for op in products for result in op.results}
    behind: dict[Value, list[Value]] = {}
    for source, target in flows:
        behind.setdefault(source, []).append(target)
    ahead = list(origin)
    while ahead:
        value = ahead.pop()
        for target in behind.get(value, ()):
            if target not in origin:
                origin[target] = origin[value]
                ahead.append(target)
    return origin


def _flows(block: Block, scopes: dict[str, Op]) -> Iterator[tuple[Value, Value]]:
    """(value, where control flow carries it)."""
    for op in block.ops:
        if op.name == "leave":
            yield from zip(op.operands, scopes[op.attrs["label"]].results, strict=True)
        inner = {**scopes, op.attrs["label"]: op} if op.name == "scope" else scopes
        for region in op.regions:
            yield from _flows(region, inner)
        if op.name in ("if", "scope"):
            for region in op.regions:
                if region.terminator.name == "yield":
                    yield from zip(region.terminator.operands, op.results, strict=True)
        elif op.name == "for":
            yield from _loop(op, op.operands[3:], op.regions[0], op.regions[0].args[1:])
        elif op.name == "while":
            test, body = op.regions
            yield from zip(op.operands, test.args, strict=True)
            if test.terminator.name == "condition":
                passed = test.terminator.operands[1:]
                yield from zip(passed, body.args, strict=True)
                yield from zip(passed, op.results, strict=True)
            if body.terminator.name == "yield":
                yield from zip(body.terminator.operands, test.args, strict=True)


def _loop(op: Op, initial: list[Value], body: Block, args: list[Value]) -> Iterator[tuple[Value, Value]]:
    yield from zip(initial, args, strict=True)
    yield from zip(initial, op.results, strict=True)
    if body.terminator.name == "yield":
        yield from zip(body.terminator.operands, args, strict=True)
        yield from zip(body.terminator.operands, op.results, strict=True)
