"""`math`: operations of the IR, and functions of our own that are written in the kernel language and compiled into the module."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.constructs import not_yet
from oxidepy.frontend.convert import default_type, kind_of, operands, source, unify
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.functions import inline
from oxidepy.frontend.values import Front, FunctionValue, Literal, Typed, Weak
from oxidepy.ir.core import Block, Function, Value
from oxidepy.ir.types import BOOL, Scalar

# functions that are one operation: name → (IR operation, arguments)
OPERATIONS: dict[str, tuple[str, int]] = {
    "sqrt": ("sqrt", 1),
    "floor": ("floor", 1),
    "ceil": ("ceil", 1),
    "trunc": ("trunc", 1),
    "rint": ("rint", 1),
    "round": ("rint", 1),
    "copysign": ("copysign", 2),
    "fma": ("fma", 3),
}
TESTS = ("isnan", "isinf", "isfinite")

# functions of our own: name → (module of the kernel language, arguments); `exp` of f32 is its `exp_f32`
FUNCTIONS: dict[str, tuple[str, int]] = {
    "exp": ("oxidepy.lang.functions.exp", 1),
}


def _floats(frame: Frame, node: ast.Call, count: int) -> tuple[Scalar, list[Value]] | list[Literal]:
    """The arguments in their common float type, or as they are where all are literals. OX0308 for integers."""
    values = arguments(frame, node, count)
    literals = [one for one in values if isinstance(one, Literal) and not isinstance(one.value, bool)]
    if len(literals) == len(values):
        return literals
    given = list(zip(values, node.args, strict=True))
    text = f"`{source(node.func)}`"
    scalar = unify(frame, node, given, text)
    if scalar is None:
        loose = [one for one in values if isinstance(one, (Literal, Weak))]
        scalar = default_type(next((one for one in loose if kind_of(one) == "float"), Literal(0.0)))
    if not scalar.is_float:
        place = next(place for value, place in given if isinstance(value, Typed))
        help = f"convert it: `f32({source(place)})`"
        raise frame.refuse(
            node, "OX0308", f"mismatched types: {text} is for floats, and this is `{scalar}`", help=help if scalar != BOOL else None
        )
    return scalar, operands(frame, node, given, scalar)


def _operation(name: str, op: str, count: int) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        found = _floats(frame, node, count)
        if isinstance(found, list):
            return _folded(frame, node, name, [one.value for one in found])
        return Typed(frame.builder.value(op, *found[1]))

    return handler


def _folded(frame: Frame, node: ast.Call, name: str, numbers: Sequence[float]) -> Front:
    """A function of literals. Exact ones are computed at once; others are computed on the device, in the type of a lone literal."""
    fold = _FOLDS.get(name)
    if fold is None or any(isinstance(one, int) and one.bit_length() > 1000 for one in numbers):
        values = [frame.builder.const(default_type(Literal(1.0)), _single(one)) for one in numbers]
        return Typed(frame.builder.value(OPERATIONS[name][0], *values))
    return Literal(fold(*(float(one) for one in numbers)))


def _single(number: float) -> float:
    from oxidepy.lang.scalars import cast

    return float(cast(default_type(Literal(1.0)), number))


def _keep_special(rounded: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: math.copysign(float(rounded(x)), x) if math.isfinite(x) else x


# sqrt is not among them: rounding it to f64 and then to f32 may differ from the root in f32
_FOLDS: dict[str, Callable[..., float]] = {
    "floor": _keep_special(math.floor),
    "ceil": _keep_special(math.ceil),
    "trunc": _keep_special(math.trunc),
    "rint": _keep_special(round),
    "round": _keep_special(round),
    "copysign": math.copysign,
}


def _test(name: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        found = _floats(frame, node, 1)
        if isinstance(found, list):
            return Literal(bool(getattr(math, name)(found[0].value)))
        return Typed(frame.builder.value(name, *found[1]))

    return handler


def _called(name: str, count: int) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        found = _floats(frame, node, count)
        scalar = default_type(Literal(1.0)) if isinstance(found, list) else found[0]
        values = [frame.builder.const(scalar, _single(one.value)) for one in found] if isinstance(found, list) else found[1]
        return Typed(function(frame, node, name, scalar, values))

    return handler


for _name, (_op, _count) in OPERATIONS.items():
    call(f"math.{_name}")(_operation(_name, _op, _count))
for _name in TESTS:
    call(f"math.{_name}")(_test(_name))
for _name, (_module, _count) in FUNCTIONS.items():
    call(f"math.{_name}")(_called(_name, _count))


# ---- functions of the library


def function(frame: Frame, node: ast.AST, name: str, scalar: Scalar, values: Sequence[Value]) -> Value:
    """Call a function of the library, which is lowered once a module. OX0658 for one that this version does not have."""
    if name not in FUNCTIONS:
        raise not_yet(frame, node, f"math.{name}")
    symbol = f"{name}_{scalar}"
    functions = frame.lowering.functions
    if symbol not in functions:
        functions[symbol] = _lowered(frame, node, symbol, FUNCTIONS[name][0], scalar, len(values))
    return frame.builder.value("call", *values, type=functions[symbol].results[0], callee=symbol)


def _lowered(frame: Frame, node: ast.AST, symbol: str, module: str, scalar: Scalar, count: int) -> Function:
    """Translate the function by itself. Its bits must not depend on the kernel's options, so products fuse as its source says."""
    callee = FunctionValue(getattr(import_module(module), symbol), label=symbol)
    lowering, builder = frame.lowering, frame.builder
    options, lowering.options = lowering.options, replace(lowering.options, fmad=True)
    params = [Value(scalar, name) for name in "xyz"[:count]]
    body = Block()
    span = builder.span
    try:
        with builder.at(body):
            result = inline(frame, node, callee, [(Typed(one), node) for one in params])
            assert isinstance(result, Typed), f"{symbol} gives no scalar"
            builder.emit("return", (result.value,))
    finally:
        lowering.options = options
        builder.span = span
    return Function(symbol, params, (result.type,), body)
