"""`volatile`: accesses that stay, each of them, with the values of plain ones."""

# pyright: basic
from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import every, refused
from loading import defined

import oxidepy as ox
from oxidepy import (
    DeviceBuffer,
    DisjointSlice,
    Runtime2D,
    Slice,
    SliceMut,
    f16,
    f32,
    i32,
    kernel,
    launch_contract,
    mma,
    shared,
    struct,
    thread,
    volatile,
)


@struct
@dataclass(frozen=True)
class Pair:
    a: f32
    b: i32


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def kept(x: Slice[f32], h: Slice[f16], p: DisjointSlice[Pair], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    s = shared.array(f32, 64)
    t = thread.idx.x
    volatile.store(s, t, 1.0)
    volatile.store(s, t, 2.0)
    if idx in y and idx in p:
        i = idx.get()
        volatile.store(y, idx, 0.5)
        twice = volatile.load(x, i) + volatile.load(x, i)
        pair = volatile.load(p, idx)
        volatile.store(p, idx, Pair(pair.a, pair.b + 1))
        volatile.store(y, idx, twice + volatile.load(s, t) + pair.a + f32(volatile.load(h, i)))


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def plain(x: Slice[f32], y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in y and idx in x:
        y[idx] = 0.5
        y[idx] = x[idx] + x[idx]


@pytest.mark.parametrize("device", ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)])
def test_values(device: str) -> None:
    stream = ox.Context(device).default_stream()
    x = np.arange(100, dtype=np.float32)
    pairs = np.zeros(100, [("a", np.float32), ("b", np.int32)])
    pairs["a"] = 1000
    p, y = DeviceBuffer.from_host(stream, pairs), DeviceBuffer.zeros(stream, 100, f32)
    kept.launch(stream, DeviceBuffer.from_host(stream, x), DeviceBuffer.from_host(stream, x.astype(np.float16)), p, y)
    np.testing.assert_array_equal(y.to_host(stream), x * 2 + 2 + 1000 + x)
    assert (p.to_host(stream)["b"] == 1).all()


@pytest.mark.parametrize("arch", ARCHES)
def test_every_access_is_there(arch: str) -> None:
    whole = kept.ptx(arch)
    assemble(whole, arch)
    made = re.search(r"\.entry kept\(.*?\n}\n", whole, re.DOTALL)[0]  # without the function that tells of a panic
    assert made.count("st.volatile.shared") == 2 and made.count("st.volatile.global") == 4
    assert made.count("ld.volatile.global") == 5 and made.count("ld.volatile.shared") == 1
    without = re.search(r"\.entry plain\(.*?\n}\n", plain.ptx(arch), re.DOTALL)[0]
    assert ".volatile" not in without and without.count("st.global") == 1 and without.count("ld.global") == 1


def test_the_ir_says_so() -> None:
    marked = [op.name for op in every(kept) if op.attrs.get("volatile")]
    assert marked == ["store", "store", "store", "load", "load", "load", "load", "store", "store", "load", "load", "store"]


@pytest.mark.parametrize(
    ("line", "code", "part"),
    [
        ("volatile.store(x, 0, 1.0)", "OX0308", "read-only"),
        ("volatile.load(n, 0)", "OX0308", "takes an array and an index"),
        ("volatile.store(y, 0, n)", "OX0308", "mismatched types"),
        ("y[0] = volatile.load(y)", "OX0308", "takes 2 arguments"),
        ("volatile.store(z, thread.index_1d(), 1.0)", "OX5002", "`z[thread.index_1d()]` may be outside"),
        ("y[0] = volatile.load(z, thread.index_1d())", "OX5002", "`z[thread.index_1d()]` may be outside"),
        ("volatile.store(z, 0, 1.0)", "OX0308", "`z` is indexed by a `ThreadIndex[Index1D]`"),
        ("y[0] = volatile.load(z, 0)", "OX0308", "`z` is indexed by a `ThreadIndex[Index1D]`"),
        ('mma.store(m, (0, 0), mma.zeros("m16n8k16"))', "OX0308", "`m` is indexed by a `ThreadIndex[Runtime2D]`"),
    ],
)
def test_refused(line: str, code: str, part: str) -> None:
    params = "x: Slice[f32], y: SliceMut[f32], z: DisjointSlice[f32], m: DisjointSlice[f32, Runtime2D], n: i32"
    source = f"@kernel\ndef k({params}) -> None:\n    {line}\n"
    names = {"kernel": kernel, "Slice": Slice, "SliceMut": SliceMut, "DisjointSlice": DisjointSlice, "Runtime2D": Runtime2D}
    names |= {"f32": f32, "i32": i32, "thread": thread, "volatile": volatile, "mma": mma}
    found = refused(defined(source, names)["k"])
    assert found.code == code and part in found.message, found


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def of_another(y: DisjointSlice[f32]) -> None:
    volatile.store(y, 0, 1.0)


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def unguarded(y: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    volatile.store(y, idx, 1.0)


def test_a_disjoint_slice_is_indexed_as_by_brackets() -> None:
    found = refused(of_another)
    assert (found.code, "is indexed by a `ThreadIndex[Index1D]`" in found.message) == ("OX0308", True)
    assert refused(unguarded).code == "OX5002"


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def two_looks(x: Slice[i32], y: SliceMut[f32]) -> None:
    at = thread.index_1d().get() + volatile.load(x, 0)
    if at < len(y):
        y[at] = 1.0


@kernel
@launch_contract(domain=1, block=(64, 1, 1))
def one_look(x: Slice[i32], y: SliceMut[f32]) -> None:
    at = thread.index_1d().get() + x[0]
    if at < len(y):
        y[at] = 1.0


def test_two_threads_may_see_two_values() -> None:
    """What somebody else may write between is not the same for all threads, as plain read-only memory is."""
    from oxidepy.analysis import races
    from oxidepy.frontend.lower import lower
    from oxidepy.lang.definition import Specialisation
    from oxidepy.settings.options import CodegenOptions

    found = [races.prove(lower(one.definition, Specialisation(), CodegenOptions()).module).diagnostics for one in (two_looks, one_look)]
    assert [[one.code for one in each] for each in found] == [["OX4003"], []]
