"""Integer operations of the interpreter against Python's integers: all pairs of 8-bit numbers, random wider ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir.build import apply

from oxidepy.ir.types import BOOL, I8, I16, I32, I64, U8, U16, U32, U64, Scalar

INTEGERS = (I8, I16, I32, I64, U8, U16, U32, U64)


def wrap(type_: Scalar, value: int) -> int:
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value > type_.max else value


def numpy_name(type_: Scalar) -> str:
    return f"{'i' if type_.signed else 'u'}{type_.size}"


def _shl(type_: Scalar, a: int, n: int) -> int:
    return a << n if 0 <= n < type_.bits else 0


def _shr(type_: Scalar, a: int, n: int) -> int:
    return a >> n if 0 <= n < type_.bits else (-1 if a < 0 else 0)


BINARY = {
    "add": lambda t, a, b: a + b,
    "sub": lambda t, a, b: a - b,
    "mul": lambda t, a, b: a * b,
    "floordiv": lambda t, a, b: a // b,
    "mod": lambda t, a, b: a % b,
    "min": lambda t, a, b: min(a, b),
    "max": lambda t, a, b: max(a, b),
    "mulhi": lambda t, a, b: (a * b) >> t.bits,
    "and": lambda t, a, b: a & b,
    "or": lambda t, a, b: a | b,
    "xor": lambda t, a, b: a ^ b,
    "shl": _shl,
    "shr": _shr,
}
COMPARE = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "inbounds": lambda a, b: 0 <= a < b,
}
UNARY = {
    "neg": lambda t, a: -a,
    "abs": lambda t, a: abs(a),
    "not": lambda t, a: ~a,
    "popcount": lambda t, a: bin(a & ((1 << t.bits) - 1)).count("1"),
    "clz": lambda t, a: t.bits - (a & ((1 << t.bits) - 1)).bit_length(),
    "ctz": lambda t, a: (a & -a).bit_length() - 1 if a else t.bits,
    "brev": lambda t, a: int(f"{a & ((1 << t.bits) - 1):0{t.bits}b}"[::-1], 2),
}
DIVISIONS = ("floordiv", "mod")


def _check_binary(name: str, type_: Scalar, a: list[int], b: list[int]) -> None:
    if name in DIVISIONS:
        a, b = (list(one) for one in zip(*((x, y) for x, y in zip(a, b, strict=True) if y), strict=True))
    inputs = np.array(a, numpy_name(type_)), np.array(b, numpy_name(type_))
    if name in COMPARE:
        got = apply(name, (type_, type_), BOOL, *inputs).tolist()
        want = [COMPARE[name](x, y) for x, y in zip(a, b, strict=True)]
    else:
        got = apply(name, (type_, type_), type_, *inputs).tolist()
        want = [wrap(type_, BINARY[name](type_, x, y)) for x, y in zip(a, b, strict=True)]
    wrong = [(x, y, g, w) for x, y, g, w in zip(a, b, got, want, strict=True) if g != w]
    assert not wrong, f"{name} {type_}: (a, b, got, wanted) {wrong[:5]}"


@pytest.mark.parametrize("type_", [I8, U8], ids=str)
@pytest.mark.parametrize("name", [*BINARY, *COMPARE])
def test_all_pairs_of_bytes(name: str, type_: Scalar) -> None:
    numbers = range(type_.min, type_.max + 1)
    _check_binary(name, type_, [a for a in numbers for _ in numbers], [b for _ in numbers for b in numbers])


def _numbers(type_: Scalar) -> st.SearchStrategy[int]:
    edges = [type_.min, type_.min + 1, type_.max, type_.max - 1, 0, 1, 2, type_.bits - 1, type_.bits, type_.bits + 1]
    corners = st.sampled_from(edges + ([-1, -2] if type_.signed else []))
    return st.one_of(corners, st.integers(type_.min, type_.max), st.integers(0, type_.bits))


@pytest.mark.parametrize("type_", INTEGERS, ids=str)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(data=st.data())
def test_wide_numbers(type_: Scalar, data: st.DataObject) -> None:
    a = data.draw(st.lists(_numbers(type_), min_size=30, max_size=30))
    b = data.draw(st.lists(_numbers(type_), min_size=30, max_size=30))
    for name in (*BINARY, *COMPARE):
        _check_binary(name, type_, [*a, type_.min], [*b, -1 if type_.signed else type_.max])


@pytest.mark.parametrize("type_", INTEGERS, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, type_: Scalar) -> None:
    rng = np.random.default_rng(7)
    edges = [type_.min, type_.max, 0, 1, 2, 3, type_.max // 2, type_.max // 2 + 1, type_.min // 2]
    values = edges + rng.integers(type_.min, type_.max, 200, numpy_name(type_), endpoint=True).tolist()
    got = apply(name, (type_,), type_, np.array(values, numpy_name(type_))).tolist()
    assert got == [wrap(type_, UNARY[name](type_, one)) for one in values]


@pytest.mark.parametrize("target", INTEGERS, ids=str)
@pytest.mark.parametrize("source", INTEGERS, ids=str)
def test_casts_wrap(source: Scalar, target: Scalar) -> None:
    values = [source.min, source.max, 0, 1, source.max // 3, source.min // 3, 200 if source.max >= 200 else 100]
    got = apply("cast", (source,), target, np.array(values, numpy_name(source))).tolist()
    assert got == [wrap(target, one) for one in values]


def test_bools() -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    assert apply("and", (BOOL, BOOL), BOOL, a, b).tolist() == [False, False, False, True]
    assert apply("or", (BOOL, BOOL), BOOL, a, b).tolist() == [False, True, True, True]
    assert apply("xor", (BOOL, BOOL), BOOL, a, b).tolist() == [False, True, True, False]
    assert apply("not", (BOOL,), BOOL, a).tolist() == [True, True, False, False]
    assert apply("cast", (BOOL,), I32, a).tolist() == [0, 0, 1, 1]
    assert apply("cast", (I8,), BOOL, np.array([0, 1, -128], np.int8)).tolist() == [False, True, True]
    assert apply("select", (BOOL, I8, I8), I8, a, np.arange(4, dtype=np.int8), -np.arange(4, dtype=np.int8)).tolist() == [0, -1, 2, 3]
