"""`Ptr`: what is said of it, what it reads and writes, what a compiler may no longer take for granted where there is one."""

# pyright: basic
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pytest
from backend.assembler import ARCHES, assemble
from frontend.running import every, refused
from loading import defined

import oxidepy as ox
from oxidepy import (
    CompileError,
    ConstantSlice,
    DevicePanic,
    DisjointSlice,
    LaunchError,
    Ptr,
    Slice,
    SliceMut,
    atomic,
    block,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    kernel,
    launch_contract,
    local,
    ptx,
    shared,
    struct,
    thread,
    u64,
    unsafe,
    volatile,
)

DEVICES = ["cpu", "interp", pytest.param("cuda:0", marks=pytest.mark.gpu)]
B = 64
T = TypeVar("T", f32, f64, f16, i8)


@struct
@dataclass(frozen=True)
class Triple:
    a: f16
    b: f16
    c: f16


@struct
@dataclass(frozen=True)
class Pair:
    a: f32
    b: i32


def stream_of(device: str) -> ox.Stream:
    return ox.Context(device).default_stream()


def put(stream: ox.Stream, array: np.ndarray) -> ox.DeviceBuffer:
    return ox.DeviceBuffer.from_host(stream, array)


# ---- elements and arithmetic


def read(p: Ptr[f32], n: i64) -> f32:
    return p[n]


