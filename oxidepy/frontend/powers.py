"""`**`: products of the base and roots for constant exponents, `math.pow` for others."""

from __future__ import annotations

import ast
import math

from oxidepy.frontend.convert import Operand, cast_text, operands, unify
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.values import Front, Literal, Typed, Weak, describe, known_number
from oxidepy.ir.core import Value
from oxidepy.ir.types import BOOL, F32, Scalar

MOST_INT = 64  # largest exponent of integers that is multiplied out
MOST_FLOAT = 1024  # and of floats


def power(frame: Frame, node: ast.AST, left: Operand, right: Operand) -> Front:
    """`base ** exponent`."""
    base, exponent = left[0], _known(right[0])
    if exponent is None:
        return _at_run_time(frame, node, left, right)
    if isinstance(base, Literal):
        return _fold(frame, node, base, exponent)
    unify(frame, node, (left,), "`**`")
    if isinstance(base, Weak):
        kind = "float" if isinstance(exponent, float) or exponent < 0 else base.kind
        return Weak(kind, lambda scalar: _typed(frame, node, base.make(scalar), exponent, left[1]), base.adopts)
    assert isinstance(base, Typed)
    return Typed(_typed(frame, node, base.value, exponent, left[1]))


def _at_run_time(frame: Frame, node: ast.AST, left: Operand, right: Operand) -> Front:
    """Both of one float type: `math.pow`, or `math.exp2` where the base is the constant 2."""
    from oxidepy.frontend.maths import function

    scalar = unify(frame, node, (left, right), "`**`")
    if scalar is not None and not scalar.is_float:
        if scalar == BOOL:
            raise frame.refuse(node, "OX0308", "mismatched types: `**` is for numbers, and this is `bool`")
        raise frame.refuse(
            right[1],
            "OX0658",
            "`**` of integers with an exponent known only at run time is not supported in kernels",
            help="multiply in a loop, shift for a power of 2, or make the exponent a constant",
        )

    def compute(scalar: Scalar) -> Value:
        base, exponent = operands(frame, (left, right), scalar)
        if base.constant == 2.0:
            return function(frame, node, "exp2", scalar, (exponent,))
        return function(frame, node, "pow", scalar, (base, exponent))

    if scalar is not None:
        return Typed(compute(scalar))
    return Weak("float", compute, any(isinstance(one, Weak) and one.adopts for one, _ in (left, right)))


def _known(value: Front) -> int | float | None:
    known = known_number(value)
    return None if isinstance(known, bool) else known


def _fold(frame: Frame, node: ast.AST, base: Literal, exponent: int | float) -> Literal:
    if isinstance(base.value, bool):
        raise frame.refuse(node, "OX0308", f"mismatched types: `**` is for numbers, and this is {describe(base)}")
    if isinstance(base.value, int) and isinstance(exponent, int) and exponent * base.value.bit_length() > 4096:
        raise frame.refuse(node, "OX0308", "this literal fits no type")
    try:
        result = base.value**exponent
    except ZeroDivisionError:
        raise frame.refuse(node, "OX7003", "division by zero", label="0 to a negative power") from None
    except OverflowError:
        raise frame.refuse(node, "OX0308", "this literal fits no type") from None
    if isinstance(result, complex):
        raise frame.refuse(node, "OX0308", "a negative base with a fractional exponent has no real value")
    return Literal(result)


def _typed(frame: Frame, node: ast.AST, base: Value, exponent: int | float, base_node: ast.AST) -> Value:
    scalar = base.scalar
    if scalar == BOOL:
        raise frame.refuse(node, "OX0308", "mismatched types: `**` is for numbers, and this is `bool`")
    if scalar.is_int:
        return _integer(frame, node, base, exponent, base_node)
    if scalar.bits == 16:  # the power in f32, rounded to the type
        wide = frame.builder.value("cast", base, type=F32)
        return frame.builder.value("cast", _typed(frame, node, wide, exponent, base_node), type=scalar)
    doubled = 2.0 * abs(exponent)
    if doubled.is_integer() and doubled <= 2 * MOST_FLOAT:
        return _float(frame, base, int(doubled), exponent < 0)
    from oxidepy.frontend.maths import function

    return function(frame, node, "pow", scalar, (base, frame.builder.const(scalar, _as(scalar, exponent))))


def _as(scalar: Scalar, number: int | float) -> float:
    from oxidepy.lang.scalars import cast

    return float(cast(scalar, number))


