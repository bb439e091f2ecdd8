"""Decorators store what they say, in any order, and refuse a malformed contract where it stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from oxidepy import CompileError, cluster_launch, cooperative_launch, f32, f64, i64, launch_bounds, launch_contract, struct, u8
from oxidepy.lang.decorators import merge, pending_of
from oxidepy.lang.definition import Contract, KernelDef
from oxidepy.lang.structs import layout_of, struct_dtype


def test_on_a_plain_function_they_wait_for_the_kernel():
    @launch_bounds(128, min_blocks=2)
    @launch_contract(domain=2, block=(16, 8), coordinates=i64, dynamic_shared=(0, 1024), min_compute_capability=(9, 0))
    @cluster_launch(2)
    @cooperative_launch
    def function():
        pass

    assert function() is None
    definition = KernelDef(function, "function")
    merge(definition, pending_of(function))
    assert definition.contract == Contract(2, (16, 8, 1), "i64", (0, 1024), (9, 0)) and definition.contracted
    assert (definition.launch_bounds, definition.cluster, definition.cooperative) == ((128, 2), (2, 1, 1), True)


def test_above_the_kernel_they_update_its_definition():
    class Kernel:
        def __init__(self, function):
            self.definition = KernelDef(function, "k")

        def __call__(self):
            raise AssertionError("a decorator called the kernel")

    kernel = launch_contract(domain=1, block=64)(launch_bounds(64)(cooperative_launch()(Kernel(lambda: None))))
    assert isinstance(kernel, Kernel)
    assert kernel.definition.contract == Contract(1, (64, 1, 1)) and kernel.definition.contracted
    assert kernel.definition.launch_bounds == (64, 0) and kernel.definition.cooperative
    with pytest.raises(CompileError, match="twice"):
        launch_bounds(32)(kernel)


def test_a_staticmethod_is_looked_through():
    function = launch_bounds(64)(staticmethod(test_a_staticmethod_is_looked_through.__class__(compile("0", "", "eval"), {})))
    assert isinstance(function, staticmethod) and pending_of(function.__func__) == {"launch_bounds": (64, 0)}


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: launch_contract(domain=4, block=1), "domain"),
        (lambda: launch_contract(domain=True, block=1), "domain"),
        (lambda: launch_contract(domain=1, block=(0, 1, 1)), "block"),
        (lambda: launch_contract(domain=1, block=(1, 1, 1, 1)), "block"),
        (lambda: launch_contract(domain=1, block="256"), "block"),
        (lambda: launch_contract(domain=1, block=(16, 16, 1)), "y = 16"),
        (lambda: launch_contract(domain=2, block=(16, 16, 2)), "z = 2"),
        (lambda: launch_contract(domain=1, block=1, coordinates=f32), "coordinates"),
        (lambda: launch_contract(domain=1, block=1, coordinates=int), "coordinates"),
        (lambda: launch_contract(domain=1, block=1, dynamic_shared=-1), "dynamic_shared"),
        (lambda: launch_contract(domain=1, block=1, dynamic_shared=(2, 1)), "dynamic_shared"),
        (lambda: launch_contract(domain=1, block=1, min_compute_capability=9.0), "min_compute_capability"),
        (lambda: launch_bounds(0), "max_threads"),
        (lambda: launch_bounds(1, -1), "min_blocks"),
        (lambda: cluster_launch(0), "`x`"),
        (lambda: launch_bounds(1)(launch_bounds(2)(lambda: None)), "twice"),
    ],
)
def test_malformed(make, part):
    with pytest.raises(CompileError) as caught:
        make()
    (found,) = caught.value.diagnostics
    assert found.code == "OX2001" and part in found.message and found.help
    assert found.span is not None and found.span.file == __file__ and found.span.line == make.__code__.co_firstlineno


@struct
@dataclass(frozen=True)
class Inner:
    a: u8
    b: f64


@struct
@dataclass(frozen=True)
class Outer:
    flag: bool
    inner: Inner
    last: f32


def test_a_struct_has_the_layout_of_c():
    layout = layout_of(Outer)
    assert layout is not None and layout is layout_of(Outer)
    assert (layout.size, layout.align) == (32, 8)
    assert [(path, str(scalar), offset) for path, scalar, offset in layout.leaves()] == [
        ("flag", "bool", 0), ("inner.a", "u8", 8), ("inner.b", "f64", 16), ("last", "f32", 24),
    ]  # fmt: skip


def test_numpy_sees_the_same_struct():
    layout = layout_of(Outer)
    assert layout is not None
    dtype = struct_dtype(layout)
    assert dtype.itemsize == 32 and dtype["inner"].fields["b"] == (np.dtype("f8"), 8) and dtype.fields["last"][1] == 24


def test_a_struct_class_of_the_enclosing_function_and_a_later_one():
    @struct
    @dataclass(frozen=True)
    class First:
        second: Second
        own: Outer

    @struct
    @dataclass(frozen=True)
    class Second:
        x: f32

    with pytest.raises(CompileError, match="Second"):  # it was not there when `First` was decorated
        layout_of(First)
    with pytest.raises(CompileError, match="contains itself"):
        layout_of(Endless)


def test_what_is_no_struct():
    @dataclass(frozen=True)
    class Plain:
        x: f32

    class Child(Outer):
        pass

    assert layout_of(Plain) is None and layout_of(Child) is None and layout_of(3) is None
    with pytest.raises(CompileError) as caught:
        struct(dataclass(Plain.__class__("Open", (), {"__annotations__": {"x": f32}})))
    assert caught.value.code == "OX1002" and "not frozen" in caught.value.diagnostic.message
    with pytest.raises(CompileError, match="no dataclass"):
        struct(type("Bare", (), {}))
    with pytest.raises(CompileError, match="no dataclass"):
        struct(Child)
    with pytest.raises(CompileError, match="no fields"):
        layout_of(struct(dataclass(frozen=True)(type("Empty", (), {}))))


@struct
@dataclass(frozen=True)
class Endless:
    again: Endless


@struct
@dataclass(frozen=True)
class Wrong:
    n: int


def test_a_field_without_width():
    with pytest.raises(CompileError) as caught:
        layout_of(Wrong)
    (found,) = caught.value.diagnostics
    assert (found.code, found.help) == ("OX1002", "write `i32` or `i64`") and "`n`" in found.message
