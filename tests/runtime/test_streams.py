"""Streams, events, contexts; waits that are broken off; ends of processes."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import oxidepy as ox
from oxidepy import DeviceBuffer, DeviceError, DisjointSlice, LaunchError, Slice, f32, kernel, launch_contract, thread
from oxidepy.runtime.cpu.driver import Native
from oxidepy.runtime.stream import as_stream


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def add(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = y[idx] + x[idx]


def test_one_context_a_device(monkeypatch):
    assert ox.Context("cpu") is ox.Context("cpu") and ox.Context("interp") is not ox.Context("cpu")
    monkeypatch.setenv("OXIDEPY_DEVICE", "interp")
    assert ox.Context().name == "interp" and ox.current_stream() is ox.Context().default_stream()
    monkeypatch.setenv("OXIDEPY_DEVICE", "tpu")
    with pytest.raises(LaunchError, match="OXIDEPY_DEVICE is 'tpu'") as caught:
        ox.Context()
    assert caught.value.code == "OX8001"
    cpu = ox.Context("cpu")
    assert pickle.loads(pickle.dumps(cpu)) is cpu and copy.deepcopy(cpu) is cpu


def test_what_a_context_says(ctx):
    assert ctx.kind == ctx.name and ctx.compute_capability is None and ctx.description
    limits = ctx.limits
    assert limits.max_threads_per_block == 1024 and limits.max_grid[0] == 2**31 - 1 and limits.warp_size == 32 and limits.total_memory > 0
    assert ctx.name in ox.devices() and ox.is_available(ctx.kind) and not ox.is_available("cuda:99") and not ox.is_available("tpu")


@pytest.mark.parametrize("name", ["cuda:99", "gpu", "cuda:-1", "cpu:1"])
def test_devices_that_are_not_there(name):
    with pytest.raises(LaunchError, match=r"the devices of this machine are .*cpu, interp") as caught:
        ox.Context(name)
    assert caught.value.code == "OX6003"


def test_events(stream):
    x, y = DeviceBuffer.zeros(stream, 1000, f32), DeviceBuffer.zeros(stream, 1000, f32)
    start = stream.record()
    time.sleep(0.02)
    add.launch(stream, x, y)
    end = stream.record()
    end.synchronize()
    assert end.elapsed_ms(start) >= 19 and start.elapsed_ms(end) <= -19
    stream.context.new_stream().wait(end)
    other = ox.Context("interp" if stream.context.kind == "cpu" else "cpu").default_stream().record()
    with pytest.raises(LaunchError, match="no common clock"):
        end.elapsed_ms(other)


def test_memory_orders_streams(ctx):
    streams = [ctx.new_stream() for _ in range(3)]
    x = DeviceBuffer.from_host(streams[0], np.ones(5000, np.float32))
    y = DeviceBuffer.zeros(streams[1], 5000, f32)
    for turn in range(9):
        add.launch(streams[turn % 3], x, y)
    assert (y.to_host(streams[1]) == 9).all()
    assert y._memory.stream is streams[1] and x._memory.stream is streams[2]


def test_threads_share_a_context(ctx):
    failures: list[BaseException] = []

    def work() -> None:
        try:
            stream = ctx.new_stream()
            x, y = DeviceBuffer.from_host(stream, np.ones(3000, np.float32)), DeviceBuffer.zeros(stream, 3000, f32)
            for _ in range(20):
                add.launch(stream, x, y)
            assert (y.to_host(stream) == 20).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures


def test_foreign_streams_are_for_cuda(stream):
    class Torch:
        cuda_stream = 0x10

    class Protocol:
        def __cuda_stream__(self):
            return 0, 0x20

    for foreign in (Torch(), Protocol()):
        with pytest.raises(LaunchError, match="a CUDA stream, and the launch belongs to"):
            as_stream(foreign, stream.context)
    with pytest.raises(LaunchError, match="is no CUDA stream"):
        stream.__cuda_stream__()
    with pytest.raises(LaunchError, match="int is none"):
        as_stream(3, stream.context)


PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import oxidepy as ox
from oxidepy import DisjointSlice, Slice, f32, i32, kernel, launch_contract, thread

@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def endless(y: DisjointSlice[f32], stop: i32) -> None:
    idx = thread.index_1d()
    n = 0
    while n != stop:
        n = (n + 1) % 1000
    if idx in y:
        y[idx] = f32(n)

@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def shifted(x: Slice[f32], y: DisjointSlice[f32], by: i32) -> None:
    idx = thread.index_1d()
    if idx in y:
        y[idx] = x[idx.get() + by]

@kernel
@launch_contract(domain=1, block=(32, 1, 1))
def slow(y: DisjointSlice[f32], n: i32) -> None:
    idx = thread.index_1d()
    value = 1
    for _ in range(n):
        for other in range(n):
            value = (value * 1103515245 + 12345) ^ other
    if idx in y:
        y[idx] = f32(value)

ctx = ox.Context(sys.argv[1])
stream = ctx.default_stream()
y = ox.DeviceBuffer.zeros(stream, 32, f32)
"""


