"""Integer functions of `bits` that are one instruction on a GPU: against exact integers, on both devices; the instruction in PTX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from backend.assembler import assemble
from frontend.running import refused
from frontend.test_refused import compiled
from lang.function_table import applied

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, bits, f32, i8, i16, i32, i64, kernel, thread, u8, u16, u32, u64

ARCHES = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
INTEGERS = {one.scalar.name: one for one in (i8, i16, i32, i64, u8, u16, u32, u64)}
UNSIGNED = [name for name in INTEGERS if name[0] == "u"]
DEVICES = ["interp", "cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]
COUNT = 300


def numbers(name: str, seed: int, count: int = COUNT) -> np.ndarray:
    """Random ones of all sizes, and the ends of the type."""
    scalar = INTEGERS[name].scalar
    rng = np.random.default_rng(seed)
    raw = rng.integers(scalar.min, scalar.max, count, np.dtype(f"{'iu'[name[0] == 'u']}{scalar.bits // 8}"), endpoint=True)
    raw >>= rng.integers(0, scalar.bits, count).astype(raw.dtype)
    raw[:25] = np.array([scalar.min, scalar.max, 0, 1, scalar.max - 1], raw.dtype)[rng.integers(0, 5, 25)]
    return raw


def wrap(name: str, value: int) -> int:
    scalar = INTEGERS[name].scalar
    low = value & ((1 << scalar.bits) - 1)
    return low - (1 << scalar.bits) if scalar.signed and low > scalar.max else low


def clamp(name: str, value: int) -> int:
    scalar = INTEGERS[name].scalar
    return min(max(value, scalar.min), scalar.max)


def run(device: str, one: Any, out: Any, *columns: np.ndarray) -> list[Any]:
    stream = ox.Context(device).default_stream()
    result = ox.DeviceBuffer.zeros(stream, len(columns[0]), out)
    one.launch(stream, *(ox.DeviceBuffer.from_host(stream, column) for column in columns), result)
    return result.to_host(stream).tolist()


def three(function: Callable[..., Any], T: Any, U: Any, V: Any, R: Any) -> Any:
    @kernel
    def apply(x: Slice[T], y: Slice[U], z: Slice[V], out: DisjointSlice[R]) -> None:
        idx = thread.index_1d()
        if idx in out:
            out[idx] = function(x[idx], y[idx], z[idx])

    return apply


PAIRS: dict[str, Callable[[str, int, int], int]] = {
    "add_sat": lambda name, x, y: clamp(name, x + y),
    "sub_sat": lambda name, x, y: clamp(name, x - y),
    "hadd": lambda name, x, y: (x + y) // 2,
    "rhadd": lambda name, x, y: (x + y + 1) // 2,
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", INTEGERS)
def test_of_two(type_: str, device: str) -> None:
    x, y = numbers(type_, 1), numbers(type_, 2)
    for name, exact in PAIRS.items():
        got = run(device, applied(getattr(bits, name), INTEGERS[type_], 2), INTEGERS[type_], x, y)
        assert got == [exact(type_, a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)], name


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", INTEGERS)
def test_sums_of_absolute_differences(type_: str, device: str) -> None:
    T = INTEGERS[type_]
    x, y, z = (numbers(type_, seed) for seed in (1, 2, 3))
    got = run(device, three(bits.sad, T, T, T, T), T, x, y, z)
    assert got == [wrap(type_, abs(a - b) + c) for a, b, c in zip(x.tolist(), y.tolist(), z.tolist(), strict=True)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", INTEGERS)
def test_the_lowest_bit(type_: str, device: str) -> None:
    T: Any = INTEGERS[type_]

    @kernel
    def lowest(x: Slice[T], out: DisjointSlice[i32]) -> None:
        idx = thread.index_1d()
        if idx in out:
            out[idx] = bits.ffs(x[idx])

    x = numbers(type_, 4)
    assert run(device, lowest, i32, x) == [(one & -one).bit_length() for one in x.tolist()]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("type_", UNSIGNED)
def test_carries(type_: str, device: str) -> None:
    """A sum and a difference of two words, with what goes over from the lower to the upper one."""
    T: Any = INTEGERS[type_]

    @kernel
    def wide(x: Slice[T], y: Slice[T], z: Slice[T], sums: DisjointSlice[T], differences: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in sums and idx in differences:
            low, carry = bits.add_carry(x[idx], y[idx], False)
            high, over = bits.add_carry(z[idx], x[idx], carry)
            sums[idx] = high ^ T(over) ^ low
            low, borrow = bits.sub_borrow(x[idx], y[idx], False)
            high, under = bits.sub_borrow(z[idx], x[idx], borrow)
            differences[idx] = high ^ T(under) ^ low

    x, y, z = (numbers(type_, seed) for seed in (5, 6, 7))
    z[10:100] = x[10:100]  # so that the borrow decides
    stream = ox.Context(device).default_stream()
    out = [ox.DeviceBuffer.zeros(stream, COUNT, T) for _ in range(2)]
    wide.launch(stream, *(ox.DeviceBuffer.from_host(stream, one) for one in (x, y, z)), *out)
    size, most = T.scalar.bits, T.scalar.max
    due: list[list[int]] = [[], []]
    for a, b, c in zip(x.tolist(), y.tolist(), z.tolist(), strict=True):
        total = (c << size | a) + (a << size | b)
        due[0].append((total >> size & most) ^ (total >> 2 * size) ^ (total & most))
        rest = (c << size | a) - (a << size | b)
        due[1].append((rest >> size & most) ^ int(rest < 0) ^ (rest & most))
    assert [one.to_host(stream).tolist() for one in out] == due


def parts(value: int, width: int, signed: bool) -> list[int]:
    found = [value >> at & ((1 << width) - 1) for at in range(0, 32, width)]
    return [one - (1 << width) if signed and one >> (width - 1) else one for one in found]


DOTS: dict[str, Callable[[int, bool, int, bool], int]] = {
    "dp4a": lambda x, xs, y, ys: sum(a * b for a, b in zip(parts(x, 8, xs), parts(y, 8, ys), strict=True)),
    "dp2a_low": lambda x, xs, y, ys: sum(a * b for a, b in zip(parts(x, 16, xs), parts(y, 8, ys)[:2], strict=True)),
    "dp2a_high": lambda x, xs, y, ys: sum(a * b for a, b in zip(parts(x, 16, xs), parts(y, 8, ys)[2:], strict=True)),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("types", [("i32", "i32"), ("u32", "u32"), ("i32", "u32"), ("u32", "i32")], ids="-".join)
def test_dot_products(types: tuple[str, str], device: str) -> None:
    result = "u32" if types == ("u32", "u32") else "i32"
    T, U, R = (INTEGERS[one] for one in (*types, result))
    x, y, z = numbers(types[0], 8), numbers(types[1], 9), numbers(result, 10)
    for name, exact in DOTS.items():
        got = run(device, three(getattr(bits, name), T, U, R, R), R, x, y, z)
        due = [
            wrap(result, exact(a, types[0] == "i32", b, types[1] == "i32") + c)
            for a, b, c in zip(x.tolist(), y.tolist(), z.tolist(), strict=True)
        ]
        assert got == due, name


SELECTORS = {  # byte numbers, the lowest first, by the low two bits of the selector
    "f4e": ("0123", "1234", "2345", "3456"),
    "b4e": ("0765", "1076", "2107", "3210"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("0123", "1123", "2223", "3333"),
    "ecr": ("0000", "0111", "0122", "0123"),
    "rc16": ("0101", "2323", "0101", "2323"),
}


def permuting(which: str) -> Any:
    @kernel
    def permute(x: Slice[u32], y: Slice[u32], n: Slice[u32], out: DisjointSlice[u32]) -> None:
        idx = thread.index_1d()
        if idx in out:
            out[idx] = bits.byte_permute(x[idx], y[idx], n[idx], mode=which)

    return permute


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("mode", SELECTORS)
def test_modes_of_byte_permute(mode: str, device: str) -> None:
    x, y = numbers("u32", 11), numbers("u32", 12)
    n = np.arange(COUNT, dtype=np.uint32)
    due = []
    for a, b, c in zip(x.tolist(), y.tolist(), n.tolist(), strict=True):
        both = (b << 32 | a).to_bytes(8, "little")
        due.append(int.from_bytes(bytes(both[int(one)] for one in SELECTORS[mode][c & 3]), "little"))
    assert run(device, permuting(mode), u32, x, y, n) == due


@pytest.mark.parametrize("arch", ARCHES)
def test_a_gpu_has_an_instruction_for_them(arch: str) -> None:
    kernels = {
        "dp4a.s32.s32": three(bits.dp4a, i32, i32, i32, i32),
        "dp4a.u32.s32": three(bits.dp4a, u32, i32, i32, i32),
        "dp2a.lo.u32.u32": three(bits.dp2a_low, u32, u32, u32, u32),
        "dp2a.hi.s32.u32": three(bits.dp2a_high, i32, u32, i32, i32),
        "sad.s32": three(bits.sad, i32, i32, i32, i32),
        "sad.u32": three(bits.sad, u32, u32, u32, u32),
        "add.sat.s32": applied(bits.add_sat, i32, 2),
        "sub.sat.s32": applied(bits.sub_sat, i32, 2),
        **{f"prmt.b32.{mode}": permuting(mode) for mode in SELECTORS},
    }
    for instruction, one in kernels.items():
        text = one.ptx(arch)
        assert instruction in text
        assemble(text, arch)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = bits.dp4a(1.0, n, n)", "takes words, `i32` or `u32`"),
        ("a = bits.dp4a(n, n, u32(1))", "`i32` and `u32`"),
        ("a = bits.add_carry(n, n, True)", "is for unsigned integers, and this is `i32`"),
        ("a = bits.sad(n, 1.5, n)", "does not become `i32`"),
        ("a = bits.byte_permute(u32(1), u32(2), 3, mode='f3e')", "the mode of `bits.byte_permute` is one of"),
        ("a = bits.hadd(f32(n), f32(n))", "is for integers, and this is `f32`"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, bits=bits, u32=u32, f32=f32))
    assert (found.code, part in found.message) == ("OX0308", True), (found.code, found.message)
