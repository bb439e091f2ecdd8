"""Where a thread runs: one multiprocessor without a GPU, registers with one, and nothing that proofs rest on."""

from __future__ import annotations

import numpy as np
import pytest
from backend.assembler import assemble
from frontend.running import findings, refused
from frontend.test_refused import compiled

import oxidepy as ox
from oxidepy import DisjointSlice, SliceMut, block, i32, kernel, launch_contract, thread, u32, u64

DEVICES = ["interp", "cpu"]


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def where(a: DisjointSlice[u32], b: DisjointSlice[u32], c: DisjointSlice[u64]) -> None:
    idx = thread.index_1d()
    if idx in a and idx in b and idx in c:
        a[idx] = thread.smid()
        b[idx] = thread.nsmid()
        c[idx] = thread.gridid()


def launched(device: str, count: int = 640) -> list[np.ndarray]:
    stream = ox.Context(device).default_stream()
    outs = [ox.DeviceBuffer.zeros(stream, count, one) for one in (u32, u32, u64)]
    where.launch(stream, *outs)
    return [one.to_host(stream) for one in outs]


@pytest.mark.parametrize("device", DEVICES)
def test_one_multiprocessor_without_a_gpu(device: str) -> None:
    assert [set(one.tolist()) for one in launched(device)] == [{0}, {1}, {0}]


@pytest.mark.gpu
def test_the_multiprocessors_of_a_gpu() -> None:
    a, b, c = launched("cuda:0", 64 * 2000)
    assert len(set(a.tolist())) > 8 and a.max() < b.min() and len(set(b.tolist())) == len(set(c.tolist())) == 1
    assert all(len(set(one.tolist())) == 1 for one in a.reshape(-1, 64)), "a block runs on one multiprocessor"


@pytest.mark.parametrize("arch", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
def test_registers(arch: str) -> None:
    text = where.ptx(arch)
    assert all(one in text for one in ("%smid;", "%nsmid;", "%gridid;"))
    assemble(text, arch)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def diverging(y: DisjointSlice[i32]) -> None:
    if thread.smid() == 0:
        block.sync()


def test_what_differs_between_threads_is_no_condition_of_a_barrier() -> None:
    from oxidepy.analysis import uniformity
    from oxidepy.frontend.lower import lower
    from oxidepy.lang.definition import Specialisation
    from oxidepy.settings.options import CodegenOptions

    module = lower(diverging.definition, Specialisation(), CodegenOptions()).module
    (found,) = uniformity.analyse(module).diagnostics
    assert found.code == "OX3001" and "`thread.smid`" in found.labels[0].text


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def racing(y: SliceMut[i32]) -> None:
    y[i32(thread.smid() % u32(len(y)))] = 1


def test_two_threads_of_one_multiprocessor_race() -> None:
    with pytest.raises(ox.CompileError) as refused:
        racing.prepare(ox.Context("interp"), ox.LaunchConfig1D(grid=1, block=64))
    assert refused.value.code in ("OX4002", "OX4003")


def test_what_is_refused() -> None:
    found = refused(compiled("a = thread.smid(1)", thread=thread))
    assert (found.code, "takes 0 arguments" in found.message) == ("OX0308", True)
    assert not findings(compiled("a = thread.smid()", thread=thread))
