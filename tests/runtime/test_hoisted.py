"""Two codes of a kernel: without the checks that follow from relations of the launch, and with them for launches in which these fail."""

# pyright: basic
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DevicePanic, DisjointSlice, LaunchConfig1D, Slice, f32, i32, kernel, launch_contract, thread
from oxidepy.backend.targets import nvptx_target
from oxidepy.compiler.driver import compile_kernel
from oxidepy.lang.definition import Specialisation
from oxidepy.settings.options import CodegenOptions


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def row_sums(x: Slice[f32], k: i32, y: DisjointSlice[f32]) -> None:
    row = thread.index_1d()
    if row in y:
        total = f32(0)
        for i in range(k):
            total += x[row.get() * k + i]
        y[row] = total


@pytest.fixture(params=["cpu", "interp"])
def stream(request: pytest.FixtureRequest) -> ox.Stream:
    return ox.Context(str(request.param)).default_stream()


def checks(device: str) -> list[int]:
    return sorted(len(loaded.sites) for context, _, loaded in row_sums.loaded() if context.name == device)


def test_the_launch_chooses_the_code(stream: ox.Stream) -> None:
    x, y = ox.DeviceBuffer.from_host(stream, np.arange(60, dtype=np.float32)), ox.DeviceBuffer.zeros(stream, 20, f32)
    prepared = row_sums.prepare(stream.context, LaunchConfig1D.for_num_elems(20, block=32))
    want = np.arange(60, dtype=np.float32).reshape(20, 3).sum(axis=1)
    for _ in range(3):
        prepared(stream, x, 3, y)
        np.testing.assert_array_equal(y.to_host(stream), want)
        prepared(stream, x[:59], 3, y)
        with pytest.raises(DevicePanic, match="OX7001") as caught:
            stream.synchronize()
        assert (caught.value.index, caught.value.length, caught.value.thread) == (59, 59, (19, 0, 0))
        prepared(stream, x, -1, y)
        assert not y.to_host(stream).any()
    assert checks("cpu") == ([0, 1] if stream.context.kind == "cpu" else checks("cpu"))


@pytest.mark.parametrize("usual", (True, False))
def test_what_others_launch_keeps_its_checks(usual: bool) -> None:
    made = compile_kernel(row_sums.definition, Specialisation(), nvptx_target("sm_80"), CodegenOptions(), usual=usual)
    assert made.artefact.panic is not usual and len(made.artefact.sites) == 1 - usual
    assert [one.text for one in made.checked.relations] == ["k * len(y) <= len(x)"]
    assert (made.checked.hoisted, made.checked.checked) == (1, 0)


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def mapped(f: Callable[[i32], i32], x: Slice[f32], n: i32, y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        at = f(idx.get())
        if 0 <= at and at < n:
            y[idx] = x[at]


def test_a_relation_may_speak_of_numbers_that_a_function_holds(stream: ox.Stream) -> None:
    x, y = ox.DeviceBuffer.from_host(stream, np.arange(8, dtype=np.float32)), ox.DeviceBuffer.zeros(stream, 8, f32)
    for limit, n in ((3, 8), (8, 8), (3, 4)):
        y.fill(stream, -1.0)
        mapped.launch(stream, (lambda most: lambda i: i if i < most else i32(-1))(limit), x, n, y)
        assert y.to_host(stream).tolist() == [float(i) if i < min(limit, n) else -1.0 for i in range(8)]
    mapped.launch(stream, lambda i: i + 1, x, 9, y)
    with pytest.raises(DevicePanic, match="OX7001"):
        stream.synchronize()


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def firsts(f: Callable[[i32], i32], x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        total = f32(0)
        for i in range(f(0)):
            total += x[i]
        y[idx] = total


def test_a_relation_of_a_captured_number(stream: ox.Stream) -> None:
    x, y = ox.DeviceBuffer.from_host(stream, np.ones(8, np.float32)), ox.DeviceBuffer.zeros(stream, 2, f32)
    for count in (3, 8, 9, 2):
        firsts.launch(stream, (lambda number: lambda _: number)(count), x, y)
        if count > 8:
            with pytest.raises(DevicePanic, match="OX7001"):
                stream.synchronize()
        else:
            assert y.to_host(stream).tolist() == [float(count)] * 2
