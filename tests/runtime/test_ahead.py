"""The imports that go on while the CUDA driver starts: done once, in order at the end of a process and before a fork."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from runtime.test_cuda_driver import ctx, fake

from oxidepy import DeviceBuffer, DisjointSlice, f32, kernel, thread
from oxidepy.backend.targets import ARCHES
from oxidepy.runtime.cuda import ahead, api, link

__all__ = ["ctx", "fake"]


def process(code: str) -> subprocess.CompletedProcess[str]:
    head = "import os, sys\nfrom oxidepy.runtime.cuda import ahead\nahead.start(); ahead.start()\n"
    return subprocess.run([sys.executable, "-c", head + textwrap.dedent(code)], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "code",
    [
        "assert list(ahead._threads) == ['imports']; ahead.join(); assert {*ahead._NEEDED, 'llvmlite.binding'} <= set(sys.modules)",
        "",
        "sys.exit(0)",
        "import oxidepy.compiler.driver, oxidepy.backend.nvptx, oxidepy.runtime.kernel, numpy; oxidepy.compiler.driver.compile_kernel",
        pytest.param(
            "child = os.fork()\nif child: sys.exit(os.waitpid(child, 0)[1])\nimport llvmlite.binding, oxidepy.compiler.driver",
            marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
        ),
        "sys.modules['llvmlite'] = None; ahead.join()",
    ],
)
def test_the_process_ends_well(code: str) -> None:
    done = process(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_begins_before_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    class Bindings:
        @staticmethod
        def cuInit(flags: int) -> tuple[int]:
            order.append("driver")
            return (0,)

    monkeypatch.setattr(api, "_started_in", None)
    monkeypatch.setattr(api, "bindings", Bindings)
    monkeypatch.setattr(ahead, "start", lambda: order.append("imports"))
    api.started()
    api.started()
    assert order == ["imports", "driver"]


def test_the_drivers_compiler_starts_when_code_is_made(ctx: Any, fake: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Once LLVM begins, and not for code that is kept."""
    monkeypatch.setenv("OXIDEPY_CACHE_DIR", str(tmp_path))
    begun: list[tuple[str, Any]] = []

    def begin(name: str, work: Any) -> None:
        begun.append((name, work))

    monkeypatch.setattr(ahead, "begin", begin)

    def ones(y: DisjointSlice[f32]) -> None:
        idx = thread.index_1d()
        if idx in y:
            y[idx] = 1.0

    y = DeviceBuffer.zeros(ctx.default_stream(), 64, f32)
    for _ in range(2):  # the second takes the code of the first
        kernel(ones).launch(ctx.default_stream(), y)
    ((name, work),) = begun
    assert name == "compiler" and len(fake.named("cuLinkCreate")) == 1
    work()
    assert len(fake.named("cuLinkCreate")) == 2 and len(fake.named("cuLinkDestroy")) == 2
    fake.fail["cuLinkCreate"] = [999]
    work()  # what it says is no matter
    assert len(fake.named("cuLinkAddData")) == 2


def test_without_threads_nothing_is_made_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the end of the process: the launch goes on."""
    threads: dict[str, Any] = {}

    def refused(thread: Any) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(ahead, "_threads", threads)
    monkeypatch.setattr("threading.Thread.start", refused)
    ahead.begin("work", lambda: pytest.fail("nobody does it"))
    assert not threads


def test_what_the_compiler_is_started_with_is_for_every_gpu() -> None:
    least = min(ARCHES, key=lambda one: int(one[3:].rstrip("af")))
    assert f".target {least}\n".encode() in link._FIRST


def test_llvm_is_run_once_for_a_gpu() -> None:
    """In a process of its own: here it has run long ago."""
    code = (
        "from oxidepy.backend.llvm import engine; told = []; whole = engine.assembly\n"
        "engine.assembly = lambda *args: told.append(whole(*args)); engine.prepare(); print('.entry first' in told[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
