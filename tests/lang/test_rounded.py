"""Arithmetic with its rounding named: the exact value rounded in that direction, the same on every device; one instruction on a GPU."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from backend.assembler import assemble
from lang import function_table

import oxidepy as ox
from oxidepy import f32, f64

TYPES = {np.float32: (f32, 24, -126), np.float64: (f64, 53, -1022)}
MODES = {"rz": 0, "rd": -1, "ru": 1}
COUNTS = {"add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "rcp": 1, "sqrt": 1}


def compute(device: str, name: str, columns: tuple[np.ndarray, ...]) -> np.ndarray:
    """The function of as many of the columns as it takes."""
    return function_table.compute(device, name, *columns[: COUNTS[name.partition("_")[0]]])


def values(dtype: type, count: int) -> tuple[np.ndarray, ...]:
    """Three columns: every pair of the special numbers, then random ones, many of which cancel, overflow or fall below the denormals."""
    info, rng = np.finfo(dtype), np.random.default_rng(5)
    least, tiny, most = (float(one) for one in (info.smallest_subnormal, info.tiny, info.max))
    special = [0.0, -0.0, 1.0, -1.0, 1.5, 3.0, least, -least, tiny, most, -most, math.inf, -math.inf, math.nan, 1 + float(info.eps), 0.1]
    x, y = (one.ravel() for one in np.meshgrid(special, special))
    z = rng.permutation(x)
    low, high = math.log2(least), math.log2(most)

    def column() -> np.ndarray:
        sizes = np.where(rng.random(count) < 0.5, rng.uniform(low, high, count), rng.uniform(-2, 2, count))
        with np.errstate(over="ignore"):
            return (rng.choice([-1, 1], count) * np.exp2(sizes)).astype(dtype)

    a, b = column(), column()
    with np.errstate(all="ignore"):
        near = np.where(rng.random(count) < 0.5, -(a * b), column())  # the sum of the product and this cancels
        b = np.where(rng.random(count) < 0.2, -a * (1 + info.eps * rng.integers(0, 3, count)), b).astype(dtype)
    columns = ((x, a), (y, b), (z, near))
    return tuple(np.ascontiguousarray(np.concatenate([one.astype(dtype), other.astype(dtype)])) for one, other in columns)


def root(x: Fraction) -> Fraction:
    """The square root, cut off far behind the last place, with something behind it unless it is exact."""
    shift = 1400
    scaled = (x * (1 << 2 * shift)).numerator
    found = math.isqrt(scaled)
    return Fraction(2 * found + (found * found != scaled), 2 << shift)


EXACT: dict[str, Callable[..., Fraction]] = {
    "add": lambda x, y, z: x + y,
    "sub": lambda x, y, z: x - y,
    "mul": lambda x, y, z: x * y,
    "div": lambda x, y, z: x / y,
    "fma": lambda x, y, z: x * y + z,
    "rcp": lambda x, y, z: 1 / x,
    "sqrt": lambda x, y, z: root(x),
}


def directed(value: Fraction, side: int, precision: int, lowest: int) -> float:
    """The neighbour of an exact value that is not 0, on that side; 0: towards zero."""
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    quantum = Fraction(2) ** (max(exponent, lowest) - precision + 1)
    steps = value / quantum
    whole = math.trunc(steps) if side == 0 else math.floor(steps) if side < 0 else math.ceil(steps)
    found, most = whole * quantum, (2 - Fraction(2) ** (1 - precision)) * Fraction(2) ** (1 - lowest)
    if abs(found) > most:
        inward = side == 0 or (side < 0) == (value > 0)
        return math.copysign(float(most) if inward else math.inf, 1 if value > 0 else -1)
    return math.copysign(float(found), 1 if value > 0 else -1)


def wanted(operation: str, mode: str, dtype: type, row: tuple[float, ...]) -> float:
    _, precision, lowest = TYPES[dtype]
    x, y, z = (dtype(one) for one in row)
    with np.errstate(all="ignore"):
        plain = {"add": x + y, "sub": x - y, "mul": x * y, "div": x / y, "rcp": dtype(1) / x, "sqrt": np.sqrt(x), "fma": x * y + z}
        nearest = plain[operation]
    used = row[: COUNTS[operation]]
    side = MODES[mode]
    divisor = {"div": row[1], "rcp": row[0]}.get(operation, 1.0)
    if not all(map(math.isfinite, used)) or divisor == 0 or (operation == "sqrt" and row[0] <= 0):
        infinite = operation == "fma" and math.isfinite(row[0]) and math.isfinite(row[1]) and math.isinf(row[2])
        return row[2] if infinite else float(nearest)
    exact = EXACT[operation](*(Fraction(one) if math.isfinite(one) else Fraction(0) for one in row))
    if exact == 0:
        if side == -1 and operation in ("add", "sub", "fma"):
            first, zero = (row[0] * row[1], 0 in row[:2]) if operation == "fma" else (row[0], row[0] == 0)
            second = row[2] if operation == "fma" else -row[1] if operation == "sub" else row[1]
            return 0.0 if zero and math.copysign(1, first) == math.copysign(1, second) == 1 else -0.0
        if operation == "fma" and (row[0] != 0 and row[1] != 0):
            return 0.0
        return float(nearest)
    return directed(exact, side, precision, lowest)


def same(got: float, due: float) -> bool:
    return math.isnan(got) if math.isnan(due) else got == due and math.copysign(1, got) == math.copysign(1, due)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("operation", COUNTS)
@pytest.mark.parametrize("mode", MODES)
def test_against_exact_fractions(mode: str, operation: str, dtype: type) -> None:
    columns = values(dtype, 400)
    got = compute("interp", f"{operation}_{mode}", columns)
    rows = zip(*(one.astype(float).tolist() for one in columns), strict=True)
    for row, one in zip(rows, got.astype(float).tolist(), strict=True):
        due = wanted(operation, mode, dtype, row)
        assert same(one, due), f"{operation}_{mode}{row[: COUNTS[operation]]} is {one!r}, not {due!r}"


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("operation", COUNTS)
def test_the_same_bits_on_the_cpu(operation: str, dtype: type) -> None:
    columns = values(dtype, 2000)
    for mode in ("rn", *MODES):
        first, second = (compute(device, f"{operation}_{mode}", columns) for device in ("interp", "cpu"))
        numbers = ~(np.isnan(first) & np.isnan(second))
        assert first[numbers].tobytes() == second[numbers].tobytes(), mode


@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
def test_to_nearest_is_the_plain_operation(dtype: type) -> None:
    x, y, z = values(dtype, 500)
    with np.errstate(all="ignore"):
        due = {"add": x + y, "sub": x - y, "mul": x * y, "div": x / y, "rcp": 1 / x, "sqrt": np.sqrt(x)}
    for name, one in due.items():
        got = compute("cpu", f"{name}_rn", (x, y, z))
        assert np.array_equal(got, one, equal_nan=True) and np.array_equal(np.signbit(got)[one == 0], np.signbit(one)[one == 0]), name


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("dtype", TYPES, ids=lambda one: one.__name__)
def test_a_gpu_has_an_instruction_for_each(dtype: type, arch: str) -> None:
    for operation in COUNTS:
        for mode, ptx in {"rz": "rz", "rd": "rm", "ru": "rp"}.items():
            text = function_table.applied(getattr(ox.math, f"{operation}_{mode}"), TYPES[dtype][0], COUNTS[operation]).ptx(arch)
            assert f"{operation}.{ptx}.{TYPES[dtype][0].scalar.name}" in text
            assemble(text, arch)
