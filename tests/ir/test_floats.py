"""Floating point of the interpreter against exact rationals."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir.build import apply

from oxidepy.ir.interpreter.rounding import round_to_bf16
from oxidepy.ir.types import BF16, BOOL, F16, F32, F64, I8, I16, I32, I64, SCALARS, U8, U16, U32, U64, Scalar

PRECISION = {"f16": (11, 15), "bf16": (8, 127), "f32": (24, 127), "f64": (53, 1023)}
FLOATS = (F16, BF16, F32, F64)


def round_once(type_: Scalar, exact: Fraction, zero: float = 0.0) -> float:
    """The nearest number of the type, ties to even; an exact zero has the sign of `zero`."""
    if exact == 0:
        return math.copysign(0.0, zero)
    precision, top = PRECISION[type_.name]
    magnitude = abs(exact)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, 1 - top) - precision + 1)
    value = round(magnitude / unit) * unit  # Fraction rounds half to even
    result = math.inf if value >= Fraction(2) ** (top + 1) else float(value)
    return -result if exact < 0 else result


def array(type_: Scalar, values: list[float]) -> np.ndarray:
    with np.errstate(all="ignore"):
        if type_ == BF16:
            return round_to_bf16(np.array(values))
        return np.array(values, {"f16": np.float16, "f32": np.float32, "f64": np.float64}[type_.name])


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


def random_values(type_: Scalar, count: int, seed: int) -> np.ndarray:
    """Random bits, so that every exponent occurs, with special numbers among them."""
    raw = np.random.default_rng(seed).integers(0, 1 << type_.bits, count, np.uint64, endpoint=False) if type_.bits < 64 else None
    if raw is None:
        raw = np.random.default_rng(seed).integers(0, 2**64 - 1, count, np.uint64, endpoint=True)
    bits = raw.astype(f"u{type_.size}")
    values = (bits.astype(np.uint32) << 16).view(np.float32) if type_ == BF16 else bits.view(f"f{type_.size}")
    return np.concatenate([values, array(type_, [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1.5, 0.1, -2.5, 3.0])])


def near(type_: Scalar, count: int, seed: int) -> np.ndarray:
    """Numbers of moderate exponents, so that sums and quotients are of interest."""
    rng = np.random.default_rng(seed)
    return array(type_, (rng.standard_normal(count) * np.exp2(rng.integers(-12, 13, count))).tolist())


def pairs(type_: Scalar) -> tuple[np.ndarray, np.ndarray]:
    a = np.concatenate([random_values(type_, 600, 1), near(type_, 600, 2)])
    b = np.concatenate([random_values(type_, 600, 3), near(type_, 600, 4)])
    corners = array(type_, [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 2.0**-14, -(2.0**-14)])
    one, other = np.meshgrid(corners, corners)
    return np.concatenate([a, one.ravel()]), np.concatenate([b, other.ravel()])


def check(name: str, type_: Scalar, want, *inputs: np.ndarray) -> None:
    got = apply(name, (type_,) * len(inputs), type_, *inputs)
    wrong = []
    for *values, result in zip(*inputs, got, strict=True):
        values = [float(one) for one in values]
        wanted = want(*values)
        if wanted is not None and not same(float(result), wanted):
            wrong.append((values, float(result), wanted))
    assert not wrong, f"{name} {type_}: (operands, got, wanted) {wrong[:4]} of {len(wrong)}"


def _finite(*values: float) -> bool:
    return all(map(math.isfinite, values))


EXACT = {
    "add": lambda a, b: (Fraction(a) + Fraction(b), a + b),
    "sub": lambda a, b: (Fraction(a) - Fraction(b), a - b),
    "mul": lambda a, b: (Fraction(a) * Fraction(b), a * b),
    "div": lambda a, b: (Fraction(a) / Fraction(b), a / b) if b else None,
}


@pytest.mark.parametrize("type_", FLOATS, ids=str)
@pytest.mark.parametrize("name", EXACT)
def test_arithmetic_is_rounded_once(name: str, type_: Scalar) -> None:
    def want(a: float, b: float) -> float | None:
        exact = EXACT[name](a, b) if _finite(a, b) else None
        return None if exact is None else round_once(type_, *exact)

    check(name, type_, want, *pairs(type_))


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_special_operands(type_: Scalar) -> None:
    inf = math.inf
    a, b = array(type_, [inf, inf, inf, 1.0, 0.0, -1.0]), array(type_, [inf, -inf, 0.0, 0.0, 0.0, 0.0])
    assert [str(float(one)) for one in apply("add", (type_, type_), type_, a, b)] == ["inf", "nan", "inf", "1.0", "0.0", "-1.0"]
    assert [str(float(one)) for one in apply("mul", (type_, type_), type_, a, b)] == ["inf", "-inf", "nan", "0.0", "0.0", "-0.0"]
    assert [str(float(one)) for one in apply("div", (type_, type_), type_, a, b)] == ["nan", "nan", "inf", "inf", "nan", "-inf"]


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_square_roots(type_: Scalar) -> None:
    def want(a: float) -> float | None:
        if not a >= 0 or math.isinf(a):
            return a if a == math.inf else math.nan
        scaled = Fraction(a) * 4**1200  # an integer root with far more bits than any type
        root = math.isqrt(math.floor(scaled))
        sticky = 0 if root * root == scaled else Fraction(1, 2)
        return round_once(type_, (root + sticky) / Fraction(2**1200), a)

    check("sqrt", type_, want, np.concatenate([abs(random_values(type_, 300, 5)), near(type_, 100, 6)]))


def _fma(type_: Scalar, a: float, b: float, c: float) -> float | None:
    if not _finite(a, b, c):
        if _finite(a, b):
            return c
        with np.errstate(all="ignore"):
            return float(np.float64(a) * np.float64(b) + np.float64(c))
    zero = math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b)) + c if c == 0 and not (a and b) else 0.0
    return round_once(type_, Fraction(a) * Fraction(b) + Fraction(c), zero)


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_fma_is_rounded_once(type_: Scalar) -> None:
    a, b = pairs(type_)
    with np.errstate(all="ignore"):
        cancel = (-(a.astype(np.float64) * b.astype(np.float64))).tolist()  # c close to -a*b: everything above the last bits goes
    for c in (near(type_, len(a), 8), array(type_, cancel), np.concatenate([random_values(type_, len(a) - 11, 9)])):
        check("fma", type_, lambda *values: _fma(type_, *values), a, b, c)


def test_fma_where_double_rounding_would_show() -> None:
    x = np.float32(1 + 2**-12)
    c = np.float32(2.0**-60)
    assert float(np.float32(np.float64(x) * np.float64(x) + np.float64(c))) == 1 + 2**-11  # what rounding twice gives
    want = round_once(F32, Fraction(float(x)) ** 2 + Fraction(float(c)))
    assert want != 1 + 2**-11
    assert float(apply("fma", (F32,) * 3, F32, np.array([x]), np.array([x]), np.array([c]))[0]) == want


@settings(max_examples=300, deadline=None, derandomize=True)
@given(*(st.floats(allow_nan=False, width=64),) * 3)
def test_fma_f64_of_any_numbers(a: float, b: float, c: float) -> None:
    check("fma", F64, lambda *values: _fma(F64, *values), *(np.array([one]) for one in (a, b, c)))


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_remainder_is_exact_then_rounded(type_: Scalar) -> None:
    def want(a: float, b: float) -> float | None:
        if not (math.isfinite(a) and b == b) or b == 0:
            return math.nan
        if math.isinf(b):
            return a if a and (a < 0) == (b < 0) else math.copysign(0.0, b) if a == 0 else b
        exact = Fraction(a) - Fraction(b) * math.floor(Fraction(a) / Fraction(b))
        return round_once(type_, exact, b)

    check("mod", type_, want, *pairs(type_))


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_floor_division_is_exact_while_it_fits(type_: Scalar) -> None:
    precision = PRECISION[type_.name][0]

    def want(a: float, b: float) -> float | None:
        if not _finite(a, b) or b == 0:
            return None
        exact = Fraction(a) / Fraction(b)
        whole = math.floor(exact)
        return round_once(type_, Fraction(whole), math.copysign(1, a) * math.copysign(1, b)) if abs(whole) < 2**precision else None

    check("floordiv", type_, want, *pairs(type_))
    rng = np.random.default_rng(11)
    quotients = rng.integers(2 ** (precision - 3), 2**precision, 2000).astype(float)
    divisors = near(type_, 2000, 12)
    check("floordiv", type_, want, array(type_, (quotients * divisors.astype(float)).tolist()), divisors)


def _python(operation):
    def want(a: float, b: float) -> float | None:
        return operation(a, b) if b != 0 and not (math.isfinite(a) and math.isfinite(b) and 2**50 < abs(a / b) < 2**54) else None

    return want


def test_division_is_pythons_in_f64() -> None:
    a, b = pairs(F64)
    check("floordiv", F64, _python(lambda x, y: x // y), a, b)
    check("mod", F64, _python(lambda x, y: x % y), a, b)
    zero = np.zeros(3)
    assert [str(one) for one in apply("floordiv", (F64, F64), F64, np.array([1.0, -1.0, 0.0]), zero)] == ["inf", "-inf", "nan"]


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_minimum_and_maximum_ignore_nan_and_order_zeros(type_: Scalar) -> None:
    def key(value: float) -> tuple[float, float]:
        return value, math.copysign(1, value)

    def pick(choose):
        return lambda a, b: b if a != a else a if b != b else choose(a, b, key=key)

    check("min", type_, pick(min), *pairs(type_))
    check("max", type_, pick(max), *pairs(type_))


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_rounding_to_integers(type_: Scalar) -> None:
    def want(function):
        return lambda a: a if not math.isfinite(a) else math.copysign(float(function(a)), a)

    values = np.concatenate([random_values(type_, 300, 13), near(type_, 300, 14), array(type_, [0.5, 1.5, 2.5, -0.5, -1.5, 0.4, -0.4])])
    for name, function in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc), ("rint", round)):
        check(name, type_, want(function), values)
    check("neg", type_, lambda a: -a, values)
    check("abs", type_, abs, values)
    check("copysign", type_, lambda a, b: None if b != b else math.copysign(a, b), *pairs(type_))


@pytest.mark.parametrize("type_", FLOATS, ids=str)
def test_comparisons_and_classes(type_: Scalar) -> None:
    a, b = pairs(type_)
    for name, compare in (
        ("eq", lambda x, y: x == y),
        ("ne", lambda x, y: x != y),
        ("lt", lambda x, y: x < y),
        ("le", lambda x, y: x <= y),
        ("gt", lambda x, y: x > y),
        ("ge", lambda x, y: x >= y),
    ):
        got = apply(name, (type_, type_), BOOL, a, b).tolist()
        assert got == [compare(float(x), float(y)) for x, y in zip(a, b, strict=True)]
    for name, test in (("isnan", math.isnan), ("isinf", math.isinf), ("isfinite", math.isfinite)):
        assert apply(name, (type_,), BOOL, a).tolist() == [test(float(one)) for one in a]


@pytest.mark.parametrize("target", [I8, I16, I32, I64, U8, U16, U32, U64], ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_to_integer_saturates(source: Scalar, target: Scalar) -> None:
    edges = [float(target.max), float(target.min), float(target.max + 1), float(target.min) - 1, 0.9, -0.9, 1.5, -1.5, 127.5, 255.5, -129.0]
    values = np.concatenate([random_values(source, 200, 15), near(source, 200, 16), array(source, edges)])
    got = apply("cast", (source,), target, values).tolist()
    for value, result in zip(values.astype(float).tolist(), got, strict=True):
        whole = 0 if value != value else target.max if value == math.inf else target.min if value == -math.inf else math.trunc(value)
        assert result == min(max(whole, target.min), target.max), value


@pytest.mark.parametrize("target", FLOATS, ids=str)
@pytest.mark.parametrize("source", [I8, I32, I64, U16, U64], ids=str)
def test_from_integer_rounds_once(source: Scalar, target: Scalar) -> None:
    numbers = {source.min, source.max, 0, 1, source.max // 3}
    for bits in range(1, source.bits):
        for add in (-1, 0, 1):
            numbers.update(one for one in ((1 << bits) + add, (1 << bits) + (1 << bits >> 8) + add, -(1 << bits) + add))
    values = sorted(one for one in numbers if source.min <= one <= source.max)
    got = apply("cast", (source,), target, np.array(values, f"{'i' if source.signed else 'u'}{source.size}"))
    assert [float(one) for one in got] == [round_once(target, Fraction(one)) for one in values]


@pytest.mark.parametrize("target", FLOATS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_float_to_float_rounds_once(source: Scalar, target: Scalar) -> None:
    values = np.concatenate([random_values(source, 500, 17), near(source, 200, 18)])
    got = apply("cast", (source,), target, values)
    for value, result in zip(map(float, values), map(float, got), strict=True):
        assert same(result, round_once(target, Fraction(value), value) if math.isfinite(value) else value), value


def test_bitcasts() -> None:
    assert apply("bitcast", (F32,), U32, np.array([1.0, -0.0], np.float32)).tolist() == [0x3F800000, 0x80000000]
    assert apply("bitcast", (I64,), F64, np.array([0x3FF0000000000000, 1])).tolist() == [1.0, 5e-324]
    assert apply("bitcast", (BF16,), U16, round_to_bf16(np.array([1.0, -2.0]))).tolist() == [0x3F80, 0xC000]
    assert apply("bitcast", (U16,), F16, np.array([0x3C00, 1], np.uint16)).tolist() == [1.0, 2.0**-24]


def test_no_warning_reaches_the_user() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, nans in (("add", 0), ("mul", 1), ("div", 0), ("mod", 2), ("floordiv", 0)):
            got = apply(name, (F32, F32), F32, np.array([3e38, 1.0, np.inf], np.float32), np.array([3e38, 0.0, 0.0], np.float32))
            assert int(np.isnan(got).sum()) == nans, name
        assert apply("cast", (F64,), F32, np.array([1e300])).tolist() == [math.inf]


def test_the_table_is_covered() -> None:
    assert {one.name for one in FLOATS} == {name for name, one in SCALARS.items() if one.is_float}
