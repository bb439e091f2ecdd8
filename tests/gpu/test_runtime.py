"""The runtime on a CUDA GPU."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import (
    BorrowError,
    DeviceBuffer,
    DevicePanic,
    DisjointSlice,
    LaunchConfig1D,
    LaunchError,
    Slice,
    SliceMut,
    block,
    f32,
    f64,
    i32,
    kernel,
    launch_contract,
    math,
    require,
    shared,
    struct,
    thread,
    u8,
)
from oxidepy.lang.index import Index2D

pytestmark = pytest.mark.gpu

T = TypeVar("T", f32, i32)


@struct
@dataclass(frozen=True)
class Particle:
    tag: u8
    at: f64
    speed: f32


@kernel
@launch_contract(domain=1, block=(256, 1, 1))
def vecadd(a: Slice[f32], b: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx] + b[idx]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def shifted(x: Slice[f32], y: DisjointSlice[f32], by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx.get() + by]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def divided(y: DisjointSlice[i32], by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = idx.get() // by


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def increment(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = y[idx] + 1.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def spin(y: SliceMut[f32], rounds: i32) -> None:
    i = thread.index_1d().get()
    if i < len(y):
        v = y[i]
        for _ in range(rounds):
            v = v * 0.999 + 0.001
        y[i] = v


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def move(p: DisjointSlice[f64], x: Slice[Particle], one: Particle, dt: f64) -> None:
    idx = thread.index_1d()
    if idx in p:
        q = x[idx.get()]
        p[idx] = q.at + f64(q.speed) * dt + f64(q.tag) + one.at


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def apply(f: Callable[[T], T], x: Slice[T], y: DisjointSlice[T]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = f(x[idx])


@kernel
@launch_contract(domain=2, block=(16, 16, 1))
def plane(y: DisjointSlice[f32, Index2D[100]], rows: i32) -> None:
    require(len(y) == rows * 100)
    idx = thread.index_2d(100)
    if idx in y:
        y[idx] = f32(idx.row) * 1000.0 + f32(idx.col)


@kernel
@launch_contract(domain=1, block=(128, 1, 1))
def silu(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if (cell := y.get_mut(idx)) is not None:
        cell.value = x[idx.get()] / (1.0 + math.exp(-x[idx.get()]))


@pytest.fixture
def ctx() -> ox.Context:
    return ox.Context("cuda:0")


@pytest.fixture
def stream(ctx: ox.Context) -> ox.Stream:
    return ctx.new_stream()


def _pair(stream, n=100):
    return DeviceBuffer.from_host(stream, np.arange(n, dtype=np.float32)), DeviceBuffer.zeros(stream, n, f32)


def test_the_device(ctx):
    assert ctx.kind == "cuda" and ctx.compute_capability >= (7, 5) and ctx.description and ctx.limits.multiprocessors > 0
    assert "cuda:0" in ox.devices() and ox.is_available("cuda")
    with pytest.raises(LaunchError, match="OX6003"):
        ox.Context("cuda:99")


@pytest.mark.parametrize("n", [0, 1, 255, 256, 257, 100_003])
def test_vecadd(ctx, stream, n):
    host = np.random.default_rng(n).standard_normal((2, n)).astype(np.float32)
    a, b = (DeviceBuffer.from_host(stream, one) for one in host)
    c = DeviceBuffer.zeros(stream, n, f32)
    prepared = vecadd.prepare(ctx, LaunchConfig1D.for_num_elems(n, block=256))
    prepared(stream, a, b, c)
    np.testing.assert_array_equal(c.to_host(stream), host[0] + host[1])
    assert prepared.attributes.registers > 0 and 0 < prepared.attributes.occupancy <= 1 and not prepared.attributes.spills


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.float16, np.int32, np.float64, np.int64])
def test_copies_and_fills(stream, dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    buffer = DeviceBuffer.from_host(stream, host)
    np.testing.assert_array_equal(buffer.to_host(stream), host)
    other = DeviceBuffer.empty_like(stream, buffer)
    other.copy_from(stream, buffer)
    np.testing.assert_array_equal(other.to_host(stream), host)
    other[1:].fill(stream, dtype(1))
    host[1:] = 1
    np.testing.assert_array_equal(other.to_host(stream), host)
    assert not DeviceBuffer.zeros(stream, (3, 5), dtype).to_host(stream).any()


def test_a_large_copy(stream):
    host = np.random.default_rng(1).integers(0, 1 << 30, 10_000_000, dtype=np.int32)
    np.testing.assert_array_equal(DeviceBuffer.from_host(stream, host).to_host(stream), host)


def test_panic_and_life_after_it(stream):
    x, y = _pair(stream)
    shifted.launch(stream, x, y, 3)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    panic = caught.value
    assert (panic.code, panic.kernel, panic.file, panic.length, panic.block) == ("OX7001", "shifted", __file__, 100, (1, 0, 0))
    assert panic.index in (100, 101, 102) and panic.thread[0] in (33, 34, 35) and panic.index == 64 + panic.thread[0] + 3
    assert panic.line == shifted.definition.function.__code__.co_firstlineno + 5
    stream.synchronize()
    for by in (0, -1):
        shifted.launch(stream, x, y, by)
    with pytest.raises(DevicePanic) as caught:
        y.to_host(stream)
    assert (caught.value.index, caught.value.thread) == (-1, (0, 0, 0))
    shifted.launch(stream, x, y, 0)
    np.testing.assert_array_equal(y.to_host(stream), np.arange(100, dtype=np.float32))


def test_panic_at_the_next_launch(stream):
    x, y = _pair(stream)
    shifted.launch(stream, x, y, 3)
    stream.driver.wait(stream)  # done, and nobody has asked yet
    with pytest.raises(DevicePanic):
        vecadd.launch(stream, x, x, y)
    vecadd.launch(stream, x, x, y)
    stream.synchronize()


def test_panics_of_several_kernels_and_streams(ctx):
    first, second = ctx.new_stream(), ctx.new_stream()
    x, y = _pair(first)
    z = DeviceBuffer.zeros(first, 100, i32)
    divided.launch(first, z, 1)
    shifted.launch(first, x, y, 0)
    first.synchronize()
    first.driver.wait(first)
    divided.prepare(ctx, 100)(first, z, 0)
    second.synchronize()
    with pytest.raises(DevicePanic) as caught:
        first.synchronize()
    assert caught.value.code == "OX7003" and caught.value.index is None
    for _ in range(50):
        divided.launch(second, z, 0)
        with pytest.raises(DevicePanic):
            second.synchronize()
    divided.launch(second, z, 2)
    np.testing.assert_array_equal(z.to_host(second), np.arange(100) // 2)


def test_a_million_failing_threads(stream):
    x, y = DeviceBuffer.zeros(stream, 10, f32), DeviceBuffer.zeros(stream, 1 << 20, f32)
    shifted.launch(stream, x, y, 10)
    with pytest.raises(DevicePanic):
        stream.synchronize()
    stream.synchronize()


def test_borrows(stream):
    x, y = _pair(stream, 128)
    for bad in ((x, y, y), (x, y, x)):
        with pytest.raises(BorrowError):
            vecadd.launch(stream, *bad)
    vecadd.launch(stream, y[:64], x[:64], y[64:])
    np.testing.assert_array_equal(y.to_host(stream)[64:], np.arange(64, dtype=np.float32))


def test_arguments_are_refused_as_everywhere(stream):
    x, y = _pair(stream)
    cpu = DeviceBuffer.zeros(ox.Context("cpu").default_stream(), 100, f32)
    for bad, text in (
        (np.zeros(100, np.float32), "a NumPy array of f32"),
        (cpu, "a buffer on cpu; the launch is on cuda:0"),
        (DeviceBuffer.zeros(stream, 100, f64), "a buffer of f64"),
        (DeviceBuffer.zeros(stream, (10, 10), f32), "2 axes"),
    ):
        with pytest.raises(LaunchError, match=text) as caught:
            vecadd.launch(stream, x, bad, y)
        assert caught.value.code == "OX2007"


def test_streams_are_ordered_by_memory(ctx):
    streams = [ctx.new_stream() for _ in range(4)]
    y = DeviceBuffer.zeros(streams[0], 1 << 16, f32)
    spin.prepare(ctx, 1 << 16)(streams[0], y, 20_000)
    y.fill(streams[1], 0.0)
    for turn in range(40):
        increment.launch(streams[turn % 4], y)
    assert (y.to_host(streams[2]) == 40).all()


def test_events(ctx, stream):
    y = DeviceBuffer.zeros(stream, 1 << 16, f32)
    prepared = spin.prepare(ctx, 1 << 16)
    prepared(stream, y, 10)
    start = stream.record()
    prepared(stream, y, 100_000)
    end = stream.record()
    assert 0.05 < end.elapsed_ms(start) < 5000
    assert start.elapsed_ms(end) < 0


def test_memory_goes_back_in_stream_order(ctx, stream):
    gc.collect()
    stream.synchronize()
    for turn in range(200):  # 200 GB in all
        y = DeviceBuffer.empty(stream, 1 << 28, f32)
        y[: 1 << 10].fill(stream, float(turn))
        assert y[:4].to_host(stream)[0] == turn
        if turn % 2:
            y.free(stream)
    with pytest.raises(ox.DeviceError, match="OX6004") as caught:
        DeviceBuffer.empty(stream, 1 << 50, u8)
    assert "CUDA_ERROR_OUT_OF_MEMORY" in str(caught.value) or "CUDA_ERROR_INVALID_VALUE" in str(caught.value)
    DeviceBuffer.zeros(stream, 16, f32).to_host(stream)


def test_a_thousand_launches(ctx, stream):
    y = DeviceBuffer.zeros(stream, 1000, f32)
    prepared = increment.prepare(ctx, 1000)
    for _ in range(500):
        prepared(stream, y)
        increment.launch(stream, y)
    assert (y.to_host(stream) == 1000).all()


def test_threads_launch_at_once(ctx):
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            stream = ctx.new_stream()
            y = DeviceBuffer.zeros(stream, 1000, f32)
            for _ in range(200):
                increment.launch(stream, y)
            assert (y.to_host(stream) == 200).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures


def test_structs(stream):
    x = DeviceBuffer.zeros(stream, 70, Particle)
    host = np.zeros(70, x.dtype)
    host["tag"], host["at"], host["speed"] = np.arange(70), np.arange(70) * 0.5, 2.0
    x.copy_from_host(stream, host)
    p = DeviceBuffer.zeros(stream, 70, f64)
    move.launch(stream, p, x, Particle(tag=1, at=100.0, speed=0.0), 0.25)
    np.testing.assert_array_equal(p.to_host(stream), host["at"] + 0.5 + np.arange(70) + 100)


def test_functions(stream):
    for dtype, factors in ((np.float32, (2.5, -1.0, 3)), (np.int32, (3, -7))):
        x = DeviceBuffer.from_host(stream, np.arange(777).astype(dtype))
        y = DeviceBuffer.zeros(stream, 777, x.dtype)
        for factor in factors:
            apply.launch(stream, _times(dtype(factor)), x, y)
            np.testing.assert_array_equal(y.to_host(stream), np.arange(777).astype(dtype) * dtype(factor))


def _times(factor):
    return lambda v: v * factor


def test_two_axes_and_requirements(stream):
    y = DeviceBuffer.zeros(stream, 37 * 100, f32)
    plane.launch(stream, y, 37)
    np.testing.assert_array_equal(y.to_host(stream).reshape(37, 100), np.arange(37)[:, None] * 1000.0 + np.arange(100))
    with pytest.raises(LaunchError, match="OX2005"):
        plane.launch(stream, y, 36)


def test_the_same_bits_as_on_the_cpu(stream):
    host = np.linspace(-90, 90, 100_003, dtype=np.float32)
    results = []
    for one in (stream, ox.Context("cpu").new_stream()):
        x = DeviceBuffer.from_host(one, host)
        y = DeviceBuffer.zeros(one, len(host), f32)
        silu.launch(one, x, y)
        results.append(y.to_host(one).view(np.uint32))
    np.testing.assert_array_equal(*results)


PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import oxidepy as ox
from oxidepy import DisjointSlice, Slice, SliceMut, f32, i32, kernel, launch_contract, thread

@kernel(unsafe="one thread runs")
@launch_contract(domain=1, block=(1, 1, 1))
def endless(y: SliceMut[f32], stop: i32) -> None:
    n = 0
    while n != stop:  # its rounds write to changing places: a loop that does nothing may be taken away
        n = (n + 1) % 1000
        y[n % 32] = f32(n)

@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def shifted(x: Slice[f32], y: DisjointSlice[f32], by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx.get() + by]

ctx = ox.Context("cuda:0")
stream = ctx.default_stream()
y = ox.DeviceBuffer.zeros(stream, 32, f32)
"""


