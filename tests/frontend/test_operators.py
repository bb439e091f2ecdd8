"""Operators mean what they mean in Python, wrap like the hardware, and fuse where the rule says so."""

# pyright: basic
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from frontend.running import every, findings, lowered, ops, refused, results, run
from loading import defined

from oxidepy import SliceMut, f32, f64, i8, i32, i64, kernel, launch_contract, u32

ONE = (1, 1, 1)


@kernel
@launch_contract(domain=1, block=ONE)
def floor_division(y: SliceMut[i32], a: i32, b: i32) -> None:
    y[0] = a // b
    y[1] = a % b
    q, r = divmod(a, b)
    y[2] = q
    y[3] = r
    y[4] = -(-a // b)


@pytest.mark.parametrize(("a", "b"), [(-1, 2), (-7, 2), (7, -2), (7, 2), (-36, 5), (0, -3), (6, 3), (-6, 3)])
def test_floor_division_of_integers(a: int, b: int) -> None:
    assert results(floor_division, np.int32, 5, a, b) == [a // b, a % b, a // b, a % b, -(-a // b)]


def test_the_least_integer_by_minus_one_wraps() -> None:
    assert results(floor_division, np.int32, 5, -(1 << 31), -1)[:2] == [-(1 << 31), 0]


def test_division_by_zero_is_a_panic() -> None:
    panic = run(floor_division, np.zeros(5, np.int32), 1, 0)
    assert panic is not None
    assert panic.site.attrs["code"] == "OX7003"
    assert panic.site.span is not None and panic.site.span.line == 22


@kernel
@launch_contract(domain=1, block=ONE)
def by_constants(y: SliceMut[i32], a: i32, x: f32) -> None:
    y[0] = a // 3 + a % 3
    y[1] = i32(x // 0.0) + i32(x % 2.0)


def test_a_constant_divisor_and_floats_are_not_checked() -> None:
    assert [op.attrs["code"] for op in every(by_constants) if op.name == "check"] == ["OX7001", "OX7001"]


@kernel
@launch_contract(domain=1, block=ONE)
def float_floor(y: SliceMut[f64], a: f64, b: f64) -> None:
    y[0] = a // b
    y[1] = a % b


@pytest.mark.parametrize(("a", "b"), [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1e10, 3.0), (-1e-20, 3.0), (5.0, math.inf), (-5.0, math.inf)])
def test_floor_division_of_floats(a: float, b: float) -> None:
    assert results(float_floor, np.float64, 2, a, b) == [a // b, a % b]


@kernel
@launch_contract(domain=1, block=ONE)
def quotient_of_integers(y: SliceMut[f32], a: i32, b: i32) -> None:
    y[0] = a / b


def test_division_is_for_floats() -> None:
    found = refused(quotient_of_integers)
    assert (found.code, found.message) == ("OX0308", "mismatched types: `/` is for floats, and this is `i32`")
    assert found.help is not None and "a // b" in found.help and "f32(a)" in found.help


@kernel
@launch_contract(domain=1, block=ONE)
def bits(y: SliceMut[i32], a: i32, n: i32) -> None:
    y[0] = a & 12
    y[1] = a | 3
    y[2] = a ^ n
    y[3] = ~a
    y[4] = a << n
    y[5] = a >> n
    y[6] = a << 40
    y[7] = a >> 40
    y[8] = -a
    y[9] = a >> -1


@pytest.mark.parametrize(("a", "n"), [(-5, 2), (12345, 31), (1 << 30, 1), (-8, 40), (7, -1)])
def test_bits(a: int, n: int) -> None:
    def wrap(value: int) -> int:
        return (value + (1 << 31)) % (1 << 32) - (1 << 31)

    gone = not 0 <= n < 32
    sign = -1 if a < 0 else 0
    wanted = [a & 12, a | 3, a ^ n, ~a, 0 if gone else wrap(a << n), sign if gone else a >> n, 0, sign, -a, sign]
    assert results(bits, np.int32, 10, a, n) == wanted


@kernel
@launch_contract(domain=1, block=ONE)
def unsigned_bits(y: SliceMut[u32], a: u32) -> None:
    y[0] = ~a
    y[1] = -a
    y[2] = a << -1
    y[3] = a - 1


def test_unsigned_integers_wrap() -> None:
    assert results(unsigned_bits, np.uint32, 4, 0) == [(1 << 32) - 1, 0, 0, (1 << 32) - 1]


@kernel
@launch_contract(domain=1, block=ONE)
def small_wraps(y: SliceMut[i8], a: i8) -> None:
    y[0] = a + a
    y[1] = a * a
    y[2] = abs(a)


def test_small_integers_wrap() -> None:
    assert results(small_wraps, np.int8, 3, -128) == [0, 0, -128]


@kernel
@launch_contract(domain=1, block=ONE)
def powers(y: SliceMut[f64], x: f64, n: i32) -> None:
    y[0] = x**2
    y[1] = x**3
    y[2] = x**0.5
    y[3] = x**-1
    y[4] = f64(n**5)
    y[5] = x**0
    y[6] = pow(x, 2.0)
    y[7] = x**-2
    y[8] = 2**10 + x


def test_powers() -> None:
    x = 1.7
    wanted = [x * x, x * (x * x), math.sqrt(x), 1 / x, -243.0, 1.0, x * x, (1 / x) * (1 / x), 1024 + x]
    assert results(powers, np.float64, 9, x, -3) == wanted


def test_roots_of_special_numbers_are_pythons() -> None:
    root = results(powers, np.float64, 9, -0.0, 1)[2]
    assert root == 0.0 and math.copysign(1, root) == 1
    assert results(powers, np.float64, 9, -math.inf, 1)[2] == math.inf


@kernel
@launch_contract(domain=1, block=ONE)
def bad_powers(y: SliceMut[f32], x: f32, n: i32) -> None:
    y[0] = x**n
    y[1] = f32(n**-1)
    y[2] = f32(n**n)


def test_powers_that_are_not_there() -> None:
    found = findings(bad_powers)
    assert [(one.code, one.span.line if one.span else 0) for one in found] == [
        ("OX0308", bad_powers.definition.function.__code__.co_firstlineno + 3),
        ("OX0308", bad_powers.definition.function.__code__.co_firstlineno + 4),
        ("OX0658", bad_powers.definition.function.__code__.co_firstlineno + 5),
    ]
    assert "`f32(n)`" in str(found[0].help)


@kernel
@launch_contract(domain=1, block=ONE)
def general_powers(y: SliceMut[f64], x: f64, e: f64, n: i32) -> None:
    y[0] = x**e
    y[1] = pow(x, e)
    y[2] = x**0.3
    y[3] = 2.0**e
    y[4] = 10**e
    y[5] = x ** f64(n)
    y[6] = x**-3


def test_powers_with_any_exponent_are_those_of_math() -> None:
    x, e = 1.7, 2.6
    wanted = [x**e, x**e, x**0.3, 2**e, 10**e, x**5, x**-3]
    assert np.allclose(results(general_powers, np.float64, 7, x, e, 5), wanted, rtol=3e-16, atol=0)
    calls = [op.attrs["callee"] for op in lowered(general_powers).kernel.body.walk() if op.name == "call"]
    assert calls == ["pow_f64", "pow_f64", "pow_f64", "exp2_f64", "pow_f64", "pow_f64"]  # x**-3 is multiplied out


# ---- fused products


def fused(expression: str) -> Any:
    """A kernel of one expression over f32 a, b, c, d, compiled from text."""
    source = (
        "from oxidepy import SliceMut, f32, kernel, launch_contract\n"
        "@kernel\n@launch_contract(domain=1, block=(1, 1, 1))\n"
        f"def k(y: SliceMut[f32], a: f32, b: f32, c: f32, d: f32) -> None:\n    {expression}\n"
    )
    return defined(source, {"__name__": "fused"})["k"]


ARITHMETIC = ("add", "sub", "mul", "fma", "neg", "div")


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("y[0] = a * b + c", ["fma"]),
        ("y[0] = c + a * b", ["fma"]),
        ("y[0] = (a * b) + c", ["fma"]),
        ("y[0] = a * b - c", ["neg", "fma"]),
        ("y[0] = c - a * b", ["neg", "fma"]),
        ("y[0] = a * b + c * d", ["mul", "fma"]),
        ("y[0] = a * b - c * d", ["mul", "neg", "fma"]),
        ("y[0] = a * b + c + d", ["fma", "add"]),
        ("y[0] = a * b * c + d", ["mul", "fma"]),
        ("y[0] = a ** 2 + b", ["mul", "add"]),
        ("y[0] = -(a * b) + c", ["mul", "neg", "add"]),
        ("y[0] += a * b", ["fma"]),
        ("y[0] -= a * b", ["neg", "fma"]),
        ("y[0] *= a + b", ["add", "mul"]),
        ("y[0] = 2.0 * a + b", ["fma"]),
        ("y[0] = (a * b if a > b else a) + c", ["mul", "add"]),
        ("y[0] = a * b / c + d", ["mul", "div", "add"]),
        ("x = a\n    x += b * c\n    y[0] = x", ["fma"]),
    ],
)
def test_a_product_that_is_directly_an_operand_of_a_sum_is_fused(expression: str, wanted: list[str]) -> None:
    kernel_ = fused(expression)
    assert [name for name in ops(kernel_) if name in ARITHMETIC] == wanted
    unfused = [name for name in ops(kernel_, fmad=False) if name in ARITHMETIC]
    assert "fma" not in unfused


def test_the_left_product_is_the_fused_one() -> None:
    module = lowered(fused("y[0] = a * b + c * d"))
    (fma,) = (op for op in module.kernel.body.walk() if op.name == "fma")
    assert [value.name for value in fma.operands[:2]] == ["a", "b"]
    a, b, c, d = (np.float32(one) for one in (1 + 2**-12, 1 - 2**-12, 1 + 2**-12, -1.0))
    out = np.zeros(1, np.float32)
    run(fused("y[0] = a * b + c * d"), out, a, b, c, d)
    assert out[0] == np.float32(float(a) * float(b) + float(np.float32(c * d)))


@kernel
@launch_contract(domain=1, block=ONE)
def integer_sums(y: SliceMut[i32], a: i32, b: i32) -> None:
    y[0] = a * b + a
    y[1] = a - a * b


def test_integer_products_are_not_fused() -> None:
    assert [name for name in ops(integer_sums) if name in ARITHMETIC] == ["mul", "add", "mul", "sub"]
    assert results(integer_sums, np.int32, 2, 3, 4) == [15, -9]


@kernel
@launch_contract(domain=1, block=ONE)
def evaluation_order(y: SliceMut[f32], n: i32, m: i32) -> None:
    y[0] = f32(1 // n) * f32(2 // m) + f32(3 // n)


def test_operands_are_computed_from_left_to_right() -> None:
    column = lambda n, m: run(evaluation_order, np.zeros(1, np.float32), n, m).site.span.column  # type: ignore[union-attr]
    line = "y[0] = f32(1 // n) * f32(2 // m) + f32(3 // n)"
    assert column(0, 0) == 5 + line.index("1 // n")
    assert column(1, 0) == 5 + line.index("2 // m")


# ---- comparisons


@kernel
@launch_contract(domain=1, block=ONE)
def chains(y: SliceMut[i32], a: i32, b: i32, c: i32) -> None:
    y[0] = i32(a < b < c)
    y[1] = i32(a == b != c)
    y[2] = i32(a in (1, 2, b))
    y[3] = i32(a not in (1, c))
    y[4] = i32((a < b and 10 // (b - a) > c) or c == 0)
    y[5] = i32(0 <= a <= 2 <= b)


@pytest.mark.parametrize("a", [0, 1, 2])
@pytest.mark.parametrize("b", [1, 2, 3])
@pytest.mark.parametrize("c", [0, 2, 3])
def test_comparisons(a: int, b: int, c: int) -> None:
    wanted = [a < b < c, a == b != c, a in (1, 2, b), a not in (1, c), (a < b and 10 // (b - a) > c) or c == 0, 0 <= a <= 2 <= b]
    assert results(chains, np.int32, 6, a, b, c) == [int(one) for one in wanted]


@kernel
@launch_contract(domain=1, block=ONE)
def middle(y: SliceMut[i32], n: i32) -> None:
    y[0] = i32(0 < 6 // n < 4)


def test_the_middle_of_a_chain_is_computed_once() -> None:
    assert ops(middle).count("floordiv") == 1


@kernel
@launch_contract(domain=1, block=ONE)
def lazy(y: SliceMut[i32], n: i32) -> None:
    y[0] = i32(n != 0 and 6 // n == 2)
    y[1] = i32(n == 0 or 6 // n == 3)
    y[2] = 6 // n if n != 0 else -1


def test_what_is_not_reached_is_not_computed() -> None:
    assert results(lazy, np.int32, 3, 0) == [0, 1, -1]
    assert results(lazy, np.int32, 3, 2) == [0, 1, 3]


@kernel
@launch_contract(domain=1, block=ONE)
def extremes(y: SliceMut[f32], a: f32, b: f32, n: i64) -> None:
    y[0] = min(a, b)
    y[1] = max(a, b, 0.0)
    y[2] = abs(a)
    y[3] = round(a)
    y[4] = min((a, b, 1.0))
    y[5] = f32(max(n, 3))
    y[6] = f32(round(n))


def test_built_in_functions() -> None:
    assert results(extremes, np.float32, 7, -2.5, 1.5, 7) == [-2.5, 1.5, 2.5, -2.0, -2.5, 7.0, 7.0]
    assert results(extremes, np.float32, 7, math.nan, 1.5, 7)[:2] == [1.5, 1.5]


@kernel
@launch_contract(domain=1, block=ONE)
def literals_fold(y: SliceMut[f64]) -> None:
    y[0] = 1 / 4
    y[1] = (7 // 2) ** 2 - 7 % -2
    y[2] = 2**-1
    y[3] = (1 << 40) / 2
    y[4] = 1.5 if 1 < 2 <= 2 else 0


def test_literals_are_computed_by_python() -> None:
    assert results(literals_fold, np.float64, 5) == [0.25, 10.0, 0.5, float(1 << 39), 1.5]
    assert "div" not in ops(literals_fold)


@kernel
@launch_contract(domain=1, block=ONE)
def conversions(y: SliceMut[f64], n: i64, x: f64, s: f32) -> None:
    y[0] = f64(int(x))
    y[1] = f64(int(n))
    y[2] = float(x)
    y[3] = f64(float(i32(n)))
    y[4] = f64(bool(n))
    y[5] = f64(int(2.9))
    y[6] = float(3)
    y[7] = f64(bool(s))


def test_conversions() -> None:
    assert results(conversions, np.float64, 8, 5, -2.9, 0.0) == [-2.0, 5.0, -2.9, 5.0, 1.0, 2.0, 3.0, 0.0]
