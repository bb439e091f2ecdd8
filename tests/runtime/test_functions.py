"""Functions as arguments: which of them share compiled code, and which must not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from loading import defined

import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, i32, kernel, thread

X = np.arange(1, 6, dtype=np.float32)


@kernel
def apply(f: Callable[[f32], f32], x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])


@pytest.fixture
def applied(stream):
    """What `apply` makes of X with a function."""
    x = ox.DeviceBuffer.from_host(stream, X)

    def run(f):
        y = ox.DeviceBuffer.zeros(stream, len(X), f32)
        apply.launch(stream, f, x, y)
        return y.to_host(stream)

    return run


def test_keyword_only_defaults_belong_to_the_code(applied):
    def scaled(by):
        def f(v, *, k=by):
            return v * k

        return f

    for by in (2.0, 3.0, np.float32(4)):
        np.testing.assert_array_equal(applied(scaled(by)), X * np.float32(by))


def test_defaults_are_told_apart_by_their_bits(applied):
    def divided(by):
        return lambda v, d=by: v / d

    for by, wanted in ((0.0, np.inf), (-0.0, -np.inf), (0.0, np.inf)):
        np.testing.assert_array_equal(applied(divided(by)), np.full(5, wanted, np.float32))


def test_annotations_belong_to_the_code(applied):
    typed = defined("def typed(element):\n    def f(v: element):\n        return v + 1\n    return f\n")["typed"]
    np.testing.assert_array_equal(applied(typed(f32)), X + 1)
    with pytest.raises(ox.CompileError) as caught:
        applied(typed(i32))
    assert caught.value.code == "OX0308"
    np.testing.assert_array_equal(applied(typed(f32)), X + 1)


def test_a_variable_of_a_captured_function_may_change(applied):
    factor = 1.0

    def scale(v):
        return v * factor

    def f(v):
        return scale(v)

    for factor in (1.0, 2.0, 3.0):
        np.testing.assert_array_equal(applied(f), X * np.float32(factor))


def test_one_code_with_itself_inside(applied):
    def then(f, k):
        return lambda v: f(v) + k

    def ten(v):
        return v * 10.0

    np.testing.assert_array_equal(applied(then(ten, 1)), X * 10 + 1)
    np.testing.assert_array_equal(applied(then(then(ten, 1), 2)), X * 10 + 3)
    np.testing.assert_array_equal(applied(then(then(ten, 5), 2)), X * 10 + 7)


def test_a_local_function_that_calls_itself(applied):
    def down(v: f32) -> f32:
        return v if v < 2.0 else down(v - 2.0)

    np.testing.assert_array_equal(applied(down), [down(one) for one in X])

    def unsaid(v: f32):
        return v if v < 2.0 else unsaid(v - 2.0)

    with pytest.raises(ox.CompileError) as caught:
        applied(unsaid)
    assert caught.value.code == "OX0282" and "`unsaid` calls itself" in caught.value.diagnostics[0].message


def test_a_captured_numpy_bool(applied):
    def signed(positive):
        return lambda v: v if positive else -v

    for value in (np.True_, np.False_, True, np.True_):
        np.testing.assert_array_equal(applied(signed(value)), X if value else -X)


def test_lambdas_with_and_without_stars_on_a_line(applied):
    pair = lambda *v: v[0], lambda: 1.0
    with pytest.raises(ox.CompileError) as caught:
        applied(pair[1])
    assert caught.value.code == "OX0308" and "takes 0 arguments, and is given 1" in caught.value.diagnostics[0].message
    assert caught.value.diagnostics[0].help == "leave the arguments out"
    with pytest.raises(ox.CompileError) as caught:
        applied(pair[0])
    assert caught.value.code == "OX1004"


def test_a_built_in_is_no_function(applied):
    with pytest.raises(ox.LaunchError) as caught:
        applied(ox.math.exp)
    assert caught.value.code == "OX2007" and "`math.exp`" in caught.value.diagnostic.message


SHIFT, TABLE = 1.0, (1.0, 2.0)


def shifted(v):
    return v + SHIFT


def shifted_twice(v):
    return shifted(shifted(v))


def test_constants_of_the_module_may_change_between_launches(applied, monkeypatch):
    """A loop at the top of a file changes them; a notebook defines helpers again. Each launch sees them as they are."""
    for shift in (1.0, 2.5, 1.0):
        monkeypatch.setitem(globals(), "SHIFT", shift)
        for _ in range(3):
            assert applied(lambda v: v * SHIFT)[0] == shift
            assert applied(shifted_twice)[0] == 1 + 2 * shift
            assert applied(lambda v: shifted(v) + TABLE[1])[0] == 1 + shift + 2
    monkeypatch.setitem(globals(), "TABLE", (1.0, 7.0))
    assert applied(lambda v: shifted(v) + TABLE[1])[0] == 9

    def other(v):
        return v * 100.0

    monkeypatch.setitem(globals(), "shifted", other)
    assert applied(shifted_twice)[0] == 10000
