"""Random numbers of a distribution: made of the words of `philox` as the pages say, the same on every device, with the right moments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DisjointSlice, f32, f64, kernel, random, thread, u32

DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]
COUNT = 20_000


@kernel
def words(seed: u32, a: DisjointSlice[u32], b: DisjointSlice[u32], c: DisjointSlice[u32], d: DisjointSlice[u32]) -> None:
    idx = thread.index_1d()
    if idx in a and idx in b and idx in c and idx in d:
        a[idx], b[idx], c[idx], d[idx] = random.philox((seed, 1), (u32(idx.get()), 0, 0, 0))


@kernel
def uniform(seed: u32, a: DisjointSlice[f32], b: DisjointSlice[f32], c: DisjointSlice[f32], d: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in a and idx in b and idx in c and idx in d:
        a[idx], b[idx], c[idx], d[idx] = random.uniform((seed, 1), (u32(idx.get()), 0, 0, 0))


@kernel
def normal(seed: u32, a: DisjointSlice[f32], b: DisjointSlice[f32], c: DisjointSlice[f32], d: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in a and idx in b and idx in c and idx in d:
        a[idx], b[idx], c[idx], d[idx] = random.normal((seed, 1), (u32(idx.get()), 0, 0, 0))


@kernel
def doubles(seed: u32, a: DisjointSlice[f64], b: DisjointSlice[f64], c: DisjointSlice[f64], d: DisjointSlice[f64]) -> None:
    idx = thread.index_1d()
    if idx in a and idx in b and idx in c and idx in d:
        a[idx], b[idx] = random.uniform_f64((seed, 1), (u32(idx.get()), 0, 0, 0))
        c[idx], d[idx] = random.normal_f64((seed, 1), (u32(idx.get()), 0, 0, 0))


KERNELS: dict[str, tuple[Any, Any]] = {"words": (words, u32), "uniform": (uniform, f32), "normal": (normal, f32), "doubles": (doubles, f64)}


def draw(device: str, name: str) -> np.ndarray:
    one, dtype = KERNELS[name]
    stream = ox.Context(device).default_stream()
    outs = [ox.DeviceBuffer.zeros(stream, COUNT, dtype) for _ in range(4)]
    one.launch(stream, u32(2026), *outs)
    return np.array([out.to_host(stream) for out in outs])


@pytest.fixture(scope="module")
def bits() -> np.ndarray:
    return draw("cpu", "words").astype(np.uint64)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", KERNELS)
def test_the_same_on_every_device(name: str, device: str) -> None:
    assert draw(device, name).tobytes() == draw("cpu", name).tobytes()


def test_uniform_numbers_are_the_upper_bits(bits: np.ndarray) -> None:
    assert np.array_equal(draw("cpu", "uniform"), ((bits >> np.uint64(8)) * 2.0**-24).astype(np.float32))
    a, b, c, d = bits
    joined = np.array([b << np.uint64(32) | a, d << np.uint64(32) | c])
    assert np.array_equal(draw("cpu", "doubles")[:2], (joined >> np.uint64(11)) * 2.0**-53)


def test_normal_numbers_are_those_of_box_and_muller(bits: np.ndarray) -> None:
    a, b, c, d = bits.astype(np.float64)
    e, f, g, h = bits.astype(np.float32).astype(np.float64)

    def pair(first: np.ndarray, second: np.ndarray, scale: float) -> list[np.ndarray]:
        radius, angle = np.sqrt(-2 * np.log((first + 0.5) * scale)), 2 * math.pi * second * scale
        return [radius * np.cos(angle), radius * np.sin(angle)]

    assert np.allclose(draw("cpu", "normal"), pair(e, f, 2.0**-32) + pair(g, h, 2.0**-32), rtol=1e-5, atol=2e-6)
    assert np.allclose(draw("cpu", "doubles")[2:], pair(b * 2.0**32 + a, d * 2.0**32 + c, 2.0**-64), rtol=1e-12, atol=1e-14)


def moments(values: np.ndarray) -> list[float]:
    mean, deviation = values.mean(), values.std()
    return [float(mean), float(deviation), float((((values - mean) / deviation) ** 4).mean())]


@pytest.mark.parametrize(("name", "rows"), [("uniform", slice(0, 4)), ("doubles", slice(0, 2))])
def test_moments_of_uniform_numbers(name: str, rows: slice) -> None:
    values = draw("cpu", name)[rows].astype(np.float64)
    assert values.min() >= 0 and values.max() < 1
    for one in values:
        assert np.allclose(moments(one), [0.5, math.sqrt(1 / 12), 1.8], atol=0.02)
        counts, _ = np.histogram(one, bins=20, range=(0, 1))
        assert ((counts - COUNT / 20) ** 2 / (COUNT / 20)).sum() < 50  # chi squared of 19 degrees: one in 10000 is above 51
    assert abs(np.corrcoef(values) - np.eye(len(values))).max() < 0.03


@pytest.mark.parametrize(("name", "rows"), [("normal", slice(0, 4)), ("doubles", slice(2, 4))])
def test_moments_of_normal_numbers(name: str, rows: slice) -> None:
    values = draw("cpu", name)[rows].astype(np.float64)
    for one in values:
        assert np.allclose(moments(one)[:2], [0, 1], atol=0.025) and abs(moments(one)[2] - 3) < 0.2
        assert abs((abs(one) < 1).mean() - 0.6827) < 0.012 and abs((abs(one) < 2).mean() - 0.9545) < 0.006
    assert abs(np.corrcoef(values) - np.eye(len(values))).max() < 0.03
