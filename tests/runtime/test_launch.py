"""Launches: arguments, borrows, requirements, configurations, inference; each coded error once, on every device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    BorrowError,
    Const,
    DeviceBuffer,
    DisjointSlice,
    LaunchConfig,
    LaunchConfig1D,
    LaunchConfig2D,
    LaunchError,
    Slice,
    SliceMut,
    f32,
    f64,
    i32,
    i64,
    kernel,
    launch_bounds,
    launch_contract,
    require,
    struct,
    thread,
    u8,
    unsafe,
)
from oxidepy.lang.index import D2, Index2D

T = TypeVar("T", f32, i32)


@struct
@dataclass(frozen=True)
class Params:
    scale: f32
    shift: i32
    on: bool


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def axpb(x: Slice[f32], y: DisjointSlice[f32], a: f32 = 2.0, b: i32 = 0) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = a * x[idx] + f32(b)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def two(x: Slice[f32], y: DisjointSlice[f32], z: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in z:
        y[idx] = x[idx]
        z[idx] = x[idx] + 1.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def scalars(y: DisjointSlice[f64], a: u8, b: i64, c: bool, d: f32, e: f64, p: Params, t: tuple[f32, i32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        total = f64(a) + f64(b) + f64(d) + e + f64(p.scale) + f64(p.shift) + f64(t[0]) + f64(t[1])
        if c and p.on:
            total = -total
        y[idx] = total


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def needs(x: Slice[f32], y: DisjointSlice[f32], m: i32, k: i32) -> None:
    require(len(x) == m * k, k > 0)
    require(len(x) % k == 0)
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f32(m)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def generic(x: Slice[T], y: DisjointSlice[T], by: T) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx] + by


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def apply(f: Callable[[T], T], x: Slice[T], y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def repeated(y: DisjointSlice[i32], n: Const[int]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = n


@kernel
@launch_contract(domain=2, block=(16, 4, 1))
def plane(y: DisjointSlice[f32, Index2D[50]], by: f32) -> None:
    idx = thread.index_2d(50)
    if idx in y:
        y[idx] = f32(idx.row) * by + f32(idx.col)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def grown(y: SliceMut[f32], x: Slice[f32]) -> None:
    i = thread.index_1d().get()
    if i < len(y):
        y[i] = x[i]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def matrix(x: Slice[f32, D2], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx.get(), 0]


@kernel
def plain(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = 1.0


def buffers(stream, *lengths):
    return [DeviceBuffer.from_host(stream, np.arange(n, dtype=np.float32)) for n in lengths]


def test_prepared_and_inferred_launches(ctx, stream):
    x, y = buffers(stream, 100, 100)
    prepared = axpb.prepare(ctx, LaunchConfig1D.for_num_elems(100, block=64))
    prepared(stream, x, y, 3.0, 1)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(100, dtype=np.float32) * 3 + 1)
    axpb.prepare(ctx, 100)(stream, x, y, b=5)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(100, dtype=np.float32) * 2 + 5)
    axpb.launch(stream, x=x, y=y, a=1)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(100, dtype=np.float32))
    assert prepared.attributes is not None and prepared.attributes.occupancy > 0


def test_scalars_structs_and_tuples(stream):
    y = DeviceBuffer.zeros(stream, 3, f64)
    for p, t, c, sign in ((Params(1.0, 2, True), (3.0, 4), True, -1), (Params(scale=1, shift=2, on=False), (3, 4), True, 1)):
        for _ in range(2):  # the second time goes the quick way
            scalars.launch(stream, y, 200, 1 << 40, c, 0.5, 1e300 if sign < 0 else 0.25, p, t)
            wanted = 200 + float(1 << 40) + 0.5 + (1e300 if sign < 0 else 0.25) + 1 + 2 + 3 + 4
            np.testing.assert_array_equal(y.to_host(stream), np.full(3, sign * wanted))
    numbers = (
        np.uint8(1),
        np.int64(2),
        np.bool_(False),
        np.float32(3),
        np.float64(4),
        Params(np.float32(0), 0, False),
        (np.float32(0), np.int32(0)),
    )
    for _ in range(2):
        scalars.launch(stream, y, *numbers)
        np.testing.assert_array_equal(y.to_host(stream), np.full(3, 10.0))


@pytest.mark.parametrize(
    ("place", "value", "text"),
    [
        (1, 256, "`a` of `scalars` wants u8, got int 256, outside of 0 … 255"),
        (1, -1, "got int -1"),
        (1, 1.0, "got float 1.0"),
        (1, True, "got bool True"),
        (1, np.int32(1), r"got numpy.int32\(1\)(.|\n)*np.uint8\(1\)"),
        (1, "1", "got str '1'"),
        (1, None, "got NoneType None"),
        (1, np.zeros(1, np.uint8), r"got ndarray of shape \(1,\)"),
        (2, 1 << 63, "outside of"),
        (3, 1, "wants bool, got int 1"),
        (4, 1e39, "outside of"),
        (4, False, "got bool False"),
        (4, np.float64(1), r"wants f32, got numpy.float64"),
        (5, 10**400, "outside of"),
        (5, np.float32(1), "wants f64"),
        (6, (1.0, 2, True), "wants struct Params, got tuple"),
        (6, Params(1.0, 2.5, True), r"got `.shift` \(i32\) = float 2.5"),
        (7, (1.0,), r"wants tuple\[f32, i32\], got a tuple of 1"),
        (7, [1.0, 2], "got a value of type list"),
        (7, (1.0, 2.0), r"`t\[1\]` of `scalars` wants i32, got float 2.0"),
    ],
)
def test_scalars_that_do_not_fit(stream, place, value, text):
    y = DeviceBuffer.zeros(stream, 3, f64)
    args = [y, 1, 1, True, 1.0, 1.0, Params(1.0, 1, True), (1.0, 1)]
    scalars.launch(stream, *args)
    args[place] = value
    with pytest.raises(LaunchError, match=text) as caught:
        scalars.launch(stream, *args)
    assert caught.value.code == "OX2007" and caught.value.diagnostic.help
    assert caught.value.diagnostic.span is not None and caught.value.diagnostic.span.file == __file__


def _misfits(stream):
    other = ox.Context("interp" if stream.context.kind == "cpu" else "cpu").default_stream()
    released = DeviceBuffer.zeros(stream, 4, f32)
    released.free(stream)
    return {
        "a NumPy array of f32": np.zeros(4, np.float32),
        "a buffer of f64": DeviceBuffer.zeros(stream, 4, f64),
        "a buffer of 2 axes": DeviceBuffer.zeros(stream, (2, 2), f32),
        "released": released,
        "a buffer on ": DeviceBuffer.zeros(other, 4, f32),
        "a value of type list": [1.0],
        "got None": None,
        "a value of type float": 1.0,
    }


@pytest.mark.parametrize("which", range(8))
@pytest.mark.parametrize("place", [0, 1])
def test_buffers_that_do_not_fit(stream, which, place):
    text, value = list(_misfits(stream).items())[which]
    args = buffers(stream, 4, 4)
    args[place] = value
    name, kind = (("x", "Slice"), ("y", "DisjointSlice"))[place]
    with pytest.raises(LaunchError, match=text) as caught:
        axpb.launch(stream, *args)
    assert caught.value.code == "OX2007" and caught.value.diagnostic.help
    assert f"`{name}` of `axpb` wants {kind}[f32]" in str(caught.value)
    with pytest.raises(LaunchError, match=text):
        axpb.prepare(stream.context, 4)(stream, *args)


def test_read_only_memory_is_no_output(monkeypatch):
    monkeypatch.setenv("OXIDEPY_DEVICE", "cpu")
    stream = ox.Context().default_stream()
    array = np.arange(4, dtype=np.float32)
    array.setflags(write=False)
    frozen, y = ox.as_buffer(array), DeviceBuffer.zeros(stream, 4, f32)
    for _ in range(2):
        axpb.launch(stream, frozen, y)
    with pytest.raises(LaunchError, match=r"`y` of `axpb` wants DisjointSlice.*read-only"):
        axpb.launch(stream, y, frozen)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda s, x, y: axpb.launch(s, x), "`axpb` lacks `y`"),
        (lambda s, x, y: axpb.launch(s, x, y, 1.0, 1, 5), "`axpb` takes 4 arguments, got 5"),
        (lambda s, x, y: axpb.launch(s, x, y, aa=1.0), "no parameter `aa`(.|\n)*did you mean `a`"),
        (lambda s, x, y: axpb.launch(s, x, y, x=x), "`x` of `axpb` was given twice"),
        (lambda s, x, y: axpb.launch(x, y), "the stream comes first, and DeviceBuffer is none"),
        (lambda s, x, y: axpb.prepare(s, 4), "takes a Context first, got Stream"),
        (lambda s, x, y: axpb.prepare(s.context, "4"), "got str"),
    ],
)
def test_names_and_places(stream, call, text):
    with pytest.raises(LaunchError, match=text) as caught:
        call(stream, *buffers(stream, 4, 4))
    assert caught.value.code == "OX2007"


def test_borrows(ctx, stream):
    x, y = buffers(stream, 128, 128)
    for _ in range(2):
        two.launch(stream, x, y[:64], y[64:])
    with pytest.raises(BorrowError, match="`y` of `two` is exclusive and overlaps `x`") as caught:
        two.launch(stream, x, x, y)
    assert caught.value.code == "OX0502"
    with pytest.raises(BorrowError, match="`y` and `z` of `two` overlap, and both are exclusive") as caught:
        two.launch(stream, x, y, y)
    assert caught.value.code == "OX0499"
    with pytest.raises(BorrowError):
        two.launch(stream, x[:65], x[64:], y[:64])
    prepared = two.prepare(ctx, 64)
    prepared(stream, x, y[:64], y[64:])
    with pytest.raises(BorrowError):
        prepared(stream, x, y[:64], y[63:])
    two.launch(stream, x[:0], x[:0], x[:0])  # nothing overlaps with nothing


def test_requirements(ctx, stream):
    x, y = buffers(stream, 12, 4)
    prepared = needs.prepare(ctx, 4)
    for _ in range(2):
        prepared(stream, x, y, 3, 4)
    with pytest.raises(LaunchError, match=r"`needs` requires .*(.|\n)*it is 12 == 15(.|\n)*len\(x\) = 12, m = 3, k = 5") as caught:
        prepared(stream, x, y, 3, 5)
    assert caught.value.code == "OX2005"
    with pytest.raises(LaunchError, match="it is -1 > 0"):
        prepared(stream, x, y, -12, -1)
    with pytest.raises(LaunchError, match="OX2005"):
        prepared(stream, x[:0], y, 5, 0)
    with pytest.raises(LaunchError, match="OX2005"):  # exact integers: the i32 product would wrap around to 12
        prepared(stream, x, y, (1 << 30) + 3, 4)
    with pytest.raises(LaunchError, match="OX2005"):  # a launch of nothing still checks
        needs.prepare(ctx, 0)(stream, x, y, 3, 5)


def test_nothing_to_do(ctx, stream):
    x, y = buffers(stream, 4, 4)
    prepared = axpb.prepare(ctx, LaunchConfig1D.for_num_elems(0, block=64))
    prepared(stream, x, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(4, dtype=np.float32))
    with pytest.raises(LaunchError, match="wants f32, got str"):
        prepared(stream, x, y, "a")
    axpb.launch(stream, x, y[:0])


CONFIGS = [
    (LaunchConfig2D((1, 1), (64, 1)), "OX2004", "has domain 1, got a LaunchConfig2D"),
    (LaunchConfig((1, 2, 1), (64, 1, 1)), "OX2004", "uses 2 axes"),
    (LaunchConfig1D(1, 128), "OX2002", "blocks of 64 x 1 x 1 threads, got 128 x 1 x 1"),
    (LaunchConfig1D(0, 64), "OX2003", "is 0 x 1 x 1; each axis needs at least 1"),
    (LaunchConfig1D(-1, 64), "OX2003", "each axis needs at least 1"),
    (LaunchConfig1D(1 << 25, 64), "OX2003", r"2147483648 threads along x; i32 coordinates allow 2147483647(.|\n)*coordinates=i64"),
]


@pytest.mark.parametrize(("config", "code", "text"), CONFIGS)
def test_configurations_that_are_refused(ctx, config, code, text):
    with pytest.raises(LaunchError, match=text) as caught:
        axpb.prepare(ctx, config)
    assert caught.value.code == code and caught.value.diagnostic.help


def test_limits_of_bounds_and_device(ctx):
    @kernel
    @launch_bounds(32)
    @launch_contract(domain=1, block=(64, 1, 1))
    def bounded(y: DisjointSlice[f32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = 1.0

    @kernel
    @launch_contract(domain=2, block=(64, 32, 1), coordinates=i64)
    def wide(y: SliceMut[f32]) -> None:
        y[0] = 1.0

    with pytest.raises(LaunchError, match="64 threads; its `launch_bounds` allow 32") as caught:
        bounded.prepare(ctx, 64)
    assert caught.value.code == "OX2003"
    with pytest.raises(LaunchError, match=r"have 2048 threads; .* allows 1024"):
        wide.prepare(ctx, LaunchConfig2D((1, 1), (64, 32)))
    with pytest.raises(LaunchError, match=r"65536 along y; .* allows 65535"):
        wide.prepare(ctx, LaunchConfig2D((1, 1 << 16), (64, 32)))
    with pytest.raises(LaunchError, match="a number of elements says one axis") as caught:
        wide.prepare(ctx, 5)
    assert caught.value.code == "OX2004"


def test_a_kernel_without_contract_has_blocks_of_256(ctx, stream):
    (y,) = buffers(stream, 300)
    plain.launch(stream, y)
    assert (y.to_host(stream) == 1).all()
    with pytest.raises(LaunchError, match="blocks of 256 x 1 x 1"):
        plain.prepare(ctx, LaunchConfig1D(1, 64))


def test_inference(stream):
    y = DeviceBuffer.zeros(stream, 50 * 7, f32)
    plane.launch(stream, y, 100.0)
    np.testing.assert_array_equal(y.to_host(stream).reshape(7, 50), np.arange(7)[:, None] * 100.0 + np.arange(50))
    rows = DeviceBuffer.zeros(stream, (7, 50), f32)  # rows of just that width
    plane.launch(stream, rows, 100.0)
    np.testing.assert_array_equal(rows.to_host(stream), np.arange(7)[:, None] * 100.0 + np.arange(50))
    with pytest.raises(LaunchError) as caught:
        plane.launch(stream, DeviceBuffer.zeros(stream, (7, 49), f32), 100.0)
    assert caught.value.code == "OX2007"
    x, a, b = buffers(stream, 8, 8, 9)
    for call, text in (
        (lambda: grown.launch(stream, a, x), "`y` is a SliceMut"),
        (lambda: two.launch(stream, x, a, b), "`y` has 8 elements and `z` has 9 elements"),
    ):
        with pytest.raises(LaunchError, match=text) as caught:
            call()
        assert caught.value.code == "OX2008" and ".prepare(ctx, ox.LaunchConfig1D.for_num_elems(n, block=64))" in str(caught.value)


def test_wrong_ways_to_launch(stream):
    x, y = buffers(stream, 4, 4)
    for call in (lambda: axpb(stream, x, y), lambda: axpb[1, 64](stream, x, y)):
        with pytest.raises(LaunchError, match=r"axpb.launch\(stream, x, y, a, b\)") as caught:
            call()
        assert caught.value.code == "OX2009"


def test_launch_unchecked_needs_unsafe(stream):
    x, y = buffers(stream, 100, 100)
    config = LaunchConfig((2, 1, 1), (64, 1, 1))
    with pytest.raises(LaunchError, match="needs an unsafe block") as caught:
        axpb.launch_unchecked(stream, config, x, y)
    assert caught.value.code == "OX0133"
    with unsafe("the two halves are written by nobody else"):
        axpb.launch_unchecked(stream, config, x, y)
        two.launch_unchecked(stream, config, x, y, y)
        with pytest.raises(LaunchError, match="OX2007"):
            axpb.launch_unchecked(stream, config, x, 1.0)
    with pytest.raises(BorrowError):  # the checked launch stays checked
        two.launch(stream, x, y, y)


def test_contexts_do_not_mix(stream):
    other = ox.Context("interp" if stream.context.kind == "cpu" else "cpu")
    x, y = buffers(stream, 4, 4)
    with pytest.raises(LaunchError, match="the stream belongs to") as caught:
        axpb.prepare(other, 4)(stream, x, y)
    assert caught.value.code == "OX2006"


def test_type_variables(stream):
    for dtype in (np.float32, np.int32):
        x = DeviceBuffer.from_host(stream, np.arange(70, dtype=dtype))
        y = DeviceBuffer.zeros(stream, 70, x.dtype)
        generic.launch(stream, x, y, dtype(3))
        np.testing.assert_array_equal(y.to_host(stream), np.arange(70, dtype=dtype) + dtype(3))
    ints, floats = DeviceBuffer.zeros(stream, 4, i32), DeviceBuffer.zeros(stream, 4, f32)
    with pytest.raises(LaunchError, match="`y` of `generic` wants i32, since `x` made T that type, got f32") as caught:
        generic.launch(stream, ints, floats, 1)
    assert caught.value.code == "OX2007"
    with pytest.raises(LaunchError, match="wants T, one of f32, i32, got f64"):
        generic.launch(stream, DeviceBuffer.zeros(stream, 4, f64), floats, 1.0)
    with pytest.raises(LaunchError, match="`by` of `generic` wants i32, got float"):
        generic.launch(stream, ints, DeviceBuffer.zeros(stream, 4, i32), 1.5)


def test_functions_compile_once_for_all_captured_values(stream):
    x = DeviceBuffer.from_host(stream, np.arange(70, dtype=np.float32))
    y = DeviceBuffer.zeros(stream, 70, f32)

    def scaled(by):
        return lambda v: v * by

    before = len(apply.loaded())
    for factor in (2.0, 3.0, -1.5, float("inf"), 4.0):
        apply.launch(stream, scaled(factor), x, y)
        np.testing.assert_array_equal(y.to_host(stream)[1:], np.arange(1, 70, dtype=np.float32) * np.float32(factor))
    assert len(apply.loaded()) == before + 1
    apply.launch(stream, scaled(np.float32(2.5)), x, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(70, dtype=np.float32) * np.float32(2.5))
    assert len(apply.loaded()) == before + 2  # another type is another variant
    apply.launch(stream, lambda v: v + 1.0, x, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(70, dtype=np.float32) + 1)
    for wrong, text in ((abs, "got a value of type builtin_function_or_method"), (axpb, "got a kernel"), (3, "a value of type int")):
        with pytest.raises(
            LaunchError,
            match=f"wants a function or a lambda, {text.removeprefix('got ') if text.startswith('got') else 'got ' + text}"
            if not text.startswith("got")
            else text,
        ):
            apply.launch(stream, wrong, x, y)


def test_captured_numbers_that_do_not_fit(stream):
    x = DeviceBuffer.from_host(stream, np.arange(4, dtype=np.int32))
    y = DeviceBuffer.zeros(stream, 4, i32)

    def shifted(by):
        return lambda v: v + by

    apply.launch(stream, shifted(5), x, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(5, 9))
    with pytest.raises(LaunchError, match="`by`, captured by `f` of `apply` wants i32, got int 1099511627776") as caught:
        apply.launch(stream, shifted(1 << 40), x, y)
    assert caught.value.code == "OX2007"


def test_compile_time_values(ctx, stream):
    y = DeviceBuffer.zeros(stream, 4, i32)
    for n in (3, 4, 3):
        repeated.launch(stream, y, n)
        assert (y.to_host(stream) == n).all()
    assert len([one for one in repeated.loaded() if one[0] is ctx]) == 2
    with pytest.raises(LaunchError, match=r"wants a compile-time int, got float 1\.5"):
        repeated.launch(stream, y, 1.5)


def test_rank(stream):
    y = DeviceBuffer.zeros(stream, 3, f32)
    matrix.launch(stream, DeviceBuffer.from_host(stream, np.arange(12, dtype=np.float32).reshape(3, 4)), y)
    np.testing.assert_array_equal(y.to_host(stream), [0, 4, 8])
    with pytest.raises(LaunchError, match=r"wants Slice\[f32, D2\], got a buffer of 1 axis(.|\n)*b.reshape\(rows, cols\)"):
        matrix.launch(stream, DeviceBuffer.zeros(stream, 12, f32), y)


def test_reports(ctx, stream):
    axpb.launch(stream, *buffers(stream, 4, 4))
    assert "kernel axpb(x: Slice[f32], y: DisjointSlice[f32], a: f32, b: i32)" in str(axpb.report())
    assert f"  {ctx.name}: " in str(axpb.report())
    assert ".visible .entry axpb" in axpb.ptx("sm_90a") and ".target sm_90a" in axpb.ptx("sm_90a")
    assert axpb.definition.function.__name__ == "axpb"


def test_a_raw_launch_again_goes_the_quick_way(stream):
    x, y = buffers(stream, 100, 100)
    config = LaunchConfig((2, 1, 1), (64, 1, 1))
    with unsafe("the two outputs are the same on purpose"):
        for _ in range(3):
            two.launch_unchecked(stream, config, x, y, y)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(100, dtype=np.float32) + 1)


def test_features_of_later_hardware(ctx):
    @kernel
    @launch_contract(domain=1, block=(64, 1, 1), min_compute_capability=(9, 0))
    def newer(y: DisjointSlice[f32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = 1.0

    newer.prepare(ctx, 64)  # these devices have whatever compiles for them


def test_big_ints_are_rounded_once(stream):
    x, y = DeviceBuffer.from_host(stream, np.ones(1, np.float32)), DeviceBuffer.zeros(stream, 1, f32)
    number = (1 << 60) + (1 << 36) + 1  # in two steps, through a double, it would be rounded down
    for _ in range(2):
        axpb.launch(stream, x, y, number)
        assert int(y.to_host(stream)[0]) == (1 << 60) + (1 << 37)


def test_a_malformed_time_limit(ctx, stream, monkeypatch):
    monkeypatch.setenv("OXIDEPY_TIMEOUT", "soon")
    x, y = buffers(stream, 4, 4)
    with pytest.raises(LaunchError, match="OXIDEPY_TIMEOUT is 'soon'") as caught:
        axpb.launch(stream, x, y)
    assert caught.value.code == "OX8001"


@pytest.mark.parametrize(
    "make",
    [
        lambda: ox.LaunchConfig2D.for_shape(3, 4, block=16),
        lambda: ox.LaunchConfig2D.for_shape(3, 4, block=(16,)),
        lambda: ox.LaunchConfig3D.for_shape(3, 4, 5, block=(8, 8)),
        lambda: ox.LaunchConfig1D.for_num_elems(5, block="a"),
        lambda: ox.LaunchConfig1D(1, 256, "much"),
    ],
)
def test_configurations_of_other_things(make):
    with pytest.raises(ox.LaunchError, match=r"`block` must be \d ints, not|is made of ints") as raised:
        make()
    assert raised.value.code == "OX2007"


@pytest.mark.parametrize("make", [ox.LaunchConfig1D, ox.LaunchConfig])
def test_a_negative_number_of_bytes(make):
    extents = 1 if make is ox.LaunchConfig1D else (1, 1, 1)
    with pytest.raises(ox.LaunchError) as caught:
        make(extents, extents, -5)
    assert caught.value.code == "OX2003"


@struct
@dataclass(frozen=True)
class Inner:
    a: f32
    b: f32


@struct
@dataclass(frozen=True)
class Outer:
    inner: Inner
    n: i32


@kernel
def inside(o: Outer, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = o.inner.a + o.inner.b + f32(o.n)


def test_a_struct_inside_another_is_a_struct(stream):
    y = ox.DeviceBuffer.zeros(stream, 2, f32)
    for wrong in ((1.0, 2.0), None, 1.0):
        for _ in range(2):  # before and after a launch has shown the quick way
            with pytest.raises(ox.LaunchError) as caught:
                inside.launch(stream, Outer(wrong, 3), y)
            assert caught.value.code == "OX2007" and "`.inner` (struct Inner)" in caught.value.diagnostic.message
            inside.launch(stream, Outer(Inner(1.0, 2.0), 3), y)
            np.testing.assert_array_equal(y.to_host(stream), [6, 6])
