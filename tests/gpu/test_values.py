"""Values of the language on a CUDA GPU: fields that are changed atomically, tuples in tuples, sets of flags."""

# mypy: ignore-errors
# pyright: basic
from __future__ import annotations

import numpy as np
import pytest
from frontend.test_simt_atomics import Slot, fields
from runtime.test_flags import test_sets_of_bits as told_flags
from runtime.test_tuples import Point as TuplePoint
from runtime.test_tuples import made, made_result, nested, nested_result

import oxidepy as ox
from oxidepy import f64, i32, i64

pytestmark = pytest.mark.gpu


@pytest.fixture
def stream() -> ox.Stream:
    return ox.Context("cuda:0").new_stream()


def test_fields_that_are_changed_atomically(stream: ox.Stream) -> None:
    slots, old = ox.DeviceBuffer.zeros(stream, 2, Slot), ox.DeviceBuffer.zeros(stream, 64, i64)
    start = slots.to_host(stream)
    start[0]["best"]["votes"][0] = 7
    slots.copy_from_host(stream, start)
    fields.prepare(stream.context, ox.LaunchConfig1D(1, 64))(stream, slots, old)
    got = slots.to_host(stream)
    assert sorted(old.to_host(stream).tolist()) == sorted([*range(32)] * 2)
    assert got["count"].tolist() == [32, 32] and got["best"]["votes"].tolist() == [[9, 0], [2**32 - 64, 2**32 - 128]]
    assert got["best"]["score"].tolist() == [0.0, 63.0]
    assert (got["pair"]["x"].tolist(), got["pair"]["y"].tolist()) == ([64, 0], [32, 0])


def test_tuples_in_tuples(stream: ox.Stream) -> None:
    y, z = ox.DeviceBuffer.zeros(stream, 2, f64), ox.DeviceBuffer.zeros(stream, 4, i32)
    for k in range(4):
        t = (k + 0.5, (k, (k % 2 == 0, TuplePoint(1.5, k))), TuplePoint(k, 2.0))
        nested.launch(stream, t, y)
        assert y.to_host(stream).tolist() == [nested_result(t)] * 2
    made.launch(stream, z)
    np.testing.assert_array_equal(z.to_host(stream), [made_result(i) for i in range(4)])


def test_sets_of_flags(stream: ox.Stream, capsys: pytest.CaptureFixture[str]) -> None:
    told_flags(stream, capsys)
