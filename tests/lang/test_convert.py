"""`convert`: every fp8 and every half through it, drawn f32 and ties, against NumPy's and ml_dtypes' numbers; the instructions in PTX."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import refused
from frontend.test_halves import ptx
from frontend.test_refused import compiled
from semantics.batch import dtype, load
from semantics.halves import DTYPES, NAMES, ml_dtypes, needs_bf16

import oxidepy as ox
from oxidepy import convert, f16, f16x2

DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]
LARGEST = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "e4m3": 448.0, "e5m2": 57344.0}
HEAD = "from oxidepy import bf16x2, convert, f16x2\n"


def kernel_of(folder: Path, type_: str, result: str, expression: str, count: int = 1) -> Any:
    letters = "xy"[:count]
    params = ", ".join(f"in_{one}: Slice[{type_}]" for one in letters)
    reads = "".join(f"        {one} = in_{one}[i]\n" for one in letters)
    text = f"""
@kernel
def one({params}, out: DisjointSlice[{result}]) -> None:
    i = thread.index_1d()
    if i in out:
{reads}        out[i] = {expression}
"""
    return load(HEAD + text, folder).one


def run(folder: Path, device: str, type_: str, result: str, expression: str, *inputs: Any) -> Any:
    stream = ox.Context(device).default_stream()
    given = [ox.DeviceBuffer.from_host(stream, one) for one in inputs]
    of = DTYPES[result] if result in DTYPES else dtype(result)
    out = ox.DeviceBuffer.zeros(stream, len(inputs[0]), of)
    kernel_of(folder, type_, result, expression, len(inputs)).launch(stream, *given, out)
    return out.to_host(stream)


def floats() -> Any:
    """f32 of every size: those whose upper 16 bits are each pattern, with lower bits of nothing, of a tie, and next to it; random ones."""
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    generator = np.random.default_rng(17)
    drawn = generator.integers(0, 1 << 32, 20000, np.uint32)
    ties = (generator.integers(0, 1 << 32, 60000, np.uint32) >> 12 << 12) + np.tile(np.array([0, 1, 0xFFFFFFFF], np.uint32), 20000)
    small = np.concatenate([np.linspace(-600, 600, 9601), np.linspace(-0.02, 0.02, 5001), np.ldexp(np.ones(60), np.arange(-30, 30))])
    return np.concatenate([upper, upper | 0x8000, upper | 0x1000, drawn, ties, small.astype(np.float32).view(np.uint32)]).view(np.float32)


def rounded(name: str, x: Any, rounding: str) -> Any:
    """x in the type; "rz" steps back where the nearest number lies further from zero."""
    with np.errstate(all="ignore"):
        near = x.astype(DTYPES[name])
        if rounding == "rn":
            return near
        bits = near.view(np.uint16)
        away = np.abs(near.astype(np.float32)) > np.abs(x)
        return np.where(away, bits - 1, bits).astype(np.uint16).view(DTYPES[name])


def wanted(name: str, x: Any, rounding: str, relu: bool, satfinite: bool) -> Any:
    given = np.clip(x, -LARGEST[name], LARGEST[name]) if satfinite else x
    return np.where(np.signbit(given) & ~np.isnan(given) if relu else False, np.zeros(1, DTYPES[name]), rounded(name, given, rounding))


FLAGS = [("rn", False, False), ("rz", False, False), ("rn", True, False), ("rz", True, True), ("rn", False, True)]


def spelt(rounding: str, relu: bool, satfinite: bool) -> str:
    return f'rounding="{rounding}", relu={relu}, satfinite={satfinite}'


def same(got: Any, expected: Any, x: Any) -> None:
    nan = np.isnan(x)
    with np.errstate(invalid="ignore"):
        assert np.isnan(got[nan].astype(np.float32)).all()
    size = f"u{got.dtype.itemsize}"
    where = np.flatnonzero((got.view(size) != expected.astype(got.dtype).view(size)) & ~nan)
    assert not len(where), (len(where), [(x[at], got[at], expected[at]) for at in where[:5]])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", NAMES)
def test_halves(name: str, flags: tuple[str, bool, bool], device: str, tmp_path: Path) -> None:
    x = floats()
    same(run(tmp_path, device, "f32", name, f"convert.to_{name}(x, {spelt(*flags)})", x), wanted(name, x, *flags), x)
    y = np.roll(x, 1)
    word = run(tmp_path, device, "f32", "u32", f"bits.cast(u32, convert.to_{name}x2(x, y, {spelt(*flags)}))", x, y)
    both = word.view(np.uint16).reshape(-1, 2).view(DTYPES[name])
    same(both[:, 0].copy(), wanted(name, x, *flags), x)
    same(both[:, 1].copy(), wanted(name, y, *flags), y)


def tf32(x: Any, rounding: str, relu: bool, satfinite: bool) -> Any:
    word = x.view(np.uint32)
    more = {"rz": 0, "rna": 0x1000, "rn": 0xFFF + (word >> 13 & 1)}[rounding]
    out = (np.where(np.isfinite(x), word + more, word) & 0xFFFFE000).astype(np.uint32)
    size = out & 0x7FFFFFFF
    if satfinite:
        size = np.minimum(size, 0x7F7FE000)
    return np.where((out >> 31 != 0) & relu, 0, size | (out & 0x80000000)).astype(np.uint32).view(np.float32)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("flags", [*FLAGS, ("rna", False, False), ("rna", False, True)])
def test_tf32(flags: tuple[str, bool, bool], device: str, tmp_path: Path) -> None:
    x = floats()
    same(run(tmp_path, device, "f32", "f32", f"convert.to_tf32(x, {spelt(*flags)})", x), tf32(x, *flags), x)


# ---- fp8


def codes(name: str, x: Any, relu: bool) -> Any:
    """The bits of x saturated and rounded; one NaN."""
    of = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[name]
    given = np.clip(x, -LARGEST[name], LARGEST[name])
    with np.errstate(all="ignore"):
        out = np.where(np.isnan(x), 0x7F, given.astype(of).view(np.uint8))
    return np.where(np.signbit(x) & ~np.isnan(x) & relu, 0, out).astype(np.uint8)


@needs_bf16
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_into_fp8(name: str, relu: bool, device: str, tmp_path: Path) -> None:
    x = floats()
    assert (run(tmp_path, device, "f32", "u8", f"convert.to_{name}(x, relu={relu})", x) == codes(name, x, relu)).all()
    y = np.roll(x, 1)
    both = run(tmp_path, device, "f32", "u16", f"convert.to_{name}x2(x, y, relu={relu})", x, y)
    assert (both == codes(name, x, relu) | codes(name, y, relu).astype(np.uint16) << 8).all()


@needs_bf16
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_pairs_of_halves_into_fp8(name: str, device: str, tmp_path: Path) -> None:
    """Every f16 in the lower half, another one in the upper."""
    halves = np.arange(1 << 16, dtype=np.uint32)
    words = halves | (halves * 40503 & 0xFFFF) << 16
    both = run(tmp_path, device, "u32", "u16", f"convert.to_{name}x2(bits.cast(f16x2, x))", words)
    with np.errstate(invalid="ignore"):
        x, y = words.view(np.float16).reshape(-1, 2).astype(np.float32).T
    assert (both == codes(name, x, False) | codes(name, y, False).astype(np.uint16) << 8).all()


@needs_bf16
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_out_of_fp8(name: str, relu: bool, device: str, tmp_path: Path) -> None:
    of = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}[name]
    every = np.arange(256, dtype=np.uint8)
    with np.errstate(invalid="ignore"):
        numbers = every.view(of).astype(np.float16)
    expected = np.where(np.signbit(numbers) & ~np.isnan(numbers) & relu, np.float16(0), numbers)
    same(run(tmp_path, device, "u8", "f16", f"convert.from_{name}(x, relu={relu})", every), expected, numbers)
    both = run(
        tmp_path, device, "u16", "u32", f"bits.cast(u32, convert.from_{name}x2(x, relu={relu}))", np.arange(1 << 16, dtype=np.uint16)
    )
    low, high = both.view(np.float16).reshape(-1, 2).T
    same(low.copy(), np.tile(expected, 256), np.tile(numbers, 256))
    same(high.copy(), np.repeat(expected, 256), np.repeat(numbers, 256))


# ---- PTX

CALLS = {
    "bits.cast(u32, convert.to_f16x2(x, y))": ("cvt.rn.f16x2.f32", 80),
    'bits.cast(u32, convert.to_bf16x2(x, y, rounding="rz", relu=True))': ("cvt.rz.relu.bf16x2.f32", 80),
    "u32(convert.to_e4m3x2(x, y, relu=True))": ("cvt.rn.satfinite.relu.e4m3x2.f32", 90),
    "u32(convert.to_e5m2x2(convert.to_f16x2(x, y)))": ("cvt.rn.satfinite.e5m2x2.f16x2", 90),
    "bits.cast(u32, convert.from_e4m3x2(u16(x) + u16(y)))": ("cvt.rn.f16x2.e4m3x2", 90),
    "bits.cast(u32, convert.from_e5m2x2(u16(x) + u16(y), relu=True))": ("cvt.rn.relu.f16x2.e5m2x2", 90),
    "bits.cast(u32, convert.to_tf32(x + y))": ("cvt.rna.tf32.f32", 80),
    'bits.cast(u32, convert.to_tf32(x + y, rounding="rn", relu=True))': ("cvt.rn.relu.tf32.f32", 90),
    'bits.cast(u32, convert.to_tf32(x + y, rounding="rz", satfinite=True))': ("cvt.rz.satfinite.tf32.f32", 100),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_instruction_where_the_architecture_has_it(call: str, tmp_path: Path) -> None:
    instruction, since = CALLS[call]
    one = kernel_of(tmp_path, "f32", "u32", call, 2)
    for arch in ARCHES:
        text = ptx(one, arch)
        number = int(re.sub(r"\D", "", arch))
        assert (instruction in text) == (number >= since), (arch, text)
        assemble(text, arch)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = convert.to_f16(f, rounding='up')", '`rounding` of `convert.to_f16` is "up"'),
        ("a = convert.to_f16(f, rounding='rna')", '"rna"'),
        ("a = convert.to_f16(f, relu=n > 2)", "`relu` is True or False"),
        ("a = convert.to_f16x2(f, n)", "`f32` and `i32`"),
        ("a = convert.to_e4m3x2(f)", "takes an `f16x2`, and this is `f32`"),
        ("a = convert.from_e4m3(n)", "`u8` and `i32`"),
        ("a = convert.from_e4m3(300)", "300 does not fit `u8`"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, convert=convert, f16=f16, f16x2=f16x2))
    assert (found.code, part in found.message) == ("OX0308", True), (found.code, found.message)
