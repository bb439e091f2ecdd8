"""Runs of neighbouring elements of one thread: the whole run at once, one element of it, the clipped last one, strides of runs."""

# pyright: basic
from __future__ import annotations

import numpy as np
import pytest
from frontend.running import findings, lowered, refused
from frontend.running import run as interpret
from loading import defined

from oxidepy import (
    DisjointSlice,
    Run,
    Runs,
    Runtime2D,
    Slice,
    SliceMut,
    f32,
    i32,
    kernel,
    launch_contract,
    thread,
    unroll,
)
from oxidepy.analysis import guards
from oxidepy.analysis.races import prove

WIDTH = 4


@kernel
@launch_contract(domain=1, block=(8, 1, 1))
def doubled(x: Slice[f32], y: DisjointSlice[f32, Runs[4]]) -> None:
    run = thread.index_run(WIDTH)
    if run in y:
        for k in unroll(range(4)):
            y[run, k] = 2.0 * x[run, k]
    else:
        for idx in run.clip(y):
            y[idx] = 2.0 * x[idx]


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 31, 32, 33])
def test_every_element_is_done_once(count: int) -> None:
    x, y = np.arange(count, dtype=np.float32) + 1, np.zeros(count, np.float32)
    assert interpret(doubled, x, y, grid=(2, 1, 1)) is None
    assert y.tolist() == (2 * x).tolist()


@kernel
@launch_contract(domain=1, block=(8, 1, 1))
def reversed_runs(x: Slice[i32], y: DisjointSlice[i32, Runs[3]]) -> None:
    for run in thread.grid_stride(y):
        if run in y:
            a, b, c = x[run]
            y[run] = (c, b, a + len(run) - 3)
        else:
            for idx in run.clip(y):
                y[idx] = idx.get() - run.start + 100


@pytest.mark.parametrize(("count", "grid"), [(0, 1), (2, 1), (3, 1), (50, 1), (50, 2), (51, 1), (100, 3)])
def test_strides_of_runs(count: int, grid: int) -> None:
    x, y = np.arange(count, dtype=np.int32), np.full(count, -1, np.int32)
    assert interpret(reversed_runs, x, y, grid=(grid, 1, 1)) is None
    full = count // 3 * 3
    wanted = [*x[:full].reshape(-1, 3)[:, ::-1].reshape(-1), *(100 + np.arange(count - full))]
    assert y.tolist() == wanted


def third(run: Run, x: Slice[f32], k: i32) -> f32:
    return x[run, k] + x[run, 2]


@kernel
@launch_contract(domain=1, block=(8, 1, 1))
def through_helpers(x: Slice[f32], y: DisjointSlice[f32, Runs[4]], k: i32) -> None:
    run = thread.index_run(4)
    if run not in y or run not in x:
        return
    last = run
    y[last, k] = third(run, x, k)


def test_a_run_goes_through_functions_and_names() -> None:
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    assert interpret(through_helpers, x, y, 1) is None
    assert y.tolist() == [0, 3, 0, 0, 0, 11, 0, 0]


@pytest.mark.parametrize("k", [-1, 4])
def test_a_place_outside_of_the_run_is_a_panic(k: int) -> None:
    panic = interpret(through_helpers, np.zeros(8, np.float32), np.zeros(8, np.float32), k)
    assert panic is not None and panic.site.attrs["code"] == "OX7001" and (panic.index, panic.length) == (k, 4)


def test_a_run_outside_of_a_slice_is_a_panic_of_its_last_element() -> None:
    panic = interpret(doubled, np.zeros(6, np.float32), np.zeros(8, np.float32))
    assert panic is not None and panic.thread == (1, 0, 0) and (panic.index, panic.length) == (7, 6)


def test_the_last_runs_of_a_huge_grid_are_outside() -> None:
    """Their numbers exceed i32: they must not come round to elements of others."""
    y = np.zeros(16, np.float32)

    @kernel
    @launch_contract(domain=1, block=(1, 1, 1))
    def far(y: DisjointSlice[f32, Runs[1024]]) -> None:
        run = thread.index_run(1024)
        for idx in run.clip(y):
            y[idx] = y[idx] + 1.0

    module = lowered(far)
    starts = [op for op in module.kernel.body.walk() if op.name == "mul"]
    assert starts and all(op.result.scalar.bits == 64 for op in starts)
    assert interpret(far, y, grid=(3, 1, 1)) is None and y.tolist() == [1] * 16


