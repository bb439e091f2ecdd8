"""`**` of floats with constant exponents is within 2 ULP of the exact power, and Python's for special numbers."""

# pyright: basic
from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from frontend.running import lowered, run
from loading import defined

EXPONENTS = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "13",
    "31",
    "100",
    "-1",
    "-2",
    "-3",
    "-10",
    "0.5",
    "-0.5",
    "1.5",
    "2.5",
    "-1.5",
    "7.5",
    "3.0",
]


def power(exponent: str, scalar: str) -> Any:
    source = (
        f"from oxidepy import Slice, SliceMut, f32, f64, kernel, launch_contract\n"
        f"@kernel\n@launch_contract(domain=1, block=(1, 1, 1))\n"
        f"def k(y: SliceMut[{scalar}], x: Slice[{scalar}]) -> None:\n    for i in range(len(x)):\n        y[i] = x[i] ** {exponent}\n"
    )
    return defined(source, {"__name__": "powers"})["k"]


def exact(x: float, exponent: float) -> Fraction:
    """The power, exact for whole exponents, to 200 bits for half ones."""
    doubled = int(2 * exponent)
    if doubled % 2 == 0:
        return Fraction(x) ** (doubled // 2)
    value = Fraction(x) ** abs(doubled)
    shift = (500 - value.numerator.bit_length() + value.denominator.bit_length()) // 2
    scaled = int(value * Fraction(2) ** (2 * shift))
    root = math.isqrt(scaled) / Fraction(2) ** shift
    return root if doubled > 0 else 1 / root


def ulps(got: Any, wanted: Fraction) -> float:
    """The distance in units of the last place of the exact value."""
    kind = np.finfo(type(got))
    if wanted > Fraction(float(kind.max)):
        return 0.0 if np.isinf(got) or got == kind.max else math.inf
    size = wanted.numerator.bit_length() - wanted.denominator.bit_length()
    size -= wanted < Fraction(2) ** size
    place = Fraction(2) ** (max(size, int(kind.minexp)) - kind.nmant)
    return float(abs(Fraction(float(got)) - wanted) / place) if np.isfinite(got) else math.inf


@pytest.mark.parametrize("scalar", ["f32", "f64"])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_are_within_two_units_of_the_last_place(exponent: str, scalar: str) -> None:
    rng = random.Random(exponent + scalar)
    dtype = np.float32 if scalar == "f32" else np.float64
    most = 125 if scalar == "f32" else 1020
    reach = most / max(abs(float(exponent)), 1)
    wide = [math.ldexp(1 + rng.random(), int(rng.uniform(-reach, reach))) for _ in range(150)]
    far = [math.ldexp(1 + rng.random(), int(rng.uniform(-1.3, 1.3) * reach) % most) for _ in range(50)]
    x = np.array([1 + rng.uniform(-1e-3, 1e-3) for _ in range(50)] + wide + far, dtype)
    if "5" not in exponent.partition(".")[2]:
        x[::3] *= -1
    y = np.zeros_like(x)
    assert run(power(exponent, scalar), y, x) is None
    worst = max(ulps(got, abs(exact(abs(float(one)), float(exponent)))) for got, one in zip(abs(y), x, strict=True))
    assert worst <= 2, worst
    assert np.array_equal(
        np.signbit(y), np.signbit(x) if exponent in ("1", "3", "5", "7", "13", "31", "-1", "-3", "3.0") else np.zeros(len(x), bool)
    )


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_special_numbers_are_pythons(exponent: str) -> None:
    x = np.array([math.inf, -math.inf, 0.0, -0.0, 1.0, math.nan, 1e300, 1e-300])
    y = np.zeros_like(x)
    assert run(power(exponent, "f64"), y, x) is None
    with np.errstate(all="ignore"):
        wanted = np.power(x, np.full_like(x, float(exponent)))
    np.testing.assert_allclose(y, wanted, rtol=1e-15)
    assert np.array_equal(np.signbit(y)[:5], np.signbit(wanted)[:5])


@pytest.mark.parametrize("exponent", ["0.3", "2.2", "2000.0", "0.25"])
def test_other_exponents_go_through_pow(exponent: str) -> None:
    assert [op.attrs["callee"] for op in lowered(power(exponent, "f32")).kernel.body.walk() if op.name == "call"] == ["pow_f32"]
