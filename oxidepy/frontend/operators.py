"""Arithmetic, bits and comparisons: types that must agree, literals that fold, products that fuse."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from enum import Flag
from typing import Any

from oxidepy.frontend.constructs import CONSTRUCTS
from oxidepy.frontend.control import as_value, branch, condition
from oxidepy.frontend.convert import Operand, cast_text, default_type, integral, kind_of, operands, source, unify
from oxidepy.frontend.dispatch import expression, translate
from oxidepy.frontend.frame import Frame
from oxidepy.frontend.methods import UNARY, class_of, no_operator, operated, special
from oxidepy.frontend.pairs import is_pair, lift, values_of
from oxidepy.frontend.pointers import arithmetic
from oxidepy.frontend.powers import power
from oxidepy.frontend.text import composed_text
from oxidepy.frontend.values import Formatted, Front, Literal, PointerValue, Text, TupleValue, Typed, Weak, describe, known_integer
from oxidepy.ir.core import Value
from oxidepy.ir.record import record
from oxidepy.ir.types import BOOL, F32, I32, Scalar

MOST_ITEMS = 4096  # of a tuple that is repeated
MOST_BITS = 4096  # of an integer literal: more is a mistake that would fill the memory


@record
class Rule:
    """A binary operator: its symbol, the IR operation, the types it takes ("number", "int", "float", "bits": integers and bool)."""

    symbol: str
    op: str
    takes: str
    fold: Callable[[Any, Any], Any]
    divides: bool = False
    shifts: bool = False


_OPERATORS: Any = operator  # its functions have no types of their own

RULES: dict[type[ast.operator], Rule] = {
    ast.Add: Rule("+", "add", "number", _OPERATORS.add),
    ast.Sub: Rule("-", "sub", "number", _OPERATORS.sub),
    ast.Mult: Rule("*", "mul", "number", _OPERATORS.mul),
    ast.Div: Rule("/", "div", "float", _OPERATORS.truediv),
    ast.FloorDiv: Rule("//", "floordiv", "number", _OPERATORS.floordiv, divides=True),
    ast.Mod: Rule("%", "mod", "number", _OPERATORS.mod, divides=True),
    ast.BitAnd: Rule("&", "and", "bits", _OPERATORS.and_),
    ast.BitOr: Rule("|", "or", "bits", _OPERATORS.or_),
    ast.BitXor: Rule("^", "xor", "bits", _OPERATORS.xor),
    ast.LShift: Rule("<<", "shl", "int", _OPERATORS.lshift, shifts=True),
    ast.RShift: Rule(">>", "shr", "int", _OPERATORS.rshift, shifts=True),
}


@expression(ast.BinOp)
def _binary(frame: Frame, node: ast.BinOp) -> Front:
    if isinstance(node.op, (ast.Add, ast.Sub)):
        left, right = _factors(frame, node.left), _factors(frame, node.right)
        return add(frame, node, isinstance(node.op, ast.Sub), left, right)
    left_value = translate(frame, node.left)
    return binary(frame, node, node.op, (left_value, node.left), (translate(frame, node.right), node.right))


def binary(frame: Frame, node: ast.AST, op: ast.operator, left: Operand, right: Operand) -> Front:
    """One operator on two values that are there already."""
    if class_of(left[0]) is not None or class_of(right[0]) is not None:
        if (found := operated(frame, node, op, left, right)) is not None:
            return found
        raise no_operator(frame, op, left, right)
    if is_pair(left[0]) or is_pair(right[0]):
        text = RULES[type(op)].symbol if type(op) in RULES else "**"
        return lift(frame, node, f"`{text}`", (left, right), lambda parts: binary(frame, node, op, *parts))
    if (moved := arithmetic(frame, node, op, left, right)) is not None:
        return moved
    if (told := composed_text(frame, node, op, left[0], right[0])) is not None:
        return told
    if (made := _tuples(frame, node, op, left[0], right[0])) is not None:
        return made
    if isinstance(op, ast.Pow):
        return power(frame, node, left, right)
    rule = RULES.get(type(op))
    if rule is None:
        name, instead = CONSTRUCTS[type(op)]
        raise frame.refuse(node, "OX0658", f"{name} is not supported in kernels", help=instead)  # an operator has no place of its own
    if isinstance(left[0], Literal) and isinstance(right[0], Literal):
        return fold(frame, node, rule, left[0], right[0])
    if rule.shifts:
        right = (shift_count(left[0], right[0]), right[1])
    truth_value = next((place for value, place in (left, right) if isinstance(value, Typed) and value.type == BOOL), None)
    if truth_value is not None and rule.takes != "bits" and not (isinstance(left[0], Typed) and isinstance(right[0], Typed)):
        raise no_bool(frame, node, rule.symbol, truth_value)
    scalar = unify(frame, node, (left, right), f"`{rule.symbol}`")
    if scalar is None:
        return _loose(frame, node, rule, left, right)
    accept(frame, node, rule, scalar, left, right)
    a, b = operands(frame, (left, right), scalar)
    if rule.divides and scalar.is_int:
        nonzero(frame, b)
    known = _known(rule, a, b)
    return Typed(frame.builder.value(rule.op, a, b) if known is None else frame.builder.const(scalar, known))


def _tuples(frame: Frame, node: ast.AST, op: ast.operator, left: Front, right: Front) -> TupleValue | None:
    """`(1, 2) + (3,)` and `(0,) * 4`; None for what is none."""
    if not isinstance(left, TupleValue) and not isinstance(right, TupleValue):
        return None
    if isinstance(op, ast.Add) and isinstance(left, TupleValue) and isinstance(right, TupleValue):
        return TupleValue((*left.items, *right.items))
    given, times = (left, known_integer(right)) if isinstance(left, TupleValue) else (right, known_integer(left))
    if isinstance(op, ast.Mult) and isinstance(given, TupleValue) and times is not None and times * len(given.items) <= MOST_ITEMS:
        return TupleValue(given.items * times)
    symbol = RULES[type(op)].symbol if type(op) in RULES else "@" if isinstance(op, ast.MatMult) else "**"
    message = f"mismatched types: `{symbol}` on {describe(left)} and {describe(right)}"
    help = (
        "`+` puts tuples together, `(1, 2) + (3,)`, and `*` repeats one by a number known at compile time; for numbers name an item, `t[0]`"
    )
    raise frame.refuse(node, "OX0308", message, help=help)


def _known(rule: Rule, a: Value, b: Value) -> int | None:
    """The result of two integers that are known at compile time, such as `block.size // 32`; None where it does not fit their type."""
    x, y, scalar = a.constant, b.constant, a.scalar
    if not scalar.is_int or x is None or y is None or (rule.divides and y == 0) or (rule.shifts and not 0 <= y < scalar.bits):
        return None
    result = rule.fold(x, y)
    return result if scalar.min <= result <= scalar.max else None


def _loose(frame: Frame, node: ast.AST, rule: Rule, left: Operand, right: Operand) -> Front:
    """Both sides have no type yet: neither has the result, and each type that is asked for computes it."""
    kinds = {kind_of(one) for one, _ in (left, right) if isinstance(one, (Literal, Weak))}
    if "bool" in kinds:
        raise no_bool(frame, node, rule.symbol)
    adopts = any(isinstance(one, Weak) and one.adopts for one, _ in (left, right))
    kind = "float" if "float" in kinds or rule.op == "div" else "int"

    def make(scalar: Scalar) -> Value:
        if scalar.is_float and kind == "int" and rule.takes in ("int", "bits"):  # bits of integers, whose result becomes a float
            return frame.builder.value("cast", make(I32), type=scalar)
        accept(frame, node, rule, scalar, left, right)
        a, b = operands(frame, (left, right), scalar)
        if rule.divides and scalar.is_int:
            nonzero(frame, b)
        return frame.builder.value(rule.op, a, b)

    return Weak("float" if kind == "float" else "int", make, adopts)


def accept(frame: Frame, node: ast.AST, rule: Rule, scalar: Scalar, left: Operand, right: Operand) -> None:
    """OX0308 unless the operator takes that type."""
    if scalar == BOOL and rule.takes != "bits":
        raise no_bool(frame, node, rule.symbol)
    if rule.takes == "float" and not scalar.is_float:
        ways = (
            f"`{source(left[1])} // {source(right[1])}` rounds down; for a float quotient convert both sides: `{cast_text(F32, left[1])}`"
        )
        raise frame.refuse(node, "OX0308", f"mismatched types: `/` is for floats, and this is `{scalar}`", help=ways)
    if rule.takes in ("int", "bits") and scalar.is_float:
        help = next((integral(place, value) for value, place in (left, right) if isinstance(value, Typed)), None)
        raise frame.refuse(node, "OX0308", f"mismatched types: `{rule.symbol}` is for integers, and this is `{scalar}`", help=help)


def no_bool(frame: Frame, node: ast.AST, symbol: str, side: ast.AST | None = None) -> Exception:
    place: ast.AST = getattr(node, "left", getattr(node, "value", node)) if side is None else side
    return frame.refuse(
        node,
        "OX0308",
        f"mismatched types: `{symbol}` is for numbers, and this is `bool`",
        help=f"convert it: `{cast_text(I32, place)}`, or use `and`, `or`, `not`",
    )


def nonzero(frame: Frame, divisor: Value) -> None:
    """A division by zero ends the thread."""
    if not divisor.constant:
        builder = frame.builder
        builder.check(builder.value("ne", divisor, builder.const(divisor.scalar, 0)), "OX7003", "integer division by zero")


def shift_count(value: Front, count: Front) -> Front:
    """A literal count outside of the width means the same as the width, in every type."""
    bits = value.type.bits if isinstance(value, Typed) else None
    if isinstance(count, Literal) and isinstance(count.value, int) and not isinstance(count.value, bool) and bits is not None:
        return count if 0 <= count.value < bits else Literal(bits)
    return count


def fold(frame: Frame, node: ast.AST, rule: Rule, left: Literal, right: Literal) -> Literal:
    """Two literals: Python computes."""
    a, b = left.value, right.value
    if rule.takes != "bits" and (isinstance(a, bool) or isinstance(b, bool)):
        raise no_bool(frame, node, rule.symbol)
    if rule.shifts and isinstance(b, int) and (b < 0 or b > MOST_BITS):
        raise frame.refuse(node, "OX0308", f"a literal shifted by {b} fits no type", help="shift by 0 up to 63")
    try:
        result = rule.fold(a, b)
    except ZeroDivisionError:
        raise frame.refuse(node, "OX7003", "division by zero", label="the divisor is the literal 0") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise frame.refuse(
            node, "OX0308", f"mismatched types: `{rule.symbol}` on {describe(left)} and {describe(right)}: {error}"
        ) from None
    if isinstance(result, int) and result.bit_length() > MOST_BITS:
        raise frame.refuse(node, "OX0308", "this literal fits no type")
    if rule.takes == "bits" and isinstance(left.member, Flag) and left.member.__class__ is right.member.__class__:
        return Literal(result, rule.fold(left.member, right.member))
    return Literal(result)


# ---- sums and fused products


@record
class Product:
    """`a * b` standing directly in a sum, not computed yet."""

    node: ast.AST
    left: Operand
    right: Operand


Term = tuple["Front | Product", ast.AST]


def _factors(frame: Frame, node: ast.expr) -> Term:
    """A side of a sum: a product keeps its factors, anything else is its value."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and frame.lowering.options.fmad:
        left = (translate(frame, node.left), node.left)
        right = (translate(frame, node.right), node.right)
        if any(class_of(one) is not None or isinstance(one, (Text, TupleValue)) for one, _ in (left, right)):
            return binary(frame, node, node.op, left, right), node
        if not (isinstance(left[0], Literal) and isinstance(right[0], Literal)):
            if not (is_pair(left[0]) or is_pair(right[0])):
                unify(frame, node, (left, right), "`*`")
            return Product(node, left, right), node
        return fold(frame, node, RULES[ast.Mult], left[0], right[0]), node
    return translate(frame, node), node


