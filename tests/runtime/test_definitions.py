"""Where kernels may be defined: in classes, and on functions alone."""

from __future__ import annotations

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import CompileError, DeviceBuffer, DisjointSlice, f32, kernel, thread


def test_a_kernel_in_a_class(stream):
    class Holder:
        @staticmethod
        @kernel
        def ones(y: DisjointSlice[f32]) -> None:
            idx = thread.index_1d()
            if idx in y:
                y[idx] = 1.0

        @kernel
        @staticmethod
        def twos(y: DisjointSlice[f32]) -> None:
            idx = thread.index_1d()
            if idx in y:
                y[idx] = 2.0

    y = DeviceBuffer.zeros(stream, 4, f32)
    for number, one in ((1, Holder.ones), (2, Holder.twos)):
        one.launch(stream, y)
        assert (y.to_host(stream) == number).all()


def test_what_kernel_stands_on():
    for thing, text in ((print, "builtin_function_or_method"), (dict, "a class"), (3, "int")):
        with pytest.raises(CompileError, match=text) as caught:
            kernel(thing)
        assert caught.value.code == "OX1007"
    with pytest.raises(CompileError, match="OX0133"):
        kernel(unsafe=" ")
    with pytest.raises(CompileError, match="`kernel` has no option `unsave`"):
        kernel(unsave="x")


@pytest.mark.parametrize(
    ("name", "value"), [("max_registers", 0), ("max_registers", 256), ("max_registers", -1), ("name", "1st"), ("name", "")]
)
def test_what_options_cannot_be(name, value):
    with pytest.raises(CompileError) as caught:
        kernel(**{name: value})
    (found,) = caught.value.diagnostics
    assert found.code == "OX2001" and found.message.startswith(f"`{name}` of `kernel` is {value!r}, which is no ")
    assert found.span is not None and found.span.file == __file__


class Private:
    @staticmethod
    @kernel
    def fill(__y: DisjointSlice[f32], __value: f32 = 4.0) -> None:
        __idx = thread.index_1d()
        if __idx in __y:
            __y[__idx] = __value


def test_private_names_in_a_class(stream):
    y = ox.DeviceBuffer.zeros(stream, 2, f32)
    Private.fill.launch(stream, y)
    np.testing.assert_array_equal(y.to_host(stream), [4, 4])
