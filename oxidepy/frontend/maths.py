"""`math`: operations of the IR, and functions of our own that are written in the kernel language and compiled into the module."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

from oxidepy.frontend.builtins_ import extreme
from oxidepy.frontend.calls import arguments
from oxidepy.frontend.constructs import not_yet
from oxidepy.frontend.convert import Operand, operands, settle, source, unify
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.functions import inline
from oxidepy.frontend.merge import flatten
from oxidepy.frontend.pairs import is_pair, lift
from oxidepy.frontend.source import parse
from oxidepy.frontend.values import Front, FunctionValue, Literal, Number, TupleValue, Typed, Weak, describe
from oxidepy.ir.core import Block, Function, Value
from oxidepy.ir.types import BOOL, F32, Scalar

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
    "fabs": ("abs", 1),
    "fmin": ("min", 2),
    "fmax": ("max", 2),
    "nearbyint": ("rint", 1),
    # an operation by its name is never fused with what is around it
    "add_rn": ("add", 2),
    "sub_rn": ("sub", 2),
    "mul_rn": ("mul", 2),
    "div_rn": ("div", 2),
    "fma_rn": ("fma", 3),
    "sqrt_rn": ("sqrt", 1),
}
TESTS = ("isnan", "isinf", "isfinite")

# functions of our own: name → (module of the kernel language, arguments); `exp` of f32 is `exp_f32` of its module. One that is not
# there is refused where it is called.
_FOLDER = "oxidepy.lang.functions."
FUNCTIONS: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("exp", "exp2", "exp10", "expm1"), (_FOLDER + "exp", 1)),
    **dict.fromkeys(("log", "log2", "log10", "log1p"), (_FOLDER + "log", 1)),
    "pow": (_FOLDER + "pow", 2),
    **dict.fromkeys(("sin", "cos", "tan", "sincos", "sinpi", "cospi", "degrees", "radians"), (_FOLDER + "trigonometric", 1)),
    **dict.fromkeys(("asin", "acos", "atan"), (_FOLDER + "arcs", 1)),
    "atan2": (_FOLDER + "arcs", 2),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), (_FOLDER + "hyperbolic", 1)),
    **dict.fromkeys(("erf", "erfc"), (_FOLDER + "error", 1)),
    **dict.fromkeys(("gamma", "tgamma", "lgamma"), (_FOLDER + "gamma", 1)),
    **dict.fromkeys(("cbrt", "rsqrt"), (_FOLDER + "roots", 1)),
    "hypot": (_FOLDER + "roots", 2),
    **dict.fromkeys(("fmod", "remainder"), (_FOLDER + "remainders", 2)),
}
PAIRS = ("sincos",)  # these give two results
_SAME = {"tgamma": "gamma"}  # another name → the function's own


def _floats(frame: Frame, node: ast.Call, count: int, make: Callable[[Scalar, list[Value]], Value]) -> Front | list[Literal]:
    """Compute over arguments of one float type. Literals are given back as they are; of numbers without a type the result has none."""
    values = arguments(frame, node, count)
    literals = [one for one in values if isinstance(one, Literal) and not isinstance(one.value, bool)]
    if len(literals) == len(values):
        return literals
    given = list(zip(values, node.args, strict=True))
    text = f"`{source(node.func)}`"
    if any(is_pair(one) for one in values):
        return lift(frame, node, text, given, lambda parts: _float(frame, node, text, parts, make))
    return _float(frame, node, text, given, make)


def _float(frame: Frame, node: ast.Call, text: str, given: Sequence[Operand], make: Callable[[Scalar, list[Value]], Value]) -> Front:
    values = [value for value, _ in given]
    scalar = unify(frame, node, given, text)
    if scalar is None:
        return _loose(frame, node, values, make)
    if not scalar.is_float:
        place = next(place for value, place in given if isinstance(value, Typed))
        help = f"convert it: `f32({source(place)})`"
        raise frame.refuse(
            node, "OX0308", f"mismatched types: {text} is for floats, and this is `{scalar}`", help=help if scalar != BOOL else None
        )
    return Typed(make(scalar, operands(frame, given, scalar)))


def _loose(frame: Frame, node: ast.Call, values: Sequence[Front], make: Callable[[Scalar, list[Value]], Value]) -> Weak:
    """A function of numbers without a type: each float type that is asked for computes it."""
    given = list(zip(values, node.args, strict=True))

    def compute(scalar: Scalar) -> Value:
        return make(scalar, operands(frame, given, scalar))

    return Weak("float", compute, any(isinstance(one, Weak) and one.adopts for one in values))


def _operation(name: str, op: str, count: int) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        def make(_: Scalar, values: list[Value]) -> Value:
            return frame.builder.value(op, *values)

        found = _floats(frame, node, count, make)
        if not isinstance(found, list):
            return found
        fold = _FOLDS.get(name)
        return _loose(frame, node, found, make) if fold is None else Literal(fold(*(_double(frame, node, one.value) for one in found)))

    return handler


def _double(frame: Frame, node: ast.Call, number: Number) -> float:
    try:
        return float(number)
    except OverflowError:
        raise frame.refuse(node, "OX0308", "this literal fits no float") from None


def _keep_special(rounded: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: math.copysign(float(rounded(x)), x) if math.isfinite(x) else x


def _extreme(least: bool) -> Callable[[float, float], float]:
    return lambda a, b: float(extreme(a, b, least))


# sqrt is not among them: rounding it to f64 and then to f32 may differ from the root in f32
_FOLDS: dict[str, Callable[..., float]] = {
    "floor": _keep_special(math.floor),
    "ceil": _keep_special(math.ceil),
    "trunc": _keep_special(math.trunc),
    "rint": _keep_special(round),
    "round": _keep_special(round),
    "copysign": math.copysign,
    "fabs": abs,
    "fmin": _extreme(True),
    "fmax": _extreme(False),
}


def _test(name: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        (value,) = arguments(frame, node, 1)
        if isinstance(value, Literal) and not isinstance(value.value, bool):
            return Literal(bool(getattr(math, name)(_double(frame, node, value.value))))
        number = settle(frame, value)
        found = unify(frame, node, ((number, node.args[0]),), f"`{source(node.func)}`")
        if isinstance(number, Weak):
            return Typed(frame.builder.value(name, number.make(F32)))
        if not isinstance(number, Typed) or found is None or not found.is_float:
            raise frame.refuse(node, "OX0308", f"mismatched types: `{source(node.func)}` is for floats, and this is {describe(number)}")
        return Typed(frame.builder.value(name, number.value))

    return handler


def _called(name: str, count: int) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        def make(scalar: Scalar, values: list[Value]) -> Value:
            return function(frame, node, name, scalar, values)

        found = _floats(frame, node, count, make)
        return _loose(frame, node, found, make) if isinstance(found, list) else found

    return handler


def _paired(name: str) -> Callable[[Frame, ast.Call], Front]:
    """A function of two results: a number without a type becomes `f32`."""

    def handler(frame: Frame, node: ast.Call) -> Front:
        pair: list[Value] = []

        def make(scalar: Scalar, values: list[Value]) -> Value:
            pair[:] = _results(frame, node, name, scalar, values)
            return pair[0]

        found = _floats(frame, node, 1, make)
        if isinstance(found, list):
            found = _loose(frame, node, found, make)
        if isinstance(found, Weak):
            found.make(F32)
        return TupleValue(tuple(Typed(one) for one in pair))

    return handler


for _name, (_op, _count) in OPERATIONS.items():
    call(f"math.{_name}")(_operation(_name, _op, _count))
for _name in TESTS:
    call(f"math.{_name}")(_test(_name))
for _name, (_module, _count) in FUNCTIONS.items():
    call(f"math.{_name}")(_paired(_name) if _name in PAIRS else _called(_name, _count))


# ---- functions of the library


def function(frame: Frame, node: ast.AST, name: str, scalar: Scalar, values: Sequence[Value]) -> Value:
    """Call a function of the library, which is lowered once a module. OX0658 for one that this version does not have."""
    (result,) = _results(frame, node, name, scalar, values)
    return result


def _halves(frame: Frame, node: ast.AST, name: str, scalar: Scalar, values: Sequence[Value]) -> list[Value]:
    """Of f16 and bf16: the function of f32, rounded to the type."""
    builder = frame.builder
    wide = [builder.value("cast", one, type=F32) for one in values]
    return [builder.value("cast", one, type=scalar) for one in _results(frame, node, name, F32, wide)]


def _results(frame: Frame, node: ast.AST, name: str, scalar: Scalar, values: Sequence[Value]) -> list[Value]:
    if scalar.bits == 16:
        return _halves(frame, node, name, scalar, values)
    symbol = f"{_SAME.get(name, name)}_{scalar}"
    return called(frame, node, symbol, lambda: _implementation(frame, node, name, scalar), values)


def called(
    frame: Frame, node: ast.AST, symbol: str, found: Callable[[], types.FunctionType], values: Sequence[Value], fixed: Sequence[Front] = ()
) -> list[Value]:
    """Call a function that is written in the kernel language, by the name that it has in modules. `fixed`: its last arguments, known here
    and the same for every call of that name."""
    functions = frame.lowering.functions
    if symbol not in _library:  # the same in every kernel, and nobody changes it
        lowered = _lowered(frame, node, symbol, found(), [one.scalar for one in values], fixed)
        calls = [op.attrs["callee"] for op in lowered.body.walk() if op.name == "call"]
        _library[symbol] = lowered, tuple(dict.fromkeys(calls))
    _take(functions, symbol)
    return frame.builder.emit("call", values, functions[symbol].results, {"callee": symbol}).results


_library: dict[str, tuple[Function, tuple[str, ...]]] = {}  # with what each calls


def _take(functions: dict[str, Function], symbol: str) -> None:
    """Make a function part of the module, behind those that it calls."""
    function, calls = _library[symbol]
    for callee in calls:
        if callee not in functions:
            _take(functions, callee)
    functions[symbol] = function


def written(name: str, scalar: Scalar) -> types.FunctionType | None:
    """The function of the library for that type, if this version has it."""
    module = FUNCTIONS[name][0] if name in FUNCTIONS else None
    if module is None or find_spec(module) is None:
        return None
    found: types.FunctionType | None = getattr(import_module(module), f"{_SAME.get(name, name)}_{scalar}", None)
    return found


def _implementation(frame: Frame, node: ast.AST, name: str, scalar: Scalar) -> types.FunctionType:
    found = written(name, scalar)
    if found is None:
        raise not_yet(frame, node, f"math.{name}")
    return found


def _lowered(
    frame: Frame, node: ast.AST, symbol: str, implementation: types.FunctionType, scalars: Sequence[Scalar], fixed: Sequence[Front]
) -> Function:
    """Translate the function by itself. Its bits must not depend on the kernel's options, so products fuse as its source says."""
    callee = FunctionValue(implementation, label=symbol)
    lowering, builder = frame.lowering, frame.builder
    options, lowering.options = lowering.options, replace(lowering.options, fmad=True)
    outside, lowering.in_library = lowering.in_library, True
    params = [Value(scalar, name) for name, scalar in zip("xyzw", scalars, strict=False)]
    body = Block()
    span = builder.span
    try:
        with builder.at(body):
            result = inline(frame, node, callee, [(one, node) for one in (*map(Typed, params), *fixed)])
            values = [one.value for one in flatten(result) if isinstance(one, Typed)]
            assert values and len(values) == len(flatten(result)), f"{symbol} gives no scalar"
            builder.span = parse(implementation).name_span
            builder.emit("return", values)
    finally:
        lowering.options, lowering.in_library = options, outside
        builder.span = span
    return Function(symbol, params, tuple(one.scalar for one in values), body)
