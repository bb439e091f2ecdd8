"""Helpers, lambdas, closures, generics, `math`, `bits`: what a kernel may call, and how errors in it are told."""

# pyright: basic
from __future__ import annotations

import math as standard
from collections.abc import Callable
from typing import Any, TypeVar

import frontend.helpers as module
import numpy as np
import pytest
from frontend.helpers import clamped, fails, outer, wrong
from frontend.running import every, findings, lowered, ops, refused, results, run, text

import oxidepy as ox
from oxidepy import (
    Const,
    DisjointSlice,
    Slice,
    SliceMut,
    bf16,
    bits,
    cdiv,
    f16,
    f32,
    f64,
    i32,
    i64,
    kernel,
    launch_contract,
    math,
    next_power_of_2,
    thread,
    u8,
    u32,
    u64,
)
from oxidepy.ir.types import I64, SCALARS
from oxidepy.lang.definition import FunctionArg, Specialisation

ONE = (1, 1, 1)
T = TypeVar("T", f32, f64, i32, i64)
U = TypeVar("U", f32, f64)


N = TypeVar("N", f64, u8)
W = TypeVar("W", bf16, f16)


def doubled(v: T) -> T:
    return v * T(2)


def half(v: U) -> U:
    return v * U(0.5)


def between(low: T, high: T, share: T) -> T:
    return low + (high - low) * share


def line(ab: tuple[T, T], x: T) -> T:
    return ab[0] * x + ab[1]


def one_more(v: N) -> N:
    return v + N(1)


