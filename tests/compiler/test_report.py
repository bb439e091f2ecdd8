"""The report of a kernel: its counts are pinned, proofs are made once, and z3 comes only where it is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from oxidepy import CompileError, DisjointSlice, Slice, SliceMut, block, f32, i32, kernel, launch_contract, shared, thread, unsafe, warp
from oxidepy.analysis import races
from oxidepy.cache.store import Cache
from oxidepy.compiler import driver
from oxidepy.compiler.report import KernelReport, report
from oxidepy.lang.definition import Specialisation
from oxidepy.runtime.kernel import Kernel
from oxidepy.settings.options import CodegenOptions


@kernel
def add(a: Slice[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = a[idx]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def turned(x: SliceMut[f32]) -> None:
    part = shared.array(f32, 64)
    t = thread.idx.x
    i = thread.index_1d().get()
    part[t] = x[i] if i < len(x) else 0.0
    block.sync()
    total = warp.reduce_sum(part[63 - t])
    block.sync()
    if i < len(x):
        x[i] = total


@kernel
def scatter(at: Slice[i32], x: SliceMut[f32]) -> None:
    t = thread.index_1d().get()
    if t < len(at):
        with unsafe("the indices are distinct"):
            x[at[t]] = 1.0


@kernel
def idle(x: SliceMut[f32]) -> None:
    t = thread.index_1d().get()
    if t < len(x):
        with unsafe("threads are distinct"):
            x[t] = 1.0
    with unsafe("no reason at all"):
        t = 0


@kernel
def plain(at: Slice[i32], x: SliceMut[f32]) -> None:
    t = thread.index_1d().get()
    if t < len(at):
        x[at[t]] = 1.0


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", 1 << 30)


def checked(one: Kernel[...], cache: Cache | None = None) -> driver.Checked:
    return driver.check_kernel(one.definition, Specialisation(), CodegenOptions(), cache=cache)


def of(one: Kernel[...], cache: Cache | None = None) -> KernelReport:
    return report("k", checked(one, cache), 1.0)


def test_counts() -> None:
    assert str(of(add)).splitlines()[:2] == ["races        none possible", "convergence  nothing to prove"]
    found = of(turned)
    assert (found.races.possible, found.races.queries, found.races.cached) == (True, 0, False) and found.races.pairs > 0
    assert (found.convergence.barriers, found.convergence.warp_operations) == (2, 5)  # a sum over a warp is five shuffles
    assert (found.bounds.proven, found.bounds.checked) == (4, 0)


def test_what_unsafe_suspends() -> None:
    (one,) = of(scatter).unsafe
    assert (
        one.line is not None
        and one.reason == "the indices are distinct"
        and one.suspends == (f"no two threads meet in `x`, line {one.line + 1}",)
    )
    assert Path(__file__).read_text(encoding="utf-8").splitlines()[one.line - 1].strip() == 'with unsafe("the indices are distinct"):'


def test_an_idle_unsafe_is_a_warning() -> None:
    found = checked(idle).diagnostics
    assert [(one.code, one.severity) for one in found] == [("OX9003", "warning")] * 2
    assert [one.suspends for one in of(idle).unsafe] == [(), ()]
    assert checked(scatter).diagnostics == ()


def test_a_proof_is_made_once(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    first = {one: of(one, cache) for one in (turned, scatter, idle)}
    assert not any(one.races.cached for one in first.values())

    def prove(*_: object, **__: object) -> None:
        raise AssertionError("proven again")

    monkeypatch.setattr(races, "prove", prove)
    for one, before in first.items():
        again = of(one, cache)
        assert again.races.cached and again.unsafe == before.unsafe and again.conditions == before.conditions
        assert (again.races.pairs, again.races.queries) == (before.races.pairs, before.races.queries)
    assert [one.code for one in checked(idle, cache).diagnostics] == ["OX9003"] * 2


def test_the_proof_of_one_with_unsafe_is_not_that_of_one_without(cache: Cache) -> None:
    checked(scatter, cache)
    with pytest.raises(CompileError, match="OX4003"):
        checked(plain, cache)


def test_z3_comes_only_where_it_is_asked(tmp_path: Path) -> None:
    """Neither for what equations decide, nor for what the cache has."""
    program = """
import json, sys
from oxidepy import SliceMut, Slice, f32, i32, kernel, thread, unsafe
from oxidepy.cli.main import main
code = main(["check", sys.argv[1], "--report", "report.json"])
print(json.dumps([code, "z3" in sys.modules]))
"""
    head = "from oxidepy import *\n\n@kernel\ndef k(at: Slice[i32], x: SliceMut[f32]) -> None:\n    t = thread.index_1d().get()\n"
    affine = head + "    if t < len(x):\n        x[t] = 1.0\n"
    product = "    i = t * n % 7\n    if t < 7 and n == 3 and i < len(x):\n        x[i] = 1.0\n"
    asked = head.replace("SliceMut[f32]", "SliceMut[f32], n: i32") + product
    (tmp_path / "affine.py").write_text(affine, encoding="utf-8")
    (tmp_path / "asked.py").write_text(asked, encoding="utf-8")
    said: list[object] = []
    for name in ("affine.py", "asked.py", "asked.py"):
        command = [sys.executable, "-c", program, name]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=True, env=_environment(tmp_path)
        )
        said.append(json.loads(done.stdout.splitlines()[-1]))
    assert said == [[0, False], [0, True], [0, False]]
    (row,) = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["kernels"]
    assert row["result"] == "accepted" and row["report"]["races"]["cached"] and row["report"]["races"]["queries"] > 0


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "OXIDEPY_CACHE_DIR": str(folder / "cache"), "PYTHONIOENCODING": "utf-8"}


def test_a_kernel_reports_itself() -> None:
    found = turned.report()
    assert found.proofs[0].convergence.barriers == 2 and found.variants == ()
    assert [line.split()[0] for line in str(found).splitlines()] == ["kernel", "domain", "races", "convergence", "bounds", "memory", "no"]
    with pytest.raises(CompileError, match="OX4003"):
        plain.report()
