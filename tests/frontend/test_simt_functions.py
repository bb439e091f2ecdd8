"""Functions as values, functions inside of kernels, closures over closures, several type variables, unrolled loops."""

# pyright: basic
from __future__ import annotations

import math as python_math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
from frontend.running import every, findings, lowered, ops, refused, results
from frontend.test_refused import compiled
from loading import defined

from oxidepy import Const, Slice, SliceMut, bits, block, f32, f64, i32, kernel, launch_contract, math, shared, thread, unroll
from oxidepy.frontend.lower import lower
from oxidepy.lang.definition import FunctionArg, Specialisation
from oxidepy.settings.options import CodegenOptions

ONE = (1, 1, 1)
A = TypeVar("A", i32, f32)
B = TypeVar("B", i32, f32, f64)


def add(a: i32, b: i32) -> i32:
    return a + b


def fold(x: Slice[i32], combine: Callable[[i32, i32], i32], first: i32) -> i32:
    total = first
    for i in range(len(x)):
        total = combine(total, x[i])
    return total


def choose(small: Const[bool]) -> Callable[[i32, i32], i32]:
    return min if small else max


@kernel
@launch_contract(domain=1, block=ONE)
def values(y: SliceMut[i32], x: Slice[i32]) -> None:
    g = add
    y[0] = fold(x, g, 0)
    y[1] = fold(x, min, 1000)
    y[2] = fold(x, max, -1000)
    y[3] = fold(x, lambda a, b: a + b * y[0], 0)
    pair = (add, lambda a, b: a - b)
    y[4] = pair[1](pair[0](3, 4), 5)
    for f in unroll((add, min, max)):
        y[5] = f(y[5] + 2, 1)
    y[6] = choose(True)(3, 4) * 10 + choose(False)(3, 4)
    count = bits.popcount
    y[7] = count(255)


def test_functions_are_values() -> None:
    x = np.array([4, -7, 9], np.int32)
    assert results(values, np.int32, 8, x) == [6, -7, 9, 36, 2, 3, 34, 8]


@kernel
@launch_contract(domain=1, block=ONE)
def inner_functions(y: SliceMut[i32], n: i32) -> None:
    s = shared.array(i32, 4)

    def put(i: i32, v: i32 = 5, *, twice: bool = False) -> None:
        s[i] = v * n
        if twice:
            s[i] *= 2

    def early(v: i32) -> i32:
        if v < 0:
            return -v
        for k in range(v):
            if k * k >= v:
                return k
        return v

    def outer(k):
        def middle(j):
            return j * k + n

        return middle

    put(0)
    put(1, 7)
    put(2, v=8, twice=True)
    put(3, early(-9))
    n += 1
    y[0] = s[0] + s[1] * 10 + s[2] * 100
    y[1] = s[3]
    y[2] = early(17)
    y[3] = outer(3)(4)
    three, five = outer(3), outer(5)
    y[4] = three(10) * 1000 + five(10)
    y[5] = fold_twice(lambda v: v + n, 1)


def fold_twice(f: Callable[[i32], i32], v: i32) -> i32:
    def both(g):
        return lambda w: g(f(w)) * 2

    return both(f)(v)


def test_functions_inside_of_kernels_see_names_as_they_are() -> None:
    assert results(inner_functions, np.int32, 6, 2) == [10 + 140 + 3200, 18, 5, 15, 33053, (1 + 3 + 3) * 2]


@pytest.mark.parametrize(
    ("body", "code", "part"),
    [
        ("def g(v):\n    return g(v - 1)\ny[0] = g(f)", "OX0658", "recursion"),
        ("def g(*v):\n    return f", "OX1004", "`*` parameters"),
        ("@math.exp\ndef g(v):\n    return v", "OX1007", "a decorator on `g`"),
        ("def g(v: i32):\n    return v\ny[0] = g(f)", "OX0308", "`i32` and `f32`"),
        ("def g(v) -> i32:\n    return v\ny[0] = g(f)", "OX0308", "`i32` and `f32`"),
        ("def g(v, w):\n    return v\ny[0] = g(f)", "OX0308", "lacks the argument `w`"),
        ("def g(v):\n    nonlocal n\n    n = v\ng(1)", "OX0658", "`nonlocal`"),
        ("def g(v):\n    w = v\n    return w\ny[0] = g(f) + w", "OX0425", "unknown name `w`"),
        ("def g():\n    return h\ny[0] = g()\nh = 1.0", "OX0381", "`h` is used before it is bound"),
        ("if n > 0:\n    g = lambda v: v\nelse:\n    g = lambda v: v + 1.0\ny[0] = g(f)", "OX0658", "choosing between two functions"),
        ("g = min if n > 0 else max\ny[0] = g(f, f)", "OX0658", "choosing between two functions"),
        ("g = 'yes' if n > 0 else 'no'\nprint(g)", "OX0658", "choosing between two strings"),
        ("async def g(v):\n    return v", "OX0658", "`async def`"),
    ],
)
def test_what_is_refused(body: str, code: str, part: str) -> None:
    found = findings(compiled(body, math=math))
    assert found and (found[0].code, part in found[0].message) == (code, True), [(one.code, one.message) for one in found]