@kernel
@launch_contract(domain=1, block=ONE)
def literals_say_types(y: SliceMut[f64], x: f64) -> None:
    def own(v: U, count: T) -> U:
        return v + U(f64(count))

    y[0] = f64(doubled(1.5)) + f64(doubled(4) // 3)  # f32, i32
    y[1] = f64(between(0, 1.5, 0.5))  # the float says it
    y[2] = line((1, 2), x)  # what has a type says it
    y[3] = one_more(0.1)  # the one that it can be
    y[4] = f64(half(3))  # no integer among them
    y[5] = f64(own(1.5, 3)) + own(x, 4)  # each call its own


def test_a_literal_alone_says_what_a_type_variable_stands_for() -> None:
    assert results(literals_say_types, np.float64, 6, 4.0) == [3 + 2, 0.75, 6, 1.1, 1.5, 4.5 + 8]


def wide(v: W) -> W:
    return v


@kernel
@launch_contract(domain=1, block=ONE)
def says_nothing(y: SliceMut[f64]) -> None:
    y[0] = f64(wide(1.5))


def test_a_literal_that_does_not_say_it() -> None:
    found = refused(says_nothing)
    assert (
        found.code == "OX0282"
        and "`1.5` alone does not say which of `bf16`, `f16`" in found.message
        and found.help == "say the type: `bf16(1.5)`"
    )


@kernel
@launch_contract(domain=1, block=ONE)
def calls(y: SliceMut[f32], x: Slice[f32], i: i32) -> None:
    y[0] = outer(x[0])
    y[1] = outer(x[0], 2)
    y[2] = outer(x[0], minus=i, scale=1)
    y[3] = module.outer(module.OFFSET)
    y[4] = clamped(x, i)
    y[5] = clamped(x, -i)
    y[6] = clamped(y, 1)


def test_helpers_with_keywords_and_defaults_through_imports() -> None:
    x = np.array([1, 2, 4], np.float32)
    assert results(calls, np.float32, 7, x, 2) == [7.5, 10, 3, 13.5, 4, 1, 10]


@kernel
@launch_contract(domain=1, block=ONE)
def bad_calls(y: SliceMut[f32], x: Slice[f32], n: i64) -> None:
    y[0] = outer()
    y[0] = outer(1.0, 2.0, 3)
    y[0] = outer(1.0, scael=2.0)
    y[0] = outer(1.0, 2.0, scale=2.0)
    y[0] = outer(n)
    y[0] = clamped(y[0], 1)
    y[0] = outer(*(1.0, 2.0))
    y[0] = x(1)


def test_calls_that_do_not_fit() -> None:
    found = findings(bad_calls)
    assert [one.code for one in found] == ["OX0308", "OX0308", "OX0425", "OX0308", "OX0308", "OX0308", "OX0658", "OX0308"]
    assert found[0].message == "the call of `outer` lacks the argument `x`"
    assert found[2].help == "did you mean `scale`?"
    assert found[4].label == "this is `i64`, parameter `x` of `outer` is `f32`"


@kernel
@launch_contract(domain=1, block=ONE)
def error_inside(y: SliceMut[f32], n: i32) -> None:
    y[0] = wrong(n)
    y[1] = wrong(n)


def test_an_error_in_a_helper_stands_there_and_names_the_call() -> None:
    found = findings(error_inside)
    assert found[0].span is not None and found[0].span.file.endswith("helpers.py")
    assert found[0].labels[-1].text == "`wrong` is called here"
    assert found[0].labels[-1].span.file == __file__
    assert len(found) == 1


@kernel
@launch_contract(domain=1, block=ONE)
def panics_inside(y: SliceMut[f32], x: Slice[f32]) -> None:
    y[0] = fails(x, 5)


def test_operations_of_a_helper_keep_its_lines() -> None:
    panic = run(panics_inside, np.zeros(1, np.float32), np.zeros(3, np.float32))
    assert panic is not None and panic.site.span is not None
    assert panic.site.span.file.endswith("helpers.py") and panic.site.span.line == fails.__code__.co_firstlineno + 1


def unannotated(x, k=2):
    if x > 0:
        return x * k
    return -x


def pair(x: T, y: T) -> tuple[T, T]:
    return y, x + 1


def nothing(y: SliceMut[f32], i: i32) -> None:
    if i == 0:
        return
    y[i] = 9.0


@kernel
@launch_contract(domain=1, block=ONE)
def kinds(y: SliceMut[f32], a: i64, x: f32) -> None:
    y[0] = f32(unannotated(i32(a)))
    y[1] = unannotated(x, 3.0)
    p, q = pair(a, 7)
    y[2] = f32(p * 100 + q)
    r, s = pair(1.5, x)
    y[3] = r + s
    nothing(y, 4)
    nothing(y, 0)


def test_helpers_without_annotations_with_typevars_and_without_result() -> None:
    assert results(kinds, np.float32, 5, 5, 2.0) == [10, 6, 706, 4.5, 9]


def mixed_results(x: f32, n: i32):
    if n == 0:
        return x
    return n


def partly(x: f32):
    if x > 0:
        return x


def promises(x: f32) -> f64:
    return x


@kernel
@launch_contract(domain=1, block=ONE)
def result_mistakes(y: SliceMut[f32], x: f32, n: i32) -> None:
    y[0] = mixed_results(x, n)
    y[1] = partly(x)
    y[2] = f32(promises(x))


def test_results_agree() -> None:
    found = findings(result_mistakes)
    assert [one.code for one in found] == ["OX0308"] * 3
    texts = sorted(one.message for one in found)
    assert "the results of this function become `f32` and `None`" in texts[1]
    assert "the results of this function become `f32` and `i32`" in texts[2]


@kernel
@launch_contract(domain=1, block=ONE)
def lambdas(y: SliceMut[f32], x: f32, k: i32) -> None:
    double = lambda v: v * 2.0 + f32(k)
    y[0] = double(x)
    y[1] = twice(double, x)
    y[2] = twice(lambda v: v - 1.0, x)
    y[3] = twice(math.sqrt, x)


def twice(f, x: f32) -> f32:
    return f(f(x))


def test_lambdas() -> None:
    assert results(lambdas, np.float32, 4, 16.0, 3) == [35, 73, 14, 2]


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def map_(f: Callable[[T], T], x: Slice[T], y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])


