"""Functions of the table of signatures: every one has its declaration, its body for each type, and becomes PTX that ptxas takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from backend.assembler import assemble
from frontend.running import refused
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import DisjointSlice, SliceMut, f32, f64, kernel, thread
from oxidepy.frontend.further import SIGNATURES
from oxidepy.frontend.library import written
from oxidepy.ir.types import F64

NAMED = [one for one in SIGNATURES if not one.startswith("math.fast.") and one[-3:] not in ("_rz", "_rd", "_ru")]


def declared(name: str) -> Any:
    found: Any = ox.math
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", SIGNATURES)
def test_every_row_is_declared_and_written(name: str) -> None:
    row = SIGNATURES[name]
    assert declared(name).__oxidepy__ == name and declared(name).__doc__
    for scalar in row.types:
        assert callable(written(row.module, f"{row.function}_{scalar}"))


def all_of(group: list[str], T: Any) -> Any:
    """A kernel for each group, so that each function is compiled once and not once a kernel."""
    functions = [(declared(name), SIGNATURES[name]) for name in group]

    def chain(x: Any) -> Any:
        return x

    for function, row in functions:
        chain = linked(chain, function, row, T)

    @kernel
    def apply(y: DisjointSlice[T]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = chain(y[idx])

    return apply


def linked(before: Callable[..., Any], function: Callable[..., Any], row: Any, T: Any) -> Callable[..., Any]:
    def one(x: Any) -> Any:
        return T(function(before(x)))

    def two(x: Any) -> Any:
        value = before(x)
        return T(function(value, value))

    def three(x: Any) -> Any:
        value = before(x)
        return T(function(value, value, value))

    def four(x: Any) -> Any:
        value = before(x)
        return T(function(value, value, value, value))

    def scaled(x: Any) -> Any:
        return T(function(before(x), 3))

    def ordered(x: Any) -> Any:
        return T(function(3, before(x)))

    def parted(x: Any) -> Any:
        first, _ = function(before(x))
        return T(first)

    def parted_of_two(x: Any) -> Any:
        first, _ = function(before(x), x)
        return T(first)

    if row.params == ("T", "i32"):
        return scaled
    if row.params == ("i32", "T"):
        return ordered
    if row.function in ("frexp", "modf", "sincospi", "remquo"):
        return parted_of_two if row.function == "remquo" else parted
    return (one, two, three, four)[len(row.params) - 1]


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_all_assemble(arch: str) -> None:
    T = f32 if arch in ("sm_90a", "sm_120a") else f64
    for begin in range(0, len(NAMED), 6):
        assert "Used" in assemble(all_of(NAMED[begin : begin + 6], T).ptx(arch), arch)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("a = math.ldexp(f, f)", "`i32` and `f32`"),
        ("a = math.jn(f, f)", "`i32` and `f32`"),
        ("a = math.erfinv(n)", "is for floats, and this is `i32`"),
        ("a = math.nextafter(f, f64(f))", "`f32` and `f64`"),
        ("a = math.norm3d(f, f)", "takes 3 arguments"),
        ("a = math.add_rz(n, n)", "is for `f32` and `f64`, and this is `i32`"),
    ],
)
def test_what_is_refused(body: str, part: str) -> None:
    found = refused(compiled(body, math=ox.math, f64=f64))
    assert (found.code, part in found.message) == ("OX0308", True), (found.code, found.message)


def test_literals_alone_take_the_type_of_the_result() -> None:
    @kernel
    def alone(y: SliceMut[f64], z: SliceMut[f32]) -> None:
        y[0] = ox.math.erfinv(0.5)
        z[0] = ox.math.erfinv(0.5)
        first, second = ox.math.modf(1.5)
        z[1] = first + second

    from frontend.running import every

    called = [op.attrs["callee"] for op in every(alone) if op.name == "call"]
    assert called == ["erfinv_f64", "erfinv_f32", "modf_f32"]
    assert F64 in SIGNATURES["math.erfinv"].types
