"""f16 and bf16: every bit pattern through unary operations and conversions, and drawn pairs against exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from semantics.batch import DEVICES, dtype, load
from semantics.halves import DTYPES, NAMES, differing, nearest, patterns, sample, wide

import oxidepy as ox

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


def run(folder: Path, device: str, type_: str, result: str, expression: str, *inputs: Any) -> Any:
    """The expression of `a`, `b`, `c` over arrays of one type, on a device."""
    letters = "abc"[: len(inputs)]
    params = ", ".join(f"in_{one}: Slice[{type_}]" for one in letters)
    reads = "\n".join(f"        {one} = in_{one}[i]" for one in letters)
    text = f"""
@kernel
def one({params}, out: DisjointSlice[{result}]) -> None:
    i = thread.index_1d()
    if i in out:
{reads}
        out[i] = {expression}
"""
    stream = ox.Context(device).default_stream()
    given = [ox.DeviceBuffer.from_host(stream, one) for one in inputs]
    out = ox.DeviceBuffer.zeros(stream, len(inputs[0]), DTYPES[result] if result in DTYPES else dtype(result))
    load(text, folder).one.launch(stream, *given, out)
    return out.to_host(stream)


def check(got: Any, wanted: Any, *inputs: Any) -> None:
    where = differing(got, wanted)
    shown = [(*(one[at] for one in inputs), "got", got[at], "wanted", wanted[at]) for at in where[:5]]
    assert not len(where), f"{len(where)} of {len(got)} differ: {shown}"


UNARY: dict[str, Callable[[Any], Any]] = {
    "-a": lambda a: -a,
    "abs(a)": abs,
    "+a": lambda a: a,
    "round(a)": np.rint,
    "m.floor(a)": np.floor,
    "m.ceil(a)": np.ceil,
    "m.trunc(a)": np.trunc,
    "m.sqrt(a)": np.sqrt,
    "a ** 2": lambda a: a * a,
    "a + 1": lambda a: a + 1,
    "1.5 - a": lambda a: 1.5 - a,
    "1 / a": lambda a: 1 / a,
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
@pytest.mark.parametrize("text", UNARY)
def test_every_number_through_a_unary_operation(text: str, type_: str, device: str, tmp_path: Path) -> None:
    values = patterns(type_)
    with np.errstate(all="ignore"):
        wanted = UNARY[text](wide(values)).astype(DTYPES[type_])  # rounded from more than twice the bits
    check(run(tmp_path, device, type_, type_, text, values), wanted, values)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
@pytest.mark.parametrize("target", [*INTEGERS, "bool", *NAMES, "f32", "f64"])
def test_every_number_cast(target: str, type_: str, device: str, tmp_path: Path) -> None:
    values = patterns(type_)
    numbers = wide(values)
    with np.errstate(all="ignore"):
        if target in INTEGERS:
            bounds = np.iinfo(dtype(target))
            wanted = np.array([_saturated(float(one), bounds) for one in numbers], dtype(target))
        elif target == "bool":
            wanted = numbers != 0
        else:
            wanted = numbers.astype(DTYPES.get(target) or dtype(target))
    check(run(tmp_path, device, type_, target, f"{target}(a)" if target != "bool" else "bool(a)", values), wanted, values)


def _saturated(number: float, bounds: Any) -> int:
    if math.isnan(number):
        return 0
    if math.isinf(number):
        return int(bounds.max if number > 0 else bounds.min)
    return min(max(int(number), int(bounds.min)), int(bounds.max))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
@pytest.mark.parametrize("given", ["i32", "i64", "u64", "f32", "f64"])
def test_drawn_numbers_cast_to_halves(given: str, type_: str, device: str, tmp_path: Path) -> None:
    """Rounded once from the exact number, at ties and next to them too."""
    generator = np.random.default_rng(7)
    if given[0] in "iu":
        bits = generator.integers(0, 1 << 63, 4000, np.uint64) >> generator.integers(0, 63, 4000).astype(np.uint64)
        values = bits.astype(dtype(given))
    else:
        # ties of the half type, and their neighbours in the wide one
        halves = sample(type_, 1200, 3)
        with np.errstate(over="ignore"):
            above = np.nextafter(halves, np.array(np.inf, DTYPES[type_]))
        steps = np.abs(wide(above) - wide(halves)) if type_ == "f16" else 0
        ties = (wide(halves) + steps / 2 if type_ == "f16" else wide(halves) * (1 + 2.0**-9)).astype(dtype(given))
        values = np.concatenate([ties, np.nextafter(ties, dtype(given).type(0)), np.nextafter(ties, dtype(given).type(np.inf))])
        values = values[np.isfinite(values)]
    wanted = np.array([nearest(type_, Fraction(one.item())) for one in values]).astype(DTYPES[type_])
    got = run(tmp_path, device, given, type_, f"{type_}(a)", values)
    zero = wide(wanted) == 0  # a fraction has no sign of zero
    check(got[~zero], wanted[~zero], values[~zero])
    assert not wide(got[zero]).any()


def _floor(name: str, a: Fraction, b: Fraction) -> float:
    return nearest(name, Fraction(math.floor(a / b)))


BINARY: dict[str, Callable[[str, Fraction, Fraction], float]] = {
    "a + b": lambda name, a, b: nearest(name, a + b),
    "a - b": lambda name, a, b: nearest(name, a - b),
    "a * b": lambda name, a, b: nearest(name, a * b),
    "a / b": lambda name, a, b: nearest(name, a / b),
    "a // b": _floor,
    "a % b": lambda name, a, b: nearest(name, a - b * math.floor(a / b)),
    "min(a, b)": lambda _, a, b: float(min(a, b)),
    "max(a, b)": lambda _, a, b: float(max(a, b)),
    "m.fma(a, b, a)": lambda name, a, b: nearest(name, a * b + a),
    "a * b - b": lambda name, a, b: nearest(name, a * b - b),
    "b - a * a": lambda name, a, b: nearest(name, b - a * a),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
@pytest.mark.parametrize("text", BINARY)
def test_drawn_pairs_against_fractions(text: str, type_: str, device: str, tmp_path: Path) -> None:
    a, b = sample(type_, 3000, 1), sample(type_, 3000, 2)
    count = min(len(a), len(b))
    a, b = a[:count], b[:count]
    usable = wide(b) != 0
    if "//" in text or "%" in text:  # the quotient is exact as far as f64 holds it
        usable &= np.abs(wide(a)) < 2.0**52 * np.abs(wide(b))
    a, b = a[usable], b[usable]
    pairs = [(Fraction(float(x)), Fraction(float(y))) for x, y in zip(wide(a), wide(b), strict=True)]
    wanted = np.array([BINARY[text](type_, x, y) for x, y in pairs]).astype(DTYPES[type_])
    got = run(tmp_path, device, type_, type_, text, a, b)
    zero = wide(wanted) == 0
    check(got[~zero], wanted[~zero], a[~zero], b[~zero])
    assert not wide(got[zero]).any()


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "tanh": np.tanh,
    "atan": np.arctan,
    "expm1": np.expm1,
    "cbrt": np.cbrt,
}


@pytest.mark.parametrize("device", DEVICES[:1])
@pytest.mark.parametrize("type_", NAMES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_f32_rounded(name: str, type_: str, device: str, tmp_path: Path) -> None:
    """The nearest number in all but a few of a thousand cases, one that is next to it in these."""
    values = patterns(type_)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name](wide(values))
        wanted = exact.astype(DTYPES[type_])
    got = run(tmp_path, device, type_, type_, f"m.{name}(a)", values)
    where = differing(got, wanted)
    assert len(where) < len(values) // 500, len(where)
    apart = got.view(np.int16)[where].astype(int) - wanted.view(np.int16)[where].astype(int)
    assert np.abs(apart).max(initial=0) <= 1


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
@pytest.mark.parametrize("text", ["m.exp(a)", "m.sin(a)", "a ** 1.5", "a ** -3", "m.hypot(a, a)", "m.lgamma(a)", "m.norm3d(a, a, a)"])
def test_functions_have_the_bits_of_the_interpreter(text: str, type_: str, device: str, tmp_path: Path) -> None:
    values = patterns(type_)
    check(run(tmp_path, device, type_, type_, text, values), run(tmp_path, "interp", type_, type_, text, values), values)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
def test_numbers_taken_apart(type_: str, device: str, tmp_path: Path) -> None:
    values = patterns(type_)
    with np.errstate(all="ignore"):
        part, exponent = np.frexp(wide(values))
        whole = np.modf(wide(values))[1]
    finite = np.isfinite(wide(values))
    check(run(tmp_path, device, type_, type_, "m.frexp(a)[0]", values)[finite], part.astype(DTYPES[type_])[finite], values[finite])
    check(run(tmp_path, device, type_, "i32", "m.frexp(a)[1]", values)[finite], exponent.astype(np.int32)[finite], values[finite])
    check(run(tmp_path, device, type_, type_, "m.modf(a)[1]", values), whole.astype(DTYPES[type_]), values)
    check(run(tmp_path, device, type_, "bool", "m.signbit(a)", values)[finite], np.signbit(wide(values))[finite], values[finite])
    with np.errstate(all="ignore"):
        scaled = np.ldexp(wide(values), -12).astype(DTYPES[type_])
    check(run(tmp_path, device, type_, type_, "m.ldexp(a, -12)", values), scaled, values)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
@pytest.mark.parametrize("text", ["a == b", "a != b", "a < b", "a <= b", "a > b", "a >= b"])
def test_comparisons(text: str, type_: str, device: str, tmp_path: Path) -> None:
    a = patterns(type_)
    b = np.roll(a, 1).copy()
    b[::3] = a[::3]
    with np.errstate(all="ignore"):
        wanted = eval(text, {"a": wide(a), "b": wide(b)})
    check(run(tmp_path, device, type_, "bool", text, a, b), wanted, a, b)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", NAMES)
def test_bits(type_: str, device: str, tmp_path: Path) -> None:
    values = patterns(type_)
    got = run(tmp_path, device, type_, "u16", "bits.cast(u16, a)", values)
    assert not np.isnan(wide(values)).all() and (got[~np.isnan(wide(values))] == values.view(np.uint16)[~np.isnan(wide(values))]).all()
    check(run(tmp_path, device, "u16", type_, f"bits.cast({type_}, a)", values.view(np.uint16)), values, values)