def test_a_function_argument_and_what_it_captures() -> None:
    def offset(v: i64) -> i64:
        return v + base

    base = np.int64(1 << 40)
    composed = lambda v: offset(offset(v))
    argument = FunctionArg(composed, ())
    x, y = np.arange(3), np.zeros(3, np.int64)
    assert run(map_, None, x, y, specialisation=Specialisation(types=(("T", I64),), functions=(("f", argument),))) is None
    assert y.tolist() == (x + (2 << 40)).tolist()


def test_a_generic_kernel_needs_its_types() -> None:
    assert refused(map_).code == "OX0282"


@kernel
@launch_contract(domain=1, block=ONE)
def compile_time(y: SliceMut[f64], n: Const[int], s: f64) -> None:
    for k in ox.unroll(range(n)):
        y[k] = s * n


def test_a_const_parameter_is_a_literal() -> None:
    out = np.zeros(4)
    assert run(compile_time, out, None, 1.5, specialisation=Specialisation(constants=(("n", 3),))) is None
    assert out.tolist() == [4.5, 4.5, 4.5, 0]


def make(scale: Any, add: Any) -> Any:
    def helper(v: f32) -> f32:
        return v * scale

    @kernel
    @launch_contract(domain=1, block=ONE)
    def scaled(y: SliceMut[f32], x: f32) -> None:
        y[0] = helper(x) + add

    return scaled


def test_what_a_kernel_closes_over_is_a_run_time_parameter() -> None:
    one = make(3, np.float32(0.5))
    module_ = lowered(one)
    tail = [
        (info.source, info.role, info.path, str(param.type))
        for param, info in zip(module_.kernel.params, module_.kernel.infos, strict=True)
    ][-2:]
    assert tail == [("", "scalar", "add", "f32"), ("", "scalar", "helper.scale", "f32")]
    assert text(one) == text(make(4, np.float32(7)))
    out = np.zeros(1, np.float32)
    assert run(one, out, 2.0, captured={("", "add"): 0.5, ("", "helper.scale"): 3.0}) is None
    assert out[0] == 6.5


# ---- math and bits


@kernel
@launch_contract(domain=1, block=ONE)
def maths(y: SliceMut[f64], x: f64, z: f64) -> None:
    y[0] = math.sqrt(x)
    y[1] = math.floor(z)
    y[2] = standard.ceil(z)
    y[3] = np.trunc(z)
    y[4] = math.fma(x, z, 1.0)
    y[5] = standard.copysign(x, z)
    y[6] = standard.fabs(z)
    y[7] = np.rint(z)
    y[8] = math.fmin(x, z) + math.fmax(x, 0)
    y[9] = f64(math.isnan(z)) + f64(np.isinf(z)) + 4 * f64(standard.isfinite(z))
    y[10] = ox.math.exp(z)
    y[11] = np.exp(0.0)
    y[12] = math.floor(2.5) + x


def test_math() -> None:
    x, z = 6.25, -2.5
    wanted = [2.5, -3, -2, -2, x * z + 1, -6.25, 2.5, -2, z + x, 4, math_exp(z), 1, 8.25]
    got = results(maths, np.float64, 13, x, z)
    assert got[:10] == wanted[:10] and got[11:] == wanted[11:]
    assert abs(got[10] - wanted[10]) <= 2 * standard.ulp(wanted[10])


def math_exp(x: float) -> float:
    return standard.exp(x)


@kernel
@launch_contract(domain=1, block=ONE)
def exps(y: SliceMut[f32], x: f32) -> None:
    y[0] = math.exp(x) + math.exp(2.0 * x)


def test_a_function_of_the_library_is_lowered_once_and_not_changed_by_options() -> None:
    functions = lowered(exps).functions
    assert list(functions) == ["exp_f32"]
    assert [op.name for op in functions["exp_f32"].body.walk()] == [
        op.name for op in lowered(exps, fmad=False).functions["exp_f32"].body.walk()
    ]
    assert {op.span.file.rpartition("/")[2] for op in functions["exp_f32"].body.walk() if op.span} == {"exp.py"}


