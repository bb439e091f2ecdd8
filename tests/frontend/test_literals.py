"""Types: operands agree, literals adopt, names bound to literals are i32 or f32, and what does not fit is said."""

# pyright: basic
# ruff: noqa: RUF034 - kernels with mistakes, and loops as people write them
from __future__ import annotations

import math as standard
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
from frontend.running import findings, refused, results, run

from oxidepy import DisjointSlice, Slice, SliceMut, f32, f64, i8, i16, i32, i64, kernel, launch_contract, thread, u8, u32, u64
from oxidepy.lang.definition import FunctionArg, Specialisation

N = 3
HALF = 0.5
BIG = 1 << 40
NP_SCALE = np.float32(2.5)
ONE = (1, 1, 1)
T = TypeVar("T", f32, f64, i32, i64)


@kernel
@launch_contract(domain=1, block=ONE)
def adopts(y: SliceMut[i64], a: i64) -> None:
    y[0] = a + 1
    y[1] = 1 - a
    y[2] = 7
    y[3] = a if a > 2 else 5
    y[4] = min(a, 100)
    y[5] = N + a * N


def test_a_literal_takes_the_type_of_what_it_meets() -> None:
    assert results(adopts, np.int64, 6, 1 << 33) == [(1 << 33) + 1, 1 - (1 << 33), 7, 1 << 33, 100, 3 + 3 * (1 << 33)]


@kernel
@launch_contract(domain=1, block=ONE)
def alone(y: SliceMut[i64]) -> None:
    one = 1
    y[0] = one


@kernel
@launch_contract(domain=1, block=ONE)
def alone_float(y: SliceMut[f64]) -> None:
    half = 0.5
    y[0] = half


@pytest.mark.parametrize(("which", "wanted", "got"), [(alone, "i64", "i32"), (alone_float, "f64", "f32")])
def test_a_name_bound_to_a_literal_alone_is_i32_or_f32(which: object, wanted: str, got: str) -> None:
    found = refused(which)
    assert (found.code, found.message) == ("OX0308", f"mismatched types: `{wanted}` and `{got}`")
    assert found.help is not None and f"`{wanted}(" in found.help


@kernel
@launch_contract(domain=1, block=ONE)
def branches(y: SliceMut[i64], a: i64, n: i32) -> None:
    if n == 0:
        x = a
    elif n == 1:
        x = 1
    else:
        x = 0
    z = 0
    if n == 2:
        z = a
    y[0] = x
    y[1] = z
    y[2] = a if n == 0 else 4 if n == 1 else 5


@pytest.mark.parametrize(("n", "wanted"), [(0, [9, 0, 9]), (1, [1, 0, 4]), (2, [0, 9, 5])])
def test_where_branches_meet_a_literal_takes_the_other_type(n: int, wanted: list[int]) -> None:
    assert results(branches, np.int64, 3, 9, n) == wanted


@kernel
@launch_contract(domain=1, block=ONE)
def rounds(y: SliceMut[f64], x: Slice[f64]) -> None:
    total = 0.0
    first, second = 0, 1.0
    for i in range(len(x)):
        total += x[i]
        second = x[i]
        first = first + 1
    y[0] = total
    y[1] = second
    y[2] = f64(first)


def test_where_the_rounds_of_a_loop_meet_a_literal_takes_the_other_type() -> None:
    assert results(rounds, np.float64, 3, np.array([1.5, 2.25, 1e300])) == [1e300, 1e300, 3.0]


@kernel
@launch_contract(domain=1, block=ONE)
def int_to_float(y: SliceMut[f32], x: f32) -> None:
    y[0] = 2 * x
    y[1] = 3
    total = 0
    for _ in range(2):
        total = total + x
    y[2] = total


def test_an_int_literal_may_become_a_float() -> None:
    assert results(int_to_float, np.float32, 3, 0.5) == [1.0, 3.0, 1.0]


@kernel
@launch_contract(domain=1, block=ONE)
def float_to_int(y: SliceMut[i32], n: i32) -> None:
    y[0] = n + 0.5


@kernel
@launch_contract(domain=1, block=ONE)
def too_big(y: SliceMut[u8], n: u8) -> None:
    y[0] = n + 256


@kernel
@launch_contract(domain=1, block=ONE)
def negative_unsigned(y: SliceMut[u32]) -> None:
    y[0] = -1


@kernel
@launch_contract(domain=1, block=ONE)
def big_name(y: SliceMut[i64]) -> None:
    big = 1 << 40
    y[0] = i64(big)


@kernel
@launch_contract(domain=1, block=ONE)
def too_big_float(y: SliceMut[f32]) -> None:
    y[0] = 1e300