def _integer(frame: Frame, node: ast.AST, base: Value, exponent: int | float, base_node: ast.AST) -> Value:
    if isinstance(exponent, float) or exponent < 0:
        message = f"mismatched types: `{base.scalar} ** {exponent}` is no integer"
        raise frame.refuse(node, "OX0308", message, help=f"convert the base: `{cast_text(F32, base_node)}`")
    if exponent > MOST_INT:
        raise frame.refuse(
            node,
            "OX0658",
            f"`**` of integers with the exponent {exponent} is not supported in kernels",
            help=f"exponents go up to {MOST_INT}",
        )
    return _multiplied(frame, base, exponent)


def _multiplied(frame: Frame, base: Value, exponent: int) -> Value:
    """The product by repeated squaring; x**2 is x*x, x**3 is x*x*x."""
    builder = frame.builder
    if exponent == 0:
        return builder.const(base.scalar, 1.0 if base.scalar.is_float else 1)
    result: Value | None = None
    square = base
    while True:
        if exponent & 1:
            result = square if result is None else builder.value("mul", result, square)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        square = builder.value("mul", square, square)


def _float(frame: Frame, base: Value, doubled: int, negative: bool) -> Value:
    """A power of a float with a whole or half exponent, within 2 ULP: few products as they are, more with what rounding took carried along.
    Negative exponents take the reciprocal first, so that nothing overflows on the way to a small number."""
    builder, scalar = frame.builder, base.scalar
    if doubled % 2 == 0:
        whole = doubled // 2
        if whole <= (2 if negative else 4):
            return _multiplied(frame, builder.value("div", builder.const(scalar, 1.0), base) if negative and whole else base, whole)
        return _carried(frame, base, None, whole, negative)
    root = _root(frame, base)
    if doubled == 1:
        return builder.value("div", builder.const(scalar, 1.0), root) if negative else root
    missing = builder.value("fma", builder.value("neg", root), root, base)
    return _carried(frame, root, builder.value("div", missing, builder.value("add", root, root)), doubled, negative)


Pair = tuple[Value, "Value | None"]  # a number and what rounding took from it


def _carried(frame: Frame, high: Value, low: Value | None, exponent: int, negative: bool) -> Value:
    """(high + low) ** ±exponent by repeated squaring of pairs."""
    builder, scalar = frame.builder, high.scalar
    square: Pair = (high, low)
    if negative:
        one = builder.const(scalar, 1.0)
        reciprocal = builder.value("div", one, high)
        rest = builder.value("fma", builder.value("neg", reciprocal), high, one)
        if low is not None:
            rest = builder.value("fma", builder.value("neg", reciprocal), low, rest)
        square = (reciprocal, builder.value("mul", reciprocal, rest))
    plain = _multiplied(frame, square[0], exponent)
    result: Pair | None = None
    while True:
        if exponent & 1:
            result = square if result is None else _product(frame, result, square)
        exponent >>= 1
        if not exponent:
            break
        square = _product(frame, square, square)
    # where a product overflows, what rounding took is NaN; the plain products have zero or infinity there
    assert result is not None
    finite = builder.value("isfinite", result[0])
    value = builder.value("select", finite, result[0], plain, type=scalar)
    return builder.value("copysign", value, plain)  # a sum of zeros forgets the sign


def _product(frame: Frame, left: Pair, right: Pair) -> Pair:
    """The product of two pairs, its high part the nearest to the sum of both."""
    builder = frame.builder
    (a, a_low), (b, b_low) = left, right
    product = builder.value("mul", a, b)
    rest = builder.value("fma", a, b, builder.value("neg", product))
    if b_low is not None:
        rest = builder.value("fma", a, b_low, rest)
    if a_low is not None:
        rest = builder.value("fma", a_low, b, rest)
    high = builder.value("add", product, rest)
    return high, builder.value("sub", rest, builder.value("sub", high, product))


def _root(frame: Frame, base: Value) -> Value:
    """x**0.5 is the root, but for -0 (gives +0) and -inf (gives inf), as Python has it."""
    builder, scalar = frame.builder, base.scalar
    root = builder.value("add", builder.value("sqrt", base), builder.const(scalar, 0.0))
    lowest = builder.value("eq", base, builder.const(scalar, -math.inf))
    return builder.value("select", lowest, builder.const(scalar, math.inf), root, type=scalar)
