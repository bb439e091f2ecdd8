"""Scalar types at run time: casts with the meaning that kernels give them, and what counts as a dtype."""

from __future__ import annotations

import copy
import math
import pickle
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oxidepy.ir.types import BOOL, F32, I32, SCALARS
from oxidepy.lang import scalars
from oxidepy.lang.scalars import cast, scalar_of

INTEGERS = [one for one in SCALARS.values() if one.is_int]


@pytest.mark.parametrize("scalar", INTEGERS, ids=str)
@given(value=st.integers(-(2**70), 2**70))
def test_integers_wrap(scalar, value):
    got = cast(scalar, value)
    assert scalar.min <= got <= scalar.max
    assert (got - value) % 2**scalar.bits == 0


@pytest.mark.parametrize("scalar", INTEGERS, ids=str)
def test_floats_saturate_into_integers(scalar):
    assert cast(scalar, math.inf) == scalar.max
    assert cast(scalar, -math.inf) == scalar.min
    assert cast(scalar, math.nan) == 0
    assert cast(scalar, 1e300) == scalar.max
    assert cast(scalar, 2.9) == 2
    assert cast(scalar, -2.9) == (-2 if scalar.signed else 0)


@given(st.integers(-(2**80), 2**80))
def test_an_integer_is_rounded_to_f32_once(value):
    got = cast(F32, value)
    assert struct.unpack("<f", struct.pack("<f", got))[0] == got
    below, above = np.nextafter(np.float32(got), np.float32(-np.inf)), np.nextafter(np.float32(got), np.float32(np.inf))
    assert abs(Fraction(got) - value) <= min(abs(Fraction(float(below)) - value), abs(Fraction(float(above)) - value))


def test_an_integer_between_two_f32_and_a_hair_above_the_middle_goes_up():
    assert cast(F32, 2**60 + 2**36) == 2**60  # a tie goes to the even one
    assert cast(F32, 2**60 + 2**36 + 1) == 2**60 + 2**37  # through a double it would look like the tie


def test_floats_round_to_the_nearest_and_overflow_to_infinity():
    assert scalars.f32(0.1) == float(np.float32(0.1))
    assert scalars.f16(65520.0) == math.inf
    assert scalars.f16(-1e9) == -math.inf
    assert scalars.f64(0.1) == 0.1
    assert math.isnan(scalars.f32(math.nan))


@given(st.floats(width=32, allow_nan=False))
def test_bf16_is_the_upper_half_of_f32_rounded_to_even(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    want = struct.unpack("<f", struct.pack("<I", rounded))[0] if math.isfinite(value) else value
    assert scalars.bf16(value) == want


@pytest.mark.parametrize(
    ("value", "name"),
    [(bool, "bool"), (np.bool_, "bool"), (np.float32, "f32"), (np.dtype("f4"), "f32"), (np.dtype("<i8"), "i64"), (np.uint8, "u8"),
     (np.longlong, "i64"), (scalars.f16, "f16"), (scalars.i32, "i32")],
)  # fmt: skip
def test_dtypes(value, name):
    assert scalar_of(value) == SCALARS[name]


@pytest.mark.parametrize(
    "value", [int, float, complex, str, "f32", None, np.complex64, np.dtype(">f4"), np.void, np.generic, np.integer, np.str_, 3]
)
def test_what_is_no_dtype(value):
    assert scalar_of(value) is None


@pytest.mark.parametrize("name", [name for name in SCALARS if name not in ("bool", "bf16")])
def test_numpy_takes_a_scalar_type_for_a_dtype(name):
    scalar_type = getattr(scalars, name)
    assert scalar_of(np.zeros(1, scalar_type).dtype) == SCALARS[name]
    assert scalar_type.dtype.itemsize == SCALARS[name].size


def test_a_scalar_type_survives_pickle_and_copy():
    assert pickle.loads(pickle.dumps(scalars.i32)) is scalars.i32
    assert copy.deepcopy(scalars.f32) is scalars.f32
    assert {scalars.i32: 1}[scalars.i32] == 1 and scalars.i32 != scalars.u32
    assert (repr(scalars.u8), scalars.u8.__name__) == ("oxidepy.u8", "u8")
    assert (scalar_of(scalars.i32), scalar_of(bool)) == (I32, BOOL)


def test_an_array_is_no_subscripted_scalar_type():
    with pytest.raises(TypeError, match=r"`f32` is one number; memory of it is `Slice\[f32\]`"):
        scalars.f32[:]
