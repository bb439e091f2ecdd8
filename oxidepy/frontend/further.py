"""Functions of the library whose arguments are not all of one float type, or that are one function under several roundings.

A row of the table says what a call looks like; what it means is written in the kernel language (`lang/functions`), and where a GPU has an
instruction for it, `backend/nvptx_natives.py` names that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from oxidepy.frontend.calls import arguments
from oxidepy.frontend.convert import Operand, convert, operands, settle, source, unify
from oxidepy.frontend.dispatch import call
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.library import written
from oxidepy.frontend.maths import called
from oxidepy.frontend.pairs import is_pair, lift
from oxidepy.frontend.values import Front, Literal, TupleValue, Typed, Weak, describe
from oxidepy.ir.core import Value
from oxidepy.ir.record import record
from oxidepy.ir.types import BF16, F16, F32, F64, I32, SCALARS, U32, Scalar
from oxidepy.lang.scalars import scalar_of

FLOATS = (F32, F64)
HALVES = (F16, BF16)
INTEGERS = tuple(one for one in SCALARS.values() if one.is_int)
UNSIGNED = tuple(one for one in INTEGERS if not one.signed)


@record
class Signature:
    """`function` of a module of the library, with the type's name behind an underline. `params`: "T", one of `types`, or the name of a
    type. `halves`: f16 and bf16 are computed in f32 and rounded. `fixed`: literal arguments behind the others. `adopts`: of numbers without
    a type the result has none."""

    module: str
    function: str
    params: tuple[str, ...]
    types: tuple[Scalar, ...] = FLOATS
    halves: bool = False
    fixed: tuple[int, ...] = ()
    adopts: bool = True


def _floats(module: str, *names: str, params: tuple[str, ...] = ("T",), adopts: bool = True, halves: bool = True) -> dict[str, Signature]:
    return {f"math.{one}": Signature(module, one, params, halves=halves, adopts=adopts) for one in names}


_TWO, _THREE, _FOUR = ("T",) * 2, ("T",) * 3, ("T",) * 4
_ROUNDED = (("add", _TWO), ("sub", _TWO), ("mul", _TWO), ("div", _TWO), ("fma", _THREE), ("rcp", ("T",)), ("sqrt", ("T",)))
_FAST = ("cos", "exp", "exp10", "exp2", "log", "log10", "log2", "rcp", "rsqrt", "sin", "sqrt", "tan", "tanh")
SIGNATURES: dict[str, Signature] = {
    **_floats("parts", "logb", "round_away", "saturate"),
    **_floats("parts", "frexp", "ilogb", "modf", "signbit", adopts=False),
    **_floats("parts", "fdim", "maximum", "minimum", "fmax_xorsign", "fmin_xorsign", params=_TWO),
    **_floats("parts", "nextafter", params=_TWO, halves=False),
    **dict.fromkeys(("math.ldexp", "math.scalbn"), Signature("parts", "ldexp", ("T", "i32"), halves=True)),
    "math.remquo": Signature("remainders", "remquo", _TWO, adopts=False),
    **_floats("norms", "rcbrt"),
    **_floats("norms", "rhypot", params=_TWO),
    **_floats("norms", "norm3d", "rnorm3d", params=_THREE),
    **_floats("norms", "norm4d", "rnorm4d", params=_FOUR),
    **_floats("trigonometric", "sincospi", adopts=False),
    **_floats("bessel", "j0", "j1", "y0", "y1", "cyl_bessel_i0", "cyl_bessel_i1"),
    **_floats("bessel", "jn", "yn", params=("i32", "T")),
    **_floats("normal", "erfcx", "erfinv", "erfcinv", "normcdf", "normcdfinv"),
    **{
        f"math.{name}_{mode}": Signature("rounded", name, params, fixed=(number,))
        for name, params in _ROUNDED
        for number, mode in enumerate(("rz", "rd", "ru"))
    },
    "math.rcp_rn": Signature("rounded", "rcp_rn", ("T",)),
    **{f"math.fast.{name}": Signature("fast", name, ("T",), (F32,), halves=True) for name in _FAST},
    **{f"math.fast.{name}": Signature("fast", name, _TWO, (F32,), halves=True) for name in ("div", "pow")},
}


def _handler(name: str, row: Signature) -> Callable[[Frame, ast.Call], Front]:
    symbol = name.removeprefix("math.").replace(".", "_")

    def handler(frame: Frame, node: ast.Call) -> Front:
        values = arguments(frame, node, len(row.params))
        given = list(zip(values, node.args, strict=True))
        if row.halves and row.adopts and {*row.params} == {"T"} and any(is_pair(one) for one in values):
            return lift(frame, node, f"`{source(node.func)}`", given, lambda parts: of_numbers(frame, node, parts))
        return of_numbers(frame, node, given)

    def of_numbers(frame: Frame, node: ast.Call, operands: Sequence[Operand]) -> Front:
        def compute(scalar: Scalar) -> list[Value]:
            wanted = [scalar if kind == "T" else SCALARS[kind] for kind in row.params]
            given = [convert(frame, place, value, type_, "the argument") for (value, place), type_ in zip(operands, wanted, strict=True)]
            fixed = [Literal(one) for one in row.fixed]
            if scalar in HALVES:
                wide = [frame.builder.value("cast", one, type=F32) if one.scalar == scalar else one for one in given]
                found = called(frame, node, f"{symbol}_f32", lambda: written(row.module, f"{row.function}_f32"), wide, fixed)
                return [frame.builder.value("cast", one, type=scalar) if one.scalar == F32 else one for one in found]
            return called(frame, node, f"{symbol}_{scalar}", lambda: written(row.module, f"{row.function}_{scalar}"), given, fixed)

        generic = [one for one, kind in zip(operands, row.params, strict=True) if kind == "T"]
        scalar = unify(frame, node, generic, f"`{source(node.func)}`")
        if scalar is not None:
            _allowed(frame, node, (*row.types, *HALVES) if row.halves else row.types, scalar, generic)
        elif row.adopts and F64 in row.types:
            return Weak("float", lambda scalar: compute(scalar)[0])
        return _front(compute(scalar or F32))

    return handler


def _allowed(frame: Frame, node: ast.Call, types: Sequence[Scalar], scalar: Scalar, given: Sequence[tuple[Front, ast.AST]]) -> None:
    """OX0308 for a type that the function is not for."""
    if scalar in types:
        return
    text = source(node.func)
    kinds = (
        "floats"
        if len(types) == 4 and types[0].is_float
        else "integers"
        if types == INTEGERS
        else "unsigned integers"
        if types == UNSIGNED
        else " and ".join(f"`{one}`" for one in types)
    )
    place = next(place for value, place in given if isinstance(value, Typed))
    help = f"convert it: `f32({source(place)})`" if F32 in types else None
    if text.startswith("math.fast.") and scalar == F64:
        help = f"use `math.{text[10:]}`, or convert it: `f32({source(place)})`"
    raise frame.refuse(node, "OX0308", f"mismatched types: `{text}` is for {kinds}, and this is `{scalar}`", help=help)


def _front(values: Sequence[Value]) -> Front:
    return Typed(values[0]) if len(values) == 1 else TupleValue(tuple(Typed(one) for one in values))


for _name, _row in SIGNATURES.items():
    call(_name)(_handler(_name, _row))


# ---- conversions with a rounding of their own

_ROUNDINGS = {"rn": "rint", "rz": "trunc", "rd": "floor", "ru": "ceil"}
_CONVERTED = (F32, F64, *INTEGERS)


def _rounding_cast(mode: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        kind, value = arguments(frame, node, 2)
        target, number, text = scalar_of(getattr(kind, "object", None)), settle(frame, value), source(node.func)
        if target not in _CONVERTED:
            raise frame.refuse(node.args[0], "OX0308", f"the first argument of `{text}` is `f32`, `f64` or an integer type")
        if not isinstance(number, Typed) or number.type not in _CONVERTED or (number.type.is_int and target.is_int):
            what = "one of the two types is `f32` or `f64`, the other one of these or of integers"
            raise frame.refuse(node.args[1], "OX0308", f"mismatched types: of `{text}` {what}, and this is {describe(number)}")
        return Typed(_rounded_cast(frame, node, mode, number.value, target))

    return handler


def _rounded_cast(frame: Frame, node: ast.Call, mode: str, value: Value, target: Scalar) -> Value:
    builder, given = frame.builder, value.scalar
    if target.is_int:
        return builder.value("cast", builder.value(_ROUNDINGS[mode], value), type=target)
    exact = given.bits < target.bits if given.is_float or given.bits == 32 else given.bits < 32
    if mode == "rn" or exact or given == target:
        return builder.value("cast", value, type=target) if given != target else value
    fixed = [Literal(("rz", "rd", "ru").index(mode))]
    name = f"cast_{given}_to_{target}"
    return called(frame, node, f"cast_{mode}_{given}_{target}", lambda: written("rounded", name), [value], fixed)[0]


for _mode in _ROUNDINGS:
    call(f"math.cast_{_mode}")(_rounding_cast(_mode))


# ---- integers


def _unified(frame: Frame, node: ast.Call, given: Sequence[tuple[Front, ast.AST]], types: tuple[Scalar, ...]) -> tuple[Scalar, list[Value]]:
    scalar = unify(frame, node, given, f"`{source(node.func)}`") or I32
    _allowed(frame, node, types, scalar, given)
    return scalar, operands(frame, given, scalar)


def _of_integers(leaf: str, count: int) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        given = list(zip(arguments(frame, node, count), node.args, strict=True))
        scalar, values = _unified(frame, node, given, INTEGERS)
        return _front(called(frame, node, f"{leaf}_{scalar}", lambda: written("words", leaf), values))

    return handler


for _leaf, _count in (("ffs", 1), ("sad", 3), ("hadd", 2), ("rhadd", 2)):
    call(f"bits.{_leaf}")(_of_integers(_leaf, _count))


def _carried(leaf: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        x, y, flag = arguments(frame, node, 3)
        scalar, values = _unified(frame, node, list(zip((x, y), node.args, strict=False)), UNSIGNED)
        values.append(convert(frame, node.args[2], flag, SCALARS["bool"], "the carry"))
        return _front(called(frame, node, f"{leaf}_{scalar}", lambda: written("words", leaf), values))

    return handler


for _leaf in ("add_carry", "sub_borrow"):
    call(f"bits.{_leaf}")(_carried(_leaf))


def _saturating(leaf: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        given = list(zip(arguments(frame, node, 2), node.args, strict=True))
        scalar, values = _unified(frame, node, given, INTEGERS)
        name = leaf if scalar.signed else f"{leaf}_unsigned"
        ends = (scalar.min, scalar.max) if scalar.signed else (scalar.max,) if leaf == "add_sat" else ()
        return _front(called(frame, node, f"{leaf}_{scalar}", lambda: written("words", name), values, [Literal(one) for one in ends]))

    return handler


for _leaf in ("add_sat", "sub_sat"):
    call(f"bits.{_leaf}")(_saturating(_leaf))


def _dot(leaf: str) -> Callable[[Frame, ast.Call], Front]:
    def handler(frame: Frame, node: ast.Call) -> Front:
        *factors, total = arguments(frame, node, 3)
        values: list[Value] = []
        for value, place in zip(factors, node.args, strict=False):
            number = settle(frame, value)
            if not isinstance(number, Typed) or number.type not in (I32, U32):
                message = f"mismatched types: `{source(node.func)}` takes words, `i32` or `u32`, and this is {describe(value)}"
                raise frame.refuse(place, "OX0308", message)
            values.append(number.value)
        signed = any(one.scalar.signed for one in values)
        values.append(convert(frame, node.args[2], total, I32 if signed else U32, "the sum"))
        symbol = "_".join((leaf, *(one.scalar.name for one in values[:2])))
        name = f"{leaf}_{'signed' if signed else 'unsigned'}"
        return _front(called(frame, node, symbol, lambda: written("words", name), values))

    return handler


for _leaf in ("dp4a", "dp2a_low", "dp2a_high"):
    call(f"bits.{_leaf}")(_dot(_leaf))
