"""`require`: relations between lengths and scalars, evaluated in exact integers at every launch."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from oxidepy.ir.core import Require
from oxidepy.runtime.functions import FunctionValue
from oxidepy.runtime.refusal import launch_error

if TYPE_CHECKING:
    from oxidepy.runtime.config import LaunchConfig

Look = Callable[[tuple[Any, ...]], Any]  # a leaf of the tree → its value
LEAVES = frozenset(("scalar", "len", "size", "field", "grid"))

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": lambda a, b: a // b, "%": operator.mod, "min": min, "max": max,
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def evaluate(tree: tuple[Any, ...], look: Look) -> Any:
    """The value of a tree as `ir.core.Require` describes it. ZeroDivisionError where it divides by zero."""
    kind = tree[0]
    if kind == "int":
        return tree[1]
    if kind in LEAVES:
        return look(tree)
    if kind == "neg":
        return -evaluate(tree[1], look)
    if kind == "and":
        return evaluate(tree[1], look) and evaluate(tree[2], look)
    if kind == "or":
        return evaluate(tree[1], look) or evaluate(tree[2], look)
    return _BINARY[kind](evaluate(tree[1], look), evaluate(tree[2], look))


def source(tree: tuple[Any, ...], leaf: Callable[[tuple[Any, ...]], str]) -> str:
    """The same as a Python expression."""
    kind = tree[0]
    if kind == "int":
        return f"({tree[1]})"
    if kind in LEAVES:
        return leaf(tree)
    if kind == "neg":
        return f"(-{source(tree[1], leaf)})"
    first, second = source(tree[1], leaf), source(tree[2], leaf)
    return f"{kind}({first}, {second})" if kind in ("min", "max") else f"({first} {kind} {second})"


def lookup(values: dict[str, Any], config: LaunchConfig) -> Look:
    """Leaves from the bound arguments of a launch."""

    def look(leaf: tuple[Any, ...]) -> Any:
        kind, name = leaf[0], leaf[1]
        if kind == "grid":
            return config.extent(name)
        if kind == "len":
            return values[name].shape[leaf[2]]
        if kind == "size":
            return values[name].size
        value = values[name]
        if kind != "field":
            return value
        return value.captured[leaf[2]] if isinstance(value, FunctionValue) else value[leaf[2]]

    return look


def check(requires: tuple[Require, ...], values: dict[str, Any], config: LaunchConfig, kernel: str) -> None:
    """LaunchError OX2005 naming the first relation that does not hold, and the values in it."""
    look = lookup(values, config)
    for one in requires:
        try:
            if evaluate(one.expr, look):
                continue
            reason = _sides(one.expr, look)
        except ZeroDivisionError:
            reason = "it divides by zero"
        used = ", ".join(dict.fromkeys(f"{spelled(leaf)} = {look(leaf)}" for leaf in _leaves(one.expr)))
        raise launch_error(
            "OX2005",
            f"`{kernel}` requires {one.text}, and {reason}",
            notes=[used] if used else [],
            help="hand over arguments for which the relation holds",
        )


def hold(relations: Sequence[Require], values: dict[str, Any], config: LaunchConfig) -> bool:
    """Whether all of them are true of a launch."""
    look = lookup(values, config)
    return all(evaluate(one.expr, look) for one in relations)


def spelled(leaf: tuple[Any, ...]) -> str:
    """A leaf as the kernel writes it."""
    kind, name = leaf[0], leaf[1]
    if kind == "grid":
        return f"grid.dim.{'xyz'[name]}"
    if kind == "len":
        return f"len({name})" if leaf[2] == 0 else f"{name}.shape[{leaf[2]}]"
    return f"{name}.size" if kind == "size" else f"{name}.{leaf[2]}" if kind == "field" else str(name)


def _sides(tree: tuple[Any, ...], look: Look) -> str:
    """Why it is false: the two sides of the comparison that fails."""
    if tree[0] == "and":
        return _sides(tree[2] if evaluate(tree[1], look) else tree[1], look)
    if tree[0] in _COMPARISONS:
        return f"it is {evaluate(tree[1], look)} {tree[0]} {evaluate(tree[2], look)}"
    return "it is false"


def _leaves(tree: Any) -> list[tuple[Any, ...]]:
    if tree[0] in LEAVES:
        return [tree]
    return [leaf for branch in tree[1:] if isinstance(branch, tuple) for leaf in _leaves(branch)]


def of_grid(tree: tuple[Any, ...]) -> bool:
    """Whether the relation depends on the configuration."""
    return any(leaf[0] == "grid" for leaf in _leaves(tree))