@pytest.mark.parametrize(
    ("which", "part"),
    [
        (float_to_int, "the float 0.5 does not become `i32` by itself"),
        (too_big, "256 does not fit `u8`, which goes from 0 to 255"),
        (negative_unsigned, "-1 does not fit `u32`"),
        (big_name, "1099511627776 does not fit `i32`"),
        (too_big_float, "1e+300 does not fit `f32`"),
    ],
)
def test_a_literal_that_does_not_fit_is_refused(which: object, part: str) -> None:
    found = refused(which)
    assert found.code == "OX0308"
    assert part in found.message


@kernel
@launch_contract(domain=1, block=ONE)
def module_numbers(y: SliceMut[f64], a: f64, n: i64, s: f32) -> None:
    y[0] = a * HALF + standard.pi
    y[1] = f64(n + BIG)
    y[2] = f64(s * NP_SCALE)


def test_numbers_of_the_module_are_literals_and_numpy_scalars_keep_their_type() -> None:
    assert results(module_numbers, np.float64, 3, 2.0, 1, 2.0) == [1 + standard.pi, float(1 + BIG), 5.0]


@kernel
@launch_contract(domain=1, block=ONE)
def numpy_scalar_differs(y: SliceMut[f64], a: f64) -> None:
    y[0] = a * NP_SCALE


def test_a_numpy_scalar_of_the_module_does_not_adopt() -> None:
    assert refused(numpy_scalar_differs).message == "mismatched types: `f64` and `f32`"


@kernel
@launch_contract(domain=1, block=ONE)
def infinities(y: SliceMut[f32], d: SliceMut[f64]) -> None:
    y[0] = float("inf")
    y[1] = -float("inf")
    y[2] = standard.inf
    d[0] = float("1e300")
    y[3] = float("nan")


def test_float_of_a_string_is_a_literal() -> None:
    d = np.zeros(1)
    out = np.zeros(4, np.float32)
    assert run(infinities, out, d) is None
    assert out[:3].tolist() == [standard.inf, -standard.inf, standard.inf]
    assert np.isnan(out[3]) and d[0] == 1e300


@kernel
@launch_contract(domain=1, block=ONE)
def mixed(y: SliceMut[i64], a: i64, b: i32, c: u64, d: f32, e: f64, flag: bool) -> None:
    y[0] = a + b
    y[0] = a * i64(c) + c
    y[0] = i64(d + e)
    y[0] = i64(b * d)
    y[0] = a + flag
    y[0] = a if a < b else a


def test_each_mixing_is_named_with_the_cast_to_write() -> None:
    found = findings(mixed)
    assert [one.code for one in found] == ["OX0308"] * 6
    assert [one.message.removeprefix("mismatched types: ") for one in found] == [
        "`i64` and `i32`",
        "`i64` and `u64`",
        "`f32` and `f64`",
        "`i32` and `f32`",
        "`i64` and `bool`",
        "`i64` and `i32`",
    ]
    assert [one.help for one in found[:5]] == [
        "convert one side: `i64(b)`",
        "convert one side: `i64(c)` or `u64(a * i64(c))`",
        "convert one side: `f64(d)`",
        "convert one side: `f32(b)`",
        "convert one side: `i64(flag)`",
    ]
    assert [label.text for label in found[0].labels] == ["this is `i64`", "this is `i32`"]


@kernel
@launch_contract(domain=1, block=ONE)
def integer_condition(y: SliceMut[i32], n: i32) -> None:
    if n:
        y[0] = 1
    while 1:
        y[0] = 2
    y[0] = 1 if n & 1 else 0
    if n > 0 and n:
        y[0] = 3


def test_an_integer_is_no_condition() -> None:
    found = findings(integer_condition)
    assert [one.code for one in found] == ["OX0308"] * 4
    assert found[0].help == "write what is meant: `n != 0`"


@kernel
@launch_contract(domain=1, block=ONE)
def bool_arithmetic(y: SliceMut[i32], p: bool, q: bool) -> None:
    y[0] = i32(p + q)
    y[1] = i32(-p)
    y[2] = i32(p < q)
    y[3] = i32(~p)


def test_bools_do_no_arithmetic() -> None:
    assert [one.code for one in findings(bool_arithmetic)] == ["OX0308"] * 4


@kernel
@launch_contract(domain=1, block=ONE)
def bool_bits(y: SliceMut[i32], p: bool, q: bool) -> None:
    y[0] = i32(p & q)
    y[1] = i32(p | q)
    y[2] = i32(p ^ q)
    y[3] = i32(p == q)
    y[4] = i32(not p)


@pytest.mark.parametrize(("p", "q"), [(False, True), (True, True), (True, False)])
def test_bools_have_bits_and_equality(p: bool, q: bool) -> None:
    assert results(bool_bits, np.int32, 5, p, q) == [p & q, p | q, p ^ q, p == q, not p]


