"""Products of twice the width, and 128-bit numbers made of them and of carries."""

# pyright: basic
# mypy: ignore-errors
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import refused
from frontend.test_halves import ptx
from frontend.test_refused import compiled
from lang.test_words import DEVICES, INTEGERS, numbers
from semantics.batch import dtype, load

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, bits, kernel, thread, u64


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", INTEGERS)
def test_both_halves_of_a_product(name: str, device: str, tmp_path: Path) -> None:
    scalar = INTEGERS[name].scalar
    text = f"""
@kernel
def one(x: Slice[{name}], y: Slice[{name}], low: DisjointSlice[u{scalar.bits}], high: DisjointSlice[{name}]) -> None:
    i = thread.index_1d()
    if i in low and i in high:
        low[i], high[i] = bits.mul_wide(x[i], y[i])
"""
    x, y = numbers(name, 1), numbers(name, 2)
    stream = ox.Context(device).default_stream()
    low, high = (ox.DeviceBuffer.zeros(stream, len(x), dtype(one)) for one in (f"u{scalar.bits}", name))
    load(text, tmp_path).one.launch(stream, *(ox.DeviceBuffer.from_host(stream, one) for one in (x, y)), low, high)
    got = [(int(up) << scalar.bits) + int(down) for up, down in zip(high.to_host(stream), low.to_host(stream), strict=True)]
    assert got == [int(a) * int(b) for a, b in zip(x, y, strict=True)]


@kernel
def multiply_add(x: Slice[u64], y: Slice[u64], z: Slice[u64], low: DisjointSlice[u64], high: DisjointSlice[u64]) -> None:
    """x * y + z in 128 bits."""
    i = thread.index_1d()
    if i in low and i in high:
        lower, upper = bits.mul_wide(x[i], y[i])
        lower, carry = bits.add_carry(lower, z[i], False)
        upper, _ = bits.add_carry(upper, 0, carry)
        low[i] = lower
        high[i] = upper


@pytest.mark.parametrize("device", DEVICES)
def test_128_bits(device: str) -> None:
    x, y, z = (numbers("u64", seed) for seed in (4, 5, 6))
    stream = ox.Context(device).default_stream()
    low, high = (ox.DeviceBuffer.zeros(stream, len(x), u64) for _ in range(2))
    multiply_add.launch(stream, *(ox.DeviceBuffer.from_host(stream, one) for one in (x, y, z)), low, high)
    got = [(int(up) << 64) + int(down) for up, down in zip(high.to_host(stream), low.to_host(stream), strict=True)]
    assert got == [int(a) * int(b) + int(c) for a, b, c in zip(x, y, z, strict=True)]


def test_ptx() -> None:
    for arch in ARCHES:
        text: Any = ptx(multiply_add, arch)
        assert "mul.hi.u64" in text
        assemble(text, arch)


def test_literals_and_refusals() -> None:
    def found(body: str) -> tuple[str, str]:
        one = refused(compiled(body, bits=bits))
        return one.code, one.message

    assert found("a = bits.mul_wide(n, f)")[0] == "OX0308"
    assert found("a = bits.mul_wide(f, f)") == ("OX0308", "mismatched types: `mul_wide` is for integers, and this is `f32`")
