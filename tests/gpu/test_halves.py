"""Halves, pairs of halves, conversions on a CUDA GPU: the interpreter's bits. Everything travels as integers: no package is needed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lang.test_convert import floats, kernel_of
from semantics.batch import dtype

import oxidepy as ox

pytestmark = pytest.mark.gpu
HALVES = ("f16", "bf16")
INFINITE = {"f16": 0x7C00, "bf16": 0x7F80}


def run(kernel: Any, device: str, result: str, *inputs: Any) -> Any:
    stream = ox.Context(device).default_stream()
    out = ox.DeviceBuffer.zeros(stream, len(inputs[0]), dtype(result))
    kernel.launch(stream, *(ox.DeviceBuffer.from_host(stream, one) for one in inputs), out)
    return out.to_host(stream)


def one_nan(name: str, bits: Any) -> Any:
    """The bits with one NaN for all."""
    return np.where((bits & 0x7FFF) > INFINITE[name], 0x7FFF, bits)


def both(folder: Path, type_: str, result: str, expression: str, *inputs: Any) -> tuple[Any, Any]:
    kernel = kernel_of(folder, type_, result, expression, len(inputs))
    return run(kernel, "cuda:0", result, *inputs), run(kernel, "interp", result, *inputs)


OPERATIONS = (
    "x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "min(x, y)", "max(x, y)", "m.fma(x, y, x)", "x * y - y", "-x", "abs(x)",
    "round(x)", "m.floor(x)", "m.sqrt(x)", "m.exp(x)", "x ** 3",
)  # fmt: skip


def cast(expression: str, name: str) -> str:
    """The expression over the numbers that the bits x and y are, as bits."""
    for letter in "xy":
        expression = re.sub(rf"\b{letter}\b", f"bits.cast({name}, {letter})", expression)
    return expression


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("text", OPERATIONS)
def test_operations(text: str, name: str, tmp_path: Path) -> None:
    """Every pattern of bits on the left, with several on the right."""
    x = np.tile(np.arange(1 << 16, dtype=np.uint16), 4)
    y = (x * np.uint16(40503) + np.repeat(np.array([0, 1, 77, 30000], np.uint16), 1 << 16)).astype(np.uint16)
    inputs = (x, y) if "y" in text else (x,)
    got, wanted = both(tmp_path, "u16", "u16", f"bits.cast(u16, {cast(text, name)})", *inputs)
    assert (one_nan(name, got) == one_nan(name, wanted)).all()


@pytest.mark.parametrize("name", HALVES)
@pytest.mark.parametrize("text", [one for one in OPERATIONS if "//" not in one and "%" not in one])
def test_pairs(text: str, name: str, tmp_path: Path) -> None:
    generator = np.random.default_rng(4)
    x, y = (generator.integers(0, 1 << 32, 50000, np.uint32) for _ in range(2))
    inputs = (x, y) if "y" in text else (x,)
    got, wanted = both(tmp_path, "u32", "u32", f"bits.cast(u32, {cast(text, name + 'x2')})", *inputs)
    assert (one_nan(name, got.view(np.uint16)) == one_nan(name, wanted.view(np.uint16))).all()


@pytest.mark.parametrize("source", [*HALVES, "i64", "u64", "f64", "f32"])
@pytest.mark.parametrize("target", HALVES)
def test_casts(source: str, target: str, tmp_path: Path) -> None:
    bits = int(source[1:]) if source != "bf16" else 16
    generator = np.random.default_rng(5)
    values = generator.integers(0, 1 << bits, 60000, np.dtype(f"u{bits // 8}")) >> generator.integers(0, bits // 2, 60000).astype(
        np.dtype(f"u{bits // 8}")
    )
    got, wanted = both(tmp_path, f"u{bits}", "u16", f"bits.cast(u16, {target}(bits.cast({source}, x)))", values)
    assert (one_nan(target, got) == one_nan(target, wanted)).all()


@pytest.mark.parametrize("source", HALVES)
@pytest.mark.parametrize("target", ["i8", "i32", "u16", "u64", "f32", "f64"])
def test_casts_from_halves(source: str, target: str, tmp_path: Path) -> None:
    values = np.arange(1 << 16, dtype=np.uint16)
    values = values[(values & 0x7FFF) <= INFINITE[source]]
    got, wanted = both(tmp_path, "u16", target, f"{target}(bits.cast({source}, x))", values)
    assert (got.view(np.uint8) == wanted.view(np.uint8)).all()


@pytest.mark.parametrize("flags", ["", "relu=True", "satfinite=True", "relu=True, satfinite=True"])
@pytest.mark.parametrize("rounding", ["rn", "rz"])
@pytest.mark.parametrize("name", HALVES)
def test_conversions_to_halves(name: str, rounding: str, flags: str, tmp_path: Path) -> None:
    x = floats().view(np.uint32)
    call = f'convert.to_{name}x2(bits.cast(f32, x), bits.cast(f32, y), rounding="{rounding}", {flags})'
    got, wanted = both(tmp_path, "u32", "u32", f"bits.cast(u32, {call})", x, np.roll(x, 1))
    assert (one_nan(name, got.view(np.uint16)) == one_nan(name, wanted.view(np.uint16))).all()


@pytest.mark.parametrize("flags", ["", "relu=True", "satfinite=True", "relu=True, satfinite=True"])
@pytest.mark.parametrize("rounding", ["rn", "rz", "rna"])
def test_conversions_to_tf32(rounding: str, flags: str, tmp_path: Path) -> None:
    x = floats().view(np.uint32)
    call = f'convert.to_tf32(bits.cast(f32, x), rounding="{rounding}", {flags})'
    got, wanted = both(tmp_path, "u32", "u32", f"bits.cast(u32, {call})", x)
    nan = (wanted & 0x7FFFFFFF) > 0x7F800000
    assert (nan == ((got & 0x7FFFFFFF) > 0x7F800000)).all()
    assert (got[~nan] == wanted[~nan]).all()


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize("name", ["e4m3", "e5m2"])
def test_conversions_of_fp8(name: str, relu: bool, tmp_path: Path) -> None:
    """Bits of fp8 are integers to a kernel: these agree in the NaN too."""
    x = floats().view(np.uint32)
    call = f"convert.to_{name}x2(bits.cast(f32, x), bits.cast(f32, y), relu={relu})"
    got, wanted = both(tmp_path, "u32", "u16", call, x, np.roll(x, 1))
    assert (got == wanted).all()
    halves = np.arange(1 << 16, dtype=np.uint32)
    words = halves | (halves * np.uint32(40503) & np.uint32(0xFFFF)) << np.uint32(16)
    got, wanted = both(tmp_path, "u32", "u16", f"convert.to_{name}x2(bits.cast(f16x2, x), relu={relu})", words)
    assert (got == wanted).all()
    codes = np.arange(1 << 16, dtype=np.uint16)
    got, wanted = both(tmp_path, "u16", "u32", f"bits.cast(u32, convert.from_{name}x2(x, relu={relu}))", codes)
    assert (one_nan("f16", got.view(np.uint16)) == one_nan("f16", wanted.view(np.uint16))).all()