def _program(tmp_path, body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + textwrap.dedent(body), encoding="utf-8")
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, env={**os.environ, **environment})


def test_a_time_limit_ends_a_wait(tmp_path):
    done = _program(
        tmp_path,
        """
        endless.prepare(ctx, 1)(stream, y, -1)
        try:
            stream.synchronize()
        except ox.DeviceError as error:
            print(error.code, error)
        """,
        OXIDEPY_TIMEOUT="0.5",
    )
    assert done.returncode == 0 and done.stdout.startswith("OX6005") and "`endless` did not end within 0.5 s" in done.stdout, done.stderr


def test_ctrl_c_interrupts_a_wait(tmp_path):
    done = _program(
        tmp_path,
        """
        endless.prepare(ctx, 1)(stream, y, -1)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            stream.synchronize()
        except KeyboardInterrupt:
            print("interrupted")
        """,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


@pytest.mark.parametrize("end", ["raise ValueError('mine')", "sys.exit(3)", "pass"])
def test_an_end_in_the_middle_is_clean(tmp_path, end):
    done = _program(
        tmp_path,
        f"""
        x = ox.DeviceBuffer.from_host(stream, np.ones(1 << 20, np.float32))
        many = [ctx.new_stream() for _ in range(5)]
        events = [one.record() for one in many]
        shifted.launch(stream, x, y, 0)
        {end}
        """,
    )
    assert done.returncode == {"r": 1, "s": 3, "p": 0}[end[0]]
    lines = done.stderr.strip().splitlines()
    assert (lines[-1] == "ValueError: mine") if end[0] == "r" else not lines, done.stderr


def test_a_failure_that_nobody_saw_is_told_at_exit(tmp_path):
    done = _program(tmp_path, "x = ox.DeviceBuffer.zeros(stream, 16, f32)\nshifted.launch(stream, x, y, 1)\n")
    assert done.returncode == 0 and "OX7001" in done.stderr and "ended without having synchronised" in done.stderr


def test_a_forked_child_is_told(tmp_path):
    done = _program(
        tmp_path,
        """
        child = os.fork()
        if child == 0:
            codes = []
            for use in (lambda: ox.Context(), lambda: ox.DeviceBuffer.zeros(stream, 4, f32), lambda: shifted.launch(stream, y, y, 0)):
                try:
                    use()
                except ox.OxideError as error:
                    codes.append(error.code + ("spawn" in str(error)) * "!")
            print(*codes, flush=True)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(y.to_host(stream).sum()))
        """,
    )
    assert done.stdout == "OX6004! OX6004! OX6004!\n0 0\n", done.stderr


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def beside(n: i32, y: DisjointSlice[f32]) -> None:
    """A static array of an odd size beside one of the launch, which begins at a multiple of 64 bytes."""
    far, own = shared.dynamic(f32, count=n, align=64), shared.array(f32, 33)
    t = thread.idx.x
    for k in range(t, n, 64):
        far[k] = f32(k)
    if t < 33:
        own[t] = 0.5
    block.sync()
    idx = thread.index_1d()
    if idx in y:
        y[idx] = far[n - 1 - t] + own[t % 33]


def test_static_and_dynamic_memory_fill_what_a_block_has():
    ctx = ox.Context("cuda:0")
    stream = ctx.default_stream()
    for n in (64, 1000, (ctx.limits.max_shared_memory_optin - 192) // 4):
        y = ox.DeviceBuffer.zeros(stream, 64, f32)
        beside.launch(stream, n, y)
        assert y.to_host(stream).tolist() == [n - 1 - t + 0.5 for t in range(64)]


def test_a_second_start_neither_compiles_nor_links(tmp_path):
    body = """
        shifted.launch(stream, y, ox.DeviceBuffer.zeros(stream, 32, f32), 0)
        stream.synchronize()
        (_, _, loaded), = shifted.loaded()
        print(loaded.cached, loaded.facts["registers"] > 0)
        """
    cache = str(tmp_path / "cache")
    first, again = (_program(tmp_path, body, OXIDEPY_CACHE_DIR=cache) for _ in range(2))
    assert (first.stdout, again.stdout) == ("False True\n", "True True\n"), first.stderr + again.stderr


def test_reports(ctx, stream):
    increment.launch(stream, DeviceBuffer.zeros(stream, 10, f32))
    assert "registers" in str(increment.report()) and ".entry" in increment.ptx()


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_arrays_and_streams_of_other_libraries(ctx, library):
    other = pytest.importorskip(library)
    if library == "torch":
        array, result = other.arange(100, dtype=other.float32, device="cuda"), other.zeros(100, device="cuda")
        foreign = other.cuda.Stream()
    else:
        array, result = other.arange(100, dtype=other.float32), other.zeros(100, dtype=other.float32)
        foreign = other.cuda.Stream()
    for stream in (ctx.default_stream(), foreign):
        vecadd.launch(stream, array, ox.as_buffer(array, f32), result)
        ctx.synchronize()
        foreign.synchronize()
        got = result.cpu().numpy() if library == "torch" else result.get()
        np.testing.assert_array_equal(got, 2 * np.arange(100, dtype=np.float32))
    with pytest.raises(LaunchError, match="not C-contiguous"):
        vecadd.launch(ctx.default_stream(), array[::2], array[:50], result[:50])