@kernel
@launch_contract(domain=1, block=ONE)
def maths_mistakes(y: SliceMut[f32], n: i32, x: f32, d: f64) -> None:
    y[0] = math.sqrt(n)
    y[0] = math.fma(x, d, x)
    y[0] = standard.perm(n, n)
    y[0] = math.sqroot(x)
    y[0] = standard.gcd(n, n)
    y[0] = np.linalg.norm(x)
    y[0] = math.sqrt(x, x)
    y[0] = standard.sqqrt(x)
    y[0] = f32(math.fabs(n))


def test_mistakes_with_math() -> None:
    found = findings(maths_mistakes)
    assert [one.code for one in found] == ["OX0308", "OX0308", "OX0658", "OX0425", "OX0658", "OX0658", "OX0308", "OX0425", "OX0308"]
    assert found[0].help == "convert it: `f32(n)`"
    assert "`math.perm` is not supported in kernels" in found[2].message
    assert found[3].help == "did you mean `math.sqrt`?"
    assert "numpy.linalg.norm" in found[5].message


@kernel
@launch_contract(domain=1, block=ONE)
def bit_functions(y: SliceMut[u64], a: u32, b: u64, c: u8, x: f32) -> None:
    y[0] = u64(bits.popcount(a))
    y[1] = u64(bits.clz(c))
    y[2] = bits.ctz(b)
    y[3] = u64(bits.brev(c))
    y[4] = bits.mul_hi(b, b)
    y[5] = u64(bits.cast(u32, x))
    y[6] = u64(cdiv(a, 7)) + u64(next_power_of_2(a))
    y[7] = u64(next_power_of_2(c))


def test_bits() -> None:
    a, b, c = 1000, (1 << 63) + 8, 5
    wanted = [6, 5, 3, 0xA0, (b * b) >> 64, 0x3FC00000, 143 + 1024, 8]
    assert results(bit_functions, np.uint64, 8, a, b, c, 1.5) == wanted


@kernel
@launch_contract(domain=1, block=ONE)
def cdiv_signed(y: SliceMut[i32], a: i32, b: i32) -> None:
    y[0] = cdiv(a, b)


@pytest.mark.parametrize(("a", "b"), [(-36, 5), (36, 5), (36, -5), (-35, 5), (0, 3)])
def test_cdiv_rounds_up(a: int, b: int) -> None:
    assert results(cdiv_signed, np.int32, 1, a, b) == [-(-a // b)]


def test_helpers_leave_no_scope_where_they_return_once() -> None:
    assert "scope" not in ops(panics_inside)
    assert [op.name for op in every(calls)].count("scope") == 3


def loosely(value: Any, other: object, place: int) -> Any:
    return value + place if other is not None else value


@kernel
def loose(out: SliceMut[i32], n: i32) -> None:
    def inside(value: Any, other: object = None) -> Any:
        said: Any = value * 2
        return said + 1

    out[0] = loosely(n, n, 3)
    out[1] = inside(n)


def test_any_and_object_leave_the_type_to_the_argument() -> None:
    assert results(loose, np.int32, 2, 5) == [8, 11]


B = TypeVar("B", bound=f32 | f64)
C = TypeVar("C", bound="i64 | u8")


def times(a: B, b: C) -> B:
    return a * B(b)


@kernel
@launch_contract(domain=1, block=ONE)
def bounded(y: SliceMut[B], x: Slice[C]) -> None:
    y[0] = times(y[0], x[0]) + B(times(f32(0.5), i64(3)))


@pytest.mark.parametrize(("real", "whole"), [("f32", "i64"), ("f64", "u8")])
def test_type_variables_bound_to_some_types(real: str, whole: str) -> None:
    y, x = np.full(1, 2.5, {"f32": np.float32, "f64": np.float64}[real]), np.full(1, 3, {"i64": np.int64, "u8": np.uint8}[whole])
    types = (("B", SCALARS[real]), ("C", SCALARS[whole]))
    assert run(bounded, y, x, specialisation=Specialisation(types=types)) is None
    assert y.tolist() == [9.0]