def scaled(factor: int):
    def apply(v):
        return v * factor

    return apply


def shifted(inner, by: int):
    def apply(v):
        return inner(v) + by

    return apply


@kernel
@launch_contract(domain=1, block=ONE)
def handed(y: SliceMut[i32], f: Callable[[i32], i32]) -> None:
    y[0] = f(10)


def test_closures_over_closures_come_with_the_launch() -> None:
    function = shifted(scaled(3), 4)
    specialisation = Specialisation(functions=(("f", FunctionArg(function, (("by", "int"),))),))
    captured = {("f", "by"): 4, ("f", "inner.factor"): 3}
    module = lower(handed.definition, specialisation, CodegenOptions()).module
    paths = [info.path for info in module.kernel.infos if info.source == "f"]
    assert paths == ["by"] or paths == ["by", "inner.factor"]
    assert results(handed, np.int32, 1, 0, specialisation=specialisation, captured=captured) == [34]


def mix(a: A, b: B, g: Callable[[A], B]) -> B:
    return g(a) + b * B(2)


@kernel
@launch_contract(domain=1, block=ONE)
def generic(y: SliceMut[B], x: Slice[A], f: Callable[[A], B], N: Const[int]) -> None:
    s = shared.array(A, N)
    s[N - 1] = x[0]
    y[0] = mix(s[N - 1], B(3), f)
    y[1] = B(A(2.75))


def test_several_type_variables() -> None:
    space = defined("to_f64 = lambda v: f64(v)\n", {"f64": f64})
    specialisation = Specialisation(
        types=(("A", i32.scalar), ("B", f64.scalar)),  # type: ignore[attr-defined]
        functions=(("f", FunctionArg(space["to_f64"])),),  # type: ignore[arg-type]
        constants=(("N", 4),),
    )
    assert results(generic, np.float64, 2, np.array([5], np.int32), 0, 4, specialisation=specialisation) == [11.0, 2.0]


@kernel
@launch_contract(domain=1, block=ONE)
def unrolled(y: SliceMut[i32], n: i32) -> None:
    total = 0
    for k in unroll(range(n)):
        total += k
    for k, w in unroll(enumerate(range(3), start=1)):
        total += k * w
    for a, b in unroll(zip((1, 2), (3, 4))):  # noqa: B905 - kernels know no `strict`
        total += a * b
    for k in unroll(reversed(range(4))):
        if k == 1:
            break
        total = total * 2 + k
    y[0] = total


def test_loops_that_cannot_be_unrolled_stay_loops() -> None:
    assert results(unrolled, np.int32, 1, 5) == [((10 + 8 + 11) * 2 + 3) * 2 + 2]
    assert ops(unrolled).count("for") == 1
    warnings = lower(unrolled.definition, Specialisation(), CodegenOptions()).warnings
    assert [(one.code, one.severity) for one in warnings] == [("OX9002", "warning")]
    assert "known only at run time" in warnings[0].message


def test_too_many_rounds_are_not_written_out() -> None:
    one = compiled("for k in unroll(range(5000)):\n    y[k] = f", unroll=unroll)
    (warning,) = lower(one.definition, Specialisation(), CodegenOptions()).warnings
    assert (warning.code, "5000 rounds" in warning.message) == ("OX9002", True)
    assert [op.name for op in lowered(one).kernel.body.walk()].count("store") == 1


def test_an_unbound_type_variable() -> None:
    assert refused(compiled("y[0] = f32(B(1))", B=B)).code == "OX0282"


def test_maths_functions_that_are_not_there_yet_are_refused() -> None:
    found = refused(compiled("y[0] = math.fast.nothing(f)", math=math))
    assert found.code == "OX0425"


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def library_maths(y: SliceMut[f32], x: Slice[f32]) -> None:
    y[thread.idx.x] = block.reduce_max(math.exp(x[thread.idx.x]))


def test_maths_is_called_between_barriers() -> None:
    x = np.linspace(-1, 1, 32).astype(np.float32)
    found = results(library_maths, np.float32, 32, x)
    assert len(set(found)) == 1 and abs(found[0] - python_math.e) < 1e-6
    assert [op.name for op in every(library_maths)].count("call") == 1
