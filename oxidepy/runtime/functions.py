"""Functions and lambdas as arguments: what of them is code, what are run-time values."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Mapping
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
            captured[name] = plain(value)
            kinds.append((name, kind))
    seen = (function,)
    key = (*_text(function, seen), tuple(kinds), tuple((name, _identity(value, seen)) for name, value in fixed))
    return FunctionValue(FunctionArg(function, tuple(kinds)), key, captured, tuple(fixed))


def plain(number: Any) -> bool | int | float:
    """A captured scalar as a Python number; NumPy's are taken out of their wrapping."""
    found: bool | int | float = number if type_of(number) in (bool, int, float) else number.item()
    return found


def annotations_of(function: types.FunctionType) -> Any:
    """What says the types of a function's parameters, without evaluating it: from 3.14 on a function of its own, else a dict."""
    return getattr(function, "__annotate__", None) or function.__annotations__


def enclosed(function: types.FunctionType, path: str) -> Any:
    """A number that a kernel took from the function around it, as it is now. `path` names it, behind the helpers on the way: "helper.n"."""
    *way, name = path.split(".")
    for step in way:
        near = closure_of(function)
        function = near[step] if step in near else function.__globals__[step]
    return plain(closure_of(function)[name])


def _text(function: types.FunctionType, seen: tuple[Any, ...]) -> tuple[Any, ...]:
    """All of a function but what it captured: the same code may have other defaults and, made in a factory, other annotations."""
    said = annotations_of(function)
    given = _identity(said, seen) if isinstance(said, types.FunctionType) else _by_name(said, seen)
    return (
        function.__code__,
        id(function.__globals__),
        _identities(function.__defaults__, seen),
        _by_name(function.__kwdefaults__, seen),
        given,
        tuple((name, _identity(value, seen)) for name, value in of_module(function)),
    )


@functools.lru_cache(maxsize=4096)
def _names(code: types.CodeType) -> tuple[str, ...]:
    """The names that code reads of its module, among others."""
    inner = [name for one in code.co_consts if isinstance(one, types.CodeType) for name in _names(one)]
    return tuple(sorted({*code.co_names, *inner}))


def of_module(function: types.FunctionType) -> list[tuple[str, Any]]:
    """The constants and functions of the module that a function names, as they are now: a loop at the top of a file changes them between
    launches, and a notebook defines functions again."""
    if (function.__module__ or "").startswith("oxidepy."):
        return []
    space = function.__globals__
    return [(name, space[name]) for name in _names(function.__code__) if isinstance(space.get(name), _CONSTANTS)]


_CONSTANTS = (bool, int, float, str, tuple, enum.Enum, types.FunctionType)


def _identity(value: Any, seen: tuple[Any, ...]) -> Any:
    """What makes a captured object the same code: a function's own code, a number's type and value, else the object itself. `seen` are
    the functions on the way here, of which a recursive one is again met."""
    if isinstance(value, types.FunctionType):
        met = next((number for number, one in enumerate(seen) if one is value), None)
        if met is not None:
            return "recursive", met
        inner = (*seen, value)
        return *_text(value, inner), tuple((name, _identity(one, inner)) for name, one in sorted(closure_of(value).items()))
    if isinstance(value, (int, float, str)) or value is None:
        return type(value), value.hex() if isinstance(value, float) else value  # by bits: -0.0 equals 0.0, a NaN not even itself
    if isinstance(value, tuple):
        return _identities(value, seen)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, types.GenericAlias):  # `Slice[f32]` in an annotation is a new object at each evaluation
        return types.GenericAlias, _identity(value.__origin__, seen), _identities(value.__args__, seen)
    return id(value)  # the variant keeps the object alive, so the number stays its own


def _identities(values: tuple[Any, ...] | None, seen: tuple[Any, ...]) -> Any:
    return None if values is None else tuple(_identity(one, seen) for one in values)


def _by_name(values: Mapping[str, Any] | None, seen: tuple[Any, ...]) -> Any:
    return None if values is None else tuple((name, _identity(one, seen)) for name, one in sorted(values.items()))