def test_nothing_is_left_to_check_of_the_thread_s_own_run() -> None:
    @kernel
    def filled(y: DisjointSlice[f32, Runs[4]]) -> None:
        run = thread.index_run(4)
        if run in y:
            y[run] = (1.0, 2, 3.0, y[run, 3])
        for idx in run.clip(y):
            y[idx] += 1.0

    found = guards.prove(lowered(filled))
    assert found.checked == 0 and not found.diagnostics


def test_the_last_run_of_a_stride_is_inside_where_it_is_clipped() -> None:
    @kernel
    def filled(y: DisjointSlice[f32, Runs[4]]) -> None:
        for run in thread.grid_stride(y):
            for idx in run.clip(y):
                y[idx] = 1.0

    found = guards.prove(lowered(filled))
    assert found.checked == 0 and not found.diagnostics


@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def on_shared_memory(x: Slice[f32], y: SliceMut[f32]) -> None:
    run = thread.index_run(4)
    if run in x and run in y:
        a, b, c, d = x[run]
        y[run] = (d, c, b, a)
        y[run, 1] = y[run, 1] + y[run, 0]


def test_runs_of_exclusive_memory_are_proven() -> None:
    assert not prove(lowered(on_shared_memory)).diagnostics
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    assert interpret(on_shared_memory, x, y) is None
    assert y.tolist() == [3, 5, 1, 0, 7, 13, 5, 4]


# ---- refusals


def _body(text: str, space: str = "Runs[4]"):
    source = f"def k(x, y, n):\n    run = thread.index_run(4)\n    {text}\n"
    function = defined(source, {"thread": thread, "unroll": unroll})["k"]
    spaces = {"Runs[4]": DisjointSlice[f32, Runs[4]], "Runs[8]": DisjointSlice[f32, Runs[8]], "Index1D": DisjointSlice[f32]}
    function.__annotations__ = {"x": Slice[f32], "y": spaces[space], "n": i32, "return": None}
    return kernel(function)


@pytest.mark.parametrize(
    ("text", "space", "code", "words"),
    [
        ("y[run] = (1.0, 2.0, 3.0, 4.0)", "Runs[4]", "OX5002", "`run` may reach outside of `y`"),
        ("y[run, 0] = 1.0", "Runs[4]", "OX5002", "`run` may reach outside of `y`"),
        ("if run in y: y[run, 4] = 1.0", "Runs[4]", "OX5001", "index 4 is outside of `run`, a run of 4 elements"),
        ("if run in y: y[run, -1] = 1.0", "Runs[4]", "OX5003", "a negative index of `run`"),
        ("if run in y: y[run] = (1.0, 2.0)", "Runs[4]", "OX0308", "written as a tuple of 4, and this is a tuple of 2"),
        ("if run in y: y[run] = 1.0", "Runs[4]", "OX0308", "written as a tuple of 4"),
        ("if run in y: y[run, 0] = 1.0", "Runs[8]", "OX0308", "is indexed by a `ThreadIndex[Runs[8]]`"),
        ("if run in y: y[run, 0] = 1.0", "Index1D", "OX0308", "and `run` is a run of 4 elements"),
        ("if run in y: y[run, 0, 0] = 1.0", "Runs[4]", "OX0308", "names 3 indices"),
        ("x[run] = (1.0, 2.0, 3.0, 4.0)", "Runs[4]", "OX0308", "read-only"),
        ("run + 1", "Runs[4]", "OX0308", "run of 4 elements"),
        ("for i in run: pass", "Runs[4]", "OX0308", "a `for` goes through"),
        ("thread.index_run(n)", "Runs[4]", "OX0308", "the length of a run is an integer known at compile time"),
        ("thread.index_run(0)", "Runs[4]", "OX0308", "a run of 0 elements"),
        ("run.clip(n)", "Runs[4]", "OX0308", "takes a slice"),
        ("run.stop", "Runs[4]", "OX0425", "has no `.stop`"),
    ],
)
def test_refused(text: str, space: str, code: str, words: str) -> None:
    found = refused(_body(text, space))
    assert found.code == code and words in found.message, (found.code, found.message)


def test_a_run_is_of_one_axis() -> None:
    @kernel
    @launch_contract(domain=2, block=(8, 8, 1))
    def plane(y: DisjointSlice[f32, Runtime2D]) -> None:
        thread.index_run(4)

    assert [one.code for one in findings(plane)] == ["OX2004"]