def term(frame: Frame, node: ast.expr) -> Term:
    return _factors(frame, node)


def add(frame: Frame, node: ast.AST, minus: bool, left: Term, right: Term) -> Front:
    """A sum or difference. The left product in it is fused with the other side, in floats."""
    op: ast.operator = ast.Sub() if minus else ast.Add()
    if any(is_pair(value) for value, _ in (*_inside(left), *_inside(right))):
        return _pair_sum(frame, node, minus, left, right)
    apart = (PointerValue, Text, Formatted, TupleValue)  # a pointer moves by a number, whatever that is computed from
    if any(class_of(value) is not None or isinstance(value, apart) for value, _ in (*_inside(left), *_inside(right))):
        return binary(frame, node, op, (_computed(frame, left[0]), left[1]), (_computed(frame, right[0]), right[1]))
    for fused, other in ((left, right), (right, left)):
        product = fused[0]
        if not isinstance(product, Product):
            continue
        rest = (_computed(frame, other[0]), other[1])
        parts = (product.left, product.right, rest)
        rule = RULES[type(op)]
        scalar = _sum_type(frame, node, product, rest, rule)
        if scalar is None:
            return _loose_sum(frame, node, product, rest, minus, fused is left)
        if scalar.is_float:
            a, b, c = operands(frame, parts, scalar)
            return Typed(_fuse(frame, a, b, c, minus, fused is left))
        own = (_computed(frame, product), fused[1])
        return binary(frame, node, op, *((own, rest) if fused is left else (rest, own)))
    assert not isinstance(left[0], Product) and not isinstance(right[0], Product)
    return binary(frame, node, op, (left[0], left[1]), (right[0], right[1]))


