"""The quick way of a launch gives what the slow one gives, or leaves the launch to it."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import oxidepy as ox
from oxidepy import DeviceBuffer, DisjointSlice, OxideError, Slice, f32, f64, i8, i32, kernel, launch_contract, require, thread
from oxidepy.runtime import arguments, packing, relations
from oxidepy.runtime.arguments import Bound
from oxidepy.runtime.prepared import value_of


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def mixed(x: Slice[f32], y: DisjointSlice[f32], z: DisjointSlice[f32], a: i8, b: f32, c: f64, d: bool, n: i32) -> None:
    require(len(x) >= n)
    idx = thread.index_1d()
    if idx in y and idx in z:
        y[idx] = x[0] + f32(a)
        z[idx] = b + f32(c) + f32(d)


CONTEXT = ox.Context("interp")
STREAM, OTHER = CONTEXT.new_stream(), CONTEXT.new_stream()
WHOLE = DeviceBuffer.zeros(STREAM, 64, f32)
FOREIGN = ox.Context("cpu")
RELEASED = DeviceBuffer.zeros(STREAM, 64, f32)
RELEASED.free(STREAM)
ELSEWHERE = DeviceBuffer.zeros(OTHER, 64, f32)
ODD: list[Any] = [
    RELEASED,
    DeviceBuffer.zeros(STREAM, 64, f64),
    DeviceBuffer.zeros(STREAM, (8, 8), f32),
    DeviceBuffer.zeros(FOREIGN.default_stream(), 64, f32),
    np.zeros(64, np.float32),
    None,
]

views = st.tuples(st.integers(0, 64), st.integers(0, 64)).map(lambda ends: WHOLE[min(ends) : max(ends)])
buffers = st.one_of(views, views, views, st.sampled_from(ODD))
numbers = st.one_of(
    st.integers(-200, 200), st.integers(-(1 << 70), 1 << 70), st.floats(), st.booleans(),
    st.integers(-128, 127).map(np.int8), st.floats(width=32).map(np.float32), st.floats().map(np.float64),
    st.sampled_from(["x", None, np.True_]),
)  # fmt: skip


def _prepared():
    prepared = mixed.prepare(CONTEXT, 64)
    prepared(STREAM, WHOLE[:10], WHOLE[10:20], WHOLE[20:30], 1, 1.0, 1.0, True, 3)
    return prepared


def _slow(args) -> bytes | None:
    """The bytes that would go to the device, or None where the launch is refused."""
    bound = Bound("mixed", CONTEXT, STREAM)
    loaded = _READY.loaded
    try:
        arguments.bind(bound, mixed.parameters, args)
        arguments.borrow(bound, mixed.parameters)
        relations.check(loaded.module.kernel.requires, bound.values, _PREPARED.config, "mixed")
        return packing.packer(loaded.params, False).pack(*(value_of(one, bound) for one in loaded.params))
    except OxideError:
        return None


_PREPARED = _prepared()
_READY = _PREPARED._last
assert _READY is not None and _READY.quick is not None


@settings(max_examples=600, derandomize=True, deadline=None)
@given(st.tuples(buffers, buffers, buffers, numbers, numbers, numbers, numbers, numbers))
def test_quick_and_slow_agree(args):
    quick = _READY.quick(STREAM, args)
    if quick is not None:
        packed = packing.packer(_READY.loaded.params, False).pack(*quick)
        assert packed == _slow(args)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(
    st.integers(-128, 127),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.integers(-5, 10),
)
def test_what_fits_goes_the_quick_way(a, b, c, d, n):
    quick = _READY.quick(STREAM, (WHOLE[:10], WHOLE[10:20], WHOLE[20:30], a, b, c, d, n))
    assert quick is not None
    assert struct.pack("<bfd?i", *quick[-5:]) == struct.pack("<bfd?i", a, b, c, d, n)


def test_what_does_not_goes_the_slow_way():
    good = [WHOLE[:10], WHOLE[10:20], WHOLE[20:30], 1, 1.0, 1.0, True, 3]
    assert _READY.quick(STREAM, good) is not None
    assert _READY.quick(OTHER, good) is None and _READY.quick(STREAM, good[:-1]) is None
    for place, value in (
        (0, ELSEWHERE),
        (1, WHOLE[5:15]),
        (2, WHOLE[15:25]),
        (3, 128),
        (4, 1),
        (4, float("nan")),
        (5, np.float64(1)),
        (6, 1),
        (7, 11),
    ):
        assert _READY.quick(STREAM, [*good[:place], value, *good[place + 1 :]]) is None, place
