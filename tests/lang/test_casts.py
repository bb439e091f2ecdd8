"""Conversions with their rounding named, and further ways to round: against exact integers and fractions, on both devices."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from backend.assembler import assemble
from frontend.running import refused
from frontend.test_refused import compiled
from lang.test_rounded import TYPES as FLOATS
from lang.test_rounded import directed
from lang.test_words import numbers

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, f64, i8, i32, i64, kernel, thread, u8, u32, u64

TYPES: dict[str, Any] = {one.scalar.name: one for one in (i32, i64, u32, u64, f32, f64)}
SIDES = {"rz": 0, "rd": -1, "ru": 1}
ROUND = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}
PAIRS = [("f64", "f32"), *((name, target) for name in ("i32", "u32", "i64", "u64") for target in ("f32", "f64"))]
DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]


def casting(mode: str, given: str, target: str) -> Any:
    function, G, T = getattr(ox.math, f"cast_{mode}"), TYPES[given], TYPES[target]

    @kernel
    def convert(x: Slice[G], y: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = function(T, G(x[idx]))

    return convert


def compute(device: str, one: Any, x: np.ndarray, target: Any) -> np.ndarray:
    stream = ox.Context(device).default_stream()
    y = ox.DeviceBuffer.zeros(stream, len(x), target)
    one.launch(stream, ox.DeviceBuffer.from_host(stream, x), y)
    return y.to_host(stream)


def values(name: str) -> np.ndarray:
    if name[0] != "f":
        return numbers(name, 1, 400)
    rng = np.random.default_rng(1)
    sizes = rng.uniform(-1074, 1023, 200) if name == "f64" else rng.uniform(-149, 127, 200)
    mixed = rng.choice([-1, 1], 200) * np.exp2(sizes)
    special = np.array([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.4e38, -3.5e38, 1e-46, 2.0**31, 2.0**63, -(2.0**63), 0.1])
    special = special if name == "f64" else np.minimum(np.maximum(special, -3.4e38), 3.4e38)
    return np.concatenate([special, mixed, rng.uniform(-100, 100, 100), rng.uniform(-1, 1, 60) * 2.0**-140]).astype(TYPES[name].dtype)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda one: "-".join(one))
def test_to_floats(pair: tuple[str, str], device: str) -> None:
    given, target = pair
    x = values(given)
    _, precision, lowest = FLOATS[np.float32 if target == "f32" else np.float64]
    for mode, side in SIDES.items():
        got = compute(device, casting(mode, given, target), x, TYPES[target])
        for number, found in zip(x.tolist(), got.astype(float).tolist(), strict=True):
            due = directed(Fraction(number), side, precision, lowest) if number else number
            assert found == due and math.copysign(1, found) == math.copysign(1, due), (mode, number, found, due)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("given", ["f32", "f64"])
@pytest.mark.parametrize("target", ["i32", "u64"])
def test_to_integers(target: str, given: str, device: str) -> None:
    x = values(given)
    scalar = TYPES[target].scalar
    for mode, rounded in ROUND.items():
        got = compute(device, casting(mode, given, target), x, TYPES[target])
        assert got.tolist() == [min(max(rounded(number), scalar.min), scalar.max) for number in x.tolist()], mode


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_a_gpu_has_an_instruction_for_each(arch: str) -> None:
    for given, target in PAIRS:
        if (given, target) in (("i32", "f64"), ("u32", "f64")):
            continue  # exact
        for mode, ptx in {"rz": "rz", "rd": "rm", "ru": "rp"}.items():
            text = casting(mode, given, target).ptx(arch)
            assert f"cvt.{ptx}.{target}.{given.replace('i', 's')}" in text
            if mode == "rd":
                assemble(text, arch)


@kernel
def small(x: Slice[i8], y: Slice[u8], out: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in out:
        out[idx] = ox.math.cast_rd(f32, x[idx]) + ox.math.cast_ru(f32, y[idx]) + ox.math.cast_rz(f32, f32(0.5))


def test_what_is_exact_needs_no_rounding() -> None:
    stream = ox.Context("cpu").default_stream()
    x, y, out = np.arange(-128, 128, dtype=np.int8), np.arange(256).astype(np.uint8), ox.DeviceBuffer.zeros(stream, 256, f32)
    small.launch(stream, ox.DeviceBuffer.from_host(stream, x), ox.DeviceBuffer.from_host(stream, y), out)
    assert out.to_host(stream).tolist() == [int(a) + int(b) + 0.5 for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["f32", "f64"])
def test_ties_away_from_zero_and_quotients(name: str, device: str) -> None:
    T = TYPES[name]

    @kernel
    def both(x: Slice[T], y: Slice[T], a: DisjointSlice[T], r: DisjointSlice[T], q: DisjointSlice[i32]) -> None:
        idx = thread.index_1d()
        if idx in a and idx in r and idx in q:
            a[idx] = ox.math.round_away(T(x[idx]))
            rest, quotient = ox.math.remquo(x[idx], y[idx])
            r[idx], q[idx] = rest, quotient

    rng = np.random.default_rng(4)
    x = np.concatenate([np.arange(-20, 20) / 4, rng.uniform(-50, 50, 200), rng.choice([-1, 1], 40) * np.exp2(rng.uniform(-140, 120, 40))])
    y = rng.choice([-1, 1], len(x)) * rng.uniform(0.1, 9, len(x))
    x, y = (one.astype(np.float32 if name == "f32" else np.float64) for one in (x, y))
    stream = ox.Context(device).default_stream()
    outs = [ox.DeviceBuffer.zeros(stream, len(x), one) for one in (T, T, i32)]
    both.launch(stream, ox.DeviceBuffer.from_host(stream, x), ox.DeviceBuffer.from_host(stream, y), *outs)
    away, rest, quotient = (one.to_host(stream) for one in outs)
    for place, (a, b) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        due = math.copysign(math.floor(abs(Fraction(a)) + Fraction(1, 2)), a)
        assert away[place] == due and math.copysign(1, away[place]) == math.copysign(1, a)
        whole = round(Fraction(a) / Fraction(b))
        assert rest[place] == float(Fraction(a) - whole * Fraction(b))
        assert quotient[place] == (-1 if (a < 0) != (b < 0) else 1) * (abs(whole) % 8), (a, b)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = math.cast_rz(i32, n)", "one of the two types is"),
        ("a = math.cast_rz(f, n)", "the first argument of"),
        ("a = math.cast_rz(f32, n > 1)", "one of the two types is"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, math=ox.math, i32=i32, f32=f32))
    assert (found.code, part in found.message) == ("OX0308", True), (found.code, found.message)