def _inside(one: Term) -> tuple[Operand, ...]:
    """The values of one side: the factors of a product."""
    value, place = one
    return (value.left, value.right) if isinstance(value, Product) else ((value, place),)


def _pair_sum(frame: Frame, node: ast.AST, minus: bool, left: Term, right: Term) -> Front:
    """A sum of pairs: that of each half, fused likewise."""

    def again(one: Term, parts: list[Operand]) -> Term:
        if isinstance(one[0], Product):
            return Product(one[0].node, *parts), one[1]
        return parts[0]

    count = len(_inside(left))
    return lift(
        frame,
        node,
        "`-`" if minus else "`+`",
        (*_inside(left), *_inside(right)),
        lambda parts: add(frame, node, minus, again(left, parts[:count]), again(right, parts[count:])),
    )


def _sum_type(frame: Frame, node: ast.AST, product: Product, rest: Operand, rule: Rule) -> Scalar | None:
    """The type of a sum with a product in it. Refusals name the product as one operand, as if it were computed."""
    own = next((one for one, _ in (product.left, product.right) if isinstance(one, Typed)), None)
    if own is not None:
        if own.type == BOOL:
            raise no_bool(frame, product.node, "*")
        return unify(frame, node, ((own, product.node), rest), f"`{rule.symbol}`")
    return unify(frame, node, (product.left, product.right, rest), f"`{rule.symbol}`")