@kernel
@launch_contract(domain=1, block=ONE)
def casts(y: SliceMut[i64], d: f64, n: i32, flag: bool) -> None:
    y[0] = i64(i8(n))
    y[1] = i64(u8(d))
    y[2] = i64(u32(n))
    y[3] = i64(flag)
    y[4] = i64(i16(70000.0))
    y[5] = i64(i32(True))
    y[6] = i64(u64(1 << 40))
    y[7] = i64(i32(2.9))
    y[8] = i64(f32(n) * 2.0)


def test_casts() -> None:
    assert results(casts, np.int64, 9, 300.7, -129, True) == [127, 255, (1 << 32) - 129, 1, 32767, 1, 1 << 40, 2, -258]


@kernel
@launch_contract(domain=1, block=ONE)
def annotated(y: SliceMut[f64]) -> None:
    x: f64 = 1
    k: i64 = 5
    y[0] = x
    y[1] = f64(k + (1 << 40))


def test_an_annotated_name_takes_its_type() -> None:
    assert results(annotated, np.float64, 2) == [1.0, 5.0 + (1 << 40)]


@kernel
@launch_contract(domain=1, block=ONE)
def annotated_wrongly(y: SliceMut[f64], s: f32) -> None:
    x: f64 = s
    y[0] = x


def test_an_annotation_is_checked() -> None:
    assert refused(annotated_wrongly).message == "mismatched types: `f64` and `f32`"


@kernel
@launch_contract(domain=1, block=(4, 1, 1))
def apply(f: Callable[[T], T], x: Slice[T], y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])


@pytest.mark.parametrize(("scalar", "dtype"), [("f32", np.float32), ("i32", np.int32), ("i64", np.int64), ("f64", np.float64)])
def test_a_captured_python_number_follows_the_literal_rule(scalar: str, dtype: type) -> None:
    from oxidepy.ir.types import SCALARS

    factor = 3
    given = FunctionArg(lambda v: v * factor + (factor - 1), (("factor", "int"),))
    specialisation = Specialisation(types=(("T", SCALARS[scalar]),), functions=(("f", given),))
    x, y = np.arange(4).astype(dtype), np.zeros(4, dtype)
    assert run(apply, None, x, y, specialisation=specialisation, captured={("f", "factor"): 3}) is None
    assert y.tolist() == (x * 3 + 2).tolist()


def test_a_captured_numpy_scalar_keeps_its_type() -> None:
    from oxidepy.ir.types import F64

    factor = np.float32(2)
    specialisation = Specialisation(types=(("T", F64),), functions=(("f", FunctionArg(lambda v: v * factor, (("factor", "f32"),))),))
    assert refused(apply, specialisation).message == "mismatched types: `f64` and `f32`"


def test_a_captured_float_does_not_become_an_integer() -> None:
    from oxidepy.ir.types import I32

    factor = 2.0
    specialisation = Specialisation(types=(("T", I32),), functions=(("f", FunctionArg(lambda v: v * factor, (("factor", "float"),))),))
    assert "a Python float does not become `i32` by itself" in refused(apply, specialisation).message


def test_a_capture_is_one_parameter_for_each_type_it_is_used_in() -> None:
    @kernel
    @launch_contract(domain=1, block=ONE)
    def both(f: Callable[[f32], f32], y: SliceMut[f32], z: SliceMut[f64]) -> None:
        y[0] = f(y[0])
        z[0] = z[0] + f64(f(1.0))

    k = 2
    from frontend.running import lowered

    specialisation = Specialisation(functions=(("f", FunctionArg(lambda v: f32(f64(v) * k) + k, (("k", "int"),))),))
    module = lowered(both, specialisation)
    assert [(info.source, info.path, str(param.type)) for param, info in zip(module.kernel.params, module.kernel.infos, strict=True)][
        :2
    ] == [
        ("f", "k", "f32"),
        ("f", "k", "f64"),
    ]


@kernel
@launch_contract(domain=1, block=(1, 1, 1))
def bits_that_become_floats(y: SliceMut[f64], n: i32) -> None:
    y[0] = f64(~(1 if n > 2 else 5))
    y[1] = f64((3 if n > 2 else 5) & 6) + f64((3 if n > 2 else 5) << 2)
    y[2] = (7 if n > 2 else 5) >> 1


def test_bits_of_integers_chosen_at_run_time_become_floats() -> None:
    assert results(bits_that_become_floats, np.float64, 3, 3) == [-2.0, 14.0, 3.0]
    assert results(bits_that_become_floats, np.float64, 3, 0) == [-6.0, 24.0, 2.0]
