"""The functions of the maths library: within 2 ULP everywhere, exact where the value is special, the same bits on both devices."""

from __future__ import annotations

import math
from math import inf, nan, pi
from typing import Any

import numpy as np
import pytest
import ulp
from lang.function_table import FUNCTIONS, PAIRS, TYPES, applied, arguments, compute

import oxidepy as ox
from oxidepy import f64
from oxidepy.lang.functions.zeros import ZEROS

both_types = pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
every_function = pytest.mark.parametrize("name", FUNCTIONS)


@both_types
@every_function
def test_within_two_ulp_and_the_same_bits_on_the_cpu(name: str, dtype: type) -> None:
    values = arguments(name, dtype, 200)
    got = compute("interp", name, *values)
    error, where = ulp.worst(FUNCTIONS[name].exact, values, got, FUNCTIONS[name].size)
    assert error <= FUNCTIONS[name].bound, f"{error} ULP at {where}"
    assert compute("cpu", name, *values).tobytes() == got.tobytes()


ODD = ((0.0, 0.0), (-0.0, -0.0), (nan, nan))
SPECIAL: dict[str, tuple[tuple[float, ...], ...]] = {  # arguments, then the result
    "exp2": ((nan, nan), (inf, inf), (-inf, 0.0), (0.0, 1.0), (-0.0, 1.0), (3.0, 8.0), (-4.0, 0.0625), (5000.0, inf), (-5000.0, 0.0)),
    "exp10": ((nan, nan), (inf, inf), (-inf, 0.0), (0.0, 1.0), (3.0, 1000.0), (5000.0, inf), (-5000.0, 0.0)),
    "expm1": (*ODD, (inf, inf), (-inf, -1.0), (1000.0, inf), (-1000.0, -1.0)),
    "log": ((nan, nan), (inf, inf), (-inf, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (-1.0, nan)),
    "log2": ((nan, nan), (inf, inf), (-inf, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (-1.0, nan), (1024.0, 10.0), (0.125, -3.0)),
    "log10": ((nan, nan), (inf, inf), (-inf, nan), (0.0, -inf), (-0.0, -inf), (1.0, 0.0), (-1.0, nan), (1000.0, 3.0), (1e10, 10.0)),
    "log1p": (*ODD, (inf, inf), (-inf, nan), (-1.0, -inf), (-2.0, nan)),
    "sin": (*ODD, (inf, nan), (-inf, nan)),
    "cos": ((0.0, 1.0), (-0.0, 1.0), (nan, nan), (inf, nan), (-inf, nan)),
    "tan": (*ODD, (inf, nan), (-inf, nan)),
    "sinpi": (*ODD, (inf, nan), (-inf, nan), (1.0, 0.0), (-1.0, -0.0), (0.5, 1.0), (1.5, -1.0), (1e30, 0.0)),
    "cospi": ((0.0, 1.0), (-0.0, 1.0), (nan, nan), (inf, nan), (1.0, -1.0), (0.5, 0.0), (1.5, 0.0), (1e30, 1.0)),
    "sinh": (*ODD, (inf, inf), (-inf, -inf), (1000.0, inf), (-1000.0, -inf)),
    "cosh": ((0.0, 1.0), (-0.0, 1.0), (nan, nan), (inf, inf), (-inf, inf), (1000.0, inf)),
    "tanh": (*ODD, (inf, 1.0), (-inf, -1.0), (1000.0, 1.0)),
    "asin": (*ODD, (1.0, pi / 2), (-1.0, -pi / 2), (1.5, nan), (-1.5, nan), (inf, nan)),
    "acos": ((nan, nan), (1.0, 0.0), (-1.0, pi), (0.0, pi / 2), (1.5, nan), (-1.5, nan), (-inf, nan)),
    "atan": (*ODD, (inf, pi / 2), (-inf, -pi / 2), (1.0, pi / 4), (-1.0, -pi / 4), (1e30, pi / 2)),
    "asinh": (*ODD, (inf, inf), (-inf, -inf)),
    "acosh": ((nan, nan), (1.0, 0.0), (0.5, nan), (-1.0, nan), (-inf, nan), (inf, inf)),
    "atanh": (*ODD, (1.0, inf), (-1.0, -inf), (1.5, nan), (inf, nan), (-inf, nan)),
    "erf": (*ODD, (inf, 1.0), (-inf, -1.0)),
    "erfc": ((nan, nan), (0.0, 1.0), (-0.0, 1.0), (inf, 0.0), (-inf, 2.0), (1000.0, 0.0), (-1000.0, 2.0)),
    "cbrt": (*ODD, (inf, inf), (-inf, -inf), (27.0, 3.0), (-8.0, -2.0), (1e9, 1e3), (343.0, 7.0)),
    "rsqrt": ((nan, nan), (0.0, inf), (-0.0, -inf), (inf, 0.0), (-1.0, nan), (-inf, nan), (4.0, 0.5), (0.25, 2.0)),
    "gamma": (
        (nan, nan), (inf, inf), (-inf, nan), (0.0, inf), (-0.0, -inf), (-1.0, nan), (-1e30, nan), (1.0, 1.0), (2.0, 1.0), (5.0, 24.0),
        (1000.0, inf), (-1000.5, -0.0), (-1001.5, 0.0),
    ),
    "lgamma": (
        (nan, nan), (inf, inf), (-inf, inf), (0.0, inf), (-0.0, inf), (-1.0, inf), (-1e30, inf), (1.0, 0.0), (2.0, 0.0), (-3e38, inf),
    ),
    "degrees": (*ODD, (inf, inf), (-inf, -inf)),
    "radians": (*ODD, (inf, inf), (-inf, -inf)),
    "fmod": (
        (nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, nan), (1.0, 0.0, nan), (1.0, inf, 1.0), (-0.0, 2.0, -0.0), (-6.0, 3.0, -0.0),
        (-7.5, -2.0, -1.5), (7.5, -2.0, 1.5),
    ),
    "remainder": (
        (nan, 1.0, nan), (1.0, nan, nan), (inf, 1.0, nan), (1.0, 0.0, nan), (inf, inf, nan), (1.0, inf, 1.0), (-0.0, 2.0, -0.0),
        (-6.0, 3.0, -0.0), (5.0, 2.0, 1.0), (7.0, 2.0, -1.0), (-7.0, 2.0, 1.0), (3.0, -2.0, -1.0), (1.0, 2.0, 1.0),
    ),
    "hypot": (
        (inf, nan, inf), (nan, -inf, inf), (nan, 1.0, nan), (0.0, 0.0, 0.0), (-0.0, -0.0, 0.0), (-3.0, 4.0, 5.0), (0.0, -7.0, 7.0),
    ),
    "j0": ((nan, nan), (inf, 0.0), (-inf, 0.0), (0.0, 1.0), (-0.0, 1.0)),
    "j1": (*ODD, (inf, 0.0), (-inf, -0.0)),
    "y0": ((nan, nan), (inf, 0.0), (0.0, -inf), (-0.0, -inf), (-1.0, nan), (-inf, nan)),
    "y1": ((nan, nan), (inf, 0.0), (0.0, -inf), (-0.0, -inf), (-1.0, nan), (-inf, nan)),
    "cyl_bessel_i0": ((nan, nan), (inf, inf), (-inf, inf), (0.0, 1.0), (1000.0, inf)),
    "cyl_bessel_i1": (*ODD, (inf, inf), (-inf, -inf), (-1000.0, -inf)),
    "erfcx": ((nan, nan), (inf, 0.0), (-inf, inf), (0.0, 1.0), (-0.0, 1.0), (-1000.0, inf)),
    "erfinv": (*ODD, (1.0, inf), (-1.0, -inf), (1.5, nan), (-1.5, nan), (inf, nan)),
    "erfcinv": ((nan, nan), (0.0, inf), (-0.0, inf), (2.0, -inf), (1.0, 0.0), (2.5, nan), (-1.0, nan), (inf, nan)),
    "normcdf": ((nan, nan), (inf, 1.0), (-inf, 0.0), (0.0, 0.5), (-0.0, 0.5), (1000.0, 1.0), (-1000.0, 0.0)),
    "normcdfinv": ((nan, nan), (0.0, -inf), (1.0, inf), (0.5, 0.0), (1.5, nan), (-0.5, nan)),
    "rcbrt": ((nan, nan), (0.0, inf), (-0.0, -inf), (inf, 0.0), (-inf, -0.0), (-8.0, -0.5), (0.001, 10.0), (27.0, 1 / 3)),
    "rhypot": ((0.0, -0.0, inf), (inf, nan, 0.0), (nan, 1.0, nan), (3.0, 4.0, 0.2), (0.0, -4.0, 0.25)),
    "norm3d": ((0.0, -0.0, 0.0, 0.0), (nan, -inf, 1.0, inf), (nan, 1.0, 1.0, nan), (2.0, -3.0, 6.0, 7.0), (0.0, 0.0, -7.0, 7.0)),
    "rnorm3d": ((0.0, -0.0, 0.0, inf), (nan, -inf, 1.0, 0.0), (1.0, 1.0, nan, nan), (2.0, -3.0, 6.0, 1 / 7), (0.0, 0.0, -4.0, 0.25)),
    "norm4d": ((0.0, 0.0, -0.0, 0.0, 0.0), (nan, 1.0, 1.0, -inf, inf), (1.0, 1.0, 1.0, nan, nan), (1.0, 1.0, -1.0, 1.0, 2.0)),
    "rnorm4d": ((0.0, 0.0, -0.0, 0.0, inf), (nan, 1.0, 1.0, -inf, 0.0), (1.0, 1.0, 1.0, nan, nan), (1.0, 1.0, -1.0, 1.0, 0.5)),
    "atan2": (
        (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, pi), (-0.0, -0.0, -pi), (0.0, -1.0, pi), (-0.0, -1.0, -pi), (0.0, 1.0, 0.0),
        (-0.0, 1.0, -0.0), (1.0, 0.0, pi / 2), (-1.0, -0.0, -pi / 2), (1.0, -inf, pi), (-1.0, -inf, -pi), (1.0, inf, 0.0),
        (-1.0, inf, -0.0), (inf, 1.0, pi / 2), (-inf, -1.0, -pi / 2), (inf, -inf, 3 * pi / 4), (-inf, inf, -pi / 4), (inf, inf, pi / 4),
        (nan, 1.0, nan), (1.0, nan, nan), (2.0, -2.0, 3 * pi / 4),
    ),
    "pow": (
        (0.0, -3.0, inf), (-0.0, -3.0, -inf), (-0.0, -2.0, inf), (-0.0, -2.5, inf), (0.0, -inf, inf), (-0.0, -inf, inf), (-0.0, 3.0, -0.0),
        (0.0, 2.5, 0.0), (-0.0, 2.5, 0.0), (-0.0, 2.0, 0.0), (-1.0, inf, 1.0), (-1.0, -inf, 1.0), (1.0, nan, 1.0), (nan, 0.0, 1.0),
        (inf, -0.0, 1.0), (-2.0, 0.5, nan), (0.5, -inf, inf), (-2.0, -inf, 0.0), (-0.5, inf, 0.0), (2.0, inf, inf), (-inf, -3.0, -0.0),
        (-inf, -2.0, 0.0), (-inf, -0.5, 0.0), (-inf, 3.0, -inf), (-inf, 0.5, inf), (inf, -1.0, 0.0), (inf, 0.5, inf), (nan, 1.0, nan),
        (2.0, nan, nan), (-3.0, 3.0, -27.0), (10.0, 5.0, 1e5), (2.0, -100.0, 2.0**-100), (-1.0, 1e9, 1.0), (-2.0, 5000.0, inf),
        (-2.0, 5001.0, -inf), (-2.0, -5001.0, -0.0), (1e30, 1e30, inf), (-1.0, 3.0, -1.0),
    ),
}  # fmt: skip


@both_types
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name: str, dtype: type) -> None:
    check_special_values("cpu", name, dtype)


def check_special_values(device: str, name: str, dtype: type) -> None:
    rows = np.array(SPECIAL[name], dtype).T
    got, want = compute(device, name, *(np.ascontiguousarray(one) for one in rows[:-1])), rows[-1]
    for place, (one, due) in enumerate(zip(got.tolist(), want.tolist(), strict=True)):
        same = math.isnan(one) if math.isnan(due) else one == due and math.copysign(1, one) == math.copysign(1, due)
        assert same, f"{name}{SPECIAL[name][place][:-1]} is {one}, not {due}"


def test_every_function_has_its_special_values() -> None:
    assert {*SPECIAL, "exp"} >= set(FUNCTIONS) and {"pow", "atan2", "hypot", "fmod", "remainder"} <= PAIRS


@both_types
def test_powers_of_ten_and_two(dtype: type) -> None:
    tens = np.array([10.0**n for n in range(11 if dtype is np.float32 else 23)], dtype)
    assert compute("cpu", "log10", tens).tolist() == list(range(len(tens)))
    info = np.finfo(dtype)
    exponents = np.arange(info.minexp - info.nmant, info.maxexp).astype(dtype)
    twos = compute("cpu", "exp2", exponents)
    assert twos.tolist() == np.ldexp(dtype(1), exponents.astype(int)).tolist()
    assert compute("cpu", "log2", twos).tobytes() == exponents.tobytes()


@both_types
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_beside_multiples_of_pi_halves(name: str, dtype: type) -> None:
    """Where the most bits cancel: the neighbours of multiples, and the arguments that come nearest to one in each type."""
    worst = [1.6367173e30, 16367173 * 2.0**72, 33385282.0] if dtype is np.float32 else [6381956970095103 * 2.0**797, 5.319372648326541e255]
    multiples = np.concatenate([np.arange(1, 150), np.exp2(np.arange(10, 50))]) * (pi / 2)
    values = np.concatenate([multiples, worst]).astype(dtype)
    got = compute("cpu", name, values)
    error, where = ulp.worst(FUNCTIONS[name].exact, values, got)
    assert error <= 2, f"{error} ULP at {where}"


def test_lgamma_beside_its_zeros_below_0() -> None:
    """There its terms cancel: the two zeros in each of (-n - 1, -n), and the arguments beside them."""
    zeros = [row[2] for row in ZEROS]
    assert sorted(zeros, reverse=True) == zeros and len(zeros) == 32
    values = np.array([zero + step * math.ulp(zero) for zero in zeros for step in (-1000, -3, -1, 0, 1, 2, 5, 400)])
    values = values[np.rint(values) != values]  # the poles
    error, where = ulp.worst(FUNCTIONS["lgamma"].exact, values, compute("cpu", "lgamma", values))
    assert error <= 2, f"{error} ULP at {where!r}"


@pytest.mark.parametrize(
    ("own", "other"), [("asin", np.arcsin), ("atan2", np.arctan2), ("pow", np.power), ("tanh", math.tanh), ("gamma", math.gamma)]
)
def test_functions_of_numpy_and_the_standard_library(own: str, other: Any) -> None:
    values = arguments(own, np.float64, 20)
    stream = ox.Context("cpu").default_stream()
    given = [ox.DeviceBuffer.from_host(stream, one) for one in values]
    y = ox.DeviceBuffer.zeros(stream, len(values[0]), np.float64)
    applied(other, f64, len(given)).launch(stream, *given, y)
    assert y.to_host(stream).tobytes() == compute("cpu", own, *values).tobytes()