@kernel(unsafe="the launch hands over the middle of 3 * n elements")
@launch_contract(domain=1, block=(B, 1, 1))
def around(p: Ptr[f32], y: Ptr[f32], away: SliceMut[i64], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n:
        q = p + i
        r = 2 + (p + 1 * i - n)
        away[i] = (q - p) * 100 + (r - q)
        total = r[-2] + read(q, i64(n)) + p[thread.index_1d()]
        s = q
        while s < q + 3:
            s += 1
        if s != q:
            s -= 3
        y[u64(i)] = total if s == q and s <= q and s >= p and not s > q else -1.0
        (y + i)[0] += 0.5


@pytest.mark.parametrize("device", DEVICES)
def test_elements_before_and_behind(device: str) -> None:
    stream, n = stream_of(device), 100
    x = np.arange(3 * n, dtype=np.float32)
    whole, away = put(stream, x), ox.DeviceBuffer.zeros(stream, n, i64)
    y = put(stream, np.zeros(n, np.float32))
    around.prepare(stream.context, n)(stream, whole[n : 2 * n], y, away, n)
    np.testing.assert_array_equal(y.to_host(stream), x[:n] + x[2 * n :] + x[n : 2 * n] + 0.5)
    np.testing.assert_array_equal(away.to_host(stream), np.arange(n) * 100 + 2 - n)


@kernel(unsafe="the launch sees to it")
@launch_contract(domain=1, block=(B, 1, 1))
def of_type(p: Ptr[T], y: Ptr[T], flags: Ptr[bool], pairs: Ptr[Pair], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n:
        y[i] = p[n - 1 - i] + 1
        flags[i] = not flags[i]
        pairs[i].b += i
        pairs[i] = Pair(pairs[i].a * 2, pairs[i].b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int8])
@pytest.mark.parametrize("device", DEVICES)
def test_types(device: str, dtype: type) -> None:
    stream, n = stream_of(device), 100
    x = np.arange(n).astype(dtype)
    records = np.zeros(n, [("a", np.float32), ("b", np.int32)])
    records["a"], records["b"] = 1.5, 7
    y, flags, pairs = put(stream, np.zeros(n, dtype)), put(stream, np.arange(n) % 3 == 0), put(stream, records)
    of_type.prepare(stream.context, n)(stream, put(stream, x), y, flags, pairs, n)
    np.testing.assert_array_equal(y.to_host(stream), x[::-1] + 1)
    np.testing.assert_array_equal(flags.to_host(stream), np.arange(n) % 3 != 0)
    got = pairs.to_host(stream)
    assert (got["a"] == 3).all()
    np.testing.assert_array_equal(got["b"], 7 + np.arange(n))


@kernel(unsafe="the launch sees to it")
@launch_contract(domain=1, block=(B, 1, 1))
def in_runs(p: Ptr[f32], y: Ptr[f32], n: i32) -> None:
    run = thread.index_run(4)
    if run.start + 4 <= n:
        a, b, c, d = p[run]
        y[run] = (d, c, b, a)


@pytest.mark.parametrize("device", DEVICES)
def test_runs(device: str) -> None:
    stream, n = stream_of(device), 400
    x = np.arange(n, dtype=np.float32)
    y = put(stream, np.zeros(n, np.float32))
    in_runs.prepare(stream.context, n // 4)(stream, put(stream, x), y, n)
    np.testing.assert_array_equal(y.to_host(stream), x.reshape(-1, 4)[:, ::-1].reshape(-1))


@kernel(unsafe="atomics alone meet")
@launch_contract(domain=1, block=(B, 1, 1))
def counted(sums: Ptr[f32], words: Ptr[i32], n: i32) -> None:
    i = thread.index_1d().get()
    if i < n:
        atomic.add(sums + 1, i % 3 - 1, 1.0)
        old = atomic.exchange(words, i + 1, i)
        volatile.store(words + 1, i, old + volatile.load(words, i + 1))


@pytest.mark.parametrize("device", DEVICES)
def test_atomics_and_volatile(device: str) -> None:
    stream, n = stream_of(device), 300
    sums, words = put(stream, np.zeros(3, np.float32)), put(stream, np.full(n + 1, 5, np.int32))
    counted.prepare(stream.context, n)(stream, sums, words, n)
    np.testing.assert_array_equal(sums.to_host(stream), [100, 100, 100])
    np.testing.assert_array_equal(words.to_host(stream), [5, *(5 + np.arange(n))])


# ---- raw parts


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def parts(x: Slice[f32], y: SliceMut[f32], c: DisjointSlice[f32], n: i32) -> None:
    s, own = shared.array(f32, B + 1), local.array(f32, 3)
    t, i = thread.idx.x, thread.index_1d().get()
    with unsafe("n is the length of all three, and a multiple of the block"):
        start = block.idx.x * B
        p = x.ptr() + start
        q = s.ptr()
        q[t] = p[t]
        block.sync()
        o = own.ptr()
        o[0] = q[B - 1 - t]
        o[1] = x[i : i + 1].ptr()[0]
        mine = c.ptr() + i
        mine[0] = own[0]
        tail = SliceMut.from_ptr(y.ptr() + start, B)
        whole = Slice.from_ptr(p - start, n)
    tail[t] = o_sum(whole, i) + own[1]


def o_sum(x: Slice[f32], i: i32) -> f32:
    return x[i] + x[len(x) - 1]


@pytest.mark.parametrize("device", DEVICES)
def test_pointers_of_slices_and_slices_of_pointers(device: str) -> None:
    stream, n = stream_of(device), 4 * B
    x = np.arange(n, dtype=np.float32)
    y, c = (put(stream, np.zeros(n, np.float32)) for _ in range(2))
    parts.prepare(stream.context, n)(stream, put(stream, x), y, c, n)
    np.testing.assert_array_equal(y.to_host(stream), x + n - 1 + x)
    np.testing.assert_array_equal(c.to_host(stream), x.reshape(-1, B)[:, ::-1].reshape(-1))


@kernel(unsafe="rows * columns elements lie behind each")
@launch_contract(domain=1, block=(B, 1, 1))
def shaped(p: Ptr[f32], out: Ptr[f32], rows: i32, columns: i32) -> None:
    a = Slice.from_ptr(p + 1, (rows, columns))
    c = DisjointSlice.from_ptr(out + 1, rows)
    idx = thread.index_1d()
    if idx in c and idx.get() < rows:
        total = f32(0)
        for j in range(columns):
            total += a[idx.get(), j]
        for v in a.row(idx.get()):
            total += v
        c[idx] = total


@pytest.mark.parametrize("device", DEVICES)
def test_slices_of_pointers_have_shapes(device: str) -> None:
    stream = stream_of(device)
    x = np.arange(71, dtype=np.float32)
    out = put(stream, np.zeros(11, np.float32))
    shaped.prepare(stream.context, 10)(stream, put(stream, x), out, 10, 7)
    np.testing.assert_array_equal(out.to_host(stream), [0, *(2 * x[1:].reshape(10, 7).sum(axis=1))])


@kernel(unsafe="it is a test")
@launch_contract(domain=1, block=(B, 1, 1))
def checked(p: Ptr[f32], n: i32, i: i32) -> None:
    SliceMut.from_ptr(p, n)[i] = 1.0


@pytest.mark.parametrize("device", DEVICES)
def test_a_slice_of_a_pointer_is_checked(device: str) -> None:
    stream = stream_of(device)
    buffer = put(stream, np.zeros(10, np.float32))
    launch = checked.prepare(stream.context, 1)
    launch(stream, buffer, 5, 4)
    launch(stream, buffer, 5, 5)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert (caught.value.code, caught.value.index, caught.value.length) == ("OX7001", 5, 5)
    np.testing.assert_array_equal(buffer.to_host(stream), [0, 0, 0, 0, 1, 0, 0, 0, 0, 0])


# ---- outside


@kernel(unsafe="it is not so: a test")
@launch_contract(domain=1, block=(B, 1, 1))
def strays(p: Ptr[f32], by: i64) -> None:
    i = thread.index_1d().get()
    if i > 2:
        p[by + i64(i)] = 1.0


def strayed(buffer: ox.DeviceBuffer, by: int) -> DevicePanic | None:
    stream = stream_of("interp")
    try:
        strays.prepare(stream.context, 5)(stream, buffer, by)
        stream.synchronize()
    except DevicePanic as panic:
        return panic
    return None


def test_the_interpreter_finds_what_lies_outside_of_the_memory() -> None:
    stream = stream_of("interp")
    whole = put(stream, np.zeros(200, np.float32))
    assert strayed(whole, 0) is None and strayed(whole[100:110], 36) is None and strayed(whole[100:110], -103) is None
    for buffer, by, index in ((whole, 137, 200), (whole[100:110], 37, 100), (whole[100:110], -104, -101), (whole, -4, -1)):
        panic = strayed(buffer, by)
        assert panic is not None and panic.code == "OX7001" and panic.index == index, (panic, by)
        assert "`p` points at elements" in str(panic) and panic.line is not None
    assert "`p` points at no element, and this is 3" in str(strayed(put(stream, np.zeros(0, np.float32)), 0))


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def strays_from_shared(y: SliceMut[f32], by: i32) -> None:
    s = shared.array(f32, B)
    t = thread.idx.x
    s[t] = 1.0
    with unsafe("it is not so: a test"):
        y[thread.index_1d().get()] = s.ptr()[t + by]


def test_the_interpreter_finds_it_in_shared_memory() -> None:
    stream = stream_of("interp")
    y = ox.DeviceBuffer.zeros(stream, B, f32)
    launch = strays_from_shared.prepare(stream.context, B)
    launch(stream, y, 0)
    stream.synchronize()
    launch(stream, y, 1)
    with pytest.raises(DevicePanic) as caught:
        stream.synchronize()
    assert (caught.value.index, caught.value.length, caught.value.thread) == (B, B, (B - 1, 0, 0))


# ---- one memory for several parameters


@kernel(unsafe="p is the memory of another one")
@launch_contract(domain=1, block=(B, 1, 1))
def aliased(x: Slice[f32], t: ConstantSlice[f32], m: SliceMut[f32], c: DisjointSlice[f32], p: Ptr[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        i = idx.get()
        before = x[i] + t[i] + m[i] + c[idx]
        p[i] = before
        c[idx] = before + x[i] + t[i] + m[i] + c[idx]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("which", range(4))
def test_a_store_through_a_pointer_is_seen(device: str, which: int) -> None:
    stream, n = stream_of(device), 1000
    buffers = [put(stream, np.full(n, one, np.float32)) for one in (1, 2, 4, 8)]
    launch = aliased.prepare(stream.context, n)
    launch(stream, *buffers, buffers[which])
    wanted = 15 + 15 + 15 - (1, 2, 4, 8)[which]
    assert (buffers[3].to_host(stream) == wanted).all()
    launch(stream, *buffers, buffers[which])  # the quick way takes it too
    launch(stream, *buffers, buffers[which])
    stream.synchronize()


@pytest.mark.parametrize("arch", ARCHES)
def test_every_reload_stays_in_the_ptx(arch: str) -> None:
    whole = aliased.ptx(arch)
    assemble(whole, arch)
    made = re.search(r"\.entry aliased\(.*?\n}\n", whole, re.DOTALL)[0]
    accesses = re.findall(r"\b(ld\.global|st\.global|ld\.const|\.nc)", made)
    assert accesses == [*["ld.global"] * 4, "st.global", *["ld.global"] * 4, "st.global"], made


@pytest.mark.parametrize("one", [around, in_runs, counted, parts, shaped], ids=lambda one: one.name)
@pytest.mark.parametrize("arch", ARCHES)
def test_ptx_assembles(one, arch: str) -> None:
    assemble(one.ptx(arch), arch)


def test_nothing_checks_an_access_through_a_pointer() -> None:
    for one in (around, in_runs, counted):
        assert not [op for op in every(one) if op.name == "check" and op.attrs["message"].startswith("index out of bounds of `p`")]
    assert "trap" not in in_runs.ptx("sm_80") and "oxidepy_panic" not in in_runs.ptx("sm_80")


def test_runs_of_a_pointer_are_wide_where_memory_is_aligned() -> None:
    from oxidepy.backend.targets import nvptx_target
    from oxidepy.compiler.driver import compile_kernel
    from oxidepy.lang.definition import Specialisation
    from oxidepy.settings.options import CodegenOptions

    made = compile_kernel(in_runs.definition, Specialisation(), nvptx_target("sm_90a"), CodegenOptions(), usual=True)
    text = made.artefact.code.decode()
    assert "ld.global.v4" in text and "st.global.v4" in text and made.artefact.facts["aligned"] == 16


# ---- what proofs say


@kernel(unsafe="p may be the memory of n")
@launch_contract(domain=1, block=(B, 1, 1))
def counts_by_memory(n: Slice[i32], p: Ptr[i32], y: DisjointSlice[f32]) -> None:
    p[thread.idx.x] = thread.idx.x
    for _ in range(n[0]):
        block.sync()


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def counts_by_memory_that_stays(n: Slice[i32], y: DisjointSlice[f32]) -> None:
    for _ in range(n[0]):
        block.sync()


def test_a_value_that_a_pointer_may_have_changed_is_not_the_same_in_all_threads() -> None:
    counts_by_memory_that_stays.report()
    with pytest.raises(CompileError) as caught:
        counts_by_memory.report()
    assert [one.code for one in caught.value.diagnostics] == ["OX3001"]


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def half_proven(y: SliceMut[f32]) -> None:
    i = thread.index_1d().get()
    with unsafe("nobody else has it"):
        p = SliceMut.from_ptr(y.ptr() + 1, 100)
    p[i] = 1.0
    y[i] = 2.0


@kernel
@launch_contract(domain=1, block=(B, 1, 1))
def owned_and_not(c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    with unsafe("it has that many"):
        s = SliceMut.from_ptr(c.ptr(), len(c))
    if idx in c and idx.get() > 0:
        c[idx] = s[idx.get() - 1]


@pytest.mark.parametrize("one", [half_proven, owned_and_not], ids=lambda one: one.name)
def test_races_by_way_of_a_pointer_are_found_outside_of_unsafe(one) -> None:
    with pytest.raises(CompileError) as caught:
        one.report()
    assert {found.code for found in caught.value.diagnostics} == {"OX4002"}


def test_a_kernel_with_pointers_is_no_coarse_one_and_claims_nothing() -> None:
    from oxidepy.analysis.coarsen import plan
    from oxidepy.compiler.driver import check_kernel
    from oxidepy.lang.definition import Specialisation
    from oxidepy.settings.options import CodegenOptions

    module = check_kernel(in_runs.definition, Specialisation(), CodegenOptions()).module
    assert plan(module).factor == 1 and not module.kernel.raceless


# ---- refusals


SPACE = {
    name: globals()[name]
    for name in (
        "kernel launch_contract Ptr Slice SliceMut DisjointSlice ConstantSlice f32 i32 i64 thread unsafe atomic shared ptx volatile block"
    ).split()
}


@pytest.mark.parametrize(
    ("line", "code", "part"),
    [
        ("p[1.5] = 0.0", "OX0308", "an index is an integer"),
        ("p[0, 1] = 0.0", "OX0308", "an index is an integer"),
        ("p[0] = 1", "", ""),
        ("p[0] = i", "OX0308", "mismatched types"),
        ("q = p * 2", "OX0308", "`p * 2` with a `Ptr[f32]`"),
        ("q = 2 - p", "OX0308", "with a `Ptr[f32]`"),
        ("q = p + 0.5", "OX0308", "an index is an integer"),
        ("q = p + p", "OX0308", "with a `Ptr[f32]`"),
        ("n = p - w", "OX0308", "pointers into different memory: `p` and `w`"),
        ("b = p == w", "OX0308", "pointers into different memory"),
        ("b = p == 0", "OX0308", "a `Ptr[f32]` and the literal `0`"),
        ("n = len(p)", "OX0308", "`len` takes a slice"),
        ("q = p[1:3]", "OX0308", "has no parts"),
        ("n = p.size", "OX0425", "has no `.size`"),
        ("q = x.ptr().cast(i32)", "OX0308", "`x` is no `Ptr` parameter"),
        ("q = p.cast(Triple)", "OX0308", "elements of 4 bytes are not seen as ones of 6"),
        ("q = p.cast(3)", "OX0308", "the first argument is a type"),
        ("n = p.cast(i32) - p", "OX0308", "pointers into different memory"),
        ("q = Ptr(x)", "OX0658", "`Ptr` is not supported in kernels"),
        ("copy.copy(shared.array(f32, 4), 0, p, 0, count=4)", "OX0308", "copies from a slice, and this is a `Ptr[f32]`"),
        ("v = f32(p)", "OX0308", "Ptr[f32]"),
        ("q = p if i > 0 else w", "OX0658", "pointers into different memory"),
        ("q = x.ptr()\n    q[0] = 1.0", "OX0308", "points into read-only memory"),
        ("q = SliceMut.from_ptr(x.ptr(), 1)", "OX0308", "points into read-only memory"),
        ("q = Slice.from_ptr(x, 1)", "OX0308", "takes a pointer and a shape"),
        ("q = Slice.from_ptr(p, 1.0)", "OX0308", "mismatched types"),
        ("q = Slice.from_ptr(p, (1, 2, 3, 4))", "OX0308", "a shape of 4 extents"),
        ("q = DisjointSlice.from_ptr(p, (1, 2))", "OX0308", "a shape of 2 extents"),
        ("q = x[0:8:2].ptr()", "OX0308", "are no neighbours in memory"),
        ("atomic.add(p, 0, i)", "OX0308", "mismatched types"),
        ("v = takes(x)", "OX0308", "parameter `p` of `takes` is `Ptr[f32]`, and this is a `Slice`"),
        ("v = takes(1)", "OX0308", "`Ptr[f32]`"),
        ("for v in p:\n        pass", "OX0308", "Ptr[f32]"),
    ],
)
def test_refused(line: str, code: str, part: str) -> None:
    source = (
        "def takes(p: Ptr[f32]) -> f32:\n    return p[0]\n\n"
        '@kernel(unsafe="it is a test")\ndef k(p: Ptr[f32], w: Ptr[f32], x: Slice[f32], i: i32) -> None:\n    ' + line + "\n"
    )
    kernel_ = compiled(source)
    if not code:
        every(kernel_)
        return
    found = refused(kernel_)
    assert found.code == code and part in found.message, found


def compiled(source: str) -> ox.Kernel:
    return defined(source, {**SPACE, "copy": ox.async_copy, "Triple": Triple})["k"]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("q = y.ptr()", "the address of `y` needs `unsafe`"),
        ('with unsafe("so"):\n        q = y.ptr()\n    q[0] = 1.0', "an access through `y` needs `unsafe`"),
        ('with unsafe("so"):\n        q = y.ptr()\n    v = q[0]', "an access through `y` needs `unsafe`"),
        ('with unsafe("so"):\n        q = y.ptr()\n    s = Slice.from_ptr(q, 1)', "`Slice.from_ptr` needs `unsafe`"),
        ('with unsafe("so"):\n        q = y.ptr()\n    atomic.add(q, 0, 1.0)', "an access through `y` needs `unsafe`"),
    ],
)
def test_pointers_stand_under_unsafe(line: str, part: str) -> None:
    found = refused(compiled(f"@kernel\ndef k(y: SliceMut[f32]) -> None:\n    {line}\n"))
    assert found.code == "OX0133" and part in found.message, found


def test_a_requirement_knows_nothing_of_a_pointer() -> None:
    source = '@kernel(unsafe="a test")\ndef k(p: Ptr[f32], n: i32) -> None:\n    require(len(p) == n)\n'
    SPACE["require"] = ox.require
    assert "`len` takes a slice" in refused(compiled(source)).message


# ---- launches


@kernel(unsafe="the launch sees to it")
@launch_contract(domain=1, block=(B, 1, 1))
def plain(p: Ptr[f32], c: DisjointSlice[f32]) -> None:
    idx = thread.index_1d()
    if idx in c:
        c[idx] = p[idx] + 1.0


@pytest.mark.parametrize("device", DEVICES)
def test_the_configuration_comes_from_the_outputs(device: str) -> None:
    stream = stream_of(device)
    x = put(stream, np.zeros((10, 10), np.float32))
    c = put(stream, np.zeros(100, np.float32))
    for _ in range(3):
        plain.launch(stream, x, c)  # of any shape
        plain.launch(stream, c, c)  # in place
    assert (c.to_host(stream) == 2).all()
    with pytest.raises(LaunchError) as caught:
        strays.launch(stream, c, 0)
    assert caught.value.code == "OX2008"


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (np.zeros(3, np.float32), "wants Ptr[f32], got a NumPy array"),
        (3, "wants Ptr[f32], got a value of type int"),
        (None, "wants Ptr[f32], got None"),
        ("i32", "wants Ptr[f32], got a buffer of i32"),
        ("released", "wants Ptr[f32], got a buffer that was released"),
    ],
)
def test_arguments_that_are_no_memory(value: object, part: str) -> None:
    stream = stream_of("cpu")
    c = ox.DeviceBuffer.zeros(stream, 4, f32)
    if isinstance(value, str):
        buffer = ox.DeviceBuffer.zeros(stream, 4, i32 if value == "i32" else f32)
        if value == "released":
            buffer.free(stream)
        value = buffer
    with pytest.raises(LaunchError) as caught:
        plain.launch(stream, value, c)
    assert caught.value.code == "OX2007" and part in str(caught.value), caught.value


def test_the_host_check_lets_a_pointer_alias(tmp_path) -> None:
    from oxidepy.compiler.hostcode import KernelShape
    from oxidepy.runtime.hostcode import _shape

    shape = _shape(plain)
    assert isinstance(shape, KernelShape) and [one.mode for one in shape.params] == ["pointer", "exclusive"]


@kernel(unsafe="an address is a number")
@launch_contract(domain=1, block=(B, 1, 1))
def by_hand(p: Ptr[f32], y: Ptr[f32]) -> None:
    i = thread.index_1d().get()
    y[i] = ptx("ld.global.f32 {out}, [{0}];", (p, i), result=f32)


@pytest.mark.parametrize("arch", ARCHES)
def test_inline_ptx_takes_addresses(arch: str) -> None:
    assemble(by_hand.ptx(arch), arch)
