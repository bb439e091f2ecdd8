"""The lesser and the greater size with the signs combined, and the further functions on pairs of halves: the same bits on every device."""

# mypy: ignore-errors
from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from backend.assembler import ARCHES, assemble

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, bf16, bf16x2, f16, f16x2, f32, f64, kernel, math, thread

DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]
TYPES = {"f16": (f16, np.float16, np.uint16), "bf16": (bf16, ml_dtypes.bfloat16, np.uint16), "f32": (f32, np.float32, np.uint32)}
TYPES["f64"] = (f64, np.float64, np.uint64)
PAIRS = {"f16": f16x2, "bf16": bf16x2}


def extremes_of(T: Any) -> Any:
    @kernel
    def extremes(x: Slice[T], y: Slice[T], least: DisjointSlice[T], greatest: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in least and idx in greatest:
            least[idx] = math.fmin_xorsign(x[idx], y[idx])
            greatest[idx] = math.fmax_xorsign(x[idx], y[idx])

    return extremes


KERNELS = {T: extremes_of(T) for T in (f16, bf16, f32, f64, f16x2, bf16x2)}


def numbers(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of special numbers, and drawn patterns of bits."""
    _, dtype, word = TYPES[name]
    info = ml_dtypes.finfo(dtype)
    special = [0.0, 1.0, 2.0, float(info.max), float(info.tiny), float(info.smallest_subnormal), np.inf, np.nan]
    special = np.array([sign * one for one in special for sign in (1, -1)]).astype(dtype)
    x, y = (one.reshape(-1) for one in np.meshgrid(special, special))
    rng = np.random.default_rng(seed)
    drawn = [rng.integers(0, np.iinfo(word).max, 2048, word, endpoint=True).view(dtype) for _ in range(2)]
    return np.concatenate([x, drawn[0]]), np.concatenate([y, drawn[1]])


def due(x: np.ndarray, y: np.ndarray, choose: Any) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        sign = (np.signbit(x) & ~np.isnan(x)) ^ (np.signbit(y) & ~np.isnan(y))
        size = choose(abs(x.astype(np.float64)), abs(y.astype(np.float64)))
    return np.where(sign, -size, size).astype(x.dtype)


def same(got: np.ndarray, wanted: np.ndarray) -> bool:
    number = ~np.isnan(wanted)
    word = f"u{got.itemsize}"
    return bool((np.isnan(got) == ~number).all()) and np.array_equal(got.view(word)[number], wanted.view(word)[number])


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "paired"), [*((name, False) for name in TYPES), *((name, True) for name in PAIRS)])
def test_against_numpy(name: str, paired: bool, device: str) -> None:
    T = PAIRS[name] if paired else TYPES[name][0]
    x, y = numbers(name, 11)
    stream = ox.Context(device).default_stream()
    given = [ox.DeviceBuffer.from_host(stream, one.view(np.uint8)).reinterpret(T) for one in (x, y)]
    outs = [ox.DeviceBuffer.zeros(stream, x.nbytes, ox.u8) for _ in range(2)]
    KERNELS[T].launch(stream, *given, *(one.reinterpret(T) for one in outs))
    for out, choose in zip(outs, (np.fmin, np.fmax), strict=True):
        assert same(out.to_host(stream).view(x.dtype), due(x, y, choose))


@pytest.mark.parametrize("arch", ARCHES)
def test_assembled(arch: str) -> None:
    for one in KERNELS.values():
        assert "registers" in assemble(one.ptx(arch), arch)


@kernel
def on_pairs(x: Slice[f16x2], y: Slice[f16x2], out: DisjointSlice[f16x2]) -> None:
    idx = thread.index_1d()
    if idx in out:
        out[idx] = math.saturate(math.minimum(x[idx], y[idx])) + math.fdim(x[idx], f16(1)) + math.maximum(0.5, y[idx])


def test_further_functions_take_pairs() -> None:
    host = np.array([0.25, 2, -1, np.nan, 0.5, 3, 7, 0], np.float16)
    x, y = host, host[::-1].copy()
    for device in ("interp", "cpu"):
        stream = ox.Context(device).default_stream()
        a, b, out = (ox.DeviceBuffer.from_host(stream, one).reinterpret(f16x2) for one in (x, y, np.zeros(8, np.float16)))
        on_pairs.launch(stream, a, b, out)
        first = np.where(np.isnan(x) | np.isnan(y), 0, np.clip(np.minimum(x, y), 0, 1))
        wanted = first + np.where(np.isnan(x), np.nan, np.maximum(x - np.float16(1), 0)) + np.where(np.isnan(y), np.nan, np.maximum(y, 0.5))
        np.testing.assert_array_equal(out.reinterpret(f16).to_host(stream), wanted.astype(np.float16))