def _fuse(frame: Frame, a: Value, b: Value, c: Value, minus: bool, first: bool) -> Value:
    """a*b + c, a*b - c, or c - a*b, rounded once."""
    builder = frame.builder
    if minus and first:
        c = negate(frame, c)
    elif minus:
        a = negate(frame, a)
    return builder.value("fma", a, b, c)


def negate(frame: Frame, value: Value) -> Value:
    known = value.constant
    return frame.builder.const(value.scalar, -known) if isinstance(known, float) else frame.builder.value("neg", value)


def _computed(frame: Frame, value: Front | Product) -> Front:
    if not isinstance(value, Product):
        return value
    before, frame.builder.span = frame.builder.span, frame.span(value.node)
    try:
        return binary(frame, value.node, ast.Mult(), value.left, value.right)
    finally:
        frame.builder.span = before


def _loose_sum(frame: Frame, node: ast.AST, product: Product, rest: Operand, minus: bool, first: bool) -> Front:
    values = [one for one, _ in (product.left, product.right, rest) if isinstance(one, (Literal, Weak))]
    if any(kind_of(one) == "bool" for one in values):
        raise no_bool(frame, node, "-" if minus else "+")
    adopts = any(isinstance(one, Weak) and one.adopts for one in values)

    def make(scalar: Scalar) -> Value:
        a, b, c = operands(frame, (product.left, product.right, rest), scalar)
        if scalar.is_float:
            return _fuse(frame, a, b, c, minus, first)
        own = frame.builder.value("mul", a, b)
        return frame.builder.value("sub" if minus else "add", *((own, c) if first else (c, own)))

    return Weak("float" if any(kind_of(one) == "float" for one in values) else "int", make, adopts)


# ---- one operand


