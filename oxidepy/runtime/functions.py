"""Functions and lambdas as arguments: what of them is code, what are run-time values."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from oxidepy.lang.definition import FunctionArg
from oxidepy.lang.resolve import closure_of
from oxidepy.lang.scalars import scalar_of
from oxidepy.runtime.untyped import type_of


@dataclass(frozen=True)
class FunctionValue:
    """A function argument of one launch. `key` is equal for functions that share compiled code; `captured` are the numbers of this one
    by name."""

    argument: FunctionArg
    key: tuple[Any, ...]
    captured: dict[str, Any]
    fixed: tuple[tuple[str, Any], ...]  # captured variables that are compiled in


def capture_type(value: Any) -> str | None:
    """The type of a captured run-time scalar: "int", "float" (which follow the literal rule), "bool" or a scalar's name; None for
    anything else."""
    kind = type_of(value)
    if kind is int or kind is float or kind is bool:
        return kind.__name__
    scalar = scalar_of(kind)
    return scalar.name if scalar is not None else None


def function_value(function: types.FunctionType) -> FunctionValue:
    """Take a function apart. Captured scalars become parameters; functions and other captured objects belong to the code."""
    captured: dict[str, Any] = {}
    kinds: list[tuple[str, str]] = []
    fixed: list[tuple[str, Any]] = []
    for name, value in sorted(closure_of(function).items()):
        kind = capture_type(value)
        if kind is None:
            fixed.append((name, value))
        else:
            captured[name] = value if kind in ("int", "float", "bool") else value.item()
            kinds.append((name, kind))
    key = (
        function.__code__,
        id(function.__globals__),
        _identities(function.__defaults__),
        tuple(kinds),
        tuple((name, _identity(value)) for name, value in fixed),
    )
    return FunctionValue(FunctionArg(function, tuple(kinds)), key, captured, tuple(fixed))


def enclosed(function: types.FunctionType, path: str) -> Any:
    """A number that a kernel took from the function around it, as it is now. `path` names it, behind the helpers on the way: "helper.n"."""
    *way, name = path.split(".")
    for step in way:
        near = closure_of(function)
        function = near[step] if step in near else function.__globals__[step]
    value = closure_of(function)[name]
    return value if capture_type(value) in ("int", "float", "bool") else value.item()


def _identity(value: Any) -> Any:
    """What makes a captured object the same code: a function's own code, a number's type and value, else the object itself."""
    if isinstance(value, types.FunctionType):
        inner = closure_of(value)
        return (
            value.__code__,
            id(value.__globals__),
            _identities(value.__defaults__),
            tuple((name, _identity(one)) for name, one in sorted(inner.items())),
        )
    if isinstance(value, (int, float, str, bool)) or value is None:
        return type(value), value
    if isinstance(value, tuple):
        return _identities(value)  # pyright: ignore[reportUnknownArgumentType]
    return id(value)  # the variant keeps the object alive, so the number stays its own


def _identities(values: tuple[Any, ...] | None) -> Any:
    return None if values is None else tuple(map(_identity, values))