def _program(tmp_path, body: str, device: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + textwrap.dedent(body), encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(path), device], capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_a_time_limit_ends_a_wait(tmp_path, device):
    done = _program(
        tmp_path,
        """
        endless.launch(stream, y, 7)
        try:
            endless.launch(stream, y, -1)
            stream.synchronize()
        except ox.DeviceError as error:
            print(error.code, error)
        """,
        device,
        OXIDEPY_TIMEOUT="0.5",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("OX6005") and "the kernel `endless` did not end within 0.5 s" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no os.kill with SIGINT to oneself")
@pytest.mark.parametrize("device", ["cpu", "interp"])
@pytest.mark.parametrize("calls", ["endless.launch(stream, y, -1)", "slow.launch(stream, y, 1); slow.launch(stream, y, 1_000_000)"])
def test_ctrl_c_interrupts_a_wait(tmp_path, device, calls):
    done = _program(
        tmp_path,
        f"""
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            {calls}
            stream.synchronize()
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - start < 10)
        """,
        device,
    )
    assert (done.returncode, done.stdout) == (0, "interrupted True\n"), done.stderr


@pytest.mark.parametrize(
    ("seconds", "helpers", "chunk"),
    [(None, 1, 100), (None, 2, 50), (0.0, 1, 6400), (1e-9, 1, 6400), (1e-9, 2, 400), (1e-3, 1, 5), (1e-3, 2, 5), (1.0, 1, 1)],
)
def test_how_many_blocks_a_worker_takes_at_once(seconds, helpers, chunk):
    """Between two chunks Ctrl-C is answered: nobody knows how long those of a first launch take."""
    native = Native(0, None, 0)
    if seconds is not None:
        native.took(seconds)
    assert native.chunk(6400, helpers) == chunk
    assert native.chunk(3, 3) == 1


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_an_unseen_failure_is_told_at_exit(tmp_path, device):
    done = _program(tmp_path, "x = ox.DeviceBuffer.zeros(stream, 16, f32)\nshifted.launch(stream, x, y, 1)\n", device)
    assert done.returncode == 0 and "OX7001" in done.stderr and "ended without having synchronised" in done.stderr


@pytest.mark.parametrize("device", ["cpu", "interp"])
@pytest.mark.parametrize("end", ["raise ValueError('mine')", "sys.exit(3)", "pass"])
def test_an_end_in_the_middle_is_clean(tmp_path, device, end):
    done = _program(
        tmp_path,
        f"""
        x = ox.DeviceBuffer.from_host(stream, np.ones(1 << 20, np.float32))
        many = [ctx.new_stream() for _ in range(5)]
        z = ox.DeviceBuffer.zeros(stream, 1 << 12, f32)
        shifted.launch(stream, x, z, 0)
        events = [one.record() for one in many]
        {end}
        """,
        device,
    )
    assert done.returncode == {"r": 1, "s": 3, "p": 0}[end[0]]
    lines = done.stderr.strip().splitlines()
    assert (lines[-1] == "ValueError: mine") if end[0] == "r" else not lines, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_works_on(tmp_path):
    done = _program(
        tmp_path,
        """
        big = ox.DeviceBuffer.from_host(stream, np.ones(1 << 20, np.float32))
        out = ox.DeviceBuffer.zeros(stream, 1 << 20, f32)
        shifted.launch(stream, big, out, 0)
        child = os.fork()
        shifted.launch(stream, big, out, 0)
        right = bool((out.to_host(stream) == 1).all())
        if child == 0:
            os._exit(0 if right else 9)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), right)
        """,
        "cpu",
    )
    assert done.stdout == "0 True\n", done.stderr


def test_many_kernels_stay_bounded(tmp_path):
    """Launching the same prepared kernel many times keeps nothing."""
    stream = ox.Context("cpu").new_stream()
    x, y = DeviceBuffer.zeros(stream, 64, f32), DeviceBuffer.zeros(stream, 64, f32)
    add.launch(stream, x, y)
    import tracemalloc

    tracemalloc.start()
    for length in range(64, 0, -1):
        add.launch(stream, x[:length], y[:length])
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(20):
        for length in range(64, 0, -1):
            add.launch(stream, x[:length], y[:length])
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000


def test_a_lost_device_says_so(monkeypatch):
    context = ox.Context("interp")
    stream = context.new_stream()
    buffer = DeviceBuffer.zeros(stream, 4, f32)
    monkeypatch.setattr(context.driver, "lost", "interp was lost for a test")
    for use in (lambda: DeviceBuffer.zeros(stream, 4, f32), lambda: buffer.to_host(stream), context.new_stream, stream.synchronize):
        with pytest.raises(DeviceError, match=r"OX6004.*lost for a test"):
            use()
    with pytest.raises(DeviceError):
        add.launch(stream, buffer, buffer)


def test_a_broken_off_launch_is_finished_by_the_next_wait(tmp_path):
    done = _program(
        tmp_path,
        """
        big = ox.DeviceBuffer.zeros(stream, 32, f32)
        from oxidepy.runtime.hosted import Background, run_aside
        work = Background("late")
        run_aside(work, lambda: time.sleep(1.0))
        os.environ["OXIDEPY_TIMEOUT"] = "0.2"
        try:
            ctx.driver.finish(stream, work)
        except ox.DeviceError as error:
            print(error.code, stream.abandoned)
        del os.environ["OXIDEPY_TIMEOUT"]
        held = len(stream.handle.kept)
        del big
        print(len(stream.handle.kept) - held)
        stream.synchronize()
        print(stream.abandoned, stream.handle.kept, stream.handle.running)
        """,
        "cpu",
    )
    assert done.stdout == "OX6005 True\n1\nFalse [] None\n", done.stderr


def test_a_stream_waits_for_an_event(ctx):
    first, second = ctx.new_stream(), ctx.new_stream()
    event = first.record()
    second.wait(event)
    ox.Context("interp" if ctx.kind == "cpu" else "cpu").default_stream().wait(event)
    assert event.elapsed_ms(event) == 0
