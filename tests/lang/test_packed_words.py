"""Words of several numbers: taken apart and put together, and what SIMD instructions over bytes do, written with them."""

# mypy: ignore-errors
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import refused
from frontend.test_refused import compiled
from loading import load

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, bits, i8, i32, kernel, thread, u8, u32, unroll

DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]
PARTS = {8: ("i8", "u8"), 16: ("i16", "u16", "f16", "bf16"), 32: ("i32", "u32", "f32")}
WORDS = {16: ("i16", "u16", "f16"), 32: ("i32", "u32", "f32"), 64: ("i64", "u64", "f64")}
HEAD = "from oxidepy import *\nfrom oxidepy import bits\n"
ONE = """
@kernel
def {part}_of_{word}(x: Slice[{word}], y: SliceMut[{part}], back: DisjointSlice[u{size}]) -> None:
    idx = thread.index_1d()
    if idx in x and idx in back:
        {names} = bits.unpack({part}, x[idx])
        {stores}
        back[idx] = bits.pack({names})
"""


def cases() -> list[tuple[str, str, int, int]]:
    return [(part, word, small, size) for small in PARTS for part in PARTS[small] for size in WORDS if size > small for word in WORDS[size]]


def source() -> str:
    out = HEAD
    for part, word, small, size in cases():
        count = size // small
        names = ", ".join(f"a{k}" for k in range(count))
        stores = "\n        ".join(f"y[idx.get() * {count} + {k}] = a{k}" for k in range(count))
        out += ONE.format(part=part, word=word, size=size, names=names, stores=stores)
    return out


@pytest.mark.parametrize("device", DEVICES)
def test_the_bytes_stay(device: str, tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    path = tmp_path / "packed.py"
    path.write_text(source(), encoding="utf-8")
    module, stream = load(path), ox.Context(device).new_stream()
    raw = np.random.default_rng(9).integers(0, 256, 64 * 8, dtype=np.uint8)
    for part, word, _, size in cases():
        x = ox.DeviceBuffer.from_host(stream, raw).reinterpret(getattr(ox, word))
        outs = [ox.DeviceBuffer.zeros(stream, len(raw), u8) for _ in range(2)]
        kernel_ = getattr(module, f"{part}_of_{word}")
        prepared = kernel_.prepare(stream.context, len(x))
        prepared(stream, x, outs[0].reinterpret(getattr(ox, part)), outs[1].reinterpret(getattr(ox, f"u{size}")))
        for out in outs:
            assert out.to_host(stream).tobytes() == raw.tobytes(), (part, word)


@kernel
def bytes_of(x: Slice[u32], y: Slice[u32], sums: DisjointSlice[u32], far: DisjointSlice[u32], most: DisjointSlice[i32]) -> None:
    """What CUDA C++ has as `__vaddus4`, `__vabsdiffu4` and `__vmaxs4`, the last one over all bytes."""
    idx = thread.index_1d()
    if idx in sums and idx in far and idx in most:
        a, b = bits.unpack(u8, x[idx]), bits.unpack(u8, y[idx])
        sums[idx] = bits.pack(bits.add_sat(a[0], b[0]), bits.add_sat(a[1], b[1]), bits.add_sat(a[2], b[2]), bits.add_sat(a[3], b[3]))
        far[idx] = bits.pack(bits.sad(a[0], b[0], 0), bits.sad(a[1], b[1], 0), bits.sad(a[2], b[2], 0), bits.sad(a[3], b[3], 0))
        greatest = i8(-128)
        for one in unroll(bits.unpack(i8, x[idx])):
            greatest = max(greatest, one)
        most[idx] = i32(greatest)


@pytest.mark.parametrize("device", DEVICES)
def test_instructions_over_bytes(device: str) -> None:
    stream, rng = ox.Context(device).default_stream(), np.random.default_rng(3)
    x, y = (rng.integers(0, 2**32, 256, np.uint32) for _ in range(2))
    outs = [ox.DeviceBuffer.zeros(stream, 256, T) for T in (u32, u32, i32)]
    bytes_of.launch(stream, *(ox.DeviceBuffer.from_host(stream, one) for one in (x, y)), *outs)
    a, b = (one.view(np.uint8).astype(int) for one in (x, y))
    sums, far = np.minimum(a + b, 255).astype(np.uint8), abs(a - b).astype(np.uint8)
    most = x.view(np.int8).reshape(-1, 4).max(axis=1)
    for out, wanted in zip(outs, (sums.view(np.uint32), far.view(np.uint32), most), strict=True):
        np.testing.assert_array_equal(out.to_host(stream), wanted)


@pytest.mark.parametrize("arch", ARCHES)
def test_assembled(arch: str) -> None:
    assert "registers" in assemble(bytes_of.ptx(arch), arch)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = bits.unpack(ox.u8, ox.u8(1))", "does not hold several `u8`"),
        ("a = bits.unpack(ox.f64, ox.u32(1))", "does not hold several `f64`"),
        ("a = bits.unpack(3, ox.u32(1))", "is a scalar type"),
        ("a = bits.unpack(ox.u8, f > 0.0)", "does not hold several `u8`"),
        ("a = bits.pack(ox.u8(1), ox.u8(2), ox.u8(3))", "3 `u8` are no word"),
        ("a = bits.pack(ox.u64(1), ox.u64(2))", "2 `u64` are no word"),
        ("a = bits.pack(ox.u8(1), ox.u16(2))", "`u8` and `u16`"),
        ("a = bits.pack(1, 2)", "numbers without a type are no word"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, ox=ox, bits=bits))
    assert found.code == "OX0308" and part in found.message, found