@expression(ast.UnaryOp)
def _unary(frame: Frame, node: ast.UnaryOp) -> Front:
    if isinstance(node.op, ast.Not):
        flag = condition(frame, node.operand)
        if isinstance(flag, bool):
            return Literal(not flag)
        known = flag.constant
        return Typed(frame.builder.value("not", flag) if known is None else frame.builder.const(BOOL, not known))
    value = translate(frame, node.operand)
    symbol, op, compute = _UNARY[type(node.op)]
    if isinstance(value, Literal) and not isinstance(value.value, bool):
        if isinstance(node.op, ast.Invert) and isinstance(value.value, float):
            raise frame.refuse(node, "OX0308", f"mismatched types: `~` is for integers, and this is {describe(value)}")
        return Literal(compute(value.value))
    if isinstance(value, Literal) or (isinstance(value, Typed) and value.type == BOOL):
        help = f"write `not {source(node.operand)}`" if isinstance(node.op, ast.Invert) else f"convert it: `{cast_text(I32, node.operand)}`"
        raise frame.refuse(node, "OX0308", f"mismatched types: `{symbol}` is for numbers, and this is `bool`", help=help)
    if is_pair(value) and op != "not":
        if op == "":
            return value
        return lift(frame, node, f"`{symbol}`", ((value, node.operand),), lambda parts: Typed(negate(frame, *values_of(parts))))
    if class_of(value) is not None:
        if (found := special(frame, node, value, UNARY[type(node.op)][1])) is not None:
            return found
        raise no_operator(frame, node.op, (value, node.operand))
    unify(frame, node, ((value, node.operand),), f"`{symbol}`")
    if op == "not" and (value.kind == "float" if isinstance(value, Weak) else isinstance(value, Typed) and value.type.is_float):
        help = f"convert it: `{cast_text(I32, node.operand)}`"
        raise frame.refuse(node, "OX0308", f"mismatched types: `~` is for integers, and this is {describe(value)}", help=help)
    if isinstance(value, Weak):

        def make(scalar: Scalar) -> Value:
            if op == "not" and scalar.is_float:  # bits of an integer, which becomes a float
                return frame.builder.value("cast", make(I32), type=scalar)
            return frame.builder.value(op, value.make(scalar))

        return value if op == "" else Weak(value.kind, make, value.adopts)
    assert isinstance(value, Typed)
    return value if op == "" else Typed(negate(frame, value.value) if op == "neg" else frame.builder.value(op, value.value))


_UNARY: dict[type[ast.unaryop], tuple[str, str, Callable[[Any], Any]]] = {
    ast.USub: ("-", "neg", operator.neg),
    ast.UAdd: ("+", "", operator.pos),
    ast.Invert: ("~", "not", operator.invert),
}


# ---- and, or, x if c else y


@expression(ast.BoolOp)
def _short_circuit(frame: Frame, node: ast.BoolOp) -> Front:
    return _chain(frame, node.values, isinstance(node.op, ast.And))


def _chain(frame: Frame, values: list[ast.expr], conjunction: bool) -> Front:
    """`a and rest`: rest only where a is true; `a or rest`: only where it is false."""
    flag = condition(frame, values[0])
    if len(values) == 1:
        return Literal(flag) if isinstance(flag, bool) else Typed(flag)
    if isinstance(flag, bool):
        return _chain(frame, values[1:], conjunction) if flag == conjunction else Literal(flag)
    if flag.constant is not None:  # of typed numbers, such as `block.size`
        return _chain(frame, values[1:], conjunction) if flag.constant == conjunction else Typed(flag)

    def rest() -> Front:
        return _chain(frame, values[1:], conjunction)

    def known() -> Front:
        return Literal(not conjunction)

    value = branch(frame, flag, rest, known) if conjunction else branch(frame, flag, known, rest)
    assert value is not None
    return value


@expression(ast.IfExp)
def _choice(frame: Frame, node: ast.IfExp) -> Front:
    flag = condition(frame, node.test)
    if isinstance(flag, bool):
        return translate(frame, node.body if flag else node.orelse)
    value = branch(frame, flag, lambda: translate(frame, node.body), lambda: translate(frame, node.orelse))
    assert value is not None
    return value


def settled(frame: Frame, node: ast.AST, given: tuple[Operand, ...], what: str) -> tuple[Scalar, list[Value]]:
    """Operands in their common type, literals alone in theirs."""
    scalar = unify(frame, node, given, what)
    if scalar is None:
        loose = [one for one, _ in given if isinstance(one, (Literal, Weak))]
        floats = [one for one in loose if kind_of(one) == "float"]
        scalar = default_type((floats or loose)[0])
    return scalar, operands(frame, given, scalar)


def truth(frame: Frame, flag: Value | bool) -> Front:
    return Literal(flag) if isinstance(flag, bool) else Typed(as_value(frame, flag))
