"""What one operation gives, as a term: exact integers that wrap where it cannot be excluded, conditions, None for floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from oxidepy.analysis.races.launch import COMPARE
from oxidepy.analysis.races.terms import FALSE, TRUE, ZERO, Cond, Poly, all_of, any_of, at_least_zero, chosen, negated, number
from oxidepy.ir.core import Op
from oxidepy.ir.types import Scalar

if TYPE_CHECKING:
    from oxidepy.analysis.races.execute import Executor

Term = Poly | Cond | None

_SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def evaluate(run: Executor, op: Op) -> Term:
    """The term of a pure operation with one result; None where nothing is known but its type."""
    rule = _RULES.get(op.name)
    if rule is None:
        return None
    return rule(run, op)


def fit(run: Executor, poly: Poly | None, scalar: Scalar) -> Poly | None:
    """What a type holds after exact arithmetic: the same where it cannot leave the range, else less a multiple of 2**bits."""
    if poly is None:
        return None
    known, turn = run.known, 1 << scalar.bits
    huge = turn * turn  # of numbers that are multiplied round by round only the last digits count, and floats do not hold them
    large = {mono: coef // turn * turn for mono, coef in poly.terms.items() if abs(coef) >= (turn if mono else huge)}
    plain = poly - Poly(large)  # without what has wrapped on the way to it
    first = max(map(abs, large.values()), default=0) >= huge
    for one in (poly, plain)[first : 1 + (plain != poly)]:
        low, high = known.interval(one)
        if (low >= scalar.min or known.nonnegative(one - scalar.min)) and (high <= scalar.max or known.nonnegative(-one + scalar.max)):
            return one
    turns = run.terms.turns(plain - scalar.min, turn, known.bounds)
    return plain - turns * turn


def _ints(run: Executor, op: Op) -> tuple[Poly, ...] | None:
    found = tuple(run.integer(value) for value in op.operands if value.scalar.is_int)
    return found if len(found) == len(op.operands) else None


def _arithmetic(make: Callable[[Executor, Op, tuple[Poly, ...]], Poly | None]) -> Callable[[Executor, Op], Term]:
    def rule(run: Executor, op: Op) -> Term:
        parts = _ints(run, op)
        return fit(run, make(run, op, parts), op.result.scalar) if parts is not None else None

    return rule


def _product(run: Executor, op: Op, parts: tuple[Poly, ...]) -> Poly | None:
    return run.terms.product(*parts)


def _floordiv(run: Executor, op: Op, parts: tuple[Poly, ...]) -> Poly | None:
    if parts[1].constant is not None and parts[1].constant > 0:
        return run.terms.div(parts[0], parts[1].constant, run.known.bounds)
    if parts[1].constant == 0:
        return None
    return run.define(run.terms.quotient(*parts, positive=run.known.nonnegative(parts[1] - 1)))


def _quotient(run: Executor, op: Op) -> Term:
    """Only the least number by -1 leaves the range of the type."""
    parts = _ints(run, op)
    whole = _floordiv(run, op, parts) if parts is not None else None
    if parts is None or whole is None:
        return None
    scalar = op.result.scalar
    stays = not scalar.signed or run.known.interval(parts[0])[0] > scalar.min or run.known.nonnegative(parts[1])
    return whole if stays else fit(run, whole, scalar)


def _mod(run: Executor, op: Op) -> Term:
    """It is smaller than its divisor, and so in the range of the type."""
    parts = _ints(run, op)
    whole = _floordiv(run, op, parts) if parts is not None else None
    turned = run.terms.product(whole, parts[1]) if parts is not None and whole is not None else None
    return parts[0] - turned if parts is not None and turned is not None else None


def _shl(run: Executor, op: Op, parts: tuple[Poly, ...]) -> Poly | None:
    count = parts[1].constant
    if count is None:
        return None
    return parts[0] * (1 << count) if 0 <= count < op.result.scalar.bits else ZERO


def _shr(run: Executor, op: Op, parts: tuple[Poly, ...]) -> Poly | None:
    count, bits = parts[1].constant, op.result.scalar.bits
    if count is None:
        return None
    return run.terms.div(parts[0], 1 << (count if 0 <= count < bits else bits), run.known.bounds)


def _bits(run: Executor, op: Op) -> Term:
    scalar = op.result.scalar
    if scalar.is_int:
        left, right = (run.integer(value) for value in op.operands)
        return run.terms.bits(op.name, left, right, scalar.bits, scalar.signed)
    if scalar.kind != "bool":
        return None
    one, two = (run.condition(value) for value in op.operands)
    return all_of(one, two) if op.name == "and" else any_of(one, two) if op.name == "or" else chosen(one, negated(two), two)


def _not(run: Executor, op: Op) -> Term:
    scalar = op.result.scalar
    if scalar.kind == "bool":
        return negated(run.condition(op.operands[0]))
    return -run.integer(op.operands[0]) + (-1 if scalar.signed else scalar.max)


def _compare(run: Executor, op: Op) -> Term:
    kind = op.operands[0].scalar.kind
    if kind == "float":
        return None
    if kind == "bool":
        one, two = (run.condition(value) for value in op.operands)
        same = chosen(one, two, negated(two))
        return same if op.name == "eq" else negated(same) if op.name == "ne" else None
    left, right = (run.integer(value) for value in op.operands)
    return run.decided(COMPARE[_SYMBOLS[op.name]](left, right))


def _inbounds(run: Executor, op: Op) -> Term:
    index, length = (run.integer(value) for value in op.operands)
    return all_of(run.decided(at_least_zero(index)), run.decided(at_least_zero(length - index - 1)))


def _least(run: Executor, op: Op, parts: tuple[Poly, ...]) -> Poly:
    left, right = parts if op.name == "min" else reversed(parts)
    cond = run.decided(at_least_zero(right - left))
    return run.define(run.terms.choice(cond, *parts))


def _abs(run: Executor, op: Op, parts: tuple[Poly, ...]) -> Poly:
    return run.terms.choice(run.decided(at_least_zero(parts[0])), parts[0], -parts[0])


def _select(run: Executor, op: Op) -> Term:
    cond, scalar = run.condition(op.operands[0]), op.result.scalar
    if scalar.is_int:
        return run.terms.choice(cond, run.integer(op.operands[1]), run.integer(op.operands[2]))
    if scalar.kind == "bool":
        return chosen(cond, run.condition(op.operands[1]), run.condition(op.operands[2]))
    return None


def _cast(run: Executor, op: Op) -> Term:
    source, target = op.operands[0].scalar, op.result.scalar
    if target.is_float or source.is_float:
        return None
    if target.kind == "bool":
        return (
            run.condition(op.operands[0])
            if source.kind == "bool"
            else negated(run.decided(COMPARE["=="](run.integer(op.operands[0]), ZERO)))
        )
    if source.kind == "bool":
        cond = run.condition(op.operands[0])
        return _up(run, cond) or run.terms.choice(cond, number(1), ZERO)
    return fit(run, run.integer(op.operands[0]), target)


def _up(run: Executor, cond: Cond) -> Poly | None:
    """What a quotient rounded up is more than one rounded down: 1 where something is left, p != n * (p // n)."""
    for atom in cond[1].atoms() if cond[0] == "ne" else ():
        if atom.kind in ("div", "quotient"):
            inner, by = atom.args[0], atom.args[1] if atom.kind == "quotient" else number(atom.args[1])
            rest = inner - run.terms.of(atom) * by
            if cond[1] in (rest, -rest) and run.known.nonnegative(by - 1):
                return run.define(run.terms.quotient(inner + by - 1, by, positive=True)) - run.terms.of(atom)
    return None


def _bitcast(run: Executor, op: Op) -> Term:
    return _cast(run, op) if op.operands[0].scalar.is_int and op.result.scalar.is_int else None


def _brev(run: Executor, op: Op) -> Term:
    poly, scalar = run.integer(op.operands[0]), op.result.scalar
    if not run.known.nonnegative(poly):
        return None
    return fit(run, run.terms.reversed(poly, scalar.bits), scalar)


def _const(run: Executor, op: Op) -> Term:
    value, kind = op.attrs["value"], op.result.scalar.kind
    return None if kind == "float" else (TRUE if value else FALSE) if kind == "bool" else number(value)


def _intrinsic(run: Executor, op: Op) -> Term:
    exact = run.launch.coordinate(op.attrs["row"])
    return fit(run, exact, op.result.scalar)


_RULES: dict[str, Callable[[Executor, Op], Term]] = {
    "const": _const,
    "undef": lambda run, op: ZERO if op.result.scalar.is_int else FALSE if op.result.scalar.kind == "bool" else None,
    "add": _arithmetic(lambda run, op, parts: parts[0] + parts[1]),
    "sub": _arithmetic(lambda run, op, parts: parts[0] - parts[1]),
    "mul": _arithmetic(_product),
    "neg": _arithmetic(lambda run, op, parts: -parts[0]),
    "abs": _arithmetic(_abs),
    "floordiv": _quotient,
    "mod": _mod,
    "shl": _arithmetic(_shl),
    "shr": _arithmetic(_shr),
    "min": _arithmetic(_least),
    "max": _arithmetic(_least),
    "and": _bits,
    "or": _bits,
    "xor": _bits,
    "not": _not,
    **dict.fromkeys(_SYMBOLS, _compare),
    "inbounds": _inbounds,
    "select": _select,
    "cast": _cast,
    "bitcast": _bitcast,
    "brev": _brev,
    "intrinsic": _intrinsic,
}
