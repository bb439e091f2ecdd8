"""Numbers of the function around a kernel are run-time values: read at each launch, through helpers too."""

from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DisjointSlice, f32, f64, kernel, thread, u32


def make(element, count, factor):
    def helper(v):
        return v * factor

    @kernel
    def fill(y: DisjointSlice[element]) -> None:
        i = thread.index_1d()
        if i in y:
            y[i] = helper(element(count)) + count

    def change(new):
        nonlocal count
        count = new

    return fill, change


@pytest.mark.parametrize("device", ["interp", "cpu"])
@pytest.mark.parametrize(("element", "factor"), [(f32, 0.5), (f64, 0.25), (u32, 3), (f32, np.float32(1.5))])
def test_a_changed_number_compiles_nothing_new(device, element, factor):
    stream = ox.Context(device).default_stream()
    fill, change = make(element, 7, factor)
    for count in (7, 8, 12):
        change(count)
        y = ox.DeviceBuffer.zeros(stream, 5, element)
        fill.launch(stream, y)
        np.testing.assert_array_equal(y.to_host(stream), np.full(5, count * factor + count, element.dtype))
    assert len(fill._loaded) == 1


def test_a_number_that_does_not_fit_any_more():
    stream = ox.Context("interp").default_stream()
    fill, change = make(u32, 7, 3)
    y = ox.DeviceBuffer.zeros(stream, 5, u32)
    fill.launch(stream, y)
    change(-1)
    with pytest.raises(ox.LaunchError) as caught:
        fill.launch(stream, y)
    assert caught.value.code == "OX2007" and "`count`" in caught.value.diagnostic.message
